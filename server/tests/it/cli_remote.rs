//! `--url`: the same commands against a hub, with the same answers, texts and exit codes as on the palace's own files.

use std::process::Output;

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::{Hub, TOKEN, event_with};
use crate::impostor::Impostor;

/// Runs a command against a hub, from a home that knows nothing of its palace.
fn away(hub: &Hub, args: &[&str], stdin: &[u8]) -> Output {
    let elsewhere = crate::place::Place::new();
    let output = elsewhere.cli(&[args, &["--url", &hub.origin(), "--token", TOKEN]].concat(), stdin);
    assert!(!elsewhere.palace().exists(), "a hub was meant");
    output
}

#[test]
fn an_event_is_appended_and_acknowledged_there() {
    let hub = Hub::start();
    let body = "l1\r\nl2 é😀";
    let append =
        ["logstream", "append", "--type", "t.x", "--stream", "s", "--room", "r", "--from-agent", "a", "--json"];
    let more = ["--body-file", "-", "--metadata", r#"{"n": 18446744073709551616, "f": 1.0}"#];
    let event = json_of(&away(&hub, &[&append[..], &more].concat(), body.as_bytes()));
    assert_eq!(event["body"], body);
    assert_eq!(event["metadata"].to_string(), r#"{"f":1.0,"n":18446744073709551616}"#);
    let id = event["id"].as_str().expect("a text");
    let ack =
        json_of(&away(&hub, &["logstream", "ack", id, "--from-agent", "b", "--status", "claimed", "--json"], b""));
    assert_eq!((&ack["metadata"], &ack["to_agent"]), (&json!({"ack_of": id}), &json!("a")));
    assert_eq!(hub.list(json!({"order": "asc"})), [event, ack]);
}

#[test]
fn an_artifact_goes_there_and_back_byte_for_byte() {
    let hub = Hub::start();
    let content = "--- a\r\n+++ b\n\u{1}é😀 no newline";
    let put = ["artifact", "put", "--kind", "patch", "--created-by", "a", "--metadata", r#"{"k": 1}"#, "--json"];
    let output = away(&hub, &put, content.as_bytes());
    let record = json_of(&output);
    assert_eq!(record["warnings"].as_array().map(Vec::len), Some(2), "{record}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("warning: patch content"), "{output:?}");
    let id = record["id"].as_str().expect("a text");
    assert_eq!(away(&hub, &["artifact", "get", id], b"").stdout, content.as_bytes());
    let whole = json_of(&away(&hub, &["artifact", "get", id, "--json"], b""));
    assert_eq!((&whole["content"], &whole["metadata"]), (&json!(content), &json!({"k": 1})));
    assert_eq!(whole, json_of(&hub.place().cli(&["artifact", "get", id, "--json"], b"")), "the same as at home");
}

#[test]
fn a_task_is_created_there() {
    let hub = Hub::start();
    let args =
        ["task", "create", "--project", "p", "--from-agent", "a", "--to-agent", "b", "--branch", "main", "--json"];
    let more = ["--base-commit", "0123ABC", "--goal", "Fix it", "--done", "tests pass"];
    let created = json_of(&away(&hub, &[&args[..], &more].concat(), b""));
    assert_eq!(hub.list(json!({})), [created["task"].clone()]);
    let id = created["task"]["correlation_id"].as_str().expect("a text");
    assert!(created["handoff"].as_str().is_some_and(|h| h.contains(id)), "{created}");
}

#[test]
fn a_list_means_the_same_there_and_at_home() {
    let hub = Hub::start();
    for n in 0..12 {
        let (agent, event_type) = (["a", "b", "c"][n % 3], ["t.x", "t.y"][n % 2]);
        hub.append_event(event_with("s", &n.to_string(), json!({"from_agent": agent, "type": event_type})));
    }
    let ids: Vec<String> =
        hub.list(json!({"order": "asc"})).iter().map(|e| e["id"].as_str().expect("a text").to_owned()).collect();
    for more in [
        &[][..],
        &["--from-agent", "a", "--type", "t.x"],
        &["--from-agent", "a", "--from-agent", "b"],
        &["--exclude-from-agent", "a", "--limit", "3"],
        &["--from-agent", "a", "--from-agent", "b", "--order", "desc", "--limit", "5"],
        &["--from-agent", "a", "--from-agent", "b", "--limit", "8"],
        &["--type", "t.x", "--limit", "2", "--order", "desc"],
        &["--since-event-id", &ids[3], "--before-event-id", &ids[9], "--exclude-from-agent", "b"],
        &["--since-created-at", "2999-01-01"],
        &["--status", "open", "--status", "ready"],
    ] {
        let list = [&["logstream", "list", "--json"], more].concat();
        assert_eq!(json_of(&away(&hub, &list, b"")), json_of(&hub.place().cli(&list, b"")), "{more:?}");
    }
}

#[test]
fn a_list_with_many_values_looks_through_page_after_page() {
    let hub = Hub::start();
    for n in 0..520 {
        hub.append("s", &n.to_string());
    }
    let last = hub.append_event(event_with("s", "the one", json!({"from_agent": "b"})));
    let args = ["logstream", "list", "--json", "--from-agent", "b", "--from-agent", "c"];
    assert_eq!(json_of(&away(&hub, &args, b""))["events"], json!([last]));
    let downwards =
        json_of(&away(&hub, &["logstream", "list", "--json", "--exclude-from-agent", "b", "--order", "desc"], b""));
    assert_eq!((&downwards["events"][0]["body"], &downwards["has_more"]), (&json!("519"), &json!(true)));
}

#[test]
fn refusals_are_in_the_hubs_own_words() {
    let hub = Hub::start();
    for args in [
        &["logstream", "append", "--type", "BAD", "--stream", "s", "--room", "r", "--from-agent", "a"][..],
        &["logstream", "list", "--since-event-id", "evt_x"],
        &["logstream", "ack", "evt_x", "--from-agent", "a"],
        &["artifact", "get", "art_x"],
        &["artifact", "put", "--kind", "nope", "--created-by", "a", "--content", "x"],
    ] {
        let args = [args, &["--json"]].concat();
        let (there, here) = (away(&hub, &args, b""), hub.place().cli(&args, b""));
        assert_eq!((there.status.code(), here.status.code()), (Some(1), Some(1)), "{args:?}");
        let error = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["error"].clone();
        assert_eq!(error(&there), error(&here), "{args:?}");
    }
    let raw = away(&hub, &["artifact", "get", "art_x"], b"");
    assert!(String::from_utf8_lossy(&raw.stderr).starts_with("error: artifact 'art_x' not found"), "{raw:?}");
}

#[test]
fn the_token_comes_from_the_environment_and_is_never_repeated() {
    let hub = Hub::start();
    let secret = "lg_a_secret_that_is_not_the_hubs";
    let run = |token: &str, args: &[&str]| {
        let mut command = hub.place().command();
        let output = command.env("LOGGIA_TOKEN", token).args(["logstream", "list"]).args(args).output();
        output.expect("it was built")
    };
    let url = hub.origin();
    assert!(run(TOKEN, &["--url", &url]).status.success());
    assert!(run(TOKEN, &["--url", &format!("{url}/mcp")]).status.success(), "as it stands in an agent's settings");
    for (token, args) in [
        (secret, &["--url", &url][..]),
        (TOKEN, &["--url", &url, "--token", secret]),
        (TOKEN, &["--url", "http://127.0.0.1:1", "--token", secret]),
        (TOKEN, &["--url", &url, "--token", &format!("{secret} é")]),
        (TOKEN, &["--token", secret]),
        (TOKEN, &["--url", &url, "--token", secret, "--json"]),
    ] {
        let output = run(token, args);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains(secret) && said.contains("error"), "{said}");
    }
}

#[test]
fn a_hub_that_is_not_there_is_named() {
    let place = crate::place::Place::new();
    for (url, said) in [
        ("http://127.0.0.1:1", "the hub at http://127.0.0.1:1 does not answer"),
        ("ftp://127.0.0.1", "--url: not an http or https address"),
        ("http://u:p@127.0.0.1", "--url: a name or password does not belong there"),
    ] {
        let output = place.cli(&["logstream", "list", "--json", "--url", url], b"");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(error["error"].as_str().is_some_and(|e| e.starts_with(said)), "{error}");
    }
}

#[test]
fn what_a_hub_says_cannot_steer_a_terminal() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"\u001b]0;title\u0007 red"}}"#;
    let hub = Impostor::new(|_| ("application/json", error.to_owned()));
    let output = crate::place::Place::new().cli(&["logstream", "list", "--url", &hub.url()], b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: \u{fffd}]0;title\u{fffd} red\n");
}
