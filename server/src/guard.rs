//! The door in front of every route, assets too: Host, then Origin, then content type (`contract: mcp-and-http`, section Security); and
//! on a read-only hub no change, by whichever route.
//!
//! # Design
//! Host is the primary check. A page on a foreign name that was made to resolve to this machine is same-origin with us, so its GETs
//! carry no Origin; but its requests carry its own name in Host.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use loggia_domain::{ApiError, ErrorCode};
use url::Url;

use crate::AppState;
use crate::config::Bind;
use crate::error::HttpError;

/// Headers that only a proxy sets.
const FORWARDING: [&str; 6] =
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server", "x-real-ip"];

/// Which names and origins are this hub's own.
#[derive(Debug)]
pub struct Guard {
    bind: Bind,
    refuse_forwarded: bool,
    forwarded: Forwarded,
}

/// Requests that were refused since they came through a proxy to a hub without authentication.
#[derive(Debug, Default)]
struct Forwarded {
    count: AtomicU64,
    last_ms: AtomicU64,
}

impl Guard {
    /// The door of a hub that is bound already: `bind.port` is the real one.
    pub fn new(bind: Bind, no_auth: bool) -> Self {
        Self { bind, refuse_forwarded: no_auth, forwarded: Forwarded::default() }
    }

    /// How many requests were refused since they came through a proxy, and when the last one did, ms since 1970; `None` without any.
    pub fn forwarded(&self) -> Option<(u64, u64)> {
        let count = self.forwarded.count.load(Relaxed);
        (count > 0).then(|| (count, self.forwarded.last_ms.load(Relaxed)))
    }

    /// Whether the browser speaks TLS: with us, or with a proxy in front of us. Then it says so in its Origin, or it asks for a public
    /// host of ours that is only there by https.
    pub fn is_behind_tls(&self, headers: &HeaderMap) -> bool {
        if self.bind.tls || headers.get(header::ORIGIN).is_some_and(|o| o.as_bytes().starts_with(b"https://")) {
            return true;
        }
        let host = headers.get(header::HOST).and_then(|v| Host::parse(&String::from_utf8_lossy(v.as_bytes())));
        host.is_some_and(|host| {
            let mut same = self.bind.public_urls.iter().filter(|url| is_host_of(url, &host)).peekable();
            same.peek().is_some() && same.all(|url| url.scheme() == "https")
        })
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = self.check_host(headers)?;
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = String::from_utf8_lossy(origin.as_bytes()).into_owned();
            if headers.get_all(header::ORIGIN).iter().count() > 1 || !self.is_own_origin(&origin, &host) {
                return Err(ApiError::new(
                    ErrorCode::Forbidden,
                    format!("the origin `{}` is not this hub's", shown(&origin)),
                )
                .hint(origin_hint(&origin)));
            }
        }
        if self.refuse_forwarded
            && let Some(name) = FORWARDING.iter().find(|name| headers.contains_key(**name))
        {
            self.forwarded.last_ms.store(crate::clock::now_ms(), Relaxed);
            self.forwarded.count.fetch_add(1, Relaxed);
            tracing::warn!(header = name, "a forwarded request was refused: this hub runs with --no-auth");
            return Err(ApiError::new(
                ErrorCode::Forbidden,
                format!("a hub without authentication does not answer behind a proxy (header `{name}`)"),
            )
            .hint("start it without `--no-auth` and use tokens"));
        }
        Ok(())
    }

    /// How its own address begins.
    fn scheme(&self) -> &'static str {
        if self.bind.tls { "https" } else { "http" }
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<Host, ApiError> {
        let hint = |setting: &str| {
            format!(
                "a hub answers to its own address and to the hosts of `--public-url`; if this one is yours, {setting}"
            )
        };
        let mut values = headers.get_all(header::HOST).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(ApiError::new(ErrorCode::Forbidden, "a request needs one Host header").hint(hint("send it")));
        };
        let text = String::from_utf8_lossy(value.as_bytes());
        let host = Host::parse(&text);
        let host = match host {
            Some(host) if self.is_own_host(&host) => return Ok(host),
            other => other,
        };
        let name = shown(&text);
        let setting = match host {
            Some(host) if host.name.parse::<IpAddr>().is_err() => {
                format!("start the hub with `--public-url https://{name}`, or `http://{name}` where no TLS is")
            }
            _ => "start the hub with `--public-url` and the address in the browser".to_owned(),
        };
        let error = format!("the host `{name}` is not this hub's");
        Err(ApiError::new(ErrorCode::Forbidden, error).hint(hint(&setting)))
    }

    fn is_own_host(&self, host: &Host) -> bool {
        let ours = host.port.is_none_or(|p| p == self.bind.port);
        let public = self.bind.public_urls.iter().any(|url| is_host_of(url, host));
        let by_address = host.name.parse::<IpAddr>().is_ok_and(|ip| {
            // An address in the Host header was not made up by a name server. The wildcard address names nobody.
            !ip.is_unspecified() && (ip == self.bind.host || !self.bind.host.is_loopback())
        });
        public || (ours && (is_loopback_name(&host.name) || by_address))
    }

    /// An origin is ours when it is configured, or loopback with our port, or the very address that the request came to.
    fn is_own_origin(&self, origin: &str, host: &Host) -> bool {
        let Ok(url) = Url::parse(origin) else { return false };
        // What does not read the same after parsing holds more than an origin: a user, a path, a trick.
        if !url.origin().ascii_serialization().eq_ignore_ascii_case(origin) || !matches!(url.scheme(), "http" | "https")
        {
            return false;
        }
        if self.bind.public_urls.iter().any(|public| public.origin() == url.origin()) {
            return true;
        }
        let Some(from) = url.host_str().map(|h| h.trim_matches(['[', ']'])) else { return false };
        let our_port = url.scheme() == self.scheme() && url.port_or_known_default() == Some(self.bind.port);
        let same_address = from.parse::<IpAddr>().is_ok() && from == host.name;
        our_port && (is_loopback_name(from) || same_address)
    }
}

