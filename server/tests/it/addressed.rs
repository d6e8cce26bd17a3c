//! What is addressed to an agent, of whatever kind and in whatever spelling: its page accounts for all of it, and its diary is found.

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::presence::until;

/// A page as somebody with a session reads it, without the marks between texts.
fn page(hub: &Hub, session: &str, target: &str) -> String {
    let answer = hub.request("GET", target).without("Authorization").header("Cookie", session).send();
    assert_eq!(answer.status, 200, "{target}: {answer:?}");
    answer.text().replace("<!>", "")
}

/// The events of the log as a page gets them under a filter, at most 500.
fn log_part(hub: &Hub, filter: &Value) -> Vec<Value> {
    let request = hub.request("POST", "/api/ask").without("Authorization").header("Origin", &hub.origin());
    let asked = json!({"filter": filter, "q": "", "before": null, "around": null, "after": null, "limit": 500, "unfolded": false});
    let question = json!({"question": {"LogPart": asked}}).to_string();
    let answer = request.header("Cookie", &hub.session()).json(question.as_str()).send().json();
    answer["LogPart"]["events"].as_array().expect("a list").clone()
}

#[test]
fn a_window_in_time_gives_what_was_authored_in_it() {
    let hub = Hub::start();
    // An invented day of many hours.
    assert!(hub.place().cli(&["demo"], b"").status.success());
    let all = hub.list(json!({"limit": 500}));
    let at = |event: &Value| event["created_at"].as_str().expect("a time").to_owned();
    let mut times: Vec<String> = all.iter().map(at).collect();
    times.sort();
    let (since, before) = (&times[times.len() / 3], &times[2 * times.len() / 3]);
    for (filter, lies_in) in [
        (json!({"since_created_at": since, "before_created_at": before}), (Some(since), Some(before))),
        (json!({"before_created_at": before}), (None, Some(before))),
        (json!({"since_created_at": since}), (Some(since), None)),
        (json!({"before_created_at": "2020-01-01T00:00:00Z"}), (None, Some(&"2020-01-01T00:00:00Z".to_owned()))),
    ] {
        let (since, before) = lies_in;
        let is_in =
            |time: &String| since.is_none_or(|since| time >= since) && before.is_none_or(|before| time < before);
        let wanted: Vec<_> = all.iter().filter(|event| is_in(&at(event))).map(|event| &event["id"]).collect();
        let told = log_part(&hub, &filter);
        let told: Vec<_> = told.iter().map(|event| &event["id"]).collect();
        assert_eq!(told, wanted, "{filter}");
    }
}

#[test]
fn an_agents_page_hides_no_kind_of_event() {
    let kinds = ["task.request", "task.reply", "status", "event.ack", "patch.ready", "room.message", "x.note"];
    let hub = Hub::start();
    for kind in kinds {
        hub.append_event(event_with("s", &format!("by {kind} only"), json!({"type": kind, "to_agent": "ben"})));
    }
    hub.append_event(event_with("s", "to everybody", json!({"type": "x.note", "to_agent": "*"})));
    hub.append_event(event_with("s", "to somebody else", json!({"type": "x.note", "to_agent": "ann"})));
    until(&hub, "a", |told| told["events"] == 9);
    let shown = page(&hub, &hub.session(), "/agent?id=ben");
    for kind in kinds {
        assert!(shown.contains(&format!("by {kind} only")), "{kind} is missing: {shown}");
        assert!(shown.contains(&format!("<code>{kind}</code>")), "{kind} is not named: {shown}");
    }
    assert!(shown.contains("to everybody") && !shown.contains("to somebody else"), "{shown}");
    assert!(shown.contains("8 unread"), "{shown}");
}

#[test]
fn what_an_agents_page_leaves_out_is_said_and_can_be_reached() {
    let hub = Hub::start();
    for n in 0..120 {
        hub.append_event(event_with("s", &format!("letter {n}."), json!({"to_agent": "ben"})));
    }
    until(&hub, "a", |told| told["events"] == 120);
    let session = hub.session();
    let shown = page(&hub, &session, "/agent?id=ben");
    assert!(shown.contains("100+ unread"), "more than are counted: {shown}");
    assert!(shown.contains("letter 119.") && !shown.contains("letter 0."), "{shown}");
    assert!(shown.contains("Older ones are in") && shown.contains("href=\"/log?to_agent=ben\""), "{shown}");
    assert!(page(&hub, &session, "/log?to_agent=ben").contains("letter 119."));
}

