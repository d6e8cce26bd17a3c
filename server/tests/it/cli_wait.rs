//! `loggia logstream wait`: answers with what is there, else with what comes, else with exit code 2.

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::cli_child::Running;
use crate::hub::{Hub, TOKEN};
use crate::place::Place;

#[test]
fn what_is_there_already_is_answered_at_once_oldest_first() {
    let hub = Hub::start();
    let ids: Vec<String> = (0..3).map(|n| hub.append("s", &n.to_string())).collect();
    let wait = |more: &[&str]| json_of(&hub.place().cli(&[&["logstream", "wait", "--json"], more].concat(), b""));
    let answer = wait(&["--stream", "s", "--limit", "2"]);
    assert_eq!((&answer["timed_out"], &answer["count"]), (&json!(false), &json!(2)));
    assert_eq!((&answer["events"][0]["id"], &answer["events"][1]["id"]), (&json!(ids[0]), &json!(ids[1])));
    assert_eq!(answer["next_cursor"], json!(ids[1]));
    assert_eq!(wait(&["--since-event-id", &ids[1]])["events"][0]["id"], json!(ids[2]));
}

#[test]
fn a_timeout_is_a_normal_answer_with_exit_code_2() {
    let place = Place::new();
    let output = place.cli(&["logstream", "wait", "--timeout-ms", "50", "--json"], b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer, json!({"timed_out": true, "events": [], "count": 0, "next_cursor": null}));
}

#[test]
fn what_another_process_appends_wakes_it() {
    let hub = Hub::start();
    let url = hub.origin();
    for remote in [&[][..], &["--url", &url, "--token", TOKEN]] {
        let cursor = hub.append("s", "before");
        let args = ["logstream", "wait", "--stream", "s", "--since-event-id", &cursor, "--timeout-ms", "60000"];
        // More than the tool of a hub can express.
        let more = ["--type", "t.y", "--type", "t.x", "--exclude-from-agent", "nobody", "--json"];
        let waiting = Running::start(hub.place(), &[&args[..], &more, remote].concat());
        hub.append("other", "not this");
        let id = hub.append("s", "wake up");
        let (code, lines) = waiting.end();
        assert_eq!(code, Some(0), "{lines:?}");
        let answer: Value = serde_json::from_str(&lines.join("\n")).expect("JSON");
        assert_eq!(answer["count"], 1, "{answer}");
        assert_eq!((&answer["events"][0]["id"], &answer["next_cursor"]), (&json!(id), &json!(id)));
    }
}

#[test]
fn an_unknown_cursor_is_an_error_at_once() {
    let place = Place::new();
    let output = place.cli(&["logstream", "wait", "--since-event-id", "evt_x", "--json"], b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(error["error"], "since_event_id 'evt_x' not found");
}
