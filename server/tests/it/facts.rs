//! Facts: what the kg tools record, end and replace, how they are asked for, and that replacing is all or nothing.

use serde_json::{Value, json};

use crate::hub::{Hub, tool_call};

#[track_caller]
fn add(hub: &Hub, subject: &str, predicate: &str, object: &str, more: Value) -> String {
    let mut arguments = json!({"subject": subject, "predicate": predicate, "object": object});
    let (Value::Object(all), Value::Object(more)) = (&mut arguments, more) else { panic!("objects") };
    all.extend(more);
    let answer = hub.call("mempalace_kg_add", arguments);
    assert_eq!(answer["success"], true, "{answer}");
    answer["triple_id"].as_str().expect("an id is a text").to_owned()
}

#[track_caller]
fn ask(hub: &Hub, arguments: Value) -> Value {
    let answer = hub.call("mempalace_kg_query", arguments);
    assert!(answer.get("error").is_none(), "{answer}");
    answer
}

/// One member of every fact in a list.
#[track_caller]
fn each(answer: &Value, list: &str, member: &str) -> Vec<Value> {
    answer[list].as_array().unwrap_or_else(|| panic!("no {list}: {answer}")).iter().map(|f| f[member].clone()).collect()
}

#[test]
fn a_fact_is_found_from_both_ends_in_the_spelling_of_whoever_asks() {
    let hub = Hub::start();
    let answer = hub.call(
        "mempalace_kg_add",
        json!({"subject": " O'Neil Co ", "predicate": "Works With", "object": "win:codex/x", "source_closet": "c"}),
    );
    assert_eq!(answer["fact"], "O'Neil Co → Works With → win:codex/x");
    assert!(
        answer["triple_id"].as_str().expect("a text").starts_with("t_oneil_co_works_with_win:codex/x_"),
        "{answer}"
    );
    let fact = json!({
        "direction": "outgoing", "subject": "ONEIL co", "predicate": "works_with", "object": "win:codex/x",
        "valid_from": null, "valid_to": null, "confidence": 1.0, "source_closet": "c", "current": true,
    });
    let expected = json!({
        "entity": "ONEIL co", "as_of": null, "active_facts": [fact], "historical_facts": [], "future_facts": [],
        "facts": [fact], "count": 1,
    });
    assert_eq!(ask(&hub, json!({"entity": "ONEIL co"})), expected);
    let from_there = ask(&hub, json!({"entity": "WIN:codex/x"}));
    assert_eq!(from_there["facts"][0]["direction"], "incoming");
    assert_eq!(each(&from_there, "facts", "subject"), ["O'Neil Co"]);
    assert_eq!(each(&from_there, "facts", "object"), ["WIN:codex/x"]);
}

#[test]
fn an_open_fact_is_recorded_once_and_keeps_its_dates() {
    let hub = Hub::start();
    let first = add(&hub, "a", "p", "b", json!({}));
    assert_eq!(add(&hub, "A", "P", "b", json!({"valid_from": "2020-01-01"})), first);
    assert_eq!(each(&ask(&hub, json!({"entity": "a"})), "facts", "valid_from"), [Value::Null]);
    let past = json!({"valid_from": "2020-01-01", "valid_to": "2020-02-01"});
    let closed = add(&hub, "a", "p", "c", past.clone());
    assert_ne!(add(&hub, "a", "p", "c", past), closed, "facts of the past pile up");
    let stats = hub.call("mempalace_kg_stats", json!({}));
    let expected = json!({
        "entities": 3, "triples": 3, "current_facts": 1, "expired_facts": 2, "relationship_types": ["p"],
    });
    assert_eq!(stats, expected);
}

#[test]
fn facts_are_sorted_into_past_present_and_future_and_asked_for_as_of_a_day() {
    let hub = Hub::start();
    add(&hub, "a", "p", "past", json!({"valid_from": "2020-01-01", "valid_to": "2021-01-01"}));
    add(&hub, "a", "p", "present", json!({"valid_from": "2021-01-01T12:00:00+00:00"}));
    add(&hub, "a", "p", "future", json!({"valid_from": "2999-01-01"}));
    let now = ask(&hub, json!({"entity": "a", "as_of": ""}));
    assert_eq!(now["as_of"], "");
    assert_eq!(each(&now, "facts", "object"), ["past", "present", "future"]);
    assert_eq!(each(&now, "historical_facts", "object"), ["past"]);
    assert_eq!(each(&now, "active_facts", "object"), ["present"]);
    assert_eq!(each(&now, "future_facts", "object"), ["future"]);
    for (as_of, expected) in [
        ("2019-12-31T23:59:59Z", json!([])),
        ("2020-01-01", json!(["past"])),
        ("2021-01-01", json!(["past"])),
        ("2021-01-01T12:00:00Z", json!(["past", "present"])),
        ("2021-01-01T23:59:59Z", json!(["present"])),
        ("2999-01-01", json!(["present", "future"])),
    ] {
        let answer = ask(&hub, json!({"entity": "a", "as_of": as_of}));
        assert_eq!(Value::from(each(&answer, "active_facts", "object")), expected, "{as_of}");
        assert_eq!((&answer["as_of"], &answer["historical_facts"]), (&json!(as_of), &json!([])));
    }
}

