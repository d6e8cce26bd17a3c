//! Diaries: entries come back whole and exact, names are one whatever their case, and nothing is lost when many write at once.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, TOKEN};
use crate::outsider;

/// Code fences, emoji, quotes, every kind of line end: what a diary really holds.
fn telling(chars: usize) -> String {
    let piece = "```rust\nlet x = \"é😀\";\r\n```\n|SESSION:2026-05-04|MIR+TOM|★★★\t中文 \u{200d}…\n";
    piece.chars().cycle().take(chars - 1).chain(['!']).collect()
}

#[track_caller]
fn write(hub: &Hub, agent: &str, entry: &str) -> Value {
    let answer = hub.call("mempalace_diary_write", json!({"agent_name": agent, "entry": entry}));
    assert_eq!(answer["success"], true, "{answer}");
    answer
}

#[track_caller]
fn read(hub: &Hub, agent: &str, last_n: u32) -> Value {
    hub.call("mempalace_diary_read", json!({"agent_name": agent, "last_n": last_n}))
}

#[test]
fn entries_of_any_length_come_back_whole() {
    let mut hub = Hub::start();
    let entries: Vec<String> = [2, 800, 801, 5_000, 100_000].into_iter().map(telling).collect();
    for entry in &entries {
        let answer = write(&hub, "ag", entry);
        assert_eq!(answer["chunks"], entry.chars().count().div_ceil(800), "rows are counted as agents know it");
    }
    hub.restart();
    let answer = read(&hub, "ag", 10);
    assert_eq!((&answer["total"], &answer["showing"]), (&json!(5), &json!(5)));
    let read: Vec<&str> =
        answer["entries"].as_array().expect("a list").iter().map(|e| e["content"].as_str().expect("a text")).collect();
    let newest_first: Vec<&str> = entries.iter().rev().map(String::as_str).collect();
    assert_eq!(read, newest_first);
    let id = &answer["entries"][0]["entry_id"];
    let drawer = hub.call("mempalace_get_drawer", json!({"drawer_id": id}));
    assert_eq!(drawer["content"], entries[4]);
    assert_eq!((&drawer["chunks"], &drawer["room"]), (&json!(125), &json!("diary")));
}

#[test]
fn sixteen_agents_who_write_at_once_lose_nothing() {
    const AGENTS: usize = 16;
    const ENTRIES: usize = 20;
    let hub = Hub::start();
    std::thread::scope(|scope| {
        for agent in 0..AGENTS {
            let caller = hub.caller();
            scope.spawn(move || {
                for n in 0..ENTRIES {
                    // All write the same words, so that only the moment tells the entries apart; every third is long.
                    let entry = if n % 3 == 0 { telling(1700 + n) } else { format!("entry {n}") };
                    let arguments = json!({"agent_name": format!("h:x:a{agent}"), "entry": entry, "wing": "shared"});
                    let answer = caller.call("mempalace_diary_write", arguments).expect("the hub lives");
                    assert_eq!(answer["success"], true, "{answer}");
                }
            });
        }
    });
    let mut ids = HashSet::new();
    for agent in 0..AGENTS {
        let answer = read(&hub, &format!("h:x:a{agent}"), 100);
        assert_eq!(answer["total"], ENTRIES, "{agent}");
        let entries = answer["entries"].as_array().expect("a list");
        for (n, entry) in entries.iter().rev().enumerate() {
            let expected = if n % 3 == 0 { telling(1700 + n) } else { format!("entry {n}") };
            assert_eq!(entry["content"], expected, "agent {agent}, entry {n}");
            ids.insert(entry["entry_id"].as_str().expect("a text").to_owned());
        }
    }
    assert_eq!(ids.len(), AGENTS * ENTRIES);
    let palace = outsider::open(&hub.place().palace().join("palace.sqlite3"));
    let sound: String = palace.query_row("PRAGMA integrity_check", [], |r| r.get(0)).expect("a pragma");
    assert_eq!(sound, "ok");
}

