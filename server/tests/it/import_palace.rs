//! `loggia import mempalace`: drawers, diaries, facts, tunnels and hallways of the other program's palace, with their ids and times.
//!
//! The source is made here in the other program's own file layout; that program itself is not needed.

mod again;
mod theirs;

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::place::Place;
use theirs::Theirs;

fn import(place: &Place, source: &Path, more: &[&str]) -> Output {
    let args = ["import", "mempalace", source.to_str().expect("ASCII"), "--json"];
    place.cli(&[&args[..], more].concat(), b"")
}

#[track_caller]
fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[track_caller]
fn done(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    answer(output)["palace"].clone()
}

#[track_caller]
fn refused(place: &Place, output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for entry in fs::read_dir(place.palace()).into_iter().flatten() {
        let name = entry.expect("an entry").file_name();
        assert!(!name.to_string_lossy().starts_with(".loggia"), "left behind: {}", name.display());
    }
    answer(output)["error"].as_str().expect("a sentence").to_owned()
}

#[track_caller]
fn content(hub: &Hub, id: &str) -> String {
    let drawer = hub.call("mempalace_get_drawer", json!({"drawer_id": id}));
    drawer["content"].as_str().unwrap_or_else(|| panic!("{id}: {drawer}")).to_owned()
}

fn taken(count: u64) -> Value {
    json!({"taken": count, "already_here": 0})
}

/// A palace with one of everything.
fn filled(place: &Place) -> Theirs {
    let theirs = Theirs::new(place, "theirs");
    let chroma = theirs.chroma("mempalace_drawers");
    let filed = "2026-03-01T09:30:00.123456";
    chroma.row("drawer_w_r_a", "kurz 😀\n", &json!({
        "wing": "w", "room": "r", "filed_at": filed, "source_file": "/src/dir/a.md", "added_by": "me", "chunk_index": 0,
        "id_recipe": "v3",
    }));
    // A long one whose second piece was written anew, and so lies last.
    let piece = |n: u64| json!({"wing": "w", "room": "long", "filed_at": filed, "chunk_index": n, "parent_drawer_id": "drawer_w_long_b"});
    chroma.row("drawer_w_long_b_chunk_000000", &"é".repeat(800), &piece(0));
    chroma.row("drawer_w_long_b_chunk_000002", "the end", &piece(2));
    // Mined neighbours overlap and are drawers of their own.
    for (n, text) in [(0, "one two three"), (1, "three four five")] {
        chroma.row(&format!("drawer_m_general_{n}"), text, &json!({
            "wing": "m", "room": "general", "hall": "technical", "chunk_index": n, "source_file": "/src/m.md", "filed_at": filed,
            "source_mtime": 1_700_000_000.25, "chunk_total": 2, "is_sentinel": false, "entities": "Ann;Bob",
        }));
    }
    chroma.row("drawer_bare", "no metadata at all", &json!({}));
    chroma.row("_reg_0", "[registry]", &json!({"wing": "m", "room": "_registry", "is_sentinel": true}));
    // An entry of today, and one of an older program: another spelling, and the older key alone.
    chroma.row("diary_wing_ann_1", "SESSION:1|short|★★", &entry("ann", "2026-03-02T10:00:00.000001"));
    for n in [1, 0] {
        let mut metadata = entry("Ann", "2026-03-03T10:00:00.000001");
        metadata["chunk_index"] = json!(n);
        metadata["parent_entry_id"] = json!("diary_wing_ann_2");
        chroma.row(&format!("diary_wing_ann_2_chunk_00000{n}"), ["first,", " second"][n], &metadata);
    }
    chroma.row("drawer_w_long_b_chunk_000001", &"ß".repeat(800), &piece(1));
    chroma.other("mempalace_closets", 3);
    theirs.facts("knowledge_graph.sqlite3");
    theirs.beside("tunnels.json", &json!([
        {"id": "t1", "source": {"wing": "w", "room": "r", "drawer_id": "drawer_w_r_a"}, "target": {"wing": "m", "room": "general"},
         "label": "why", "kind": "explicit", "created_at": "2026-03-01T09:00:00.000001+00:00", "strength": 1.15, "stability": 1.1,
         "last_activated": "2026-03-04T09:00:00+00:00", "access_count": 3},
        {"id": "t2", "source": {"wing": "w"}, "target": {}},
    ]));
    theirs.beside("hallways.json", &json!({"schema_version": 1, "hallways": [
        {"id": "hallway_m_Ann_Bob_0", "wing": "m", "entity_a": "Ann", "entity_b": "Bob", "co_occurrence_count": 2,
         "rooms": ["general"], "label": "Ann and Bob", "created_at": "2026-03-01T09:00:00+00:00", "created_by": "auto",
         "strength": 1.0, "stability": 1.0, "last_activated": "2026-03-01T09:00:00+00:00", "access_count": 0},
    ]}));
    theirs
}

