//! What people write from the pages: forms that work without a script, marked as theirs; and the report of a task.

use serde_json::{Value, json};

use crate::hub::Hub;
use crate::wire::Answer;

fn task(hub: &Hub) -> Value {
    let arguments = json!({
        "project": "Atlas", "from_agent": "mac:claude", "to_agent": "win:codex", "goal": "Draw the map", "branch": "main",
        "base_commit": "0123abc", "done": "it is drawn",
    });
    hub.call("mempalace_task_create", arguments)["task"].clone()
}

fn text(event: &Value, key: &str) -> String {
    event[key].as_str().unwrap_or_default().to_owned()
}

fn post(hub: &Hub, cookie: &str, target: &str, pairs: &[(&str, &str)]) -> Answer {
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    hub.request("POST", target)
        .without("Authorization")
        .header("Cookie", cookie)
        .header("Origin", &hub.origin())
        .form(&form)
        .send()
}

#[test]
fn a_person_answers_under_a_name_of_its_own_and_is_marked() {
    let hub = Hub::start();
    let cookie = hub.session();
    let task = task(&hub);
    let target = format!("/task?id={}", text(&task, "correlation_id"));
    let id = text(&task, "id");
    let sent =
        [("event_id", &*id), ("name", "Ana"), ("status", "blocked"), ("to", "win:codex"), ("body", "Wait\r\nfor me")];
    let answer = post(&hub, &cookie, &target, &sent);
    assert_eq!((answer.status, answer.header("location")), (303, Some(&*target)), "{answer:?}");
    let written = hub.list(json!({"order": "desc", "limit": 1})).remove(0);
    assert_eq!(
        (&written["type"], &written["from_agent"], &written["to_agent"], &written["status"], &written["body"]),
        (&json!("event.ack"), &json!("human:Ana"), &json!("win:codex"), &json!("blocked"), &json!("Wait\nfor me"))
    );
    assert_eq!(written["correlation_id"], task["correlation_id"]);
    assert_eq!((&written["metadata"]["human"], &written["metadata"]["ack_of"]), (&json!(true), &json!(id)));
    let told = hub.call("mempalace_correlation_get", json!({"correlation_id": task["correlation_id"]}));
    assert_eq!((&told["state"], &told["steps"][1]["human"]), (&json!("blocked"), &json!(true)));
    let page = hub.request("GET", &target).without("Authorization").header("Cookie", &cookie).send().text();
    assert!(page.contains(">person<"), "the page marks it");
}

#[test]
fn a_refused_form_comes_back_with_what_was_typed_and_writes_nothing() {
    let hub = Hub::start();
    let cookie = hub.session();
    let task = task(&hub);
    let target = format!("/task?id={}", text(&task, "correlation_id"));
    let id = text(&task, "id");
    let before = hub.list(json!({})).len();
    let long = "n".repeat(65);
    for (name, status, body, said) in [
        ("", "claimed", "typed <b>text</b>", "your name must not be empty"),
        (&*long, "claimed", "typed <b>text</b>", "exceeds maximum length of 64 characters: it has 65"),
        ("Ana", "", " ", "a reply without a status needs some words"),
        ("Ana", "done", "typed <b>text</b>", "status"),
        ("", "", "typed <b>text</b></textarea><img src=x onerror=alert(1)>", "your name must not be empty"),
    ] {
        let answer =
            post(&hub, &cookie, &target, &[("event_id", &*id), ("name", name), ("status", status), ("body", body)]);
        let page = answer.text();
        assert_eq!(answer.status, 422, "{said}: {page}");
        assert!(page.contains("Nothing was written") && page.contains(said), "{said}");
        // A browser gives back what stands in it as text, so nothing in it may end it.
        assert!(body == " " || page.contains("typed &lt;b>text&lt;/b>"), "{said}: {page}");
        assert!(!page.contains("<img"), "{said}: {page}");
    }
    assert_eq!(hub.list(json!({})).len(), before);
}

#[test]
fn a_person_asks_for_work() {
    let hub = Hub::start();
    let cookie = hub.session();
    let mut sent = vec![
        ("name", "Ana"),
        ("to_agent", "win:codex"),
        ("project", "Atlas"),
        ("branch", "main"),
        ("base_commit", "main"),
        ("goal", "Draw the map\r\nin two colours"),
        ("done", "it is drawn"),
    ];
    let answer = post(&hub, &cookie, "/task/new", &sent);
    let page = answer.text();
    assert_eq!(answer.status, 422, "{page}");
    assert!(page.contains("hexadecimal Git object id") && page.contains("in two colours"), "{page}");
    sent[4].1 = "0123abc";
    let answer = post(&hub, &cookie, "/task/new", &sent);
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(
        answer.header("location").is_some_and(|l| l.starts_with("/task?id=task_draw_the_map_in_two_colours_")),
        "{answer:?}"
    );
    let written = hub.list(json!({"order": "desc", "limit": 1})).remove(0);
    assert_eq!((&written["from_agent"], &written["metadata"]["human"]), (&json!("human:Ana"), &json!(true)));
}

