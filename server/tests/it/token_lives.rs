//! The lives of tokens and sessions beside a running hub: made, used, rotated, ended; and what ends with them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::hub::{Hub, event};
use crate::made::{bearer_call, make, page, refused, said, session_of, status_of, told, until, with_bearer};

fn listed(hub: &Hub) -> Vec<Value> {
    let text = said(&hub.place().cli(&["token", "list", "--all", "--json"], b""));
    let list: Value = serde_json::from_str(&text).expect("JSON");
    list["tokens"].as_array().expect("a list").clone()
}

#[test]
fn a_revoked_token_and_what_was_made_from_it_end_at_once() {
    let hub = Hub::start();
    let secret = make(&hub, &["mac", "--scope", "write"]);
    let cookie = session_of(&hub, &secret);
    let mut stream = with_bearer(&hub, &secret, "GET", "/logstream/stream").open();
    let mut tab = hub.request("GET", "/logstream/stream").without("Authorization").header("Cookie", &cookie).open();
    let waiting = {
        let request = with_bearer(&hub, &secret, "POST", "/mcp");
        let call = crate::hub::tool_call("mempalace_event_wait", json!({"stream": "never", "timeout_ms": 250_000}));
        request.json(call).connect()
    };
    until("the wait to begin", || {
        hub.get("/metrics").text().lines().any(|l| l.starts_with("loggia_waits") && l.ends_with(" 1")).then_some(())
    });
    let told = said(&hub.place().cli(&["token", "revoke", "mac"], b""));
    assert!(told.starts_with("revoked mac (lg_"), "{told}");
    assert!(stream.ends_within(Duration::from_secs(20)), "the stream goes on");
    assert!(tab.ends_within(Duration::from_secs(20)), "the browser's stream goes on");
    let ended = waiting.wait(Duration::from_secs(20));
    assert_eq!(ended.status, 401, "{ended:?}");
    assert_eq!(status_of(&hub, &secret), 401);
    assert_eq!(page(&hub, &cookie, "/log").status, 303, "to the sign-in");
    let again = refused(&hub.place().cli(&["token", "revoke", "mac"], b""));
    assert!(again.contains("token 'mac' is over already"), "{again}");
}

#[test]
fn a_token_ends_by_itself_and_takes_its_stream_with_it() {
    let hub = Hub::start();
    let ends = time::OffsetDateTime::now_utc() + Duration::from_secs(4);
    let ends = ends.format(&time::format_description::well_known::Rfc3339).expect("a time has a text");
    let secret = make(&hub, &["brief", "--scope", "read", "--expires", &ends]);
    let mut stream = with_bearer(&hub, &secret, "GET", "/logstream/stream").open();
    assert!(stream.ends_within(Duration::from_secs(20)), "the stream goes on");
    assert_eq!(status_of(&hub, &secret), 401);
    assert_eq!(listed(&hub)[0]["state"], "expired");
    make(&hub, &["brief", "--scope", "read"]);
}

#[test]
fn a_rotated_token_works_beside_the_new_one_for_a_while() {
    let hub = Hub::start();
    let old = make(&hub, &["mac", "--scope", "read"]);
    let new = said(&hub.place().cli(&["token", "rotate", "mac"], b"")).trim_end().to_owned();
    until("the new secret to work", || (status_of(&hub, &new) == 200).then_some(()));
    assert_eq!(status_of(&hub, &old), 200);
    let states: Vec<Value> = listed(&hub).iter().map(|token| token["state"].clone()).collect();
    assert_eq!(states, ["active", "replaced"]);
    let last = said(&hub.place().cli(&["token", "rotate", "mac", "--overlap", "0m"], b"")).trim_end().to_owned();
    until("the second secret to end", || (status_of(&hub, &new) == 401).then_some(()));
    assert_eq!((status_of(&hub, &last), status_of(&hub, &old)), (200, 200), "the first one's day is not over");
    said(&hub.place().cli(&["token", "revoke", "mac"], b""));
    until("all to end", || [&old, &new, &last].iter().all(|s| status_of(&hub, s) == 401).then_some(()));
}

