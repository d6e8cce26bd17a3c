//! GET /logstream/stream, what its query means, and what it refuses before any stream starts.

use serde_json::json;

use crate::hub::{Hub, event_with};

/// What a query's replay of [`log`] holds: the bodies of exactly these events.
#[track_caller]
fn check(hub: &Hub, query: &str, expected: &[&str]) {
    let mut stream = hub.sse(&format!("from=start&{query}"));
    assert_eq!(stream.bodies(expected.len()), expected, "{query}");
    stream.expect_silence();
}

/// A query that is answered by 400 and a sentence.
#[track_caller]
fn refused(hub: &Hub, query: &str, expected: &str) {
    let answer = hub.request("GET", &format!("/logstream/stream?{query}")).send();
    assert_eq!(answer.status, 400, "{query}: {answer:?}");
    let error = answer.json()["error"].as_str().expect("a sentence").to_owned();
    assert!(error.contains(expected), "{query}: {error}");
}

/// A hub whose log has four events, with one of everything that can be filtered.
fn log() -> Hub {
    let hub = Hub::start();
    for (body, fields) in [
        ("1", json!({"room": "r1", "topic": "t1", "to_agent": "b"})),
        ("2", json!({"room": "r2", "type": "t.y", "to_agent": "*"})),
        ("3", json!({"room": "r3", "from_agent": "b", "to_agent": "*", "status": "open"})),
        ("4", json!({"room": "a b+c/é", "from_agent": "b", "to_agent": "a", "correlation_id": "c1"})),
    ] {
        hub.append_event(event_with("s", body, fields));
    }
    hub
}

#[test]
fn values_of_one_parameter_are_alternatives_and_parameters_are_combined() {
    let hub = log();
    check(&hub, "", &["1", "2", "3", "4"]);
    check(&hub, "room=r1&room=r3", &["1", "3"]);
    check(&hub, "room=r1&room=r3&from_agent=b", &["3"]);
    check(&hub, "type=t.y", &["2"]);
    check(&hub, "topic=t1", &["1"]);
    check(&hub, "status=open", &["3"]);
    check(&hub, "correlation_id=c1", &["4"]);
    check(&hub, "stream=none", &[]);
}

#[test]
fn an_agents_stream_holds_what_is_for_everybody() {
    let hub = log();
    check(&hub, "to_agent=b", &["1", "2", "3"]);
    check(&hub, "to_agent=b&exclude_from_agent=b", &["1", "2"]);
    check(&hub, "to_agent=c", &["2", "3"]);
    check(&hub, "exclude_from_agent=b&from_agent=b", &[]);
}

#[test]
fn parameters_are_decoded_as_forms_are() {
    let hub = log();
    check(&hub, "room=a+b%2Bc%2F%C3%A9", &["4"]);
    check(&hub, "room=a%20b%2Bc/%c3%a9", &["4"]);
}

#[test]
fn an_empty_parameter_is_absent() {
    let hub = log();
    check(&hub, "room=&stream=s&to_agent=&since_event_id=", &["1", "2", "3", "4"]);
}

#[test]
fn filters_hold_for_live_events_too() {
    let hub = log();
    let mut stream = hub.sse("to_agent=b&exclude_from_agent=b&room=r1&room=r2");
    for (body, fields) in [
        ("wrong room", json!({"room": "r3", "to_agent": "b"})),
        ("own", json!({"room": "r1", "to_agent": "*", "from_agent": "b"})),
        ("for nobody", json!({"room": "r1"})),
        ("yes", json!({"room": "r2", "to_agent": "*"})),
    ] {
        hub.append_event(event_with("s", body, fields));
    }
    assert_eq!(stream.bodies(1), ["yes"]);
    stream.expect_silence();
}

#[test]
fn a_bad_query_is_refused_before_any_stream_starts() {
    let hub = log();
    refused(&hub, "since_event_id=nope", "since_event_id 'nope' not found");
    refused(&hub, "since_event_id=evt_20200101T000000_000000000000", "not found");
    refused(&hub, "since_event_id=%20%20", "since_event_id must be a non-empty string");
    refused(&hub, "since_event_id=a%0Ab", "since_event_id contains control characters");
    refused(&hub, &format!("since_event_id={}", "x".repeat(257)), "since_event_id exceeds maximum length of 256");
    refused(&hub, "room=%20", "room must be a non-empty string");
    refused(&hub, "type=BAD", "type='BAD' is not a valid event type");
    refused(&hub, "status=done", "status='done' is not one of");
}
