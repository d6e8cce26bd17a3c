//! Tokens that are bound to agents, and tokens that are bound to streams: what they may say and see, on every way into the log.

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::made::{make, page, session_of, told, until, with_bearer};

fn append(hub: &Hub, secret: &str, stream: &str, more: Value) -> Value {
    told(hub, secret, "mempalace_event_append", event_with(stream, "x", more))
}

#[test]
fn a_bound_token_writes_as_its_agents_alone() {
    let hub = Hub::start();
    let bound = make(&hub, &["mac", "--agent", "mac:claude", "--agent", "mac:codex"]);
    for own in ["mac:claude", " mac:codex "] {
        assert_eq!(append(&hub, &bound, "s", json!({"from_agent": own}))["success"], true, "{own}");
    }
    let id = hub.append("s", "for anybody");
    let patch = "--- a\n+++ b\n";
    for (tool, field, arguments) in [
        ("mempalace_event_append", "from_agent", event_with("s", "x", json!({"from_agent": "win:claude"}))),
        ("mempalace_event_append", "from_agent", event_with("s", "x", json!({"from_agent": 7}))),
        ("mempalace_event_append", "from_agent", event_with("s", "x", json!({"from_agent": "MAC:CLAUDE"}))),
        ("mempalace_event_ack", "from_agent", json!({"event_id": id, "from_agent": "win:claude", "status": "claimed"})),
        (
            "mempalace_task_create",
            "from_agent",
            json!({"project": "p", "from_agent": "boss", "to_agent": "mac:claude", "goal": "g", "branch": "b",
                "base_commit": "0123456789", "done": "d"}),
        ),
        ("mempalace_patch_submit", "from_agent", json!({"content": patch, "from_agent": "boss", "stream": "s"})),
        ("mempalace_artifact_put", "created_by", json!({"kind": "patch", "content": patch, "created_by": "boss"})),
        ("mempalace_diary_write", "agent_name", json!({"agent_name": "win:claude", "entry": "e"})),
        (
            "mempalace_add_drawer",
            "added_by",
            json!({"wing": "w", "room": "r", "content": "c", "added_by": "win:claude"}),
        ),
        ("mempalace_add_drawer", "added_by", json!({"wing": "w", "room": "r", "content": "c"})),
        (
            "mempalace_checkpoint",
            "diary.agent_name",
            json!({"items": [], "added_by": "mac:claude", "diary": {"agent_name": "win:claude", "entry": "e"}}),
        ),
    ] {
        let refused = told(&hub, &bound, tool, arguments);
        assert_eq!(refused["success"], false, "{tool}: {refused}");
        assert_eq!(refused["field"], field, "{tool}: {refused}");
        assert_eq!(refused["accepted"], "mac:claude, mac:codex", "{tool}: {refused}");
    }
    assert_eq!(hub.list(json!({})).len(), 3, "nothing was written in another's name");
    // Reading is not speaking.
    assert!(told(&hub, &bound, "mempalace_diary_read", json!({"agent_name": "win:claude"}))["entries"].is_array());
    let listed = told(&hub, &bound, "mempalace_event_list", json!({"from_agent": "win:claude"}));
    assert_eq!(listed["count"], 3, "{listed}");
}

#[test]
fn a_name_that_was_left_out_is_the_tokens_only_one() {
    let hub = Hub::start();
    let bound = make(&hub, &["mac", "--agent", "mac:claude"]);
    let drawer = json!({"wing": "w", "room": "r", "content": "kept"});
    let filed = told(&hub, &bound, "mempalace_add_drawer", drawer);
    assert_eq!(filed["success"], true, "{filed}");
    let got = hub.call("mempalace_get_drawer", json!({"drawer_id": filed["drawer_id"]}));
    assert!(got.to_string().contains("mac:claude"), "{got}");
    let saved = told(&hub, &bound, "mempalace_checkpoint", json!({"items": [], "diary": {"entry": "what I did"}}));
    let diary = hub.call("mempalace_diary_read", json!({"agent_name": "mac:claude"}));
    assert_eq!(diary["total"], 1, "{saved} {diary}");
}

/// A hub with a stream that a token sees and one that it does not, an event and a patch in each.
struct Two {
    hub: Hub,
    narrow: String,
    /// Of each stream the event, the patch's event, and the patch.
    seen: [String; 3],
    hidden: [String; 3],
}