#[test]
fn a_list_shows_prefix_limits_and_last_use_and_no_secret() {
    let mut hub = Hub::start();
    let args = ["mac", "--scope", "write,memory", "--agent", "mac:claude", "--stream", "project/*", "--expires", "30d"];
    let secret = make(&hub, &args);
    assert_eq!(status_of(&hub, &secret), 200);
    // When tokens were last used is written down at the end, if not before.
    hub.terminate();
    let token = listed(&hub).remove(0);
    assert_eq!(token["prefix"], secret[..9]);
    assert_eq!(token["scopes"], "read write memory");
    assert_eq!((&token["agents"], &token["streams"]), (&json!(["mac:claude"]), &json!(["project/*"])));
    for time in ["created_at", "expires_at", "last_used_at"] {
        assert!(token[time].is_string(), "{time}: {token}");
    }
    assert_eq!(token["created_by"], "command line");
    let text = said(&hub.place().cli(&["token", "list"], b"")) + &token.to_string();
    assert!(text.contains(&secret[..9]) && !text.contains(&secret) && !text.contains("hash"), "{text}");
}

#[test]
fn what_cannot_be_is_refused_by_field_and_value() {
    let hub = Hub::start();
    make(&hub, &["mac"]);
    for (args, expected) in [
        (&["mac"][..], "name 'mac' is a living token's"),
        (&["x", "--expires", "yesterday"][..], "expires 'yesterday' is not a length of time"),
        (&["x", "--expires", "2020-01-01T00:00:00Z"][..], "is over already"),
        (&["x", "--scope", "admin", "--agent", "a"][..], "agent cannot limit a token with the scope `admin`"),
        (&["x", "--scope", "replicate", "--stream", "s"][..], "stream cannot limit a token with the scope `replicate`"),
        (&["  "][..], "name"),
    ] {
        let said = refused(&hub.place().cli(&[&["token", "create"], args].concat(), b""));
        assert!(said.contains(expected), "{args:?}: {said}");
    }
    assert_eq!(hub.place().cli(&["token", "create"], b"").status.code(), Some(2), "a name is needed");
    let unknown = refused(&hub.place().cli(&["token", "rotate", "nobody"], b""));
    assert!(unknown.contains("token 'nobody' not found"), "{unknown}");
}

#[test]
fn sessions_are_listed_and_ended_by_the_command_and_on_the_page() {
    let hub = Hub::start();
    let secret = make(&hub, &["mac", "--scope", "read"]);
    let (cookie, admin) = (session_of(&hub, &secret), hub.session());
    let sessions = || {
        let text = said(&hub.place().cli(&["session", "list", "--json"], b""));
        let list: Value = serde_json::from_str(&text).expect("JSON");
        list["sessions"].as_array().expect("a list").clone()
    };
    let all = sessions();
    assert_eq!(all.iter().map(|s| s["token"].clone()).collect::<Vec<_>>(), ["bootstrap", "mac"], "the newest first");
    assert!(!format!("{all:?}").contains(cookie.split('=').next_back().expect("a value")));
    let id = all[1]["id"].as_str().expect("a text");
    said(&hub.place().cli(&["session", "end", id], b""));
    until("the session to end", || (page(&hub, &cookie, "/log").status == 303).then_some(()));
    assert_eq!(status_of(&hub, &secret), 200, "the token stays");
    let gone = refused(&hub.place().cli(&["session", "end", id], b""));
    assert!(gone.contains("not found"), "{gone}");

    let second = session_of(&hub, &secret);
    let id = sessions()[0]["id"].as_str().expect("a text").to_owned();
    assert!(page(&hub, &admin, "/tokens").text().contains(&id));
    let request = hub.request("POST", "/tokens").without("Authorization").header("Cookie", &admin);
    let form = format!("action=end-session&session={id}");
    assert_eq!(request.header("Origin", &hub.origin()).form(&form).send().status, 303);
    assert_eq!(page(&hub, &second, "/log").status, 303, "at once");
}

#[test]
fn a_token_of_another_scope_is_told_which_one_it_lacks() {
    let hub = Hub::start();
    let replica = make(&hub, &["other hub", "--scope", "replicate"]);
    let answer = bearer_call(&hub, &replica, "mempalace_event_append", event("s", "x"));
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(with_bearer(&hub, &replica, "GET", "/statusz").send().status, 403);
    let reader = make(&hub, &["reader", "--scope", "read"]);
    assert!(told(&hub, &reader, "mempalace_event_list", json!({}))["events"].is_array());
}
