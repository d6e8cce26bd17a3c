//! Who is let in at all: Host before Origin before content type before token, on every route.

use serde_json::json;

use crate::hub::{Hub, TOKEN, tool_call};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const ROUTES: [&str; 8] =
    ["/healthz", "/logstream/stream", "/sync/ops", "/v1/mems/x", "/", "/sign-in", "/favicon.svg", "/nope"];

fn append_call() -> String {
    tool_call("mempalace_event_append", crate::hub::event("s", "must not be stored"))
}

#[track_caller]
fn nothing_was_stored(hub: &Hub) {
    assert!(hub.list(json!({})).is_empty());
}

#[test]
fn a_foreign_host_is_refused_on_every_route() {
    let hub = Hub::start();
    for route in ROUTES {
        for request in [hub.request("GET", route), hub.request("GET", route).without("Authorization")] {
            let answer = request.set("Host", "evil.example").send();
            assert_eq!(answer.status, 403, "{route}: {answer:?}");
            assert!(!answer.text().contains("<html"), "{route}: no page for a stranger");
        }
    }
    let port = hub.port();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1.evil.example".to_owned(),
        "localhost:1".to_owned(),
        "127.0.0.1:9999".to_owned(),
        format!("localhost.:{port}"),
        "127.0.0.2".to_owned(),
        format!("0.0.0.0:{port}"),
        "user@localhost".to_owned(),
        " ".to_owned(),
    ] {
        let answer = hub.request("POST", "/mcp").set("Host", &host).json(append_call()).send();
        assert_eq!(answer.status, 403, "{host:?}: {answer:?}");
    }
    let answer = hub.request("POST", "/mcp").without("Host").json(append_call()).send();
    assert_eq!(answer.status, 403, "no host: {answer:?}");
    let forwarded = hub.request("GET", "/healthz").set("Host", "evil.example").header("X-Forwarded-Host", "localhost");
    assert_eq!(forwarded.send().status, 403);
    nothing_was_stored(&hub);
}

#[test]
fn loopback_names_are_let_in_with_our_port_or_none() {
    let hub = Hub::start();
    let port = hub.port();
    for host in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        for host in [host.to_owned(), format!("{host}:{port}")] {
            let answer = hub.request("POST", "/mcp").set("Host", &host).json(PING).send();
            assert_eq!(answer.status, 200, "{host}: {answer:?}");
        }
    }
}

