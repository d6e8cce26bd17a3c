//! POST /mcp, the envelope: versions, notifications, batches, sessions, and what is answered to everything else.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::Hub;

#[track_caller]
fn initialize(hub: &Hub, params: Option<Value>) -> Value {
    let mut request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"});
    if let Some(params) = params {
        request["params"] = params;
    }
    let answer = hub.rpc(request.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"]["protocolVersion"].clone()
}

#[test]
fn a_probe_by_get_or_delete_is_told_at_once_to_post() {
    let hub = Hub::start();
    for (method, accept) in [("GET", "text/event-stream"), ("DELETE", "*/*"), ("PUT", "*/*")] {
        let asked_at = Instant::now();
        let request = hub.request(method, "/mcp").header("Accept", accept).header("Mcp-Session-Id", "dead");
        let answer = request.send();
        assert_eq!(answer.status, 405, "{method}: {answer:?}");
        assert_eq!(answer.header("allow"), Some("POST"), "{method}: {answer:?}");
        assert!(asked_at.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_stale_session_is_ignored_and_none_is_issued() {
    let hub = Hub::start();
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mempalace_event_list","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
    ] {
        let answer = hub.request("POST", "/mcp").header("Mcp-Session-Id", "dead").json(body).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.json()["result"].is_object(), "{answer:?}");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
}

#[test]
fn a_known_protocol_version_is_echoed() {
    let hub = Hub::start();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(initialize(&hub, Some(json!({"protocolVersion": version}))), *version);
    }
    for unknown in ["2030-01-01", "1999-01-01", "", "latest"] {
        assert_eq!(initialize(&hub, Some(json!({"protocolVersion": unknown}))), "2025-11-25", "{unknown:?}");
    }
    assert_eq!(initialize(&hub, Some(json!({}))), "2024-11-05");
    assert_eq!(initialize(&hub, None), "2024-11-05");
    for odd in [json!({"protocolVersion": 5}), json!({"protocolVersion": null}), json!([]), json!("x")] {
        assert!(initialize(&hub, Some(odd.clone())).is_string(), "{odd}");
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let answer = hub.request("POST", "/mcp").header("MCP-Protocol-Version", "1999-01-01").json(ping).send();
    assert_eq!(answer.json()["result"], json!({}));
}

#[test]
fn a_batch_is_one_error_and_nothing_is_executed() {
    let hub = Hub::start();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mempalace_event_append",
        "arguments": {"type": "t.x", "stream": "s", "room": "r", "from_agent": "a"}}});
    for batch in [json!([]), json!([call, call]), json!([1, 2]), json!("ping"), json!(5), json!(null), json!(true)] {
        let answer = hub.rpc(batch.to_string());
        assert_eq!(answer.status, 200, "{batch}");
        let answer = answer.json();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{batch}: {answer}");
    }
    assert!(hub.list(json!({})).is_empty());
}

#[test]
fn notifications_are_answered_by_202_and_nothing_else() {
    let hub = Hub::start();
    for body in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9, "reason": "x"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/x"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}),
        json!({"jsonrpc": "2.0", "method": "nope"}),
        json!({"jsonrpc": "2.0", "method": 5}),
        json!({}),
    ] {
        let answer = hub.request("POST", "/mcp").json(body.to_string()).send();
        assert_eq!(answer.status, 202, "{body}: {answer:?}");
        assert!(answer.body.is_empty(), "{body}: {answer:?}");
        assert_eq!(answer.header("content-length"), Some("0"), "{body}: {answer:?}");
        assert_eq!(answer.header("transfer-encoding"), None, "{body}: {answer:?}");
    }
}

