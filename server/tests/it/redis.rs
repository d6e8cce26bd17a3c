//! A real Redis for one test: a `redis-server` on a port of its own, gone when the value is dropped, asked by `redis-cli`, a client that
//! is not ours. A machine without them (Debian's `redis-server`, which `cargo xtask setup` installs) fails the test.

use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::patience::wait_until;

/// How long a server may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// A server, running or stopped.
pub(crate) struct Redis {
    folder: TempDir,
    port: u16,
    args: Vec<&'static str>,
    child: Option<Child>,
}

impl Redis {
    /// Starts one that keeps nothing on disk.
    #[track_caller]
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// The same with further arguments of `redis-server`.
    #[track_caller]
    pub(crate) fn with(args: &[&'static str]) -> Self {
        // Somebody else may take the port between the look and the start: then another one.
        for _ in 0..10 {
            let folder = TempDir::with_prefix("loggia-redis-").expect("the temporary folder is writable");
            let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
            let mut redis = Self { folder, port, args: args.to_vec(), child: None };
            if redis.try_start() {
                return redis;
            }
            redis.stop();
        }
        panic!("redis-server does not start");
    }

    fn try_start(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning"]);
        command.args(["--port", &self.port.to_string()]).arg("--dir").arg(self.folder.path()).args(&self.args);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.child = Some(child.expect("`redis-server` is installed: `cargo xtask setup` does it"));
        let until = Instant::now() + START_LIMIT;
        while Instant::now() < until {
            if self.child.as_mut().is_some_and(|child| child.try_wait().is_ok_and(|ended| ended.is_some())) {
                return false;
            }
            if String::from_utf8_lossy(&self.run(&["PING"]).stdout).contains("PONG") {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    /// Starts it again, on the same port and with nothing in it.
    #[track_caller]
    pub(crate) fn start_again(&mut self) {
        assert!(self.try_start(), "redis-server does not start again");
    }

    /// Ends it at once.
    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Sends it a signal, named as `kill` names it.
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.child.as_ref().expect("it runs").id().to_string();
        let status = Command::new("kill").args([signal, &pid]).status();
        assert!(status.expect("every system has `kill`").success(), "kill {signal} failed");
    }

    /// Its address, for the life of the process: variables of hubs are such texts.
    pub(crate) fn url(&self) -> &'static str {
        format!("redis://127.0.0.1:{}/0", self.port).leak()
    }

    /// `redis-cli` for it.
    pub(crate) fn cli(&self) -> Command {
        let mut command = Command::new("redis-cli");
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-e", "--json"]);
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, command: &[&str]) -> Output {
        self.cli().args(command).output().expect("`redis-cli` is installed: `cargo xtask setup` does it")
    }

    /// Asks it something that must work; the text that it answers.
    #[track_caller]
    pub(crate) fn says(&self, command: &[&str]) -> String {
        let output = self.run(command);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    /// Asks it something that must work.
    #[track_caller]
    pub(crate) fn ask(&self, command: &[&str]) -> Value {
        let said = self.says(command);
        serde_json::from_str(said.trim()).unwrap_or_else(|_| panic!("{command:?} answered {said:?}"))
    }

    /// Asks it something that it must refuse; what it says.
    #[track_caller]
    pub(crate) fn refuses(&self, command: &[&str]) -> String {
        let output = self.run(command);
        assert!(!output.status.success(), "{command:?} was not refused: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
    }

    /// The entries of a stream, oldest first: id and fields.
    #[track_caller]
    pub(crate) fn entries(&self, stream: &str) -> Vec<(String, Value)> {
        entries(&self.ask(&["XRANGE", stream, "-", "+"]))
    }

    /// Waits until a stream has so many entries.
    #[track_caller]
    pub(crate) fn wait_for(&self, stream: &str, count: usize) -> Vec<(String, Value)> {
        wait_until(&format!("{count} entries in {stream}"), || self.ask(&["XLEN", stream]) == count);
        self.entries(stream)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        if self.child.is_some() {
            // One that was stopped by a signal would not die.
            self.signal("-CONT");
        }
        self.stop();
    }
}

/// Entries as `redis-cli --json` writes them: `[id, [name, value, …]]` each.
#[track_caller]
pub(crate) fn entries(answer: &Value) -> Vec<(String, Value)> {
    let list = answer.as_array().unwrap_or_else(|| panic!("no entries: {answer}"));
    let one = |entry: &Value| {
        let flat = entry[1].as_array().expect("fields");
        let mut fields = Value::Object(serde_json::Map::new());
        for pair in flat.chunks(2) {
            fields[pair[0].as_str().expect("a name")] = pair[1].clone();
        }
        (entry[0].as_str().expect("an id").to_owned(), fields)
    };
    list.iter().map(one).collect()
}
