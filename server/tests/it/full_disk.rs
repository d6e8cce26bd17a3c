//! A full disk: who writes is told so, who reads goes on, and with space again everything goes on where it was. And a client that does not
//! read fills no disk.
//!
//! The disk is a small one in memory, in a name space that only the hub has; and where the system lets nobody make one, a limit on the size
//! of files, under which the same must hold.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::hub::{Hub, event, tool_answer, tool_call};

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

/// How the space ends.
enum Way {
    /// A small disk in memory, in a name space that only the hub has.
    Disk,
    /// No file of the hub may grow beyond a size, which the system refuses as it does beyond a quota. Needs no rights.
    Size,
}

/// The largest file in the second way, in bytes.
const LARGEST: u64 = 2 * 1024 * 1024;

fn system_mounts() -> bool {
    let script = "mount -t tmpfs none /tmp";
    let probe = Command::new("unshare").args(["--map-root-user", "--mount", "sh", "-c", script]).output();
    probe.is_ok_and(|output| output.status.success())
}

#[test]
fn on_a_full_disk_writes_are_refused_by_name_reads_go_on_and_space_mends_it() {
    check(if system_mounts() { &Way::Disk } else { &Way::Size });
}

#[test]
fn where_no_file_may_grow_writes_are_refused_reads_go_on_and_room_mends_it() {
    check(&Way::Size);
}

fn check(way: &Way) {
    let hub = match way {
        Way::Disk => Hub::builder().disk("24m").start(),
        Way::Size => Hub::builder().outlives_size_limits().start(),
    };
    let session = hub.session();
    let mut acknowledged: Vec<String> = (0..5).map(|n| hub.append("s", &format!("before {n}"))).collect();
    let mut stream = hub.sse("from=start");
    assert_eq!(stream.ids(5), acknowledged);

    let ballast = match way {
        Way::Disk => Some(Ballast::fill(hub.inside(&hub.place().palace()).join("ballast"))),
        Way::Size => {
            limit_size(&hub, &LARGEST.to_string());
            None
        }
    };
    let body = "x".repeat(100_000);
    let refused = (0..1000)
        .find_map(|_| {
            let answer = hub.rpc(tool_call("mempalace_event_append", event("s", &body))).json();
            if answer["error"].is_object() {
                return Some(answer["error"].clone());
            }
            let told = tool_answer(&answer);
            if told["success"] == json!(true) {
                acknowledged.push(told["event"]["id"].as_str().expect("an id is a text").to_owned());
                return None;
            }
            Some(told)
        })
        .expect("a hundred megabytes do not fit");
    match way {
        Way::Disk => {
            assert_eq!(refused["error"], "the disk is full: nothing was written", "{refused}");
            assert_eq!((&refused["success"], &refused["retryable"]), (&json!(false), &json!(true)));
        }
        // To SQLite this is a write that failed, for whatever reason: the answer says where to look, and the log there says what it was.
        Way::Size => {
            assert!(refused["data"]["request_id"].is_string(), "{refused}");
            assert!(hub.place().stderr().contains("disk I/O error"), "{}", hub.place().stderr());
        }
    }
    let patch = json!({"stream": "s", "room": "r", "from_agent": "a", "correlation_id": "c", "content": body});
    let patch = hub.rpc(tool_call("mempalace_patch_submit", patch)).json();
    assert!(patch["error"].is_object() || tool_answer(&patch)["success"] == false, "neither the patch nor its event");

    // Reading goes on: lists, streams that are open, new ones, and pages.
    assert_eq!(ids(&hub), acknowledged);
    assert_eq!(stream.ids(acknowledged.len() - 5), acknowledged[5..]);
    assert_eq!(hub.sse("from=start").ids(acknowledged.len()), acknowledged);
    let page = hub.request("GET", "/log").without("Authorization").header("Cookie", &session).send();
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(hub.get("/healthz").status, 200);

    match way {
        Way::Disk => drop(ballast),
        Way::Size => limit_size(&hub, "unlimited"),
    }
    for n in 0..20 {
        acknowledged.push(hub.append("s", &format!("after {n}")));
    }
    assert_eq!(ids(&hub), acknowledged, "nothing is lost, nothing is half there");
    assert_eq!(stream.ids(20), acknowledged[acknowledged.len() - 20..]);
    let verified = match way {
        Way::Disk => verify_inside(&hub),
        Way::Size => hub.place().cli(&["verify"], b""),
    };
    assert!(verified.status.success(), "{verified:?}");
}

/// Says up to which size files of the running hub may grow. The hard limit stays, so that anybody may take it back.
fn limit_size(hub: &Hub, bytes: &str) {
    let mut command = Command::new("prlimit");
    command.args(["--pid", &hub.pid().to_string(), &format!("--fsize={bytes}:unlimited")]);
    let output = command
        .output()
        .expect("`prlimit` comes with every Linux: without it, nor a disk in memory, this cannot be tested");
    assert!(output.status.success(), "{output:?}");
}

/// Runs `loggia verify` where the hub's disk is.
fn verify_inside(hub: &Hub) -> Output {
    let pid = hub.pid().to_string();
    let mut verify = Command::new("nsenter");
    verify.args(["--target", &pid, "--user", "--preserve-credentials", "--mount"]);
    verify.args([env!("CARGO_BIN_EXE_loggia"), "--palace"]);
    verify.arg(hub.place().palace()).arg("verify").output().expect("it runs")
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
