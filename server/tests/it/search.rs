//! Full-text search from outside: what is found, and what a query can never do. What happens to the index's file is in `search_index`.

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::outsider::Outsider;
use crate::place::{Place, sha256};

pub(crate) const TOOL: &str = "mempalace_event_search";

/// The bodies of the events that a query finds, newest first.
#[track_caller]
pub(crate) fn found(hub: &Hub, query: &str) -> Vec<String> {
    bodies(&hub.call(TOOL, json!({"query": query})))
}

/// The bodies of the events in an answer.
#[track_caller]
pub(crate) fn bodies(answer: &Value) -> Vec<String> {
    let events = answer["events"].as_array().unwrap_or_else(|| panic!("no events: {answer}"));
    assert_eq!(answer["behind"], 0, "{answer}");
    assert_eq!(answer["count"], events.len());
    events.iter().map(|e| e["body"].as_str().expect("a text").to_owned()).collect()
}

/// Searches by the command line, beside a hub or without one.
#[track_caller]
pub(crate) fn by_cli(place: &Place, args: &[&str]) -> Value {
    let output = place.cli(&[&["logstream", "search", "--json"], args].concat(), b"");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn what_was_just_appended_is_found_newest_first() {
    let hub = Hub::start();
    for n in 1..=3 {
        hub.append("s", &format!("needle number {n}"));
        let expected: Vec<String> = (1..=n).rev().map(|n| format!("needle number {n}")).collect();
        assert_eq!(found(&hub, "needle"), expected);
    }
    assert_eq!(found(&hub, "NUMBER 2 needle"), ["needle number 2"]);
    assert_eq!(found(&hub, "needle haystack"), [""; 0]);
    let outside = Outsider::open(hub.place()).append("s", "needle from outside");
    let answer = hub.call(TOOL, json!({"query": "outside"}));
    assert_eq!(answer["events"][0]["id"], *outside, "another process's event: {answer}");
}

#[test]
fn every_word_counts_and_the_last_may_be_a_beginning() {
    let hub = Hub::start();
    hub.append("s", "The patch for feature/x-y uses foo::bar in src/main.rs");
    for query in ["feature/x-y", "x-y", "y", "foo::bar", "BAR", "src/main.rs", "main.rs", "patch fea", "rs src", "pat"]
    {
        assert_eq!(found(&hub, query).len(), 1, "{query}");
    }
    for query in ["fea patch", "bar::foo", "feature-y", "pa", "patch not", "atch"] {
        assert_eq!(found(&hub, query).len(), 0, "{query}");
    }
}

#[test]
fn ids_names_and_metadata_are_found_whole_and_by_part() {
    let hub = Hub::start();
    let artifact = hub.call("mempalace_artifact_put", json!({"kind": "note", "content": "x", "created_by": "a"}));
    let artifact_id = artifact["artifact"]["id"].as_str().expect("an id").to_owned();
    let more = json!({"from_agent": "win:codex", "branch": "feature/größe", "metadata": {"tests": {"passed": "all twelve"}},
        "correlation_id": "task_20260101T000000_ab12cd34", "artifact_ids": [artifact_id]});
    let written = hub.append_event(event_with("project/atlas", "b", more));
    let id = written["id"].as_str().expect("an id");
    let last_part = id.rsplit('_').next().expect("a part");
    for query in
        [id, last_part, "win:codex", "codex", "atlas", "grosse", "größe", "ab12cd34", "passed twelve", &artifact_id]
    {
        // `ß` is a letter of its own; only accents are folded.
        assert_eq!(found(&hub, query).len(), usize::from(query != "grosse"), "{query}");
    }
    let answer = hub.call(TOOL, json!({"query": "codex"}));
    let excerpt = &answer["events"][0]["excerpt"];
    assert_eq!(*excerpt, json!({"field": "from_agent", "text": "win:codex", "hits": [[4, 9]]}));
}

#[test]
fn chinese_japanese_and_korean_are_found_anywhere_in_a_text() {
    let hub = Hub::start();
    hub.append("s", "请修复登录页面的错误");
    hub.append("s", "テストが失敗しました");
    hub.append("s", "빌드가 실패했습니다");
    for (query, count) in
        [("登录页面", 1), ("修复", 1), ("页面登录", 0), ("错误 登录", 1), ("失敗", 1), ("스", 0), ("실패", 1)]
    {
        assert_eq!(found(&hub, query).len(), count, "{query}");
    }
    let answer = hub.call(TOOL, json!({"query": "登录页面"}));
    assert_eq!(answer["events"][0]["excerpt"]["hits"], json!([[3, 7]]));
}

#[test]
fn nothing_in_a_query_is_an_operator() {
    const ODD: [&str; 44] = [
        "needle OR hay",
        "needle AND",
        "AND",
        "NOT needle",
        "needle NOT",
        "NEAR(needle hay)",
        "needle NEAR/2 hay",
        "\"needle\"",
        "\"needle",
        "needle\"\"",
        "''",
        "needle*",
        "*needle",
        "n*dle",
        "^needle",
        "needle^2",
        "text:needle",
        "fields:needle",
        "events_0 MATCH needle",
        "{text} : needle",
        "-needle",
        "- needle",
        "+needle",
        "(needle)",
        "((needle",
        "needle))",
        "needle; DROP TABLE parts",
        "needle' OR '1'='1",
        "needle -- x",
        "needle /* x */",
        "needle\\",
        "\\\"needle",
        "needle\u{0}",
        "\u{0}needle\u{0}hay",
        "needle\r\n\thay",
        "‖needle",
        "%needle%",
        "needle_",
        "<b>needle</b>",
        "&quot;needle&quot;",
        "needle\u{feff}",
        "\u{202e}needle",
        "needle🚀",
        "rowid:1 needle",
    ];
    let hub = Hub::start();
    hub.append("s", "needle");
    hub.append("s", "something else entirely");
    hub.append("s", "needle and more OR NOT NEAR hay");
    for query in ODD {
        let answer = hub.call(TOOL, json!({"query": query}));
        if answer["error"].is_string() {
            assert_eq!(query, "''", "refused: {answer}");
            assert_eq!(
                (&answer["error"], &answer["field"]),
                (&json!("query has nothing to search for"), &json!("query"))
            );
            continue;
        }
        for body in bodies(&answer) {
            assert!(body.contains("needle") || query == "AND", "{query:?} found {body:?}");
        }
        assert!(bodies(&answer).len() < 3, "{query:?} found everything");
    }
    for (query, count) in
        [("needle OR", 1), ("needle", 2), ("NOT needle", 1), ("needle*", 2), ("\"needle\"", 2), ("-needle", 2)]
    {
        assert_eq!(found(&hub, query).len(), count, "{query}");
    }
    // As many words as fit, each another: the index takes them all.
    let letters: Vec<String> = ('\u{4e00}'..).take(256).map(String::from).collect();
    assert_eq!(found(&hub, &letters.join(" ")), [""; 0]);
    assert_eq!(found(&hub, &"x-".repeat(256)), [""; 0]);
}

#[test]
fn a_query_with_nothing_to_search_for_names_the_field() {
    let hub = Hub::start();
    for (query, error) in [
        (json!(""), "query must be a non-empty string"),
        (json!(" \n"), "query must be a non-empty string"),
        (json!(null), "query must be a non-empty string"),
        (json!(7), "query must be a string"),
        (json!("*-:\"()"), "query has nothing to search for"),
        (json!("é".repeat(513)), "query exceeds maximum length of 512 characters"),
    ] {
        let answer = hub.call(TOOL, json!({"query": query}));
        assert_eq!((&answer["error"], &answer["field"]), (&json!(error), &json!("query")), "{answer}");
    }
    let error = hub.call_error(TOOL, json!({}));
    assert_eq!(error["data"]["field"], "query");
    let output = hub.place().cli(&["logstream", "search", "-", "--json"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing to search for"), "{output:?}");
}

#[test]
fn an_excerpt_shows_the_first_hit_in_the_original_text() {
    let hub = Hub::start();
    let long = format!("{}The <b>Needle</b> stands here. {}", "wörd ".repeat(400), "and more ".repeat(100));
    hub.append("s", &long);
    let answer = hub.call(TOOL, json!({"query": "needle here"}));
    let event = &answer["events"][0];
    assert_eq!(
        (&event["body_truncated"], event["body"].as_str().map(|b| b.chars().count())),
        (&json!(true), Some(200))
    );
    let text: Vec<char> = event["excerpt"]["text"].as_str().expect("a text").chars().collect();
    assert!(text.len() <= 200 && long.contains(&text.iter().collect::<String>()));
    let hits: Vec<String> = event["excerpt"]["hits"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|hit| {
            let at = |n: usize| usize::try_from(hit[n].as_u64().expect("a number")).expect("small");
            text[at(0)..at(1)].iter().collect()
        })
        .collect();
    assert_eq!(hits, ["Needle", "here"]);
    assert_eq!((&event["excerpt"]["cut_before"], &event["excerpt"]["cut_after"]), (&json!(true), &json!(true)));
}

#[test]
fn filters_combine_with_the_words() {
    let hub = Hub::start();
    for (stream, writer, to, status) in
        [("s", "a", "b", "open"), ("s", "b", "*", "ready"), ("other", "a", "c", "open"), ("s", "a", "c", "applied")]
    {
        let more = json!({"from_agent": writer, "to_agent": to, "status": status});
        hub.append_event(event_with(stream, &format!("needle {stream} {writer} {to} {status}"), more));
    }
    hub.append("s", "hay");
    let count = |arguments: Value| {
        let mut all = json!({"query": "needle"});
        all.as_object_mut().expect("an object").extend(arguments.as_object().expect("an object").clone());
        bodies(&hub.call(TOOL, all)).len()
    };
    assert_eq!(count(json!({})), 4);
    assert_eq!(count(json!({"stream": "s"})), 3);
    assert_eq!(count(json!({"stream": "s", "writer": "a"})), 2);
    assert_eq!(count(json!({"to_agent": "b"})), 2, "what is for everybody too");
    assert_eq!(count(json!({"status": "ready"})), 1);
    assert_eq!(count(json!({"stream": "nowhere"})), 0);
    assert_eq!(count(json!({"since_created_at": "2020-01-01"})), 4);
    assert_eq!(count(json!({"since_created_at": "2999-01-01"})), 0);
    let refused = hub.call(TOOL, json!({"query": "needle", "status": "done"}));
    assert_eq!(refused["field"], "status", "{refused}");
    let answer = by_cli(hub.place(), &["needle", "--stream", "s", "--stream", "other", "--exclude-from-agent", "b"]);
    assert_eq!(bodies(&answer).len(), 3);
}

#[test]
fn older_hits_are_reached_by_a_cursor() {
    let hub = Hub::start();
    for n in 1..=7 {
        hub.append("s", &format!("needle {n}"));
    }
    let mut seen = Vec::new();
    let mut arguments = json!({"query": "needle", "limit": 3});
    for expected_more in [true, true, false] {
        let answer = hub.call(TOOL, arguments.clone());
        seen.extend(bodies(&answer));
        assert_eq!((&answer["has_more"], &answer["limit"]), (&json!(expected_more), &json!(3)));
        arguments["before_event_id"] = answer["older_cursor"].clone();
    }
    assert_eq!(seen, (1..=7).rev().map(|n| format!("needle {n}")).collect::<Vec<_>>());
    let refused = hub.call(TOOL, json!({"query": "needle", "before_event_id": "evt_unknown"}));
    assert_eq!(refused["error"], "before_event_id 'evt_unknown' not found");
    let refused = hub.call(TOOL, json!({"query": "needle", "limit": 0}));
    assert_eq!(refused["field"], "limit");
}

#[test]
fn artifacts_are_searched_when_they_are_asked_for() {
    let hub = Hub::start();
    let content = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-old\n+fn needle_finder() {}\n";
    let submitted = hub.call(
        "mempalace_patch_submit",
        json!({"stream": "s", "room": "r", "from_agent": "a", "content": content, "body": "a patch"}),
    );
    assert_eq!(submitted["success"], true, "{submitted}");
    let put = |content: &str| {
        let answer = hub.call("mempalace_artifact_put", json!({"kind": "note", "content": content, "created_by": "b"}));
        answer["artifact"]["id"].as_str().expect("an id").to_owned()
    };
    // No event tells of it: the search looks all the same.
    let loose = put("a loose needle");
    let plain = hub.call(TOOL, json!({"query": "needle"}));
    assert_eq!((&plain["count"], &plain["artifacts"]), (&json!(0), &json!(null)));

    let answer = hub.call(TOOL, json!({"query": "needle", "artifacts": true}));
    let artifacts = answer["artifacts"].as_array().expect("a list");
    assert_eq!(artifacts.len(), 2, "{answer}");
    assert_eq!(artifacts[0]["id"], *loose);
    assert_eq!(artifacts[0]["referenced_by"], json!([]));
    assert_eq!(artifacts[1]["referenced_by"], json!([submitted["event"]["id"]]));
    assert_eq!((&artifacts[1]["kind"], &artifacts[1]["created_by"]), (&json!("patch"), &json!("a")));
    assert_eq!(artifacts[1]["sha256"], *sha256(content));
    assert_eq!(artifacts[1]["size_bytes"], content.len());
    assert!(artifacts[1]["excerpt"]["text"].as_str().is_some_and(|t| t.contains("needle_finder")));
    assert!(artifacts[1].get("content").is_none(), "the content is not repeated");

    let filtered = hub.call(TOOL, json!({"query": "needle", "artifacts": true, "stream": "s"}));
    assert_eq!(filtered["artifacts"].as_array().map(Vec::len), Some(1), "{filtered}");
    let first = hub.call(TOOL, json!({"query": "needle", "artifacts": true, "limit": 1}));
    assert_eq!(first["older_artifact_cursor"], *loose);
    let second = hub.call(TOOL, json!({"query": "needle", "artifacts": true, "limit": 1, "before_artifact_id": loose}));
    assert_eq!(second["artifacts"][0]["kind"], "patch");
    assert_eq!(second["older_artifact_cursor"], json!(null));
    let whole = put(&format!("{} haystack", "x".repeat(300_000)));
    assert_eq!(hub.call(TOOL, json!({"query": "haystack", "artifacts": true}))["artifacts"][0]["id"], *whole);
    let by_id = hub.call(TOOL, json!({"query": whole, "artifacts": true}));
    assert_eq!(by_id["artifacts"][0]["id"], *whole);
}
