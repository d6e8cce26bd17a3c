//! The tools' schemas, and how leniently and how clearly their arguments are read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::hub::{Hub, event, event_with};

const TOOLS: [&str; 9] = [
    "mempalace_task_create",
    "mempalace_event_append",
    "mempalace_event_list",
    "mempalace_event_wait",
    "mempalace_event_ack",
    "mempalace_event_get",
    "mempalace_artifact_put",
    "mempalace_artifact_get",
    "mempalace_patch_submit",
];

#[test]
fn no_schema_makes_a_model_drop_the_list() {
    let hub = Hub::start();
    let answer = hub.rpc(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).json();
    let tools = answer["result"]["tools"].as_array().expect("a list of tools");
    let names: BTreeSet<&str> = tools.iter().filter_map(|t| t["name"].as_str()).collect();
    assert_eq!(names.len(), tools.len(), "two tools of one name");
    for wanted in TOOLS {
        assert!(names.contains(wanted), "{wanted} is missing");
    }
    for tool in tools {
        let name = &tool["name"];
        assert!(tool["description"].as_str().is_some_and(|d| !d.is_empty()), "{name}");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        for combinator in ["anyOf", "oneOf", "allOf", "not", "enum", "$ref", "$defs"] {
            assert!(schema.get(combinator).is_none(), "{name} has {combinator} at the top");
        }
        assert!(!schema.to_string().contains("$ref"), "{name}");
        let properties = schema["properties"].as_object().unwrap_or_else(|| panic!("{name} has no properties"));
        for (argument, rule) in properties {
            assert!(rule.is_object(), "{name}.{argument}");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(properties.contains_key(required.as_str().expect("a name")), "{name}: {required}");
        }
        let annotations = &tool["annotations"];
        let reads = ["mempalace_event_list", "mempalace_event_wait", "mempalace_event_get", "mempalace_artifact_get"];
        if TOOLS.contains(&name.as_str().expect("a name")) {
            assert_eq!(annotations["readOnlyHint"] == true, reads.contains(&name.as_str().expect("a name")), "{name}");
            // The log is append-only: no tool of it destroys anything, and every call of a writing one appends again.
            assert_ne!(annotations["destructiveHint"], true, "{name}");
            assert!(annotations["readOnlyHint"] == true || annotations["idempotentHint"] != true, "{name}");
        }
    }
}

#[test]
fn a_missing_or_unknown_argument_is_named() {
    let hub = Hub::start();
    let mut without_type = event("s", "x");
    without_type.as_object_mut().expect("an object").remove("type");
    let error = hub.call_error("mempalace_event_append", without_type);
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "Missing required parameter 'type' for tool mempalace_event_append");
    assert_eq!(error["data"]["field"], "type", "{error}");

    let error = hub.call_error("mempalace_event_append", json!({}));
    assert_eq!(
        error["message"],
        "Missing required parameters 'type', 'stream', 'room', 'from_agent' for tool mempalace_event_append"
    );

    let error = hub.call_error("mempalace_event_append", event_with("s", "x", json!({"strem": "y"})));
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "Unknown parameter 'strem' for tool mempalace_event_append");
    assert_eq!(error["data"]["field"], "strem", "{error}");
    assert!(error["data"]["accepted"].to_string().contains("stream"), "{error}");

    let error = hub.call_error("mempalace_event_list", json!({"limit": "abc"}));
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "Invalid value for parameter 'limit'");
    assert_eq!(error["data"]["field"], "limit", "{error}");

    let error = hub.call_error("mempalace_nope", json!({}));
    assert_eq!((&error["code"], &error["message"]), (&json!(-32601), &json!("Unknown tool: mempalace_nope")));
    assert!(hub.list(json!({})).is_empty());
}

#[test]
fn a_tools_own_refusal_is_no_rpc_error() {
    let hub = Hub::start();
    let answer = hub.call("mempalace_event_append", event_with("s", "x", json!({"status": "done"})));
    assert_eq!(answer["success"], false);
    let sentence = "status='done' is not one of: applied, blocked, claimed, failed, open, ready, superseded";
    assert_eq!(answer["error"], sentence);
    assert_eq!(answer["field"], "status", "{answer}");
    let answer = hub.call("mempalace_event_list", json!({"room": " "}));
    assert_eq!(answer["error"], "room must be a non-empty string");
    assert!(answer.get("success").is_none(), "{answer}");
    for (field, value) in
        [("room", json!(5)), ("room", json!(null)), ("metadata", json!(5)), ("artifact_ids", json!({}))]
    {
        let answer = hub.call("mempalace_event_append", event_with("s", "x", json!({field: value})));
        assert_eq!(answer["success"], false, "{field}={value}: {answer}");
    }
}

