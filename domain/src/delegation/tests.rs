//! The rules of the fold, one sentence each. `any_order` holds them against every order of arrival.

mod any_order;
mod facts;
mod races;

use serde_json::{Value, json};

use super::*;
use crate::clock::Stamp;
use crate::field::Raw;
use crate::metadata::Metadata;
use crate::timestamp;

const REPLICA: &str = "rep_0123456789abcdef0123456789abcdef";
const START_MS: u64 = 1_796_047_200_000;
const MINUTE_MS: u64 = 60_000;

/// An event written so many minutes after the start, without anything optional.
fn event(minute: u64, agent: &str, event_type: &str) -> Event {
    let at_ms = START_MS + minute * MINUTE_MS;
    Event {
        id: format!("evt_20261130T140000_{minute:012x}"),
        seq: i64::try_from(minute).expect("a test is short"),
        origin_replica: Some(REPLICA.into()),
        origin_seq: None,
        hlc: Some(Stamp { ms: at_ms, counter: 0 }.text(REPLICA)),
        event_type: event_type.into(),
        stream: "project/atlas".into(),
        room: "delegation".into(),
        topic: None,
        from_agent: agent.into(),
        to_agent: None,
        correlation_id: Some("task_x_00000001".into()),
        branch: None,
        base_commit: None,
        status: None,
        artifact_ids: vec![],
        body: String::new(),
        body_truncated: false,
        body_length: None,
        created_at: timestamp::created_at_ms(at_ms).expect("in range"),
        metadata: Metadata::empty(),
    }
}

fn metadata(value: Value) -> Metadata {
    Metadata::check(Raw::Other(value)).expect("an object")
}

/// A story in words, one event a minute: `agent:status`. `ask` is a `task.request` with status open, `request` one without a
/// status, `says` an event without a status, `asks` a question; any other word is an `event.ack` with that status.
fn story(words: &str) -> Vec<Event> {
    let tell = |(minute, word): (u64, &str)| {
        let (agent, what) = word.split_once(':').expect("agent:status");
        let (event_type, status) = match what {
            "ask" => ("task.request", Some("open")),
            "request" => ("task.request", None),
            "says" => ("task.reply", None),
            "asks" => ("task.question", None),
            status => ("event.ack", Some(status)),
        };
        Event { status: status.map(str::to_owned), ..event(minute, agent, event_type) }
    };
    (0..).zip(words.split_whitespace()).map(tell).collect()
}

fn told(words: &str) -> Delegation {
    fold(&story(words)).expect("a story has events")
}

#[track_caller]
fn check_state(words: &str, expected: State) {
    assert_eq!(told(words).state, expected, "{words}");
}

#[test]
fn no_events_are_no_delegation() {
    assert_eq!(fold(&[]), None);
}

#[test]
fn each_status_alone_is_the_state() {
    for status in Status::ALL {
        check_state(&format!("a:{status}"), State::from(status));
        check_state(&format!("a:request b:{status} c:says"), State::from(status));
    }
}

#[test]
fn the_words_of_states_are_those_of_statuses_and_other() {
    for status in Status::ALL {
        assert_eq!(State::from(status).as_str(), status.as_str());
        assert_eq!(State::from(status).is_final(), status.is_final());
    }
    assert_eq!((State::Other.as_str(), State::Other.is_final()), ("other", false));
    for state in State::ALL {
        assert_eq!(serde_json::to_value(state).expect("a word"), json!(state.to_string()));
    }
}

#[test]
fn without_a_known_status_the_state_is_other() {
    check_state("a:says", State::Other);
    check_state("a:reviewing b:says", State::Other);
    check_state("a:reviewing", State::Other);
    check_state("a:Open b:done", State::Other);
    check_state("a:", State::Other);
}

#[test]
fn a_request_asks_also_without_the_word() {
    check_state("a:request", State::Open);
    check_state("a:request b:says", State::Open);
    check_state("a:request b:claimed b:ready", State::Ready);
}

#[test]
fn an_unknown_status_is_a_step_and_changes_nothing() {
    let task = told("a:ask b:claimed b:reviewing b:x.y");
    assert_eq!((task.state, task.claimant.as_deref()), (State::Claimed, Some("b")));
    assert_eq!(task.steps.iter().filter_map(|s| s.status.as_deref()).collect::<Vec<_>>()[2..], ["reviewing", "x.y"]);
    check_state("a:reviewing b:claimed", State::Claimed);
}

#[test]
fn an_unknown_type_is_a_step() {
    let mut events = story("a:ask b:says");
    events[1].event_type = "x.note".into();
    assert_eq!(fold(&events).expect("events").steps[1].event_type, "x.note");
}

#[test]
fn of_two_statuses_the_last_wins_unless_the_first_is_final() {
    for first in Status::ALL {
        for second in Status::ALL {
            let stays = first.is_final() && second != Status::Open;
            check_state(&format!("a:{first} b:{second}"), State::from(if stays { first } else { second }));
        }
    }
}

#[test]
fn a_status_may_go_back_while_it_is_not_final() {
    check_state("a:ask b:claimed b:blocked b:claimed", State::Claimed);
    check_state("a:ask b:claimed b:ready b:claimed b:ready", State::Ready);
    check_state("a:ask b:ready a:open", State::Open);
}

