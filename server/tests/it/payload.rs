//! What agents write comes back as they wrote it: broken surrogates, big numbers, line ends, text that looks like something else.

use serde_json::json;

use crate::hub::{Hub, event_with, tool_answer};
use crate::outsider;
use crate::place::sha256;

/// A tools/call whose arguments are this JSON text, byte for byte.
fn call_text(tool: &str, arguments: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#)
}

#[test]
fn a_lone_surrogate_becomes_the_replacement_character() {
    let hub = Hub::start();
    let arguments = r#"{"type":"t.x","stream":"s","room":"r\ud83d","from_agent":"a","body":"half \ud83d and \\ud83d whole \ud83d\ude00 \udc00"}"#;
    let answer = tool_answer(&hub.rpc(call_text("mempalace_event_append", arguments)).json());
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(answer["event"]["room"], "r\u{fffd}");
    assert_eq!(answer["event"]["body"], "half \u{fffd} and \\ud83d whole 😀 \u{fffd}");

    let arguments = r#"{"kind":"note","content":"a\ud800b\udfff","created_by":"a"}"#;
    let put = tool_answer(&hub.rpc(call_text("mempalace_artifact_put", arguments)).json());
    assert_eq!(put["artifact"]["sha256"], sha256("a\u{fffd}b\u{fffd}"), "{put}");
    assert_eq!(put["artifact"]["size_bytes"], 8);
    let got = hub.call("mempalace_artifact_get", json!({"artifact_id": put["artifact"]["id"]}));
    assert_eq!(got["artifact"]["content"], "a\u{fffd}b\u{fffd}");
}

#[test]
fn a_lone_surrogate_in_metadata_is_refused_by_name() {
    let hub = Hub::start();
    for metadata in [r#"{"k":"\ud800"}"#, r#"{"\ud800":"v"}"#, r#"{"k":[{"d":"\udc00x"}]}"#] {
        let arguments = format!(r#"{{"type":"t.x","stream":"s","room":"r","from_agent":"a","metadata":{metadata}}}"#);
        let answer = tool_answer(&hub.rpc(call_text("mempalace_event_append", &arguments)).json());
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["error"].as_str().is_some_and(|e| e.contains("metadata")), "{answer}");
    }
    assert!(hub.list(json!({})).is_empty());
}

#[test]
fn a_lone_surrogate_anywhere_else_still_gets_an_answer() {
    let hub = Hub::start();
    let answer = hub.rpc(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\ud800"}}"#).json();
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    let answer = hub.rpc(call_text("mempalace_n\\ud800pe", "{}")).json();
    assert_eq!(answer["error"]["code"], -32601);
}

#[test]
fn numbers_keep_every_digit() {
    let hub = Hub::start();
    let mut stream = hub.sse("stream=s");
    let metadata = r#"{"n":9007199254740993,"m":18446744073709551616,"f":1.0,"d":0.30000000000000004}"#;
    let arguments = format!(r#"{{"type":"t.x","stream":"s","room":"r","from_agent":"a","metadata":{metadata}}}"#);
    let answer = hub.rpc(call_text("mempalace_event_append", &arguments)).text();
    let frame = stream.event().data;
    let list = hub.rpc(call_text("mempalace_event_list", "{}")).text();
    for number in ["9007199254740993", "18446744073709551616", "1.0", "0.30000000000000004"] {
        for (place, text) in [("answer", &answer), ("frame", &frame), ("list", &list)] {
            assert!(text.contains(&format!(": {number}")) || text.contains(&format!(":{number}")), "{place}: {text}");
        }
    }
    let log = outsider::open(&hub.place().log_file());
    let stored: String = log.query_row("SELECT metadata_json FROM events", [], |r| r.get(0)).expect("one event");
    assert_eq!(stored, r#"{"d": 0.30000000000000004, "f": 1.0, "m": 18446744073709551616, "n": 9007199254740993}"#);
}

#[test]
fn what_is_no_number_is_refused_at_the_door() {
    let hub = Hub::start();
    for bad in ["NaN", "Infinity", "-Infinity"] {
        let arguments =
            format!(r#"{{"type":"t.x","stream":"s","room":"r","from_agent":"a","metadata":{{"loss":{bad}}}}}"#);
        let answer = hub.rpc(call_text("mempalace_event_append", &arguments));
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], -32700, "{answer:?}");
    }
    assert!(hub.list(json!({})).is_empty());
}

#[test]
fn a_body_comes_back_byte_for_byte() {
    let hub = Hub::start();
    for body in [
        " a\r\nb\tc\u{1}é e\u{301} 😀\u{feff}\u{2028}  ",
        "<img src=x onerror=alert(1)>[x](javascript:alert(1))",
        "\u{1b}[31mred\u{1b}[0m\rprogress\r\n",
        "{\"looks\": \"like JSON\"}",
        "data: x\n\nevent: y\n",
    ] {
        let event = hub.append_event(event_with("s", body, json!({})));
        assert_eq!(event["body"], *body);
        assert_eq!(hub.list(json!({"limit": 1}))[0]["body"], *body);
    }
}

#[test]
fn an_event_of_every_field_comes_back_whole() {
    let hub = Hub::start();
    let artifact = hub.call("mempalace_artifact_put", json!({"kind": "note", "content": "x", "created_by": "a"}));
    let fields = json!({
        "type": "t.x", "stream": "project/ätlas", "room": "r: 1", "topic": "t", "from_agent": "mac:claude:loggia",
        "to_agent": "*", "correlation_id": "c/1", "branch": "feature/x", "base_commit": "0123abc", "status": "blocked",
        "body": "b", "metadata": {"z": 1, "a": {"k": []}}, "artifact_ids": [artifact["artifact"]["id"]],
    });
    let event = hub.append_event(fields.clone());
    for (name, value) in fields.as_object().expect("written as one") {
        assert_eq!(event[name], *value, "{name}");
    }
    let id = event["id"].as_str().expect("an id is a text");
    let (stamp, random) = id.strip_prefix("evt_").and_then(|s| s.split_once('_')).expect("evt_<time>_<random>");
    assert_eq!((stamp.len(), random.len()), (15, 12), "{id}");
    assert_eq!(hub.list(json!({})), [event]);
}
