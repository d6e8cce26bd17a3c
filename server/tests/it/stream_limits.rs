//! How many live streams there may be, and what becomes of a client that does not take what was sent to it.

use std::time::{Duration, Instant};

use crate::hub::{Hub, TOKEN};
use crate::made;
use crate::patience::wait_until;
use crate::sse::Stream;

/// A stream as soon as there is a place for it.
fn place_within(hub: &Hub, limit: Duration, last_event_id: Option<&str>) -> Stream {
    let until = Instant::now() + limit;
    loop {
        let mut request = hub.request("GET", "/logstream/stream?stream=big&from=start");
        if let Some(id) = last_event_id {
            request = request.header("Last-Event-ID", id);
        }
        if let Some(stream) = request.try_open() {
            return stream;
        }
        assert!(Instant::now() < until, "no place within {limit:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn above_the_limit_a_stream_is_refused_for_now_and_a_closed_one_makes_room() {
    let hub = Hub::builder().var("LOGGIA_MAX_STREAMS", "3").var("LOGGIA_MAX_STREAMS_PER_TOKEN", "2").start();
    let first = hub.sse("");
    let _second = hub.sse("");
    let refused = hub.request("GET", "/logstream/stream").send();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.header("retry-after").is_some_and(|s| s.parse::<u32>().is_ok()), "{refused:?}");
    let said = refused.json()["error"].as_str().expect("a text").to_owned();
    assert!(said.contains("bootstrap") && said.contains('2') && !said.contains(TOKEN), "{said}");

    let other = hub.place().cli(&["token", "create", "--name", "other", "--json"], b"");
    let other: serde_json::Value = serde_json::from_slice(&other.stdout).expect("JSON");
    let secret = other["token"].as_str().expect("shown once").to_owned();
    let as_other = || hub.request("GET", "/logstream/stream").set("Authorization", &format!("Bearer {secret}"));
    let _third = as_other().open();
    let full = as_other().send();
    assert_eq!(full.status, 503);
    assert!(full.json()["error"].as_str().is_some_and(|e| e.contains("all 3")), "{full:?}");

    assert_eq!(hub.append("big", "writing goes on").len(), "evt_20260101T000000_0123456789ab".len());
    drop(first);
    let mut again = place_within(&hub, Duration::from_secs(20), None);
    assert_eq!(again.bodies(1), ["writing goes on"]);
}

#[test]
fn a_client_that_takes_nothing_is_cut_off_and_can_go_on_where_it_was() {
    let hub = Hub::builder().var("LOGGIA_DEAD_CLIENT_S", "2").var("LOGGIA_MAX_STREAMS_PER_TOKEN", "1").start();
    let mut stuck = hub.sse("stream=big&from=start");
    let body = "x".repeat(262_144);
    let sent: Vec<String> = (0..100).map(|_| hub.append("big", &body)).collect();
    // Its place is free although it never closed its side.
    let probe = place_within(&hub, Duration::from_mins(1), None);
    drop(probe);

    // A cut connection may take with it what had arrived and was not read: the client resumes after what it has.
    let mut seen = Vec::new();
    while let Some(frame) = stuck.next_event(Duration::from_secs(5)) {
        seen.push(frame.id.expect("every event's frame has an id"));
    }
    assert!(seen.len() < sent.len(), "nothing held the hub back");
    let mut resumed = place_within(&hub, Duration::from_mins(1), seen.last().map(String::as_str));
    seen.extend(resumed.ids(sent.len() - seen.len()));
    assert_eq!(seen, sent);
}

#[test]
fn a_revoked_token_takes_along_a_stream_that_lags_behind() {
    let hub = Hub::start();
    let secret = made::make(&hub, &["--name", "other"]);
    let body = "x".repeat(262_144);
    let sent = 120;
    (0..sent).for_each(|_| drop(hub.append("big", &body)));
    let session = made::session_of(&hub, &secret);
    let stream = hub.request("GET", "/logstream/stream?from=start&stream=big").without("Authorization");
    let mut stream = stream.header("Cookie", &session).open();
    assert!(stream.next_event(Duration::from_secs(20)).is_some());
    let auth = crate::outsider::open(&hub.place().palace().join("auth.sqlite3"));
    assert_eq!(auth.execute("DELETE FROM tokens WHERE name = 'other'", []), Ok(1));
    // What the buffers hold is read after that.
    wait_until("the end of the session", || made::page(&hub, &session, "/log").status == 303);
    let seen = 1 + std::iter::from_fn(|| stream.next_event(Duration::from_secs(20))).count();
    assert!(seen < sent, "all {seen} events were given to a token that is gone");
}
