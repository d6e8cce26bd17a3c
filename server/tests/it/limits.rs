//! Sizes: what is legal goes through whole, what is too large gets an answer that its sender can read.

use serde_json::json;

use crate::hub::{Hub, TOKEN, event_with, tool_call};

const MAX_BODY_BYTES: usize = 262_144;
const MAX_METADATA_BYTES: usize = 65_536;
const MAX_ARTIFACT_BYTES: usize = 4_194_304;
const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// A ping, filled with white space to so many bytes.
fn ping_of(size: usize) -> Vec<u8> {
    let mut body = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_vec();
    body.resize(size, b' ');
    body
}

fn artifact(content: &str) -> serde_json::Value {
    json!({"kind": "log", "content": content, "created_by": "a"})
}

#[test]
fn the_largest_artifact_is_accepted_and_comes_back_whole() {
    let hub = Hub::start();
    let content = "0123456789abcdef".repeat(MAX_ARTIFACT_BYTES / 16);
    let put = hub.call("mempalace_artifact_put", artifact(&content));
    assert_eq!(put["artifact"]["size_bytes"], MAX_ARTIFACT_BYTES, "{put}");
    let id = put["artifact"]["id"].as_str().expect("an id is a text");
    assert!(hub.get(&format!("/artifacts/{id}/raw")).body == content.as_bytes(), "the raw bytes differ");
    let got = hub.call("mempalace_artifact_get", json!({"artifact_id": id}));
    assert!(got["artifact"]["content"] == content.as_str(), "the content differs");

    let refused = hub.call("mempalace_artifact_put", artifact(&(content + "x")));
    assert_eq!(refused["success"], false);
    assert_eq!(refused["error"], "content is 4194305 bytes; maximum is 4194304 bytes");
}

#[test]
fn a_legal_artifact_that_swells_beyond_the_limit_on_its_way_is_refused_readably() {
    let hub = Hub::start();
    let escaped = "\\u0001".repeat(MAX_ARTIFACT_BYTES);
    let call = tool_call("mempalace_artifact_put", artifact("CONTENT")).replace("CONTENT", &escaped);
    let answer = hub.rpc(call);
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], -32600);
}

#[test]
fn a_request_of_exactly_the_limit_is_accepted() {
    let hub = Hub::start();
    assert_eq!(hub.rpc(ping_of(MAX_REQUEST_BYTES)).json()["result"], json!({}));
    let chunked = hub.request("POST", "/mcp").chunked(&ping_of(MAX_REQUEST_BYTES), 100_000).send();
    assert_eq!(chunked.json()["result"], json!({}), "{chunked:?}");
}

#[test]
fn an_oversize_request_gets_an_answer_that_its_sender_can_read() {
    let hub = Hub::start();
    let body = ping_of(MAX_REQUEST_BYTES + 1);
    let expected = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Request too large"}});
    let check = |answer: crate::wire::Answer, how: &str| {
        assert_eq!(answer.status, 413, "{how}: {answer:?}");
        let json = answer.json();
        assert_eq!(json["id"], expected["id"], "{how}");
        assert_eq!(json["error"]["code"], expected["error"]["code"], "{how}");
        assert_eq!(json["error"]["message"], expected["error"]["message"], "{how}");
    };
    check(hub.request("POST", "/mcp").json(body.clone()).send(), "with a length");
    check(hub.request("POST", "/mcp").chunked(&body, 65_536).send(), "in chunks");
    check(hub.rpc(&body), "by an ordinary client");
    check(hub.request("POST", "/mcp").json(vec![b' '; 3 * MAX_REQUEST_BYTES]).send(), "three times too large");
    // The connection of another client is not touched.
    assert_eq!(hub.rpc(ping_of(100)).json()["result"], json!({}));
}

#[test]
fn a_strangers_large_body_is_refused_for_his_missing_token() {
    let hub = Hub::start();
    let answer = hub.request("POST", "/mcp").without("Authorization").json(ping_of(MAX_REQUEST_BYTES + 1)).send();
    assert!([401, 413].contains(&answer.status), "{answer:?}");
}

#[test]
fn a_chunked_body_is_read_whole() {
    let hub = Hub::start();
    let call = tool_call("mempalace_event_append", crate::hub::event("s", "é in pieces"));
    for chunk_bytes in [1, 7, 1000] {
        let answer = hub.request("POST", "/mcp").chunked(call.as_bytes(), chunk_bytes).send();
        assert_eq!(crate::hub::tool_answer(&answer.json())["event"]["body"], "é in pieces");
    }
}

