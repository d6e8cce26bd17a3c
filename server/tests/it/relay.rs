//! Many write, many read, readers come and go, another program writes too, and the hub is restarted in the middle: every reader ends
//! with exactly what the file holds, in its order, nothing lost and nothing twice.

use std::collections::HashSet;
use std::sync::RwLock;
use std::time::Duration;

use serde_json::json;

use crate::hub::{Caller, Hub, TOKEN, event_with};
use crate::outsider::{self, Outsider};
use crate::wire::Request;

const WRITERS: usize = 8;
const READERS: usize = 20;
const APPENDS: usize = 60;
const OUTSIDE: usize = 80;
const LAST: &str = "the last one";

/// Where the hub is at the moment: it comes back on another port.
struct Now {
    port: u16,
    caller: Caller,
}

impl Now {
    fn of(hub: &Hub) -> RwLock<Self> {
        RwLock::new(Self { port: hub.port(), caller: hub.caller() })
    }
}

/// Appends all its events, each until it is acknowledged; answers the acknowledged ids. What a dying hub did not acknowledge may be in
/// the log all the same.
fn write(now: &RwLock<Now>, writer: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for n in 0..APPENDS {
        let arguments = event_with("relay", &format!("{writer}/{n}"), json!({"correlation_id": format!("c{writer}")}));
        loop {
            let caller = now.read().expect("nobody panics").caller.clone();
            let answer = caller.call("mempalace_event_append", arguments.clone());
            if let Some(id) = answer.as_ref().and_then(|a| a["event"]["id"].as_str()) {
                ids.push(id.to_owned());
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    ids
}

/// Reads from the beginning to the last event, and drops its connection after a few events again and again.
fn read(now: &RwLock<Now>, reader: usize) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut dice = reader * 7919 + 1;
    loop {
        let port = now.read().expect("nobody panics").port;
        let mut request = Request::new(port, "GET", "/logstream/stream?from=start&stream=relay")
            .header("Authorization", &format!("Bearer {TOKEN}"));
        if let Some(last) = ids.last() {
            request = request.header("Last-Event-ID", last);
        }
        let Some(mut stream) = request.try_open() else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        for _ in 0..=(dice >> 33) % 97 {
            let Some(frame) = stream.next_event(Duration::from_secs(20)) else { break };
            let is_last = frame.body() == LAST;
            ids.push(frame.id.expect("every event's frame has an id"));
            if is_last {
                return ids;
            }
        }
    }
}

#[test]
fn every_reader_ends_with_what_the_file_holds() {
    let mut hub = Hub::start();
    let place = std::sync::Arc::clone(hub.place());
    let now = Now::of(&hub);
    let (acknowledged, seen) = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|n| {
                scope.spawn({
                    let now = &now;
                    move || read(now, n)
                })
            })
            .collect();
        let writers: Vec<_> = (0..WRITERS)
            .map(|n| {
                scope.spawn({
                    let now = &now;
                    move || write(now, n)
                })
            })
            .collect();
        let mut outsider = Outsider::open(&place);
        let mut acknowledged: Vec<String> =
            (0..OUTSIDE / 2).map(|n| outsider.append("relay", &n.to_string())).collect();
        hub.restart();
        *now.write().expect("nobody panics") = Now { port: hub.port(), caller: hub.caller() };
        acknowledged.extend((0..OUTSIDE / 2).map(|n| outsider.append("relay", &n.to_string())));
        for writer in writers {
            acknowledged.extend(writer.join().expect("a writer ends"));
        }
        acknowledged.push(hub.append("relay", LAST));
        let seen: Vec<_> = readers.into_iter().map(|r| r.join().expect("a reader ends")).collect();
        (acknowledged, seen)
    });

    let log = outsider::open(&place.log_file());
    let mut rows = log.prepare("SELECT id FROM events WHERE stream = 'relay' ORDER BY rowid").expect("it is SQL");
    let stored: Vec<String> =
        rows.query_map([], |r| r.get(0)).expect("no parameters").collect::<Result<_, _>>().expect("texts");
    let there: HashSet<&String> = stored.iter().collect();
    assert_eq!(there.len(), stored.len());
    assert_eq!(acknowledged.len(), WRITERS * APPENDS + OUTSIDE + 1);
    assert!(acknowledged.iter().all(|id| there.contains(id)), "an acknowledged event is gone");
    for (reader, ids) in seen.iter().enumerate() {
        assert!(*ids == stored, "reader {reader} saw {} events, the file holds {}", ids.len(), stored.len());
    }
}
