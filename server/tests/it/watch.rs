//! `loggia logstream watch` on the palace's files: what it prints, how it ends, and how its state file never lets an event be missed.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli_child::Running;
use crate::hub::{Hub, event_with};
use crate::place::Place;

const WATCH: [&str; 3] = ["logstream", "watch", "--json"];

fn state_path(place: &Place, name: &str) -> PathBuf {
    place.home().join(".mempalace").join("watch").join(name)
}

fn state(path: &PathBuf) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("a state file is JSON")
}

/// Runs a watch that ends by itself; its exit code and its one document.
#[track_caller]
fn watch(place: &Place, more: &[&str]) -> (Option<i32>, Value) {
    let output = place.cli(&[&WATCH[..], more].concat(), b"");
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (output.status.code(), answer)
}

fn bodies(answer: &Value) -> Vec<String> {
    let events = answer["events"].as_array().expect("a list");
    events.iter().map(|e| e["body"].as_str().expect("a text").to_owned()).collect()
}

/// To an agent, from somebody.
fn letter(hub: &Hub, from: &str, to: &str, body: &str) -> String {
    let event = hub.append_event(event_with("s", body, json!({"from_agent": from, "to_agent": to})));
    event["id"].as_str().expect("a text").to_owned()
}

#[test]
fn a_first_run_begins_at_the_end_and_says_so() {
    let hub = Hub::start();
    letter(&hub, "a", "me", "old");
    let tip = letter(&hub, "a", "me", "newest");
    let mut watching = Running::start(hub.place(), &[&WATCH[..], &["--agent", "me", "--follow"]].concat());
    watching.hears(&format!("starting at the newest event ({tip})"));
    let path = state_path(hub.place(), "me.json");
    assert_eq!(state(&path)["cursor"], json!(tip), "the first position is noted before anything arrives");
    let id = letter(&hub, "a", "me", "new");
    assert_eq!(bodies(&watching.json()), ["new"]);
    watching.interrupt();
    let (code, rest) = watching.end();
    assert_eq!((code, rest.len()), (Some(130), 0), "{rest:?}");
    let noted = state(&path);
    assert_eq!((&noted["cursor"], &noted["agent"]), (&json!(id), &json!("me")));
    assert!(noted["updated_at"].as_str().is_some_and(|t| t.ends_with('Z')), "{noted}");
}

#[test]
fn what_arrives_between_two_runs_is_not_missed() {
    let hub = Hub::start();
    let args = ["--agent", "me", "--idle-exit-ms", "200"];
    let (code, answer) = watch(hub.place(), &args);
    assert_eq!((code, &answer["timed_out"], &answer["cursor"]), (Some(2), &json!(true), &json!(null)));
    // Begun on an empty log, which is no first run the next time.
    assert_eq!(state(&state_path(hub.place(), "me.json"))["cursor"], json!(null));
    let first = letter(&hub, "a", "me", "first");
    let second = letter(&hub, "a", "*", "second");
    letter(&hub, "me", "*", "my own");
    letter(&hub, "a", "another", "not mine");
    let (code, answer) = watch(hub.place(), &["--agent", "me", "--limit", "1"]);
    assert_eq!((code, bodies(&answer), &answer["cursor"]), (Some(0), vec!["first".to_owned()], &json!(first)));
    let (code, answer) = watch(hub.place(), &args);
    assert_eq!((code, bodies(&answer), &answer["cursor"]), (Some(0), vec!["second".to_owned()], &json!(second)));
    let (code, answer) = watch(hub.place(), &args);
    assert_eq!((code, bodies(&answer)), (Some(2), vec![]));
}

#[test]
fn the_position_moves_over_what_does_not_match() {
    let hub = Hub::start();
    letter(&hub, "a", "me", "old");
    let (_, answer) = watch(hub.place(), &["--agent", "me", "--idle-exit-ms", "100"]);
    let newest = letter(&hub, "a", "another", "not mine");
    let (code, then) = watch(hub.place(), &["--agent", "me", "--idle-exit-ms", "100"]);
    assert_ne!(answer["cursor"], then["cursor"]);
    assert_eq!((code, &then["cursor"]), (Some(2), &json!(newest)));
    assert_eq!(state(&state_path(hub.place(), "me.json"))["cursor"], json!(newest));
}

