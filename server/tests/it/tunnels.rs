//! Tunnels, hallways and the graph of rooms: digging, following, walking, and figures that every write shows in at once.

use serde_json::{Value, json};

use crate::hub::{Hub, tool_call};

#[track_caller]
fn file(hub: &Hub, wing: &str, room: &str, content: &str) -> String {
    let answer = hub.call("mempalace_add_drawer", json!({"wing": wing, "room": room, "content": content}));
    assert_eq!(answer["success"], true, "{answer}");
    answer["drawer_id"].as_str().expect("an id is a text").to_owned()
}

/// A hub whose palace has rooms in several wings.
fn palace() -> Hub {
    let hub = Hub::start();
    for (wing, room, count) in [
        ("my-wing", "ra", 2),
        ("other", "shared", 1),
        ("my-wing", "shared", 3),
        ("Proj", "shared", 1),
        ("third", "rc", 1),
        ("other", "rc", 4),
        ("third", "zz", 1),
        ("other", "aa", 1),
    ] {
        for n in 0..count {
            file(&hub, wing, room, &format!("{wing} {room} {n}"));
        }
    }
    hub
}

fn ends(source: (&str, &str), target: (&str, &str)) -> Value {
    json!({"source_wing": source.0, "source_room": source.1, "target_wing": target.0, "target_room": target.1})
}

#[track_caller]
fn dig(hub: &Hub, source: (&str, &str), target: (&str, &str), more: Value) -> Value {
    let mut arguments = ends(source, target);
    let (Value::Object(all), Value::Object(more)) = (&mut arguments, more) else { panic!("objects") };
    all.extend(more);
    let tunnel = hub.call("mempalace_create_tunnel", arguments);
    assert!(tunnel["id"].is_string(), "{tunnel}");
    tunnel
}

/// One member of every element of a list.
#[track_caller]
fn each(list: &Value, member: &str) -> Vec<Value> {
    list.as_array().unwrap_or_else(|| panic!("no list: {list}")).iter().map(|element| element[member].clone()).collect()
}

const RA: (&str, &str) = ("my-wing", "ra");
const SHARED: (&str, &str) = ("other", "shared");

#[test]
fn between_two_rooms_there_is_one_tunnel_whichever_is_named_first() {
    let hub = palace();
    let first = dig(&hub, RA, SHARED, json!({"label": "why", "source_drawer_id": "x"}));
    assert_eq!(first["id"], "f506e9d0b13890fc");
    assert_eq!(first["source"], json!({"wing": "my-wing", "room": "ra", "drawer_id": "x"}));
    assert_eq!(
        (&first["kind"], &first["strength"], &first["stability"]),
        (&json!("explicit"), &json!(1.0), &json!(1.0))
    );
    assert_eq!((&first["created_at"], &first["access_count"]), (&first["last_activated"], &json!(0)));
    assert!(first["created_at"].as_str().is_some_and(|t| t.ends_with("+00:00")) && first.get("updated_at").is_none());

    let second = dig(&hub, SHARED, RA, json!({"label": null}));
    assert_eq!((&second["id"], &second["created_at"]), (&first["id"], &first["created_at"]));
    assert_eq!((&second["label"], &second["source"]), (&json!(""), &json!({"wing": "other", "room": "shared"})));
    assert!(second["updated_at"].is_string(), "{second}");
    assert_eq!(hub.call("mempalace_list_tunnels", json!({})), json!([second]));
    assert_ne!(dig(&hub, RA, RA, json!({}))["id"], first["id"], "a room may be joined with itself");
}

#[test]
fn a_tunnel_needs_rooms_that_hold_something() {
    let hub = palace();
    let refused = |arguments: Value| hub.call("mempalace_create_tunnel", arguments);
    let no_source = refused(ends(("my_wing", "ra"), SHARED));
    assert_eq!(no_source["error"], "Source room 'ra' does not exist in wing 'my_wing'", "names are matched exactly");
    assert_eq!(no_source["field"], "source_room");
    let no_target = refused(ends(RA, ("other", "nope")));
    assert_eq!(no_target["error"], "Target room 'nope' does not exist in wing 'other'");
    let bad_name = refused(ends(("a/b", "ra"), SHARED));
    assert_eq!(bad_name["error"], "source_wing contains invalid path characters");
    let mut bad_label = ends(RA, SHARED);
    bad_label["label"] = 5.into();
    assert_eq!(refused(bad_label)["error"], "label must be a string");
    assert_eq!(hub.call("mempalace_list_tunnels", json!({})), json!([]));
}

