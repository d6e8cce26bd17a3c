//! Session memory in a Redis, which several hubs share: the same answers as from the palace's own file, keys as they are documented,
//! events in the order of the writes, and what a broken Redis does.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::mems::{ask, contents, said, try_write, write};
use crate::mems_pipeline::pipeline;
use crate::patience::wait_until;
use crate::redis::Redis;

const STREAM: &str = "mems:l0:events";

/// A hub that keeps session memory in a Redis, and publishes there or not.
fn hub_on(redis: &Redis, publishes: bool) -> Hub {
    let hub = Hub::builder().var("REDIS_URL", redis.url());
    if publishes { hub.var("L0_PIPELINE_ENABLED", "true") } else { hub }.start()
}

#[test]
fn a_session_lies_under_its_key_and_lives_from_its_first_write() {
    let redis = Redis::start();
    let hub = hub_on(&redis, false);
    let mut body = said("s:1", "one");
    body["tenant_id"] = json!("_");
    body["ttl_seconds"] = json!(300);
    body["temp_variables"] = json!({"n": 12_345_678_901_234_567_890_u64, "empty": {}, "list": []});
    write(&hub, &body);
    let key = "mems:l0:%5F:_:_:a:s%3A1";
    assert_eq!(redis.ask(&["KEYS", "*"]), json!([key]), "nothing else, and no stream");
    let left = redis.ask(&["TTL", key]).as_u64().expect("a number");
    assert!((1..=300).contains(&left), "{left}");
    let stored: Value = serde_json::from_str(redis.ask(&["GET", key]).as_str().expect("a text")).expect("JSON");
    assert_eq!(stored["messages"][0]["content"], "one");
    body["messages"] = json!([{"role": "user", "content": "two"}]);
    body["ttl_seconds"] = json!(100_000);
    body["temp_variables"] = json!({"more": 1});
    assert_eq!(contents(&write(&hub, &body)["short_term_buffer"]), ["one", "two"]);
    assert!(redis.ask(&["TTL", key]).as_u64().is_some_and(|now| now <= left), "a later ttl is ignored");
    let context = ask(&hub, "/v1/mems/context?tenant_id=_&agent_id=a&session_id=s:1");
    let merged = json!({"n": 12_345_678_901_234_567_890_u64, "empty": {}, "list": [], "more": 1});
    assert_eq!(context["temp_variables"], merged);
    let sessions = ask(&hub, "/v1/mems/sessions");
    assert_eq!((&sessions["total"], &sessions["sessions"][0]["tenant_id"]), (&json!(1), &json!("_")));
    redis.ask(&["DEL", key]);
    assert_eq!(contents(&write(&hub, &body)["short_term_buffer"]), ["two"], "gone is gone");
}

#[test]
fn it_is_gone_after_its_time() {
    let redis = Redis::start();
    let hub = hub_on(&redis, true);
    let mut brief = said("s", "one");
    brief["ttl_seconds"] = json!(1);
    write(&hub, &brief);
    wait_until("the end of a session", || ask(&hub, "/v1/mems/sessions")["total"] == 0);
    assert_eq!(contents(&write(&hub, &said("s", "two"))["short_term_buffer"]), ["two"]);
    let kinds: Vec<Value> = redis.entries(STREAM).into_iter().map(|(_, fields)| fields["event_type"].clone()).collect();
    assert_eq!(kinds, ["write", "write"]);
    assert_eq!(ask(&hub, "/v1/mems/context?agent_id=a&session_id=s")["source"], "mixed");
}

#[test]
fn two_hubs_with_thirty_two_writers_lose_nothing_and_keep_the_order() {
    const WRITERS: usize = 32;
    const EACH: usize = 5;
    let redis = Redis::start();
    let hubs = [hub_on(&redis, true), hub_on(&redis, true)];
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let hub = &hubs[writer % 2];
            scope.spawn(move || {
                for n in 0..EACH {
                    write(hub, &said("s", &format!("{writer}-{n}")));
                }
            });
        }
    });
    let mut order: Vec<String> = Vec::new();
    let mut ids = Vec::new();
    for (_, fields) in redis.entries(STREAM) {
        let window: Value = serde_json::from_str(fields["messages"].as_str().expect("a text")).expect("JSON");
        let window = contents(&window);
        order.push(window.last().expect("one").clone());
        assert_eq!(window, order[order.len().saturating_sub(20)..], "each is the one before and one message");
        ids.push(fields["event_id"].as_str().expect("a text").to_owned());
    }
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), WRITERS * EACH, "every message once");
    assert!(ids.is_sorted(), "ids sort as the writes came, whichever hub took them");
    for hub in &hubs {
        let context = ask(hub, "/v1/mems/context?agent_id=a&session_id=s&limit=20");
        assert_eq!(contents(&context["messages"]), order[order.len() - 20..]);
        assert_eq!(pipeline(hub)["published"], WRITERS * EACH / 2);
    }
}

