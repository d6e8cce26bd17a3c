//! Claims and states across hubs: whatever arrived first, every hub names the same winner, and every status has its place on the board.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, TOKEN, event_with};

/// Pulls once what the other hub has.
#[track_caller]
fn pull(here: &Hub, there: &Hub) {
    let output = here.place().cli(&["logstream", "sync", "--peer", &there.origin(), "--token", TOKEN, "--json"], b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn claim(hub: &Hub, event_id: &Value, agent: &str) -> Value {
    let arguments = json!({"event_id": event_id, "from_agent": agent, "status": "claimed", "body": "Taking it."});
    let answer = hub.call("mempalace_event_ack", arguments);
    assert_eq!(answer["success"], true, "{answer}");
    answer["event"].clone()
}

fn told(hub: &Hub, correlation_id: &Value) -> Value {
    hub.call("mempalace_correlation_get", json!({"correlation_id": correlation_id}))
}

/// What the pages of somebody with a session are answered.
fn ask(hub: &Hub, session: &str, question: &str) -> Value {
    let request = hub.request("POST", "/api/ask").without("Authorization").header("Origin", &hub.origin());
    request.header("Cookie", session).json(question).send().json()
}

#[test]
fn two_hubs_that_learn_of_two_claims_in_either_order_name_one_winner() {
    let (one, two) = (Hub::start(), Hub::start());
    let request = json!({
        "project": "Atlas", "from_agent": "ann", "to_agent": "*", "goal": "Draw the map", "branch": "main",
        "base_commit": "0123abc", "done": "it is drawn",
    });
    let task = one.call("mempalace_task_create", request)["task"].clone();
    let correlation = &task["correlation_id"];
    pull(&two, &one);
    // Neither hears the other until both have a claim: each saw its own first.
    let at_one = claim(&one, &task["id"], "mac:claude");
    let at_two = claim(&two, &task["id"], "win:codex");
    assert_eq!(told(&one, correlation)["claimant"], "mac:claude");
    assert_eq!(told(&two, correlation)["claimant"], "win:codex", "it knows of no other");
    pull(&two, &one);
    pull(&one, &two);

    let (winner, loser) = if at_one["hlc"].as_str() < at_two["hlc"].as_str() {
        ("mac:claude", "win:codex")
    } else {
        ("win:codex", "mac:claude")
    };
    let arrived = |hub: &Hub| -> Vec<Value> {
        hub.list(json!({"correlation_id": correlation, "order": "asc"})).iter().map(|e| e["id"].clone()).collect()
    };
    assert_ne!(arrived(&one), arrived(&two), "they arrived in another order");
    for hub in [&one, &two] {
        let told = told(hub, correlation);
        assert_eq!((&told["state"], &told["claimant"]), (&json!("claimed"), &json!(winner)), "{told}");
        assert_eq!((&told["lost_claims"], &told["unsettled_claims"]), (&json!([loser]), &json!([loser])), "{told}");
        let ids: Vec<&Value> = told["events"].as_array().expect("a list").iter().map(|e| &e["id"]).collect();
        let (first, second) = if winner == "mac:claude" { (&at_one, &at_two) } else { (&at_two, &at_one) };
        assert_eq!(ids, [&task["id"], &first["id"], &second["id"]], "one order on every hub");
    }

    // A second window of the winner is no race, and the loser's last word settles the one that was.
    claim(&two, &task["id"], winner);
    let step_back = json!({"event_id": task["id"], "from_agent": loser, "status": "superseded"});
    assert_eq!(two.call("mempalace_event_ack", step_back)["success"], true);
    pull(&one, &two);
    for hub in [&one, &two] {
        let told = told(hub, correlation);
        assert_eq!((&told["state"], &told["claimant"]), (&json!("claimed"), &json!(winner)), "{told}");
        assert_eq!((&told["lost_claims"], &told["unsettled_claims"]), (&json!([loser]), &json!([])), "{told}");
    }
}

#[test]
fn every_status_has_its_place_and_no_card_keeps_an_old_one() {
    let hub = Hub::start();
    let session = hub.session();
    let write = |correlation: &str, status: &str| {
        let mut fields = json!({"type": "task.request", "to_agent": "ben", "correlation_id": correlation});
        if status != "none" {
            fields["status"] = status.into();
        }
        hub.append_event(event_with("s", correlation, fields));
    };
    let statuses = ["none", "open", "claimed", "ready", "blocked", "applied", "failed", "superseded"];
    for status in statuses {
        write(&format!("in order {status}"), "open");
        write(&format!("in order {status}"), status);
        write(&format!("alone {status}"), status);
    }
    // Back again, out of any order.
    for status in ["ready", "blocked"] {
        write(&format!("back {status}"), status);
        write(&format!("back {status}"), "open");
    }
    let stands = |board: &Value| -> std::collections::BTreeMap<String, String> {
        let open = board["Overview"]["open"].as_array().unwrap_or_else(|| panic!("no board: {board}"));
        let text = |card: &Value, key: &str| card[key].as_str().expect("a text").to_owned();
        open.iter().map(|card| (text(card, "correlation_id"), text(card, "state"))).collect()
    };
    let until = Instant::now() + Duration::from_secs(30);
    let board = loop {
        let board = stands(&ask(&hub, &session, r#"{"question":"Overview"}"#));
        if board.get("back blocked").is_some_and(|state| state == "open") {
            break board;
        }
        assert!(Instant::now() < until, "{board:?}");
        std::thread::sleep(Duration::from_millis(20));
    };
    for kind in ["in order", "alone"] {
        for status in statuses {
            let shown = board.get(&format!("{kind} {status}")).map(String::as_str);
            let expected = match status {
                // A request without a word asks.
                "none" => Some("open"),
                "applied" | "superseded" => None,
                word => Some(word),
            };
            if status == "failed" {
                // It needs somebody, wherever it is shown.
                let whole = told(&hub, &json!(format!("{kind} {status}")));
                assert_eq!((&whole["state"], &whole["needs_someone"]), (&json!("failed"), &json!(true)));
                continue;
            }
            assert_eq!(shown, expected, "{kind} {status}");
        }
    }
    assert_eq!(board.get("back ready").map(String::as_str), Some("open"));
}
