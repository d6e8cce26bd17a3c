//! The output pipeline, with snapshots in the palace's file and a real Redis for the events: what is published, how plain clients
//! consume it, and that no Redis, however broken, is in a write's way.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::mems::{ask, contents, said, write};
use crate::patience::wait_until;
use crate::redis::{Redis, entries};

const STREAM: &str = "mems:l0:events";

/// A hub that publishes to a Redis.
pub(crate) fn publishing(redis: &Redis) -> Hub {
    Hub::builder().var("L0_PIPELINE_ENABLED", "true").var("L0_PIPELINE_REDIS_URL", redis.url()).start()
}

/// What the hub says of its pipeline.
pub(crate) fn pipeline(hub: &Hub) -> Value {
    ask(hub, "/v1/mems/status")["pipeline"].clone()
}

/// How often a sentence stands in the hub's log.
fn in_log(hub: &Hub, sentence: &str) -> usize {
    hub.place().stderr().matches(sentence).count()
}

const FAILS: &str = "the memory pipeline cannot publish";
const WORKS: &str = "the memory pipeline publishes again";

#[test]
fn an_entry_has_every_field_and_every_client_reads_it() {
    let redis = Redis::start();
    let hub = publishing(&redis);
    let body = json!({
        "user_id": "u", "agent_id": "a:b", "session_id": "s",
        "messages": [{"role": "user", "content": "one\ntwo"}, {"role": "assistant", "content": "é😀\"\\"}],
    });
    write(&hub, &body);
    let from_start = {
        redis.wait_for(STREAM, 1);
        redis.ask(&["XREAD", "COUNT", "10", "STREAMS", STREAM, "0"])
    };
    let (_, fields) = entries(&from_start[STREAM]).remove(0);
    let context = ask(&hub, "/v1/mems/context?user_id=u&agent_id=a:b&session_id=s");
    let expected = json!({
        "event_id": fields["event_id"], "event_type": "write", "timestamp": fields["timestamp"],
        "tenant_id": "", "user_id": "u", "agent_id": "a:b", "session_id": "s", "scope": "",
        "content": "user: one\ntwo\nassistant: é😀\"\\", "messages": fields["messages"], "expires_at": context["expires_at"],
    });
    assert_eq!(fields, expected);
    let messages: Value = serde_json::from_str(fields["messages"].as_str().expect("a text")).expect("JSON");
    assert_eq!(messages, body["messages"]);
    let id = fields["event_id"].as_str().expect("a text");
    assert!(
        id.len() == 36 && id.as_bytes()[14] == b'7' && context["messages"][0]["id"] == format!("{id}-0000"),
        "{id}"
    );
    let names: Vec<&String> = fields.as_object().expect("fields").keys().collect();
    assert_eq!(names.len(), 11);

    // One that waits is woken by the next write.
    let waiting = redis
        .cli()
        .args(["XREAD", "BLOCK", "20000", "STREAMS", STREAM, "$"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let waiting = waiting.expect("redis-cli");
    wait_until("a blocked client", || redis.says(&["INFO", "clients"]).contains("blocked_clients:1"));
    write(&hub, &json!({"user_id": "u", "agent_id": "a:b", "session_id": "s", "active_plan": "p"}));
    let output = waiting.wait_with_output().expect("redis-cli ends");
    let woken: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let (_, second) = entries(&woken[STREAM]).remove(0);
    assert_eq!((&second["event_type"], &second["content"]), (&json!("append"), &fields["content"]));
    assert_eq!(second["expires_at"], fields["expires_at"]);
}

#[test]
fn a_group_shares_the_work_and_what_a_dead_consumer_held_is_claimed() {
    let redis = Redis::start();
    redis.ask(&["XGROUP", "CREATE", STREAM, "consumers", "0", "MKSTREAM"]);
    assert!(redis.refuses(&["XGROUP", "CREATE", STREAM, "consumers", "0"]).contains("BUSYGROUP"));
    let hub = publishing(&redis);
    for n in 0..10 {
        write(&hub, &said("s", &n.to_string()));
    }
    redis.wait_for(STREAM, 10);
    let read = |consumer: &str, count: &str| {
        let answer = redis.ask(&["XREADGROUP", "GROUP", "consumers", consumer, "COUNT", count, "STREAMS", STREAM, ">"]);
        entries(&answer[STREAM])
    };
    let held = read("worker1", "4");
    for (id, _) in &held[..2] {
        assert_eq!(redis.ask(&["XACK", STREAM, "consumers", id]), 1);
    }
    // worker1 dies here with two entries in its hands.
    let rest = read("worker2", "10");
    assert_eq!(rest.len(), 6);
    let seen = pipeline(&hub)["redis_stream"].clone();
    assert_eq!(
        (&seen["length"], &seen["groups"][0]["pending"], &seen["groups"][0]["lag"]),
        (&json!(10), &json!(8), &json!(0))
    );
    let claimed = redis.ask(&["XAUTOCLAIM", STREAM, "consumers", "worker2", "0", "0", "COUNT", "2"]);
    let claimed = entries(&claimed[1]);
    assert_eq!(claimed, held[2..]);
    for (id, _) in claimed.iter().chain(&rest) {
        redis.ask(&["XACK", STREAM, "consumers", id]);
    }
    assert_eq!(redis.ask(&["XPENDING", STREAM, "consumers"])[0], 0);
    let all: BTreeSet<&str> =
        held.iter().chain(&rest).map(|(_, fields)| fields["event_id"].as_str().expect("a text")).collect();
    assert_eq!(all.len(), 10, "every event once");
    assert!(redis.refuses(&["XREADGROUP", "GROUP", "nobody", "w", "STREAMS", STREAM, ">"]).contains("NOGROUP"));
}

#[test]
fn the_stream_is_trimmed_with_the_slack_that_redis_takes() {
    const MAX: usize = 50;
    const WRITES: usize = 400;
    // A node of the stream holds a hundred entries: only whole ones are cut off.
    const NODE: usize = 100;
    let redis = Redis::start();
    let hub = Hub::builder()
        .var("L0_PIPELINE_ENABLED", "1")
        .var("REDIS_URL", "")
        .var("L0_PIPELINE_REDIS_URL", redis.url())
        .var("L0_PIPELINE_MAXLEN", "50")
        .var("L0_PIPELINE_STREAM", "my:stream")
        .start();
    for n in 0..WRITES {
        write(&hub, &json!({"agent_id": "a", "session_id": "s", "active_plan": n.to_string()}));
    }
    wait_until("all writes", || pipeline(&hub)["published"] == WRITES);
    let left = redis.entries("my:stream").len();
    assert!((MAX..=MAX + NODE).contains(&left), "{left} entries");
    assert_eq!(redis.ask(&["EXISTS", STREAM]), 0);
}

/// Sends so many writes, each of which must be answered with 200, and answers their texts.
#[track_caller]
fn write_some(hub: &Hub, prefix: &str, count: usize) -> Vec<String> {
    let texts: Vec<String> = (0..count).map(|n| format!("{prefix}{n}")).collect();
    for text in &texts {
        write(hub, &said(prefix, text));
    }
    texts
}

/// The newest message of each entry, in the order of the stream.
fn newest(redis: &Redis) -> Vec<String> {
    let last = |(_, fields): (String, Value)| {
        let messages: Value = serde_json::from_str(fields["messages"].as_str().expect("a text")).expect("JSON");
        contents(&messages).pop().expect("a message")
    };
    redis.entries(STREAM).into_iter().map(last).collect()
}

#[test]
fn a_redis_that_is_stopped_is_in_nobodys_way_and_gets_everything_afterwards() {
    let mut redis = Redis::start();
    let hub = publishing(&redis);
    write_some(&hub, "before", 5);
    redis.wait_for(STREAM, 5);
    redis.stop();
    let missed = write_some(&hub, "during", 30);
    wait_until("the trouble", || pipeline(&hub)["trouble"] == "redis is not reachable");
    assert_eq!((&pipeline(&hub)["waiting"], &pipeline(&hub)["published"]), (&json!(30), &json!(5)));
    redis.start_again();
    redis.wait_for(STREAM, 30);
    wait_until("recovery", || pipeline(&hub)["trouble"].is_null());
    let after = write_some(&hub, "after", 5);
    redis.wait_for(STREAM, 35);
    assert_eq!(newest(&redis), [missed, after].concat());
    wait_until("the counts", || pipeline(&hub)["published"] == 40);
    let now = pipeline(&hub);
    assert_eq!(
        (&now["dropped"], &now["waiting"], &now["last_error"]),
        (&json!(0), &json!(0), &json!("redis is not reachable"))
    );
    assert_eq!((in_log(&hub, FAILS), in_log(&hub, WORKS)), (1, 1), "{}", hub.place().stderr());
}

#[test]
fn a_redis_that_is_killed_in_the_middle_publishes_nothing_twice() {
    let mut redis = Redis::with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let hub = publishing(&redis);
    let texts: Vec<String> = (0..300).map(|n| format!("m{n}")).collect();
    for (n, text) in texts.iter().enumerate() {
        write(&hub, &said(text, text));
        if n % 100 == 50 {
            redis.stop();
            redis.start_again();
        }
    }
    redis.wait_for(STREAM, texts.len());
    assert_eq!(newest(&redis), texts, "everything once, in the order of the writes");
    wait_until("the counts", || pipeline(&hub)["published"] == texts.len());
}

#[test]
fn a_redis_that_hangs_is_waited_for_and_gets_everything_once() {
    let redis = Redis::start();
    let hub = publishing(&redis);
    let before = write_some(&hub, "before", 3);
    redis.wait_for(STREAM, 3);
    redis.signal("-STOP");
    let during = write_some(&hub, "during", 30);
    wait_until("the trouble", || hub_trouble(&hub) == "redis does not answer");
    redis.signal("-CONT");
    redis.wait_for(STREAM, 33);
    wait_until("recovery", || pipeline(&hub)["trouble"].is_null());
    assert_eq!(newest(&redis), [before, during].concat());
    assert_eq!((&pipeline(&hub)["published"], &pipeline(&hub)["dropped"]), (&json!(33), &json!(0)));
    assert_eq!((in_log(&hub, FAILS), in_log(&hub, WORKS)), (1, 1), "{}", hub.place().stderr());
}

fn hub_trouble(hub: &Hub) -> String {
    pipeline(hub)["trouble"].as_str().unwrap_or_default().to_owned()
}

/// Breaks a Redis, writes, mends it, and looks that everything arrived in its order.
#[track_caller]
fn refused_for_a_while(redis: &Redis, hub: &Hub, breaks: &[&[&str]], says: &str, mends: &[&[&str]]) {
    let before = write_some(hub, "before", 3);
    redis.wait_for(STREAM, 3);
    for command in breaks {
        redis.ask(command);
    }
    let during = write_some(hub, "during", 20);
    wait_until("the trouble", || hub_trouble(hub).contains(says));
    assert_eq!(pipeline(hub)["waiting"], 20);
    for command in mends {
        redis.ask(command);
    }
    wait_until("recovery", || pipeline(hub)["trouble"].is_null() && pipeline(hub)["published"] == 23);
    let all = [before, during].concat();
    let there = newest(redis);
    assert_eq!(there, all[all.len() - there.len()..], "in the order of the writes");
    assert_eq!((&pipeline(hub)["dropped"], &pipeline(hub)["waiting"]), (&json!(0), &json!(0)));
    assert_eq!((in_log(hub, FAILS), in_log(hub, WORKS)), (1, 1), "{}", hub.place().stderr());
}

#[test]
fn a_full_redis_is_in_nobodys_way() {
    let redis = Redis::with(&["--maxmemory-policy", "noeviction"]);
    let hub = publishing(&redis);
    let breaks: &[&[&str]] = &[&["CONFIG", "SET", "maxmemory", "1"]];
    refused_for_a_while(&redis, &hub, breaks, "OOM", &[&["CONFIG", "SET", "maxmemory", "0"]]);
}

#[test]
fn a_redis_that_forbids_xadd_is_in_nobodys_way() {
    let redis = Redis::start();
    let hub = publishing(&redis);
    let breaks: &[&[&str]] = &[&["ACL", "SETUSER", "default", "-xadd"]];
    refused_for_a_while(&redis, &hub, breaks, "NOPERM", &[&["ACL", "SETUSER", "default", "+xadd"]]);
}

#[test]
fn a_key_of_another_type_is_in_nobodys_way() {
    let redis = Redis::start();
    let hub = publishing(&redis);
    let breaks: &[&[&str]] = &[&["DEL", STREAM], &["SET", STREAM, "x"]];
    refused_for_a_while(&redis, &hub, breaks, "WRONGTYPE", &[&["DEL", STREAM]]);
}

#[test]
fn what_does_not_fit_into_the_queue_is_dropped_and_counted() {
    const TEXT_BYTES: usize = 400_000;
    const WRITES: usize = 20;
    let mut redis = Redis::start();
    let hub = publishing(&redis);
    redis.stop();
    // Each event tells its window twice; the sixty-four megabytes of the queue are soon full.
    for n in 0..WRITES {
        write(&hub, &said("s", &format!("{n} {}", "x".repeat(TEXT_BYTES))));
    }
    wait_until("the trouble", || pipeline(&hub)["trouble"].is_string());
    let dropped = pipeline(&hub)["dropped"].as_u64().expect("a number");
    assert!(dropped > 0, "{}", pipeline(&hub));
    redis.start_again();
    wait_until("the rest", || pipeline(&hub)["waiting"] == 0 && pipeline(&hub)["trouble"].is_null());
    let now = pipeline(&hub);
    let published = now["published"].as_u64().expect("a number");
    assert_eq!(published + now["dropped"].as_u64().expect("a number"), WRITES as u64, "{now}");
    assert_eq!(redis.entries(STREAM).len() as u64, published);
    assert_eq!(newest(&redis).last().expect("one").split(' ').next(), Some("19"), "the newest state is there");
    assert_eq!(in_log(&hub, "the oldest events are dropped"), 1);
}

#[test]
fn a_hub_that_ends_publishes_what_waits() {
    let redis = Redis::start();
    let mut hub = publishing(&redis);
    write_some(&hub, "m", 40);
    let (status, took) = hub.terminate();
    assert!(status.success() && took < Duration::from_secs(20), "{status}");
    assert_eq!(redis.entries(STREAM).len(), 40);
}

#[test]
fn settings_that_cannot_be_used_stop_the_start_and_are_named() {
    for (name, value) in [
        ("L0_PIPELINE_ENABLED", "perhaps"),
        ("L0_PIPELINE_ENABLED", "true"),
        ("L0_PIPELINE_MAXLEN", "-1"),
        ("REDIS_URL", "redis//user:geheim@host"),
        ("L0_PIPELINE_REDIS_URL", "http://user:geheim@host"),
    ] {
        let Err(refused) = Hub::builder().var(name, value).try_start() else { panic!("{name}={value} was taken") };
        assert!(refused.said.contains(name) && !refused.said.contains("geheim"), "{refused:?}");
    }
}

#[test]
fn what_is_published_and_what_is_not_stands_in_the_figures_and_no_text_does() {
    let mut redis = Redis::start();
    let hub = publishing(&redis);
    let figures = || hub.get("/statusz").json()["session_memory"]["pipeline"].clone();
    write(&hub, &said("secret-session", "secret-words"));
    redis.wait_for(STREAM, 1);
    wait_until("the count of the first", || figures()["published"] == 1);
    assert_eq!((&figures()["is_failing"], &figures()["last_error_kind"]), (&json!(false), &Value::Null));
    redis.stop();
    write(&hub, &said("secret-session", "secret-words"));
    wait_until("the trouble", || figures()["is_failing"] == true);
    assert_eq!((&figures()["waiting"], &figures()["last_error_kind"]), (&json!(1), &json!("unreachable")));
    let metrics = hub.get("/metrics").text();
    for line in [
        "loggia_memory_writes_total 2",
        "loggia_memory_writes_filed_total 2",
        "loggia_memory_sessions 1",
        "loggia_memory_events_published_total 1",
        "loggia_memory_events_dropped_total 0",
        "loggia_memory_events_waiting 1",
        "loggia_memory_pipeline_failing 1",
    ] {
        assert!(metrics.lines().any(|there| there == line), "{line} is missing:\n{metrics}");
    }
    assert!(!metrics.contains("secret") && !hub.get("/statusz").text().contains("secret"));
    redis.start_again();
    wait_until("the second", || figures()["published"] == 2);
    assert_eq!((&figures()["is_failing"], &figures()["last_error_kind"]), (&json!(false), &json!("unreachable")));
}
