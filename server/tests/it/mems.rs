//! Hot session memory over HTTP, kept in the palace's own file: what a write leaves, what is refused, how long it lives, what is found
//! again in the palace, and the live stream.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::outsider;
use crate::patience::wait_until;
use crate::sse::Stream;
use crate::wire::Answer;

/// How long a frame may take.
const SOON: Duration = Duration::from_secs(20);

/// Sends a write.
pub(crate) fn try_write(hub: &Hub, body: &Value) -> Answer {
    hub.request("POST", "/v1/mems/write").json(body.to_string()).send()
}

/// A write that must be taken.
#[track_caller]
pub(crate) fn write(hub: &Hub, body: &Value) -> Value {
    let answer = try_write(hub, body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// A write of one message into session `s` of agent `a`.
pub(crate) fn said(session: &str, content: &str) -> Value {
    json!({"agent_id": "a", "session_id": session, "messages": [{"role": "user", "content": content}]})
}

/// Asks with GET; it must be answered with 200.
#[track_caller]
pub(crate) fn ask(hub: &Hub, target: &str) -> Value {
    let answer = hub.get(target);
    assert_eq!(answer.status, 200, "{target}: {answer:?}");
    answer.json()
}

/// The contents of messages, in their order.
#[track_caller]
pub(crate) fn contents(messages: &Value) -> Vec<String> {
    let list = messages.as_array().unwrap_or_else(|| panic!("no messages: {messages}"));
    list.iter().map(|m| m["content"].as_str().expect("a text").to_owned()).collect()
}

fn live(hub: &Hub, query: &str, last: Option<&str>) -> Stream {
    let request = hub.request("GET", &format!("/v1/mems/stream?{query}"));
    match last {
        Some(id) => request.header("Last-Event-ID", id),
        None => request,
    }
    .open()
}

#[test]
fn a_write_answers_with_the_window_and_what_was_filed() {
    let hub = Hub::start();
    let body = json!({
        "tenant_id": "t", "user_id": "u", "scope": "w:x", "agent_id": "win:codex:x", "session_id": "s",
        "messages": [{"role": "user", "content": "Guten Tag\nÜberall"}, {"role": "assistant", "content": "漢😀"}],
        "active_plan": "step one", "temp_variables": {"n": 12_345_678_901_234_567_890_u64}, "ttl_seconds": 600,
    });
    let answer = write(&hub, &body);
    let l1_id = answer["l1_id"].as_str().expect("filed").to_owned();
    let expected = json!({
        "success": true, "tenant_id": "t", "user_id": "u", "scope": "w:x", "agent_id": "win:codex:x", "session_id": "s",
        "short_term_buffer": body["messages"], "appended_count": 2, "persisted_to_l1": true, "l1_id": l1_id,
        "message": "kept, and filed in the palace",
    });
    assert_eq!(answer, expected);
    let drawer = hub.call("mempalace_get_drawer", json!({"drawer_id": l1_id}));
    assert_eq!(drawer["content"], "user: Guten Tag\nÜberall\nassistant: 漢😀");
    assert_eq!(drawer["room"], "sessions");
    assert!(drawer["wing"].as_str().is_some_and(|wing| wing.starts_with("wing_win_codex_x")), "{drawer}");
    let context = ask(&hub, "/v1/mems/context?tenant_id=t&user_id=u&scope=w%3Ax&agent_id=win:codex:x&session_id=s");
    assert_eq!(contents(&context["messages"]), ["Guten Tag\nÜberall", "漢😀"]);
    assert_eq!(
        (&context["source"], &context["page_type"], &context["total"]),
        (&json!("l0"), &json!("live"), &json!(2))
    );
    assert_eq!(context["temp_variables"], body["temp_variables"]);
    // Every part of the identity counts, also one that is not set.
    let other = ask(&hub, "/v1/mems/context?tenant_id=t&user_id=u&agent_id=win:codex:x&session_id=s");
    assert_eq!((&other["messages"], &other["total"], &other["expires_at"]), (&json!([]), &json!(0), &Value::Null));
}

#[test]
fn an_append_keeps_plan_window_and_life() {
    let hub = Hub::start();
    let mut first = said("s", "m0");
    first["active_plan"] = json!("p");
    first["temp_variables"] = json!({"a": {"x": 1}, "b": 1});
    first["ttl_seconds"] = json!(1000);
    write(&hub, &first);
    let expires_at = ask(&hub, "/v1/mems/context?agent_id=a&session_id=s")["expires_at"].clone();
    for n in 1..=24 {
        let mut next = said("s", &format!("m{n}"));
        next["ttl_seconds"] = json!(604_800);
        next["temp_variables"] = json!({"a": {"y": n}});
        assert_eq!(write(&hub, &next)["short_term_buffer"].as_array().map(Vec::len), Some(20.min(n + 1)));
    }
    let without = write(&hub, &json!({"agent_id": "a", "session_id": "s"}));
    assert_eq!(
        (&without["appended_count"], &without["persisted_to_l1"], &without["l1_id"]),
        (&json!(0), &json!(false), &Value::Null)
    );
    let context = ask(&hub, "/v1/mems/context?agent_id=a&session_id=s");
    assert_eq!(context["expires_at"], expires_at, "a later ttl is ignored");
    assert_eq!((&context["active_plan"], &context["temp_variables"]), (&json!("p"), &json!({"a": {"y": 24}, "b": 1})));
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_nothing_is_kept() {
    let hub = Hub::start();
    let bad = json!({"agent_id": "", "messages": [{"role": "x".repeat(33), "content": "c"}], "ttl_seconds": 0});
    let answer = try_write(&hub, &bad);
    assert_eq!(answer.status, 422, "{answer:?}");
    let detail = answer.json()["detail"].clone();
    let found: BTreeSet<(String, String)> = detail
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            assert!(one["msg"].is_string(), "{one}");
            (one["loc"].to_string(), one["type"].as_str().expect("a word").to_owned())
        })
        .collect();
    let expected = [
        (json!(["body", "agent_id"]), "string_too_short"),
        (json!(["body", "session_id"]), "missing"),
        (json!(["body", "messages", 0, "role"]), "string_too_long"),
        (json!(["body", "ttl_seconds"]), "greater_than_equal"),
    ];
    assert_eq!(found, expected.map(|(loc, kind)| (loc.to_string(), kind.to_owned())).into());
    let answer = hub.request("POST", "/v1/mems/write").json("{\"agent_id\":").send();
    assert_eq!((answer.status, answer.json()["detail"][0]["type"].clone()), (422, json!("json_invalid")));
    let answer = hub.get("/v1/mems/context?session_id=s&limit=0");
    assert_eq!(answer.status, 422);
    assert_eq!(answer.json()["detail"].as_array().map(Vec::len), Some(2));
    let answer = hub.request("POST", "/v1/mems/write").json(" ".repeat(3_000_000)).send();
    assert_eq!(answer.status, 413);
    assert_eq!(ask(&hub, "/v1/mems/sessions")["total"], 0);
    let anonymous = hub.request("GET", "/v1/mems/sessions").without("Authorization").send();
    assert_eq!(anonymous.status, 401);
}

#[test]
fn variables_grow_up_to_a_limit_and_what_goes_beyond_it_leaves_nothing() {
    let hub = Hub::start();
    let with = |field: &str, name: &str, bytes: usize| {
        let mut body = said("s", &format!("with {name}"));
        body[field] = json!({name: "x".repeat(bytes)});
        body
    };
    let drawers = || hub.call("mempalace_list_drawers", json!({"wing": "wing_a"}))["total"].clone();
    write(&hub, &with("temp_variables", "a", 700_000));
    write(&hub, &with("metadata", "a", 700_000));
    let before = (ask(&hub, "/v1/mems/context?agent_id=a&session_id=s"), drawers());
    for field in ["temp_variables", "metadata"] {
        let answer = try_write(&hub, &with(field, "b", 400_000));
        assert_eq!(answer.status, 422, "{answer:?}");
        let wrong = answer.json()["detail"][0].clone();
        assert_eq!((&wrong["loc"], &wrong["type"]), (&json!(["body", field]), &json!("too_long")), "{wrong}");
        let msg = wrong["msg"].as_str().expect("words");
        assert!(msg.starts_with(field) && msg.contains("1048576") && msg.contains("1100015"), "{msg}");
    }
    assert_eq!((ask(&hub, "/v1/mems/context?agent_id=a&session_id=s"), drawers()), before);
    // What replaces needs no room, and another session has its own.
    write(&hub, &with("temp_variables", "a", 1_000_000));
    let mut other = with("temp_variables", "b", 400_000);
    other["session_id"] = json!("t");
    write(&hub, &other);
    let figures = hub.get("/statusz").json()["session_memory"].clone();
    let expected = json!({
        "store": "embedded", "sessions": 2, "writes": 4, "writes_refused": 2, "writes_failed": 0, "writes_filed": 4,
        "writes_not_filed": 0, "pipeline": null,
    });
    assert_eq!(figures, expected);
}

#[test]
fn a_token_without_memory_and_a_read_only_hub_write_nothing() {
    let hub = Hub::start();
    let made = hub.place().cli(&["token", "create", "--name", "log", "--scope", "write", "--json"], b"");
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let bearer = format!("Bearer {}", made["token"].as_str().expect("a token"));
    let as_log = |method: &str, path: &str| hub.request(method, path).set("Authorization", &bearer);
    // The command wrote the token into the file; the hub learns of it soon.
    wait_until("the token", || as_log("GET", "/v1/mems/health").send().status != 401);
    assert_eq!(as_log("POST", "/v1/mems/write").json(said("s", "x").to_string()).send().status, 403);
    for path in ["context?agent_id=a&session_id=s", "sessions", "status", "health", "stream"] {
        assert_eq!(as_log("GET", &format!("/v1/mems/{path}")).send().status, 403, "{path}");
    }
    let hub = Hub::builder().arg("--read-only").start();
    assert_eq!(try_write(&hub, &said("s", "x")).status, 403);
}

#[test]
fn what_was_kept_outlives_a_restart_and_a_kill() {
    let mut hub = Hub::start();
    write(&hub, &said("s", "one"));
    hub.restart();
    write(&hub, &said("s", "two"));
    hub.kill9();
    hub.start_again();
    let context = ask(&hub, "/v1/mems/context?agent_id=a&session_id=s");
    assert_eq!((contents(&context["messages"]), &context["source"]), (vec!["one".into(), "two".into()], &json!("l0")));
}

#[test]
fn it_is_gone_after_its_time_and_the_next_write_is_a_new_one() {
    let hub = Hub::start();
    let mut stream = live(&hub, "", None);
    let mut brief = said("s", "one");
    brief["ttl_seconds"] = json!(2);
    write(&hub, &brief);
    let mut later = said("s", "two");
    later["ttl_seconds"] = json!(10_000);
    write(&hub, &later);
    wait_until("the end of a session", || ask(&hub, "/v1/mems/sessions")["total"] == 0);
    // What was said is still found, in the palace.
    let context = ask(&hub, "/v1/mems/context?agent_id=a&session_id=s");
    assert_eq!((contents(&context["messages"]), &context["source"]), (vec!["one".into(), "two".into()], &json!("l1")));
    let answer = write(&hub, &said("s", "three"));
    assert_eq!(contents(&answer["short_term_buffer"]), ["three"]);
    let kinds: Vec<Value> = (0..3).map(|_| stream.event().json()["event_type"].clone()).collect();
    assert_eq!(kinds, ["write", "append", "write"]);
    let context = ask(&hub, "/v1/mems/context?agent_id=a&session_id=s");
    assert_eq!((contents(&context["messages"]).len(), &context["source"]), (3, &json!("mixed")));
}

#[test]
fn a_clock_that_is_set_back_brings_nothing_back() {
    let mut hub = Hub::start();
    write(&hub, &said("s", "one"));
    hub.terminate();
    // As if the hub had seen a later time before: an hour ahead of the machine's clock.
    let file = outsider::open(&hub.place().palace().join("mems.sqlite3"));
    file.execute("UPDATE clock SET now_ms = now_ms + 3600000", []).expect("our own table");
    drop(file);
    hub.start_again();
    assert_eq!(ask(&hub, "/v1/mems/sessions")["total"], 0);
    let mut next = said("s", "two");
    next["ttl_seconds"] = json!(60);
    write(&hub, &next);
    let sessions = ask(&hub, "/v1/mems/sessions");
    let left = sessions["sessions"][0]["remaining_seconds"].as_u64().expect("a number");
    assert!((1..=60).contains(&left), "it lives for its own time: {sessions}");
}

#[test]
fn thirty_two_writers_lose_nothing_and_events_come_in_the_order_of_the_writes() {
    const WRITERS: usize = 32;
    const EACH: usize = 8;
    let hub = Hub::start();
    let mut stream = live(&hub, "session_id=s", None);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let hub = &hub;
            scope.spawn(move || {
                for n in 0..EACH {
                    write(hub, &said("s", &format!("{writer}-{n}")));
                }
            });
        }
    });
    let mut order: Vec<String> = Vec::new();
    for _ in 0..WRITERS * EACH {
        let event = stream.event().json();
        let window: Value = serde_json::from_str(event["messages"].as_str().expect("a text")).expect("JSON");
        let window = contents(&window);
        order.push(window.last().expect("one").clone());
        let from = order.len().saturating_sub(20);
        assert_eq!(window, order[from..], "each window is the one before and one message");
    }
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), WRITERS * EACH, "every message once");
    for writer in 0..WRITERS {
        let own: Vec<_> = order.iter().filter(|m| m.starts_with(&format!("{writer}-"))).collect();
        assert!(own.iter().enumerate().all(|(n, m)| **m == format!("{writer}-{n}")), "{own:?}");
    }
    let context = ask(&hub, "/v1/mems/context?agent_id=a&session_id=s&limit=20");
    assert_eq!(contents(&context["messages"]), order[order.len() - 20..]);
}