#[test]
fn following_shows_what_is_meant_and_strengthens_while_listing_does_not() {
    let hub = palace();
    let long = "é".repeat(900);
    let drawer = file(&hub, "other", "shared", &long);
    dig(&hub, RA, SHARED, json!({"label": "why", "target_drawer_id": drawer, "source_drawer_id": "gone"}));
    dig(&hub, RA, RA, json!({}));
    dig(&hub, ("third", "rc"), RA, json!({}));
    let follow = |wing: &str, room: &str| hub.call("mempalace_follow_tunnels", json!({"wing": wing, "room": room}));

    let from_here = follow("MY wing", "ra");
    assert_eq!(each(&from_here, "direction"), ["outgoing", "outgoing", "incoming"]);
    assert_eq!(each(&from_here, "connected_wing"), ["other", "my-wing", "third"]);
    assert_eq!(each(&from_here, "connected_room"), ["shared", "ra", "rc"]);
    assert_eq!(each(&from_here, "drawer_id"), [json!(drawer), Value::Null, Value::Null]);
    assert_eq!(from_here[0]["drawer_preview"], "é".repeat(300));
    assert_eq!(from_here[0]["label"], "why");
    let back = follow("other", "shared");
    assert_eq!((&back[0]["direction"], &back[0]["drawer_id"]), (&json!("incoming"), &json!("gone")));
    assert!(back[0].get("drawer_preview").is_none(), "{back}");
    assert_eq!(follow("other", "rc"), json!([]));

    for _ in 0..2 {
        let tunnels = hub.call("mempalace_list_tunnels", json!({"wing": "my_wing"}));
        assert_eq!(each(&tunnels, "access_count"), [2, 1, 1]);
        assert_eq!(each(&tunnels, "stability"), [1.0, 1.0, 1.0], "only a pause makes it stabler");
        let strength = tunnels[0]["strength"].as_f64().expect("a number");
        assert!((strength - 1.1).abs() < 1e-9, "{strength}");
        assert_ne!(tunnels[0]["last_activated"], tunnels[0]["created_at"]);
    }
    assert_eq!(hub.call("mempalace_list_tunnels", json!({"wing": "third"})).as_array().map(Vec::len), Some(1));
    assert_eq!(
        hub.call("mempalace_follow_tunnels", json!({"wing": "a/b", "room": "ra"}))["error"],
        "wing contains invalid path characters"
    );
}

#[test]
fn a_deleted_tunnel_is_gone_and_deleting_nothing_is_no_error() {
    let hub = palace();
    let tunnel = dig(&hub, RA, SHARED, json!({}));
    let delete = |id: Value| hub.call("mempalace_delete_tunnel", json!({"tunnel_id": id}));
    assert_eq!(delete(json!("nope")), json!({"deleted": "nope"}));
    for bad in [json!(""), json!(null), json!(5)] {
        assert_eq!(delete(bad)["error"], "tunnel_id is required");
    }
    assert_eq!(hub.call("mempalace_graph_stats", json!({}))["explicit_tunnels"], 1);
    assert_eq!(delete(tunnel["id"].clone()), json!({"deleted": tunnel["id"]}));
    assert_eq!(hub.call("mempalace_list_tunnels", json!({})), json!([]));
}

