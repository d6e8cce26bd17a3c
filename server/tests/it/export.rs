//! GET /log/export: what a page of the log shows, as a file, whole and newest first.

use serde_json::{Value, json};

use crate::hub::Hub;

fn append(hub: &Hub, stream: &str, event_type: &str, body: &str) {
    let event = json!({"type": event_type, "stream": stream, "room": "r", "from_agent": "a", "body": body});
    let answer = hub.call("mempalace_event_append", event);
    assert!(answer["event"]["id"].is_string(), "{answer}");
}

fn bodies(answer: &crate::wire::Answer) -> Vec<String> {
    let text = String::from_utf8(answer.body.clone()).expect("UTF-8");
    let body = |line: &str| serde_json::from_str::<Value>(line).expect("one event per line")["body"].clone();
    text.lines().map(|line| body(line).as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_file_has_every_event_that_passes_once_and_whole() {
    let hub = Hub::start();
    // More than one page of the export, and longer than the preview of a row.
    let body = |n: usize| format!("{n} {} é\r\n\u{1b}[31m", "x".repeat(2_000));
    for n in 0..130 {
        append(&hub, "s", if n % 2 == 0 { "even" } else { "odd" }, &body(n));
    }
    let all = hub.get("/log/export");
    assert_eq!(all.status, 200);
    assert_eq!(all.header("content-type"), Some("application/x-ndjson; charset=utf-8"));
    assert_eq!(all.header("content-disposition"), Some("attachment; filename=\"loggia-log.ndjson\""));
    assert_eq!(bodies(&all), (0..130).rev().map(body).collect::<Vec<_>>());
    let even = hub.get("/log/export?format=ndjson&exclude_type=odd");
    assert_eq!(bodies(&even), (0..130).rev().filter(|n| n % 2 == 0).map(body).collect::<Vec<_>>());
    let found = hub.get("/log/export?q=77");
    assert_eq!(bodies(&found), [body(77)]);
    let text = hub.get("/log/export?format=txt");
    assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
    let text = String::from_utf8(text.body).expect("UTF-8");
    assert_eq!(text.matches("␛[31m").count(), 130);
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_question_that_means_nothing_and_a_stranger_get_no_file() {
    let hub = Hub::start();
    append(&hub, "s", "t", "x");
    for query in ["format=csv", "colour=red", "status=done"] {
        let answer = hub.get(&format!("/log/export?{query}"));
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
        assert!(answer.json()["error"].is_string(), "{query}");
    }
    assert_eq!(hub.get("/log/export?before=evt_nope").status, 404);
    let stranger = hub.request("GET", "/log/export").without("Authorization").send();
    assert_eq!(stranger.status, 401, "{stranger:?}");
    assert!(!String::from_utf8_lossy(&stranger.body).contains("evt_"));
}
