//! A hub that a command speaks to over HTTP: how it is reached, how its tools are called, and how it fails. It repeats what the hub says
//! and decides nothing itself. What is asked of it is `log`'s, `list`'s, `search`'s and `stream`'s.
//!
//! # Design
//! The client blocks, so every request runs off the async threads. Nothing is sent twice: an append whose answer was lost may be in
//! the log, and only the caller can tell. Redirects are not followed, since a token belongs to the address that was given.

mod arguments;
mod list;
mod log;
mod search;
mod stream;

use std::io::Read;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};
use url::{Host, Url};

use super::output::Failure;
pub(super) use arguments::{ack_arguments, event_arguments};
pub(super) use stream::Live;

/// How long a hub may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How long it may take to answer a command.
const CALL_LIMIT: Duration = Duration::from_mins(1);

/// A hub's address and the token for it. Cheap to clone; prints nothing.
#[derive(Clone)]
pub(super) struct Hub {
    agent: Agent,
    base: Url,
    token: Option<String>,
}

/// Why a call did not do what was asked.
pub(super) enum CallError {
    /// The tool refused it; `field` is the argument at fault.
    Refused {
        /// The tool's own words.
        failure: Failure,
        /// The argument at fault, where it is named.
        field: Option<String>,
    },
    /// Anything else.
    Failed(Failure),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused { failure, .. } | CallError::Failed(failure) => failure,
        }
    }
}

/// An answer's status and body.
pub(super) struct Reply {
    /// The HTTP status.
    pub(super) status: u16,
    /// The whole body.
    pub(super) body: Vec<u8>,
}

impl Hub {
    /// A hub by its address, with or without `/mcp` at the end, and whom to trust over https; `None` is the world's usual authorities.
    pub(super) fn new(url: &str, token: Option<String>, authorities: Option<RootCerts>) -> Result<Self, Failure> {
        let base = base(url)?;
        let is_local = match base.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_LIMIT))
            .user_agent(concat!("loggia/", env!("CARGO_PKG_VERSION")));
        if let Some(authorities) = authorities {
            config = config.tls_config(TlsConfig::builder().root_certs(authorities).build());
        }
        if is_local {
            config = config.proxy(None);
        }
        Ok(Self { agent: config.build().new_agent(), base, token })
    }

    /// The address, for people.
    pub(super) fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Posts a JSON-RPC message and waits for the answer: `patience` is how long each may take, the sending, the beginning of the answer
    /// and the rest of it. Blocks.
    pub(super) fn post(&self, message: &[u8], patience: Duration) -> Result<Reply, Failure> {
        let mut request = self.agent.post(self.url(&["mcp"]).as_str()).content_type("application/json");
        request = request.header("Accept", "application/json, text/event-stream");
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let patience = Some(patience);
        let config = request.config().timeout_send_body(patience).timeout_recv_response(patience);
        let mut response = config.timeout_recv_body(patience).build().send(message).map_err(|e| self.silent(&e))?;
        let body = response.body_mut().with_config().read_to_vec().map_err(|e| self.silent(&e))?;
        Ok(Reply { status: response.status().as_u16(), body })
    }

    /// Opens a GET. Blocks until the headers are here; `quiet_limit` is how long the body may say nothing.
    fn open(&self, url: &Url, headers: &[(&str, &str)], quiet_limit: Duration) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.get(url.as_str());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let configured =
            request.config().timeout_recv_response(Some(CALL_LIMIT)).timeout_per_read(Some(quiet_limit)).build();
        configured.call().map_err(|e| self.silent(&e))
    }

    /// Calls a tool.
    pub(super) async fn call<T: DeserializeOwned + Send + 'static>(
        &self,
        tool: &'static str,
        arguments: Value,
    ) -> Result<T, CallError> {
        self.aside(move |hub| hub.call_now(tool, &arguments)).await
    }

    /// Asks off the async threads.
    async fn aside<T: Send + 'static, E: From<Failure> + Send + 'static>(
        &self,
        ask: impl FnOnce(&Self) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let hub = self.clone();
        match tokio::task::spawn_blocking(move || ask(&hub)).await {
            Ok(answer) => answer,
            Err(error) => Err(Failure::new(format!("a request ended early: {error}")).into()),
        }
    }

    fn call_now<T: DeserializeOwned>(&self, tool: &str, arguments: &Value) -> Result<T, CallError> {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let reply = self.post(message.as_bytes(), CALL_LIMIT)?;
        let Ok(answer) = serde_json::from_slice::<RpcAnswer>(&reply.body) else {
            return Err(self.odd(reply.status, &reply.body).into());
        };
        let text = match answer {
            RpcAnswer { error: Some(error), .. } => return Err(Failure::new(error.message).into()),
            RpcAnswer { result: Some(result), .. } => result.content.into_iter().next().map(|c| c.text),
            RpcAnswer { .. } => None,
        };
        let text = text.ok_or_else(|| self.odd(reply.status, &reply.body))?;
        // A refusal is an answer with `error`; no answer that did what was asked has that key.
        if let Ok(refused) = serde_json::from_str::<Problem>(&text) {
            return Err(CallError::Refused { field: refused.field.clone(), failure: refused.into() });
        }
        serde_json::from_str(&text).map_err(|e| {
            Failure::new(format!("the hub at {} answered {tool} in a form that is not known: {e}", self.address()))
                .into()
        })
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // An http address can have a path; only `mailto:` and its like cannot.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// The failure of a hub that does not answer. No error of the client repeats a header.
    fn silent(&self, error: &ureq::Error) -> Failure {
        let cause = match error {
            ureq::Error::Io(e) => e.to_string(),
            other => other.to_string(),
        };
        let failure = Failure::new(format!("the hub at {} does not answer: {cause}", self.address()));
        // Whatever is wrong with a certificate, the client says so in words of its own.
        if self.base.scheme() == "https" && cause.to_lowercase().contains("certificate") {
            return failure.hint(
                "give the file of the authority that signed its certificate with --ca, and the name in it with --url",
            );
        }
        failure
    }

    /// The failure for an answer that is not what was asked for.
    pub(super) fn odd(&self, status: u16, body: &[u8]) -> Failure {
        let problem = serde_json::from_slice::<Problem>(body).ok();
        let said = problem.as_ref().map(|p| format!(": {}", p.error)).unwrap_or_default();
        let failure = Failure::new(format!("the hub at {} answered {status}{said}", self.address()));
        match (status, problem.and_then(|p| p.hint)) {
            (401, _) => failure.hint("set $LOGGIA_TOKEN, or give --token"),
            (301..=308, _) => failure.hint("give the address to which it moved"),
            (_, Some(hint)) => failure.hint(hint),
            (404, None) => failure.hint("is this the address of a hub?"),
            (_, None) => failure,
        }
    }
}

