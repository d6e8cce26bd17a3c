//! Time, number and rate: clients that dawdle, that come too many, or ask too often; and what they are told.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::hub::{Hub, event, tool_answer, tool_call};

/// Longer than any limit that a test sets, by far: it waits for what happens, not for the time.
const PATIENCE: Duration = Duration::from_mins(1);

fn connect(hub: &Hub) -> TcpStream {
    let socket = TcpStream::connect(("127.0.0.1", hub.port())).expect("the hub listens");
    socket.set_read_timeout(Some(PATIENCE)).expect("a TCP socket");
    socket
}

/// What arrives until the hub closes.
#[track_caller]
fn read_to_end(mut socket: TcpStream) -> String {
    let mut text = Vec::new();
    match socket.read_to_end(&mut text) {
        Ok(_) => {}
        // A cut connection may end in a reset.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the hub does not close: {error}"),
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// A request on a connection that stays open, and its whole answer.
#[track_caller]
fn ask(socket: &mut TcpStream, hub: &Hub) -> String {
    let request = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", hub.port());
    socket.write_all(request.as_bytes()).expect("the hub listens");
    let (mut answer, mut some) = (String::new(), [0; 1024]);
    while !answer.ends_with("ok\n") {
        let n = socket.read(&mut some).expect("the hub answers");
        assert!(n > 0, "only {answer:?}");
        answer.push_str(&String::from_utf8_lossy(&some[..n]));
        if answer.contains(" 503 ") {
            return answer;
        }
    }
    answer
}

#[test]
fn a_client_that_dawdles_is_cut_and_nobody_else() {
    let short = |name| Hub::builder().var(name, "1");
    let hub = short("LOGGIA_HEAD_S").var("LOGGIA_BODY_S", "1").var("LOGGIA_IDLE_S", "1").start();
    // Longer than any of the limits, and no client's fault.
    let wait = tool_call("mempalace_event_wait", json!({"stream": "quiet", "timeout_ms": 4000}));
    let waiting = hub.request("POST", "/mcp").json(wait).connect();
    let mut stream = hub.sse("stream=s");

    let silent = connect(&hub);
    let mut in_the_head = connect(&hub);
    in_the_head.write_all(b"GET /healthz HTTP/1.1\r\nHost: 127").expect("the hub listens");
    let mut in_the_body = connect(&hub);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: 1000\r\n\r\n{{\"jsonrpc\":",
        hub.port(),
        crate::hub::TOKEN
    );
    in_the_body.write_all(head.as_bytes()).expect("the hub listens");
    let mut done = connect(&hub);
    assert!(ask(&mut done, &hub).starts_with("HTTP/1.1 200"));

    assert_eq!(read_to_end(silent), "");
    assert_eq!(read_to_end(in_the_head), "");
    let answer = read_to_end(in_the_body);
    assert!(!answer.contains("200 OK"), "half a request was taken for a whole one: {answer}");
    assert_eq!(read_to_end(done), "", "a connection without requests is closed");

    let answer = tool_answer(&waiting.wait(PATIENCE).json());
    assert_eq!(answer["timed_out"], true, "a wait takes its time");
    hub.append("s", "still open");
    assert_eq!(stream.bodies(1), ["still open"]);
    let status = hub.get("/statusz").json();
    assert!(status["connections"]["slow"].as_u64().is_some_and(|n| n >= 4), "{}", status["connections"]);
}

#[test]
fn a_slow_body_that_comes_on_is_read_whole() {
    let hub = Hub::builder().var("LOGGIA_BODY_S", "1").start();
    let body = tool_call("mempalace_event_append", event("s", &"x".repeat(200_000)));
    let mut socket = connect(&hub);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        hub.port(),
        crate::hub::TOKEN,
        body.len()
    );
    socket.write_all(head.as_bytes()).expect("the hub listens");
    // Three seconds in all: longer than a second, and faster than what is asked of a body.
    for part in body.as_bytes().chunks(body.len() / 6 + 1) {
        socket.write_all(part).expect("the hub reads on");
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(read_to_end(socket).starts_with("HTTP/1.1 200"));
    assert_eq!(hub.list(json!({})).len(), 1);
}

#[test]
fn above_the_limit_a_connection_is_refused_and_a_closed_one_makes_room() {
    let hub = Hub::builder().var("LOGGIA_MAX_CONNECTIONS", "3").start();
    let mut open: Vec<TcpStream> = (0..3).map(|_| connect(&hub)).collect();
    for socket in &mut open {
        assert!(ask(socket, &hub).starts_with("HTTP/1.1 200"));
    }
    let refused = read_to_end(connect(&hub));
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("LOGGIA_MAX_CONNECTIONS"), "{refused}");
    assert!(refused.to_lowercase().contains("retry-after:"), "{refused}");
    assert!(ask(&mut open[0], &hub).starts_with("HTTP/1.1 200"), "who is inside stays");
    drop(open.pop());
    let until = Instant::now() + PATIENCE;
    while !ask(&mut connect(&hub), &hub).starts_with("HTTP/1.1 200") {
        assert!(Instant::now() < until, "no room was made");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn one_token_cannot_ask_without_end_and_no_other_pays_for_it() {
    let hub = Hub::builder().var("LOGGIA_RATE_PER_S", "1").start();
    let ping = || hub.request("POST", "/mcp").json(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let refused = (0..100).map(|_| ping().send()).find(|answer| answer.status != 200).expect("a burst has an end");
    assert_eq!(refused.status, 429, "{refused:?}");
    assert!(refused.header("retry-after").and_then(|s| s.parse::<u32>().ok()).is_some_and(|s| s >= 1), "{refused:?}");
    let error = refused.json();
    assert!(error["error"].as_str().is_some_and(|e| e.contains("at most 1 a second")), "{error}");
    assert!(error["hint"].as_str().is_some_and(|e| e.contains("LOGGIA_RATE_PER_S")), "{error}");

    let made = hub.place().cli(&["token", "create", "--name", "other", "--json"], b"");
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let other = format!("Bearer {}", made["token"].as_str().expect("shown once"));
    let until = Instant::now() + PATIENCE;
    loop {
        match ping().set("Authorization", &other).send().status {
            200 => break,
            // It is known within a moment.
            401 => assert!(Instant::now() < until, "the other token stays unknown"),
            status => panic!("{status}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(hub.request("GET", "/healthz").without("Authorization").send().status, 200);
    let until = Instant::now() + PATIENCE;
    while ping().send().status != 200 {
        assert!(Instant::now() < until, "the bucket does not fill");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_limit_that_cannot_be_used_stops_the_start_and_is_named() {
    for (name, value) in [
        ("LOGGIA_MAX_CONNECTIONS", "0"),
        ("LOGGIA_HEAD_S", "soon"),
        ("LOGGIA_BODY_S", "-1"),
        ("LOGGIA_IDLE_S", "1.5"),
        ("LOGGIA_MAX_URL_BYTES", "65536"),
        ("LOGGIA_MAX_HEADER_BYTES", "1000000"),
        ("LOGGIA_MAX_HEADERS", "101"),
        ("LOGGIA_RATE_PER_S", ""),
    ] {
        let Err(refused) = Hub::builder().var(name, value).try_start() else { panic!("it starts with {name}={value}") };
        assert!(refused.said.contains(name) && !refused.said.contains("panicked"), "{name}: {refused:?}");
    }
}
