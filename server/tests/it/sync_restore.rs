//! A hub that was restored from an old backup: it notices, takes its own events back, and loses none that were written since.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::outsider::open;
use crate::patience::wait_until;
use crate::relay_link::Link;
use crate::sync_mesh::{holdings, wait_for, write_peers};

/// Two hubs that pull from each other over links, the first of which has a backup from the middle of what it wrote.
struct Pair {
    restored: Hub,
    other: Hub,
    to_other: Link,
    to_restored: Link,
    /// Before the backup, and after it.
    written: Vec<String>,
    highest: i64,
    backup: tempfile::TempDir,
}

const LOG: &str = "logstream.sqlite3";

impl Pair {
    fn start() -> Self {
        let start = |link: &Link| {
            let builder = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1");
            let hub = builder.arg("--public-url").arg(link.public_url()).start();
            link.lead_to(hub.port());
            hub
        };
        let (to_other, to_restored) = (Link::new(), Link::new());
        let (mut restored, other) = (start(&to_restored), start(&to_other));
        write_peers(&restored.place().palace(), &[("other", to_other.url())]);
        write_peers(&other.place().palace(), &[("restored", to_restored.url())]);
        let mut written = Vec::new();
        let mut write = |hub: &Hub| {
            for n in 0..6 {
                written.push(hub.append("s", &n.to_string()));
            }
            let patch = json!({"stream": "s", "from_agent": "a", "to_agent": "*", "content": format!("--- {n}\n", n = written.len()),
                "base_commit": "abcdef1", "branch": "b"});
            let event = hub.call("mempalace_patch_submit", patch);
            written.push(event["event"]["id"].as_str().unwrap_or_else(|| panic!("{event}")).to_owned());
        };
        write(&restored);
        wait_for(&[restored.place(), other.place()], 7);
        restored.terminate();
        let backup = tempfile::tempdir().expect("a folder");
        std::fs::copy(restored.place().log_file(), backup.path().join(LOG)).expect("copied");
        restored.start_again();
        to_restored.lead_to(restored.port());
        write(&restored);
        wait_for(&[restored.place(), other.place()], 14);
        restored.terminate();
        let highest = open(&restored.place().log_file())
            .query_row("SELECT max(origin_seq) FROM events", [], |r| r.get(0))
            .expect("the table is there");
        let pair = Self { restored, other, to_other, to_restored, written, highest, backup };
        pair.restore();
        pair
    }