/// The error text of an HTTP answer or of a tool's refusal.
#[derive(Deserialize)]
struct Problem {
    error: String,
    #[serde(default)]
    hint: Option<String>,
    #[serde(default)]
    field: Option<String>,
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let failure = Self::new(problem.error);
        match problem.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

#[derive(Deserialize)]
struct RpcAnswer {
    result: Option<ToolResult>,
    error: Option<RpcError>,
}

#[derive(Deserialize)]
struct RpcError {
    message: String,
}

#[derive(Deserialize)]
struct ToolResult {
    content: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    text: String,
}

fn base(text: &str) -> Result<Url, Failure> {
    let bad = |why: &str| Failure::new(format!("--url: {why}")).hint("for example http://127.0.0.1:8787");
    let mut url = Url::parse(text).map_err(|e| bad(&e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("not an http or https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("a name or password does not belong there; give --token"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("a hub's address has no query and no fragment"));
    }
    // What is in an agent's settings is the address of `/mcp`.
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/mcp").unwrap_or(path).to_owned();
    url.set_path(&path);
    Ok(url)
}

/// Reads the whole of a small body, whatever it is.
fn read_some(response: Response<Body>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What cannot be read is not shown; the status says enough.
    let _ = response.into_body().into_reader().take(64 * 1024).read_to_end(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::time::Duration;

    use super::{Hub, base};

    #[test]
    fn an_answer_that_stops_in_the_middle_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (finished, waits) = std::sync::mpsc::channel::<()>();
        let hub = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().expect("it calls");
            let half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\":";
            let read = client.read(&mut [0; 4096]).and_then(|_| client.write_all(half));
            read.expect("it reads");
            // Holds the connection open until the caller has given up.
            waits.recv()
        });
        let called = Hub::new(&url, None, None).and_then(|hub| hub.post(b"{}", Duration::from_millis(100)));
        let failure = called.err().expect("the rest never comes");
        assert!(failure.message().contains("does not answer"), "{}", failure.message());
        finished.send(()).expect("it waits");
        hub.join().expect("no panic").expect("it was told");
    }

    #[test]
    fn the_address_of_a_hub_may_be_that_of_its_mcp_route() {
        for (given, address) in [
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787"),
            ("http://127.0.0.1:8787/", "http://127.0.0.1:8787"),
            ("http://127.0.0.1:8787/mcp", "http://127.0.0.1:8787"),
            ("https://hub.example/team/mcp/", "https://hub.example/team"),
        ] {
            let hub = Hub::new(given, None, None).expect("an address");
            assert_eq!(hub.address(), address);
            let url = hub.url(&["artifacts", "a/b c", "raw"]);
            assert_eq!(url.as_str(), format!("{address}/artifacts/a%2Fb%20c/raw"));
        }
        for bad in ["127.0.0.1:8787", "ftp://x", "http://u:p@x", "http://x?token=1", ""] {
            assert!(base(bad).is_err(), "{bad}");
        }
    }
}