#[test]
fn a_walk_goes_through_shared_wings() {
    let hub = palace();
    let walk = |room: &str, hops: Value| {
        let mut arguments = json!({"start_room": room});
        if !hops.is_null() {
            arguments["max_hops"] = hops;
        }
        hub.call("mempalace_traverse", arguments)
    };
    let steps = walk("ra", Value::Null);
    assert_eq!(each(&steps, "room"), ["ra", "shared", "rc", "aa"]);
    assert_eq!(each(&steps, "hop"), [0, 1, 2, 2]);
    assert_eq!(each(&steps, "count"), [2, 5, 5, 1]);
    assert_eq!(each(&steps, "connected_via"), [Value::Null, json!(["my-wing"]), json!(["other"]), json!(["other"])]);
    assert_eq!(steps[1]["wings"], json!(["Proj", "my-wing", "other"]));
    assert_eq!(each(&walk("ra", json!(0)), "room"), ["ra", "shared"], "at least one hop");
    assert_eq!(each(&walk("ra", json!("99")), "room"), ["ra", "shared", "rc", "aa", "zz"]);
    let unknown = walk("share", Value::Null);
    assert_eq!(unknown, json!({"error": "Room 'share' not found", "suggestions": ["shared"]}));
    let wrong = hub.call_error("mempalace_traverse", json!({"start_room": 5}));
    assert_eq!((&wrong["code"], &wrong["data"]["field"]), (&json!(-32602), &json!("start_room")));
}

#[test]
fn rooms_of_several_wings_and_the_figures_are_fresh_after_every_write() {
    let hub = palace();
    let find = |arguments: Value| hub.call("mempalace_find_tunnels", arguments);
    let all = find(json!({}));
    assert_eq!(each(&all, "room"), ["rc", "shared"]);
    let shared =
        json!({"room": "shared", "wings": ["Proj", "my-wing", "other"], "halls": [], "count": 5, "recent": ""});
    assert_eq!(all[1], shared);
    assert_eq!(each(&find(json!({"wing_a": "proj", "wing_b": "my_wing"})), "room"), ["shared"]);
    assert_eq!(find(json!({"wing_a": " ", "wing_b": "nope"})), json!([]));
    assert_eq!(find(json!({"wing_b": "a/b"}))["error"], "wing_b contains invalid path characters");

    for agent in ["bob", "eve"] {
        let written = hub.call("mempalace_diary_write", json!({"agent_name": agent, "entry": "hello"}));
        assert_eq!(written["success"], true, "{written}");
    }
    let diaries = find(json!({"wing_a": "wing_bob"}));
    assert_eq!((&diaries[0]["room"], &diaries[0]["halls"]), (&json!("diary"), &json!(["hall_diary"])));
    assert_eq!(diaries[0]["recent"].as_str().map(str::len), Some("2026-11-30".len()), "{diaries}");

    dig(&hub, RA, SHARED, json!({}));
    let stats = hub.call("mempalace_graph_stats", json!({}));
    let expected = json!({
        "total_rooms": 6, "total_room_instances": 10, "tunnel_rooms": 3, "passive_tunnel_rooms": 3,
        "explicit_tunnels": 1, "total_edges": 1, "total_connections": 2,
        "rooms_per_wing": {"Proj": 1, "my-wing": 2, "other": 3, "third": 2, "wing_bob": 1, "wing_eve": 1},
        "top_tunnels": [
            {"room": "shared", "wings": ["Proj", "my-wing", "other"], "count": 5},
            {"room": "diary", "wings": ["wing_bob", "wing_eve"], "count": 2},
            {"room": "rc", "wings": ["other", "third"], "count": 5},
        ],
    });
    assert_eq!(stats, expected);
}

