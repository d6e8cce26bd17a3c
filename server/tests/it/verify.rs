//! `loggia verify`: a sound palace passes beside its hub, every kind of damage is named, and nothing is touched.

use std::fs;
use std::process::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::outsider;
use crate::place::Place;

const PROJECTION: &str = "loggia_projection.sqlite3";
const SEARCH: &str = "loggia_search.sqlite3";

/// What a verification says in JSON, and its exit code.
#[track_caller]
fn verify(place: &Place, more: &[&str]) -> (Value, Option<i32>) {
    let output = place.cli(&[&["verify", "--json"], more].concat(), b"");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (report, output.status.code())
}

/// The one fault that there is: its check and its sentence.
#[track_caller]
fn only_fault(place: &Place) -> (String, String) {
    let (report, code) = verify(place, &[]);
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)), "{report}");
    let faults = report["faults"].as_array().expect("a list");
    assert_eq!(faults.len(), 1, "{report}");
    let text = |key: &str| faults[0][key].as_str().expect("a text").to_owned();
    (text("check"), text("fault"))
}

/// A palace with a task, a patch, a talk and a lone artifact, and the hub that wrote it.
fn filled() -> Hub {
    let hub = Hub::start();
    let task = json!({
        "project": "Atlas", "from_agent": "a", "to_agent": "b", "goal": "Draw the map", "branch": "main",
        "base_commit": "0123abc", "done": "it is drawn",
    });
    let task = hub.call("mempalace_task_create", task)["task"].clone();
    let patch = json!({
        "content": "--- a\n+++ b\né\n", "from_agent": "b", "stream": "project/atlas",
        "correlation_id": task["correlation_id"],
    });
    assert_eq!(hub.call("mempalace_patch_submit", patch)["success"], true);
    hub.append("talk", "hello");
    let note = json!({"kind": "note", "content": "lone", "created_by": "a"});
    assert_eq!(hub.call("mempalace_artifact_put", note)["success"], true);
    projected(&hub);
    hub
}

