//! A running hub: the binary with a palace, a home and a port of its own, gone when the value is dropped.
//!
//! How it is started and ended is `hub_process`'s.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub_process::{Builder, Process, Refused, wait_for_exit};
use crate::place::Place;
use crate::sse::Stream;
use crate::wire::{Answer, Request};

/// The bootstrap token of every hub that does not say otherwise.
pub(crate) const TOKEN: &str = "lg_test_0123456789abcdefghijklmnopqrstuvwxyz";
/// How long an ordinary request may take.
const CALL_LIMIT: Duration = Duration::from_mins(1);

impl Builder {
    /// Starts it; it must come up.
    #[track_caller]
    pub(crate) fn start(self) -> Hub {
        match self.try_start() {
            Ok(hub) => hub,
            Err(refused) => panic!("the hub did not start: {refused:#?}"),
        }
    }

    /// Starts it, or tells how it refused.
    pub(crate) fn try_start(self) -> Result<Hub, Refused> {
        let process = Process::start(&self)?;
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(CALL_LIMIT))
            .build()
            .new_agent();
        Ok(Hub { builder: self, process, agent })
    }
}

/// A hub that listens.
pub(crate) struct Hub {
    builder: Builder,
    process: Process,
    agent: ureq::Agent,
}

impl Hub {
    /// How a hub is started, with nothing special.
    pub(crate) fn builder() -> Builder {
        Builder::new(TOKEN)
    }

    /// A hub on an empty palace.
    #[track_caller]
    pub(crate) fn start() -> Self {
        Self::builder().start()
    }

    /// Where it lives.
    pub(crate) fn place(&self) -> &Arc<Place> {
        &self.builder.place
    }

    /// The port that it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.process.port
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.child.id()
    }

    /// A path as this hub sees it, where it has a disk of its own.
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix("/").expect("a whole path");
        Path::new("/proc").join(self.pid().to_string()).join("root").join(below)
    }

    /// What it has written to stdout since its last start.
    pub(crate) fn stdout(&self) -> String {
        self.process.stdout.lock().expect("no reader panics").clone()
    }

    /// The one-time sign-in link that it prints at every start, without scheme and host.
    #[track_caller]
    pub(crate) fn sign_in_link(&self) -> String {
        let until = Instant::now() + Duration::from_secs(5);
        loop {
            let stdout = self.stdout();
            if let Some(word) = stdout.split_whitespace().find(|w| w.contains("/sign-in?code=")) {
                let at = word.find("/sign-in?code=").expect("the word was found by it");
                return word[at..].trim_end_matches(['"', '\'', '>', ')', '.']).to_owned();
            }
            assert!(Instant::now() < until, "no sign-in link on stdout:\n{stdout}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops it as a service manager would and starts it again, on another port.
    pub(crate) fn restart(&mut self) {
        self.terminate();
        self.start_again();
    }

    /// Ends it in the middle of whatever it does.
    pub(crate) fn kill9(&mut self) {
        self.process.child.kill().expect("it runs");
        self.process.child.wait().expect("a child can be waited for");
    }

    /// Starts it after it ended.
    #[track_caller]
    pub(crate) fn start_again(&mut self) {
        match Process::start(&self.builder) {
            Ok(process) => self.process = process,
            Err(refused) => panic!("the hub did not start again: {refused:#?}"),
        }
    }

    /// Asks it to end and waits; answers how and after how long.
    pub(crate) fn terminate(&mut self) -> (ExitStatus, Duration) {
        let asked_at = Instant::now();
        self.signal("-TERM");
        match wait_for_exit(&mut self.process.child, Duration::from_secs(30)) {
            Some(status) => (status, asked_at.elapsed()),
            None => panic!("the hub did not end on SIGTERM:\n{}", self.place().stderr()),
        }
    }

    /// Sends it a signal, named as `kill` names it.
    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.pid().to_string()]).status();
        assert!(status.expect("every system has `kill`").success(), "kill {signal} failed");
    }

    /// A request to this hub as any program may write it, with host, port and token set.
    pub(crate) fn request(&self, method: &str, target: &str) -> Request {
        let request = Request::new(self.port(), method, target);
        match self.builder.token {
            Some(token) => request.header("Authorization", &format!("Bearer {token}")),
            None => request,
        }
    }

    /// GET with the token.
    pub(crate) fn get(&self, target: &str) -> Answer {
        let mut request = self.agent.get(self.url(target));
        if let Some(token) = self.builder.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        Answer::from_ureq(request.call().expect("the hub answers"))
    }

    /// POST /mcp with the token and exactly these bytes.
    #[track_caller]
    pub(crate) fn rpc(&self, body: impl AsRef<[u8]>) -> Answer {
        self.try_rpc(body.as_ref()).expect("the hub answers")
    }

    /// As [`Hub::rpc`], for a hub that may be gone.
    pub(crate) fn try_rpc(&self, body: &[u8]) -> Result<Answer, ureq::Error> {
        let token = self.builder.token.unwrap_or_default();
        let request = self.agent.post(self.url("/mcp")).header("Authorization", format!("Bearer {token}"));
        request.content_type("application/json").send(body).map(Answer::from_ureq)
    }

    /// A caller for another thread: the same hub, its own connection.
    pub(crate) fn caller(&self) -> Caller {
        Caller { agent: self.agent.clone(), url: self.url("/mcp") }
    }

    /// Calls a tool and answers what is in `result.content[0].text`.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        tool_answer(&self.rpc(tool_call(tool, arguments)).json())
    }

    /// Calls a tool that must end in a JSON-RPC error, and answers that.
    #[track_caller]
    pub(crate) fn call_error(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.rpc(tool_call(tool, arguments)).json();
        assert!(answer["error"].is_object(), "no error: {answer}");
        answer["error"].clone()
    }

    /// Appends an event of type `t.x` and answers its id.
    #[track_caller]
    pub(crate) fn append(&self, stream: &str, body: &str) -> String {
        self.append_event(event(stream, body))["id"].as_str().expect("an id is a text").to_owned()
    }

    /// Appends an event and answers it as the hub shows it.
    #[track_caller]
    pub(crate) fn append_event(&self, arguments: Value) -> Value {
        let answer = self.call("mempalace_event_append", arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["event"].clone()
    }

    /// What the log holds, by a filter.
    #[track_caller]
    pub(crate) fn list(&self, arguments: Value) -> Vec<Value> {
        let answer = self.call("mempalace_event_list", arguments);
        answer["events"].as_array().unwrap_or_else(|| panic!("no events: {answer}")).clone()
    }

    /// Opens `/logstream/stream` with a query.
    #[track_caller]
    pub(crate) fn sse(&self, query: &str) -> Stream {
        self.request("GET", &format!("/logstream/stream?{query}")).open()
    }

    /// Opens `/logstream/stream` as a browser does that lost its connection.
    #[track_caller]
    pub(crate) fn sse_after(&self, query: &str, last_event_id: &str) -> Stream {
        self.request("GET", &format!("/logstream/stream?{query}")).header("Last-Event-ID", last_event_id).open()
    }

    /// Signs in with the token, as the form on the page does, and answers the session's cookie.
    #[track_caller]
    pub(crate) fn session(&self) -> String {
        let answer = self
            .request("POST", "/sign-in")
            .without("Authorization")
            .header("Origin", &self.origin())
            .form(&format!("token={TOKEN}"))
            .send();
        assert_eq!(answer.status, 303, "{answer:?}");
        answer.cookie().expect("a sign-in gives a cookie")
    }

    /// The origin of its own pages.
    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    fn url(&self, target: &str) -> String {
        format!("http://127.0.0.1:{}{target}", self.port())
    }
}