/// The middleware around the whole router.
pub async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if let Err(error) = state.guard.check(request.headers()) {
        return HttpError::new(error).into_response();
    }
    if is_simple_post(&request) {
        return HttpError::new(
            ApiError::new(ErrorCode::BadRequest, "a request with an Origin needs `Content-Type: application/json`")
                .hint("any page can post text/plain; JSON makes the browser ask first"),
        )
        .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
        .into_response();
    }
    if state.settings.read_only && changes_something(&request) {
        return HttpError::new(read_only()).into_response();
    }
    next.run(request).await
}

/// What a hub says that was started with `--read-only`.
pub fn read_only() -> ApiError {
    ApiError::new(ErrorCode::Forbidden, "this hub is read-only").hint("it was started with `--read-only`")
}

/// Whether a request may change what the hub keeps. `/mcp` looks at each tool itself, signing in and choosing a language are no change, and by `/api/ask` pages
/// only ask.
fn changes_something(request: &Request) -> bool {
    const READS: [&str; 5] = ["/mcp", "/sign-in", "/sign-out", "/language", "/api/ask"];
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    !is_safe && !READS.contains(&request.uri().path())
}

/// A POST to a machine route that any web page could send without asking first.
fn is_simple_post(request: &Request) -> bool {
    let path = request.uri().path();
    let machine = path == "/mcp" || path.starts_with("/mcp/") || path.starts_with("/v1/");
    if !machine || request.method() != Method::POST || !request.headers().contains_key(header::ORIGIN) {
        return false;
    }
    let essence = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.split(';').next())
        .map(|v| v.trim().to_ascii_lowercase());
    essence.as_deref() != Some("application/json")
}

/// The name and port of a Host header.
#[derive(Debug, PartialEq)]
struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        let (name, port) = if let Some(rest) = text.strip_prefix('[') {
            let (name, rest) = rest.split_once(']')?;
            (name, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
        } else if text.matches(':').count() > 1 {
            (text, None)
        } else {
            text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)))
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '_');
        if name.is_empty() || !name.chars().all(plain) {
            return None;
        }
        let port = match port {
            None => None,
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => Some(digits.parse().ok()?),
            Some(_) => return None,
        };
        Some(Self { name: name.to_ascii_lowercase(), port })
    }
}

fn is_host_of(url: &Url, host: &Host) -> bool {
    url.host_str().is_some_and(|h| h.trim_matches(['[', ']']).eq_ignore_ascii_case(&host.name))
        && host.port.is_none_or(|p| Some(p) == url.port_or_known_default())
}

fn is_loopback_name(name: &str) -> bool {
    ["localhost", "127.0.0.1", "::1"].iter().any(|n| name.eq_ignore_ascii_case(n))
}

/// What to do about an origin that is not ours: named, where it is one.
fn origin_hint(origin: &str) -> String {
    match Url::parse(origin) {
        Ok(url) if url.origin().is_tuple() && matches!(url.scheme(), "http" | "https") => {
            let public = url.origin().ascii_serialization();
            format!("if this is where the hub's own pages are, start it with `--public-url {}`", shown(&public))
        }
        _ => {
            "if the page is this hub's own, start the hub with `--public-url` and the address in the browser".to_owned()
        }
    }
}