/// Waits until the projection has counted everything.
#[track_caller]
fn projected(hub: &Hub) {
    let until = Instant::now() + Duration::from_secs(10);
    while hub.get("/statusz").json()["projection"]["lag_events"] != 0 {
        assert!(Instant::now() < until, "the projection does not follow");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The same palace after its hub has ended.
fn stopped() -> Arc<Place> {
    let mut hub = filled();
    hub.terminate();
    Arc::clone(hub.place())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn a_sound_palace_passes_beside_its_hub_and_without_it() {
    let mut hub = filled();
    let (report, code) = verify(hub.place(), &[]);
    assert_eq!(code, Some(0), "{report}");
    assert_eq!((&report["ok"], &report["faults"], &report["notes"]), (&json!(true), &json!([]), &json!([])));
    assert_eq!((&report["events"], &report["artifacts"]), (&json!(3), &json!(2)));
    assert_eq!(report["artifact_bytes"], "--- a\n+++ b\né\nlone".len());
    let checks =
        json!(["integrity", "schema", "artifacts", "references", "stamps", "identity", "projection", "search"]);
    assert_eq!(report["checks"], checks);

    hub.terminate();
    let before = fs::read(hub.place().log_file()).expect("it is there");
    let output = hub.place().cli(&["verify"], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(said(&output), "whole: 3 events, 2 artifacts (19 bytes)\n", "and stderr is quiet");
    assert!(fs::read(hub.place().log_file()).expect("it is there") == before, "verifying writes nothing");
}

#[test]
fn an_invented_day_is_no_fault() {
    let place = Place::new();
    assert!(place.cli(&["demo"], b"").status.success());
    let (report, code) = verify(&place, &[]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report["events"].as_u64().is_some_and(|n| n > 20), "{report}");
    assert!(report["notes"][0].as_str().is_some_and(|n| n.contains(PROJECTION)), "no hub has run: {report}");
}

#[test]
fn every_kind_of_damage_in_the_log_is_named() {
    const PATCH: &str = "(SELECT artifact_id FROM event_artifacts)";
    let place = stopped();
    // Which tells another story than a log that was tampered with, as it should.
    fs::remove_file(place.palace().join(PROJECTION)).expect("it is there");
    let sound = fs::read(place.log_file()).expect("it is there");
    for (damage, check, words) in [
        (format!("UPDATE artifacts SET content = content || ' ' WHERE id = {PATCH}; UPDATE artifacts SET size_bytes = size_bytes + 1 WHERE id = {PATCH}"), "artifacts", "its content has the sha256"),
        ("UPDATE artifacts SET size_bytes = 5 WHERE content = 'lone'".to_owned(), "artifacts", "its content has 4 bytes, its record says 5"),
        (format!("DELETE FROM artifacts WHERE id = {PATCH}"), "references", "there is no such artifact"),
        ("UPDATE event_artifacts SET event_id = 'evt_gone'".to_owned(), "references", "evt_gone references"),
        ("UPDATE events SET hlc = 'yesterday' WHERE rowid = 2".to_owned(), "stamps", "its hlc is yesterday"),
        ("UPDATE events SET hlc = NULL WHERE rowid = 2".to_owned(), "stamps", "its hlc is nothing"),
        ("UPDATE events SET hlc = printf('%013d', CAST(substr(hlc, 1, 13) AS INTEGER) - 61000) || substr(hlc, 14) WHERE rowid = 3".to_owned(), "stamps", "clock went back"),
        ("UPDATE events SET origin_seq = NULL WHERE rowid = 2".to_owned(), "stamps", "names no author or no number"),
        ("DROP INDEX events_origin_seq_idx; UPDATE events SET origin_seq = 1 WHERE rowid = 2".to_owned(), "stamps", "is there more than once"),
        ("ALTER TABLE artifacts RENAME COLUMN sha256 TO hash".to_owned(), "schema", "artifacts.sha256 is missing"),
    ] {
        outsider::open(&place.log_file()).execute_batch(&damage).unwrap_or_else(|e| panic!("{e}: {damage}"));
        let (found, fault) = only_fault(&place);
        assert!(found == check && fault.contains(words), "{damage}: {found}: {fault}");
        fs::write(place.log_file(), &sound).expect("writable");
    }
    assert_eq!(verify(&place, &[]).1, Some(0), "sound again");
}

#[test]
fn pages_that_are_no_pages_are_named() {
    let place = stopped();
    let mut bytes = fs::read(place.log_file()).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xa5);
    fs::write(place.log_file(), bytes).expect("writable");
    let (report, code) = verify(&place, &[]);
    assert_eq!(code, Some(1), "{report}");
    let faults = report["faults"].as_array().expect("a list");
    assert!(faults.iter().any(|f| f["check"] == "integrity"), "{report}");

    fs::write(place.log_file(), "this is no database, however long one looks at it").expect("writable");
    assert_eq!(verify(&place, &[]).1, Some(1));
    fs::remove_file(place.log_file()).expect("it is there");
    let output = place.cli(&["verify"], b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said(&output).contains("logstream.sqlite3"), "{output:?}");
    assert!(!place.log_file().exists(), "verifying makes nothing");
}

#[test]
fn an_identity_that_does_not_fit_is_named() {
    let place = stopped();
    let path = place.palace().join("replica.json");
    let good = fs::read(&path).expect("it is there");
    fs::write(&path, "{}").expect("writable");
    let (check, fault) = only_fault(&place);
    assert!(check == "identity" && fault.contains("replica.json"), "{fault}");
    fs::remove_file(&path).expect("it is there");
    let (check, fault) = only_fault(&place);
    assert!(check == "identity" && fault.contains("replica.json is missing"), "{fault}");
    fs::write(&path, r#"{"replica_id": "rep_0123456789ab"}"#).expect("writable");
    let (report, code) = verify(&place, &[]);
    assert_eq!(code, Some(0), "a hub that only pulls has no event of its own: {report}");
    assert!(report["notes"][0].as_str().is_some_and(|n| n.contains("rep_0123456789ab")), "{report}");
    fs::write(&path, good).expect("writable");
    assert_eq!(verify(&place, &[]).0["notes"], json!([]));
}

#[test]
fn a_projection_that_says_something_else_is_named_and_made_anew() {
    let place = stopped();
    let path = place.palace().join(PROJECTION);
    for (damage, words) in [
        ("UPDATE rooms SET events = events + 1 WHERE stream = 'talk'", "rooms 'talk' / 'r' says something else"),
        ("DELETE FROM delegations", "is missing"),
        ("INSERT INTO rooms VALUES ('a', 'b', 1, 1, 'x')", "rooms 'a' / 'b' is there"),
        ("UPDATE progress SET event_id = 'evt_other'", "another state of the log"),
    ] {
        outsider::open(&path).execute_batch(damage).unwrap_or_else(|e| panic!("{e}: {damage}"));
        let (check, fault) = only_fault(&place);
        assert!(check == "projection" && fault.contains(words), "{damage}: {fault}");
        let (report, code) = verify(&place, &["--rebuild"]);
        assert_eq!((code, &report["rebuilt"], &report["faults"]), (Some(0), &json!(true), &json!([])), "{report}");
    }
    // A hub goes on with what was made anew.
    let hub = Hub::builder().at(&place).start();
    hub.append("talk", "more");
    projected(&hub);
    assert_eq!(hub.get("/statusz").json()["log"]["events"], 4);
    assert_eq!(verify(&place, &[]).1, Some(0));
    assert!(!place.palace().join(format!("{PROJECTION}.new")).exists());
}

#[test]
fn a_search_index_that_does_not_fit_is_told_and_one_that_is_gone_is_no_fault() {
    let mut hub = filled();
    assert_eq!(hub.call("mempalace_event_search", json!({"query": "hello"}))["behind"], 0);
    hub.terminate();
    let place = Arc::clone(hub.place());
    let index = place.palace().join(SEARCH);
    // All of it into the one file, which is put back after each damage.
    outsider::open(&index).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("written back");
    for (damage, words) in [
        ("UPDATE progress SET event_id = 'evt_other'", "another state of the log"),
        ("UPDATE progress SET artifact_row = 99", "another state of the log"),
        ("DROP TABLE events_0_idx", "events_0"),
        ("DROP TABLE progress", "progress"),
    ] {
        let whole = fs::read(&index).expect("it is there");
        let side = outsider::open(&index);
        side.execute_batch("PRAGMA writable_schema = on").expect("a pragma");
        side.execute_batch(damage).unwrap_or_else(|e| panic!("{e}: {damage}"));
        drop(side);
        let (check, fault) = only_fault(&place);
        assert!(check == "search" && fault.contains(words), "{damage}: {fault}");
        fs::write(&index, whole).expect("it is ours");
    }
    assert_eq!(verify(&place, &[]).1, Some(0));
    outsider::open(&index).pragma_update(None, "user_version", 999).expect("a pragma");
    let noted = |words: &str| {
        let (report, code) = verify(&place, &[]);
        let notes = report["notes"].as_array().expect("a list");
        assert!(code == Some(0) && notes.iter().any(|n| n.as_str().is_some_and(|n| n.contains(words))), "{report}");
    };
    noted("loggia_search.sqlite3 is of version 999");
    fs::remove_file(&index).expect("it is ours");
    noted("there is no loggia_search.sqlite3");
}

#[test]
fn a_running_hub_keeps_its_projection() {
    let hub = filled();
    let (report, code) = verify(hub.place(), &["--rebuild"]);
    assert_eq!(code, Some(1), "{report}");
    let error = report["error"].as_str().expect("a sentence");
    assert!(error.contains(&hub.pid().to_string()) && error.contains(&hub.port().to_string()), "{error}");
    hub.append("talk", "and it goes on");
    projected(&hub);
    assert_eq!(verify(hub.place(), &[]).1, Some(0));
}

#[test]
fn an_answered_question_leaves_the_projection() {
    let hub = Hub::start();
    let ask = json!({"type": "room.question", "correlation_id": "talk"});
    hub.append_event(event_with("s", "which way?", ask));
    projected(&hub);
    hub.append_event(event_with("s", "this way", json!({"from_agent": "b", "correlation_id": "talk"})));
    projected(&hub);
    let (report, code) = verify(hub.place(), &[]);
    assert_eq!(code, Some(0), "{report}");
}

#[test]
fn it_verifies_while_a_storm_goes_on() {
    let hub = filled();
    std::thread::scope(|scope| {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let caller = hub.caller();
        scope.spawn(move || {
            while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                let event = event_with("storm", "x", json!({"correlation_id": "storm", "status": "open"}));
                caller.call("mempalace_event_append", event).expect("the hub lives");
            }
        });
        for _ in 0..5 {
            let (report, code) = verify(hub.place(), &[]);
            assert_eq!(code, Some(0), "{report}");
        }
        drop(stop);
    });
}
