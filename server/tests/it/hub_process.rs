//! How a hub is started, and its process: with an empty environment, so that nothing of the machine decides a test, and ready when it
//! says so itself. What is asked of it is `hub`'s.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::place::Place;

/// How long a hub may take from its start to its `listening on` line, in a debug build on a busy machine.
const START_LIMIT: Duration = Duration::from_mins(1);

/// How a hub is started.
#[derive(Clone)]
pub(crate) struct Builder {
    /// Where it lives.
    pub(crate) place: Arc<Place>,
    /// `LOGGIA_TOKEN`.
    pub(crate) token: Option<&'static str>,
    host: &'static str,
    args: Vec<&'static str>,
    vars: Vec<(&'static str, &'static str)>,
    disk: Option<&'static str>,
    outlives_size_limits: bool,
}

impl Builder {
    /// With nothing special.
    pub(crate) fn new(token: &'static str) -> Self {
        Self {
            place: Place::new(),
            token: Some(token),
            host: "127.0.0.1",
            args: Vec::new(),
            vars: Vec::new(),
            disk: None,
            outlives_size_limits: false,
        }
    }

    /// On a palace that exists already, or that another hub uses.
    pub(crate) fn at(mut self, place: &Arc<Place>) -> Self {
        self.place = Arc::clone(place);
        self
    }

    /// With `--host`.
    pub(crate) fn host(mut self, host: &'static str) -> Self {
        self.host = host;
        self
    }

    /// With one more argument of `serve`.
    pub(crate) fn arg(mut self, arg: &'static str) -> Self {
        self.args.push(arg);
        self
    }

    /// With one more variable.
    pub(crate) fn var(mut self, name: &'static str, value: &'static str) -> Self {
        self.vars.push((name, value));
        self
    }

    /// With the palace on a disk of its own, in memory and of this size, which only this hub sees: see [`crate::hub::Hub::inside`].
    pub(crate) fn disk(mut self, size: &'static str) -> Self {
        self.disk = Some(size);
        self
    }

    /// Not ended by the system when a file would grow beyond a limit: the write fails instead, as it does beyond a quota.
    pub(crate) fn outlives_size_limits(mut self) -> Self {
        self.outlives_size_limits = true;
        self
    }

    /// Without `LOGGIA_TOKEN`: the hub mints one itself.
    pub(crate) fn without_token(mut self) -> Self {
        self.token = None;
        self
    }
}

/// What a hub said when it ended instead of listening.
#[derive(Debug)]
pub(crate) struct Refused {
    /// How it ended; `None` if it was killed because it neither listened nor ended.
    pub(crate) status: Option<ExitStatus>,
    /// What it wrote to both outputs.
    pub(crate) said: String,
}

/// The process; killed when the value is dropped.
pub(crate) struct Process {
    /// The child.
    pub(crate) child: Child,
    /// The port that it listens on.
    pub(crate) port: u16,
    /// What it has written to stdout.
    pub(crate) stdout: Arc<Mutex<String>>,
}

impl Process {
    /// Starts it and waits until it listens.
    pub(crate) fn start(builder: &Builder) -> Result<Self, Refused> {
        let place = &builder.place;
        let said_before = place.stderr().len();
        let stderr = File::options().create(true).append(true).open(place.stderr_path()).expect("our own folder");
        let mut command = match builder.disk {
            Some(size) => place.command_on_disk(size),
            None if builder.outlives_size_limits => place.command_without_signal("XFSZ"),
            None => place.command(),
        };
        command.arg("serve").arg("--palace").arg(place.palace()).args(["--host", builder.host, "--port", "0"]);
        command.args(&builder.args).envs(builder.vars.iter().copied());
        if let Some(token) = builder.token {
            command.env("LOGGIA_TOKEN", token);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("the binary was built with the tests");

        let stdout = Arc::new(Mutex::new(String::new()));
        let (ready, started) = mpsc::channel();
        let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let heard = Arc::clone(&stdout);
        // Reads on for as long as the process lives: a full pipe would stop it.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let address = line.split_once("listening on ").and_then(|(_, url)| url.split_once("://"));
                let port = address.and_then(|(_, address)| port_of(address));
                let mut heard = heard.lock().expect("no reader panics");
                heard.push_str(&line);
                heard.push('\n');
                if let Some(port) = port {
                    let _ = ready.send(port);
                }
            }
        });
        if let Ok(port) = started.recv_timeout(START_LIMIT) {
            return Ok(Self { child, port, stdout });
        }
        let status = wait_for_exit(&mut child, Duration::from_secs(5));
        let _ = child.kill();
        let _ = child.wait();
        let said = stdout.lock().expect("no reader panics").clone() + &place.stderr()[said_before..];
        Err(Refused { status, said })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a process ended, if it did in time.
pub(crate) fn wait_for_exit(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return Some(status);
        }
        if Instant::now() > until {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn port_of(address: &str) -> Option<u16> {
    let end = address.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(address.len());
    address[..end].rsplit_once(':')?.1.parse().ok()
}
