//! `/statusz` and `/metrics`: who may ask, what is counted, and what never appears.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, TOKEN, event_with, tool_call};
use crate::place::Place;
use crate::wire::Request;

/// A token of a scope, made as a person makes it.
fn token(place: &Place, scope: &str) -> String {
    let output = place.cli(&["token", "create", "--name", scope, "--scope", scope, "--json"], b"");
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    answer["token"].as_str().expect("a text").to_owned()
}

fn with_token(hub: &Hub, target: &str, token: &str) -> Request {
    hub.request("GET", target).set("Authorization", &format!("Bearer {token}"))
}

/// Every sample by its name and labels, exactly as written; the format itself is checked on the way.
#[track_caller]
fn metrics(hub: &Hub) -> HashMap<String, f64> {
    let answer = hub.get("/metrics");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let (mut samples, mut typed) = (HashMap::new(), Vec::new());
    for line in answer.text().lines() {
        if let Some(comment) = line.strip_prefix("# TYPE ") {
            typed.push(comment.split(' ').next().expect("a name").to_owned());
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no sample: {line}"));
            assert!(typed.last().is_some_and(|t| name.starts_with(&**t)), "{name} has no type");
            let value = value.parse().unwrap_or_else(|e| panic!("{e}: {line}"));
            assert!(samples.insert(name.to_owned(), value).is_none(), "{name} is there twice");
        }
    }
    samples
}

