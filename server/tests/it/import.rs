//! `loggia import mempalace`: the log and the identity of the other program's palace, with every id, stamp and position kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::hub::{Hub, event};
use crate::outsider;
use crate::place::{Place, sha256};

const REPLICA: &str = "rep_00112233445566778899aabbccddeeff";
const PEER: &str = "rep_0123456789ab";

/// MemPalace's own layout, as it is since its palaces are replicated, and a table that only it knows.
const LAYOUT: &str = "
    PRAGMA journal_mode = wal;
    CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, stream TEXT NOT NULL, room TEXT NOT NULL, topic TEXT,
        from_agent TEXT NOT NULL, to_agent TEXT, correlation_id TEXT, branch TEXT, base_commit TEXT, status TEXT,
        body TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, metadata_json TEXT NOT NULL DEFAULT '{}',
        origin_replica TEXT, origin_seq INTEGER, hlc TEXT);
    CREATE TABLE artifacts (id TEXT PRIMARY KEY, kind TEXT NOT NULL, sha256 TEXT NOT NULL, size_bytes INTEGER NOT NULL,
        content TEXT NOT NULL, created_by TEXT NOT NULL, created_at TEXT NOT NULL,
        metadata_json TEXT NOT NULL DEFAULT '{}', origin_replica TEXT);
    CREATE TABLE event_artifacts (event_id TEXT NOT NULL, artifact_id TEXT NOT NULL,
        PRIMARY KEY (event_id, artifact_id));
    CREATE UNIQUE INDEX events_origin_seq_idx ON events(origin_replica, origin_seq);
    CREATE INDEX events_hlc_idx ON events(hlc);
    CREATE TABLE read_cursors (agent TEXT PRIMARY KEY, event_id TEXT);
    INSERT INTO read_cursors VALUES ('a', 'evt_20260101T000000_000000000001');";

/// A palace of the other program beside ours: three events, the second pulled from a peer, and a gap in the positions.
fn their_palace(place: &Place) -> PathBuf {
    let theirs = place.home().join("theirs");
    fs::create_dir(&theirs).expect("new");
    fs::write(theirs.join("replica.json"), format!("{{\n  \"replica_id\": \"{REPLICA}\"\n}}\n")).expect("writable");
    let log = outsider::open(&theirs.join("logstream.sqlite3"));
    log.execute_batch(LAYOUT).expect("it is SQL");
    for (seq, by, origin_seq, ms) in [(1, REPLICA, 1, 0), (2, PEER, 77, 500), (5, REPLICA, 5, 1000)] {
        log.execute(
            "INSERT INTO events (rowid, id, type, stream, room, from_agent, body, created_at, metadata_json, origin_replica,
                 origin_seq, hlc) VALUES (?1, printf('evt_20260101T000000_%012x', ?1), 't.x', 's', 'r', 'a', 'body ' || ?1,
                 '2026-01-01T00:00:00Z', '{\"n\": 1.0}', ?2, ?3, printf('%013d-000000-%s', 1767225600000 + ?4, ?2))",
            (seq, by, origin_seq, ms),
        )
        .expect("the columns are there");
    }
    log.execute(
        "INSERT INTO artifacts VALUES ('art_20260101T000000_00000000000a', 'patch', ?1, 8, 'exact\r\n ', 'a', '2026-01-01T00:00:00Z',
             '{}', ?2)",
        [&sha256("exact\r\n "), REPLICA],
    )
    .expect("the columns are there");
    log.execute_batch(
        "INSERT INTO event_artifacts VALUES ('evt_20260101T000000_000000000005', 'art_20260101T000000_00000000000a')",
    )
    .expect("it is SQL");
    theirs
}

fn import(place: &Place, theirs: &Path) -> Output {
    place.cli(&["import", "mempalace", theirs.to_str().expect("ASCII"), "--json"], b"")
}

#[track_caller]
fn done(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    answer["logstream"].clone()
}

