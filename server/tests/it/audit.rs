//! The audit: who changed what, seen through its page, its export and its command; never a secret, never a body.

use serde_json::{Value, json};

use crate::hub::{Hub, TOKEN, event, tool_call};
use crate::made::{bearer_call, make, page, said, session_of, until, with_bearer};
use crate::outsider;
use crate::sync_mesh::write_peers;

/// What the export says, newest first.
#[track_caller]
fn lines(hub: &Hub, query: &str) -> Vec<Value> {
    let answer = hub.get(&format!("/audit.ndjson{query}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.header("content-type").is_some_and(|t| t.starts_with("application/x-ndjson")), "{answer:?}");
    answer.text().lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// The newest lines of a kind, as soon as there are so many.
#[track_caller]
fn of_kind(hub: &Hub, kind: &str, count: usize) -> Vec<Value> {
    until(&format!("{count} lines of {kind}"), || {
        Some(lines(hub, &format!("?kind={kind}"))).filter(|l| l.len() == count)
    })
}

#[test]
fn a_write_is_noted_by_who_what_and_which_and_a_read_is_not() {
    let hub = Hub::start();
    let id = hub.append("s", "a body that nobody shall find");
    hub.list(json!({}));
    let refused =
        hub.call("mempalace_event_append", json!({"type": "t.x", "stream": " ", "room": "r", "from_agent": "a"}));
    assert_eq!(refused["success"], false, "{refused}");
    let noted = of_kind(&hub, "mempalace_event_append", 2);
    assert_eq!((&noted[0]["outcome"], &noted[1]["outcome"]), (&json!("refused"), &json!("ok")), "{noted:?}");
    assert_eq!((&noted[1]["object"], &noted[1]["who"]), (&json!(id), &json!("bootstrap")), "{noted:?}");
    let all = lines(&hub, "");
    assert!(all.iter().all(|line| line["kind"] != "mempalace_event_list"), "{all:?}");
    let text = format!("{all:?}");
    assert!(!text.contains("a body that nobody") && !text.contains(TOKEN), "{text}");
}

#[test]
fn a_write_whose_caller_left_before_its_end_is_noted_too() {
    let hub = Hub::start();
    hub.append("s", "the tables are there");
    let status = |part: &str, key: &str| hub.get("/statusz").json()[part][key].clone();
    let before = status("connections", "open");
    let holder = outsider::open(&hub.place().log_file());
    holder.execute_batch("BEGIN IMMEDIATE").expect("the hub is idle");
    let call = tool_call("mempalace_event_append", event("s", "written all the same"));
    let caller = with_bearer(&hub, TOKEN, "POST", "/mcp").json(call).connect();
    until("the write to wait", || (status("writer", "waiting") == 1).then_some(()));
    drop(caller);
    until("the hub to notice", || (status("connections", "open") == before).then_some(()));
    holder.execute_batch("ROLLBACK").expect("it was ours");
    until("the event", || (hub.list(json!({})).len() == 2).then_some(()));
    let noted = of_kind(&hub, "mempalace_event_append", 2);
    assert_eq!((&noted[0]["outcome"], &noted[0]["who"]), (&json!("unanswered"), &json!("bootstrap")), "{noted:?}");
}

#[test]
fn a_call_that_the_scope_forbids_is_noted() {
    let hub = Hub::start();
    let reader = make(&hub, &["reader", "--scope", "read"]);
    assert_eq!(bearer_call(&hub, &reader, "mempalace_event_append", event("s", "x")).status, 403);
    let noted = of_kind(&hub, "mempalace_event_append", 1);
    assert_eq!((&noted[0]["outcome"], &noted[0]["who"]), (&json!("denied"), &json!("reader")), "{noted:?}");
}

#[test]
fn what_is_managed_is_noted_whoever_did_it() {
    let hub = Hub::start();
    let cookie = hub.session();
    let post = |form: &str| {
        let request = hub.request("POST", "/tokens").without("Authorization").header("Cookie", &cookie);
        request.header("Origin", &hub.origin()).form(form).send()
    };
    assert_eq!(post("action=create&name=mac&scope=read").status, 200);
    assert_eq!(post("action=create&name=mac&scope=read").status, 400, "the name is taken");
    make(&hub, &["by hand"]);
    let noted = of_kind(&hub, "token.create", 3);
    let told: Vec<[&str; 3]> =
        noted.iter().map(|line| ["who", "object", "outcome"].map(|key| line[key].as_str().expect("a text"))).collect();
    assert_eq!(
        told,
        [["command line", "by hand", "ok"], ["bootstrap", "mac", "refused"], ["bootstrap", "mac", "ok"]],
        "newest first"
    );
    assert_eq!(of_kind(&hub, "session.begin", 1)[0]["who"], "bootstrap");
    assert_eq!(lines(&hub, "?who=command%20line").len(), 1);
}

#[test]
fn page_and_export_are_for_admins() {
    let hub = Hub::start();
    let reader = make(&hub, &["reader", "--scope", "read,write,memory"]);
    let answer = with_bearer(&hub, &reader, "GET", "/audit.ndjson").send();
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(hub.request("GET", "/audit.ndjson").without("Authorization").send().status, 401);
    let answer = page(&hub, &session_of(&hub, &reader), "/audit");
    assert_eq!(answer.status, 403, "{answer:?}");
    assert!(answer.text().contains("lacks the scope `admin`"), "{}", answer.text());
    let id = hub.append("s", "x");
    of_kind(&hub, "mempalace_event_append", 1);
    let answer = page(&hub, &hub.session(), "/audit");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.text().contains(&id) && answer.text().contains("mempalace_event_append"), "{}", answer.text());
}

#[test]
fn the_command_reads_what_the_hub_wrote_also_after_its_end() {
    let mut hub = Hub::start();
    for n in 0..50 {
        hub.append("s", &n.to_string());
    }
    // What waits is written before the process ends.
    hub.terminate();
    let audit = |args: &[&str]| said(&hub.place().cli(&[&["audit"], args].concat(), b""));
    let all = audit(&["--kind", "mempalace_event_append"]);
    assert_eq!(all.lines().count(), 50);
    let first: Value = serde_json::from_str(all.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["who"], "bootstrap");
    assert_eq!(audit(&["--who", "bootstrap", "--limit", "3"]).lines().count(), 3);
    assert_eq!(audit(&["--who", "nobody"]), "");
}

#[test]
fn a_call_without_a_tool_is_no_act() {
    let hub = Hub::start();
    hub.rpc(tool_call("mempalace_nothing", json!({})));
    hub.append("s", "x");
    of_kind(&hub, "mempalace_event_append", 1);
    assert!(lines(&hub, "").iter().all(|line| line["kind"] != "mempalace_nothing"));
}

#[test]
fn what_people_post_and_programs_keep_is_noted_without_a_word_of_it() {
    let hub = Hub::start();
    let cookie = hub.session();
    let post = |target: &str, form: &str| {
        let request = hub.request("POST", target).without("Authorization").header("Cookie", &cookie);
        request.header("Origin", &hub.origin()).form(form).send().status
    };
    let task = "project=p&name=human:kim&to_agent=b&goal=secretgoal&branch=b&base_commit=0123456789&done=d";
    assert_eq!(post("/task/new", task), 303);
    assert_eq!(post("/task/new", "project=p"), 422);
    let request = hub.list(json!({}))[0]["id"].as_str().expect("an id").to_owned();
    let answer = format!("event_id={request}&name=human:kim&status=claimed&body=secretbody");
    assert_eq!(post("/task?id=x", &answer), 303);
    assert_eq!(post("/agent/read", &format!("agent=b&event={request}")), 303);
    let message =
        json!({"agent_id": "a", "session_id": "ses-1", "messages": [{"role": "user", "content": "secretword"}]});
    let kept = hub.request("POST", "/v1/mems/write").json(message.to_string()).send();
    assert_eq!(kept.status, 200, "{kept:?}");
    let answered = hub.list(json!({"limit": 1}))[0]["id"].clone();
    let created = of_kind(&hub, "task.create", 2);
    assert_eq!((&created[0]["outcome"], &created[0]["object"]), (&json!("refused"), &json!("")), "{created:?}");
    assert_eq!((&created[1]["outcome"], &created[1]["object"]), (&json!("ok"), &json!(request)), "{created:?}");
    for (kind, object) in [("task.answer", answered), ("inbox.read", json!("b")), ("mems.write", json!("ses-1"))] {
        let noted = of_kind(&hub, kind, 1);
        assert_eq!((&noted[0]["who"], &noted[0]["object"]), (&json!("bootstrap"), &object), "{noted:?}");
    }
    let text = format!("{:?}", lines(&hub, ""));
    assert!(!text.contains("secretgoal") && !text.contains("secretbody") && !text.contains("secretword"), "{text}");
}

#[test]
fn what_comes_from_another_hub_is_noted_by_its_author() {
    let giver = Hub::start();
    giver.append("s", "a body of theirs");
    let own = giver.get("/sync/version_vector").json()["replica_id"].as_str().expect("an identity").to_owned();
    let taker = Hub::builder();
    write_peers(&taker.place.palace(), &[("giver", giver.origin())]);
    let taker = taker.var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    let noted = of_kind(&taker, "sync.apply", 1);
    assert_eq!((&noted[0]["who"], &noted[0]["outcome"]), (&json!("peer giver"), &json!("ok")), "{noted:?}");
    assert_eq!(noted[0]["object"], json!(format!("{own}: 1 events")), "{noted:?}");
}
