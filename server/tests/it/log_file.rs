//! The log's file, which other programs and other times share: old layouts, foreign tables, many writers.

use std::collections::HashSet;
use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::hub::{Hub, event};
use crate::outsider::{self, Outsider};
use crate::place::Place;

const OLD_LAYOUT: &str = "
    CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, stream TEXT NOT NULL, room TEXT NOT NULL,
        from_agent TEXT NOT NULL, to_agent TEXT, correlation_id TEXT, branch TEXT, base_commit TEXT, status TEXT,
        body TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, metadata_json TEXT NOT NULL DEFAULT '{}');
    CREATE TABLE artifacts (id TEXT PRIMARY KEY, kind TEXT NOT NULL, sha256 TEXT NOT NULL, size_bytes INTEGER NOT NULL,
        content TEXT NOT NULL, created_by TEXT NOT NULL, created_at TEXT NOT NULL,
        metadata_json TEXT NOT NULL DEFAULT '{}');
    CREATE TABLE event_artifacts (event_id TEXT NOT NULL, artifact_id TEXT NOT NULL,
        PRIMARY KEY (event_id, artifact_id));
    CREATE INDEX events_stream_created_idx ON events(stream, created_at);
    CREATE TABLE read_cursors (agent TEXT PRIMARY KEY, event_id TEXT);
    INSERT INTO read_cursors VALUES ('a', 'evt_20260101T000000_000000000002');
    INSERT INTO artifacts VALUES ('art_20260101T000000_00000000000a', 'note',
        '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881', 1, 'x', 'a', '2026-01-01T00:00:00Z', '{}');
    INSERT INTO events (id, type, stream, room, from_agent, status, body, created_at) VALUES
        ('evt_20260101T000000_000000000001', 't.x', 's', 'r', 'a', 'open', 'one', '2026-01-01T00:00:00Z'),
        ('evt_20260101T000000_000000000002', 't.x', 's', 'r', 'a', NULL, 'two', '2026-01-01T00:00:00Z'),
        ('evt_20260101T000001_000000000003', 't.x', 's', 'r', 'a', NULL, 'three', '2026-01-01T00:00:01Z');
    INSERT INTO event_artifacts VALUES ('evt_20260101T000000_000000000002', 'art_20260101T000000_00000000000a');";
/// 2026-01-01T00:00:00Z in milliseconds since 1970.
const OLD_EVENTS_MS: &str = "1767225600000-";

fn columns(log: &Connection, table: &str) -> Vec<String> {
    let mut statement = log.prepare(&format!("SELECT name FROM pragma_table_info('{table}')")).expect("it is SQL");
    let names = statement.query_map([], |r| r.get(0)).expect("no parameters");
    names.map(|n| n.expect("a text")).collect()
}

#[test]
fn an_old_log_opens_shows_and_appends() {
    let place = Place::new();
    fs::create_dir(place.palace()).expect("the place is new");
    outsider::open(&place.log_file()).execute_batch(OLD_LAYOUT).expect("the layout is SQL");

    let mut hub = Hub::builder().at(&place).start();
    hub.restart();
    let events = hub.list(json!({"order": "asc"}));
    let bodies: Vec<_> = events.iter().map(|e| e["body"].as_str()).collect();
    assert_eq!(bodies, [Some("one"), Some("two"), Some("three")]);
    let replica = events[0]["origin_replica"].as_str().expect("back-filled").to_owned();
    for (n, event) in (1..).zip(&events) {
        assert_eq!((&event["seq"], &event["origin_seq"]), (&json!(n), &json!(n)), "{event}");
        assert_eq!(event["origin_replica"], *replica);
        assert_eq!(event["topic"], json!(null));
        let hlc = event["hlc"].as_str().expect("back-filled");
        assert!(hlc.ends_with(&replica), "{hlc}");
        assert!(n == 3 || hlc.starts_with(OLD_EVENTS_MS), "{hlc}");
    }
    assert!(events.windows(2).all(|w| w[0]["hlc"].as_str() < w[1]["hlc"].as_str()), "{events:?}");
    assert_eq!(events[1]["artifact_ids"], json!(["art_20260101T000000_00000000000a"]));
    let artifact = hub.call("mempalace_artifact_get", json!({"artifact_id": "art_20260101T000000_00000000000a"}));
    assert_eq!(artifact["artifact"]["content"], "x");
    assert_eq!(artifact["artifact"]["origin_replica"], *replica);

    let new = hub.append_event(event("s", "four"));
    assert_eq!((&new["seq"], &new["origin_seq"]), (&json!(4), &json!(4)));
    let mut stream = hub.sse("since_event_id=evt_20260101T000000_000000000002");
    assert_eq!(stream.bodies(2), ["three", "four"]);

    let log = outsider::open(&place.log_file());
    for column in ["topic", "origin_replica", "origin_seq", "hlc"] {
        assert!(columns(&log, "events").contains(&column.to_owned()), "{column}");
    }
    let cursor: String = log.query_row("SELECT event_id FROM read_cursors", [], |r| r.get(0)).expect("left alone");
    assert_eq!(cursor, "evt_20260101T000000_000000000002");
}

