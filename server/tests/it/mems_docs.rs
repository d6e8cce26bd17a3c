//! The consumers in docs/memory-pipeline.md: taken out of the text and run, against a real hub and a real Redis.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::hub::Hub;
use crate::mems::{said, write};
use crate::mems_pipeline::publishing;
use crate::patience::wait_until;
use crate::redis::Redis;

const STREAM: &str = "mems:l0:events";
/// How long a line may take.
const SOON: Duration = Duration::from_secs(30);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace").to_owned()
}

/// The block of code below a mark in the document.
#[track_caller]
fn block(mark: &str) -> String {
    let text = std::fs::read_to_string(root().join("docs/memory-pipeline.md")).expect("the document");
    let from = text.find(&format!("<!-- consumer: {mark} -->")).unwrap_or_else(|| panic!("no consumer `{mark}`"));
    let code = text[from..].split_once("```").and_then(|(_, rest)| rest.split_once('\n')).expect("a block").1;
    code.split_once("```").expect("an end").0.to_owned()
}

/// A Python with the packages of end2end/requirements.txt: the set-up's.
fn python() -> PathBuf {
    let python =
        std::env::var_os("LOGGIA_PYTHON").map_or_else(|| root().join("target/tools/venv/bin/python"), PathBuf::from);
    assert!(python.exists(), "there is no {}: `cargo xtask setup` makes it", python.display());
    python
}

/// A consumer that runs, and its lines. Killed when it is dropped.
struct Consumer {
    child: Child,
    lines: Receiver<String>,
}

impl Consumer {
    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(SOON).expect("a line")
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn write_some(hub: &Hub, session: &str, count: usize) {
    for n in 0..count {
        write(hub, &said(session, &format!("m{n}")));
    }
}

/// How many entries the group of the document has in its hands.
fn pending(redis: &Redis) -> u64 {
    redis.ask(&["XPENDING", STREAM, "consumers"])[0].as_u64().expect("a number")
}

/// A worker takes entries and dies before it acknowledges them.
#[track_caller]
fn die_with(redis: &Redis, count: &str) {
    redis.ask(&["XGROUP", "CREATE", STREAM, "consumers", "0", "MKSTREAM"]);
    redis.ask(&["XREADGROUP", "GROUP", "consumers", "dead", "COUNT", count, "STREAMS", STREAM, ">"]);
    assert_eq!(pending(redis).to_string(), count);
}

#[test]
fn the_python_consumer_takes_over_works_once_and_comes_back() {
    let folder = tempfile::tempdir().expect("temp dir");
    let script = folder.path().join("consume.py");
    std::fs::write(&script, block("python")).expect("written");
    let mut redis = Redis::start();
    let hub = publishing(&redis);
    write_some(&hub, "s", 5);
    redis.wait_for(STREAM, 5);
    die_with(&redis, "3");
    // One of the three was done before the worker died: its event was seen.
    let first = redis.entries(STREAM)[0].1["event_id"].as_str().expect("a text").to_owned();
    redis.ask(&["SET", &format!("{STREAM}:seen:consumers:{first}"), "1"]);
    let start = |worker: &str| {
        let mut command = Command::new(python());
        Consumer::start(command.arg(&script).arg(worker).env("REDIS_URL", redis.url()).env("IDLE_MS", "0"))
    };
    let consumer = start("worker1");
    let mut seen: BTreeSet<String> = (0..4).map(|_| consumer.line()).collect();
    assert_eq!(seen.len(), 4, "each once, and not the one that was done");
    assert!(!seen.iter().any(|line| line.contains(&first)));
    wait_until("acknowledgements", || pending(&redis) == 0);
    // A second one shares the group; both live through the end of the stream.
    redis.ask(&["DEL", STREAM]);
    write_some(&hub, "s", 1);
    seen.insert(consumer.line());
    assert_eq!(seen.len(), 5);
    drop(consumer);
    let consumer = start("worker2");
    let port_stays = redis.url();
    redis.stop();
    redis.start_again();
    assert_eq!(port_stays, redis.url());
    write_some(&hub, "after", 1);
    assert!(consumer.line().starts_with("write a after 1 "));
}

#[test]
fn the_script_for_redis_cli_takes_over_and_acknowledges() {
    let folder = tempfile::tempdir().expect("temp dir");
    let script = folder.path().join("consume.sh");
    std::fs::write(&script, block("redis-cli")).expect("written");
    let redis = Redis::start();
    let hub = publishing(&redis);
    // A text that looks like an entry's id is none.
    write(&hub, &said("s", "1796069370199-0"));
    write_some(&hub, "s", 4);
    redis.wait_for(STREAM, 5);
    die_with(&redis, "2");
    let port = redis.url().rsplit_once(':').and_then(|(_, rest)| rest.split_once('/')).expect("an address").0;
    let mut command = Command::new("sh");
    command.arg(&script).arg("worker1").env("REDIS_PORT", port).env("IDLE_MS", "0").env("BLOCK_MS", "100");
    let consumer = Consumer::start(&mut command);
    let lines: Vec<String> = (0..5).map(|_| consumer.line()).collect();
    let ids: Vec<String> = redis.entries(STREAM).into_iter().map(|(id, _)| id).collect();
    let expected: Vec<String> = ids
        .iter()
        .zip(["write", "append", "append", "append", "append"])
        .map(|(id, kind)| format!("{id} {kind} a"))
        .collect();
    assert_eq!(lines, expected);
    wait_until("acknowledgements", || pending(&redis) == 0);
    redis.ask(&["DEL", STREAM]);
    write_some(&hub, "again", 1);
    assert!(consumer.line().ends_with(" write a"), "the group is made anew");
}

#[test]
fn the_rust_consumer_is_the_one_that_is_compiled() {
    let example = std::fs::read_to_string(root().join("server/examples/consume_memory.rs")).expect("the example");
    assert_eq!(block("rust"), example);
}
