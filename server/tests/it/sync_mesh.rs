//! Several hubs whose links are cut and healed at random, one of which is killed: in the end all hold the same, in the same order.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, TOKEN};
use crate::outsider::open;
use crate::place::{Place, sha256};
use crate::relay_link::Link;

/// How many events are written in all; `LOGGIA_TEST_MESH_EVENTS` asks for more.
const EVENTS: usize = 240;
/// How long the hubs may take to agree at the end.
const AGREE_LIMIT: Duration = Duration::from_mins(3);

/// Writes the file that names a hub's peers.
pub(crate) fn write_peers(palace: &Path, peers: &[(&str, String)]) {
    let entries: Vec<Value> =
        peers.iter().map(|(name, url)| json!({"name": name, "url": url, "token": TOKEN})).collect();
    std::fs::create_dir_all(palace).expect("the folder can be made");
    let aside = palace.join("peers.json.aside");
    std::fs::write(&aside, json!({"peers": entries}).to_string()).expect("written");
    std::fs::rename(aside, palace.join("peers.json")).expect("renamed");
}

/// Everything that must be the same on all hubs, in the order of the hybrid clock: what each event is, and what each artifact is.
pub(crate) fn holdings(log: &Path) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let rows = |sql: &str| -> Vec<Vec<String>> {
        let connection = open(log);
        let mut statement = connection.prepare(sql).expect("the columns are the contract's");
        let columns = statement.column_count();
        statement
            .query_map([], |row| {
                (0..columns).map(|at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default)).collect()
            })
            .and_then(Iterator::collect)
            .expect("the rows can be read")
    };
    (
        rows(
            "SELECT id, hlc, origin_replica, CAST(origin_seq AS TEXT), type, stream, room, topic, from_agent, to_agent, \
              correlation_id, status, body, created_at, metadata_json, \
              (SELECT group_concat(artifact_id) FROM (SELECT artifact_id FROM event_artifacts WHERE event_id = e.id ORDER BY 1)) \
              FROM events e ORDER BY hlc, id",
        ),
        rows(
            "SELECT id, sha256, content, kind, CAST(size_bytes AS TEXT), created_by, created_at, metadata_json FROM artifacts ORDER BY id",
        ),
    )
}