#[test]
fn a_new_log_has_the_tables_that_other_programs_expect() {
    let hub = Hub::start();
    let log = outsider::open(&hub.place().log_file());
    let events = "id type stream room topic from_agent to_agent correlation_id branch base_commit status body created_at \
                  metadata_json origin_replica origin_seq hlc";
    assert_eq!(columns(&log, "events").join(" "), events);
    let artifacts = "id kind sha256 size_bytes content created_by created_at metadata_json origin_replica";
    assert_eq!(columns(&log, "artifacts").join(" "), artifacts);
    assert_eq!(columns(&log, "event_artifacts").join(" "), "event_id artifact_id");
    let mode: String = log.query_row("PRAGMA journal_mode", [], |r| r.get(0)).expect("a pragma");
    assert_eq!(mode, "wal");
    let unique = "SELECT \"unique\" FROM pragma_index_list('events') WHERE name = 'events_origin_seq_idx'";
    assert_eq!(log.query_row(unique, [], |r| r.get::<_, i64>(0)), Ok(1));
    let mut statement = log.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").expect("it is SQL");
    let tables = statement.query_map([], |r| r.get::<_, String>(0)).expect("no parameters");
    for table in tables.map(|t| t.expect("a text")) {
        let shared = ["events", "artifacts", "event_artifacts"].contains(&&*table);
        assert!(shared || table.starts_with("loggia_") || table.starts_with("sqlite_"), "{table}");
    }
}

#[test]
fn eight_writers_and_an_outsider_lose_nothing() {
    const WRITERS: usize = 8;
    const APPENDS: usize = 200;
    let hub = Hub::start();
    let mut stream = hub.sse("from=start");
    let place = hub.place();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let caller = hub.caller();
            scope.spawn(move || {
                for n in 0..APPENDS {
                    let body = format!("{writer}/{n}");
                    let answer = caller.call("mempalace_event_append", event("s", &body)).expect("the hub lives");
                    assert_eq!(answer["success"], true, "{body}: {answer}");
                }
            });
        }
        scope.spawn(move || {
            let mut outsider = Outsider::open(place);
            for n in 0..APPENDS {
                outsider.append("s", &format!("outsider/{n}"));
            }
        });
    });
    let total = (WRITERS + 1) * APPENDS;
    let live = stream.bodies(total);
    stream.expect_silence();
    assert_eq!(live.iter().collect::<HashSet<_>>().len(), total);
    // Every writer's own events are in its own order.
    for writer in (0..WRITERS).map(|w| w.to_string()).chain(["outsider".to_owned()]) {
        let own: Vec<_> = live.iter().filter_map(|b| b.strip_prefix(&format!("{writer}/"))).collect();
        assert_eq!(own, (0..APPENDS).map(|n| n.to_string()).collect::<Vec<_>>(), "{writer}");
    }
    let log = outsider::open(&hub.place().log_file());
    let distinct = "SELECT count(*), count(DISTINCT origin_seq) FROM events";
    let counts: (u32, u32) = log.query_row(distinct, [], |r| Ok((r.get(0)?, r.get(1)?))).expect("the table is there");
    assert_eq!(counts, (1800, 1800), "rows, and counters of their author");
}

#[test]
fn own_stamps_never_go_backwards() {
    let mut hub = Hub::start();
    let mut stamps = Vec::new();
    for _ in 0..2 {
        for _ in 0..50 {
            stamps.push(hub.append_event(event("s", "x"))["hlc"].as_str().expect("a stamp").to_owned());
        }
        hub.restart();
    }
    assert!(stamps.windows(2).all(|w| w[0] < w[1]), "{stamps:?}");
}

#[test]
fn a_log_that_another_process_holds_refuses_by_name_and_can_be_tried_again() {
    let hub = Hub::start();
    hub.append("s", "before");
    let holder = outsider::open(&hub.place().log_file());
    holder.execute_batch("BEGIN IMMEDIATE").expect("the hub is idle");
    let refused = hub.call("mempalace_event_append", event("s", "held"));
    assert_eq!((&refused["success"], &refused["retryable"]), (&json!(false), &json!(true)), "{refused}");
    assert!(refused["error"].as_str().is_some_and(|e| e.contains("the log is busy")), "{refused}");
    assert_eq!(hub.list(json!({})).len(), 1, "reading goes on, and nothing was stored");
    holder.execute_batch("ROLLBACK").expect("it was ours");
    hub.append("s", "after");
    let bodies: Vec<_> = hub.list(json!({"order": "asc"})).iter().map(|e| e["body"].clone()).collect();
    assert_eq!(bodies, ["before", "after"]);
}

#[test]
fn metadata_that_another_program_wrote_over_several_lines_breaks_no_answer_and_no_frame() {
    let hub = Hub::start();
    hub.append("s", "a body");
    let outsider = Connection::open(hub.place().log_file()).expect("the file is there");
    let spread = "{\n  \"a\":\t[1,\r\n2.5]\n}";
    assert_eq!(outsider.execute("UPDATE events SET metadata_json = ?1", [spread]).expect("written"), 1);
    drop(outsider);
    let wanted = json!({"a": [1, 2.5]});
    assert_eq!(hub.list(json!({}))[0]["metadata"], wanted);
    let frame: Value = serde_json::from_str(&hub.sse("from=start").event().data).expect("one line of JSON");
    assert_eq!(frame["metadata"], wanted);
    let request = hub.request("GET", "/log/export?format=ndjson");
    let lines = request.send().text();
    let event: Value = serde_json::from_str(lines.trim_end()).expect("one line of JSON");
    assert_eq!(event["metadata"], wanted);
}
