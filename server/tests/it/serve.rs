//! The life of the process: what it leaves on disk, how it ends, and when it refuses to begin.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hub::{Hub, tool_answer, tool_call};
use crate::outsider;
use crate::place::{Place, is_private, sha256};

fn discovery_file(place: &Place) -> std::path::PathBuf {
    let real = fs::canonicalize(place.palace()).expect("the hub made it");
    let name = sha256(real.to_str().expect("made of ASCII"));
    place.home().join(".mempalace/server").join(&name[..24]).join("serverinfo.json")
}

#[test]
fn a_signal_ends_streams_and_waits_and_then_the_process() {
    let mut hub = Hub::start();
    hub.append("s", "x");
    let mut stream = hub.sse("stream=quiet");
    let wait = tool_call("mempalace_event_wait", json!({"stream": "quiet", "timeout_ms": 300_000}));
    let waiting = hub.request("POST", "/mcp").json(wait).connect();
    std::thread::sleep(Duration::from_millis(300));
    let (status, took) = hub.terminate();
    assert!(status.success(), "{status}\n{}", hub.place().stderr());
    assert!(took < Duration::from_secs(2), "{took:?}");
    let answer = tool_answer(&waiting.wait(Duration::from_secs(1)).json());
    assert_eq!((&answer["timed_out"], &answer["count"]), (&json!(true), &json!(0)));
    assert!(stream.ends_within(Duration::from_secs(1)));

    let wal = hub.place().palace().join("logstream.sqlite3-wal");
    assert!(fs::metadata(&wal).map_or(0, |m| m.len()) == 0, "the write-ahead log is checkpointed");
}

#[test]
fn an_interrupt_ends_it_too() {
    let hub = Hub::start();
    let mut stream = hub.sse("stream=quiet");
    hub.signal("-INT");
    assert!(stream.ends_within(Duration::from_secs(2)));
}

#[test]
fn a_client_that_stopped_reading_does_not_hold_the_end_up() {
    let mut hub = Hub::start();
    let _stuck = hub.sse("stream=s");
    let body = "x".repeat(200_000);
    for _ in 0..40 {
        hub.append("s", &body);
    }
    let (_, took) = hub.terminate();
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn local_programs_can_discover_it_while_it_lives() {
    let mut hub = Hub::start();
    let path = discovery_file(hub.place());
    let read = || -> Value { serde_json::from_slice(&fs::read(&path).expect("it is there")).expect("it is JSON") };
    let info = read();
    assert_eq!((&info["pid"], &info["port"]), (&json!(hub.pid()), &json!(hub.port())));
    assert_eq!((&info["host"], &info["scheme"]), (&json!("127.0.0.1"), &json!("http")));
    assert_eq!(info["read_only"], false);
    assert!(info["capabilities"].is_array(), "{info}");
    assert!(info["palace_path"].is_string(), "{info}");
    assert!(is_private(&path), "nobody else may read it");

    let refused = Hub::builder().at(hub.place()).try_start();
    assert!(refused.is_err());
    assert_eq!(read(), info, "a refused second hub leaves it alone");
    hub.kill9();
    hub.start_again();
    assert_eq!(read()["pid"], json!(hub.pid()), "a dead hub's file is replaced");
    hub.terminate();
    assert!(!path.exists(), "it is removed at the end");
}

#[test]
fn nobody_else_may_look_into_the_palace() {
    let hub = Hub::start();
    assert!(is_private(&hub.place().palace()));
}

#[test]
fn a_second_hub_on_one_palace_refuses_and_names_the_first() {
    let first = Hub::start();
    let Err(refused) = Hub::builder().at(first.place()).try_start() else { panic!("two hubs on one palace") };
    assert!(refused.status.is_some_and(|s| !s.success()), "{refused:?}");
    assert!(refused.said.contains(&first.pid().to_string()), "{refused:?}");
    assert!(refused.said.contains(&first.port().to_string()), "{refused:?}");
    first.append("s", "still alive");
}

#[test]
fn a_killed_hub_does_not_lock_its_palace() {
    let mut hub = Hub::start();
    hub.append("s", "x");
    hub.kill9();
    hub.start_again();
    assert_eq!(hub.list(json!({})).len(), 1);
}

#[test]
fn the_identity_is_minted_once() {
    let mut hub = Hub::start();
    let path = hub.place().palace().join("replica.json");
    let first = fs::read(&path).expect("the hub has written it");
    let replica: Value = serde_json::from_slice(&first).expect("it is JSON");
    let id = replica["replica_id"].as_str().expect("a text").to_owned();
    assert!(id.strip_prefix("rep_").is_some_and(|h| h.len() == 32 && h.chars().all(|c| c.is_ascii_hexdigit())), "{id}");
    let event = hub.append_event(crate::hub::event("s", "x"));
    assert_eq!(event["origin_replica"], id);
    assert!(event["hlc"].as_str().is_some_and(|h| h.ends_with(&id)), "{event}");
    hub.restart();
    assert_eq!(fs::read(&path).expect("still there"), first);
}

#[test]
fn a_short_identity_of_an_older_hub_is_kept() {
    let place = Place::new();
    fs::create_dir(place.palace()).expect("the place is new");
    fs::write(place.palace().join("replica.json"), r#"{"replica_id": "rep_0123456789ab"}"#).expect("writable");
    let hub = Hub::builder().at(&place).start();
    assert_eq!(hub.append_event(crate::hub::event("s", "x"))["origin_replica"], "rep_0123456789ab");
}

#[test]
fn a_corrupt_identity_stops_the_hub() {
    for content in ["", "{", "{}", "[]", r#"{"replica_id": 5}"#, r#"{"replica_id": "mine"}"#, "rep_0123456789ab"] {
        let place = Place::new();
        fs::create_dir(place.palace()).expect("the place is new");
        let path = place.palace().join("replica.json");
        fs::write(&path, content).expect("writable");
        let Err(refused) = Hub::builder().at(&place).try_start() else { panic!("it starts with {content:?}") };
        assert!(refused.status.is_some_and(|s| !s.success()), "{content:?}: {refused:?}");
        assert!(refused.said.contains("replica.json"), "{content:?}: {refused:?}");
        assert!(!refused.said.contains("panicked"), "{content:?}: {refused:?}");
        assert_eq!(fs::read_to_string(&path).expect("still there"), content, "a second identity was minted");
    }
}

#[test]
fn the_palace_may_come_from_the_environment() {
    let place = Place::new();
    let append = ["logstream", "append", "--type", "t.x", "--stream", "s", "--room", "r", "--from-agent", "a"];
    let status = place.command().env("LOGGIA_PALACE", place.palace()).args(append).output().expect("it runs").status;
    assert!(status.success());
    assert!(place.log_file().exists());
    let log = outsider::open(&place.log_file());
    let events: i64 = log.query_row("SELECT count(*) FROM events", [], |r| r.get(0)).expect("the table is there");
    assert_eq!(events, 1);
}
