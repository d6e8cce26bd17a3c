//! The command line on a palace, with and without a hub beside it: the same flags, bytes and exit codes as agents' scripts expect.

use std::process::Output;

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::place::Place;

const APPEND: [&str; 8] = ["logstream", "append", "--type", "t.x", "--stream", "s", "--room", "r"];

fn append<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&APPEND[..], &["--from-agent", "a"], more].concat()
}

#[track_caller]
fn json_of(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[test]
fn an_append_beside_a_running_hub_is_live_there() {
    let hub = Hub::start();
    let mut stream = hub.sse("stream=s");
    let event = json_of(&hub.place().cli(
        &append(&[
            "--to-agent",
            "b",
            "--correlation-id",
            "c",
            "--topic",
            "t",
            "--branch",
            "main",
            "--base-commit",
            "0123abc",
            "--status",
            "open",
            "--body",
            "from the shell",
            "--metadata",
            r#"{"n": 9007199254740993}"#,
            "--json",
        ]),
        b"",
    ));
    assert_eq!(event["body"], "from the shell");
    assert_eq!(event["metadata"].to_string(), r#"{"n":9007199254740993}"#);
    assert_eq!(stream.event().json(), event);
    assert_eq!(hub.list(json!({})), [event]);
}

#[test]
fn what_a_hub_appended_is_listed() {
    let hub = Hub::start();
    for n in 1..=3 {
        hub.append("s", &n.to_string());
    }
    hub.append("other", "x");
    let list = |more: &[&str]| json_of(&hub.place().cli(&[&["logstream", "list", "--json"], more].concat(), b""));
    let bodies = |answer: Value| -> Vec<String> {
        let events = answer["events"].as_array().expect("a list").clone();
        events.iter().map(|e| e["body"].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!(list(&[])["count"], 4);
    assert_eq!(bodies(list(&["--stream", "s"])), ["1", "2", "3"], "oldest first by default");
    assert_eq!(bodies(list(&["--stream", "s", "--order", "desc", "--limit", "2"])), ["3", "2"]);
    assert_eq!(bodies(list(&["--from-agent", "nobody"])), [""; 0], "here from-agent filters");
    let first = hub.list(json!({"order": "asc", "limit": 1}))[0]["id"].as_str().expect("a text").to_owned();
    assert_eq!(bodies(list(&["--since-event-id", &first, "--stream", "s"])), ["2", "3"]);
    let text = hub.place().cli(&["logstream", "list", "--stream", "s"], b"");
    assert!(text.status.success() && String::from_utf8_lossy(&text.stdout).contains(&first), "{text:?}");
}

#[test]
fn a_body_from_stdin_or_a_file_is_kept_byte_for_byte() {
    let place = Place::new();
    let body = "l1\r\nl2\n\n é😀 \"q\"\t\n";
    let from_stdin = json_of(&place.cli(&append(&["--body-file", "-", "--json"]), body.as_bytes()));
    assert_eq!(from_stdin["body"], body);
    let file = place.home().join("body.txt");
    std::fs::write(&file, body).expect("writable");
    let path = file.to_str().expect("made of ASCII");
    assert_eq!(json_of(&place.cli(&append(&["--json", "--body-file", path]), b""))["body"], body);
    let broken = place.cli(&append(&["--body-file", "-", "--json"]), b"not \xff UTF-8");
    assert_eq!(broken.status.code(), Some(1), "{broken:?}");
}

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
fn an_event_may_refer_to_artifacts() {
    let place = Place::new();
    let put = ["artifact", "put", "--kind", "note", "--created-by", "a", "--json", "-"];
    let id = json_of(&place.cli(&put, b"x"))["id"].as_str().expect("a text").to_owned();
    for flag in ["--artifact", "--artifact-id"] {
        let args = [&append(&["--json"])[..], &[flag, &id]].concat();
        assert_eq!(json_of(&place.cli(&args, b""))["artifact_ids"], json!([id]), "{flag}");
    }
}

#[test]
fn a_task_is_created_and_handed_off() {
    let hub = Hub::start();
    let mut stream = hub.sse("type=task.request");
    let args = [
        "task",
        "create",
        "--project",
        "Atlas",
        "--from-agent",
        "a",
        "--to-agent",
        "b",
        "--goal",
        "Fix it",
        "--branch",
        "main",
        "--base-commit",
        "0123ABC",
        "--done",
        "tests pass",
        "--json",
    ];
    let created = json_of(&hub.place().cli(&args, b""));
    let task = &created["task"];
    assert_eq!((&task["type"], &task["stream"]), (&json!("task.request"), &json!("project/atlas")));
    assert_eq!((&task["base_commit"], &task["status"]), (&json!("0123abc"), &json!("open")));
    let correlation_id = task["correlation_id"].as_str().expect("a task has one");
    assert!(correlation_id.starts_with("task_fix_it_"), "{correlation_id}");
    assert!(created["handoff"].as_str().is_some_and(|h| h.contains(correlation_id)), "{created}");
    assert_eq!(stream.event().json(), *task);
    let mut bad = args;
    bad[13] = "main";
    assert_eq!(hub.place().cli(&bad, b"").status.code(), Some(1));
}

#[test]
fn errors_go_where_a_script_looks_for_them() {
    let place = Place::new();
    let sentence = "type='BAD' is not a valid event type (lowercase letters, digits, '.', '_', '-'; max 64 chars)";
    let bad = ["logstream", "append", "--type", "BAD", "--stream", "s", "--room", "r", "--from-agent", "a"];
    let output = place.cli(&[&bad[..], &["--json"]].concat(), b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    assert_eq!(error["error"], sentence);

    let output = place.cli(&bad, b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(sentence), "{output:?}");

    let output = place.cli(&["artifact", "get", "art_x", "--json"], b"");
    assert_eq!(output.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    assert_eq!(error["error"], "artifact 'art_x' not found");

    let output = place.cli(&["logstream", "append", "--no-such-flag"], b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn the_palace_may_be_named_before_or_after_the_subcommand() {
    let place = Place::new();
    json_of(&place.cli(&append(&["--json"]), b""));
    let after = place
        .command()
        .args(["logstream", "list", "--json", "--palace"])
        .arg(place.palace())
        .output()
        .expect("it runs");
    assert_eq!(json_of(&after)["count"], 1);
    let mut beats_environment = place.command();
    beats_environment.env("LOGGIA_PALACE", place.home().join("elsewhere")).args([
        "logstream",
        "list",
        "--json",
        "--palace",
    ]);
    assert_eq!(json_of(&beats_environment.arg(place.palace()).output().expect("it runs"))["count"], 1);
}
