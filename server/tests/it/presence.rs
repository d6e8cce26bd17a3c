//! Who is there: the tool `mempalace_agents`, the pages of the agents, and what a viewer has read.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, event_with, tool_call};
use crate::patience::wait_until;
use crate::wire::Answer;

/// One agent as the tool tells it; null for one that nobody knows.
#[track_caller]
fn agent(hub: &Hub, name: &str) -> Value {
    hub.call("mempalace_agents", json!({"agent": name}))["agents"][0].clone()
}

/// Asks for an agent until something is so, and answers what is so then.
#[track_caller]
pub(crate) fn until(hub: &Hub, name: &str, what: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let told = agent(hub, name);
        if what(&told) {
            return told;
        }
        assert!(Instant::now() < end, "still {told}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn listens(told: &Value) -> usize {
    told["listeners"].as_array().map_or(0, Vec::len)
}

/// A page as somebody with a session gets it.
fn page(hub: &Hub, session: &str, target: &str) -> Answer {
    hub.request("GET", target).without("Authorization").header("Cookie", session).header("Accept", "text/html").send()
}

/// What the form under an inbox posts.
fn mark_read(hub: &Hub, session: &str, agent: &str, event: &str) -> Answer {
    hub.request("POST", "/agent/read")
        .without("Authorization")
        .header("Cookie", session)
        .header("Origin", &hub.origin())
        .form(&format!("agent={agent}&event={event}"))
        .send()
}

#[test]
fn a_stream_and_a_wait_are_there_by_name_as_long_as_they_are_open() {
    let hub = Hub::start();
    let cursor = hub.append("s", "before");
    assert_eq!(agent(&hub, "win:codex"), Value::Null);
    let stream = hub.sse("to_agent=win:codex&type=task.request");
    let arguments = json!({
        "from_agent": "lab:cursor", "to_agent": "*", "stream": "nothing", "since_event_id": cursor, "timeout_ms": 300_000,
    });
    let waiting = hub.request("POST", "/mcp").json(tool_call("mempalace_event_wait", arguments)).connect();

    let told = until(&hub, "win:codex", |told| listens(told) == 1);
    let listener = &told["listeners"][0];
    assert_eq!((&listener["way"], &listener["behind"]), (&json!("stream"), &json!(0)), "{told}");
    assert_eq!(listener["filter"], "type=task.request to_agent=win:codex");
    assert_eq!(told["standing"], "listening");
    let told = until(&hub, "LAB:cursor", |told| listens(told) == 1);
    assert_eq!(told["listeners"][0]["way"], "wait", "{told}");
    // What does not pass the filter is looked past: nobody is behind.
    hub.append("s", "somebody else's");
    until(&hub, "win:codex", |told| told["listeners"][0]["behind"] == 0);

    // Bound to nobody and for everybody: a listener without a name.
    let nameless = hub.sse("to_agent=*");
    assert_eq!(hub.call("mempalace_agents", json!({}))["unnamed"].as_array().map(Vec::len), Some(1));
    drop((stream, waiting, nameless));
    let gone = until(&hub, "win:codex", |told| listens(told) == 0);
    assert!(gone["last_seen"].is_string() && gone["standing"] == "active", "{gone}");
    until(&hub, "lab:cursor", |told| listens(told) == 0);
    wait_until("the end of the listener without a name", || {
        hub.call("mempalace_agents", json!({}))["unnamed"] == json!([])
    });
}

#[test]
fn a_listener_that_takes_nothing_is_behind() {
    let hub = Hub::start();
    let body = "x".repeat(262_144);
    (0..60).for_each(|_| drop(hub.append("big", &body)));
    let mut stream = hub.sse("from=start&to_agent=slow");
    // Nothing is for it, so everything is looked past.
    until(&hub, "slow", |told| told["listeners"][0]["behind"] == 0);
    drop(stream);
    let to_slow = || event_with("big", &body, json!({"to_agent": "slow"}));
    (0..60).for_each(|_| drop(hub.append_event(to_slow())));
    stream = hub.sse("from=start&to_agent=slow");
    let told = until(&hub, "slow", |told| told["listeners"][0]["behind"].as_u64() > Some(0));
    assert_eq!(listens(&told), 1);
    assert_eq!(stream.ids(60).len(), 60);
    until(&hub, "slow", |told| told["listeners"][0]["behind"] == 0);
}

#[test]
fn what_an_agent_announced_wrote_and_owes_is_told_of_all_its_spellings_together() {
    let mut hub = Hub::start();
    hub.append_event(event_with("s", "first", json!({"from_agent": "Win:Codex"})));
    let idle = json!({"type": "status", "from_agent": "win:codex", "metadata": {"watch": "idle"}});
    hub.append_event(event_with("s", "out for lunch", idle));
    let told = until(&hub, "WIN:CODEX", |told| told["announced"].is_object());
    assert_eq!((&told["agent"], &told["events"]), (&json!("win:codex"), &json!(2)), "{told}");
    assert_eq!(told["names"], json!(["win:codex", "Win:Codex"]));
    assert_eq!((&told["announced"]["watch"], &told["announced"]["text"]), (&json!("idle"), &json!("out for lunch")));
    assert_eq!(told["standing"], "idle");

    let task = hub.call(
        "mempalace_task_create",
        json!({
            "project": "atlas", "from_agent": "mac:claude", "to_agent": "WIN:codex", "goal": "Draw the map",
            "done": "it is drawn", "branch": "main", "base_commit": "2668053",
        }),
    )["task"]
        .clone();
    let told = until(&hub, "win:codex", |told| told["open_to"] == 1);
    assert_eq!(told["names"].as_array().map(Vec::len), Some(3), "{told}");
    until(&hub, "mac:claude", |told| told["open_from"] == 1);
    // Whoever claims it has it.
    let ack = |who: &str, status: &str| {
        let arguments = json!({"event_id": task["id"], "from_agent": who, "status": status});
        assert_eq!(hub.call("mempalace_event_ack", arguments)["success"], true);
    };
    ack("lab:cursor", "claimed");
    until(&hub, "lab:cursor", |told| told["open_to"] == 1);
    assert_eq!(agent(&hub, "win:codex")["open_to"], 0);
    ack("mac:claude", "applied");
    until(&hub, "mac:claude", |told| told["open_from"] == 0);
    assert_eq!(agent(&hub, "lab:cursor")["open_to"], 0);

    // None of it is lost with the process, and the side file is what the log says.
    let before = agent(&hub, "win:codex");
    hub.restart();
    let after = until(&hub, "win:codex", |told| told["events"] == before["events"]);
    assert_eq!((&after["names"], &after["announced"]), (&before["names"], &before["announced"]));
    let verified = hub.place().cli(&["verify"], b"");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn an_inbox_is_unread_until_its_reader_marks_it() {
    let mut hub = Hub::start();
    let to = |who: &str, from: &str, body: &str| {
        let event = hub.append_event(event_with("s", body, json!({"to_agent": who, "from_agent": from})));
        event["id"].as_str().expect("an id").to_owned()
    };
    let first = to("ben", "ann", "<b>one</b>");
    to("Ben", "ann", "two");
    // Its own word to everybody is no news to it; somebody else's is.
    to("*", "ben", "mine");
    let last = to("*", "ann", "for all");
    until(&hub, "ben", |told| told["events"] == 1);
    let session = hub.session();
    let shown = page(&hub, &session, "/agent?id=ben").text();
    assert!(shown.contains("3 unread") && shown.contains("&lt;b&gt;one") && !shown.contains("<b>one"), "{shown}");
    assert!(shown.contains("Mark as read"));
    assert!(page(&hub, &session, "/agents").text().contains("also spelt"));

    // A cookie travels by itself: without our Origin nothing is changed.
    let form = format!("agent=ben&event={last}");
    let bare =
        hub.request("POST", "/agent/read").without("Authorization").header("Cookie", &session).form(&form).send();
    assert_eq!(bare.status, 403);
    assert_eq!(hub.request("POST", "/agent/read").header("Origin", &hub.origin()).form(&form).send().status, 401);
    assert_eq!(mark_read(&hub, &session, "ben", "evt_nowhere").status, 404);
    assert!(page(&hub, &session, "/agent?id=ben").text().contains("3 unread"));

    let marked = mark_read(&hub, &session, "BEN", &last);
    assert_eq!((marked.status, marked.header("location")), (303, Some("/agent?id=BEN")));
    let shown = page(&hub, &session, "/agent?id=ben").text();
    assert!(shown.contains("all read") && shown.contains("&lt;b&gt;one"), "nothing is deleted: {shown}");
    // A tab that was opened before takes nothing back.
    assert_eq!(mark_read(&hub, &session, "ben", &first).status, 303);
    to("ben", "ann", "three");
    hub.restart();
    let shown = page(&hub, &session, "/agent?id=ben").text();
    assert!(shown.contains("1 unread") && shown.contains("three"), "{shown}");

    let unknown = page(&hub, &session, "/agent?id=nobody");
    assert_eq!(unknown.status, 404);
    assert_eq!(page(&hub, "", "/agents").status, 303);
}

#[test]
fn now_says_that_agents_keep_each_other_awake() {
    let hub = Hub::start();
    let session = hub.session();
    let say = |from: &str, n: usize| {
        let event = json!({"type": "task.reply", "from_agent": from, "to_agent": "*"});
        hub.append_event(event_with("s", &format!("watching {n}"), event));
    };
    for n in 0..11 {
        say(["a", "b", "c"][n % 3], n);
    }
    assert!(!page(&hub, &session, "/").text().contains("A ring of replies"));
    say("c", 11);
    let shown = page(&hub, &session, "/").text();
    assert!(shown.contains("A ring of replies") && shown.contains("12\u{a0}replies"), "{shown}");
    assert!(shown.contains("/log?stream=s&amp;type=task.reply"), "{shown}");
}

#[test]
fn now_says_who_listens() {
    let hub = Hub::start();
    hub.append("s", "something");
    let session = hub.session();
    let stream = hub.sse("to_agent=win:codex");
    let shown = page(&hub, &session, "/").text();
    assert!(
        shown.contains("Who is listening") && shown.contains("win:codex") && shown.contains("at the tip"),
        "{shown}"
    );
    drop(stream);
    until(&hub, "win:codex", |told| listens(told) == 0);
    assert!(page(&hub, &session, "/").text().contains("seen just now"));
}

#[test]
fn a_task_whose_state_nobody_knows_has_a_column_of_its_own() {
    let hub = Hub::start();
    let id = hub.append_event(event_with(
        "s",
        "Weave a rug",
        json!({"type": "task.request", "to_agent": "ben", "correlation_id": "task_rug", "status": "open"}),
    ))["id"]
        .clone();
    // A peer of another version may send a word that this one does not know.
    let log = crate::outsider::open(&hub.place().log_file());
    let elsewhere = "INSERT INTO events (id, type, stream, room, from_agent, to_agent, correlation_id, status, body, created_at, \
        metadata_json, origin_replica, origin_seq, hlc) SELECT 'evt_20260101T000000_aaaaaaaaaaaa', type, stream, room, from_agent, \
        to_agent, 'task_other', 'in_review', 'Weave another', created_at, metadata_json, origin_replica, origin_seq + 1000, hlc \
        FROM events WHERE id = ?1";
    assert_eq!(log.execute(elsewhere, [id.as_str().expect("an id")]), Ok(1));
    until(&hub, "ben", |told| told["open_to"] == 2);
    let shown = page(&hub, &hub.session(), "/").text();
    assert!(shown.contains("class=\"status other\"") && shown.contains("Weave another"), "{shown}");
}

#[test]
fn who_may_not_post_is_told_so_before_the_form_is_read() {
    let hub = Hub::start();
    let stranger = hub.request("POST", "/agent/read").without("Authorization").header("Origin", &hub.origin());
    assert_eq!(stranger.form("nothing=of+it").send().status, 401);
    let session = hub.session();
    let known = hub.request("POST", "/agent/read").without("Authorization").header("Cookie", &session);
    let answer = known.header("Origin", &hub.origin()).form("nothing=of+it").send();
    assert_eq!(answer.status, 422, "{answer:?}");
    assert!(answer.text().contains("the form needs `agent` and `event`"), "{answer:?}");
}
