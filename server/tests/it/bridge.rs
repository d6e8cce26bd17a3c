//! `loggia mcp`: an agent's stdin and stdout, with a real hub behind them.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::cli_child::Running;
use crate::hub::{Hub, TOKEN, event};
use crate::place::Place;

fn call(id: &Value, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn start(place: &Place, args: &[&str]) -> Running {
    let mut command = place.command();
    command.env("LOGGIA_TOKEN", TOKEN).arg("--palace").arg(place.palace()).arg("mcp").args(args);
    Running::spawn(command)
}

#[test]
fn an_agent_gets_the_hubs_answers() {
    let hub = Hub::start();
    let mut bridge = start(hub.place(), &[]);
    let initialize =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    bridge.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize}).to_string());
    let answer = bridge.json();
    assert_eq!((&answer["id"], &answer["result"]["protocolVersion"]), (&json!(0), &json!("2025-06-18")));
    bridge.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    bridge.say("");
    bridge.say(r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#);
    let answer = bridge.json();
    assert_eq!(answer["id"], "list", "a notification has no answer");
    let tools = hub.rpc(r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#).json();
    assert_eq!(answer["result"]["tools"], tools["result"]["tools"]);
    // Half an emoji, as agents send it, goes through as it is.
    let broken = call(&json!("é"), "mempalace_event_append", &event("s", "HALF")).replace("HALF", r"\ud83d \u00e9");
    bridge.say(&broken);
    assert_eq!(bridge.json()["id"], "é");
    assert_eq!(hub.list(json!({}))[0]["body"], "\u{fffd} é");
    bridge.hang_up();
    assert_eq!(bridge.end(), (Some(0), vec![]));
}

#[test]
fn a_wait_blocks_nobody_and_is_answered_after_the_end_of_input() {
    let hub = Hub::start();
    let cursor = hub.append("s", "before");
    let mut bridge = start(hub.place(), &[]);
    let wait = json!({"stream": "s", "since_event_id": cursor, "timeout_ms": 300_000});
    bridge.say(&call(&json!(1), "mempalace_event_wait", &wait));
    for id in 2..20 {
        bridge.say(&call(&json!(id), "mempalace_event_list", &json!({"limit": 1})));
    }
    let mut answers: Vec<_> = (2..20).map(|_| bridge.json()["id"].as_i64().expect("a number")).collect();
    answers.sort_unstable();
    assert_eq!(answers, (2..20).collect::<Vec<_>>(), "all but the wait");
    bridge.hang_up();
    let id = hub.append("s", "wake up");
    let (code, lines) = bridge.end();
    assert_eq!((code, lines.len()), (Some(0), 1), "{lines:?}");
    assert!(lines[0].contains(&id) && lines[0].contains(r#""id":1"#), "{lines:?}");
}

#[test]
fn every_request_gets_its_id_back_when_the_hub_is_down_and_when_it_is_back() {
    let mut hub = Hub::start();
    let place = std::sync::Arc::clone(hub.place());
    let mut bridge = start(&place, &[]);
    bridge.say(&call(&json!(1), "mempalace_event_list", &json!({})));
    assert!(bridge.json()["result"].is_object());
    let address = hub.origin();
    hub.kill9();
    bridge.say(&call(&json!("two"), "mempalace_event_list", &json!({})));
    let answer = bridge.json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("two"), &json!(-32000)), "{answer}");
    bridge.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    bridge.hears("no hub is running on palace");
    hub.start_again();
    assert_ne!(hub.origin(), address);
    bridge.say(&call(&json!(3), "mempalace_event_list", &json!({})));
    let answer = bridge.json();
    assert_eq!(answer["id"], 3);
    assert!(answer["result"].is_object(), "found again at its new address: {answer}");
}

#[test]
fn a_hub_that_is_not_there_is_named() {
    let place = Place::new();
    let mut bridge = start(&place, &["--url", "http://127.0.0.1:1"]);
    bridge.say(&call(&json!(18_446_744_073_709_551_615_u64), "mempalace_event_list", &json!({})));
    let answer = bridge.json();
    assert_eq!(answer["id"].to_string(), "18446744073709551615");
    let message = answer["error"]["message"].as_str().expect("a text");
    assert!(message.contains("http://127.0.0.1:1"), "{message}");
    drop(bridge);
    let mut bridge = start(&place, &[]);
    bridge.say(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let message = bridge.json()["error"]["message"].as_str().expect("a text").to_owned();
    assert!(message.starts_with("no hub is running on palace "), "{message}");
    assert!(!place.palace().exists());
}

#[test]
fn what_is_odd_is_still_answered_on_one_line() {
    let hub = Hub::start();
    let mut bridge = start(hub.place(), &["--url", &format!("{}/mcp", hub.origin())]);
    let too_large = call(&json!("big"), "mempalace_event_append", &event("s", &"x".repeat(17 * 1024 * 1024)));
    for line in ["not JSON", "[]", &too_large, r#"{"jsonrpc":"2.0","id":5,"method":"nope"}"#] {
        bridge.say(line);
    }
    let mut codes = HashMap::new();
    for _ in 0..4 {
        let answer = bridge.json();
        codes.insert(answer["error"]["code"].as_i64().expect("a number"), answer["id"].clone());
    }
    assert_eq!(codes[&-32700], Value::Null);
    assert_eq!(codes[&-32601], json!(5));
    assert_eq!(codes.len(), 3, "the array and the large one are both no requests: {codes:?}");
    drop(bridge);
    let mut command = hub.place().command();
    let secret = "lg_not_the_token_of_this_hub";
    command.args(["mcp", "--token", secret, "--url", &hub.origin()]);
    let mut wrong = Running::spawn(command);
    wrong.say(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let answer = wrong.json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32000)));
    let message = answer.to_string();
    assert!(message.contains("401") && !message.contains(secret), "{message}");
}