#[test]
fn every_request_with_an_id_gets_an_answer_with_that_id() {
    let hub = Hub::start();
    for id in [json!(1), json!("abc"), json!(0), json!(-1), json!(1.5), json!("")] {
        for method in ["ping", "initialize", "tools/list", "nope", "resources/list", "prompts/list", "logging/setLevel"]
        {
            let answer = hub.rpc(json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string()).json();
            assert_eq!(answer["id"], id, "{method}");
            assert_ne!(answer.get("result").is_some(), answer.get("error").is_some(), "{method}: {answer}");
        }
    }
    let big = hub.rpc(r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#).text();
    assert!(big.contains("18446744073709551616"), "{big}");
    let answer = hub.rpc(r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#).json();
    assert_eq!(answer["error"], json!({"code": -32601, "message": "Unknown method: nope"}));
}

#[test]
fn what_has_no_id_and_is_known_runs_and_is_answered_with_null() {
    let hub = Hub::start();
    let answer = hub.rpc(r#"{"jsonrpc":"2.0","method":"ping"}"#).json();
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": null, "result": {}}));
    let call = json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "mempalace_event_append",
        "arguments": {"type": "t.x", "stream": "s", "room": "r", "from_agent": "a"}}});
    assert_eq!(hub.rpc(call.to_string()).json()["id"], Value::Null);
    assert_eq!(hub.list(json!({})).len(), 1);
}

#[test]
fn what_is_no_json_is_a_parse_error() {
    let hub = Hub::start();
    let bodies: [&[u8]; 8] = [b"", b"{", b"nope", b"{'a':1}", b"[1,]", b"{\"a\":01}", b"{} x", b"{\"a\":\"\xff\"}"];
    for body in bodies {
        let answer = hub.request("POST", "/mcp").json(body).send();
        let shown = String::from_utf8_lossy(body);
        assert_eq!(answer.status, 400, "{shown}: {answer:?}");
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}});
        assert_eq!(answer.json(), error, "{shown}");
    }
    let deep = hub.rpc("[".repeat(100_000)).json();
    assert!(deep["error"]["code"].is_number(), "{deep}");
    let whole = hub.rpc(" \n\t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nope\",\"method\":\"ping\"}\r\n ").json();
    assert_eq!(whole["result"], json!({}));
}

#[test]
fn any_accept_header_gets_json() {
    let hub = Hub::start();
    for accept in ["text/event-stream", "text/html", "application/json, text/event-stream", ""] {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let answer = hub.request("POST", "/mcp").header("Accept", accept).json(ping).send();
        assert_eq!(answer.json()["result"], json!({}), "{accept}");
    }
}

#[test]
fn discovery_probes_get_a_plain_404() {
    let hub = Hub::start();
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/register",
    ] {
        for path in [path.to_owned(), format!("{path}/mcp")] {
            for request in [hub.request("GET", &path), hub.request("GET", &path).without("Authorization")] {
                let answer = request.header("Accept", "text/html, */*").send();
                assert_eq!(answer.status, 404, "{path}: {answer:?}");
                assert!(answer.json()["error"].is_string(), "{path}: {answer:?}");
            }
        }
    }
    let answer = hub.request("POST", "/register").json("{}").send();
    assert_eq!(answer.status, 404, "{answer:?}");
}

#[test]
fn the_pages_never_cover_machine_routes() {
    let hub = Hub::start();
    let mut wrong = Vec::new();
    for prefix in ["/mcp", "/sync", "/logstream", "/v1"] {
        for path in ["", "/", "/x", "/x/y", "//", "/%2e%2e/log"].map(|rest| format!("{prefix}{rest}")) {
            // These two are routes of their own.
            let is_taken = ["/mcp", "/logstream/stream"].contains(&&*path);
            for (request, status) in
                [(hub.request("GET", &path), 404), (hub.request("GET", &path).without("Authorization"), 401)]
            {
                let answer = request.header("Accept", "text/html").send();
                let is_json = answer.header("content-type").is_some_and(|t| t.starts_with("application/json"));
                if !is_taken && (answer.status != status || !is_json) {
                    wrong.push(format!("{path}: {}, {:?}", answer.status, answer.header("content-type")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
