//! Drawers: what is filed comes back verbatim, under an id that stays, and is gone when it was deleted.

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::outsider;

#[track_caller]
fn add(hub: &Hub, wing: &str, room: &str, content: &str) -> String {
    let answer = hub.call("mempalace_add_drawer", json!({"wing": wing, "room": room, "content": content}));
    assert_eq!(answer["success"], true, "{answer}");
    answer["drawer_id"].as_str().expect("a text").to_owned()
}

#[track_caller]
fn get(hub: &Hub, id: &str) -> Value {
    hub.call("mempalace_get_drawer", json!({"drawer_id": id}))
}

#[test]
fn a_long_text_is_one_drawer_of_several_rows() {
    let hub = Hub::start();
    let content = "é😀x".repeat(700);
    let id = add(&hub, "w", "r", &content);
    let drawer = get(&hub, &id);
    assert_eq!(drawer["content"], content);
    assert_eq!(drawer["metadata"]["parent_drawer_id"], id);
    let chunk = drawer["chunk_ids"][1].as_str().expect("a text");
    assert_eq!(get(&hub, chunk)["content"].as_str().expect("a text").chars().count(), 800);
    let listed = hub.call("mempalace_list_drawers", json!({}));
    assert_eq!((&listed["total"], &listed["drawers"][0]["chunks"]), (&json!(1), &json!(3)));
    assert_eq!(hub.call("mempalace_list_rooms", json!({"wing": "w"}))["rooms"], json!({"r": 3}));
}

#[test]
fn a_text_that_was_changed_away_can_be_filed_again() {
    let hub = Hub::start();
    let id = add(&hub, "w", "r", "one");
    assert_eq!(add(&hub, "w", "r", "one"), id);
    hub.call("mempalace_update_drawer", json!({"drawer_id": id, "content": "two"}));
    let again = add(&hub, "w", "r", "one");
    assert_ne!(again, id, "the id belongs to the changed drawer");
    assert_eq!((get(&hub, &id)["content"].clone(), get(&hub, &again)["content"].clone()), (json!("two"), json!("one")));
    assert_eq!(add(&hub, "w", "r", "one"), again, "and then it is there");
    hub.call("mempalace_update_drawer", json!({"drawer_id": again, "room": "elsewhere"}));
    assert_ne!(add(&hub, "w", "r", "one"), again, "one that was moved away is not in this room");
}

#[test]
fn a_change_keeps_the_id_and_the_time_of_filing() {
    let hub = Hub::start();
    let id = add(&hub, "w", "r", "short");
    let before = get(&hub, &id);
    let long = "z".repeat(1700);
    let grown = hub.call("mempalace_update_drawer", json!({"drawer_id": id, "content": long, "wing": "v"}));
    assert_eq!((&grown["chunks"], &grown["wing"]), (&json!(3), &json!("v")));
    let after = get(&hub, &id);
    assert_eq!(after["content"], long);
    assert_eq!(after["metadata"]["filed_at"], before["metadata"]["filed_at"]);
    assert_ne!(after["metadata"]["last_modified"], before["metadata"]["last_modified"]);
    assert_eq!(
        hub.call("mempalace_list_wings", json!({}))["wings"],
        json!({"v": 3}),
        "the old wing went with its last row"
    );

    let moved = hub.call("mempalace_update_drawer", json!({"drawer_id": id, "room": "s"}));
    assert_eq!(moved["success"], true, "{moved}");
    assert_eq!(get(&hub, &id)["content"], long);
    let shrunk = hub.call("mempalace_update_drawer", json!({"drawer_id": id, "content": "small"}));
    assert_eq!(shrunk["chunk_ids"], json!([format!("{id}_chunk_000000")]), "what was a group stays one");
    assert_eq!(hub.call("mempalace_get_taxonomy", json!({}))["taxonomy"], json!({"v": {"s": 1}}));
}

#[test]
fn a_move_leaves_the_rows_as_an_import_brought_them() {
    let hub = Hub::start();
    add(&hub, "w", "r", "not moved");
    let palace = outsider::open(&hub.place().palace().join("palace.sqlite3"));
    for (n, text) in [(0, "a short piece, "), (1, "and the rest of it")] {
        let sql = "INSERT INTO drawers (drawer_id, logical_id, is_head, chunk_index, wing, room, filed_at, content, more_json) \
                   VALUES ('old#' || ?1, 'old', ?1 = 0, ?1, 'w', 'r', '2020-01-02T03:04:05', ?2, '{\"page\": ' || ?1 || '}')";
        palace.execute(sql, (n, text)).expect("the columns are ours");
    }
    palace.execute("DELETE FROM unembedded", []).expect("as if there were vectors");
    let rows = || -> Vec<(i64, String, String)> {
        let sql = "SELECT id, drawer_id, more_json FROM drawers WHERE logical_id = 'old' ORDER BY id";
        let mut statement = palace.prepare(sql).expect("a question");
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).expect("an answer");
        rows.collect::<Result<_, _>>().expect("rows")
    };
    let before = rows();
    let moved = hub.call("mempalace_update_drawer", json!({"drawer_id": "old", "room": "s"}));
    assert_eq!(
        (&moved["wing"], &moved["room"], &moved["chunk_ids"]),
        (&json!("w"), &json!("s"), &json!(["old#0", "old#1"]))
    );
    assert_eq!(rows(), before);
    let waiting: i64 = palace.query_row("SELECT count(*) FROM unembedded", [], |r| r.get(0)).expect("a count");
    assert_eq!(waiting, 0, "nothing is embedded again");
    assert_eq!(hub.call("mempalace_get_taxonomy", json!({}))["taxonomy"], json!({"w": {"r": 1, "s": 2}}));
    let listed = hub.call("mempalace_list_drawers", json!({"room": "s"}));
    let drawer = &listed["drawers"][0];
    assert_eq!(
        (&drawer["content_preview"], &drawer["chunks"]),
        (&json!("a short piece, and the rest of it"), &json!(2))
    );
    assert_ne!(drawer["metadata"]["last_modified"], drawer["metadata"]["filed_at"]);
}