#[test]
fn no_form_that_comes_back_makes_markup_of_what_was_typed() {
    let hub = Hub::start();
    let cookie = hub.session();
    let hostile = "\"></textarea></script><img src=x onerror=alert(1)>";
    let work = ["name", "to_agent", "project", "branch", "base_commit", "goal", "done"];
    let token = ["name", "agents", "streams", "expires"];
    for (target, fields, status) in [("/task/new", &work[..], 422), ("/tokens", &token[..], 400)] {
        let mut sent: Vec<_> = fields.iter().map(|field| (*field, hostile)).collect();
        sent.extend([("action", "create"), ("scope", "read")]);
        let answer = post(&hub, &cookie, target, &sent);
        let page = answer.text();
        assert_eq!(answer.status, status, "{target}: {page}");
        let areas = page.matches("<textarea").count();
        assert_eq!((areas, page.matches("</textarea>").count()), (2, 2), "{target}: {page}");
        assert_eq!(page.matches("&lt;/textarea>&lt;/script>&lt;img src=x").count(), areas, "{target}: {page}");
        assert!(!page.contains("<img"), "{target}: {page}");
    }
}

#[test]
fn nobody_writes_without_the_right_session_or_from_a_foreign_page() {
    let hub = Hub::start();
    let reader = hub.place().cli(&["token", "create", "--name", "reader", "--scope", "read", "--json"], b"");
    assert!(reader.status.success(), "{reader:?}");
    let made: Value = serde_json::from_slice(&reader.stdout).expect("json");
    let secret = text(&made, "token");
    let signed_in = hub
        .request("POST", "/sign-in")
        .without("Authorization")
        .header("Origin", &hub.origin())
        .form(&format!("token={secret}"))
        .send();
    let cookie = signed_in.cookie().expect("a session");
    let fields = [("name", "Ana"), ("body", "x")];
    assert_eq!(post(&hub, &cookie, "/task/new", &fields).status, 403, "a reader");
    let form = "name=Ana&body=x";
    let without =
        hub.request("POST", "/task/new").without("Authorization").header("Origin", &hub.origin()).form(form).send();
    assert_eq!(without.status, 401, "nobody");
    let session = hub.session();
    let bare = hub.request("POST", "/task/new").without("Authorization").header("Cookie", &session);
    assert_eq!(bare.form(form).send().status, 403, "a session without an Origin");
    let foreign = hub.request("POST", "/task/new").without("Authorization").header("Cookie", &session);
    assert_eq!(foreign.header("Origin", "https://evil.example").form(form).send().status, 403, "a foreign page");
    let page = hub.request("GET", "/task/new").without("Authorization").header("Cookie", &cookie).send().text();
    assert!(page.contains("scope `write`") && !page.contains("<textarea"), "a reader is told so: {page}");
}

#[test]
fn the_report_is_a_document_in_which_nothing_from_the_log_is_markup() {
    let hub = Hub::start();
    let task = task(&hub);
    let id = text(&task, "correlation_id");
    let body = "```\n# not a heading\n<script>";
    hub.call(
        "mempalace_event_ack",
        json!({"event_id": task["id"], "from_agent": "win:codex", "status": "claimed", "body": body}),
    );
    let answer = hub.get(&format!("/task/report?id={id}"));
    assert_eq!(answer.header("content-type"), Some("text/markdown; charset=utf-8"));
    let disposition = answer.header("content-disposition").expect("a download").to_owned();
    assert!(disposition.starts_with("attachment; filename=\"task-task_draw_the_map_"), "{disposition}");
    let report = answer.text();
    assert!(report.starts_with(&format!("# Delegation `{id}`\n")), "{report}");
    assert!(report.contains("````text\n```\n# not a heading\n<script>\n````\n"), "{report}");
    assert!(report.contains("- claimed by: `win:codex`"), "{report}");
    assert_eq!(hub.get("/task/report?id=nothing").status, 404);
    assert_eq!(hub.request("GET", &format!("/task/report?id={id}")).without("Authorization").send().status, 401);
}
