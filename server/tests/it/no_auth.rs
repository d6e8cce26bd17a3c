//! `--no-auth`: for one person on one machine, and for nobody who comes through a proxy.

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
fn an_address_for_others_is_refused_and_the_ways_out_are_named() {
    let builder = Hub::builder().without_token().arg("--no-auth").arg("--public-url").arg("https://memory.example.com");
    let Err(refused) = builder.try_start() else { panic!("it is open to whoever reaches the address") };
    assert!(refused.status.is_some_and(|s| !s.success()), "{refused:?}");
    assert!(refused.said.contains("--no-auth") && refused.said.contains("--public-url"), "{refused:?}");
}