/// Waits until all logs hold so many events.
#[track_caller]
pub(crate) fn wait_for(places: &[&Arc<Place>], events: usize) {
    let until = Instant::now() + AGREE_LIMIT;
    loop {
        let counts: Vec<i64> = places
            .iter()
            .map(|place| {
                let count = open(&place.log_file()).query_row("SELECT count(*) FROM events", [], |r| r.get(0));
                count.expect("the table is there")
            })
            .collect();
        if counts.iter().all(|n| usize::try_from(*n) == Ok(events)) {
            return;
        }
        let said: Vec<String> = places.iter().map(|place| place.stderr()).collect();
        assert!(Instant::now() < until, "{counts:?} instead of {events} events\n{}", said.join("\n---\n"));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Writes until `events` are acknowledged; a hub that is away is asked again. Answers their ids.
fn write(hub: &std::sync::Mutex<Hub>, who: usize, events: usize) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let mut n = 0;
    while ids.len() < events {
        n += 1;
        let caller = hub.lock().expect("no writer panics").caller();
        let (tool, arguments) = if n % 5 == 0 {
            let content = format!("--- a\n+++ b\n@@ {who} {n} é😀\n");
            let patch = json!({"stream": "mesh", "from_agent": format!("agent{who}"), "to_agent": "*",
                "content": content, "base_commit": "abcdef1", "branch": "b", "body": "p"});
            ("mempalace_patch_submit", patch)
        } else {
            let event = json!({"type": "t.x", "stream": "mesh", "room": "r", "from_agent": format!("agent{who}"),
                "body": format!("{who} {n}"), "metadata": {"n": n}});
            ("mempalace_event_append", event)
        };
        match caller.call(tool, arguments) {
            Some(answer) => {
                let id = answer["event"]["id"].as_str().unwrap_or_else(|| panic!("{answer}"));
                ids.insert(id.to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    ids
}

#[test]
fn hubs_whose_links_break_end_with_the_same() {
    let events = std::env::var("LOGGIA_TEST_MESH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(EVENTS);
    // A ring of three, each pulling from the next, and a fourth beside the first.
    let wires = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 0)];
    let links: Vec<Link> = wires.iter().map(|_| Link::new()).collect();
    let hubs: Vec<Hub> = (0..4)
        .map(|at| {
            let mine = wires.iter().zip(&links).filter(|((_, to), _)| *to == at);
            let named = mine.fold(Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.2"), |builder, (_, link)| {
                builder.arg("--public-url").arg(link.public_url())
            });
            named.start()
        })
        .collect();
    for ((_, to), link) in wires.iter().zip(&links) {
        link.lead_to(hubs[*to].port());
    }
    for (at, hub) in hubs.iter().enumerate() {
        let mine = wires.iter().zip(&links).filter(|((from, _), _)| *from == at);
        let peers: Vec<(&str, String)> = mine.map(|((_, to), link)| (["a", "b", "c", "d"][*to], link.url())).collect();
        write_peers(&hub.place().palace(), &peers);
    }
    let places: Vec<Arc<Place>> = hubs.iter().map(|hub| Arc::clone(hub.place())).collect();
    let hubs: Vec<std::sync::Mutex<Hub>> = hubs.into_iter().map(std::sync::Mutex::new).collect();
    let done = AtomicBool::new(false);
    let acknowledged = std::thread::scope(|scope| {
        let writers: Vec<_> =
            hubs.iter().enumerate().map(|(who, hub)| scope.spawn(move || write(hub, who, events / 4))).collect();
        let (links, hubs, done) = (&links, &hubs, &done);
        let chaos = scope.spawn(move || {
            let (mut dice, mut turns) = (0x9e37_79b9_7f4a_7c15_u64, 0);
            while !done.load(Ordering::SeqCst) || turns < 8 {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let link = usize::try_from(dice >> 40).expect("24 bits") % links.len();
                links[link].set_open((dice >> 35) % 3 == 0);
                turns += 1;
                if turns == 4 {
                    let mut hub = hubs[2].lock().expect("no writer panics");
                    hub.kill9();
                    hub.start_again();
                    for ((_, to), link) in wires.iter().zip(links) {
                        if *to == 2 {
                            link.lead_to(hub.port());
                        }
                    }
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let ids: BTreeSet<String> =
            writers.into_iter().flat_map(|writer| writer.join().expect("a writer ends")).collect();
        done.store(true, Ordering::SeqCst);
        chaos.join().expect("it ends");
        ids
    });
    for link in &links {
        link.set_open(true);
    }
    // What was killed in the middle of an append may be in the log though nobody was told.
    let own: usize = places
        .iter()
        .map(|place| {
            let replica = std::fs::read_to_string(place.palace().join("replica.json")).expect("it is there");
            let replica: Value = serde_json::from_str(&replica).expect("JSON");
            let sql = "SELECT count(*) FROM events WHERE origin_replica = ?1";
            let count: i64 = open(&place.log_file())
                .query_row(sql, [replica["replica_id"].as_str()], |r| r.get(0))
                .expect("the table is there");
            usize::try_from(count).expect("a count")
        })
        .sum();
    assert!(own >= acknowledged.len());
    let all: Vec<&Arc<Place>> = places.iter().collect();
    wait_for(&all, own);
    let first = holdings(&places[0].log_file());
    let ids: BTreeSet<String> = first.0.iter().map(|row| row[0].clone()).collect();
    assert!(acknowledged.is_subset(&ids), "an acknowledged event is gone");
    assert!(!first.1.is_empty());
    for artifact in &first.1 {
        assert_eq!(artifact[1], sha256(&artifact[2]), "{}", artifact[0]);
    }
    for place in &places[1..] {
        let other = holdings(&place.log_file());
        assert!(first == other, "two hubs differ");
    }
    for place in &places {
        let output = place.cli(&["verify"], b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn an_event_that_arrives_late_is_new_by_its_arrival_and_old_by_its_clock() {
    let (there, here) = (Hub::start(), Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start());
    let late = there.append("s", "late");
    let first = here.append("s", "first");
    let mut stream = here.sse("");
    write_peers(&here.place().palace(), &[("there", there.origin())]);
    let frame = stream.event();
    assert_eq!(frame.id.as_deref(), Some(late.as_str()), "it is delivered as new");
    let since = here.list(json!({"since_event_id": first}));
    assert_eq!(since.len(), 1, "it lies after the cursor");
    let told = |id: &str| here.call("mempalace_event_get", json!({"event_id": id}))["event"].clone();
    let (late, first) = (told(&late), told(&first));
    assert!(late["seq"].as_i64() > first["seq"].as_i64());
    assert!(late["hlc"].as_str() < first["hlc"].as_str(), "its place is before");
}