fn two() -> Two {
    let hub = Hub::start();
    let fill = |stream: &str| {
        let event = hub.append_event(event_with(stream, "a pebble", json!({"correlation_id": format!("c-{stream}")})));
        let patch = json!({"content": format!("--- a\n+++ {stream} pebble\n"), "from_agent": "a", "stream": stream,
            "correlation_id": "both", "to_agent": "b"});
        let patch = hub.call("mempalace_patch_submit", patch);
        let text = |value: &Value| value["id"].as_str().expect("an id").to_owned();
        [text(&event), text(&patch["event"]), text(&patch["artifact"])]
    };
    let (seen, hidden) = (fill("project/atlas"), fill("secret/plan"));
    let narrow = make(&hub, &["narrow", "--scope", "write", "--stream", "project/*", "--stream", "exact"]);
    Two { hub, narrow, seen, hidden }
}

#[test]
fn a_narrow_token_reads_only_its_streams_by_every_tool() {
    let Two { hub, narrow, seen, hidden } = two();
    let ask = |tool: &str, arguments: Value| told(&hub, &narrow, tool, arguments);
    let ids = |answer: &Value| -> Vec<String> {
        answer["events"].as_array().unwrap_or_else(|| panic!("{answer}")).iter().map(|e| e["id"].to_string()).collect()
    };
    for (tool, arguments) in [
        ("mempalace_event_list", json!({})),
        ("mempalace_event_list", json!({"stream": "secret/plan"})),
        ("mempalace_event_wait", json!({"since_event_id": seen[0], "timeout_ms": 0})),
        ("mempalace_event_search", json!({"query": "pebble", "artifacts": true})),
        ("mempalace_correlation_get", json!({"correlation_id": "both"})),
        ("mempalace_correlation_get", json!({"correlation_id": "c-secret/plan"})),
        ("mempalace_event_get", json!({"event_id": hidden[0]})),
        ("mempalace_artifact_get", json!({"artifact_id": hidden[2]})),
    ] {
        let mut answer = ask(tool, arguments.clone());
        // Cursors are the whole log's: that there is something newer is told, and its id.
        for cursor in ["next_cursor", "newest", "indexed_up_to"] {
            answer[cursor] = Value::Null;
        }
        let text = answer.to_string();
        for hidden in &hidden[..] {
            let asked = arguments.to_string().contains(hidden.as_str());
            assert!(asked || !text.contains(hidden.as_str()), "{tool} {arguments}: {text}");
        }
        assert!(!text.contains("secret/plan pebble"), "{tool}: {text}");
    }
    assert_eq!(ids(&ask("mempalace_event_list", json!({}))).len(), 2);
    assert_eq!(ask("mempalace_event_get", json!({"event_id": seen[0]}))["event"]["id"], seen[0]);
    assert!(ask("mempalace_event_get", json!({"event_id": hidden[0]}))["error"].is_string());
    assert_eq!(ask("mempalace_artifact_get", json!({"artifact_id": seen[2]}))["artifact"]["id"], seen[2]);
    assert!(ask("mempalace_artifact_get", json!({"artifact_id": hidden[2]}))["error"].is_string());
}

#[test]
fn a_narrow_token_reads_only_its_streams_by_stream_and_file_and_page() {
    let Two { hub, narrow, seen, hidden } = two();
    let raw = |id: &str| with_bearer(&hub, &narrow, "GET", &format!("/artifacts/{id}/raw")).send().status;
    assert_eq!((raw(&seen[2]), raw(&hidden[2])), (200, 404));
    let mut stream = with_bearer(&hub, &narrow, "GET", "/logstream/stream?from=start").open();
    assert_eq!(stream.bodies(1), ["a pebble"]);
    hub.append("secret/other", "hidden");
    hub.append("project/x", "live");
    assert_eq!(stream.bodies(2).last().map(String::as_str), Some("live"), "the patch's own event, then what is live");
    let cookie = session_of(&hub, &narrow);
    for target in ["/", "/log", "/log?q=pebble", "/log?stream=secret%2Fplan", "/task?id=both"] {
        let text = page(&hub, &cookie, target).text();
        // What was asked for stands in the page; what is there does not.
        let told = hidden.iter().map(String::as_str).chain((!target.contains("secret")).then_some("secret/"));
        for hidden in told {
            let around = text.split(hidden).next().map(|before| before.chars().rev().take(300).collect::<String>());
            let around = around.map(|text| text.chars().rev().collect::<String>());
            assert!(!text.contains(hidden), "{target} tells {hidden} after {around:?}");
        }
    }
    for (path, id) in [("event", &hidden[0]), ("artifact", &hidden[2]), ("task", &"c-secret/plan".to_owned())] {
        assert_eq!(page(&hub, &cookie, &format!("/{path}?id={id}")).status, 404, "{path}");
    }
    assert_eq!(page(&hub, &cookie, &format!("/event?id={}", seen[0])).status, 200);
}