#[test]
fn what_was_acknowledged_survives_kills_and_nothing_is_split() {
    let mut hub = Hub::start();
    let acknowledged = Mutex::new(Vec::new());
    for round in 0..5 {
        std::thread::scope(|scope| {
            for agent in 0..4 {
                let (caller, acknowledged) = (hub.caller(), &acknowledged);
                scope.spawn(move || {
                    for n in 0.. {
                        let entry = format!("{round} {agent} {n} {}", telling(1 + n * 613 % 3000));
                        let arguments = json!({"agent_name": "storm", "entry": entry});
                        let Some(answer) = caller.call("mempalace_diary_write", arguments) else { return };
                        assert_eq!(answer["success"], true, "{answer}");
                        let id = answer["entry_id"].as_str().expect("a text").to_owned();
                        acknowledged.lock().expect("no writer panics").push((id, entry));
                    }
                });
            }
            let begun = Instant::now();
            while acknowledged.lock().expect("no writer panics").len() < 20 * (round + 1) {
                assert!(begun.elapsed() < Duration::from_secs(30), "round {round} is no storm");
                std::thread::sleep(Duration::from_millis(5));
            }
            hub.kill9();
        });
        hub.start_again();
    }
    for (id, entry) in acknowledged.into_inner().expect("no writer panics") {
        let drawer = hub.call("mempalace_get_drawer", json!({"drawer_id": id}));
        assert_eq!(drawer["content"], entry, "{id}");
    }
    // What was not acknowledged is there whole or not at all: its length says how long it must be.
    for entry in read(&hub, "storm", 100)["entries"].as_array().expect("a list") {
        let content = entry["content"].as_str().expect("a text");
        let mut words = content.splitn(4, ' ');
        let n: usize = words.nth(2).expect("a number").parse().expect("a number");
        assert_eq!(words.next(), Some(&*telling(1 + n * 613 % 3000)));
    }
}

#[test]
fn the_identity_that_the_log_knows_keeps_a_diary() {
    let hub = Hub::start();
    let answer = write(&hub, "Win:Codex:Blender", "hello");
    assert_eq!(answer["agent"], "win:codex:blender");
    assert_eq!(answer["agent_spelling"], "Win:Codex:Blender");
    write(&hub, "win/codex/blender", "not the same");
    let answer = read(&hub, "WIN:codex:blender", 10);
    assert_eq!(answer["total"], 1);
    let entry = &answer["entries"][0];
    assert_eq!(entry["content"], "hello");
    let wing = entry["wing"].as_str().expect("a text");
    assert!(wing.starts_with("wing_win_codex_blender_"), "{wing}");
    let listed = hub.call("mempalace_list_drawers", json!({"wing": wing}));
    assert_eq!(listed["total"], 1, "the wing that was made is one that tools take");
}

#[test]
fn old_rows_with_upper_case_are_found_and_joined() {
    let hub = Hub::start();
    write(&hub, "copilot", "new");
    let palace = outsider::open(&hub.place().palace().join("palace.sqlite3"));
    // As an import leaves them: the name as it was once written, a group of chunks, a head.
    for (n, text) in [(0, "first half, "), (1, "second half")] {
        let sql = "INSERT INTO drawers (drawer_id, logical_id, is_head, chunk_index, wing, room, type, agent, agent_key, \
                   filed_at, filed_key, content) VALUES ('old_chunk_' || ?1, 'old', ?1 = 0, ?1, 'wing_copilot', 'diary', \
                   'diary_entry', 'Copilot', 'copilot', '2020-01-02T03:04:05', '2020-01-02T03:04:05.000000', ?2)";
        palace.execute(sql, (n, text)).expect("the columns are ours");
    }
    let answer = read(&hub, "Copilot", 10);
    assert_eq!(answer["total"], 2);
    assert_eq!(answer["entries"][1]["content"], "first half, second half");
    assert_eq!(answer["entries"][1]["date"], "2020-01-02");
}

