//! The tool `mempalace_correlation_get`: one delegation as the events tell it, folded by the hub.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};

fn get(hub: &Hub, correlation_id: &str) -> Value {
    hub.call("mempalace_correlation_get", json!({"correlation_id": correlation_id}))
}

/// A task for `b`, and its correlation id.
fn task(hub: &Hub) -> (String, String) {
    let arguments = json!({
        "project": "Atlas", "from_agent": "a", "to_agent": "b", "goal": "Draw the map", "branch": "main",
        "base_commit": "0123abc", "done": "it is drawn",
    });
    let task = hub.call("mempalace_task_create", arguments)["task"].clone();
    let text = |key: &str| task[key].as_str().expect("a text").to_owned();
    (text("id"), text("correlation_id"))
}

fn acknowledge(hub: &Hub, event_id: &str, agent: &str, status: &str) {
    let arguments = json!({"event_id": event_id, "from_agent": agent, "status": status});
    assert_eq!(hub.call("mempalace_event_ack", arguments)["success"], true);
}

#[test]
fn a_delegation_is_told_from_its_request_to_its_end() {
    let hub = Hub::start();
    let (request, correlation_id) = task(&hub);
    let told = get(&hub, &correlation_id);
    assert_eq!((&told["state"], &told["claimant"], &told["count"]), (&json!("open"), &json!(null), &json!(1)));
    assert_eq!((&told["requester"], &told["assignee"]), (&json!("a"), &json!("b")));
    assert_eq!((&told["title"], &told["done"]), (&json!("Draw the map"), &json!("it is drawn")));
    assert_eq!(told["pending_since"], told["events"][0]["created_at"]);

    acknowledge(&hub, &request, "b", "claimed");
    acknowledge(&hub, &request, "c", "claimed");
    let patch = json!({
        "content": "--- a\n+++ b\n", "from_agent": "b", "stream": "project/atlas", "to_agent": "a",
        "correlation_id": correlation_id,
    });
    let artifact = hub.call("mempalace_patch_submit", patch)["artifact"].clone();
    let told = get(&hub, &correlation_id);
    assert_eq!((&told["state"], &told["claimant"]), (&json!("ready"), &json!("b")));
    assert_eq!((&told["lost_claims"], &told["unsettled_claims"]), (&json!(["c"]), &json!(["c"])));
    assert_eq!(told["agents"], json!(["a", "b", "c"]));
    assert_eq!(told["artifacts"], json!([artifact]));
    assert_eq!(
        (&told["stalled"], &told["expired"], &told["needs_someone"]),
        (&json!(false), &json!(false), &json!(false))
    );
    let steps = told["steps"].as_array().expect("a list");
    assert_eq!(steps.iter().map(|s| &s["lost_race"]).collect::<Vec<_>>(), [false, false, true, false]);
    assert!(steps[0]["after_ms"].is_null() && steps[1..].iter().all(|s| s["after_ms"].is_u64()), "{steps:?}");

    acknowledge(&hub, &request, "a", "applied");
    let told = get(&hub, &correlation_id);
    assert_eq!(
        (&told["state"], &told["pending_since"], &told["pending_ms"]),
        (&json!("applied"), &json!(null), &json!(null))
    );
    assert_eq!((&told["count"], &told["total"]), (&json!(5), &json!(5)));
    let listed = hub.list(json!({"correlation_id": correlation_id, "order": "asc"}));
    assert_eq!(told["events"], json!(listed), "one author's clock: arrival is their order");
    assert_eq!(told["next_cursor"], listed[4]["id"]);
}

#[test]
fn bodies_are_whole_unless_a_preview_is_asked() {
    let hub = Hub::start();
    let body = "é".repeat(300);
    hub.append_event(event_with("s", &body, json!({"correlation_id": "c"})));
    assert_eq!(get(&hub, "c")["events"][0]["body"], body);
    let arguments = json!({"correlation_id": " c ", "preview": true});
    let event = hub.call("mempalace_correlation_get", arguments)["events"][0].clone();
    assert_eq!(event["body"], "é".repeat(200));
    assert_eq!((&event["body_truncated"], &event["body_length"]), (&json!(true), &json!(300)));
}

#[test]
fn silence_and_lateness_are_told() {
    let hub = Hub::builder().var("LOGGIA_STALLED_AFTER_S", "1").start();
    let late = json!({"correlation_id": "late", "status": "open", "metadata": {"expires_at": "2026-01-01T00:00:00Z"}});
    hub.append_event(event_with("s", "x", late));
    let told = get(&hub, "late");
    assert_eq!((&told["expired"], &told["expires_at"]), (&json!(true), &json!("2026-01-01T00:00:00Z")));
    let until = Instant::now() + Duration::from_secs(20);
    while get(&hub, "late")["stalled"] != true {
        assert!(Instant::now() < until, "a second of silence is no second");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_unknown_correlation_is_refused_with_what_would_help() {
    let hub = Hub::start();
    let (request, correlation_id) = task(&hub);
    let refused = get(&hub, "task_nope");
    assert_eq!(refused["error"], "correlation 'task_nope' not found");
    assert_eq!((&refused["field"], &refused["value"]), (&json!("correlation_id"), &json!("task_nope")));
    assert!(refused.get("success").is_none(), "a tool that reads says only `error`: {refused}");
    let refused = get(&hub, &request);
    assert_eq!(refused["error"], format!("correlation '{request}' not found"));
    assert!(refused["hint"].as_str().is_some_and(|hint| hint.contains(&correlation_id)), "{refused}");
    assert_eq!(get(&hub, " ")["error"], "correlation_id must be a non-empty string");
    let error = hub.call_error("mempalace_correlation_get", json!({}));
    assert_eq!(error["code"], -32602);
}

#[test]
fn an_event_that_was_acknowledged_without_a_correlation_begins_one() {
    let hub = Hub::start();
    let id = hub.append("s", "who can look at this?");
    let refused = get(&hub, &id);
    assert!(refused["hint"].as_str().is_some_and(|hint| hint.contains("nobody has acknowledged")), "{refused}");
    acknowledge(&hub, &id, "b", "claimed");
    let told = get(&hub, &id);
    assert_eq!((&told["correlation_id"], &told["claimant"], &told["count"]), (&json!(id), &json!("b"), &json!(1)));
}

#[test]
fn a_claim_under_a_thousand_notes_is_still_a_claim_everywhere() {
    let hub = Hub::start();
    let (request, correlation_id) = task(&hub);
    acknowledge(&hub, &request, "b", "claimed");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let caller = hub.caller();
            let note = event_with("project/atlas", "still at it", json!({"correlation_id": correlation_id}));
            scope.spawn(move || (0..150).for_each(|_| drop(caller.call("mempalace_event_append", note.clone()))));
        }
    });
    let told = get(&hub, &correlation_id);
    assert_eq!((&told["state"], &told["claimant"]), (&json!("claimed"), &json!("b")));
    assert_eq!((&told["count"], &told["total"]), (&json!(1000), &json!(1202)));
    assert_eq!(told["events"][0]["id"], json!(request), "the request is among what is told");

    let board = hub
        .request("POST", "/api/ask")
        .without("Authorization")
        .header("Origin", &hub.origin())
        .header("Cookie", &hub.session())
        .json(r#"{"question":"Overview"}"#)
        .send()
        .json();
    let card = &board["Overview"]["open"][0];
    assert_eq!((&card["state"], &card["claimant"]), (&told["state"], &told["claimant"]), "{board}");
}