#[test]
fn a_narrow_token_writes_only_to_its_streams() {
    let Two { hub, narrow, seen, hidden } = two();
    for stream in ["project/x", "exact"] {
        assert_eq!(append(&hub, &narrow, stream, json!({}))["success"], true, "{stream}");
    }
    for stream in ["secret/plan", "exactly", "Project/x"] {
        let refused = append(&hub, &narrow, stream, json!({}));
        assert_eq!((&refused["success"], &refused["field"]), (&json!(false), &json!("stream")), "{refused}");
        assert_eq!(refused["accepted"], "project/*, exact", "{refused}");
    }
    let ack = told(&hub, &narrow, "mempalace_event_ack", json!({"event_id": hidden[0], "from_agent": "a"}));
    assert_eq!(ack["field"], "event_id", "{ack}");
    let task = json!({"project": "p", "from_agent": "a", "to_agent": "b", "goal": "g", "branch": "b",
        "base_commit": "0123456789", "done": "d"});
    assert_eq!(told(&hub, &narrow, "mempalace_task_create", task)["success"], true, "project/p is within");
    let patch = json!({"content": "--- a\n+++ b\n", "from_agent": "a", "stream": "secret/plan"});
    assert_eq!(told(&hub, &narrow, "mempalace_patch_submit", patch)["field"], "stream");
    // To name an artifact would be a way to read it.
    let names = |id: &str| append(&hub, &narrow, "exact", json!({"artifact_ids": [id]}));
    assert_eq!(names(&hidden[2])["field"], "artifact_ids");
    assert_eq!(names(&seen[2])["success"], true);
    let put = json!({"kind": "log", "content": "mine", "created_by": "a"});
    let put = told(&hub, &narrow, "mempalace_artifact_put", put);
    assert_eq!(names(put["artifact"]["id"].as_str().expect("stored"))["success"], true, "{put}");
    let artifacts = rusqlite::Connection::open(hub.place().log_file())
        .and_then(|log| log.query_row("SELECT count(*) FROM artifacts", [], |r| r.get::<_, i64>(0)));
    assert_eq!(artifacts.expect("read"), 3, "a refused patch leaves no artifact");
}

#[test]
fn a_narrow_token_learns_of_nobody_and_of_no_status_elsewhere() {
    let Two { hub, narrow, .. } = two();
    for (stream, agent) in [("project/atlas", "seen:agent"), ("secret/plan", "hidden:agent")] {
        let answered = json!({"from_agent": agent, "status": "blocked", "to_agent": format!("to:{agent}")});
        hub.append_event(event_with(stream, "x", answered));
    }
    // Somebody listens in what is hidden, and calls.
    let _listener = hub.sse("to_agent=hidden:agent&stream=secret/plan");
    // The figures of agents are a side file, which follows the log.
    let told = until("the agent that is seen", || {
        let told = told(&hub, &narrow, "mempalace_agents", json!({})).to_string();
        told.contains("seen:agent").then_some(told)
    });
    assert!(!told.contains("hidden:agent") && !told.contains("secret/"), "{told}");
    let cookie = session_of(&hub, &narrow);
    let agents = page(&hub, &cookie, "/agents").text();
    assert!(agents.contains("seen:agent") && !agents.contains("hidden:agent"), "{agents}");
    assert_eq!(page(&hub, &cookie, "/agent?id=hidden%3Aagent").status, 404);
    let counted = |cookie: &str| {
        let text = page(&hub, cookie, "/log").text();
        let link =
            text.split("/log?status=blocked").nth(1).and_then(|rest| rest.split("</a>").next()).unwrap_or_default();
        // The figure is the last text within the link.
        link.split(['<', '>']).rev().find_map(|part| part.trim().parse::<u64>().ok())
    };
    assert_eq!((counted(&cookie), counted(&hub.session())), (Some(1), Some(2)), "each counts what it sees");
}