#[test]
fn one_chunk_cannot_be_changed_but_deleted() {
    let hub = Hub::start();
    let id = add(&hub, "w", "r", &format!("{}{}tail", "a".repeat(800), "b".repeat(800)));
    let chunk = format!("{id}_chunk_000001");
    let refused = hub.call("mempalace_update_drawer", json!({"drawer_id": chunk, "content": "x"}));
    assert_eq!(refused["success"], false);
    assert_eq!(refused["error"], format!("{chunk} is one chunk of {id}"));
    assert_eq!(hub.call("mempalace_delete_drawer", json!({"drawer_id": chunk}))["deleted_ids"], json!([chunk]));
    assert_eq!(get(&hub, &id)["content"], format!("{}tail", "a".repeat(800)), "the rest stays, with its gap");
    hub.call("mempalace_delete_drawer", json!({"drawer_id": format!("{id}_chunk_000000")}));
    let listed = hub.call("mempalace_list_drawers", json!({}));
    assert_eq!((&listed["total"], &listed["drawers"][0]["content_preview"]), (&json!(1), &json!("tail")));
    let gone = hub.call("mempalace_delete_drawer", json!({"drawer_id": id}));
    assert_eq!(gone["chunks_deleted"], 1);
    assert_eq!(hub.call("mempalace_status", json!({}))["total_drawers"], 0);
}

#[test]
fn lists_are_ordered_by_id_and_cut_by_time() {
    let hub = Hub::start();
    hub.call("mempalace_diary_write", json!({"agent_name": "ag", "entry": "x"}));
    for room in ["b", "a", "é", "Z"] {
        add(&hub, "w", room, "text");
    }
    let listed = hub.call("mempalace_list_drawers", json!({"limit": 100}));
    let ids: Vec<&str> = listed["drawers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|d| d["drawer_id"].as_str().expect("a text"))
        .collect();
    assert!(ids.is_sorted() && ids[0].starts_with("diary_") && ids.len() == 5, "{ids:?}");
    let total = |window: Value| hub.call("mempalace_list_drawers", window)["total"].clone();
    assert_eq!(total(json!({"since": "2020-01-01", "before": "2999-01-01T00:00+02:00"})), 5);
    assert_eq!(total(json!({"before": "2020-01-01"})), 0);
    let filed_at = listed["drawers"][4]["metadata"]["filed_at"].as_str().expect("a text").to_owned();
    assert_eq!(total(json!({"since": filed_at, "room": "é"})), 1, "since counts its own moment");
    assert_eq!(total(json!({"before": filed_at, "room": "é"})), 0, "before does not");
}

#[test]
fn only_a_plain_no_deletes_by_source() {
    let hub = Hub::start();
    let source = "/src/Notes.md";
    let add = |content: &str| {
        let arguments = json!({"wing": "w", "room": "r", "content": content, "source_file": source});
        hub.call("mempalace_add_drawer", arguments);
    };
    add("one");
    add(&"two".repeat(600));
    let delete = |source: &str, dry_run: Value| {
        hub.call("mempalace_delete_by_source", json!({"source_file": source, "dry_run": dry_run}))
    };
    for dry in [json!(true), json!("false"), json!(null), json!(1)] {
        let answer = delete(source, dry);
        assert_eq!((&answer["dry_run"], &answer["match_count"]), (&json!(true), &json!(4)), "{answer}");
    }
    assert_eq!(delete("/src/notes.md", json!(false))["deleted"], 0, "the path is exact");
    assert_eq!(delete(source, json!(false))["deleted"], 4);
    assert_eq!(hub.call("mempalace_list_drawers", json!({}))["total"], 0);
}

#[test]
fn what_is_named_twice_is_deleted_once() {
    let hub = Hub::start();
    let id = add(&hub, "w", "r", "one");
    let answer = hub.call("mempalace_delete_drawers", json!({"drawer_ids": [id, "nope", id]}));
    assert_eq!(
        (&answer["deleted"], &answer["errors"], &answer["count"]),
        (&json!(1), &json!(2), &json!(3)),
        "{answer}"
    );
    let listed = hub.call("mempalace_get_drawers", json!({"drawer_ids": "[\"nope\"]"}));
    assert_eq!(listed["errors"], 1, "a list may come as its JSON text: {listed}");
}

#[test]
fn a_value_of_the_wrong_type_is_named() {
    let hub = Hub::start();
    let number = json!({"wing": "w", "room": "r", "content": "x", "source_file": 5});
    let error = hub.call_error("mempalace_add_drawer", number);
    assert_eq!((&error["code"], &error["data"]["field"]), (&json!(-32602), &json!("source_file")));
    let error = hub.call_error("mempalace_list_drawers", json!({"limit": null}));
    assert_eq!(error["message"], "Invalid value for parameter 'limit'");
    let error = hub.call_error("mempalace_check_duplicate", json!({"content": "x", "threshold": null}));
    assert_eq!(error["message"], "Invalid value for parameter 'threshold'");
}
