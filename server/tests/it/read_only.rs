//! `--read-only`: nothing that is kept changes, whoever asks and by whichever way; and everybody is told so by name.

use serde_json::{Value, json};

use crate::hub::{Hub, TOKEN, event};

const SAID: &str = "this hub is read-only";

fn names(hub: &Hub) -> Vec<String> {
    let list = hub.rpc(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).json();
    let tools = list["result"]["tools"].as_array().expect("a list").clone();
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn tools_that_write_are_not_offered_and_refuse_by_name() {
    let writable = Hub::start();
    writable.append("s", "before");
    let all = names(&writable);
    let place = std::sync::Arc::clone(writable.place());
    drop(writable);
    let hub = Hub::builder().at(&place).arg("--read-only").start();
    let offered = names(&hub);
    let hidden: Vec<&String> = all.iter().filter(|name| !offered.contains(name)).collect();
    assert!(offered.iter().all(|name| all.contains(name)) && !offered.is_empty() && !hidden.is_empty());
    for writes in [
        "event_append",
        "task_create",
        "event_ack",
        "artifact_put",
        "patch_submit",
        "diary_write",
        "add_drawer",
        "kg_add",
    ] {
        assert!(hidden.contains(&&format!("mempalace_{writes}")), "{writes} is offered: {offered:?}");
    }
    for reads in ["event_list", "event_wait", "artifact_get", "diary_read", "search", "kg_query"] {
        assert!(offered.contains(&format!("mempalace_{reads}")), "{reads} is not offered: {offered:?}");
    }
    let refused = hub.call("mempalace_event_append", event("s", "x"));
    assert_eq!((&refused["success"], &refused["error"]), (&json!(false), &json!(SAID)), "{refused}");
    let refused = hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "x"}));
    assert_eq!(refused["error"], SAID, "{refused}");
    assert_eq!(hub.list(json!({})).len(), 1);
}

#[test]
fn no_other_route_changes_anything_either() {
    let hub = Hub::builder().arg("--read-only").start();
    for (method, path) in [
        ("POST", "/v1/mems/write"),
        ("POST", "/sync/ops"),
        ("POST", "/tokens"),
        ("POST", "/api/nothing"),
        ("PUT", "/artifacts/art_x/raw"),
        ("DELETE", "/event"),
        ("PATCH", "/log"),
    ] {
        let answer = hub.request(method, path).json("{}").send();
        assert_eq!(answer.status, 403, "{method} {path}: {answer:?}");
        let error: Value = answer.json();
        assert_eq!((&error["error"], &error["code"]), (&json!(SAID), &json!("forbidden")), "{method} {path}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("--read-only")), "{error}");
    }
    assert_eq!(hub.request("POST", "/v1/mems/write").set("Host", "evil.example").json("{}").send().status, 403);
}

#[test]
fn people_sign_in_read_and_are_told() {
    let hub = Hub::builder().arg("--read-only").start();
    let session = hub.session();
    let page = hub.request("GET", "/").without("Authorization").header("Cookie", &session).send();
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.text().to_lowercase().contains("read only"), "every page says so");
    let out = hub.request("POST", "/sign-out").without("Authorization").header("Cookie", &session);
    assert_eq!(out.header("Origin", &hub.origin()).send().status, 303);
    let status = hub.get("/statusz").json();
    assert_eq!(status["read_only"], true);
    assert!(!hub.place().stderr().contains(TOKEN));
}
