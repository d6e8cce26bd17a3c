//! `loggia backup`: a copy of a palace that is whole at one moment, made while its hub runs, and served again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::outsider;
use crate::place::{Place, is_private};

fn target(place: &Place, name: &str) -> PathBuf {
    place.home().join(name)
}

fn backup(place: &Place, target: &Path) -> Output {
    place.cli(&["backup", target.to_str().expect("ASCII"), "--json"], b"")
}

/// What a backup that must succeed says.
#[track_caller]
fn made(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// Why a backup was refused; nothing may be left of it.
#[track_caller]
fn refused(place: &Place, output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let names: Vec<_> = fs::read_dir(place.home()).expect("there").map(|e| e.expect("an entry").file_name()).collect();
    assert!(!names.iter().any(|n| n.to_string_lossy().starts_with(".loggia")), "left behind: {names:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    answer["error"].as_str().expect("a sentence").to_owned()
}

/// Every event of a log file in arrival order: its number, its id and its body.
fn events(log: &Path) -> Vec<(i64, String, String)> {
    let log = outsider::open(log);
    let mut statement = log.prepare("SELECT rowid, id, body FROM events ORDER BY rowid").expect("it is SQL");
    let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).expect("no parameters");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn a_backup_in_a_storm_is_a_prefix_of_the_log() {
    const WRITERS: usize = 4;
    let hub = Hub::start();
    let (acknowledged, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let backups: Vec<PathBuf> = (0..3).map(|n| target(hub.place(), &format!("backup-{n}"))).collect();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (caller, acknowledged, ended) = (hub.caller(), &acknowledged, &ended);
            scope.spawn(move || {
                for n in 0.. {
                    if ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let put = json!({"kind": "log", "content": format!("{writer}/{n}").repeat(200), "created_by": "a"});
                    let put = caller.call("mempalace_artifact_put", put).expect("the hub lives");
                    let event = json!({"artifact_ids": [put["artifact"]["id"]]});
                    let event = event_with("storm", &format!("{writer}/{n}"), event);
                    let answer = caller.call("mempalace_event_append", event).expect("the hub lives");
                    assert_eq!(answer["success"], true, "{answer}");
                    acknowledged.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for target in &backups {
            let until = Instant::now() + Duration::from_secs(20);
            let wanted = acknowledged.load(Ordering::SeqCst) + 20;
            while acknowledged.load(Ordering::SeqCst) < wanted {
                assert!(Instant::now() < until, "this is no storm");
                std::thread::sleep(Duration::from_millis(2));
            }
            let before = acknowledged.load(Ordering::SeqCst);
            let copied = made(&backup(hub.place(), target));
            let held = copied["events"].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a count");
            assert!(held >= before, "{before} were acknowledged, {held} are in the backup");
        }
        ended.store(true, Ordering::Relaxed);
    });
    let whole = events(&hub.place().log_file());
    for target in &backups {
        let copied = events(&target.join("logstream.sqlite3"));
        assert!(whole.starts_with(&copied), "{}: not a prefix of the log", target.display());
        let names: Vec<_> = fs::read_dir(target).expect("there").map(|e| e.expect("an entry").file_name()).collect();
        assert!(!names.iter().any(|n| n.to_string_lossy().ends_with("-wal")), "{names:?}");
    }
    assert!(events(&backups[0].join("logstream.sqlite3")).len() < whole.len(), "the storm went on");
}

#[test]
fn a_backup_is_served_as_the_palace_it_was() {
    let mut hub = Hub::start();
    let cursor = hub.append("s", "one");
    let token = hub.place().cli(&["token", "create", "--name", "x", "--scope", "read", "--json"], b"");
    let token: Value = serde_json::from_slice(&token.stdout).expect("JSON");
    let copied = made(&backup(hub.place(), &target(hub.place(), "copy")));
    assert_eq!((&copied["events"], &copied["artifacts"], &copied["newest_id"]), (&json!(1), &json!(0), &json!(cursor)));
    let replica = fs::read(hub.place().palace().join("replica.json")).expect("there");
    assert!(String::from_utf8_lossy(&replica).contains(copied["replica_id"].as_str().expect("a text")));
    let names = copied["files"].as_array().expect("a list").iter().map(|file| file[0].as_str().expect("a name"));
    let names: Vec<_> = names.filter(|name| *name != "palace.sqlite3").collect();
    let kept = ["logstream.sqlite3", "auth.sqlite3", "audit.sqlite3", "loggia_viewers.sqlite3", "replica.json"];
    assert_eq!(names, kept, "nothing that can be made anew");
    let copy = target(hub.place(), "copy");
    assert!(is_private(&copy), "a backup holds the hashes of tokens");
    hub.append("s", "after the backup");
    hub.terminate();

    let place = Place::new();
    fs::rename(&copy, place.palace()).expect("the same disk");
    let hub = Hub::builder().at(&place).start();
    assert_eq!(fs::read(place.palace().join("replica.json")).expect("there"), replica);
    assert_eq!(hub.append_event(event_with("s", "two", json!({})))["seq"], 2);
    let after = hub.list(json!({"since_event_id": cursor}));
    assert_eq!(after.iter().map(|e| &e["body"]).collect::<Vec<_>>(), ["two"], "a cursor goes on");
    let bearer = format!("Bearer {}", token["token"].as_str().expect("a text"));
    assert_eq!(hub.request("GET", "/metrics").set("Authorization", &bearer).send().status, 200, "so does a token");
    let mode: String =
        outsider::open(&place.log_file()).query_row("PRAGMA journal_mode", [], |r| r.get(0)).expect("a pragma");
    assert_eq!(mode, "wal", "the hub asks for its WAL again");
}

#[test]
fn nothing_is_ever_overwritten() {
    let hub = Hub::start();
    hub.append("s", "x");
    let there = target(hub.place(), "there");
    fs::create_dir(&there).expect("new");
    made(&backup(hub.place(), &there));
    let before = fs::read(there.join("logstream.sqlite3")).expect("there");
    hub.append("s", "y");
    let error = refused(hub.place(), &backup(hub.place(), &there));
    assert!(error.contains("there is there already"), "{error}");
    assert_eq!(fs::read(there.join("logstream.sqlite3")).expect("there"), before);
    let file = target(hub.place(), "file");
    fs::write(&file, "mine").expect("writable");
    let error = refused(hub.place(), &backup(hub.place(), &file));
    assert!(error.contains("no folder"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("there"), "mine");
    made(&backup(hub.place(), &target(hub.place(), "deep/er")));
    let error = refused(hub.place(), &backup(hub.place(), &hub.place().palace()));
    assert!(error.contains("there already"), "{error}");
}

#[test]
fn what_is_not_whole_is_not_backed_up() {
    let mut hub = Hub::start();
    let put = json!({"kind": "note", "content": "exact", "created_by": "a"});
    assert_eq!(hub.call("mempalace_artifact_put", put)["success"], true);
    hub.terminate();
    let place = Arc::clone(hub.place());
    outsider::open(&place.log_file()).execute_batch("UPDATE artifacts SET content = 'exakt'").expect("it is SQL");
    let error = refused(&place, &backup(&place, &target(&place, "copy")));
    assert!(error.contains("does not pass verification") && error.contains("sha256"), "{error}");
    assert!(!target(&place, "copy").exists());
    fs::remove_file(place.log_file()).expect("there");
    let error = refused(&place, &backup(&place, &target(&place, "copy")));
    assert!(error.contains("logstream.sqlite3"), "{error}");
}