#[test]
fn a_session_is_read_back_to_its_beginning() {
    let hub = Hub::start();
    let messages = |from: usize, to: usize| -> Vec<Value> {
        (from..to)
            .map(|n| json!({"role": if n % 2 == 0 { "user" } else { "tool" }, "content": format!("m{n}\nuser: no")}))
            .collect()
    };
    for (from, to) in [(0, 3), (3, 4), (4, 34), (34, 35), (35, 37)] {
        write(&hub, &json!({"agent_id": "a", "session_id": "s", "messages": messages(from, to)}));
    }
    // Twice the same words are two messages, though they are one drawer.
    write(&hub, &json!({"agent_id": "a", "session_id": "s", "messages": messages(3, 4)}));
    let (mut read, mut before, mut sources) = (Vec::new(), String::new(), BTreeSet::new());
    loop {
        let page = ask(&hub, &format!("/v1/mems/context?agent_id=a&session_id=s&limit=9{before}"));
        assert_eq!(page["total"], 38, "{page}");
        let mut part = contents(&page["messages"]);
        part.extend(read);
        read = part;
        sources.insert(page["source"].as_str().expect("a word").to_owned());
        assert_eq!(page["page_type"], if before.is_empty() { "live" } else { "history" });
        let Some(next) = page["next_before_id"].as_str() else {
            assert_eq!(page["has_more"], false);
            break;
        };
        before = format!("&before_id={next}");
    }
    let expected: Vec<String> = (0..37).chain([3]).map(|n| format!("m{n}\nuser: no")).collect();
    assert_eq!(read, expected);
    assert_eq!(sources, BTreeSet::from(["l0", "l1", "mixed"].map(str::to_owned)));
}