#[test]
fn a_foreign_origin_is_refused_on_every_route() {
    let hub = Hub::start();
    for route in ROUTES {
        let answer = hub.request("GET", route).header("Origin", "https://evil.example").send();
        assert_eq!(answer.status, 403, "{route}: {answer:?}");
    }
    for origin in [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://localhost:3000",
        "http://127.0.0.2",
        "http://0.0.0.0",
        "null",
        "file://",
        "localhost",
        "http://[::1",
        "http://evil.example@localhost",
    ] {
        let answer = hub.request("POST", "/mcp").header("Origin", origin).json(append_call()).send();
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        let error = answer.json()["error"].as_str().expect("a sentence").to_owned();
        assert!(answer.text().contains(origin), "the refusal names what it saw: {error}");
    }
    for origin in [format!("http://localhost:{}", hub.port()), hub.origin()] {
        let answer = hub.request("POST", "/mcp").header("Origin", &origin).json(PING).send();
        assert_eq!(answer.status, 200, "{origin}: {answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    nothing_was_stored(&hub);
}

#[test]
fn a_browsers_simple_request_runs_no_tool() {
    #[track_caller]
    fn check(hub: &Hub, origin: Option<&str>, content_type: Option<&str>, accepted: bool) {
        let mut request = hub.request("POST", "/mcp").body(append_call());
        if let Some(origin) = origin {
            request = request.header("Origin", origin);
        }
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        let answer = request.send();
        let expected: &[u16] = if accepted { &[200] } else { &[403, 415] };
        assert!(expected.contains(&answer.status), "{origin:?} {content_type:?}: {answer:?}");
    }
    let hub = Hub::start();
    let own = hub.origin();
    for refused in
        [Some("text/plain"), Some("text/plain; application/json"), Some("application/x-www-form-urlencoded"), None]
    {
        check(&hub, Some("https://evil.example"), refused, false);
        check(&hub, Some(&own), refused, false);
    }
    check(&hub, Some("https://evil.example"), Some("application/json"), false);
    nothing_was_stored(&hub);
    check(&hub, Some(&own), Some("application/json; charset=utf-8"), true);
    check(&hub, Some(&own), Some("Application/JSON"), true);
    check(&hub, None, None, true);
    assert_eq!(hub.list(json!({})).len(), 3);
}

#[test]
fn anything_but_the_token_is_401_and_asks_for_a_bearer() {
    let hub = Hub::start();
    let long = format!("Bearer {}", "x".repeat(8000));
    let wrong = [
        format!("Bearer {TOKEN}x"),
        format!("bearer{TOKEN}"),
        format!("Basic {TOKEN}"),
        format!("Bearer \"{TOKEN}\""),
        format!("Bearer {}", &TOKEN[..TOKEN.len() - 1]),
        TOKEN.to_owned(),
        "Bearer".to_owned(),
        "Bearer é".to_owned(),
        long,
    ];
    for route in [("POST", "/mcp"), ("GET", "/logstream/stream"), ("GET", "/mcp/x"), ("GET", "/artifacts/art_x/raw")] {
        for value in wrong.iter().map(Some).chain([None]) {
            let mut request = hub.request(route.0, route.1).without("Authorization");
            if let Some(value) = value {
                request = request.header("Authorization", value);
            }
            let answer = if route.0 == "POST" { request.json(append_call()).send() } else { request.send() };
            assert_eq!(answer.status, 401, "{route:?} {value:?}: {answer:?}");
            assert!(answer.header("www-authenticate").is_some_and(|h| h.starts_with("Bearer")), "{answer:?}");
            assert!(answer.json()["error"].is_string());
        }
    }
    let twice = hub.request("POST", "/mcp").header("Authorization", &format!("Bearer {TOKEN}")).json(append_call());
    assert_eq!(twice.send().status, 401);
    let huge = hub.request("POST", "/mcp").set("Authorization", &format!("Bearer {}", "x".repeat(100_000)));
    assert!([401, 431].contains(&huge.json(PING).send().status));
    nothing_was_stored(&hub);
    assert_eq!(hub.get("/healthz").status, 200);
}

#[test]
fn a_token_in_the_query_is_no_credential() {
    let hub = Hub::start();
    for name in ["token", "access_token", "api_key"] {
        for (method, path) in [("POST", "/mcp"), ("GET", "/logstream/stream"), ("GET", "/artifacts/x/raw")] {
            let target = format!("{path}?{name}={TOKEN}");
            let answer = hub.request(method, &target).without("Authorization").json(append_call()).send();
            assert_eq!(answer.status, 401, "{method} {path}: {answer:?}");
        }
    }
    nothing_was_stored(&hub);
}

#[test]
fn health_needs_no_token() {
    let hub = Hub::start();
    let answer = hub.request("GET", "/healthz").without("Authorization").send();
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok\n"));
    assert_eq!(hub.request("HEAD", "/healthz").without("Authorization").send().status, 200);
    assert_eq!(hub.request("GET", "/healthz").set("Authorization", "Bearer wrong").send().status, 200);
}

#[test]
fn an_open_bind_takes_addresses_and_refuses_names() {
    let hub = Hub::builder().host("0.0.0.0").start();
    let port = hub.port();
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("192.0.2.7:{port}"), 200),
        (format!("[2001:db8::1]:{port}"), 200),
        ("evil.example".to_owned(), 403),
        (format!("hub.example:{port}"), 403),
    ] {
        let answer = hub.request("POST", "/mcp").set("Host", &host).json(PING).send();
        assert_eq!(answer.status, status, "{host}: {answer:?}");
    }
}

#[test]
fn a_public_url_opens_its_own_name_and_no_other() {
    #[track_caller]
    fn check(hub: &Hub, host: &str, origin: &str, status: u16) {
        let answer = hub.request("POST", "/mcp").set("Host", host).header("Origin", origin).json(PING).send();
        assert_eq!(answer.status, status, "{host} {origin}: {answer:?}");
    }
    let hub = Hub::builder().arg("--public-url").arg("https://memory.example.com").start();
    check(&hub, "memory.example.com", "https://memory.example.com", 200);
    check(&hub, "memory.example.com", "https://evil.example", 403);
    check(&hub, "evil.example", "https://memory.example.com", 403);
    // That origin equals host is no proof: a rebinding page satisfies it.
    check(&hub, "evil.example", "https://evil.example", 403);
    check(&hub, "memory.example.com", "http://memory.example.com", 403);
}