/// Asks until the figure has a value: what is counted when a connection ends is counted a moment later.
#[track_caller]
fn comes_to(hub: &Hub, name: &str, wanted: f64) {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let value = metrics(hub).get(name).copied();
        if value.is_some_and(|v| (v - wanted).abs() < f64::EPSILON) {
            return;
        }
        assert!(Instant::now() < until, "{name} is {value:?}, not {wanted}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn status_is_for_admins_and_metrics_for_readers() {
    let hub = Hub::start();
    let (read, write, admin) = (token(hub.place(), "read"), token(hub.place(), "write"), token(hub.place(), "admin"));
    let session = hub.session();
    for (target, allowed) in [("/statusz", [403, 403, 200]), ("/metrics", [200, 200, 200])] {
        for (token, status) in [&read, &write, &admin].into_iter().zip(allowed) {
            let answer = with_token(&hub, target, token).send();
            assert_eq!(answer.status, status, "{target}: {answer:?}");
        }
        for nobody in [hub.request("GET", target).without("Authorization"), with_token(&hub, target, "lg_unknown")] {
            let answer = nobody.send();
            assert_eq!(answer.status, 401, "{target}: {answer:?}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
        let in_a_browser = hub.request("GET", target).without("Authorization").header("Cookie", &session).send();
        assert_eq!(in_a_browser.status, 200, "{target}: the session of an admin");
        let posted = hub.request("POST", target).json("{}").send();
        assert_eq!(posted.status, 405, "{target}: {posted:?}");
        let strange = hub.request("GET", target).set("Host", "evil.example").send();
        assert_eq!(strange.status, 403, "{target}: {strange:?}");
    }
    let refusal = with_token(&hub, "/statusz", &read).send().json();
    assert!(refusal["error"].as_str().is_some_and(|e| e.contains("`admin`")), "{refusal}");
}

#[test]
fn what_happens_is_counted() {
    let hub = Hub::start();
    let before = metrics(&hub);
    assert!(!before.contains_key(r#"loggia_tool_calls_total{tool="mempalace_event_append",outcome="refused"}"#));
    for n in 0..5 {
        hub.append("s", &n.to_string());
    }
    let put = json!({"kind": "note", "content": "x", "created_by": "a"});
    hub.call("mempalace_artifact_put", put);
    let unknown_artifact = event_with("s", "x", json!({"artifact_ids": ["art_nope"]}));
    assert_eq!(hub.call("mempalace_event_append", unknown_artifact)["success"], false);
    hub.call("mempalace_event_append", event_with("s", "x", json!({"type": "BAD"})));
    hub.call_error("mempalace_event_append", json!({"nope": 1}));
    hub.call_error("made_up_by_somebody", json!({}));
    let reader = token(hub.place(), "read");
    let denied = hub.request("POST", "/mcp").set("Authorization", &format!("Bearer {reader}"));
    assert_eq!(denied.json(tool_call("mempalace_event_append", json!({}))).send().status, 403);
    assert_eq!(hub.get("/sync/nothing/here").status, 404);

    let after = metrics(&hub);
    let tool = |name: &str, outcome: &str| format!(r#"loggia_tool_calls_total{{tool="{name}",outcome="{outcome}"}}"#);
    let request = |route: &str, status: &str| format!(r#"loggia_requests_total{{route="{route}",status="{status}"}}"#);
    for (name, value) in [
        ("loggia_events_appended_total".to_owned(), 5.0),
        ("loggia_artifacts_stored_total".to_owned(), 1.0),
        ("loggia_writes_refused_total".to_owned(), 1.0),
        ("loggia_commits_failed_total".to_owned(), 0.0),
        ("loggia_append_duration_seconds_count".to_owned(), 7.0),
        (r#"loggia_append_duration_seconds_bucket{le="+Inf"}"#.to_owned(), 7.0),
        ("loggia_commit_batch_writes_sum".to_owned(), 7.0),
        ("loggia_log_newest_seq".to_owned(), 5.0),
        ("loggia_writes_waiting".to_owned(), 0.0),
        (tool("mempalace_event_append", "ok"), 5.0),
        (tool("mempalace_event_append", "refused"), 2.0),
        (tool("mempalace_event_append", "bad_arguments"), 1.0),
        (tool("mempalace_event_append", "denied"), 1.0),
        (tool("unknown", "bad_arguments"), 1.0),
        (request("mcp", "2xx"), 10.0),
        (request("mcp", "4xx"), 1.0),
        (request("sync", "4xx"), 1.0),
    ] {
        assert_eq!(after.get(&name), Some(&value), "{name}\n{after:#?}");
    }
    assert!(after["loggia_append_duration_seconds_sum"] > 0.0);
    assert!(after["loggia_wal_bytes"] > 0.0 && after["loggia_log_bytes"] > 0.0);
    assert!(after["process_start_time_seconds"] > 1.7e9);
    comes_to(&hub, "loggia_projection_lag_events", 0.0);
}

#[test]
fn streams_and_waits_are_counted_while_they_last() {
    let hub = Hub::start();
    comes_to(&hub, "loggia_streams_open", 0.0);
    let (mut first, second) = (hub.sse("stream=s"), hub.sse("stream=other"));
    comes_to(&hub, "loggia_streams_open", 2.0);
    let wait = tool_call("mempalace_event_wait", json!({"stream": "other", "timeout_ms": 300_000}));
    let waiting = hub.request("POST", "/mcp").json(wait).connect();
    comes_to(&hub, "loggia_waits_open", 1.0);
    hub.append("s", "one");
    hub.append("s", "two");
    assert_eq!(first.bodies(2), ["one", "two"]);
    assert!((metrics(&hub)["loggia_stream_events_total"] - 2.0).abs() < f64::EPSILON);
    let status = hub.get("/statusz").json();
    assert_eq!((&status["streams"]["open"], &status["waits"]["open"]), (&json!(2), &json!(1)));
    drop((first, second, waiting));
    comes_to(&hub, "loggia_streams_open", 0.0);
    comes_to(&hub, "loggia_waits_open", 0.0);
    comes_to(&hub, "loggia_connections_cut_total", 0.0);
}

#[test]
fn a_stream_whose_reader_takes_nothing_is_cut_and_counted() {
    let hub = Hub::builder().var("LOGGIA_DEAD_CLIENT_S", "1").start();
    let _idle = hub.sse("stream=other");
    let _reads_nothing = hub.sse("stream=s");
    comes_to(&hub, "loggia_streams_open", 2.0);
    let body = "x".repeat(250_000);
    // More than the buffers between the two hold: then the hub waits for the reader.
    let until = Instant::now() + Duration::from_mins(1);
    while metrics(&hub)["loggia_streams_open"] > 1.5 {
        assert!(Instant::now() < until, "the stream is still there");
        hub.append("s", &body);
    }
    comes_to(&hub, "loggia_streams_open", 1.0);
    comes_to(&hub, "loggia_connections_cut_total", 1.0);
}

#[test]
fn the_status_says_how_the_hub_is_doing() {
    let hub = Hub::builder().arg("--read-only").start();
    let status = hub.get("/statusz").json();
    assert_eq!((&status["read_only"], &status["no_auth"]), (&json!(true), &json!(false)));
    assert_eq!(status["log"]["newest_id"], json!(null));

    let hub = Hub::start();
    let newest = hub.append("s", "x");
    comes_to(&hub, "loggia_projection_lag_events", 0.0);
    let status = hub.get("/statusz").json();
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["pid"], hub.pid());
    assert_eq!(status["palace"], "palace", "the last part of its path alone");
    assert_eq!(status["read_only"], false);
    let replica = std::fs::read_to_string(hub.place().palace().join("replica.json")).expect("it is there");
    assert!(replica.contains(status["replica_id"].as_str().expect("a text")), "{replica}");
    let log = &status["log"];
    assert_eq!((&log["events"], &log["newest_seq"], &log["newest_id"]), (&json!(1), &json!(1), &json!(newest)));
    assert!(log["wal_bytes"].as_u64().is_some_and(|n| n > 0), "{log}");
    let on_disk = std::fs::metadata(hub.place().log_file()).expect("it is there").len();
    assert_eq!((&log["file_bytes"], &status["files_bytes"]["logstream.sqlite3"]), (&json!(on_disk), &json!(on_disk)));
    let writer = &status["writer"];
    assert_eq!((&writer["events"], &writer["transactions"], &writer["waiting"]), (&json!(1), &json!(1), &json!(0)));
    assert!(writer["last_commit_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{writer}");
    assert_eq!(status["projection"], json!({"seq": 1, "lag_events": 0}));
    assert_eq!(status["requests"]["mcp"], json!({"2xx": 1}));
    assert_eq!(status["tools"], json!({"mempalace_event_append": {"ok": 1}}));
    assert!(status["disk_free_bytes"].as_u64().is_some_and(|n| n > 0), "{status}");
}

#[test]
fn a_palace_store_that_is_off_is_told_without_its_path() {
    let place = Place::new();
    let in_the_way = place.palace().join("palace.sqlite3");
    std::fs::create_dir_all(&in_the_way).expect("the place is new");
    let hub = Hub::builder().at(&place).start();
    let status = hub.get("/statusz");
    assert!(status.json()["palace_store_off"].is_string(), "{status:?}");
    assert!(!status.text().contains(place.palace().to_str().expect("ASCII")), "{status:?}");
    hub.append("s", "coordination goes on");
}

#[test]
fn nothing_that_somebody_sent_is_shown() {
    let hub = Hub::start();
    let secret = "a-word-that-nobody-may-see";
    hub.append_event(event_with(secret, secret, json!({"from_agent": secret, "room": secret})));
    hub.call_error(secret, json!({}));
    let odd = hub.request("GET", &format!("/{secret}/{secret}?{secret}")).header("X-Odd", secret);
    assert_eq!(odd.header("Cookie", &format!("{secret}={secret}")).send().status, 404);
    for target in ["/statusz", "/metrics"] {
        let text = hub.get(target).text();
        for hidden in [secret, TOKEN, hub.place().home().to_str().expect("ASCII"), "/palace"] {
            assert!(!text.contains(hidden), "{target} shows {hidden}:\n{text}");
        }
    }
}