#[test]
fn what_is_refused_says_which_rule() {
    let hub = Hub::start();
    let refused = |arguments: Value| {
        let answer = hub.call("mempalace_diary_write", arguments);
        assert_eq!(answer["success"], false, "{answer}");
        answer["error"].as_str().expect("a text").to_owned()
    };
    assert_eq!(refused(json!({"agent_name": "a", "entry": null})), "content must be a non-empty string");
    assert_eq!(refused(json!({"agent_name": "a", "entry": "", "content": "x"})), "content must be a non-empty string");
    assert_eq!(refused(json!({"agent_name": "a", "entry": "x", "topic": null})), "topic must be a non-empty string");
    assert_eq!(refused(json!({"agent_name": "a", "entry": "x", "wing": "  "})), "name must be a non-empty string");
    assert_eq!(refused(json!({"agent_name": "a", "entry": "x", "wing": 5})), "name must be a non-empty string");
    assert_eq!(refused(json!({"agent_name": "a\u{7}b", "entry": "x"})), "agent_name contains invalid characters");
    let missing = hub.call_error("mempalace_diary_write", json!({"agent_name": "a"}));
    assert_eq!(missing["code"], -32602);
    assert_eq!(missing["message"], "Missing required parameter 'entry' for tool mempalace_diary_write");
    let alias =
        hub.call("mempalace_diary_write", json!({"agent_name": "a", "entry": null, "content": "by its other name"}));
    assert_eq!(alias["success"], true, "{alias}");
    assert_eq!(read(&hub, "a", 10)["total"], 1);
}

#[test]
fn every_write_leaves_two_lines_without_its_text() {
    use std::os::unix::fs::PermissionsExt as _;
    let hub = Hub::start();
    write(&hub, "ag", "nobody else shall read this");
    let path = hub.place().palace().join("wal").join("write_log.jsonl");
    let mode = std::fs::metadata(&path).expect("it was written").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).expect("it is text");
    assert!(!text.contains("nobody else") && !text.contains(TOKEN), "{text}");
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("each line is JSON")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[0]["operation"], "diary_write");
    assert_eq!(lines[0]["params"]["agent_name"], "ag");
    assert_eq!(lines[0]["params"]["entry"], "[27 characters]");
    assert_eq!(lines[0]["result"], Value::Null);
    assert_eq!(lines[1]["result"]["success"], true);
    assert_eq!(lines[0]["timestamp"], lines[1]["timestamp"]);
}

#[test]
fn a_checkpoint_files_what_is_new_and_writes_one_entry() {
    let hub = Hub::start();
    let item = |content: &str| json!({"wing": "w", "room": "ra", "content": content});
    let arguments = json!({
        "items": [item("one"), item("two"), item("one"), {"wing": "a/b", "room": "r", "content": "x"}],
        "diary": {"agent_name": "Me", "entry": "done"},
    });
    let answer = hub.call("mempalace_checkpoint", arguments);
    assert_eq!(answer["added"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(answer["duplicates"][0]["matches"][0]["id"], answer["added"][0]["drawer_id"]);
    assert_eq!(answer["errors"], json!([{"success": false, "error": "wing contains invalid path characters"}]));
    assert_eq!(answer["diary"]["topic"], "session-checkpoint");
    let drawer = hub.call("mempalace_get_drawer", json!({"drawer_id": answer["added"][0]["drawer_id"]}));
    assert_eq!(drawer["metadata"]["added_by"], "Me");

    let refused = hub.call("mempalace_checkpoint", json!({"items": "[]", "diary": {"entry": "x", "wing": "a/b"}}));
    assert_eq!(refused["diary"]["success"], false, "a refused entry does not lose the answer: {refused}");
}

#[test]
fn a_hooks_checkpoint_is_told_once() {
    let hub = Hub::start();
    let filed_away = || hub.call("mempalace_memories_filed_away", json!({}));
    assert_eq!(filed_away()["status"], "quiet");
    let entry = "CHECKPOINT:2026-11-30|session:s1|msgs:17|recent:a|b";
    hub.call("mempalace_diary_write", json!({"agent_name": "claude", "entry": entry, "topic": "checkpoint"}));
    let told = filed_away();
    assert_eq!((&told["status"], &told["count"]), (&json!("ok"), &json!(17)));
    assert_eq!(filed_away()["status"], "quiet");
}
