//! The search index as a file: made anew when it is gone, damaged or another log's, and shared by hubs and command lines.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::hub::{Hub, TOKEN, event};
use crate::outsider;
use crate::place::Place;
use crate::search::{TOOL, bodies, by_cli, found};

fn side_file(place: &Place) -> PathBuf {
    place.palace().join("loggia_search.sqlite3")
}

#[test]
fn a_removed_or_damaged_index_is_made_anew() {
    let mut hub = Hub::start();
    hub.append("s", "needle");
    assert_eq!(found(&hub, "needle").len(), 1);
    let file = side_file(hub.place());

    // While the hub runs.
    fs::remove_file(&file).expect("it is there");
    hub.append("s", "needle");
    assert_eq!(found(&hub, "needle").len(), 2);
    hub.restart();
    assert!(file.exists());
    assert_eq!(found(&hub, "needle").len(), 2);

    for damage in [b"no database at all, but long enough to be one, is it not? ".repeat(200), Vec::new()] {
        hub.terminate();
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(file.with_file_name(format!("loggia_search.sqlite3{suffix}")));
        }
        fs::write(&file, damage).expect("it can be written");
        hub.start_again();
        assert_eq!(found(&hub, "needle").len(), 2);
    }

    // The right version, but tables are missing.
    hub.terminate();
    outsider::open(&file).execute_batch("DROP TABLE parts").expect("it is there");
    hub.start_again();
    assert_eq!(found(&hub, "needle").len(), 2);
}

#[test]
fn an_index_of_another_log_or_version_is_made_anew() {
    let mut hub = Hub::start();
    for n in 0..3 {
        hub.append("s", &format!("needle {n}"));
    }
    assert_eq!(found(&hub, "needle").len(), 3);
    hub.terminate();
    let log = hub.place().log_file();
    let backup = log.with_extension("backup");
    fs::copy(&log, &backup).expect("copied");

    hub.start_again();
    hub.append("s", "needle that is lost");
    assert_eq!(found(&hub, "needle").len(), 4);
    hub.terminate();
    fs::copy(&backup, &log).expect("restored");
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(log.with_file_name(format!("logstream.sqlite3{suffix}")));
    }
    hub.start_again();
    assert_eq!(found(&hub, "lost"), [""; 0]);
    hub.append("s", "needle that came instead");
    assert_eq!(found(&hub, "needle").len(), 4);
    assert_eq!(found(&hub, "instead").len(), 1);

    hub.terminate();
    outsider::open(&side_file(hub.place())).pragma_update(None, "user_version", 999).expect("a pragma");
    hub.start_again();
    assert_eq!(found(&hub, "needle").len(), 4);
}

#[test]
fn the_command_line_indexes_by_itself() {
    let place = Place::new();
    let append = |body: &str| {
        let args = [
            "logstream",
            "append",
            "--type",
            "t.x",
            "--stream",
            "s",
            "--room",
            "r",
            "--from-agent",
            "a",
            "--body",
            body,
        ];
        assert!(place.cli(&args, b"").status.success());
    };
    append("first needle");
    assert_eq!(bodies(&by_cli(&place, &["needle"])), ["first needle"]);
    append("second needle");
    assert_eq!(bodies(&by_cli(&place, &["needle"])), ["second needle", "first needle"]);
    assert_eq!(bodies(&by_cli(&place, &["first", "nee"])), ["first needle"]);
    let text = place.cli(&["logstream", "search", "needle", "--limit", "1"], b"");
    let said = String::from_utf8_lossy(&text.stdout);
    assert!(
        said.contains("1 event(s):") && said.contains("body: second needle") && said.contains("older ones:"),
        "{said}"
    );
    let text = place.cli(&["logstream", "search", "nothing"], b"");
    assert_eq!(String::from_utf8_lossy(&text.stdout).trim(), "no matching events");
}

#[test]
fn a_hub_and_command_lines_share_one_index() {
    let hub = Hub::start();
    let place = hub.place();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let caller = hub.caller();
            scope.spawn(move || {
                for n in 0..40 {
                    caller
                        .call("mempalace_event_append", event("s", &format!("needle w{writer}x{n}")))
                        .expect("it lives");
                }
            });
            scope.spawn(move || {
                for _ in 0..4 {
                    by_cli(place, &["needle"]);
                }
            });
        }
    });
    // Nothing is missing and nothing is there twice, whoever indexed it.
    for answer in
        [hub.call(TOOL, json!({"query": "needle", "limit": 500})), by_cli(place, &["needle", "--limit", "500"])]
    {
        let mut all = bodies(&answer);
        assert_eq!(all.len(), 120);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 120);
    }
}

#[test]
fn a_search_reads_and_needs_no_more_than_that() {
    let hub = Hub::builder().arg("--read-only").start();
    let answer = hub.call(TOOL, json!({"query": "needle"}));
    assert_eq!(answer["count"], 0, "{answer}");
    assert_eq!(answer["newest"], json!({"seq": 0, "event_id": null}));
    let remote = by_cli(hub.place(), &["needle", "--url", &hub.origin(), "--token", TOKEN]);
    assert_eq!(remote["count"], 0);
}