#[test]
fn names_that_differ_by_case_alone_are_one_person_with_two_inboxes() {
    let hub = Hub::start();
    for (name, other) in [("Mac-Claude", "first"), ("mac-claude", "second")] {
        hub.call("mempalace_diary_write", json!({"agent_name": name, "entry": format!("the {other} entry")}));
        hub.append_event(event_with("s", &format!("the {other} event"), json!({"from_agent": name})));
        let task = json!({
            "project": "atlas", "from_agent": "ann", "to_agent": name, "goal": format!("the {other} task"),
            "branch": "main", "base_commit": "0123abc", "done": "it is done",
        });
        assert_eq!(hub.call("mempalace_task_create", task)["success"], true);
    }
    // Diaries fold the case, the log does not: agents rely on both.
    for name in ["Mac-Claude", "mac-claude", "MAC-CLAUDE"] {
        assert_eq!(hub.call("mempalace_diary_read", json!({"agent_name": name}))["total"], 2, "{name}");
    }
    for (name, own, foreign) in [("Mac-Claude", "the first task", "second"), ("mac-claude", "the second task", "first")]
    {
        let inbox = hub.list(json!({"to_agent": name}));
        assert_eq!(inbox.len(), 1, "{name}: {inbox:?}");
        let body = inbox[0]["body"].as_str().expect("a text");
        assert!(body.contains(own) && !body.contains(foreign), "{name}: {body}");
        assert_eq!(hub.list(json!({"writer": name})).len(), 1, "{name}");
    }
    let told = until(&hub, "MAC-claude", |told| told["open_to"] == 2);
    assert_eq!(told["names"].as_array().map(Vec::len), Some(2), "{told}");
    assert_eq!(hub.call("mempalace_agents", json!({}))["agents"].as_array().map(Vec::len), Some(2), "ann and this one");
    let session = hub.session();
    assert!(page(&hub, &session, "/agents").contains("also spelt"));
    let shown = page(&hub, &session, "/agent?id=mac-claude");
    assert!(shown.contains("the first task") && shown.contains("the second task"), "{shown}");
    let diary = page(&hub, &session, "/diary?agent=MAC-claude");
    assert!(diary.contains("the first entry") && diary.contains("the second entry"), "{diary}");
}

#[test]
fn a_window_takes_every_form_of_a_time_and_is_no_cursor() {
    let hub = Hub::start();
    hub.append("s", "now");
    for (since, count) in [
        ("2020-10-05", 1),
        ("2020-10-05T12:00:00Z", 1),
        ("2020-10-05T12:00:00.000Z", 1),
        ("2020-10-05t12:00:00z", 1),
        ("2020-10-05T12:00:00+02:00", 1),
        ("2020-10-05T12:00:00.123456789-11:30", 1),
        ("2016-12-31T23:59:60Z", 1),
        ("2999-01-01T00:00:00.000Z", 0),
    ] {
        let listed = hub.list(json!({"since_created_at": since}));
        assert_eq!(listed.len(), count, "{since}");
        let query = since.replace('+', "%2B");
        let mut stream = hub.sse(&format!("from=start&since_created_at={query}"));
        assert_eq!(stream.bodies(count).len(), count, "{since}");
    }
    for bad in ["yesterday", "2020-10-05T12:00:00", "2020-10-05 12:00", "1601899200"] {
        let refused = hub.call("mempalace_event_list", json!({"since_created_at": bad}));
        assert!(refused["error"].as_str().is_some_and(|e| e.contains(bad)), "{bad}: {refused}");
        let target = format!("/logstream/stream?since_created_at={}", bad.replace(' ', "%20"));
        assert_eq!(hub.request("GET", &target).send().status, 400, "{bad}");
    }
}
