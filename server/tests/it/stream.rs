//! GET /logstream/stream, what it delivers: no event lost, none twice, one order, whatever happens to the connection.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::outsider::{Outsider, Row};
use crate::sse::Stream;

#[test]
fn after_a_reconnect_the_header_beats_the_query() {
    let hub = Hub::start();
    let ids: Vec<String> = (1..=50).map(|n| hub.append("s", &n.to_string())).collect();
    let query = format!("since_event_id={}", ids[0]);
    let mut first = hub.sse(&query);
    assert_eq!(first.ids(49), ids[1..]);
    drop(first);

    let later = hub.append("s", "51");
    let mut again = hub.sse_after(&query, &ids[49]);
    assert_eq!(again.ids(1), [later]);
    again.expect_silence();
}

#[test]
fn an_outage_leaves_no_hole() {
    let hub = Hub::start();
    let mut before = hub.sse("stream=s");
    let a = hub.append("s", "A");
    let frame = before.event();
    assert_eq!(frame.id.as_deref(), Some(&*a));
    drop(before);

    hub.append("s", "B");
    hub.append("s", "C");
    let mut after = hub.sse_after("stream=s", &a);
    assert_eq!(after.bodies(2), ["B", "C"]);
    hub.append("s", "D");
    assert_eq!(after.bodies(1), ["D"]);
}

#[test]
fn a_restart_leaves_no_hole() {
    let mut hub = Hub::start();
    let a = hub.append("s", "A");
    hub.append("s", "B");
    hub.restart();
    let mut stream = hub.sse_after("stream=s", &a);
    hub.append("s", "C");
    assert_eq!(stream.bodies(2), ["B", "C"]);
}

#[test]
fn every_frame_carries_its_id_and_one_line_of_json() {
    let hub = Hub::start();
    let mut stream = hub.sse("stream=s");
    let body = "l1\nl2\r\nl3\r\u{2028}é😀 \"q\"\n\n";
    let event = hub.append_event(event_with("s", body, json!({"metadata": {"k": "\n\ndata: x"}})));
    let frame = stream.event();
    assert_eq!(frame.event.as_deref(), Some("logstream"));
    assert_eq!(frame.id.as_deref(), event["id"].as_str());
    assert_eq!(frame.json(), event);
    assert_eq!(frame.body(), body);
}

#[test]
fn without_a_cursor_a_stream_starts_at_the_tip() {
    let hub = Hub::start();
    hub.append("s", "before");
    let mut stream = hub.sse("stream=s");
    stream.expect_silence();
    hub.append("s", "after");
    assert_eq!(stream.bodies(1), ["after"]);
}

#[test]
fn a_slow_reader_loses_nothing_and_harms_nobody() {
    const EVENTS: usize = 200;
    let hub = Hub::start();
    let before = hub.append("s", "before");
    let mut slow = hub.sse("stream=s");
    let mut fast = hub.sse("stream=s");
    let reader = std::thread::spawn(move || {
        let ids = fast.ids(EVENTS);
        fast.expect_silence();
        ids
    });
    // Far more than the sockets' buffers hold, and more events than any ring of recent frames should need.
    let body = "x".repeat(32 * 1024);
    let ids: Vec<String> = (0..EVENTS).map(|_| hub.append("s", &body)).collect();
    assert_eq!(reader.join().expect("the fast reader gets everything"), ids);
    let mut seen: Vec<String> = Vec::new();
    while seen.len() < EVENTS {
        if let Some(frame) = slow.next_event(Duration::from_secs(20)) {
            seen.push(frame.id.expect("every event's frame has an id"));
        } else {
            // Whoever reads nothing for long may be taken for dead; then it goes on from where it was.
            assert!(slow.ends_within(Duration::ZERO), "no event after {} of {EVENTS}", seen.len());
            slow = hub.sse_after("stream=s", seen.last().unwrap_or(&before));
        }
    }
    assert_eq!(seen, ids);
    slow.expect_silence();
}

#[test]
fn appends_during_the_replay_are_delivered_once_and_in_order() {
    let hub = Hub::start();
    let first = hub.append("s", "0");
    for n in 1..=300 {
        hub.append("s", &n.to_string());
    }
    let caller = hub.caller();
    let writer = std::thread::spawn(move || {
        for n in 301..=600 {
            caller.call("mempalace_event_append", crate::hub::event("s", &n.to_string())).expect("the hub lives");
        }
    });
    let expected: Vec<String> = (1..=600).map(|n| n.to_string()).collect();
    let mut streams: Vec<Stream> = (0..5).map(|_| hub.sse(&format!("since_event_id={first}"))).collect();
    for stream in &mut streams {
        assert_eq!(stream.bodies(600), expected);
    }
    writer.join().expect("the writer does not panic");
}

#[test]
fn the_cursor_of_a_list_starts_the_stream_without_a_gap() {
    let hub = Hub::start();
    hub.append("other", "old");
    // Nothing matches, yet the list has seen the whole log: its cursor says so.
    let list = hub.call("mempalace_event_list", json!({"stream": "s"}));
    assert_eq!(list["count"], 0);
    let cursor = list["next_cursor"].as_str().expect("the log is not empty");
    hub.append("s", "between");
    hub.append("other", "between, too");
    let mut one = hub.sse(&format!("stream=s&since_event_id={cursor}"));
    let mut two = hub.sse(&format!("stream=other&since_event_id={cursor}"));
    assert_eq!(one.bodies(1), ["between"]);
    assert_eq!(two.bodies(1), ["between, too"]);
    one.expect_silence();
    two.expect_silence();
}