/// A header's value as an error repeats it: short and printable.
fn shown(text: &str) -> String {
    text.chars().take(100).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(host: &str, public: &[&str]) -> Guard {
        let public_urls = public.iter().map(|u| Url::parse(u).expect("a URL")).collect();
        Guard::new(Bind { host: host.parse().expect("an address"), port: 8787, public_urls, tls: false }, false)
    }

    fn verdict(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a header"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("a header"));
        }
        guard.check(&headers).is_ok()
    }

    #[test]
    fn a_loopback_hub_answers_to_loopback_names_only() {
        let hub = guard("127.0.0.1", &[]);
        for good in ["127.0.0.1:8787", "localhost:8787", "localhost", "LOCALHOST:8787", "[::1]:8787", "[::1]", "::1"] {
            assert!(verdict(&hub, good, None), "{good}");
        }
        for bad in [
            "evil.example",
            "evil.example:8787",
            "localhost:9999",
            "localhost.:8787",
            "127.0.0.2",
            "127.0.0.1.evil.example",
            "0.0.0.0:8787",
            " ",
            "user@localhost",
            "localhost:",
            "localhost:+8787",
            "",
        ] {
            assert!(!verdict(&hub, bad, None), "{bad:?}");
        }
        assert!(hub.check(&HeaderMap::new()).is_err(), "no Host at all");
    }

    #[test]
    fn an_open_hub_answers_to_addresses_and_named_hosts() {
        let hub = guard("0.0.0.0", &["https://memory.example.com"]);
        for good in ["192.168.1.5:8787", "memory.example.com", "MEMORY.example.com:443", "localhost:8787"] {
            assert!(verdict(&hub, good, None), "{good}");
        }
        for bad in ["evil.example:8787", "memory.example.com:8787", "0.0.0.0:8787"] {
            assert!(!verdict(&hub, bad, None), "{bad}");
        }
    }

    #[test]
    fn an_origin_must_be_our_own() {
        let hub = guard("127.0.0.1", &["https://memory.example.com"]);
        let from = |origin: &str| verdict(&hub, "localhost:8787", Some(origin));
        for good in
            ["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787", "https://memory.example.com"]
        {
            assert!(from(good), "{good}");
        }
        for bad in [
            "null",
            "",
            "http://localhost:3000",
            "http://localhost",
            "https://localhost:8787",
            "http://evil.example@localhost:8787",
            "http://localhost:8787/x",
            "http://memory.example.com",
            "https://memory.example.com.evil.example",
            "file://",
            "localhost:8787",
            "http://192.168.1.66:8787",
        ] {
            assert!(!from(bad), "{bad}");
        }
        let open = guard("0.0.0.0", &[]);
        assert!(verdict(&open, "192.168.1.5:8787", Some("http://192.168.1.5:8787")));
        assert!(!verdict(&open, "192.168.1.5:8787", Some("http://192.168.1.66:8787")));
    }

    #[test]
    fn with_tls_the_own_origin_begins_with_https() {
        let host = "127.0.0.1".parse().expect("an address");
        let hub = Guard::new(Bind { host, port: 8787, public_urls: Vec::new(), tls: true }, false);
        assert!(verdict(&hub, "localhost:8787", Some("https://localhost:8787")));
        assert!(!verdict(&hub, "localhost:8787", Some("http://localhost:8787")));
        assert!(hub.is_behind_tls(&HeaderMap::new()), "its cookies are secure");
    }

    #[test]
    fn a_refusal_names_what_was_seen_and_the_setting() {
        let hub = guard("127.0.0.1", &[]);
        let refused = |host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a header"));
            origin.map(|origin| headers.insert(header::ORIGIN, origin.parse().expect("a header")));
            let error = hub.check(&headers).expect_err("it is foreign");
            (error.error, error.hint.expect("a way out"))
        };
        let (error, hint) = refused("memory.example.com", None);
        assert!(error.contains("`memory.example.com`") && hint.contains("--public-url https://memory.example.com"));
        let (error, hint) = refused("localhost", Some("https://memory.example.com"));
        assert!(error.contains("`https://memory.example.com`"), "{error}");
        assert!(hint.contains("`--public-url https://memory.example.com`"), "{hint}");
        assert!(refused("localhost", Some("null")).1.contains("--public-url"));
    }
}
