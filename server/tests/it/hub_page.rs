//! The page `/hub`, and what every page says of its hub: what is wrong is there with what to do about it, and who does not manage the hub
//! sees neither the addresses nor the errors of others.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::foreign_hub::{ForeignHub, ok, parameter};
use crate::hub::Hub;
use crate::made::{self, page};
use crate::sync_mesh::write_peers;

/// Where nobody listens.
const DEAD: &str = "http://127.0.0.1:9";

fn replica(digit: char) -> String {
    format!("rep_{}", digit.to_string().repeat(32))
}

/// A hub whose one author has an event with an artifact that nobody has, and which knows of `known` as well.
fn foreign(known: Option<(String, i64)>) -> ForeignHub {
    ForeignHub::start(move |target: &str| {
        if target.starts_with("/sync/version_vector") {
            let mut vector = json!({replica('1'): 3});
            if let Some((origin, n)) = &known {
                vector[origin] = (*n).into();
            }
            return ok(
                &json!({"replica_id": replica('0'), "version_vector": vector, "profile": {"program": "loggia/9"}}),
            );
        }
        if target.starts_with("/sync/artifact") {
            return (404, b"{}".to_vec());
        }
        let origin = parameter(target, "origin");
        let after: i64 = parameter(target, "after").parse().unwrap_or(0);
        let events: Vec<Value> =
            (after + 1..=3).filter(|_| origin == replica('1')).map(|n| event(&origin, n)).collect();
        ok(&json!({"origin": origin, "events": events, "count": events.len()}))
    })
}

fn event(origin: &str, n: i64) -> Value {
    json!({
        "id": format!("evt_20261130T140000_00000000000{n}"), "seq": n, "origin_replica": origin, "origin_seq": n,
        "hlc": format!("{:013}-000000-{origin}", 1_796_068_474_000_i64 + n), "type": "t.x", "stream": "s", "room": "r",
        "topic": null, "from_agent": "a", "to_agent": null, "correlation_id": null, "branch": null, "base_commit": null,
        "status": null, "artifact_ids": if n == 2 { vec!["art_missing"] } else { vec![] }, "body": "b",
        "created_at": "2026-11-30T14:00:00Z", "metadata": {},
    })
}

/// A session of a token with one scope.
fn session_of(hub: &Hub, scope: &str) -> String {
    let made = hub.place().cli(&["token", "create", "--name", scope, "--scope", scope, "--json"], b"");
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let secret = made["token"].as_str().unwrap_or_else(|| panic!("{made}"));
    // The hub looks for a token that it does not know when a program shows it; a sign-in takes those that it knows.
    made::until("the token to be known", || (made::status_of(hub, secret) != 401).then_some(()));
    made::session_of(hub, secret)
}

/// The page, once it holds all of these.
#[track_caller]
fn wait_for(hub: &Hub, session: &str, target: &str, parts: &[&str]) -> String {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let text = page(hub, session, target).text();
        let Some(missing) = parts.iter().find(|part| !text.contains(**part)) else { return text };
        assert!(Instant::now() < until, "no `{missing}` in {text}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_is_wrong_is_said_and_addresses_and_errors_are_for_who_manages_the_hub() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    hub.append("s", "one");
    let foreign = foreign(None);
    write_peers(&hub.place().palace(), &[("archive", foreign.url()), ("gone", DEAD.to_owned())]);
    let (admin, reader) = (hub.session(), session_of(&hub, "read"));
    let seen =
        ["Events do not come from archive; authors held back: 1.", "Not reached for some time: gone", "art_missing"];
    let text = wait_for(&hub, &admin, "/hub", &seen);
    for part in [&*foreign.url(), DEAD, "holds back", "failing", "not here yet", "cannot be reached"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The event is not here, so the link leads to the hub that has it.
    let there = format!("{}/event?id=evt_20261130T140000_000000000002", foreign.url());
    assert!(text.contains(&there), "{text}");

    let text = wait_for(&hub, &reader, "/hub", &seen);
    for secret in [&*foreign.url(), DEAD, "cannot be reached"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert!(text.contains("Why is shown to who manages the hub."), "{text}");
    let report = text.split_once("id=\"hub-report\"").expect("a report").1.split("</pre>").next().expect("its end");
    assert!(report.contains(&format!("blocked {}", replica('1'))) && !report.contains("archive"), "{report}");
    assert_eq!(page(&hub, &session_of(&hub, "memory"), "/hub").status, 303, "who may not read sees nothing");
}

#[test]
fn a_hub_that_was_restored_and_one_with_invented_data_say_so_on_every_page() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    hub.append("demo/atlas", "one");
    let session = hub.session();
    for target in ["/", "/log", "/hub", "/nowhere"] {
        let text = wait_for(&hub, &session, target, &["There is invented data in this log."]);
        assert!(!text.contains("restored from an old backup"), "{target}: {text}");
    }
    let own = hub.get("/statusz").json()["replica_id"].as_str().expect("an id").to_owned();
    let foreign = foreign(Some((own, 60)));
    write_peers(&hub.place().palace(), &[("archive", foreign.url())]);
    for target in ["/", "/log", "/hub", "/agents"] {
        wait_for(&hub, &session, target, &["restored from an old backup", "archive could not give back"]);
    }
    let chinese = hub
        .request("GET", "/hub")
        .without("Authorization")
        .header("Cookie", &session)
        .header("Accept", "text/html")
        .header("Accept-Language", "zh-CN")
        .send()
        .text();
    assert!(chinese.contains("此枢纽是从旧备份恢复的") && !chinese.contains("old backup"), "{chinese}");
}

#[test]
fn every_limit_is_shown_with_its_variable_and_what_it_is_for() {
    let hub = Hub::builder().var("LOGGIA_MAX_STREAMS", "4321").var("LOGGIA_RATE_PER_S", "77").start();
    let text = page(&hub, &hub.session(), "/hub").text();
    for part in ["4\u{202f}321", "77 a second", "LOGGIA_MAX_STREAMS_PER_TOKEN", "LOGGIA_IDLE_S", "262.1\u{a0}kB"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let table =
        text.split_once("aria-label=\"Limits\"").expect("the limits").1.split("</table>").next().expect("its end");
    assert_eq!(table.matches("<code>LOGGIA_").count(), 12, "{table}");
    assert!(!table.contains("<td>LOGGIA_") && !table.contains("<td>body"), "a limit without a word for it: {table}");
}

#[test]
fn a_hub_alone_says_that_nothing_is_wrong_and_how_to_add_another() {
    let hub = Hub::start();
    let answer = page(&hub, &hub.session(), "/hub");
    assert_eq!(answer.status, 200);
    let text = answer.text();
    for part in
        ["Nothing needs you here.", "This hub pulls from no other.", "loggia peers add", "pulls from no other hub"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("hub-banner"), "{text}");
}
