//! `loggia artifact`: exact bytes in, exact bytes out, from every place and to every place.

use std::fs;

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::Hub;
use crate::place::{Place, sha256};

#[test]
fn an_artifact_goes_in_and_out_byte_for_byte() {
    let hub = Hub::start();
    let content = "--- a\r\n+++ b\n\u{1}é😀 no newline at the end";
    let put = ["artifact", "put", "--kind", "patch", "--created-by", "a", "--json"];
    let file = hub.place().home().join("x.patch");
    std::fs::write(&file, content).expect("writable");
    let path = file.to_str().expect("made of ASCII");
    for (more, stdin) in [
        (&["-"][..], content),
        (&[path], ""),
        // The two forms of the other program that shares this log.
        (&["--file", "-"], content),
        (&["--file", path], ""),
    ] {
        let record = json_of(&hub.place().cli(&[&put[..], more].concat(), stdin.as_bytes()));
        assert_eq!(record["size_bytes"], content.len(), "{more:?}");
        assert!(record.get("content").is_none(), "{more:?}");
        let id = record["id"].as_str().expect("a text");
        let out = hub.place().cli(&["artifact", "get", id], b"");
        assert!(out.status.success(), "{out:?}");
        assert_eq!(out.stdout, content.as_bytes(), "{more:?}");
        let whole = json_of(&hub.place().cli(&["artifact", "get", id, "--json"], b""));
        assert_eq!((&whole["content"], &whole["kind"]), (&json!(content), &json!("patch")));
        assert_eq!(hub.get(&format!("/artifacts/{id}/raw")).body, content.as_bytes());
    }
}

#[test]
fn an_artifact_is_written_to_a_file() {
    let place = Place::new();
    let content = "l1\r\nl2 é😀";
    let put = ["artifact", "put", "--kind", "file", "--created-by", "a", "--content", content, "--json"];
    let id = json_of(&place.cli(&put, b""))["id"].as_str().expect("a text").to_owned();
    let path = place.home().join("out");
    let name = path.to_str().expect("made of ASCII");
    let told = place.cli(&["artifact", "get", &id, "--out", name], b"");
    let expected = format!("wrote {} bytes to {name}\n  sha256={}\n", content.len(), sha256(content));
    assert_eq!(String::from_utf8_lossy(&told.stdout), expected);
    assert_eq!(fs::read(&path).expect("written"), content.as_bytes());
    let record = json_of(&place.cli(&["artifact", "get", &id, "--out", name, "--json"], b""));
    assert_eq!((&record["id"], &record["content_written_to"]), (&json!(id), &json!(name)));
    assert!(record.get("content").is_none(), "{record}");
    let nowhere = place.cli(&["artifact", "get", &id, "--out", "no/such/folder", "--json"], b"");
    assert_eq!(nowhere.status.code(), Some(1), "{nowhere:?}");
    let error: Value = serde_json::from_slice(&nowhere.stdout).expect("JSON");
    assert!(error["error"].as_str().is_some_and(|e| e.starts_with("no/such/folder: ")), "{error}");
}

#[test]
fn warnings_stand_beside_the_answer() {
    let place = Place::new();
    let put = ["artifact", "put", "--kind", "patch", "--created-by", "a", "--json"];
    let output = place.cli(&put, b"--- a\n+++ b");
    let record = json_of(&output);
    assert_eq!(record["warnings"].as_array().map(Vec::len), Some(1), "{record}");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("warning: patch content does not end"), "{output:?}");
    assert!(json_of(&place.cli(&put, b"--- a\n")).get("warnings").is_none());
}

#[test]
fn a_damaged_artifact_is_not_handed_out() {
    let place = Place::new();
    let put = ["artifact", "put", "--kind", "note", "--created-by", "a", "--content", "x", "--json"];
    let id = json_of(&place.cli(&put, b""))["id"].as_str().expect("a text").to_owned();
    let file = crate::outsider::open(&place.log_file());
    file.execute("UPDATE artifacts SET content = 'y'", []).expect("a table of the contract");
    let output = place.cli(&["artifact", "get", &id], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("is damaged"), "{output:?}");
}
