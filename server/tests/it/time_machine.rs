//! The past: the board and a delegation as they stood when an event had arrived, and a history that does not depend on how it was made.

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};

fn page(hub: &Hub, cookie: &str, target: &str) -> crate::wire::Answer {
    hub.request("GET", target).without("Authorization").header("Cookie", cookie).send()
}

fn told(event: &Value, key: &str) -> String {
    event[key].as_str().expect("a text").to_owned()
}

/// Appends an event of a delegation.
fn say(hub: &Hub, correlation_id: &str, agent: &str, event_type: &str, status: Option<&str>) -> Value {
    let more = json!({"correlation_id": correlation_id, "from_agent": agent, "type": event_type, "status": status});
    hub.append_event(event_with("project/atlas", correlation_id, more))
}

/// How many delegations a page of the past says had waited.
fn waited(html: &str) -> usize {
    let head = html.split_once("<h1").expect("a heading").1;
    let text = head.split_once('>').expect("its start").1;
    let digits: String = text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// What a delegation waits for at each of its events, and how many wait in all.
fn story(hub: &Hub) -> Vec<(String, usize)> {
    let steps: [(&str, &str, &str, Option<&str>, usize); 10] = [
        ("first", "a", "task.request", Some("open"), 1),
        ("talk", "a", "room.message", None, 1),
        ("second", "a", "task.request", None, 2),
        ("first", "b", "event.ack", Some("claimed"), 2),
        ("second", "b", "event.ack", Some("failed"), 1),
        ("first", "b", "patch.ready", Some("ready"), 1),
        ("first", "a", "event.ack", Some("applied"), 0),
        ("second", "a", "event.ack", Some("open"), 1),
        ("first", "c", "event.ack", Some("claimed"), 1),
        ("second", "b", "event.ack", Some("blocked"), 1),
    ];
    let told = steps.map(|(id, agent, event_type, status, waiting)| {
        (told(&say(hub, id, agent, event_type, status), "id"), waiting)
    });
    told.to_vec()
}

#[test]
fn the_board_of_the_past_is_the_board_that_there_was() {
    let hub = Hub::start();
    let cookie = hub.session();
    for (id, waiting) in story(&hub) {
        let answer = page(&hub, &cookie, &format!("/?at={id}"));
        assert_eq!(answer.status, 200, "{answer:?}");
        let html = answer.text();
        assert!(html.contains("This is the past."), "it says so loudly");
        assert!(html.contains("Back to live"), "and leads back");
        assert_eq!(waited(&html), waiting, "at {id}");
    }
    let last = page(&hub, &cookie, "/?at=7").text();
    assert!(last.contains("Had failed in the three days before"), "a place is as good as an id: {last}");
    assert_eq!(page(&hub, &cookie, "/?at=evt_nowhere").status, 404);
    let live = page(&hub, &cookie, "/").text();
    assert!(!live.contains("This is the past."), "the present says nothing of it");
}

#[test]
fn a_task_of_the_past_knows_nothing_of_what_came_later() {
    let hub = Hub::start();
    let cookie = hub.session();
    let ids = story(&hub);
    let html = page(&hub, &cookie, &format!("/task?id=first&at={}", ids[3].0)).text();
    assert!(html.contains("This is the past."));
    assert!(html.contains("status claimed"), "it stood as claimed");
    assert!(!html.contains("patch.ready") && !html.contains("status applied"), "nothing of the future");
    assert!(!html.contains("Answer as a person"), "nobody answers the past");
    for (place, leads_to) in [(i64::MIN, "patch.ready"), (i64::MAX, "status applied")] {
        let far = page(&hub, &cookie, &format!("/task?id=first&at={place}"));
        assert_eq!(far.status, 200, "{far:?}");
        assert_eq!(far.text().contains(leads_to), place > 0, "{place}");
    }
    // An event of another delegation is a moment of the whole log: this one stood as it did with the last of its own before that.
    let other = page(&hub, &cookie, &format!("/task?id=first&at={}", ids[2].0));
    assert_eq!(other.status, 200, "{other:?}");
    assert!(other.text().contains("status open") && !other.text().contains("status claimed"), "{other:?}");
    for nothing in [&ids[0].0, "evt_nowhere"] {
        let answer = page(&hub, &cookie, &format!("/task?id=second&at={nothing}"));
        assert_eq!(answer.status, 404, "it had not begun, or nothing was ever so: {answer:?}");
    }
}

#[test]
fn every_card_of_a_past_board_leads_to_the_task_of_that_moment() {
    let hub = Hub::start();
    let cookie = hub.session();
    for (id, waiting) in story(&hub) {
        let board = page(&hub, &cookie, &format!("/?at={id}")).text();
        let links: Vec<String> = board
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split_once('"'))
            .map(|(link, _)| link.replace("&amp;", "&"))
            .filter(|link| link.starts_with("/task?") && link.contains("at="))
            .collect();
        assert!(links.len() >= waiting, "{waiting} wait at {id}: {links:?}");
        for link in links {
            let answer = page(&hub, &cookie, &link);
            assert_eq!(answer.status, 200, "{link} on the board at {id}");
            assert!(answer.text().contains("This is the past."), "{link}");
        }
    }
}

#[test]
fn the_history_is_what_a_fresh_one_would_be() {
    let mut hub = Hub::start();
    let cookie = hub.session();
    let ids = story(&hub);
    // A page of the newest moment waits for the history.
    page(&hub, &cookie, &format!("/?at={}", ids.last().expect("some").0));
    hub.terminate();
    let output = hub.place().cli(&["verify"], b"");
    assert!(output.status.success(), "{output:?}");
}