fn entry(agent: &str, filed_at: &str) -> Value {
    json!({
        "wing": "wing_ann", "room": "diary", "hall": "hall_diary", "topic": "general", "type": "diary_entry", "agent": agent,
        "filed_at": filed_at, "date": &filed_at[..10], "chunk_index": 0,
    })
}

#[test]
fn everything_comes_over_with_its_id_its_text_and_its_time() {
    let place = Place::new();
    let theirs = filled(&place);
    let chroma = theirs.palace.join("chroma.sqlite3");
    let before = fs::read(&chroma).expect("there");
    let report = done(&import(&place, &theirs.palace, &[]));
    assert!(fs::read(&chroma).expect("there") == before, "the source is only read");
    assert_eq!((&report["drawers"], &report["diary_entries"]), (&taken(5), &taken(2)));
    assert_eq!((&report["rows_taken"], &report["resumed"]), (&json!(10), &json!(false)));
    assert_eq!((&report["entities"], &report["facts"]), (&taken(2), &taken(3)));
    assert_eq!((&report["tunnels"], &report["hallways"]), (&taken(1), &taken(1)));
    let skipped = |at: usize| report["skipped"][at].clone();
    assert_eq!(
        (&skipped(0)["what"], &skipped(0)["count"]),
        (&json!("rows of the collection mempalace_closets"), &json!(3))
    );
    assert_eq!((&skipped(1)["what"], &skipped(1)["examples"]), (&json!("rows in `_registry`"), &json!(["_reg_0"])));
    assert_eq!((&skipped(2)["what"], &skipped(2)["examples"]), (&json!("tunnels"), &json!(["t2"])));

    let hub = Hub::builder().at(&place).start();
    let drawer = hub.call("mempalace_get_drawer", json!({"drawer_id": "drawer_w_r_a"}));
    assert_eq!(drawer["content"], "kurz 😀\n");
    assert_eq!(
        drawer["metadata"],
        json!({
            "wing": "w", "room": "r", "source_file": "a.md", "added_by": "me", "filed_at": "2026-03-01T09:30:00.123456",
            "last_modified": "2026-03-01T09:30:00.123456", "id_recipe": "v3", "chunk_index": 0,
        })
    );
    assert_eq!(content(&hub, "drawer_w_long_b"), "é".repeat(800) + &"ß".repeat(800) + "the end");
    let mined = hub.call("mempalace_get_drawer", json!({"drawer_id": "drawer_m_general_1"}));
    assert_eq!((&mined["content"], &mined["chunks"]), (&json!("three four five"), &Value::Null));
    let also = &mined["metadata"];
    assert_eq!((&also["source_mtime"], &also["chunk_total"]), (&json!(1_700_000_000.25), &json!(2)));
    assert_eq!((&also["is_sentinel"], &also["entities"]), (&json!(false), &json!("Ann;Bob")));
    assert_eq!(content(&hub, "drawer_bare"), "no metadata at all");
    let listed = hub.call("mempalace_list_drawers", json!({"limit": 100}));
    assert_eq!(listed["total"], 7);
    let rooms =
        json!({"m": {"general": 2}, "unknown": {"unknown": 1}, "w": {"long": 3, "r": 1}, "wing_ann": {"diary": 3}});
    assert_eq!(hub.call("mempalace_get_taxonomy", json!({}))["taxonomy"], rooms);

    let diary = hub.call("mempalace_diary_read", json!({"agent_name": "ANN"}));
    let told =
        |key: &str| diary["entries"].as_array().expect("a list").iter().map(|e| e[key].clone()).collect::<Vec<_>>();
    assert_eq!(told("content"), ["first, second", "SESSION:1|short|★★"]);
    assert_eq!(told("timestamp"), ["2026-03-03T10:00:00.000001", "2026-03-02T10:00:00.000001"]);
    assert_eq!(told("entry_id"), ["diary_wing_ann_2", "diary_wing_ann_1"]);

    let known = hub.call("mempalace_kg_query", json!({"entity": "Ann"}));
    let facts = known["facts"].as_array().expect("a list");
    let told: Vec<_> =
        facts.iter().map(|f| [&f["predicate"], &f["valid_from"], &f["valid_to"], &f["confidence"]]).collect();
    let open = json!(["works_on", "2026-01-01", null, 0.5]);
    assert_eq!(json!(told), json!([open, ["likes", "2026-01-01", "2026-02-01", 1.0], ["knows", null, null, 1.0]]));
    assert_eq!(facts[0]["object"], "O'Neil Co", "by the name of its entity");
    let tunnels = hub.call("mempalace_list_tunnels", json!({}));
    assert_eq!(
        (&tunnels[0]["id"], &tunnels[0]["strength"], &tunnels[0]["access_count"]),
        (&json!("t1"), &json!(1.15), &json!(3))
    );
    assert_eq!(tunnels[0]["created_at"], "2026-03-01T09:00:00.000001+00:00");
    let hallways = hub.call("mempalace_list_hallways", json!({}));
    assert_eq!(
        (&hallways["hallways"][0]["entity_b"], &hallways["hallways"][0]["rooms"]),
        (&json!("Bob"), &json!(["general"]))
    );
    let found = hub.call("mempalace_search", json!({"query": "four five"}));
    assert_eq!(found["results"][0]["drawer_id"], "drawer_m_general_1", "words are found at once");
}

