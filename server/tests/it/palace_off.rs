//! The palace is off, busy or newer than the program: coordination goes on, and what does not work says why.

use serde_json::{Value, json};

use crate::hub::{Hub, tool_call};
use crate::outsider;
use crate::place::Place;

/// The whole JSON-RPC result of a tool.
fn result(hub: &Hub, tool: &str, arguments: Value) -> Value {
    hub.rpc(tool_call(tool, arguments)).json()["result"].clone()
}

#[track_caller]
fn coordination_works(hub: &Hub) {
    hub.append("s", "still here");
    assert_eq!(hub.list(json!({"stream": "s"})).len(), 1);
}

#[test]
fn a_damaged_palace_leaves_coordination_alone() {
    let place = Place::new();
    std::fs::create_dir(place.palace()).expect("the folder is new");
    std::fs::write(place.palace().join("palace.sqlite3"), "this is no database at all, ".repeat(100)).expect("written");
    let hub = Hub::builder().at(&place).start();
    coordination_works(&hub);
    let off = result(&hub, "mempalace_list_wings", json!({}));
    assert_eq!(off["isError"], true, "{off}");
    assert_eq!(off["structuredContent"]["error"], "Backend open failed");
    assert!(off["structuredContent"]["details"].as_str().is_some_and(|d| d.contains("not a database")), "{off}");
    let search = hub.call("mempalace_search", json!({"query": "x"}));
    assert_eq!(search["results"], json!([]));
    let refused = hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "x"}));
    assert_eq!(refused["success"], false);
}

#[test]
fn a_palace_that_was_held_comes_on_when_it_is_let_go() {
    let place = Place::new();
    std::fs::create_dir(place.palace()).expect("the folder is new");
    let holder = outsider::open(&place.palace().join("palace.sqlite3"));
    holder.execute_batch("CREATE TABLE t (x); BEGIN EXCLUSIVE").expect("nobody else has it yet");
    let hub = Hub::builder().at(&place).start();
    coordination_works(&hub);
    let refused = hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "x"}));
    assert_eq!(refused["success"], false, "{refused}");
    holder.execute_batch("ROLLBACK; DROP TABLE t").expect("it was ours");
    drop(holder);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "x"}))["success"] != true {
        assert!(std::time::Instant::now() < until, "the palace stays off:\n{}", place.stderr());
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
fn a_write_while_another_process_holds_the_file_can_be_tried_again() {
    let hub = Hub::start();
    hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "first"}));
    let holder = outsider::open(&hub.place().palace().join("palace.sqlite3"));
    holder.execute_batch("BEGIN IMMEDIATE").expect("the hub is idle");
    let refused = hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "second"}));
    assert_eq!(refused["success"], false, "{refused}");
    assert_eq!(refused["error_class"], "LockHeldByOtherProcess");
    let read = hub.call("mempalace_diary_read", json!({"agent_name": "a"}));
    assert_eq!(read["total"], 1, "reading goes on: {read}");
    holder.execute_batch("ROLLBACK").expect("it was ours");
    let again = hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "second"}));
    assert_eq!(again["success"], true, "{again}");
}

#[test]
fn an_older_program_reads_a_newer_palace_and_never_writes_it() {
    let hub = Hub::start();
    hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": "first"}));
    let newer = outsider::open(&hub.place().palace().join("palace.sqlite3"));
    newer.pragma_update(None, "user_version", 999).expect("a pragma");
    let refused = |hub: &Hub| hub.call_error("mempalace_diary_write", json!({"agent_name": "a", "entry": "second"}));
    let error = refused(&hub);
    assert_eq!(error["code"], -32005, "while it runs: {error}");
    assert!(error["message"].as_str().is_some_and(|m| m.contains("restart")), "{error}");
    let mut hub = hub;
    hub.restart();
    assert_eq!(refused(&hub)["code"], -32005, "and after a restart");
    let status = hub.call("mempalace_status", json!({}));
    assert_eq!(status["sqlite_integrity"]["schema_version"], 999, "the file's, not the program's");
    assert_eq!(hub.call("mempalace_diary_read", json!({"agent_name": "a"}))["total"], 1);
    coordination_works(&hub);
}

#[test]
fn a_read_only_hub_shows_the_palace_and_refuses_changes() {
    let hub = Hub::start();
    let added = hub.call("mempalace_add_drawer", json!({"wing": "w", "room": "r", "content": "x"}));
    let place = std::sync::Arc::clone(hub.place());
    drop(hub);
    let hub = Hub::builder().at(&place).arg("--read-only").start();
    let id = &added["drawer_id"];
    assert_eq!(hub.call("mempalace_get_drawer", json!({"drawer_id": id}))["content"], "x");
    for (tool, arguments) in [
        ("mempalace_diary_write", json!({"agent_name": "a", "entry": "x"})),
        ("mempalace_delete_drawer", json!({"drawer_id": id})),
        ("mempalace_checkpoint", json!({"items": []})),
        ("mempalace_hook_settings", json!({})),
    ] {
        let refused = hub.call(tool, arguments);
        assert_eq!(refused["success"], false, "{tool}: {refused}");
    }
    assert_eq!(hub.call("mempalace_status", json!({}))["total_drawers"], 1);
}

#[test]
fn the_memory_needs_its_own_scope() {
    let hub = Hub::start();
    let made = hub.place().cli(&["token", "create", "--name", "log only", "--scope", "write", "--json"], b"");
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let bearer = format!("Bearer {}", made["token"].as_str().expect("a text"));
    let call = |tool: &str| {
        let body = tool_call(tool, json!({"agent_name": "a"}));
        hub.request("POST", "/mcp").set("Authorization", &bearer).json(body).send()
    };
    let denied = call("mempalace_diary_read");
    assert_eq!(denied.status, 403);
    assert_eq!(denied.json()["error"]["data"]["scope"], "memory");
}
