//! A full disk: who writes is told so, who reads goes on, and with space again everything goes on where it was. And a client that does not
//! read fills no disk.
//!
//! The disk is a small one in memory, in a name space that only the hub has. Where the system lets nobody make one, nothing is tested
//! here, and the test says so.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::hub::{Hub, event};

/// A file that takes all the space that is left; gone when the value is dropped.
struct Ballast(PathBuf);

impl Ballast {
    fn fill(path: PathBuf) -> Self {
        let mut file = File::create(&path).expect("a last file fits");
        for bytes in [65_536, 4096, 1] {
            while file.write_all(&vec![b'x'; bytes]).is_ok() {}
        }
        Self(path)
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn system_mounts() -> bool {
    let script = "mount -t tmpfs none /tmp";
    let probe = Command::new("unshare").args(["--map-root-user", "--mount", "sh", "-c", script]).output();
    probe.is_ok_and(|output| output.status.success())
}

#[test]
fn on_a_full_disk_writes_are_refused_by_name_reads_go_on_and_space_mends_it() {
    if !system_mounts() {
        // Seen by whoever runs this test alone; a system without name spaces cannot have the disk.
        let _ = writeln!(std::io::stderr(), "not tested: this system lets nobody mount a disk in memory");
        return;
    }
    let hub = Hub::builder().disk("24m").start();
    let palace = hub.inside(&hub.place().palace());
    let session = hub.session();
    let mut acknowledged: Vec<String> = (0..5).map(|n| hub.append("s", &format!("before {n}"))).collect();
    let mut stream = hub.sse("from=start");
    assert_eq!(stream.ids(5), acknowledged);

    let ballast = Ballast::fill(palace.join("ballast"));
    let body = "x".repeat(100_000);
    let refused = (0..1000)
        .find_map(|_| {
            let answer = hub.call("mempalace_event_append", event("s", &body));
            if answer["success"] == json!(true) {
                acknowledged.push(answer["event"]["id"].as_str().expect("an id is a text").to_owned());
                return None;
            }
            Some(answer)
        })
        .expect("a hundred megabytes do not fit");
    assert_eq!(refused["error"], "the disk is full: nothing was written", "{refused}");
    assert_eq!((&refused["success"], &refused["retryable"]), (&json!(false), &json!(true)));
    let patch = json!({"stream": "s", "room": "r", "from_agent": "a", "correlation_id": "c", "content": body});
    assert_eq!(hub.call("mempalace_patch_submit", patch)["success"], false, "neither the patch nor its event");

    // Reading goes on: lists, streams that are open, new ones, and pages.
    assert_eq!(ids(&hub), acknowledged);
    assert_eq!(stream.ids(acknowledged.len() - 5), acknowledged[5..]);
    assert_eq!(hub.sse("from=start").ids(acknowledged.len()), acknowledged);
    let page = hub.request("GET", "/log").without("Authorization").header("Cookie", &session).send();
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(hub.get("/healthz").status, 200);

    drop(ballast);
    for n in 0..20 {
        acknowledged.push(hub.append("s", &format!("after {n}")));
    }
    assert_eq!(ids(&hub), acknowledged, "nothing is lost, nothing is half there");
    assert_eq!(stream.ids(20), acknowledged[acknowledged.len() - 20..]);
    let pid = hub.pid().to_string();
    let mut verify = Command::new("nsenter");
    verify.args([
        "--target",
        &pid,
        "--user",
        "--preserve-credentials",
        "--mount",
        env!("CARGO_BIN_EXE_loggia"),
        "--palace",
    ]);
    let verified = verify.arg(hub.place().palace()).arg("verify").output().expect("it runs");
    assert!(verified.status.success(), "{verified:?}");
}

fn ids(hub: &Hub) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    loop {
        let mut asked = json!({"limit": 100, "order": "asc"});
        if let Some(last) = ids.last() {
            asked["since_event_id"] = last.as_str().into();
        }
        let page = hub.list(asked);
        if page.is_empty() {
            return ids;
        }
        ids.extend(page.iter().map(|event: &Value| event["id"].as_str().expect("an id is a text").to_owned()));
    }
}

#[test]
fn a_client_that_does_not_read_pins_no_write_ahead_log() {
    const MIB: u64 = 1024 * 1024;
    let hub = Hub::start();
    let stuck = hub.sse("stream=s");
    let body = "x".repeat(262_144);
    for _ in 0..240 {
        hub.append("s", &body);
    }
    let wal = hub.place().palace().join("logstream.sqlite3-wal");
    let wal_bytes = fs::metadata(&wal).map_or(0, |file| file.len());
    assert!(wal_bytes < 40 * MIB, "60 MiB were written, and {wal_bytes} bytes of them wait");
    drop(stuck);
}
