//! GET /logstream/stream, how it travels: headers, heartbeats, and neighbours that it must not disturb.

use std::time::{Duration, Instant};

use crate::hub::Hub;

#[test]
fn headers_forbid_buffering_and_a_first_comment_comes_at_once() {
    let hub = Hub::start();
    let mut stream = hub.request("GET", "/logstream/stream").header("Accept-Encoding", "gzip, br, zstd").open();
    assert_eq!(stream.head.header("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(stream.head.header("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(stream.head.header("x-accel-buffering"), Some("no"));
    assert_eq!(stream.head.header("content-encoding"), None);
    let first = stream.next_frame(Duration::from_secs(1)).expect("a comment at once");
    assert!(first.comment.is_some() && first.data.is_empty(), "{first:?}");
}

#[test]
fn a_silent_stream_pings_within_fifteen_seconds() {
    let hub = Hub::start();
    let mut stream = hub.sse("stream=quiet");
    while stream.next_frame(Duration::from_millis(300)).is_some() {}
    let silent_since = Instant::now();
    let comment = loop {
        // Events that do not match must not put the heartbeat off.
        hub.append("loud", "not for you");
        if let Some(frame) = stream.next_frame(Duration::from_secs(3)) {
            break frame.comment;
        }
        assert!(silent_since.elapsed() < Duration::from_secs(16), "no heartbeat");
    };
    assert_eq!(comment.as_deref(), Some("ping"));
    hub.append("quiet", "for you");
    assert_eq!(stream.bodies(1), ["for you"]);
}

#[test]
fn other_methods_are_refused_with_the_allowed_one() {
    let hub = Hub::start();
    for method in ["POST", "PUT", "DELETE"] {
        let answer = hub.request(method, "/logstream/stream").json("{}").send();
        assert_eq!(answer.status, 405, "{method}: {answer:?}");
        assert!(answer.header("allow").is_some_and(|a| a.contains("GET")), "{answer:?}");
    }
}

#[test]
fn open_streams_and_waits_delay_no_other_request() {
    let hub = Hub::start();
    let _streams: Vec<_> = (0..32).map(|_| hub.sse("stream=quiet")).collect();
    let wait =
        crate::hub::tool_call("mempalace_event_wait", serde_json::json!({"stream": "quiet", "timeout_ms": 300_000}));
    let _waits: Vec<_> = (0..32).map(|_| hub.request("POST", "/mcp").json(wait.clone()).connect()).collect();
    std::thread::sleep(Duration::from_millis(300));
    for _ in 0..10 {
        let asked_at = Instant::now();
        hub.append("loud", "x");
        hub.list(serde_json::json!({"stream": "loud"}));
        assert_eq!(hub.get("/healthz").text(), "ok\n");
        assert!(asked_at.elapsed() < Duration::from_secs(2), "{:?}", asked_at.elapsed());
    }
}
