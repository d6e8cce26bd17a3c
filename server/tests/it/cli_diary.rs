//! `loggia diary`: entries go in and come back byte for byte, on the palace's file and on a hub, with the same answers.

use std::fs;

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::{Hub, TOKEN};
use crate::place::Place;

/// Code fences, emoji, every kind of line end: what a diary really holds.
fn telling(chars: usize) -> String {
    let piece = "```rust\nlet x = \"é😀\";\r\n```\n|SESSION:2026-05-04|MIR+TOM|★★★\t中文 \u{200d}…\n";
    piece.chars().cycle().take(chars - 1).chain(['!']).collect()
}

/// An answer without what differs from one write to the next.
fn timeless(mut answer: Value) -> Value {
    for member in ["entry_id", "timestamp", "chunk_ids"] {
        assert!(answer[member].take() != Value::Null || member == "chunk_ids", "{answer}");
    }
    answer
}

#[test]
fn entries_of_any_length_come_back_byte_for_byte() {
    let place = Place::new();
    for chars in [2, 800, 5_000, 100_000] {
        let entry = telling(chars);
        let write = ["diary", "write", "--agent", "Mac:Claude:x", "--json"];
        let written = if chars == 5_000 {
            let file = place.home().join("entry.md");
            fs::write(&file, &entry).expect("our own folder");
            let name = file.to_str().expect("made of ASCII");
            json_of(&place.cli(&[&write[..], &["--entry-file", name]].concat(), b""))
        } else {
            json_of(&place.cli(&[&write[..], &["--entry-file", "-"]].concat(), entry.as_bytes()))
        };
        assert_eq!((&written["success"], &written["agent"]), (&json!(true), &json!("mac:claude:x")));
        let read = json_of(&place.cli(&["diary", "read", "--agent", "mac:claude:X", "--last-n", "1", "--json"], b""));
        assert_eq!(read["entries"][0]["content"], entry.as_str());
        let id = written["entry_id"].as_str().expect("a text");
        let bytes = place.cli(&["drawer", "get", id], b"");
        assert!(bytes.status.success() && bytes.stdout == entry.as_bytes(), "{chars}");
    }
    let too_long = place.cli(&["diary", "write", "--agent", "a", "--json"], telling(100_001).as_bytes());
    assert_eq!(too_long.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&too_long.stdout).expect("JSON");
    assert_eq!(error["error"], "content exceeds maximum length of 100000 characters");
}

#[test]
fn a_hub_and_the_file_below_it_answer_the_same() {
    let hub = Hub::start();
    let url = hub.origin();
    let there = ["--url", &url, "--token", TOKEN];
    let entry = telling(2_000);
    let write = ["diary", "write", "--agent", "Win:Codex:b", "--topic", "work", "--json"];
    let elsewhere = Place::new();
    let away = json_of(&elsewhere.cli(&[&write[..], &there].concat(), entry.as_bytes()));
    assert!(!elsewhere.palace().exists(), "a hub was meant");
    let beside = json_of(&hub.place().cli(&write, entry.as_bytes()));
    assert_eq!(timeless(away), timeless(beside));
    let tool = hub.call("mempalace_diary_read", json!({"agent_name": "win:codex:b"}));
    assert_eq!(tool["total"], 2, "both are in the hub's palace at once");
    for more in [&["win:codex:b"][..], &["Win:codex:b", "--wing", "w", "--last-n", "3"], &["nobody"]] {
        let read = [&["diary", "read", "--json", "--agent"], more].concat();
        let away = json_of(&elsewhere.cli(&[&read[..], &there].concat(), b""));
        assert_eq!(away, json_of(&hub.place().cli(&read, b"")), "{more:?}");
    }
    assert_eq!(tool, json_of(&hub.place().cli(&["diary", "read", "--agent", "win:codex:b", "--json"], b"")));
}

#[test]
fn people_read_entries_whole_and_without_control_characters() {
    let place = Place::new();
    let empty = place.cli(&["diary", "read", "--agent", "a"], b"");
    assert_eq!(String::from_utf8_lossy(&empty.stdout), "no diary entries by a yet\n");
    for entry in ["first", "l1\r\nl2\t\u{1b}[31m"] {
        assert!(place.cli(&["diary", "write", "--agent", "a", "--entry", entry], b"").status.success());
    }
    let told = place.cli(&["diary", "read", "--agent", "a"], b"");
    let text = String::from_utf8(told.stdout).expect("UTF-8");
    assert!(text.starts_with("2 of 2 entries by a, newest first\n\n── "), "{text}");
    assert!(text.contains("general  wing_a  diary_wing_a_") && text.contains("\nl1\nl2\t\u{fffd}[31m\n"), "{text}");
    assert!(text.ends_with("\nfirst\n"), "{text}");
}

#[test]
fn what_is_no_entry_is_refused_before_anything_is_touched() {
    let place = Place::new();
    for (args, stdin, error) in [
        (&["write", "--agent", "a"][..], &b" \n"[..], "content must be a non-empty string"),
        (&["write", "--agent", "a"], b"a\0b", "content contains null bytes"),
        (&["write", "--agent", "a", "--entry-file", "-"], b"\xff", "-: not UTF-8 text (byte 0)"),
        (
            &["write", "--agent", "a", "--entry", "x", "--entry-file", "y"],
            b"",
            "give --entry or --entry-file, not both",
        ),
        (&["write", "--agent", " ", "--entry", "x"], b"", "agent_name must be a non-empty string"),
        (&["write", "--agent", "a", "--entry", "x", "--wing", "a/b"], b"", "wing contains invalid path characters"),
        (&["write", "--agent", "a", "--entry", "x", "--topic", ""], b"", "topic must be a non-empty string"),
        (&["write", "--agent", "a", "--entry-file", "no/such"], b"", "no/such: No such file or directory (os error 2)"),
    ] {
        let output = place.cli(&[&["diary"], args, &["--json"]].concat(), stdin);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["error"], error, "{args:?}");
    }
    assert_eq!(place.cli(&["diary", "read", "--agent", "a", "--last-n", "0"], b"").status.code(), Some(2));
    assert!(!place.palace().exists());
}