#[test]
fn hallways_that_an_import_brought_are_listed_and_deleted() {
    let hub = Hub::start();
    let list = |arguments: Value| hub.call("mempalace_list_hallways", arguments);
    assert_eq!(list(json!({})), json!({"hallways": [], "total": 0, "count": 0, "offset": 0, "limit": 100}));
    let outsider = rusqlite::Connection::open(hub.place().palace().join("palace.sqlite3")).expect("the file is there");
    for (id, wing, count) in [("a", "w", 3), ("b", "w", 9), ("c", "v", 5)] {
        let sql = "INSERT INTO hallways (id, wing, entity_a, entity_b, co_occurrence_count, rooms_json, created_at)
            VALUES (?1, ?2, 'A', 'B', ?3, '[\"r\"]', '2026-01-01T00:00:00+00:00')";
        outsider.execute(sql, rusqlite::params![id, wing, count]).expect("added");
    }
    let page = list(json!({"limit": 2, "offset": 1}));
    assert_eq!((each(&page["hallways"], "id"), &page["total"]), (vec![json!("c"), json!("a")], &json!(3)));
    assert_eq!(each(&list(json!({"wing": "w"}))["hallways"], "id"), ["b", "a"]);
    assert_eq!(each(&list(json!({"limit": 9999, "offset": -5}))["hallways"], "id"), ["b", "c", "a"]);
    let hallway = json!({
        "id": "c", "wing": "v", "entity_a": "A", "entity_b": "B", "co_occurrence_count": 5, "rooms": ["r"], "label": "",
        "created_at": "2026-01-01T00:00:00+00:00", "created_by": "auto", "strength": 1.0, "stability": 1.0,
        "last_activated": null, "access_count": 0,
    });
    assert_eq!(page["hallways"][0], hallway);
    let delete = |id: Value| hub.call("mempalace_delete_hallway", json!({"hallway_id": id}));
    assert_eq!(delete(json!("c")), json!({"deleted": true}));
    assert_eq!(delete(json!("c")), json!({"deleted": false}));
    assert_eq!(delete(json!(""))["error"], "hallway_id is required");
}

#[test]
fn lists_are_structured_in_an_object_and_texts_stay_lists() {
    let hub = palace();
    for (tool, arguments) in [
        ("mempalace_list_tunnels", json!({})),
        ("mempalace_find_tunnels", json!({})),
        ("mempalace_traverse", json!({"start_room": "ra"})),
        ("mempalace_follow_tunnels", json!({"wing": "my-wing", "room": "ra"})),
    ] {
        let answer: Value = hub.rpc(tool_call(tool, arguments)).json();
        let text = crate::hub::tool_answer(&answer);
        assert!(text.is_array(), "{tool}: {text}");
        assert_eq!(answer["result"]["structuredContent"], json!({"result": text}), "{tool}");
    }
}

#[test]
fn a_read_only_hub_follows_without_a_trace_and_digs_nothing() {
    let hub = palace();
    let before = dig(&hub, RA, SHARED, json!({}));
    let place = hub.place().clone();
    drop(hub);
    let hub = Hub::builder().at(&place).arg("--read-only").start();
    let followed = hub.call("mempalace_follow_tunnels", json!({"wing": "my-wing", "room": "ra"}));
    assert_eq!(each(&followed, "connected_room"), ["shared"]);
    assert_eq!(hub.call("mempalace_list_tunnels", json!({})), json!([before]));
    assert_eq!(hub.call("mempalace_create_tunnel", ends(RA, RA))["success"], false);
}

#[test]
fn tools_that_only_read_say_so() {
    let hub = Hub::start();
    let listed = hub.rpc(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).json();
    let hints = |name: &str| -> Value {
        let tools = listed["result"]["tools"].as_array().expect("a list");
        let tool = tools.iter().find(|t| t["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        let hints = &tool["annotations"];
        json!([hints["readOnlyHint"], hints["idempotentHint"], hints["destructiveHint"]])
    };
    for (name, expected) in [
        ("mempalace_kg_query", json!([true, true, false])),
        ("mempalace_kg_timeline", json!([true, true, false])),
        ("mempalace_kg_stats", json!([true, true, false])),
        ("mempalace_traverse", json!([true, true, false])),
        ("mempalace_follow_tunnels", json!([false, false, false])),
        ("mempalace_kg_add", json!([false, false, false])),
        ("mempalace_kg_supersede", json!([false, false, false])),
        ("mempalace_create_tunnel", json!([false, true, true])),
        ("mempalace_delete_tunnel", json!([false, true, true])),
        ("mempalace_delete_hallway", json!([false, true, true])),
    ] {
        assert_eq!(hints(name), expected, "{name}");
    }
}