#[test]
fn an_event_that_is_refused_fails_no_write() {
    let redis = Redis::start();
    let hub = hub_on(&redis, true);
    write(&hub, &said("s", "one"));
    let mut dropped = 0;
    for (breaks, says, mends) in [
        (vec!["SET", STREAM, "x"], "WRONGTYPE", vec!["DEL", STREAM]),
        (vec!["ACL", "SETUSER", "default", "-xadd"], "NOPERM", vec!["ACL", "SETUSER", "default", "+xadd"]),
        (
            // The snapshots may be written, the stream may not, as an administrator would say it.
            vec!["ACL", "SETUSER", "default", "resetkeys", "~mems:l0:_*"],
            "NOPERM",
            vec!["ACL", "SETUSER", "default", "allkeys"],
        ),
    ] {
        redis.ask(&breaks);
        write(&hub, &said("s", says));
        dropped += 1;
        let now = pipeline(&hub);
        assert!(now["trouble"].as_str().is_some_and(|t| t.contains("redis refuses")), "{now}");
        assert_eq!(now["dropped"], dropped, "{now}");
        redis.ask(&mends);
        write(&hub, &said("s", "well"));
        assert_eq!(pipeline(&hub)["trouble"], Value::Null);
    }
    let kept = contents(&ask(&hub, "/v1/mems/context?agent_id=a&session_id=s")["messages"]);
    assert_eq!(kept, ["one", "WRONGTYPE", "well", "NOPERM", "well", "NOPERM", "well"]);
}

#[test]
fn a_redis_that_does_not_answer_is_said_within_two_seconds_and_comes_back_by_itself() {
    let mut redis = Redis::start();
    let hub = hub_on(&redis, true);
    write(&hub, &said("s", "one"));
    let refused = |what: &str| {
        let asked_at = Instant::now();
        let answer = try_write(&hub, &said("s", what));
        assert_eq!(answer.status, 503, "{answer:?}");
        // The contract's own bound; half of it is what the hub takes.
        assert!(asked_at.elapsed() < Duration::from_secs(2), "{what}: {:?}", asked_at.elapsed());
        assert_eq!(hub.get("/v1/mems/context?agent_id=a&session_id=s").status, 503);
        assert_eq!(hub.get("/v1/mems/health").status, 503);
        assert_eq!(ask(&hub, "/v1/mems/status")["status"], "unavailable");
    };
    redis.signal("-STOP");
    refused("hung");
    redis.signal("-CONT");
    wait_until("an answer", || hub.get("/v1/mems/health").status == 200);
    redis.stop();
    refused("stopped");
    redis.start_again();
    wait_until("an answer", || hub.get("/v1/mems/health").status == 200);
    assert_eq!(contents(&write(&hub, &said("s", "new"))["short_term_buffer"]), ["new"]);
    // A key that is no snapshot is an error, not something to write over.
    redis.ask(&["LPUSH", "mems:l0:_:_:_:a:other", "x"]);
    assert_eq!(try_write(&hub, &said("other", "x")).status, 503);
    hub.append("st", "goes on");
}

#[test]
fn another_redis_may_take_the_events() {
    let (store, events) = (Redis::start(), Redis::start());
    let hub = Hub::builder()
        .var("REDIS_URL", store.url())
        .var("L0_PIPELINE_ENABLED", "true")
        .var("L0_PIPELINE_REDIS_URL", events.url())
        .start();
    for n in 0..10 {
        write(&hub, &said("s", &n.to_string()));
    }
    let entries = events.wait_for(STREAM, 10);
    let ids: Vec<&str> = entries.iter().map(|(_, fields)| fields["event_id"].as_str().expect("a text")).collect();
    assert!(ids.is_sorted());
    assert_eq!(store.ask(&["EXISTS", STREAM]), 0);
}
