//! What is asked of a peer over HTTP (`contract: sync`): its vector, its events, its artifacts. It blocks and trusts nothing: every
//! answer has a time and a size, compressed or not.

use std::io::Read;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use loggia_domain::{field, metadata};
use serde_json::Value;
use ureq::Agent;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use url::{Host, Url};

use super::peers::Peer;

/// How long a peer may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How long one answer may take in all, beyond the time that it was asked to wait.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);
/// The largest vector, in bytes.
const MAX_VECTOR_BYTES: u64 = 4 * 1024 * 1024;
/// The largest batch of events, in bytes.
const MAX_OPS_BYTES: u64 = 64 * 1024 * 1024;
/// The largest artifact: every byte of it may be written as six in JSON.
const MAX_ARTIFACT_BYTES: u64 = 6 * field::MAX_ARTIFACT_BYTES as u64 + 1024 * 1024;

/// Why a peer did not answer as it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It cannot be reached, or went silent.
    Unreachable(String),
    /// It answered with this status, and what it said with it.
    Status(u16, String),
    /// The answer is larger than so many bytes.
    TooLarge(u64),
    /// The answer is not what was asked for.
    Malformed(String),
    /// It is our own log that could not be used.
    Ours(String),
}

impl Fault {
    /// Whether it says nothing about what was asked for: the peer cannot answer now, does not let us in, or we could not ask. The round is
    /// over then, and the next one asks again.
    pub fn ends_round(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Ours(_) | Self::Status(401 | 403 | 429 | 503, _))
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "cannot be reached: {why}"),
            Self::Status(status, said) if said.is_empty() => write!(f, "answered with status {status}"),
            Self::Status(status, said) => write!(f, "answered with status {status}: {said}"),
            Self::TooLarge(limit) => write!(f, "answered with more than {limit} bytes"),
            Self::Ours(why) => write!(f, "was not at fault: {why}"),
            Self::Malformed(why) => write!(f, "answered with something else: {why}"),
        }
    }
}

/// An answer and when it was made by the peer's clock, in seconds since 1970.
pub struct Answer {
    /// The JSON.
    pub value: Value,
    /// From its `Date` header.
    pub date_s: Option<i64>,
}

/// A peer to ask.
pub struct Client {
    agent: Agent,
    base: Url,
    token: Option<String>,
}

/// The authorities in a PEM file. A file without one is an error.
pub fn authorities(pem: &[u8]) -> Result<RootCerts, String> {
    let mut found: Vec<Certificate<'static>> = Vec::new();
    for item in parse_pem(pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => {}
            Err(e) => return Err(e.to_string()),
        }
    }
    if found.is_empty() { Err("there is no certificate in it".to_owned()) } else { Ok(found.into()) }
}

