//! `loggia logstream watch --follow`: batches as they come, one line each, and no batch is noted that nobody read.

use std::io::Read as _;
use std::process::Stdio;

use serde_json::json;

use crate::cli_child::Running;
use crate::hub::{Hub, event_with};

#[test]
fn every_batch_is_one_line_of_json() {
    let hub = Hub::start();
    let ids: Vec<String> = (0..5).map(|n| hub.append("s", &format!("{n}\n"))).collect();
    let args = ["logstream", "watch", "--follow", "--json", "--from-start", "--limit", "2", "--stream", "s"];
    let mut watching = Running::start(hub.place(), &args);
    for batch in ids.chunks(2) {
        let answer = watching.json();
        let got: Vec<_> = answer["events"].as_array().expect("a list").iter().map(|e| e["id"].clone()).collect();
        assert_eq!(json!(got), json!(batch));
        assert_eq!((&answer["count"], &answer["cursor"]), (&json!(batch.len()), &json!(batch.last())));
        assert_eq!(answer["timed_out"], false);
    }
    let live = hub.append("s", "live");
    assert_eq!(watching.json()["cursor"], json!(live));
}

#[test]
fn an_idle_end_after_a_match_is_a_success() {
    let hub = Hub::start();
    hub.append("s", "x");
    let args = ["logstream", "watch", "--follow", "--json", "--from-start", "--idle-exit-ms", "200"];
    let (code, lines) = Running::start(hub.place(), &args).end();
    assert_eq!((code, lines.len()), (Some(0), 2), "{lines:?}");
    assert!(lines[1].contains(r#""timed_out":true"#), "{lines:?}");
}

#[test]
fn filters_are_alternatives_and_exclusion_beats_inclusion() {
    let hub = Hub::start();
    let args = ["logstream", "watch", "--follow", "--from-start", "--json", "--room", "r1", "--room", "r2"];
    let more = ["--from-agent", "a", "--from-agent", "b", "--exclude-from-agent", "b", "--idle-exit-ms", "300"];
    for (room, agent) in [("r1", "a"), ("r2", "a"), ("r3", "a"), ("r1", "b"), ("r2", "c")] {
        hub.append_event(event_with("s", &format!("{room}{agent}"), json!({"room": room, "from_agent": agent})));
    }
    let (_, lines) = Running::start(hub.place(), &[&args[..], &more].concat()).end();
    let answer: serde_json::Value = serde_json::from_str(&lines[0]).expect("JSON");
    let bodies: Vec<_> = answer["events"].as_array().expect("a list").iter().map(|e| e["body"].clone()).collect();
    assert_eq!(json!(bodies), json!(["r1a", "r2a"]));
}

#[test]
fn a_match_that_nobody_read_is_shown_again() {
    let hub = Hub::start();
    let args = ["logstream", "watch", "--agent", "me", "--follow", "--json"];
    let mut command = hub.place().command();
    command.arg("--palace").arg(hub.place().palace()).args(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it was built");
    // Whoever reads the answers leaves; then something arrives.
    drop(child.stdout.take());
    let mut stderr = child.stderr.take().expect("stderr is piped");
    let state = hub.place().home().join(".mempalace").join("watch").join("me.json");
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !state.exists() {
        assert!(std::time::Instant::now() < until, "it does not begin");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    hub.append_event(event_with("s", "unread", json!({"to_agent": "me"})));
    let status = child.wait().expect("it ends by itself");
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("text");
    assert_eq!(status.code(), Some(1), "{said}");
    let mut again = Running::start(hub.place(), &args);
    assert_eq!(again.json()["events"][0]["body"], "unread");
}

#[test]
fn people_get_lines() {
    let hub = Hub::start();
    let id = hub.append("s", "hello");
    let args = ["logstream", "watch", "--from-start"];
    let mut watching = Running::start(hub.place(), &args);
    watching.hears("watching the log from the beginning");
    assert_eq!(watching.line(), "1 event(s):");
    assert!(watching.line().starts_with(&format!("  {id}  ")));
    assert_eq!(watching.end(), (Some(0), vec![]));
}
