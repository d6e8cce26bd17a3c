//! `loggia drawer` and `loggia search`: what is filed is fetched byte for byte, changed, found and deleted, on the palace's file as
//! on a hub.

use std::fs;

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::{Hub, TOKEN};
use crate::place::Place;

const ADD: [&str; 7] = ["drawer", "add", "--wing", "atlas", "--room", "pumps", "--json"];

#[track_caller]
fn add(place: &Place, content: &str) -> String {
    let answer = json_of(&place.cli(&ADD, content.as_bytes()));
    answer["drawer_id"].as_str().expect("a text").to_owned()
}

#[test]
fn a_drawer_keeps_every_byte() {
    let place = Place::new();
    let content = "l1\r\nl2 é😀\t```\n".repeat(700);
    let id = add(&place, &content);
    assert_eq!(place.cli(&["drawer", "get", &id], b"").stdout, content.as_bytes());
    let whole = json_of(&place.cli(&["drawer", "get", &id, "--json"], b""));
    assert_eq!(
        (&whole["content"], &whole["wing"], &whole["metadata"]["added_by"]),
        (&json!(content), &json!("atlas"), &json!("cli"))
    );
    let path = place.home().join("out");
    let name = path.to_str().expect("made of ASCII");
    let told = json_of(&place.cli(&["drawer", "get", &id, "--out", name, "--json"], b""));
    assert_eq!((&told["content_written_to"], told.get("content")), (&json!(name), None));
    assert_eq!(fs::read(&path).expect("written"), content.as_bytes());
    let again = json_of(&place.cli(&[&ADD[..], &["--content-file", name]].concat(), b""));
    assert_eq!((&again["reason"], &again["drawer_id"]), (&json!("already_exists"), &json!(id)));
    let missing = place.cli(&["drawer", "get", "drawer_x"], b"");
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(1), 0));
    assert_eq!(String::from_utf8_lossy(&missing.stderr), "error: Drawer not found: drawer_x\n");
}

#[test]
fn a_drawer_is_changed_moved_and_deleted() {
    let place = Place::new();
    let id = add(&place, "the pump broke");
    let changed =
        json_of(&place.cli(&["drawer", "update", &id, "--content-file", "-", "--json"], "é".repeat(900).as_bytes()));
    assert_eq!((&changed["drawer_id"], &changed["chunks"]), (&json!(id), &json!(2)));
    let moved = place.cli(&["drawer", "update", &id, "--room", "valves"], b"");
    assert_eq!(String::from_utf8_lossy(&moved.stdout), format!("changed {id}, in atlas/valves\n"));
    assert_eq!(place.cli(&["drawer", "update", &id], b"").status.code(), Some(2), "nothing to change is a mistake");
    let other = add(&place, "another");
    let list = json_of(&place.cli(&["drawer", "list", "--room", "valves", "--json"], b""));
    assert_eq!((&list["total"], &list["drawers"][0]["drawer_id"]), (&json!(1), &json!(id)));
    let page = place.cli(&["drawer", "list", "--limit", "1"], b"");
    assert!(String::from_utf8_lossy(&page.stdout).ends_with("\nmore of them: --offset 1\n"), "{page:?}");

    let some = place.cli(&["drawer", "delete", &id, "drawer_x", "--json"], b"");
    assert_eq!(some.status.code(), Some(1), "one was not there");
    let some: Value = serde_json::from_slice(&some.stdout).expect("JSON");
    assert_eq!(
        (&some["deleted"], &some["errors"], &some["results"][0]["chunks_deleted"]),
        (&json!(1), &json!(1), &json!(2))
    );
    let gone = place.cli(&["drawer", "delete", &other], b"");
    assert_eq!(String::from_utf8_lossy(&gone.stdout), format!("deleted {other}\n"));
    assert_eq!(json_of(&place.cli(&["drawer", "list", "--json"], b""))["total"], 0);
}

