//! `--no-auth`: for one person on one machine, and for nobody who comes through a proxy.

use std::net::ToSocketAddrs as _;
use std::process::Command;

use crate::hub::Hub;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn it_asks_for_no_token_on_loopback() {
    let hub = Hub::builder().without_token().arg("--no-auth").start();
    assert_eq!(hub.request("POST", "/mcp").json(PING).send().status, 200);
    hub.append("s", "x");
    let mut stream = hub.sse("from=start");
    assert_eq!(stream.bodies(1), ["x"]);
}

#[test]
fn whoever_was_forwarded_is_refused() {
    let hub = Hub::builder().without_token().arg("--no-auth").start();
    for (name, value) in [
        ("X-Forwarded-For", "192.0.2.1"),
        ("X-Forwarded-Host", "localhost"),
        ("X-Forwarded-Proto", "https"),
        ("X-Real-IP", "127.0.0.1"),
        ("Forwarded", "for=192.0.2.1"),
    ] {
        for (method, path) in [("POST", "/mcp"), ("GET", "/"), ("GET", "/logstream/stream")] {
            let answer = hub.request(method, path).header(name, value).json(PING).send();
            assert_eq!(answer.status, 403, "{name} on {path}: {answer:?}");
        }
    }
    let answer = hub.request("POST", "/mcp").set("Host", "memory.example.com").json(PING).send();
    assert_eq!(answer.status, 403, "{answer:?}");
}

#[test]
fn the_dashboard_says_that_somebody_was_forwarded_and_refused() {
    let hub = Hub::builder().without_token().arg("--no-auth").start();
    let page = || hub.request("GET", "/").header("Accept", "text/html").send().text();
    assert!(!page().contains("were refused, the last at 20"), "nobody was");
    for _ in 0..3 {
        assert_eq!(hub.request("GET", "/").header("X-Forwarded-For", "192.0.2.77").send().status, 403);
    }
    let shown = page();
    assert!(shown.contains("3 requests that came through a proxy were refused, the last at 20"), "{shown}");
    assert!(!shown.contains("192.0.2.77"), "what it claims is not repeated");
}

#[test]
fn a_page_of_another_local_program_is_refused() {
    let hub = Hub::builder().without_token().arg("--no-auth").start();
    for origin in ["http://localhost:3000", "null", "https://evil.example"] {
        let answer = hub.request("POST", "/mcp").header("Origin", origin).json(PING).send();
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
    }
}

#[test]
fn an_open_bind_is_refused_and_the_ways_out_are_named() {
    for host in ["0.0.0.0", "::", "[::]"] {
        let builder = Hub::builder().without_token().host(host).arg("--no-auth");
        let Err(refused) = builder.try_start() else { panic!("it listens on {host} without a token") };
        assert!(refused.status.is_some_and(|s| !s.success()), "{host}: {refused:?}");
        assert!(refused.said.contains("--no-auth"), "{host}: {refused:?}");
        assert!(refused.said.contains("127.0.0.1") || refused.said.contains("loopback"), "{host}: {refused:?}");
    }
}

#[test]
fn a_name_or_an_address_of_an_interface_is_refused_like_an_open_bind() {
    // The machine's own name where it leads into a network, addresses of private networks, and those of its interfaces.
    let named = Command::new("hostname").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let named = named.map(|name| name.trim().to_owned()).filter(|name| leads_outside(name));
    let own = std::net::UdpSocket::bind("0.0.0.0:0").ok().and_then(|socket| {
        // Nothing is sent: the system only says by which of its addresses it would.
        socket.connect("192.0.2.1:9").ok()?;
        socket.local_addr().ok().map(|address| address.ip().to_string())
    });
    let hosts =
        ["10.1.2.3", "192.168.0.1", "100.64.0.1", "169.254.0.1", "fd00::1", "::ffff:10.0.0.1"].map(str::to_owned);
    for host in hosts.into_iter().chain(named).chain(own.filter(|own| leads_outside(own))) {
        let host: &'static str = host.leak();
        let Err(refused) = Hub::builder().without_token().host(host).arg("--no-auth").try_start() else {
            panic!("it listens on {host} without a token")
        };
        assert!(refused.status.is_some_and(|s| !s.success()), "{host}: {refused:?}");
        assert!(refused.said.contains("--no-auth") && refused.said.contains(host), "{host}: {refused:?}");
    }
}

/// Whether a name resolves to an address that others may reach.
fn leads_outside(name: &str) -> bool {
    (name, 0).to_socket_addrs().is_ok_and(|mut all| all.next().is_some_and(|address| !address.ip().is_loopback()))
}

#[test]
fn an_address_for_others_is_refused_and_the_ways_out_are_named() {
    let builder = Hub::builder().without_token().arg("--no-auth").arg("--public-url").arg("https://memory.example.com");
    let Err(refused) = builder.try_start() else { panic!("it is open to whoever reaches the address") };
    assert!(refused.status.is_some_and(|s| !s.success()), "{refused:?}");
    assert!(refused.said.contains("--no-auth") && refused.said.contains("--public-url"), "{refused:?}");
}