impl Client {
    /// A client with connections of its own, which it keeps.
    pub fn new(peer: &Peer, authorities: Option<&RootCerts>) -> Self {
        let is_local = match peer.url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A token belongs to the address that was given.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_LIMIT))
            .user_agent(concat!("loggia/", env!("CARGO_PKG_VERSION")));
        if let Some(authorities) = authorities {
            config = config.tls_config(TlsConfig::builder().root_certs(authorities.clone()).build());
        }
        if is_local {
            config = config.proxy(None);
        }
        Self { agent: config.build().new_agent(), base: peer.url.clone(), token: peer.token.clone() }
    }

    /// `/sync/version_vector`. A Loggia hub waits for at most `wait` until its log has more than `since`; others answer at once.
    pub fn vector(&self, wait: Duration, since: i64) -> Result<Answer, Fault> {
        let (wait_ms, since) = (wait.as_millis().to_string(), since.to_string());
        let query = [("wait_ms", wait_ms.as_str()), ("since_seq", since.as_str())];
        self.get("version_vector", &query, ANSWER_LIMIT + wait, MAX_VECTOR_BYTES)
    }

    /// `/sync/ops`: at most `limit` events of an author after a number. A batch that is too large is asked for in smaller ones.
    pub fn ops(&self, origin: &str, after: i64, limit: usize) -> Result<Vec<Value>, Fault> {
        let mut limit = limit;
        loop {
            let (after, text) = (after.to_string(), limit.to_string());
            let query = [("origin", origin), ("after", after.as_str()), ("limit", text.as_str())];
            match self.get("ops", &query, ANSWER_LIMIT, MAX_OPS_BYTES) {
                Err(Fault::TooLarge(_)) if limit > 1 => limit = (limit / 8).max(1),
                Err(fault) => return Err(fault),
                Ok(answer) => {
                    let Value::Object(mut all) = answer.value else {
                        return Err(Fault::Malformed("ops is not an object".to_owned()));
                    };
                    let Some(Value::Array(events)) = all.remove("events") else {
                        return Err(Fault::Malformed("ops has no list `events`".to_owned()));
                    };
                    if events.len() > limit {
                        return Err(Fault::Malformed(format!("{} events instead of {limit}", events.len())));
                    }
                    return Ok(events);
                }
            }
        }
    }

    /// `/sync/artifact`; `None` if the peer does not have it.
    pub fn artifact(&self, id: &str) -> Result<Option<Value>, Fault> {
        match self.get("artifact", &[("id", id)], ANSWER_LIMIT, MAX_ARTIFACT_BYTES) {
            Ok(answer) => match answer.value {
                Value::Object(mut all) => Ok(all.remove("artifact")),
                _ => Err(Fault::Malformed("an artifact is not an object".to_owned())),
            },
            Err(Fault::Status(404, _)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn get(&self, name: &str, query: &[(&str, &str)], limit: Duration, max_bytes: u64) -> Result<Answer, Fault> {
        let mut url = self.base.clone();
        // An address of a hub can always be a base: it is http or https.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["sync", name]);
        }
        url.query_pairs_mut().extend_pairs(query);
        let mut request = self.agent.get(url.as_str()).header("Accept-Encoding", "gzip");
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let sent = request.config().timeout_global(Some(limit)).build().call();
        let mut response = sent.map_err(|e| Fault::Unreachable(told(&e.to_string())))?;
        let status = response.status().as_u16();
        if status != 200 {
            // Read to its end, so that the connection can be kept; what cannot be read says nothing.
            let body = response.body_mut().with_config().limit(64 * 1024).read_to_vec().unwrap_or_default();
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            return Err(Fault::Status(status, told(body["error"].as_str().unwrap_or_default())));
        }
        let header = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok());
        let date_s = header("date").and_then(http_date);
        let is_gzip = header("content-encoding").is_some_and(|v| v.eq_ignore_ascii_case("gzip"));
        let raw = response.body_mut().with_config().limit(max_bytes.saturating_add(1)).reader();
        let bytes = if is_gzip { read(MultiGzDecoder::new(raw), max_bytes)? } else { read(raw, max_bytes)? };
        Ok(Answer { value: json(&bytes)?, date_s })
    }
}

fn read(from: impl Read, max_bytes: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    from.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| {
        // What the limit of the compressed bytes ended is too large as well.
        if bytes.len() as u64 > max_bytes || e.to_string().contains("limit") {
            Fault::TooLarge(max_bytes)
        } else {
            Fault::Unreachable(told(&e.to_string()))
        }
    })?;
    if bytes.len() as u64 > max_bytes { Err(Fault::TooLarge(max_bytes)) } else { Ok(bytes) }
}

/// JSON, and what Python takes for it: `NaN` and `Infinity` become null, as they do in an old log.
fn json(bytes: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(bytes).or_else(|e| {
        let text = std::str::from_utf8(bytes).map_err(|_| Fault::Malformed("not UTF-8".to_owned()))?;
        if !text.contains("NaN") && !text.contains("Infinity") {
            return Err(Fault::Malformed(format!("not JSON at column {}", e.column())));
        }
        serde_json::from_str(&metadata::without_non_finite(text))
            .map_err(|e| Fault::Malformed(format!("not JSON at column {}", e.column())))
    })
}

/// `Mon, 30 Nov 2026 19:54:34 GMT` in seconds since 1970.
fn http_date(text: &str) -> Option<i64> {
    let at = time::OffsetDateTime::parse(text, &time::format_description::well_known::Rfc2822).ok()?;
    Some(at.unix_timestamp())
}

/// An error's text for people: one line, not long.
fn told(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_an_answer_is_read() {
        assert_eq!(http_date("Mon, 30 Nov 2026 19:54:34 GMT"), Some(1_796_068_474));
        assert_eq!(http_date("yesterday"), None);
    }

    #[test]
    fn numbers_that_are_none_become_null() {
        assert_eq!(json(br#"{"a": NaN}"#), Ok(serde_json::json!({"a": null})));
        assert!(matches!(json(b"{"), Err(Fault::Malformed(_))));
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        use std::io::Write as _;
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gz.write_all(&vec![b' '; 1024 * 1024]).expect("memory");
        let bomb = gz.finish().expect("memory");
        assert_eq!(read(MultiGzDecoder::new(&bomb[..]), 1000), Err(Fault::TooLarge(1000)));
    }

    #[test]
    fn a_file_without_a_certificate_is_no_authority() {
        assert!(authorities(b"nothing").is_err());
    }
}
