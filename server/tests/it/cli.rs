//! The command line on a palace, with and without a hub beside it: the same flags, bytes and exit codes as agents' scripts expect.

use std::process::Output;

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::place::Place;

const APPEND: [&str; 8] = ["logstream", "append", "--type", "t.x", "--stream", "s", "--room", "r"];

fn append<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&APPEND[..], &["--from-agent", "a"], more].concat()
}

/// What a command that must succeed answered.
#[track_caller]
pub(crate) fn json_of(output: &Output) -> Value {
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

#[test]
fn a_list_is_shown_on_one_line_for_each_event() {
    let place = Place::new();
    let body = format!("a\nb\u{1b}[31m{}", "x".repeat(90));
    let more =
        ["--to-agent", "b", "--status", "open", "--topic", "t", "--correlation-id", "c", "--body", &body, "--json"];
    let event = json_of(&place.cli(&append(&more), b""));
    let second = json_of(&place.cli(&append(&["--json"]), b""));
    let shown = place.cli(&["logstream", "list"], b"");
    let (id, at) = (event["id"].as_str().expect("a text"), event["created_at"].as_str().expect("a text"));
    let cut = format!("a b\u{fffd}[31m{}...", "x".repeat(77 - 8));
    let expected = format!(
        "2 event(s):\n  {id}  {at}  t.x  s/r  a->b [open] topic=t corr=c :: {cut}\n  {}  {}  t.x  s/r  a->*\n",
        second["id"].as_str().expect("a text"),
        second["created_at"].as_str().expect("a text"),
    );
    assert_eq!(String::from_utf8_lossy(&shown.stdout), expected);
}

#[test]
fn repeated_filters_are_alternatives_and_exclusion_beats_inclusion() {
    let place = Place::new();
    for (agent, event_type) in [("a", "t.x"), ("b", "t.y"), ("c", "t.z"), ("a", "t.y")] {
        let args = ["logstream", "append", "--stream", "s", "--room", "r", "--from-agent", agent, "--type", event_type];
        assert!(place.cli(&args, b"").status.success());
    }
    let args = ["logstream", "list", "--json", "--type", "t.x", "--type", "t.y", "--exclude-from-agent", "b"];
    let listed = json_of(&place.cli(&args, b""));
    let events = listed["events"].as_array().expect("a list");
    let types: Vec<_> = events.iter().map(|e| e["type"].as_str().expect("a text")).collect();
    assert_eq!(types, ["t.x", "t.y"], "{listed}");
    assert_eq!(listed["has_more"], false);
}

#[test]
fn a_long_flag_may_be_shortened_while_it_is_clear() {
    let place = Place::new();
    let event = json_of(&place.cli(&append(&["--corr", "c", "--body=x", "--js"]), b""));
    assert_eq!((&event["correlation_id"], &event["body"]), (&json!("c"), &json!("x")));
    let unclear = place.cli(&["logstream", "watch", "--from", "x"], b"");
    assert_eq!(unclear.status.code(), Some(2), "--from-agent or --from-start? {unclear:?}");
}

#[test]
fn a_group_alone_explains_itself() {
    let place = Place::new();
    for group in ["logstream", "artifact", "task"] {
        let output = place.cli(&[group], b"");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("Usage:"), "{output:?}");
    }
    assert!(!place.palace().exists(), "asking for help makes no palace");
}

#[test]
fn a_text_comes_from_one_place() {
    let place = Place::new();
    let both = place.cli(&append(&["--body", "x", "--body-file", "-", "--json"]), b"y");
    assert_eq!(both.status.code(), Some(1), "{both:?}");
    let error: Value = serde_json::from_slice(&both.stdout).expect("JSON");
    assert_eq!(error["error"], "give --body or --body-file, not both");
    let task = ["task", "create", "--project", "p", "--from-agent", "a", "--to-agent", "b", "--branch", "main"];
    let goals = ["--base-commit", "0123abc", "--done", "d", "--goal", "x", "--goal-file", "-"];
    assert_eq!(place.cli(&[&task[..], &goals].concat(), b"y").status.code(), Some(2));
    assert!(!place.palace().exists(), "what is refused makes no palace");
}

#[test]
fn numbers_out_of_range_are_refused_with_a_sentence() {
    let place = Place::new();
    for (args, sentence) in [
        (&["list", "--limit", "0"][..], "limit must be a positive integer"),
        (&["list", "--limit", "-3"], "limit must be a positive integer"),
        (&["wait", "--timeout-ms", "-1"], "timeout_ms must be a non-negative number, not -1"),
    ] {
        let output = place.cli(&[&["logstream"], args, &["--json"]].concat(), b"");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(error["error"], sentence);
    }
    assert_eq!(place.cli(&["logstream", "list", "--limit", "x"], b"").status.code(), Some(2));
}