#[track_caller]
fn refused(place: &Place, output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for entry in fs::read_dir(place.palace()).into_iter().flatten() {
        let name = entry.expect("an entry").file_name();
        assert!(!name.to_string_lossy().starts_with(".loggia"), "left behind: {}", name.display());
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    answer["error"].as_str().expect("a sentence").to_owned()
}

#[test]
fn a_palace_comes_over_with_its_ids_its_order_and_its_identity() {
    let place = Place::new();
    let theirs = their_palace(&place);
    let before = fs::read(theirs.join("logstream.sqlite3")).expect("there");
    let report = done(&import(&place, &theirs));
    assert_eq!(
        report,
        json!({
            "events": 3, "artifacts": 1, "newest_id": "evt_20260101T000000_000000000005", "replica_id": REPLICA,
            "identity_taken": true, "notes": [],
        })
    );
    assert!(fs::read(theirs.join("logstream.sqlite3")).expect("there") == before, "the source is only read");
    let replica = fs::read_to_string(place.palace().join("replica.json")).expect("taken");
    assert_eq!(replica, fs::read_to_string(theirs.join("replica.json")).expect("there"));

    let hub = Hub::builder().at(&place).start();
    let events = hub.list(json!({"order": "asc"}));
    let told = |key: &str| events.iter().map(|e| e[key].clone()).collect::<Vec<_>>();
    assert_eq!(told("seq"), [1, 2, 5]);
    assert_eq!(told("origin_seq"), [1, 77, 5]);
    assert_eq!(told("origin_replica"), [REPLICA, PEER, REPLICA]);
    assert_eq!(told("body"), ["body 1", "body 2", "body 5"]);
    assert_eq!(events[0]["metadata"].to_string(), r#"{"n":1.0}"#);
    let artifact = json!({"artifact_id": events[2]["artifact_ids"][0]});
    assert_eq!(hub.call("mempalace_artifact_get", artifact)["artifact"]["content"], "exact\r\n ");
    let mut stream = hub.sse("since_event_id=evt_20260101T000000_000000000002");
    let new = hub.append_event(event("s", "ours"));
    assert_eq!((&new["seq"], &new["origin_seq"], &new["origin_replica"]), (&json!(6), &json!(6), &json!(REPLICA)));
    assert_eq!(stream.bodies(2), ["body 5", "ours"], "a cursor of there goes on here");
    let cursors = "SELECT event_id FROM read_cursors";
    let cursor: String = outsider::open(&place.log_file()).query_row(cursors, [], |r| r.get(0)).expect("kept");
    assert_eq!(cursor, "evt_20260101T000000_000000000001", "a table that we do not know is kept");
    assert!(place.cli(&["verify"], b"").status.success());
}

#[test]
fn what_their_hub_has_not_written_back_comes_too() {
    let place = Place::new();
    let theirs = their_palace(&place);
    // Open and uncommitted to the file proper, as with their hub running: the row is in the WAL.
    let running = outsider::open(&theirs.join("logstream.sqlite3"));
    running
        .execute_batch(&format!(
            "INSERT INTO events (id, type, stream, room, from_agent, created_at, origin_replica, origin_seq, hlc) VALUES
                 ('evt_live', 't.x', 's', 'r', 'a', '2026-01-01T00:00:02Z', '{REPLICA}', 6, '1767225602000-000000-{REPLICA}')"
        ))
        .expect("it is SQL");
    let report = done(&import(&place, &theirs));
    assert_eq!((&report["events"], &report["newest_id"]), (&json!(4), &json!("evt_live")));
    drop(running);
}

#[test]
fn an_old_log_without_an_identity_gets_ours() {
    let place = Place::new();
    let theirs = place.home().join("old");
    fs::create_dir(&theirs).expect("new");
    outsider::open(&theirs.join("logstream.sqlite3"))
        .execute_batch(
            "CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, stream TEXT NOT NULL, room TEXT NOT NULL,
                 from_agent TEXT NOT NULL, to_agent TEXT, correlation_id TEXT, branch TEXT, base_commit TEXT, status TEXT,
                 body TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, metadata_json TEXT NOT NULL DEFAULT '{}');
             INSERT INTO events (id, type, stream, room, from_agent, created_at) VALUES
                 ('evt_a', 't', 's', 'r', 'a', '2026-01-01T00:00:00Z'), ('evt_b', 't', 's', 'r', 'a', '2026-01-01T00:00:00Z');",
        )
        .expect("it is SQL");
    let report = done(&import(&place, &theirs));
    assert_eq!((&report["identity_taken"], &report["events"]), (&json!(false), &json!(2)));
    let hub = Hub::builder().at(&place).start();
    let events = hub.list(json!({"order": "asc"}));
    assert_eq!(events.iter().map(|e| &e["origin_seq"]).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(events[1]["origin_replica"], report["replica_id"]);
}

#[test]
fn a_log_that_holds_anything_is_never_overwritten() {
    let place = Place::new();
    let theirs = their_palace(&place);
    done(&import(&place, &theirs));
    let before = fs::read(place.log_file()).expect("there");
    let error = refused(&place, &import(&place, &theirs));
    assert_eq!(error, "this palace's log holds 3 events and 1 artifacts: it is never overwritten");
    assert!(fs::read(place.log_file()).expect("there") == before);

    let lone = Place::new();
    let theirs = their_palace(&lone);
    let put = ["artifact", "put", "--kind", "note", "--created-by", "a", "-"];
    assert!(lone.cli(&put, b"x").status.success());
    let error = refused(&lone, &import(&lone, &theirs));
    assert!(error.contains("0 events and 1 artifacts"), "{error}");
}

#[test]
fn an_identity_is_never_changed() {
    let mut hub = Hub::start();
    hub.terminate();
    let place = Arc::clone(hub.place());
    let ours = fs::read(place.palace().join("replica.json")).expect("minted");
    let error = refused(&place, &import(&place, &their_palace(&place)));
    assert!(error.contains(REPLICA) && error.contains("never changed"), "{error}");
    assert_eq!(fs::read(place.palace().join("replica.json")).expect("there"), ours);

    // An empty log of the same identity is no other.
    fs::write(place.palace().join("replica.json"), format!("{{\"replica_id\": \"{REPLICA}\"}}")).expect("writable");
    assert_eq!(done(&import(&place, &place.home().join("theirs")))["events"], 3);
    let hub = Hub::builder().at(&place).start();
    assert_eq!(hub.list(json!({})).len(), 3);
}

#[test]
fn what_cannot_be_imported_is_refused_with_its_reason() {
    let place = Place::new();
    let theirs = their_palace(&place);
    let error = refused(&place, &import(&place, &place.home()));
    assert!(error.contains("no logstream.sqlite3"), "{error}");
    let error =
        refused(&place, &place.cli(&["import", "mempalace", place.palace().to_str().expect("ASCII"), "--json"], b""));
    assert!(error.contains("no logstream.sqlite3"), "{error}");

    let broken = "UPDATE artifacts SET content = 'exakt'";
    outsider::open(&theirs.join("logstream.sqlite3")).execute_batch(broken).expect("it is SQL");
    let error = refused(&place, &import(&place, &theirs));
    assert!(error.contains("does not pass verification"), "{error}");
    assert!(!place.log_file().exists());
    fs::write(theirs.join("replica.json"), "{}").expect("writable");
    let error = refused(&place, &import(&place, &theirs));
    assert!(error.contains("replica.json") && error.contains("replica_id"), "{error}");

    let hub = Hub::start();
    let error = refused(hub.place(), &import(hub.place(), &their_palace(hub.place())));
    assert!(error.contains(&hub.pid().to_string()), "{error}");
    assert!(hub.list(json!({})).is_empty());
    let own = hub.place().palace();
    let error = refused(hub.place(), &import(hub.place(), &own));
    assert!(error.contains(&hub.pid().to_string()), "{error}");
}
