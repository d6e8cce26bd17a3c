//! The tools that read and append events: pages of the log, acknowledgements, patches, and the loop of a delegation.

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::outsider;

fn bodies(answer: &Value) -> Vec<String> {
    let events = answer["events"].as_array().unwrap_or_else(|| panic!("no events: {answer}"));
    events.iter().map(|e| e["body"].as_str().expect("a body is a text").to_owned()).collect()
}

#[test]
fn pages_forwards_hold_every_event_once() {
    let hub = Hub::start();
    let mut cursor = hub.append("s", "0");
    for n in 1..=7 {
        hub.append("s", &n.to_string());
        hub.append("other", "x");
    }
    let mut seen = Vec::new();
    loop {
        let arguments = json!({"stream": "s", "since_event_id": cursor, "limit": 3});
        let page = hub.call("mempalace_event_list", arguments);
        assert_eq!(page["limit"], 3);
        seen.extend(bodies(&page));
        cursor = page["next_cursor"].as_str().expect("the log is not empty").to_owned();
        if page["has_more"] != true {
            break;
        }
    }
    assert_eq!(seen, ["1", "2", "3", "4", "5", "6", "7"]);
    // The last cursor is the newest event of the log, though it belongs to another stream.
    let newest = hub.list(json!({"limit": 1}));
    assert_eq!(newest[0]["id"], *cursor);
}

#[test]
fn pages_backwards_hold_every_event_once() {
    let hub = Hub::start();
    for n in 1..=7 {
        hub.append("s", &n.to_string());
        hub.append("other", "x");
    }
    let mut seen = Vec::new();
    let mut arguments = json!({"stream": "s", "limit": 3});
    loop {
        let page = hub.call("mempalace_event_list", arguments.clone());
        seen.extend(bodies(&page));
        if page["has_more"] != true {
            break;
        }
        arguments["before_event_id"] = page["older_cursor"].clone();
    }
    assert_eq!(seen, ["7", "6", "5", "4", "3", "2", "1"]);
}

#[test]
fn the_limit_is_clamped_and_told() {
    let hub = Hub::start();
    for n in 0..501 {
        hub.append("s", &n.to_string());
    }
    let page = hub.call("mempalace_event_list", json!({"limit": 100_000}));
    assert_eq!((&page["limit"], &page["count"], &page["has_more"]), (&json!(500), &json!(500), &json!(true)));
    let page = hub.call("mempalace_event_list", json!({}));
    assert_eq!((&page["limit"], &page["count"]), (&json!(50), &json!(50)));
}

#[test]
fn an_unknown_cursor_is_an_error_never_the_start() {
    let hub = Hub::start();
    hub.append("s", "x");
    for key in ["since_event_id", "before_event_id"] {
        let answer = hub.call("mempalace_event_list", json!({key: "nope"}));
        assert_eq!(answer["error"], format!("{key} 'nope' not found"));
        assert!(answer["events"].is_null());
    }
}

#[test]
fn an_event_can_be_asked_for_by_its_id() {
    let hub = Hub::start();
    let event = hub.append_event(event_with("s", "x", json!({"metadata": {"a": 1}, "topic": "t"})));
    let answer = hub.call("mempalace_event_get", json!({"event_id": event["id"]}));
    assert_eq!(answer["event"], event);
    let answer = hub.call("mempalace_event_get", json!({"event_id": "nope"}));
    assert!(answer["error"].as_str().is_some_and(|e| e.contains("'nope' not found")), "{answer}");
}

#[test]
fn the_page_of_an_event_holds_its_text_once_and_beginnings_of_the_others() {
    let hub = Hub::start();
    let said = |n: usize| format!("{} {n} is the end", "x".repeat(1000));
    let ids: Vec<Value> =
        (0..8).map(|n| hub.append_event(event_with("s", &said(n), json!({})))["id"].clone()).collect();
    let request = hub.request("POST", "/api/ask").without("Authorization").header("Origin", &hub.origin());
    let question = json!({"question": {"Event": [ids[6], ""]}}).to_string();
    let answer = request.header("Cookie", &hub.session()).json(question.as_str()).send();
    assert_eq!(answer.text().matches("is the end").count(), 1, "{answer:?}");
    let answer = answer.json();
    assert_eq!(answer["Event"][0]["body"], said(6));
    let near = answer["Event"][1].as_array().expect("its neighbours");
    let near: Vec<&Value> = near.iter().map(|event| &event["id"]).collect();
    assert_eq!(
        near,
        ids[1..].iter().rev().collect::<Vec<_>>(),
        "newest first, five on each side where there are so many"
    );
}

#[test]
fn a_refused_patch_leaves_no_artifact() {
    let hub = Hub::start();
    let arguments = json!({"from_agent": "a", "stream": " ", "content": "--- a\n+++ b\n"});
    let answer = hub.call("mempalace_patch_submit", arguments);
    assert_eq!(answer["success"], false, "{answer}");
    let log = outsider::open(&hub.place().log_file());
    let artifacts: i64 = log.query_row("SELECT count(*) FROM artifacts", [], |r| r.get(0)).expect("the table is there");
    assert_eq!(artifacts, 0);
}

#[test]
fn two_agents_close_the_loop_of_a_delegation() {
    let hub = Hub::start();
    let created = hub.call(
        "mempalace_task_create",
        json!({"project": "Atlas", "from_agent": "mac:claude", "to_agent": "win:codex", "goal": "Fix it",
               "branch": "main", "base_commit": "0123ABC", "done": "tests pass"}),
    );
    let task = &created["task"];
    let correlation_id = task["correlation_id"].as_str().expect("a task has one");
    assert!(created["handoff"].as_str().is_some_and(|h| h.contains(correlation_id) && h.contains("win:codex")));

    let inbox =
        hub.call("mempalace_event_wait", json!({"to_agent": "win:codex", "type": "task.request", "timeout_ms": 0}));
    assert_eq!(inbox["events"][0]["id"], task["id"]);
    let claim = hub
        .call("mempalace_event_ack", json!({"event_id": task["id"], "from_agent": "win:codex", "status": "claimed"}));
    assert_eq!(claim["event"]["correlation_id"], *correlation_id);
    assert_eq!(claim["event"]["to_agent"], "mac:claude");
    assert_eq!(claim["event"]["metadata"], json!({"ack_of": task["id"]}));

    let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let submitted = hub.call(
        "mempalace_patch_submit",
        json!({"from_agent": "win:codex", "to_agent": "mac:claude", "stream": task["stream"],
               "correlation_id": correlation_id, "content": patch}),
    );
    assert_eq!(submitted["event"]["status"], "ready", "{submitted}");
    let artifact = hub.call("mempalace_artifact_get", json!({"artifact_id": submitted["event"]["artifact_ids"][0]}));
    assert_eq!(artifact["artifact"]["content"], patch);
    let applied = hub.call(
        "mempalace_event_ack",
        json!({"event_id": submitted["event"]["id"], "from_agent": "mac:claude", "status": "applied"}),
    );
    assert_eq!(applied["success"], true, "{applied}");

    let thread = hub.list(json!({"correlation_id": correlation_id, "order": "asc"}));
    let steps: Vec<_> = thread.iter().map(|e| (e["type"].as_str(), e["status"].as_str())).collect();
    assert_eq!(
        steps,
        [
            (Some("task.request"), Some("open")),
            (Some("event.ack"), Some("claimed")),
            (Some("patch.ready"), Some("ready")),
            (Some("event.ack"), Some("applied")),
        ]
    );
}