#[test]
fn what_the_store_has_only_queued_is_worked_in() {
    let place = Place::new();
    let theirs = Theirs::new(&place, "theirs");
    let chroma = theirs.chroma("mempalace_drawers");
    let place_of = json!({"wing": "w", "room": "r", "topic": "old"});
    for id in ["kept", "updated", "upserted", "deleted"] {
        chroma.row(id, &format!("{id} before"), &place_of);
    }
    // As old files have it: eight bytes.
    chroma.applied([0, 0, 0, 0, 0, 0, 1, 0]);
    let document = |text: &str| json!({"wing": "w", "room": "r", "chroma:document": text});
    chroma.queue(256, 3, "kept", None);
    chroma.queue(257, 0, "added", Some(&document("added")));
    chroma.queue(258, 0, "added", Some(&document("a second add changes nothing")));
    chroma.queue(259, 1, "updated", Some(&json!({"topic": null, "room": "new"})));
    chroma.queue(260, 2, "upserted", Some(&document("upserted after")));
    chroma.queue(261, 3, "deleted", None);
    chroma.queue(262, 1, "nobody", Some(&document("an update of what is not there")));
    chroma.queue(263, 2, "gone", Some(&document("gone again")));
    chroma.queue(264, 3, "gone", None);
    let report = done(&import(&place, &theirs.palace, &[]));
    assert_eq!(report["drawers"], taken(4));
    assert_eq!(report["notes"], json!(["8 operations that chroma.sqlite3 had only queued were taken too"]));
    let hub = Hub::builder().at(&place).start();
    for (id, text) in
        [("kept", "kept before"), ("added", "added"), ("updated", "updated before"), ("upserted", "upserted after")]
    {
        assert_eq!(content(&hub, id), text);
    }
    let updated = hub.call("mempalace_get_drawer", json!({"drawer_id": "updated"}));
    assert_eq!((&updated["room"], &updated["metadata"]["topic"]), (&json!("new"), &Value::Null));
}

#[test]
fn the_other_kind_of_store_comes_too() {
    let place = Place::new();
    let theirs = Theirs::new(&place, "theirs");
    theirs.exact(&[
        ("drawer_a", "text 😀", json!({"wing": "w", "room": "r", "filed_at": "2026-03-01T00:00:00.000001"})),
        (
            "e_chunk_000001",
            "two",
            json!({"room": "diary", "type": "diary_entry", "agent": "ann", "chunk_index": 1, "parent_entry_id": "e"}),
        ),
        (
            "e_chunk_000000",
            "one ",
            json!({"room": "diary", "type": "diary_entry", "agent": "ann", "chunk_index": 0, "parent_entry_id": "e"}),
        ),
    ]);
    let report = done(&import(&place, &theirs.palace, &[]));
    assert_eq!((&report["drawers"], &report["diary_entries"]), (&taken(1), &taken(1)));
    let hub = Hub::builder().at(&place).start();
    assert_eq!((content(&hub, "drawer_a"), content(&hub, "e")), ("text 😀".to_owned(), "one two".to_owned()));

    // Where there are both, the configuration decides.
    let both = Theirs::new(&place, "both");
    both.chroma("mempalace_drawers").row("in_chroma", "c", &json!({"wing": "w", "room": "r"}));
    both.exact(&[("in_exact", "e", json!({"wing": "w", "room": "r"}))]);
    let report = done(&import(&place, &both.palace, &["--only", "palace"]));
    assert!(
        report["notes"][0].as_str().is_some_and(|note| note.contains("sqlite_exact.sqlite3 was not read")),
        "{report}"
    );
    assert_eq!(content(&hub, "in_chroma"), "c");
    both.beside("config.json", &json!({"backend": "sqlite_exact"}));
    done(&import(&place, &both.palace, &["--only", "palace"]));
    assert_eq!(content(&hub, "in_exact"), "e");
}

