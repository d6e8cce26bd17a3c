//! A hub under measurement: where it listens, how one is let in, and what is known of its process.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;

use serde_json::{Value, json};
use url::Url;

use crate::Failure;

/// A hub under measurement.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// What the report calls it.
    pub(crate) name: String,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What the `Host` header says.
    pub(crate) authority: String,
    /// The bearer token.
    pub(crate) token: String,
    /// Its process, on this machine; without it memory and CPU are left out.
    pub(crate) pid: Option<u32>,
    /// Its resident memory in KiB before anything was asked of it.
    pub(crate) idle_kib: Option<f64>,
    /// Its palace, on this machine; without it nothing is written from outside.
    pub(crate) palace: Option<PathBuf>,
}

impl Target {
    /// A hub by its address.
    pub(crate) fn new(name: &str, url: &str, token: &str) -> Result<Self, Failure> {
        let parsed = Url::parse(url).map_err(|e| format!("`{url}` is not an address: {e}"))?;
        let (Some(host), "http") = (parsed.host_str(), parsed.scheme()) else {
            return Err(format!("`{url}` is not an http address").into());
        };
        let authority = format!("{host}:{}", parsed.port_or_known_default().unwrap_or(80));
        let address = authority.to_socket_addrs()?.next().ok_or_else(|| format!("`{host}` has no address"))?;
        Ok(Self {
            name: name.to_owned(),
            address,
            authority,
            token: token.to_owned(),
            pid: None,
            idle_kib: None,
            palace: None,
        })
    }

    /// `name=url,token` or `name=url,token,pid`.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let (name, rest) = text.split_once('=').ok_or_else(|| format!("`{text}` is not name=url,token[,pid]"))?;
        let mut parts = rest.split(',');
        let (Some(url), Some(token)) = (parts.next(), parts.next()) else {
            return Err(format!("`{text}` is not name=url,token[,pid]").into());
        };
        let pid = parts.next().map(str::parse).transpose().map_err(|e| format!("the pid in `{text}`: {e}"))?;
        Ok(Self { pid, ..Self::new(name, url, token)? })
    }

    /// A whole request with the token; `headers` are lines that end with `\r\n`.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let auth = format!("Authorization: Bearer {}\r\n", self.token);
        self.bare_request(method, path, &(auth + headers), body)
    }

    /// A whole request without the token.
    pub(crate) fn bare_request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let length = if method == "POST" { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}{length}\r\n", self.authority);
        [head.as_bytes(), body].concat()
    }

    /// The request that calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Vec<u8> {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": format!("mempalace_{tool}"), "arguments": arguments}});
        let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        self.request("POST", "/mcp", headers, call.to_string().as_bytes())
    }

    /// The request that appends an event of ordinary size to a stream.
    pub(crate) fn append(&self, stream: &str) -> Vec<u8> {
        let body = format!("an event of the load program, {}", "x".repeat(170));
        let event =
            json!({"type": "bench.event", "stream": stream, "room": "bench", "from_agent": "bench", "body": body});
        self.call("event_append", &event)
    }
}
