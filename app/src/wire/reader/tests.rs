//! The reader says what `serde_json` says, for everything that pages ask and for every form that serde has.

use std::collections::BTreeMap;
use std::fmt::Debug;

use loggia_domain::{ApiError, ArtifactRecord, Event, Filter, Status};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Unreadable, read};
use crate::backend::{Overview, TaskPage, Viewer};
use crate::error::PageError;
use crate::loading::Answer;

#[track_caller]
fn check<T: DeserializeOwned + PartialEq + Debug>(text: &str) {
    let expected = serde_json::from_str::<T>(text).map_err(|_| Unreadable);
    assert_eq!(read::<T>(text), expected, "{text}");
}

const EVENT: &str = r#" {"metadata": {"n": 9007199254740993, "deep": [1.0, {"a\"]": "}"}]}, "type":"task.request","seq":-4, "hlc":null, "id":"evt_1",
    "origin_replica":"rep_1","origin_seq":9007199254740993,"stream":"project/ä","room":"r","topic":"a \"b\" \\ \u00e9\ud83d\ude00 \n]","from_agent":"x",
    "to_agent":"*","correlation_id":null,"branch":null,"base_commit":null,"status":"done","artifact_ids":["art_1", "art_2"], "body":"{[\"",
    "created_at":"2026-11-30T12:00:00Z", "unknown": [[{}]]} "#;

const DELEGATION: &str = r#"{"correlation_id":"c","title":"t","state":"claimed","stream":"s","requester":"a","assignee":null,"claimant":null}"#;

#[test]
fn an_event_is_read_whole() {
    check::<Event>(EVENT);
    let event = read::<Event>(EVENT).expect("an event");
    assert_eq!(event.metadata.text(), r#"{"n": 9007199254740993, "deep": [1.0, {"a\"]": "}"}]}"#);
    assert_eq!((event.seq, event.origin_seq), (-4, Some(9_007_199_254_740_993)));
    assert_eq!(event.topic.as_deref(), Some("a \"b\" \\ é😀 \n]"));
}

#[test]
fn every_answer_is_read_as_it_was_written() {
    let viewer = r#"{"name":"n","admin":true,"write":false,"no_auth":false,"read_only":true,"replica_id":"rep_1","version":"1"}"#;
    let overview = format!(
        r#"{{"events":3,"tip":{{"id":"evt_1","seq":3}},"streams":[{{"stream":"s","events":1,"newest_at":"t","rooms":[]}}],"newest":[{EVENT},{EVENT}],
            "open":[],"open_total":18446744073709551615,"now_ms":5,"stalled_after_ms":6}}"#
    );
    check::<Viewer>(viewer);
    check::<Overview>(&overview);
    check::<Answer>(&format!(r#"{{"Viewer":{viewer}}}"#));
    check::<Answer>(&format!(r#"{{"Overview":{overview}}}"#));
    check::<Answer>(r#"{"Log":[{"events":[],"has_more":false,"tip":null,"total":0,"now_ms":1},[]]}"#);
    check::<Answer>(&format!(r#"{{ "Event" : [ {EVENT} , [ {EVENT} ] , 7 ] }}"#));
    check::<Result<Answer, PageError>>(&format!(r#"{{"Ok":{{"Overview":{overview}}}}}"#));
    check::<Result<Answer, PageError>>(r#"{"Err":{"error":"no \"x\"","code":"not_found"}}"#);
    check::<TaskPage>(r#"{"events":[],"events_total":null,"artifacts":[],"tip":null,"now_ms":1,"stalled_after_ms":2}"#);
    check::<Vec<Overview>>(&format!("[{}]", overview.replace(r#""open":[]"#, &format!(r#""open":[{DELEGATION}]"#))));
    check::<ApiError>(r#"{"error":"e","code":"unauthorized","hint":"h"}"#);
    check::<Vec<ArtifactRecord>>("[]");
    check::<Filter>(r#"{"any":{"stream":["a"],"type":[]}}"#);
}

#[test]
fn members_that_are_missing_are_nothing_or_the_default_or_an_error() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Some3 {
        needed: u64,
        #[serde(default)]
        defaulted: Vec<u8>,
        optional: Option<bool>,
        #[serde(default)]
        last: i32,
    }
    for text in [
        r#"{"needed":1}"#,
        r#"{"last":-3,"needed":1}"#,
        r#"{"optional":true,"last":1,"needed":2,"defaulted":[1,2]}"#,
        r#"{"last":1}"#,
        "{}",
        "[]x",
        r#"{"needed":-1}"#,
        r#"{"needed":"1"}"#,
        r#"{"needed":1,"last":99999999999}"#,
        r#"{"needed":1,"optional":3}"#,
    ] {
        check::<Some3>(text);
    }
}

#[test]
fn every_form_is_read() {
    #[derive(Debug, PartialEq, Deserialize)]
    enum Form {
        Unit,
        New(u8),
        Tuple(bool, String),
        Struct { a: f64, b: Option<char> },
    }
    for text in [
        r#""Unit""#,
        r#"{"New":7}"#,
        r#"{"Tuple":[false,"x"]}"#,
        r#"{"Struct":{"b":"é","a":-1.5e3}}"#,
        r#""None""#,
        "{}",
    ] {
        check::<Form>(text);
    }
    check::<BTreeMap<String, (i8, Option<()>)>>(r#"{"a":[-1,null],"b\n":[2,null]}"#);
    check::<Status>(r#""done""#);
    check::<serde_json::Value>(r#"[null,true,"x",{"a":[]}]"#);
    check::<Vec<u64>>("[1,2,300]");
    check::<String>(r#""plain""#);
}

#[test]
fn what_is_no_json_is_an_error_and_no_panic() {
    for text in [
        "",
        " ",
        "<html>502 Bad Gateway</html>",
        "{",
        "[",
        "\"",
        "\"\\",
        "]",
        ":",
        "{\"a\"",
        "{\"a\":}",
        "{}{}",
        "nul",
        "é",
        "[é",
    ] {
        check::<Viewer>(text);
        check::<Vec<String>>(text);
        check::<String>(text);
        check::<Option<u64>>(text);
    }
}
