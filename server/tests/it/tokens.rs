//! Tokens: shown once, stored as a hash, never repeated in an answer, a log line or a page.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::hub::{Hub, TOKEN, tool_call};
use crate::place::Place;

/// Every file below a folder that holds a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|w| w == text.as_bytes())) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn no_token_is_repeated_anywhere() {
    let hub = Hub::builder().var("RUST_LOG", "debug").var("LOGGIA_LOG", "debug").start();
    let wrong = "lg_wrong_0123456789abcdefghijklmnopqrstuvwxyz";
    let answers = [
        hub.request("POST", "/mcp").set("Authorization", &format!("Bearer {wrong}")).json("{}").send(),
        hub.request("GET", &format!("/logstream/stream?token={wrong}")).without("Authorization").send(),
        hub.request("GET", &format!("/nope?token={wrong}")).send(),
        hub.request("GET", &format!("/mcp/x?access_token={TOKEN}")).send(),
        hub.request("POST", &format!("/sign-in?token={TOKEN}"))
            .without("Authorization")
            .header("Origin", &hub.origin())
            .form(&format!("token={wrong}"))
            .send(),
        hub.request("POST", "/mcp").json(tool_call("mempalace_event_list", json!({"token": wrong}))).send(),
        hub.request("GET", "/statusz").send(),
        hub.request("GET", "/").send(),
        hub.request("GET", "/").without("Authorization").header("Cookie", &hub.session()).send(),
    ];
    for answer in &answers[..5] {
        let shown = format!("{answer:?}");
        assert!(!shown.contains(wrong) && !shown.contains(TOKEN), "{shown}");
    }
    for answer in &answers[5..] {
        assert!(!format!("{answer:?}").contains(TOKEN), "{answer:?}");
    }
    let said = hub.stdout() + &hub.place().stderr();
    assert!(!said.contains(TOKEN), "{said}");
    assert!(!said.contains(wrong), "{said}");
    assert_eq!(files_with(&hub.place().palace(), TOKEN), [""; 0]);
    assert_eq!(files_with(&hub.place().home(), TOKEN), [""; 0]);
}

#[test]
fn a_first_start_mints_a_token_and_shows_it_once() {
    let place = Place::new();
    let hub = Hub::builder().at(&place).without_token().start();
    let first = hub.stdout() + &place.stderr();
    let minted: Vec<&str> = first
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
        .filter(|w| w.starts_with("lg_") && w.len() >= 32)
        .collect();
    assert_eq!(minted.len(), 1, "one token, once: {first}");
    let bearer = format!("Bearer {}", minted[0]);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let works = |hub: &Hub| hub.request("POST", "/mcp").set("Authorization", &bearer).json(ping).send().status;
    assert_eq!(works(&hub), 200);
    assert_eq!(hub.request("POST", "/mcp").json(ping).send().status, 401, "a hub always has a token");
    assert_eq!(files_with(&place.palace(), minted[0]), [""; 0]);
    drop(hub);

    let said_before = place.stderr().len();
    let again = Hub::builder().at(&place).without_token().start();
    assert_eq!(works(&again), 200);
    let second = again.stdout() + &place.stderr()[said_before..];
    assert!(!second.contains(minted[0]), "{second}");
}