#[test]
fn lists_objects_and_numbers_may_arrive_as_strings() {
    let hub = Hub::start();
    let put = hub.call("mempalace_artifact_put", json!({"kind": "note", "content": "x", "created_by": "a"}));
    let id = put["artifact"]["id"].as_str().expect("an id is a text");
    let event = hub.append_event(event_with(
        "s",
        "{\"looks\": [\"like JSON\"]}",
        json!({"artifact_ids": format!("[\"{id}\"]"), "metadata": "{\"a\": 18446744073709551616}", "room": "[1]"}),
    ));
    assert_eq!(event["artifact_ids"], json!([id]));
    assert_eq!(event["metadata"].to_string(), r#"{"a":18446744073709551616}"#);
    assert_eq!((&event["body"], &event["room"]), (&json!("{\"looks\": [\"like JSON\"]}"), &json!("[1]")));

    for limit in [json!("1"), json!(" 1 "), json!(1.0)] {
        hub.append("s", "more");
        assert_eq!(hub.list(json!({"limit": limit})).len(), 1, "{limit}");
    }
    for bad in [json!("2.9"), json!(2.9), json!("1_0"), json!(true), json!("")] {
        assert_eq!(hub.call_error("mempalace_event_list", json!({"limit": bad}))["code"], -32602, "{bad}");
    }
    for wrong_type in [json!({"metadata": "[1]"}), json!({"artifact_ids": "{}"}), json!({"metadata": "{"})] {
        let answer = hub.call("mempalace_event_append", event_with("s", "x", wrong_type.clone()));
        assert_eq!(answer["success"], false, "{wrong_type}");
    }
}

#[test]
fn null_is_accepted_where_a_default_exists() {
    let hub = Hub::start();
    let nulls =
        json!({"topic": null, "to_agent": null, "status": null, "body": null, "metadata": null, "artifact_ids": null});
    let event = hub.append_event(event_with("s", "x", nulls));
    assert_eq!((&event["body"], &event["metadata"], &event["artifact_ids"]), (&json!(""), &json!({}), &json!([])));
    let nulls = json!({"stream": null, "limit": null, "order": null, "preview": null, "since_event_id": null});
    assert_eq!(hub.list(nulls).len(), 1);
    let wait = hub.call("mempalace_event_wait", json!({"since_event_id": null, "limit": null, "timeout_ms": 0}));
    assert_eq!(wait["count"], 1);
    hub.list(json!({"wait_for_previous": true}));
}

#[test]
fn the_callers_identity_filters_nothing_and_a_note_says_so() {
    let hub = Hub::start();
    hub.append("s", "x");
    let answer = hub.call("mempalace_event_list", json!({"from_agent": "somebody"}));
    assert_eq!(answer["count"], 1);
    assert!(answer["note"].is_string(), "{answer}");
    assert_eq!(hub.call("mempalace_event_list", json!({"writer": "somebody"}))["count"], 0);
    let preview = hub.append_event(event_with("s", &"é".repeat(201), json!({})));
    let list = hub.list(json!({"preview": true, "limit": 1}));
    assert_eq!(list[0]["id"], preview["id"]);
    assert_eq!(list[0]["body"], "é".repeat(200));
    assert_eq!((&list[0]["body_truncated"], &list[0]["body_length"]), (&json!(true), &json!(201)));
}

#[test]
fn structured_content_is_the_same_answer() {
    let hub = Hub::start();
    hub.append("s", "x");
    let call = crate::hub::tool_call("mempalace_event_list", json!({}));
    let answer: Value = hub.rpc(call.clone()).json();
    assert_eq!(answer["result"]["structuredContent"], crate::hub::tool_answer(&answer));
    hub.append("s", &"x".repeat(70_000));
    assert!(hub.rpc(call).json()["result"].get("structuredContent").is_none(), "over 64 KiB it is left out");
}