#[test]
fn the_direction_says_which_end_is_meant() {
    let hub = Hub::start();
    add(&hub, "a", "p", "b", json!({}));
    add(&hub, "self", "p", "Self", json!({}));
    for (entity, direction, count) in
        [("a", "outgoing", 1), ("a", "incoming", 0), ("b", "incoming", 1), ("a", "both", 1), ("self", "both", 2)]
    {
        let answer = ask(&hub, json!({"entity": entity, "direction": direction}));
        assert_eq!(answer["count"], count, "{entity} {direction}");
    }
    for bad in [json!("up"), json!(""), json!(null), json!(5)] {
        let answer = hub.call("mempalace_kg_query", json!({"entity": "a", "direction": bad}));
        assert_eq!(answer["error"], "direction must be 'outgoing', 'incoming', or 'both'");
        assert!(answer.get("success").is_none(), "{answer}");
    }
}

#[test]
fn an_ended_fact_stays_in_the_history() {
    let hub = Hub::start();
    add(&hub, "a", "p", "b", json!({"valid_from": "2020-01-01"}));
    let end = |object: &str, ended: Value| {
        let arguments = json!({"subject": "A", "predicate": "P", "object": object, "ended": ended});
        hub.call("mempalace_kg_invalidate", arguments)
    };
    let early = end("b", json!("2019-12-31"));
    assert_eq!((&early["success"], &early["field"]), (&json!(false), &json!("ended")), "{early}");
    assert_eq!(each(&ask(&hub, json!({"entity": "a"})), "facts", "current"), [true], "nothing changed");
    let ended = end("B", json!("2022-02-02"));
    assert_eq!(ended, json!({"success": true, "fact": "A → P → B", "ended": "2022-02-02"}));
    let known = ask(&hub, json!({"entity": "a"}));
    assert_eq!(each(&known, "historical_facts", "valid_to"), ["2022-02-02"]);
    assert_eq!(each(&known, "historical_facts", "current"), [false]);
    let nothing = end("nobody", Value::Null);
    assert_eq!(nothing["success"], true, "that there is none is no error");
    assert_eq!(nothing["ended"].as_str().map(str::len), Some("2022-02-02".len()), "{nothing}");
}

#[test]
fn a_value_is_replaced_at_one_second_or_not_at_all() {
    let hub = Hub::start();
    let replace = |old: &str, new: &str, at: Value| {
        let arguments = json!({"subject": "a", "predicate": "model", "old_object": old, "new_object": new, "at": at});
        hub.call("mempalace_kg_supersede", arguments)
    };
    add(&hub, "a", "model", "b", json!({"valid_from": "2020-01-01"}));
    let answer = replace("b", "c", json!("2023-03-03"));
    assert_eq!((&answer["fact"], &answer["superseded"]), (&json!("a → model → c"), &json!("b")), "{answer}");
    let known = ask(&hub, json!({"entity": "a"}));
    assert_eq!(each(&known, "facts", "valid_to"), [json!("2023-03-03T00:00:00Z"), Value::Null]);
    assert_eq!(each(&known, "facts", "valid_from"), ["2020-01-01", "2023-03-03T00:00:00Z"]);
    let then = ask(&hub, json!({"entity": "a", "as_of": "2023-03-03T00:00:00Z"}));
    assert_eq!(each(&then, "facts", "object"), ["c"], "never both, never neither");

    let early = replace("c", "d", json!("2000-01-01"));
    assert_eq!(early["success"], false);
    let rest = "an inverted interval would be invisible to every KG query";
    let message = format!("at='2000-01-01T00:00:00Z' is before valid_from='2023-03-03T00:00:00Z'; {rest}");
    assert_eq!(early["error"], message);
    assert_eq!(ask(&hub, json!({"entity": "a"})), known, "neither ended nor added");

    assert_eq!(replace("nobody", "e", json!(""))["success"], true, "without an old fact the new one is added");
    let again = replace("c", "c", Value::Null);
    assert_eq!(again["success"], true);
    assert_eq!(each(&ask(&hub, json!({"entity": "a"})), "facts", "object"), ["b", "c", "e", "c"]);
}

