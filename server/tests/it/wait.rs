//! The tool `mempalace_event_wait`: woken by the append itself, consuming nothing, whatever its client does.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, tool_answer, tool_call};
use crate::outsider::Outsider;
use crate::wire::Connection;

const SOON: Duration = Duration::from_secs(5);

fn start_waiting(hub: &Hub, arguments: Value) -> Connection {
    let waiting = hub.request("POST", "/mcp").json(tool_call("mempalace_event_wait", arguments)).connect();
    std::thread::sleep(Duration::from_millis(300));
    waiting
}

#[test]
fn a_wait_whose_client_left_consumes_nothing() {
    let hub = Hub::start();
    let cursor = hub.append("s", "before");
    let arguments = json!({"stream": "s", "since_event_id": cursor, "timeout_ms": 300_000});
    drop(start_waiting(&hub, arguments.clone()));
    let id = hub.append("s", "missed");
    let asked_at = Instant::now();
    let answer = hub.call("mempalace_event_wait", arguments);
    assert!(asked_at.elapsed() < SOON);
    assert_eq!(answer["timed_out"], false);
    assert_eq!(answer["count"], 1);
    assert_eq!(answer["events"][0]["id"], *id);
}

#[test]
fn every_waiter_is_woken_by_the_append() {
    let hub = Hub::start();
    let cursor = hub.append("s", "before");
    let arguments = json!({"stream": "s", "since_event_id": cursor, "timeout_ms": 300_000});
    let waiting: Vec<_> = (0..8).map(|_| start_waiting(&hub, arguments.clone())).collect();
    let others = start_waiting(&hub, json!({"stream": "other", "since_event_id": cursor, "timeout_ms": 1500}));
    let id = hub.append("s", "wake up");
    for connection in waiting {
        let answer = tool_answer(&connection.wait(SOON).json());
        assert_eq!(answer["events"][0]["id"], *id);
        assert_eq!(answer["next_cursor"], *id);
    }
    let answer = tool_answer(&others.wait(SOON).json());
    assert_eq!((&answer["timed_out"], &answer["count"]), (&json!(true), &json!(0)));
}

#[test]
fn what_another_process_appends_wakes_a_waiter() {
    let hub = Hub::start();
    let cursor = hub.append("s", "before");
    let waiting = start_waiting(&hub, json!({"since_event_id": cursor, "timeout_ms": 300_000}));
    let id = Outsider::open(hub.place()).append("s", "from outside");
    let answer = tool_answer(&waiting.wait(Duration::from_secs(1)).json());
    assert_eq!(answer["events"][0]["id"], *id);
}

#[test]
fn a_wait_answers_the_oldest_matches_and_a_cursor_that_goes_on() {
    let hub = Hub::start();
    let mut cursor = hub.append("s", "0");
    for n in 1..=5 {
        hub.append("s", &n.to_string());
        hub.append("other", "x");
    }
    let mut seen = Vec::new();
    while seen.len() < 5 {
        let arguments = json!({"stream": "s", "since_event_id": cursor, "limit": 2, "timeout_ms": 0});
        let answer = hub.call("mempalace_event_wait", arguments);
        assert_eq!(answer["timed_out"], false, "{answer}");
        seen.extend(answer["events"].as_array().expect("a list").iter().map(|e| e["body"].clone()));
        cursor = answer["next_cursor"].as_str().expect("the log is not empty").to_owned();
    }
    assert_eq!(seen, ["1", "2", "3", "4", "5"]);
    let answer = hub.call("mempalace_event_wait", json!({"since_event_id": cursor, "stream": "s", "timeout_ms": 0}));
    assert_eq!(answer["timed_out"], true);
}

#[test]
fn an_unknown_cursor_is_an_error_at_once() {
    let hub = Hub::start();
    let asked_at = Instant::now();
    let answer = hub.call("mempalace_event_wait", json!({"since_event_id": "nope", "timeout_ms": 300_000}));
    assert!(asked_at.elapsed() < SOON);
    assert_eq!(answer["error"], "since_event_id 'nope' not found");
}