#[test]
fn a_watch_that_goes_on_notes_what_passes_by() {
    let hub = Hub::start();
    let args = [&WATCH[..], &["--agent", "me", "--follow", "--from-start"]].concat();
    let watching = Running::start(hub.place(), &args);
    let path = state_path(hub.place(), "me.json");
    let newest = letter(&hub, "a", "another", "not mine");
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !path.exists() || state(&path)["cursor"] != json!(newest) {
        assert!(std::time::Instant::now() < until, "the position does not move");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    watching.interrupt();
    assert_eq!(watching.end().0, Some(130));
}

#[test]
fn a_state_file_that_cannot_be_used_costs_a_repetition() {
    let hub = Hub::start();
    letter(&hub, "a", "me", "1");
    letter(&hub, "a", "me", "2");
    let path = state_path(hub.place(), "me.json");
    fs::create_dir_all(path.parent().expect("it has one")).expect("our own home");
    for (content, said) in [
        ("junk", "cannot be read"),
        (r#"{"updated_at": "x"}"#, "cannot be read"),
        (r#"{"cursor": "evt_20260101T000000_000000000000"}"#, "is not in this log"),
    ] {
        fs::write(&path, content).expect("our own home");
        let output = hub.place().cli(&[&WATCH[..], &["--agent", "me"]].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{content}: {output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(bodies(&answer), ["1", "2"], "{content}");
    }
    assert_eq!(state(&path)["cursor"], hub.list(json!({}))[0]["id"], "and it is whole again");
}

#[test]
fn an_explicit_cursor_must_exist_and_nothing_is_written_otherwise() {
    let hub = Hub::start();
    let first = letter(&hub, "a", "me", "1");
    letter(&hub, "a", "me", "2");
    let output = hub.place().cli(&[&WATCH[..], &["--agent", "me", "--since-event-id", "evt_x"]].concat(), b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(error["error"], "since_event_id 'evt_x' not found");
    assert!(!state_path(hub.place(), "me.json").exists());
    let (_, answer) = watch(hub.place(), &["--agent", "me", "--since-event-id", &first]);
    assert_eq!(bodies(&answer), ["2"]);
    // It beats a state file, too.
    let (_, answer) = watch(hub.place(), &["--agent", "me", "--since-event-id", &first, "--limit", "1"]);
    assert_eq!(bodies(&answer), ["2"]);
}

#[test]
fn without_a_first_note_it_does_not_start() {
    let place = Place::new();
    let missing = "/proc/none/state.json";
    let first = place.cli(&[&WATCH[..], &["--state-file", missing, "--idle-exit-ms", "100"]].concat(), b"");
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    let error: Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert!(error["error"].as_str().is_some_and(|e| e.contains(missing)), "{error}");
}

#[test]
fn the_flags_choose_the_state_file() {
    let place = Place::new();
    let idle = ["--idle-exit-ms", "50"];
    assert_eq!(watch(&place, &[&["--agent", "h_x:a/b"][..], &idle].concat()).0, Some(2));
    assert!(state_path(&place, "h__x_a_b.json").exists());
    assert_eq!(watch(&place, &[&["--agent", "none", "--state-file", ""][..], &idle].concat()).0, Some(2));
    assert!(!state_path(&place, "none.json").exists());
    let named = place.home().join("new").join("named.json");
    let name = named.to_str().expect("made of ASCII");
    assert_eq!(watch(&place, &[&["--state-file", name][..], &idle].concat()).0, Some(2));
    assert!(named.exists() && crate::place::is_private(&named));
    let files = fs::read_dir(named.parent().expect("it has one")).expect("it was made").count();
    assert_eq!(files, 1, "nothing is left beside it");
}

#[test]
fn bad_flags_are_refused_before_anything_is_made() {
    let place = Place::new();
    for (args, sentence) in [
        (&["--limit", "0"][..], "--limit must be a positive integer, not 0"),
        (&["--poll-timeout-ms", "0"], "--poll-timeout-ms must be a positive number of milliseconds, not 0"),
        (&["--idle-exit-ms", "-1"], "--idle-exit-ms must be 0 (never) or a positive number of milliseconds, not -1"),
        (
            &["--type", "BAD"],
            "type='BAD' is not a valid event type (lowercase letters, digits, '.', '_', '-'; max 64 chars)",
        ),
        (&["--status", "x"], "status='x' is not one of: applied, blocked, claimed, failed, open, ready, superseded"),
    ] {
        let output = place.cli(&[&WATCH[..], &["--agent", "me"], args].concat(), b"");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(error["error"], sentence);
    }
    assert!(!place.palace().exists() && !place.home().join(".mempalace").exists());
}