#[test]
fn from_start_serves_a_page_that_listed_an_empty_log() {
    let hub = Hub::start();
    let list = hub.call("mempalace_event_list", json!({}));
    assert_eq!(list["next_cursor"], Value::Null);
    hub.append("s", "between");
    let mut stream = hub.sse("from=start");
    assert_eq!(stream.bodies(1), ["between"]);
    hub.append("s", "live");
    assert_eq!(stream.bodies(1), ["live"]);
}

#[test]
fn an_event_that_arrives_late_is_delivered_by_arrival() {
    let hub = Hub::start();
    let newest = hub.append_event(event_with("s", "now", json!({})));
    let mut stream = hub.sse("stream=s");
    let peer = "rep_00000000000000000000000000000001";
    let late = Outsider::open(hub.place()).append_row(&Row {
        stream: "s",
        body: "late",
        created_at: Some("2026-01-01T09:10:48Z"),
        hlc: Some(&format!("1767258648000-000000-{peer}")),
        origin: Some((peer, 7)),
        ..Row::default()
    });
    assert_eq!(stream.ids(1), [&*late]);
    let after = hub.list(json!({"since_event_id": newest["id"]}));
    assert_eq!(after.len(), 1);
    assert_eq!(after[0]["id"], *late);
    assert!(after[0]["seq"].as_i64() > newest["seq"].as_i64());
    assert!(after[0]["hlc"].as_str() < newest["hlc"].as_str());
    let wait = hub.call("mempalace_event_wait", json!({"since_event_id": newest["id"], "timeout_ms": 10_000}));
    assert_eq!(wait["events"][0]["id"], *late);
    // A window of time does not hold it, and is no cursor.
    let window = hub.list(json!({"since_created_at": newest["created_at"]}));
    assert_eq!(window.len(), 1);
}

#[test]
fn events_of_one_second_have_one_order_everywhere() {
    let hub = Hub::start();
    let first = hub.append("s", "0");
    let mut live = hub.sse("stream=s");
    for n in 1..=8 {
        hub.append("s", &n.to_string());
    }
    let live = live.ids(8);
    let mut replay = hub.sse(&format!("stream=s&since_event_id={first}"));
    let ids = |order: &str| -> Vec<String> {
        let list = hub.list(json!({"stream": "s", "order": order}));
        list.iter().map(|e| e["id"].as_str().expect("an id is a text").to_owned()).collect()
    };
    let (ascending, mut descending) = (ids("asc"), ids("desc"));
    descending.reverse();
    assert_eq!(ascending, descending);
    assert_eq!(ascending[1..], live);
    assert_eq!(replay.ids(8), live);
}

#[test]
fn what_is_no_json_in_an_old_row_never_breaks_a_frame() {
    let hub = Hub::start();
    let mut outsider = Outsider::open(hub.place());
    let mut stream = hub.sse("stream=s");
    let mut row = |metadata_json| {
        outsider.append_row(&Row { stream: "s", body: "odd", metadata_json: Some(metadata_json), ..Row::default() })
    };
    row(r#"{"loss": NaN, "high": Infinity, "low": [-Infinity], "text": "NaN"}"#);
    row("not json at all");
    row("[1, 2]");
    row("");
    hub.append("s", "good");

    let metadata = json!({"loss": null, "high": null, "low": [null], "text": "NaN"});
    assert_eq!(stream.event().json()["metadata"], metadata);
    for _ in 0..3 {
        assert!(stream.event().json()["metadata"].is_object());
    }
    assert_eq!(stream.bodies(1), ["good"]);
    let list = hub.list(json!({"stream": "s", "order": "asc"}));
    assert_eq!(list.len(), 5);
    assert_eq!(list[0]["metadata"], metadata);
}

#[test]
fn what_another_process_appends_is_live_within_a_second() {
    let hub = Hub::start();
    let mut stream = hub.sse("stream=s");
    let mut outsider = Outsider::open(hub.place());
    for n in 0..5 {
        let id = outsider.append("s", &n.to_string());
        let frame = stream.next_event(Duration::from_secs(1)).expect("a second is enough");
        assert_eq!(frame.id, Some(id));
    }
}

#[test]
fn a_session_with_an_unknown_last_event_id_is_told_to_resync() {
    let hub = Hub::start();
    let newest = hub.append("s", "old");
    let mut stream = hub
        .request("GET", "/logstream/stream?stream=s")
        .without("Authorization")
        .header("Cookie", &hub.session())
        .header("Last-Event-ID", "evt_20200101T000000_000000000000")
        .open();
    let resync = stream.event();
    assert_eq!(resync.event.as_deref(), Some("resync"));
    assert_eq!(resync.id, None, "an id would become the browser's next Last-Event-ID");
    assert!(resync.data.contains(&newest), "{resync:?}");
    hub.append("s", "new");
    assert_eq!(stream.bodies(1), ["new"]);
}

#[test]
fn an_agent_with_an_unknown_last_event_id_gets_an_error() {
    let hub = Hub::start();
    hub.append("s", "old");
    let answer = hub.request("GET", "/logstream/stream").header("Last-Event-ID", "nope").send();
    assert_eq!(answer.status, 400);
    let error = answer.json()["error"].as_str().expect("a sentence").to_owned();
    assert!(error.contains("'nope' not found"), "{error}");
}

#[test]
fn many_streams_hear_one_event_and_closed_ones_hold_no_place() {
    let hub = Hub::start();
    for _ in 0..100 {
        drop(hub.sse("stream=s"));
    }
    let mut streams: Vec<Stream> = (0..64).map(|_| hub.sse("stream=s")).collect();
    let id = hub.append("s", "for all");
    let heard: HashSet<String> = streams.iter_mut().flat_map(|s| s.ids(1)).collect();
    assert_eq!(heard, HashSet::from([id]));
}
