//! `loggia logstream ack`: the same event as the tool's, to the writer of what is answered.

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::{Hub, event_with};

/// What does not depend on who appended it when.
fn without_identity(mut event: Value) -> Value {
    for key in ["id", "seq", "origin_seq", "hlc", "created_at"] {
        event.as_object_mut().expect("an event is an object").remove(key);
    }
    event
}

#[test]
fn the_command_and_the_tool_write_the_same_event() {
    let hub = Hub::start();
    let more =
        json!({"topic": "t", "correlation_id": "c", "branch": "main", "base_commit": "0123abc", "to_agent": "b"});
    let targets = [hub.append_event(event_with("s", "ask", more)), hub.append_event(event_with("s", "ask", json!({})))];
    for target in targets {
        let id = target["id"].as_str().expect("a text");
        let arguments = json!({"event_id": id, "from_agent": "b", "status": "claimed", "body": "mine"});
        let by_tool = hub.call("mempalace_event_ack", arguments)["event"].clone();
        let ack = ["logstream", "ack", id, "--from-agent", "b", "--status", "claimed", "--body", "mine", "--json"];
        let by_command = json_of(&hub.place().cli(&ack, b""));
        assert_eq!(by_command["type"], "event.ack");
        assert_eq!(by_command["to_agent"], "a");
        assert_eq!(by_command["metadata"], json!({"ack_of": id}));
        assert_eq!(without_identity(by_command), without_identity(by_tool));
    }
}

#[test]
fn an_acknowledgement_may_change_the_topic() {
    let hub = Hub::start();
    let target = hub.append_event(event_with("s", "ask", json!({"topic": "t"})));
    let id = target["id"].as_str().expect("a text");
    for (topic, expected) in [("other", json!("other")), ("", json!(null))] {
        let ack = ["logstream", "ack", id, "--from-agent", "b", "--topic", topic, "--json"];
        assert_eq!(json_of(&hub.place().cli(&ack, b""))["topic"], expected);
    }
}

#[test]
fn what_is_not_there_cannot_be_acknowledged() {
    let hub = Hub::start();
    let output = hub.place().cli(&["logstream", "ack", "evt_x", "--from-agent", "b", "--json"], b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(error["error"], "event 'evt_x' not found");
    assert!(hub.list(json!({})).is_empty());
    assert_eq!(hub.place().cli(&["logstream", "ack", "evt_x"], b"").status.code(), Some(2), "somebody must answer");
}