#[test]
fn a_name_that_is_not_whole_is_completed_or_answered_with_candidates() {
    let hub = Hub::start();
    for name in ["Zeta 1 End", "Zeta 2 End", "Solo Name", "Zeta 3 End", "Zeta 4 End", "Zeta 5 End", "Zeta 6 End"] {
        add(&hub, name, "p", "x", json!({}));
    }
    let solo = ask(&hub, json!({"entity": "solo"}));
    assert_eq!((&solo["entity"], &solo["resolved_from"]), (&json!("Solo Name"), &json!("solo")));
    assert_eq!(each(&solo, "facts", "subject"), ["Solo Name"]);
    let several = ask(&hub, json!({"entity": "Zeta"}));
    assert_eq!((&several["count"], &several["entity"]), (&json!(0), &json!("Zeta")));
    let names = ["Zeta 1 End", "Zeta 2 End", "Zeta 3 End", "Zeta 4 End", "Zeta 5 End"];
    assert_eq!(each(&several, "candidates", "name"), names);
    assert_eq!(several["candidates"][0]["id"], "zeta_1_end");
    for unknown in ["Ze", "eta", "%eta", "_____", "'''"] {
        let answer = ask(&hub, json!({"entity": unknown}));
        assert_eq!(answer["count"], 0, "{answer}");
        assert!(answer.get("candidates").is_none() && answer.get("resolved_from").is_none(), "{answer}");
    }
    // Somebody who is known by this name is never taken for somebody else.
    add(&hub, "y", "p", "Solo", json!({}));
    let known = ask(&hub, json!({"entity": "Solo", "direction": "outgoing"}));
    assert_eq!((&known["count"], &known["candidates"][0]["name"]), (&json!(0), &json!("Solo Name")));
}

#[test]
fn the_timeline_goes_by_the_beginning_and_in_pages() {
    let hub = Hub::start();
    add(&hub, "a", "p1", "b", json!({"valid_from": "2021-01-01"}));
    add(&hub, "a", "p2", "c", json!({"valid_from": "2020-01-01", "valid_to": "2020-06-01"}));
    add(&hub, "a", "p3", "d", json!({}));
    add(&hub, "e", "p4", "a", json!({"valid_from": "2020-12-31T23:59:59Z"}));
    add(&hub, "e", "p5", "f", json!({"valid_from": "2019-01-01"}));
    let timeline = |arguments: Value| hub.call("mempalace_kg_timeline", arguments);
    let all = timeline(json!({}));
    assert_eq!(all["entity"], "all");
    assert_eq!(each(&all, "timeline", "predicate"), ["p5", "p2", "p4", "p1", "p3"]);
    let about = timeline(json!({"entity": "A", "limit": "2", "offset": 1}));
    let expected = json!({
        "entity": "A", "count": 2, "total": 4, "offset": 1, "limit": 2,
        "timeline": [
            {"subject": "e", "predicate": "p4", "object": "a", "valid_from": "2020-12-31T23:59:59Z", "valid_to": null, "current": true},
            {"subject": "a", "predicate": "p1", "object": "b", "valid_from": "2021-01-01", "valid_to": null, "current": true},
        ],
    });
    assert_eq!(about, expected);
    for (limit, offset, applied) in [(0, 0, (1, 0)), (-1, -1, (1, 0)), (1000, 9, (100, 9))] {
        let page = timeline(json!({"limit": limit, "offset": offset}));
        assert_eq!((&page["limit"], &page["offset"]), (&json!(applied.0), &json!(applied.1)), "{page}");
    }
    assert_eq!(timeline(json!({"entity": "nobody"}))["total"], 0);
    assert_eq!(timeline(json!({"entity": ""}))["error"], "entity must be a non-empty string");
}

