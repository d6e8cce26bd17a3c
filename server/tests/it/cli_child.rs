//! A subcommand that runs for a while: its lines as they come, its stdin, signals, and how it ends.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::Place;

/// How long anything may take, in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// A running subcommand; killed when the value is dropped.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Running {
    /// Starts a subcommand on a palace.
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command();
        command.arg("--palace").arg(place.palace()).args(args);
        Self::spawn(command)
    }

    /// Starts a command that was prepared.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary was built with the tests");
        let stdout = lines(child.stdout.take().expect("stdout is piped"));
        let stderr = lines(child.stderr.take().expect("stderr is piped"));
        Self { stdin: child.stdin.take(), child, stdout, stderr }
    }

    /// The next line on stdout.
    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        match self.stdout.recv_timeout(LIMIT) {
            Ok(line) => line,
            Err(e) => panic!("no line on stdout ({e}); stderr: {:?}", self.stderr.try_iter().collect::<Vec<_>>()),
        }
    }

    /// The next line on stdout, as JSON.
    #[track_caller]
    pub(crate) fn json(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|e| {
            // An answer for people, or an error on several lines: all of it says more than its first.
            panic!("{e}: {line} {:?}", self.stdout.try_iter().collect::<Vec<_>>())
        })
    }

    /// Waits for a line on stderr that holds a text.
    #[track_caller]
    pub(crate) fn hears(&mut self, text: &str) {
        let mut heard = Vec::new();
        loop {
            match self.stderr.recv_timeout(LIMIT) {
                Ok(line) if line.contains(text) => return,
                Ok(line) => heard.push(line),
                Err(e) => panic!("`{text}` was not said on stderr ({e}): {heard:?}"),
            }
        }
    }

    /// Writes a line to its stdin.
    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).expect("it reads");
    }

    /// Closes its stdin.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Sends it SIGINT, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(status.expect("every system has `kill`").success());
    }

    /// Waits for its end; the exit code, and what it had still to say on stdout.
    #[track_caller]
    pub(crate) fn end(mut self) -> (Option<i32>, Vec<String>) {
        let until = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        (status.code(), self.stdout.iter().collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
