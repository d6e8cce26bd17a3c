//! The hub is killed in the middle of a storm of appends, twenty times: what it acknowledged is there, once, and whole.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Caller, Hub, event_with};
use crate::outsider;
use crate::place::sha256;

const KILLS: u64 = 20;
const WRITERS: u64 = 4;

#[derive(Default)]
struct Acknowledged {
    /// Event ids and their bodies.
    events: HashMap<String, String>,
    /// Artifact ids and the hashes of what was sent.
    artifacts: HashMap<String, String>,
}

/// Appends until the hub is gone. Nothing is sent twice, so nothing may be stored twice.
fn write_until_it_dies(caller: &Caller, name: &str, acknowledged: &Mutex<Acknowledged>) {
    for n in 0.. {
        let body = format!("{name}/{n}");
        let mut artifact_ids = Vec::new();
        if n % 3 == 0 {
            let content = format!("{body}\r\n{}", "0123456789abcdef".repeat(1 + n * 37 % 2000));
            let arguments = json!({"kind": "log", "content": content, "created_by": name});
            let Some(put) = caller.call("mempalace_artifact_put", arguments) else { return };
            let id = put["artifact"]["id"].as_str().unwrap_or_else(|| panic!("refused: {put}")).to_owned();
            acknowledged.lock().expect("no writer panics").artifacts.insert(id.clone(), sha256(&content));
            artifact_ids.push(id);
        }
        let arguments = event_with("storm", &body, json!({"artifact_ids": artifact_ids}));
        let Some(answer) = caller.call("mempalace_event_append", arguments) else { return };
        let id = answer["event"]["id"].as_str().unwrap_or_else(|| panic!("refused: {answer}")).to_owned();
        acknowledged.lock().expect("no writer panics").events.insert(id, body);
    }
}

/// Every event after a cursor, page by page.
fn read_after(hub: &Hub, cursor: Option<&String>) -> Vec<Value> {
    let mut events = Vec::new();
    let mut arguments = json!({"order": "asc", "limit": 500, "since_event_id": cursor});
    loop {
        let page = hub.call("mempalace_event_list", arguments.clone());
        events.extend(page["events"].as_array().unwrap_or_else(|| panic!("no events: {page}")).iter().cloned());
        match events.last() {
            Some(last) if page["has_more"] == true => arguments["since_event_id"] = last["id"].clone(),
            _ => return events,
        }
    }
}

#[test]
fn what_was_acknowledged_survives_twenty_kills() {
    let mut hub = Hub::start();
    let mut cursor: Option<String> = None;
    let mut seen_bodies = HashSet::new();
    let mut acknowledged_artifacts = HashMap::new();
    for round in 0..KILLS {
        let acknowledged = Mutex::new(Acknowledged::default());
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (caller, acknowledged) = (hub.caller(), &acknowledged);
                scope.spawn(move || write_until_it_dies(&caller, &format!("{round}/{writer}"), acknowledged));
            }
            let begun_at = Instant::now();
            while acknowledged.lock().expect("no writer panics").events.len() < 10 {
                assert!(begun_at.elapsed() < Duration::from_secs(20), "round {round} is no storm");
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(round * 97 % 250));
            hub.kill9();
        });
        hub.start_again();

        let mut acknowledged = acknowledged.into_inner().expect("no writer panics");
        for event in read_after(&hub, cursor.as_ref()) {
            let (id, body) = (event["id"].as_str().expect("a text"), event["body"].as_str().expect("a text"));
            assert!(seen_bodies.insert(body.to_owned()), "{body} is there twice");
            if let Some(sent) = acknowledged.events.remove(id) {
                assert_eq!(body, sent);
            }
            cursor = Some(id.to_owned());
        }
        assert!(acknowledged.events.is_empty(), "round {round} lost {:?}", acknowledged.events);
        acknowledged_artifacts.extend(acknowledged.artifacts);
    }

    let log = outsider::open(&hub.place().log_file());
    let sound: String = log.query_row("PRAGMA integrity_check", [], |r| r.get(0)).expect("a pragma");
    assert_eq!(sound, "ok");
    let mut statement = log.prepare("SELECT id, content, sha256, size_bytes FROM artifacts").expect("it is SQL");
    let mut rows = statement.query([]).expect("no parameters");
    while let Some(row) = rows.next().expect("the file is sound") {
        let field = |n| row.get::<_, String>(n).expect("a text");
        let (id, content, hash) = (field(0), field(1), field(2));
        assert_eq!(sha256(&content), hash, "{id} is not whole");
        assert_eq!(row.get::<_, i64>(3).ok(), i64::try_from(content.len()).ok(), "{id}");
        if let Some(sent) = acknowledged_artifacts.remove(&id) {
            assert_eq!(hash, sent, "{id} is not what was sent");
        }
    }
    assert!(acknowledged_artifacts.is_empty(), "lost artifacts: {acknowledged_artifacts:?}");
    let dangling = "SELECT count(*) FROM event_artifacts WHERE artifact_id NOT IN (SELECT id FROM artifacts) \
                    OR event_id NOT IN (SELECT id FROM events)";
    assert_eq!(log.query_row(dangling, [], |r| r.get::<_, i64>(0)), Ok(0));
}