#[test]
fn a_search_finds_words_and_says_how_it_searched() {
    let place = Place::new();
    let id = add(&place, "The coolant pump of the greenhouse broke\u{1b}[0m.");
    add(&place, "Nothing to do with it.");
    let found = json_of(&place.cli(&["search", "greenhouse", "pump", "--json"], b""));
    assert_eq!((&found["query"], &found["results"][0]["drawer_id"]), (&json!("greenhouse pump"), &json!(id)));
    let told = place.cli(&["search", "greenhouse pump", "--results", "1"], b"");
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(text.starts_with(&format!("1 hit(s): greenhouse pump\n\n── {id}  ")), "{text}");
    assert!(text.contains("\nThe coolant pump of the greenhouse broke\u{fffd}[0m.\n"), "{text}");
    let elsewhere = json_of(&place.cli(&["search", "greenhouse", "--room", "valves", "--json"], b""));
    assert_eq!(elsewhere["results"], json!([]));
    let backwards = place.cli(&["search", "x", "--since", "2026-02-01", "--before", "2026-01-01", "--json"], b"");
    assert_eq!(backwards.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&backwards.stdout).expect("JSON");
    assert_eq!(error["error"], "since ('2026-02-01') must be earlier than before ('2026-01-01')");
}

#[test]
fn a_hub_and_the_file_below_it_answer_the_same() {
    let hub = Hub::start();
    let url = hub.origin();
    let elsewhere = Place::new();
    let away = |args: &[&str], stdin: &[u8]| elsewhere.cli(&[args, &["--url", &url, "--token", TOKEN]].concat(), stdin);
    let id = json_of(&away(&ADD, b"The coolant pump broke."))["drawer_id"].as_str().expect("a text").to_owned();
    json_of(&away(&ADD, "long 😀 ".repeat(500).as_bytes()));
    for args in [
        &ADD[..],
        &["drawer", "get", &id],
        &["drawer", "get", &id, "--json"],
        &["drawer", "get", "drawer_x", "--json"],
        &["drawer", "list", "--json"],
        &["drawer", "list", "--wing", "atlas", "--since", "2020-01-01", "--limit", "1", "--offset", "1", "--json"],
        &["drawer", "update", &id, "--content", "The coolant valve broke.", "--json"],
        &["drawer", "update", "drawer_x", "--wing", "w", "--json"],
        &["drawer", "delete", "drawer_x", "--json"],
        &["drawer", "delete", "drawer_x", "drawer_y", "--json"],
        &["search", "coolant", "--json", "--wing", "atlas", "--before", "2999-01-01", "--source-file", ""],
        &["search", &"why? ".repeat(60), "--json", "--limit", "3"],
    ] {
        let (there, here) = (away(args, b"The coolant pump broke."), hub.place().cli(args, b"The coolant pump broke."));
        assert_eq!(there.status.code(), here.status.code(), "{args:?}");
        if !args.contains(&"--json") {
            assert_eq!(there.stdout, here.stdout, "{args:?}");
            continue;
        }
        let answer = |bytes: &[u8]| -> Value {
            let mut answer: Value = serde_json::from_slice(bytes).expect("JSON");
            // Each says of itself that it has no model.
            answer["fallback_reason"].take();
            answer
        };
        assert_eq!(answer(&there.stdout), answer(&here.stdout), "{args:?}");
    }
    assert!(!elsewhere.palace().exists(), "a hub was meant");
}

#[test]
fn a_palace_that_cannot_be_used_fails_with_its_reason() {
    let place = Place::new();
    fs::create_dir(place.palace()).expect("our own folder");
    fs::write(place.palace().join("palace.sqlite3"), "this is no database, and long enough to be seen as none")
        .expect("ours");
    let output = place.cli(&["drawer", "list", "--json"], b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(answer["error"].as_str().is_some_and(|e| e.contains("not a database")), "{answer}");
}