#[test]
fn a_final_state_stays_until_a_new_open() {
    for end in ["applied", "failed", "superseded"] {
        let end_state = told(&format!("a:{end}")).state;
        for later in ["claimed", "ready", "applied", "blocked", "failed", "superseded", "says", "whatever"] {
            check_state(&format!("a:ask b:claimed b:ready a:{end} b:{later} a:{later}"), end_state);
        }
        check_state(&format!("a:ask b:claimed a:{end} a:open"), State::Open);
        check_state(&format!("a:ask b:claimed a:{end} d:open"), State::Open);
        check_state(&format!("a:ask b:claimed a:{end} a:ask c:claimed"), State::Claimed);
    }
}

#[test]
fn a_reply_without_an_ack_counts_too() {
    let mut events = story("a:ask b:blocked");
    events[1].event_type = "task.reply".into();
    assert_eq!(fold(&events).expect("events").state, State::Blocked);
}

#[test]
fn a_delegation_waits_since_its_state_was_entered() {
    #[track_caller]
    fn check(words: &str, minute: Option<u64>) {
        assert_eq!(told(words).pending_since_ms, minute.map(|m| START_MS + m * MINUTE_MS), "{words}");
    }
    check("a:ask", Some(0));
    check("a:ask b:says", Some(0));
    check("a:ask a:open", Some(0));
    check("a:ask b:claimed b:says", Some(1));
    check("a:ask b:claimed b:claimed", Some(1));
    check("a:ask b:claimed c:claimed c:blocked", Some(1));
    check("a:ask b:claimed b:blocked b:claimed", Some(3));
    check("a:ask b:claimed b:ready", Some(2));
    check("a:says b:says", Some(0));
    for end in ["applied", "failed", "superseded"] {
        check(&format!("a:ask b:{end} b:says"), None);
        check(&format!("a:ask b:{end} b:says a:open"), Some(3));
    }
}

#[test]
fn open_or_claimed_and_silent_is_stalled() {
    const AFTER_MS: u64 = 30 * MINUTE_MS;
    #[track_caller]
    fn check(words: &str, silent_ms: u64, expected: bool) {
        let task = told(words);
        assert_eq!(task.is_stalled(task.last_at_ms + silent_ms, AFTER_MS), expected, "{words} {silent_ms}");
    }
    for waiting in ["a:ask", "a:ask b:claimed", "a:ask b:claimed b:says"] {
        check(waiting, AFTER_MS - 1, false);
        check(waiting, AFTER_MS, true);
    }
    for status in ["ready", "applied", "blocked", "failed", "superseded"] {
        check(&format!("a:ask b:{status}"), 100 * AFTER_MS, false);
    }
    check("a:says", 100 * AFTER_MS, false);
    assert!(!told("a:ask").is_stalled(0, AFTER_MS), "a clock ahead of ours is no silence");
    assert!(!told("a:ask").is_stalled(0, 0));
}

#[test]
fn somebody_is_needed_for_what_cannot_go_on_alone() {
    #[track_caller]
    fn check(words: &str, expected: bool) {
        let task = told(words);
        assert_eq!(task.needs_someone(task.last_at_ms + MINUTE_MS, 30 * MINUTE_MS), expected, "{words}");
    }
    for (status, expected) in [
        ("open", false),
        ("claimed", false),
        ("ready", false),
        ("applied", false),
        ("blocked", true),
        ("failed", true),
        ("superseded", false),
        ("whatever", false),
    ] {
        check(&format!("a:request b:{status}"), expected);
    }
    check("a:ask b:claimed b:asks", true);
    check("a:ask b:claimed c:claimed", true);
    check("a:ask b:claimed c:claimed c:superseded", false);
    check("a:ask b:claimed c:claimed b:ready", false);
    check("a:ask b:claimed b:asks a:says", false);
    let silent = told("a:ask b:claimed");
    assert!(silent.needs_someone(silent.last_at_ms + 30 * MINUTE_MS, 30 * MINUTE_MS));
}

#[test]
fn the_reason_is_the_last_word_of_who_blocked_or_failed_it() {
    #[track_caller]
    fn check(words: &str, expected: Option<(&str, &str)>) {
        let mut events = story(words);
        for (i, event) in events.iter_mut().enumerate() {
            event.body = format!("\nline {i}\nmore");
        }
        let told = fold(&events).expect("events");
        assert_eq!(told.reason_by.as_deref().zip(told.reason.as_deref()), expected, "{words}");
    }
    check("a:ask b:claimed", None);
    check("a:ask b:claimed b:blocked b:says", Some(("b", "line 2")));
    check("a:ask b:claimed b:blocked b:blocked", Some(("b", "line 3")));
    check("a:ask b:claimed c:claimed b:blocked c:blocked", Some(("b", "line 3")));
    check("a:ask b:failed b:failed", Some(("b", "line 1")));
    check("a:ask c:blocked", Some(("c", "line 1")));
    check("a:ask b:claimed b:blocked b:claimed", None);
    check("a:ask b:claimed b:asks b:says", Some(("b", "line 2")));
    check("a:ask b:claimed b:blocked b:asks", Some(("b", "line 2")));
    let silent = told("a:ask b:blocked");
    assert_eq!(silent.reason, None, "no body, no reason");
    assert_eq!(silent.reason_by.as_deref(), Some("b"));
}