#[test]
fn the_palace_alone_may_be_taken_beside_a_running_hub_the_log_may_not() {
    let hub = Hub::start();
    let place = Arc::clone(hub.place());
    let theirs = filled(&place);
    let error = refused(&place, &import(&place, &theirs.palace, &[]));
    assert!(error.contains(&hub.pid().to_string()), "{error}");
    assert_eq!(done(&import(&place, &theirs.palace, &["--only", "palace"]))["drawers"], taken(5));
    assert_eq!(content(&hub, "drawer_bare"), "no metadata at all");
    let written = hub.call("mempalace_diary_write", json!({"agent_name": "ann", "entry": "after the move"}));
    assert_eq!(written["success"], true, "{written}");
    assert_eq!(hub.call("mempalace_diary_read", json!({"agent_name": "ann"}))["total"], 3);
}

#[test]
fn a_palace_that_is_served_where_it_lies_is_taken_in_place() {
    let place = Place::new();
    let theirs = filled(&place);
    theirs.log();
    let folder = theirs.palace.to_str().expect("ASCII");
    let output = place.command().args(["--palace", folder, "import", "mempalace", folder]).output().expect("it runs");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{said}");
    assert!(
        said.starts_with("drawers: 5 taken\ndiary entries: 2 taken\nentities: 2 taken\nfacts: 3 taken\n"),
        "{said}"
    );
    assert!(said.contains("\nskipped: 1 rows in `_registry`: "), "{said}");
    assert!(theirs.palace.join("palace.sqlite3").exists());
}

#[test]
fn the_collection_is_found_by_its_name_or_asked_for() {
    let place = Place::new();
    let theirs = Theirs::new(&place, "theirs");
    theirs.chroma("mine").row("in_mine", "m", &json!({"wing": "w", "room": "r"}));
    theirs.open().other("yours", 1);
    let error = refused(&place, &import(&place, &theirs.palace, &[]));
    assert!(error.contains("no collection that is the drawers'; it holds mine, yours"), "{error}");
    let error = refused(&place, &import(&place, &theirs.palace, &["--collection", "x"]));
    assert!(error.contains("no collection `x`"), "{error}");
    assert_eq!(done(&import(&place, &theirs.palace, &["--collection", "mine"]))["drawers"], taken(1));
    theirs.beside("config.json", &json!({"collection_name": "mine"}));
    assert_eq!(done(&import(&place, &theirs.palace, &[]))["drawers"], json!({"taken": 0, "already_here": 1}));
}

#[test]
fn what_is_no_palace_is_refused_and_what_is_damaged_is_told() {
    let place = Place::new();
    let error = refused(&place, &import(&place, &place.home(), &["--only", "palace"]));
    assert!(error.contains("holds no drawers and no facts"), "{error}");
    let broken = Theirs::new(&place, "broken");
    fs::write(broken.palace.join("chroma.sqlite3"), "this is no database, however long it may be").expect("writable");
    broken.log();
    let error = refused(&place, &import(&place, &broken.palace, &[]));
    assert!(error.contains("chroma.sqlite3"), "{error}");
    assert!(!place.log_file().exists(), "nothing of it was taken");

    let theirs = filled(&place);
    fs::write(theirs.root.join("tunnels.json"), "[{").expect("writable");
    let report = done(&import(&place, &theirs.palace, &[]));
    assert_eq!((&report["tunnels"], &report["drawers"]), (&taken(0), &taken(5)));
    let notes = report["notes"].as_array().expect("a list");
    assert!(
        notes.iter().any(|note| note.as_str().is_some_and(|n| n.contains("tunnels.json was not taken"))),
        "{report}"
    );
}