#[test]
fn a_palace_that_is_off_costs_the_drawer_alone() {
    let mut hub = Hub::start();
    hub.terminate();
    std::fs::write(hub.place().palace().join("palace.sqlite3"), "no database".repeat(1000)).expect("ours");
    hub.start_again();
    let answer = write(&hub, &said("s", "one"));
    assert_eq!((&answer["persisted_to_l1"], &answer["l1_id"]), (&json!(false), &Value::Null));
    assert_eq!(contents(&ask(&hub, "/v1/mems/context?agent_id=a&session_id=s")["messages"]), ["one"]);
}

#[test]
fn a_damaged_file_leaves_everything_else_alone() {
    let mut hub = Hub::start();
    hub.terminate();
    std::fs::write(hub.place().palace().join("mems.sqlite3"), "no database".repeat(1000)).expect("ours");
    hub.start_again();
    assert_eq!(try_write(&hub, &said("s", "one")).status, 503);
    assert_eq!(hub.get("/v1/mems/health").status, 503);
    hub.append("st", "goes on");
}

#[test]
fn a_stream_goes_on_where_it_was_and_says_what_it_lost() {
    let mut hub = Hub::start();
    let mut stream = live(&hub, "agent_id=a", None);
    write(&hub, &json!({"agent_id": "b", "session_id": "s", "active_plan": "not for this one"}));
    write(&hub, &said("s", "one"));
    let first = stream.event();
    let event = first.json();
    assert_eq!((first.id.as_deref(), first.event.as_deref()), (event["event_id"].as_str(), Some("write")));
    assert_eq!((&event["content"], &event["scope"]), (&json!("user: one"), &json!("")));
    drop(stream);
    write(&hub, &said("s", "two"));
    let mut stream = live(&hub, "", first.id.as_deref());
    assert_eq!(stream.event().json()["content"], "user: one\nuser: two");
    hub.restart();
    write(&hub, &said("s", "three"));
    let mut stream = live(&hub, "", first.id.as_deref());
    let gap = stream.next_event(SOON).expect("a frame");
    assert_eq!(gap.event.as_deref(), Some("gap"));
    assert_eq!(stream.event().json()["content"], "user: one\nuser: two\nuser: three");
}

#[test]
fn a_stream_that_is_far_behind_misses_nothing() {
    let hub = Hub::start();
    let mut stream = live(&hub, "", None);
    write(&hub, &said("first", "one"));
    let seen = stream.event().id;
    drop(stream);
    let sessions: Vec<String> = (0..8).map(|n| format!("s{n}")).collect();
    for session in &sessions {
        write(&hub, &said(session, &"x".repeat(100_000)));
    }
    let mut stream = live(&hub, "", seen.as_deref());
    let came: Vec<Value> = sessions.iter().map(|_| stream.event().json()["session_id"].clone()).collect();
    assert_eq!(json!(came), json!(sessions));
}

#[test]
fn nothing_is_published_unless_it_is_asked_for() {
    let hub = Hub::start();
    write(&hub, &said("s", "one"));
    let status = ask(&hub, "/v1/mems/status");
    assert_eq!(
        (&status["status"], &status["store"], &status["sessions"]),
        (&json!("ok"), &json!("embedded"), &json!(1))
    );
    assert_eq!(status["pipeline"], json!({"enabled": false}));
    assert_eq!(ask(&hub, "/v1/mems/health")["status"], "ok");
}