/// Calls the tools of a hub from another thread and expects that the hub may die meanwhile.
#[derive(Clone)]
pub(crate) struct Caller {
    agent: ureq::Agent,
    url: String,
}

impl Caller {
    /// What the tool answered, or `None` when no whole answer came.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Option<Value> {
        let request = self.agent.post(&self.url).header("Authorization", format!("Bearer {TOKEN}"));
        let mut response = request.content_type("application/json").send(tool_call(tool, arguments)).ok()?;
        let bytes = response.body_mut().with_config().read_to_vec().ok()?;
        Some(tool_answer(&serde_json::from_slice(&bytes).expect("a whole answer is JSON")))
    }
}

/// The smallest event there is, with a body.
pub(crate) fn event(stream: &str, body: &str) -> Value {
    json!({"type": "t.x", "stream": stream, "room": "r", "from_agent": "a", "body": body})
}

/// [`event`] with further fields, which beat its own.
pub(crate) fn event_with(stream: &str, body: &str, more: Value) -> Value {
    let mut event = event(stream, body);
    let (Value::Object(fields), Value::Object(more)) = (&mut event, more) else { panic!("fields are an object") };
    fields.extend(more);
    event
}

/// The request that calls a tool.
pub(crate) fn tool_call(tool: &str, arguments: impl Into<Value>) -> String {
    let arguments = arguments.into();
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        .to_string()
}

/// The tool's answer out of the JSON-RPC answer.
#[track_caller]
pub(crate) fn tool_answer(answer: &Value) -> Value {
    let Some(text) = answer["result"]["content"][0]["text"].as_str() else { panic!("no tool's answer: {answer}") };
    serde_json::from_str(text).expect("a tool answers JSON")
}