#[test]
fn behind_a_proxy_with_tls_the_pages_read_and_write_once_their_address_is_named() {
    let hub = Hub::builder().arg("--public-url").arg("https://memory.example.com").start();
    let from = |origin: &str| {
        let request = hub.request("POST", "/sign-in").without("Authorization").set("Host", "memory.example.com");
        request.header("X-Forwarded-Proto", "https").header("Origin", origin).form(&format!("token={TOKEN}")).send()
    };
    let signed_in = from("https://memory.example.com");
    assert_eq!(signed_in.status, 303, "{signed_in:?}");
    assert!(signed_in.header("set-cookie").is_some_and(|cookie| cookie.contains("; Secure")), "{signed_in:?}");
    let cookie = signed_in.cookie().expect("a cookie");
    let page =
        hub.request("GET", "/").without("Authorization").set("Host", "memory.example.com").header("Cookie", &cookie);
    assert_eq!(page.send().status, 200, "a page is read without an Origin");
    let refused = from("https://other.example.com");
    assert_eq!(refused.status, 403);
    let said = refused.text();
    assert!(said.contains("https://other.example.com") && said.contains("--public-url"), "{said}");
}

#[test]
fn a_person_who_is_refused_gets_a_page_that_names_what_was_seen_and_the_setting() {
    #[track_caller]
    fn check(answer: &crate::wire::Answer, status: u16, named: &[&str]) {
        // Code is set apart, and texts end in marks: what is read counts.
        let page = answer.text().replace("<code>", "").replace("</code>", "").replace("<!>", "");
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.header("content-type").is_some_and(|t| t.starts_with("text/html")), "{answer:?}");
        let id = answer.header("x-request-id").expect("every answer has one");
        for part in named.iter().chain([&id]) {
            assert!(page.contains(part), "{part} is missing: {page}");
        }
        assert!(!page.contains("<script") && !page.contains("<form"), "{page}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    }
    let hub = Hub::start();
    let browser =
        |target: &str| hub.request("GET", target).without("Authorization").header("Accept", "text/html,*/*;q=0.8");
    let host = browser("/log").set("Host", "memory.example.com").send();
    check(&host, 403, &["memory.example.com", "--public-url https://memory.example.com"]);
    let origin = browser("/log").header("Origin", "https://evil.example").send();
    check(&origin, 403, &["https://evil.example", "--public-url"]);
    let signed_out = browser("/artifacts/art_x/raw").send();
    check(&signed_out, 401, &["/sign-in"]);
    // A program that sends the same wish to a machine route gets what programs read.
    let machine = browser("/mcp/x").send();
    assert_eq!(machine.status, 401);
    assert!(machine.json()["error"].is_string());
    let markup = browser("/log").set("Host", "<b>evil").send();
    assert!(markup.status == 400 || !markup.text().contains("<b>"), "{markup:?}");
}

#[test]
fn every_answer_names_its_request_and_what_broke_repeats_it() {
    let hub = Hub::builder().var("LOGGIA_MAX_STREAMS", "1").start();
    let mut seen = std::collections::BTreeSet::new();
    for (method, route) in
        [("GET", "/healthz"), ("GET", "/nope"), ("POST", "/mcp"), ("GET", "/"), ("GET", "/favicon.svg")]
    {
        for host in [format!("127.0.0.1:{}", hub.port()), "evil.example".to_owned()] {
            let answer = hub.request(method, route).set("Host", &host).header("X-Request-Id", "mine").json(PING).send();
            let id = answer.header("x-request-id").expect("every answer has one").to_owned();
            assert!(id != "mine" && seen.insert(id), "{answer:?}");
        }
    }
    let _only = hub.sse("");
    let refused = hub.request("GET", "/logstream/stream").send();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.json()["request_id"].as_str(), refused.header("x-request-id"), "{refused:?}");
}

#[test]
fn a_log_line_names_the_request_that_it_is_about() {
    let hub = Hub::builder().without_token().arg("--no-auth").start();
    let answer = hub.request("GET", "/").header("X-Forwarded-For", "192.0.2.1").send();
    assert_eq!(answer.status, 403);
    let id = answer.header("x-request-id").expect("every answer has one");
    let log = hub.place().stderr();
    assert!(log.lines().any(|line| line.contains("forwarded") && line.contains(id)), "{id} is not in {log}");
}

#[test]
fn an_open_bind_is_never_without_a_token() {
    let hub = Hub::builder().host("0.0.0.0").without_token().start();
    let stdout = hub.stdout();
    assert!(stdout.contains("admin token"), "the first start mints one: {stdout}");
    assert!(stdout.contains("--tls-cert"), "and says that it travels readably: {stdout}");
    for (method, path) in [("POST", "/mcp"), ("GET", "/logstream/stream"), ("GET", "/metrics")] {
        let answer = hub.request(method, path).json(PING).send();
        assert_eq!(answer.status, 401, "{path}: {answer:?}");
    }
}
