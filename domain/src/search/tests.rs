//! Tests of the query rules and of excerpts.

use serde_json::json;

use super::*;

fn query(text: &str) -> Query {
    Query::check("query", text.into()).expect("a query")
}

fn refused(raw: Raw) -> String {
    Query::check("query", raw).expect_err("no query").message
}

#[track_caller]
fn check(text: &str, query_text: &str, expected: bool) {
    assert_eq!(query(query_text).matches([text]), expected, "{query_text:?} in {text:?}");
}

#[test]
fn every_word_must_be_there_and_the_last_may_be_a_beginning() {
    let text = "The patch for feature/x-y is ready";
    check(text, "ready PATCH", true);
    check(text, "patch rea", true);
    check(text, "rea patch", false);
    check(text, "patch missing", false);
    check(text, "feature/x-y", true);
    check(text, "x", true);
    check(text, "pa", false);
    check(text, "pat", true);
    check(text, "feature/y", false);
    check("a grape", "grape a", true);
}

#[test]
fn a_word_of_several_tokens_must_stand_together() {
    check("use foo::bar here", "foo::bar", true);
    check("use bar::foo here", "foo::bar", false);
    check("foo x bar", "foo::bar", false);
    check("foo x bar", "foo bar", true);
    check("a a b", "a.a.b", true);
    check("a b a b c", "a.b.c", true);
    check("evt_20260101T000000_ab12", "evt_20260101T000000_ab12", true);
    check("evt_20260101T000000_ab12", "ab12", true);
    check("evt_20260101T000000_ab12", "evt_20260101T0000", true);
}

#[test]
fn scripts_without_spaces_are_found_anywhere() {
    check("请修复登录页面的错误", "登录页面", true);
    check("请修复登录页面的错误", "页面登录", false);
    check("请修复登录页面的错误", "登 错误", true);
    check("テストが失敗", "失敗", true);
    check("修复bug的补丁", "bug的", true);
}

#[test]
fn a_query_is_refused_only_when_there_is_nothing_to_search_for() {
    assert_eq!(refused(Raw::Absent), "query must be a non-empty string");
    assert_eq!(refused(" \t\n".into()), "query must be a non-empty string");
    assert_eq!(refused("\"* - :()".into()), "query has nothing to search for");
    assert_eq!(refused(Raw::Other(json!(5))), "query must be a string");
    let long = Query::check("q", "x".repeat(513).into()).expect_err("too long");
    assert_eq!(long.message, "q exceeds maximum length of 512 characters");
    assert_eq!((long.field.as_str(), long.limit, long.value), ("q", Some(512), Some(json!(513))));
    assert_eq!(query(&"é".repeat(512)).phrases().len(), 1);
}

#[test]
fn words_count_once() {
    let query = query("a b A \"a\" bc");
    let phrases: Vec<String> = query.phrases().iter().map(|p| p.tokens.join(" ")).collect();
    assert_eq!(phrases, ["a", "b", "bc"]);
    assert_eq!(query.text(), "a b A \"a\" bc");
}

#[test]
fn an_event_is_found_by_all_its_fields_and_no_phrase_crosses_them() {
    let event: Event = serde_json::from_value(json!({
        "id": "evt_20260101T000000_0000000000ab", "seq": 1, "origin_replica": null, "origin_seq": null, "hlc": null,
        "type": "task.request", "stream": "project/atlas", "room": "delegation", "topic": null, "from_agent": "win:codex",
        "to_agent": "*", "correlation_id": null, "branch": null, "base_commit": null, "status": "open",
        "artifact_ids": ["art_1"], "body": "the text", "created_at": "2026-01-01T00:00:00Z",
        "metadata": {"tests": ["line\nbreak", 7], "deep": {"er": "Größe"}},
    }))
    .expect("an event");
    for text in
        ["text atlas", "codex open", "delegation", "art_1", "break", "tests 7", "deep.er grosse", "0000000000ab"]
    {
        let expected = text != "deep.er grosse";
        assert_eq!(query(text).matches_event(&event), expected, "{text}");
    }
    assert!(query("größe").matches_event(&event));
    assert!(!query("atlas/delegation").matches_event(&event));
    let in_body = query("the atlas").event_excerpt(&event).expect("found");
    assert_eq!((in_body.field.as_str(), in_body.hits), ("body", vec![(0, 3)]));
    let in_field = query("codex").event_excerpt(&event).expect("found");
    assert_eq!(
        (in_field.field.as_str(), in_field.text.as_str(), in_field.hits),
        ("from_agent", "win:codex", vec![(4, 9)])
    );
    assert_eq!(query("er: Größe").event_excerpt(&event).expect("found").field, "metadata");
    assert!(event.metadata != Metadata::empty());
}

#[track_caller]
fn marked(text: &str, query_text: &str) -> String {
    let excerpt = query(query_text).excerpt("body", text).expect("a hit");
    assert!(excerpt.text.chars().count() <= EXCERPT_CHARS);
    assert!(text.contains(&excerpt.text));
    let pieces = excerpt.pieces();
    assert_eq!(pieces.iter().map(|(piece, _)| *piece).collect::<String>(), excerpt.text);
    let shown: String = pieces.into_iter().map(|(p, hit)| if hit { format!("[{p}]") } else { p.to_owned() }).collect();
    format!("{}{shown}{}", if excerpt.cut_before { "…" } else { "" }, if excerpt.cut_after { "…" } else { "" })
}

#[test]
fn an_excerpt_shows_the_words_in_the_original_text() {
    assert_eq!(marked("Foo::Bar and FOO", "foo bar"), "[Foo]::[Bar] and [FOO]");
    assert_eq!(marked("Foo::Bars and FOO", "foo::bar"), "[Foo::Bars] and FOO");
    assert_eq!(marked("cafe\u{301} ☕ <b>café</b>", "café"), "[cafe\u{301}] ☕ <b>[café]</b>");
    assert_eq!(marked("请修复登录页面", "登录 登录页"), "请修复[登录页]面");
    assert_eq!(query("x").excerpt("body", "y"), None);
}

#[test]
fn an_excerpt_is_a_window_around_the_first_hit() {
    let long = format!("{}needle {}needle", "wörd ".repeat(1000), "after ".repeat(1000));
    let shown = marked(&long, "needle");
    assert!(shown.starts_with("…wörd ") && shown.contains("[needle] after") && shown.ends_with('…'), "{shown}");
    assert_eq!(shown.matches('[').count(), 1);
    let solid = format!("{}。needle{}", "修".repeat(500), "x".repeat(500));
    assert!(marked(&solid, "needlexx").contains("修。[needle"));
    let phrase = vec!["ab"; 170].join("-");
    let shown = marked(&format!("x {phrase} y"), &phrase);
    assert!(shown.starts_with("x [ab-ab") && shown.ends_with("]…"), "{shown}");
}