#[test]
fn what_breaks_a_rule_is_named_and_leaves_nothing() {
    let hub = Hub::start();
    let good = || json!({"subject": "s", "predicate": "p", "object": "o"});
    for (field, value, message) in [
        ("subject", json!(" "), "subject must be a non-empty string"),
        ("subject", json!(5), "subject must be a non-empty string"),
        ("predicate", json!("a:b"), "predicate contains invalid characters"),
        ("object", json!("y".repeat(129)), "object exceeds maximum length of 128 characters"),
        ("object", json!("y\u{0}"), "object contains null bytes"),
        ("valid_from", json!(5), "valid_from must be a string"),
        (
            "valid_to",
            json!("2020-13-01"),
            "valid_to='2020-13-01' is not a valid ISO-8601 date or UTC datetime (expected YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ)",
        ),
    ] {
        let mut arguments = good();
        arguments[field] = value;
        let answer = hub.call("mempalace_kg_add", arguments);
        assert_eq!((&answer["success"], &answer["error"]), (&json!(false), &json!(message)));
        assert_eq!(answer["field"], field, "{answer}");
    }
    let mut inverted = good();
    inverted["valid_from"] = "2021-01-01".into();
    inverted["valid_to"] = "2020-01-01".into();
    let answer = hub.call("mempalace_kg_add", inverted);
    assert_eq!((&answer["success"], &answer["field"]), (&json!(false), &json!("valid_to")), "{answer}");
    let stats = hub.call("mempalace_kg_stats", json!({}));
    assert_eq!((&stats["triples"], &stats["entities"]), (&json!(0), &json!(0)), "{stats}");
    let missing = hub.call_error("mempalace_kg_add", json!({"subject": "s", "object": "o"}));
    assert_eq!(missing["message"], "Missing required parameter 'predicate' for tool mempalace_kg_add");
    assert_eq!(hub.call_error("mempalace_kg_timeline", json!({"limit": null}))["code"], -32602);
}

#[test]
fn facts_survive_a_kill_and_replacements_made_at_once_leave_one_value() {
    let mut hub = Hub::start();
    add(&hub, "a", "model", "m0", json!({"valid_from": "2020-01-01"}));
    let threads: Vec<_> = (0..8)
        .map(|n| {
            let caller = hub.caller();
            std::thread::spawn(move || {
                let arguments = json!({
                    "subject": "a", "predicate": "model", "old_object": "m0", "new_object": format!("m{}", n % 2 + 1),
                    "at": "2024-01-01",
                });
                caller.call("mempalace_kg_supersede", arguments).expect("the hub lives")
            })
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic")["success"], true);
    }
    hub.kill9();
    hub.start_again();
    let known = ask(&hub, json!({"entity": "a"}));
    let mut objects: Vec<String> =
        each(&known, "facts", "object").iter().map(|o| o.as_str().expect("a text").to_owned()).collect();
    objects.sort();
    assert_eq!(objects, ["m0", "m1", "m2"], "each new value once");
    assert_eq!(each(&ask(&hub, json!({"entity": "m0"})), "facts", "valid_to"), ["2024-01-01T00:00:00Z"]);
}

#[test]
fn a_read_only_hub_answers_questions_and_records_nothing() {
    let hub = Hub::start();
    add(&hub, "a", "p", "b", json!({}));
    let place = hub.place().clone();
    drop(hub);
    let hub = Hub::builder().at(&place).arg("--read-only").start();
    let refused = hub.call("mempalace_kg_add", json!({"subject": "a", "predicate": "p", "object": "c"}));
    assert_eq!(refused["success"], false, "{refused}");
    assert_eq!(ask(&hub, json!({"entity": "a"}))["count"], 1);
}

#[test]
fn an_agent_without_memory_may_neither_record_nor_ask() {
    let hub = Hub::start();
    let made = hub.place().cli(&["token", "create", "--name", "reader", "--scope", "read", "--json"], b"");
    let made: Value = serde_json::from_slice(&made.stdout).expect("it answers JSON");
    let secret = made["token"].as_str().expect("a secret");
    for tool in ["mempalace_kg_stats", "mempalace_graph_stats"] {
        let answer = hub
            .request("POST", "/mcp")
            .set("Authorization", &format!("Bearer {secret}"))
            .json(tool_call(tool, json!({})))
            .send();
        assert_eq!(answer.status, 403, "{tool}: {answer:?}");
        assert_eq!(answer.json()["error"]["data"]["scope"], "memory");
    }
    // What an agent gets when nothing is said, and what a keeper of memories needs.
    for scopes in [
        &["token", "create", "--name", "agent", "--json"][..],
        &["token", "create", "--name", "m", "--scope", "read,memory", "--json"],
    ] {
        let made = hub.place().cli(scopes, b"");
        let made: Value = serde_json::from_slice(&made.stdout).expect("it answers JSON");
        let secret = made["token"].as_str().expect("a secret");
        let request = hub.request("POST", "/mcp").set("Authorization", &format!("Bearer {secret}"));
        let answer = request.json(tool_call("mempalace_kg_stats", json!({}))).send();
        assert_eq!(answer.status, 200, "{scopes:?}: {answer:?}");
    }
}