    /// Puts the old log in the place of the new one, as somebody does who has lost a disk.
    fn restore(&self) {
        let palace = self.restored.place().palace();
        for file in std::fs::read_dir(&palace).expect("it is there").flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.contains(".sqlite3") && !name.starts_with("auth") {
                std::fs::remove_file(file.path()).expect("removed");
            }
        }
        std::fs::copy(self.backup.path().join(LOG), palace.join(LOG)).expect("copied");
    }

    #[track_caller]
    fn wait_for_repair(&self) -> Value {
        let until = Instant::now() + Duration::from_mins(2);
        loop {
            let status = self.restored.get("/statusz").json()["estate"].clone();
            if status["restore"]["state"] == "repaired" {
                return status["restore"].clone();
            }
            assert!(Instant::now() < until, "{status:#}\n{}", self.restored.place().stderr());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Both hold everything, and the same.
    #[track_caller]
    fn check(&self, since: &[String]) {
        let all = self.written.len() + since.len();
        wait_for(&[self.restored.place(), self.other.place()], all);
        let mine = holdings(&self.restored.place().log_file());
        assert!(mine == holdings(&self.other.place().log_file()), "the two differ");
        let ids: BTreeSet<&String> = mine.0.iter().map(|row| &row[0]).collect();
        assert!(self.written.iter().chain(since).all(|id| ids.contains(id)));
        for hub in [&self.restored, &self.other] {
            let output = hub.place().cli(&["verify"], b"");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

fn number(event: &Value) -> i64 {
    event["origin_seq"].as_i64().expect("a number")
}

#[test]
fn with_its_peer_at_hand_no_number_is_given_twice() {
    let mut pair = Pair::start();
    pair.restored.start_again();
    pair.to_restored.lead_to(pair.restored.port());
    // At once: the append waits until the peer was heard.
    let event = pair.restored.append_event(event_with("s", "since", json!({})));
    assert!(number(&event) > pair.highest, "{} is not above {}", number(&event), pair.highest);
    let restore = pair.wait_for_repair();
    assert_eq!((&restore["taken_back"], &restore["renumbered"]), (&json!(7), &json!(0)), "{restore}");
    pair.check(&[event["id"].as_str().expect("an id").to_owned()]);
    let metrics = pair.restored.get("/metrics").text();
    assert!(
        metrics.contains("loggia_restore_detected 1") && metrics.contains("loggia_restore_unrepaired 0"),
        "{metrics}"
    );
}

#[test]
fn an_alarm_that_was_acknowledged_is_gone_and_a_new_one_is_not() {
    let mut pair = Pair::start();
    let alarm = |pair: &Pair| pair.restored.get("/statusz").json()["estate"]["restore"].clone();
    for round in 1..=2 {
        pair.restored.start_again();
        pair.to_restored.lead_to(pair.restored.port());
        // The word of the first round says nothing about what is found in the second.
        pair.wait_for_repair();
        let output = pair.restored.place().cli(&["peers", "acknowledge", "--json"], b"");
        assert!(output.status.success(), "{output:?}");
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(said["seen_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{said}");
        wait_until("the alarm to end", || alarm(&pair).is_null());
        let metrics = pair.restored.get("/metrics").text();
        assert!(metrics.contains("loggia_restore_detected 0"), "{metrics}");
        if round == 1 {
            pair.restored.terminate();
            pair.restore();
        }
    }
    pair.check(&[]);
}

#[test]
fn what_was_written_while_no_peer_could_be_heard_is_not_lost() {
    let mut pair = Pair::start();
    pair.to_other.set_open(false);
    pair.restored.start_again();
    pair.to_restored.set_open(false);
    pair.to_restored.lead_to(pair.restored.port());
    let since: Vec<Value> =
        (0..4).map(|n| pair.restored.append_event(event_with("s", &format!("since {n}"), json!({})))).collect();
    assert!(number(&since[0]) <= pair.highest, "no peer could say that the number was taken");
    pair.to_other.set_open(true);
    pair.to_restored.set_open(true);
    let restore = pair.wait_for_repair();
    assert_eq!((&restore["taken_back"], &restore["renumbered"]), (&json!(7), &json!(4)), "{restore}");
    let ids: Vec<String> = since.iter().map(|e| e["id"].as_str().expect("an id").to_owned()).collect();
    pair.check(&ids);
}

#[test]
fn a_hub_that_wrote_past_its_old_numbers_is_found_out_too() {
    let mut pair = Pair::start();
    pair.to_other.set_open(false);
    pair.to_restored.set_open(false);
    pair.restored.start_again();
    pair.to_restored.lead_to(pair.restored.port());
    let since: Vec<Value> =
        (0..12).map(|n| pair.restored.append_event(event_with("s", &format!("since {n}"), json!({})))).collect();
    assert!(number(&since[11]) > pair.highest, "its highest number is above that of its peer");
    pair.to_other.set_open(true);
    let restore = pair.wait_for_repair();
    assert_eq!((&restore["taken_back"], &restore["renumbered"]), (&json!(7), &json!(12)), "{restore}");
    pair.to_restored.set_open(true);
    let ids: Vec<String> = since.iter().map(|e| e["id"].as_str().expect("an id").to_owned()).collect();
    pair.check(&ids);
}

#[test]
fn appends_wait_no_longer_than_a_moment_for_a_dead_peer() {
    let mut hub = Hub::start();
    hub.terminate();
    write_peers(&hub.place().palace(), &[("dead", "http://127.0.0.1:9".to_owned())]);
    hub.start_again();
    hub.append("s", "it came through");
    assert!(Path::new(&hub.place().log_file()).exists());
}