#[test]
fn a_nonsensical_length_is_refused_and_kills_nothing() {
    let hub = Hub::start();
    for length in ["-1", "abc", "1e3", "99999999999999999999999999"] {
        let request = hub.request("POST", "/mcp").json("{}").set("Content-Length", length);
        let answer = request.send();
        assert!((400..500).contains(&answer.status), "{length}: {answer:?}");
    }
    assert_eq!(hub.get("/healthz").status, 200);
}

#[test]
fn limits_count_bytes_after_decoding() {
    let hub = Hub::start();
    let body = |text: &str| hub.call("mempalace_event_append", event_with("s", text, json!({})));
    assert_eq!(body(&"é".repeat(MAX_BODY_BYTES / 2))["success"], true);
    let refused = body(&("é".repeat(MAX_BODY_BYTES / 2) + "x"));
    assert_eq!(refused["error"], "body is 262145 bytes; maximum is 262144 bytes");
    assert_eq!((&refused["field"], &refused["limit"]), (&json!("body"), &json!(MAX_BODY_BYTES)), "{refused}");

    let metadata = |n: usize| event_with("s", "x", json!({"metadata": {"k": "x".repeat(n)}}));
    // `{"k": ""}` has nine bytes.
    assert_eq!(hub.call("mempalace_event_append", metadata(MAX_METADATA_BYTES - 9))["success"], true);
    let refused = hub.call("mempalace_event_append", metadata(MAX_METADATA_BYTES - 8));
    assert_eq!(refused["error"], "metadata exceeds maximum size of 65536 bytes");
    assert_eq!(hub.list(json!({})).len(), 2);
}

#[test]
fn other_routes_take_no_such_bodies() {
    let hub = Hub::start();
    let form = format!("token={TOKEN}&x={}", "y".repeat(3 * 1024 * 1024));
    let answer = hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin()).form(&form);
    assert_eq!(answer.send().status, 413);
}

#[test]
fn an_address_or_headers_that_are_too_large_are_refused_by_name() {
    #[track_caller]
    fn check(answer: &crate::wire::Answer, status: u16, setting: &str) {
        assert_eq!(answer.status, status, "{answer:?}");
        let hint = answer.json()["hint"].as_str().expect("a sentence").to_owned();
        assert!(hint.contains(setting), "{hint}");
    }
    let hub = Hub::start();
    let long = |bytes: usize| format!("/healthz?{}", "x".repeat(bytes - "/healthz?".len()));
    assert_eq!(hub.request("GET", &long(16_384)).send().status, 200);
    check(&hub.request("GET", &long(16_385)).send(), 414, "LOGGIA_MAX_URL_BYTES");
    // So long that nobody here reads it.
    assert!([400, 414, 431].contains(&hub.request("GET", &long(100_000)).send().status));

    let large = hub.request("GET", "/healthz").header("X-Large", &"x".repeat(33_000)).send();
    check(&large, 431, "LOGGIA_MAX_HEADER_BYTES");
    let many = |n: usize| (0..n).fold(hub.request("GET", "/healthz"), |r, i| r.header(&format!("X-{i}"), "x")).send();
    assert_eq!(many(50).status, 200);
    check(&many(80), 431, "LOGGIA_MAX_HEADERS");
    assert_eq!(many(500).status, 431);
    assert_eq!(hub.request("GET", "/healthz").header("X-Huge", &"x".repeat(1_000_000)).send().status, 431);
}

#[test]
fn a_form_has_a_limit_of_its_own_and_its_sender_reads_so() {
    let hub = Hub::start();
    let form = |bytes: usize| {
        let form = format!("token=wrong&x={}", "y".repeat(bytes));
        hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin()).form(&form)
    };
    assert_eq!(form(1_000_000).send().status, 303);
    for bytes in [1_100_000, 3_000_000] {
        let answer = form(bytes).send();
        assert_eq!(answer.status, 413, "{answer:?}");
        assert!(answer.json()["error"].as_str().is_some_and(|e| e.contains("1048576")), "{answer:?}");
    }
    let chunked = hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin());
    let body = format!("token=wrong&x={}", "y".repeat(1_100_000));
    let chunked = chunked.header("Content-Type", "application/x-www-form-urlencoded").chunked(body.as_bytes(), 65_536);
    assert!([413, 415].contains(&chunked.send().status), "chunks count as well");
}
