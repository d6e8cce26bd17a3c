//! What a delegation and its steps show besides the state: names, times, titles, questions.

use super::*;

#[test]
fn the_first_request_says_who_asked_whom_for_what() {
    let body = "Goal:\n\n  Mend the retry \nand more\n\nDefinition of done:\nall green\ntwice\n\nDelivery:\nplease";
    let request = Event {
        to_agent: Some("b".into()),
        branch: Some("fix/retry".into()),
        base_commit: Some("2668053".into()),
        body: body.into(),
        ..event(1, "a", "task.request")
    };
    let second = Event { body: "other".into(), branch: Some("x".into()), ..event(2, "c", "task.request") };
    let note = Event { stream: "project/first".into(), body: "hello".into(), ..event(0, "z", "room.message") };
    let task = fold(&[note, request, second]).expect("events");
    assert_eq!((task.requester.as_str(), task.assignee.as_deref()), ("a", Some("b")));
    assert_eq!((task.branch.as_deref(), task.base_commit.as_deref()), (Some("fix/retry"), Some("2668053")));
    assert_eq!((task.title.as_str(), task.done.as_deref()), ("Mend the retry", Some("all green\ntwice")));
    assert_eq!(task.stream, "project/first");
    assert_eq!(task.agents, ["z", "a", "c"]);
    assert_eq!(task.steps[1].line, "Mend the retry");
}

#[test]
fn without_a_request_the_first_event_stands_in() {
    let first = Event { to_agent: Some("*".into()), branch: Some("main".into()), ..event(0, "a", "room.message") };
    let second = Event { body: " \n second ".into(), ..event(1, "b", "room.message") };
    let task = fold(&[second, first]).expect("events");
    assert_eq!((task.requester.as_str(), task.assignee.as_deref()), ("a", Some("*")));
    assert_eq!((task.branch.as_deref(), task.done), (Some("main"), None));
    assert_eq!(task.title, "second");
}

#[test]
fn a_request_without_words_takes_its_title_elsewhere() {
    let mut events = story("a:ask b:says");
    events[1].body = "on it".into();
    assert_eq!(fold(&events).expect("events").title, "on it");
    assert_eq!(told("a:ask b:says").title, "task_x_00000001");
}

#[test]
fn lines_are_cut_at_characters() {
    let mut events = story("a:ask");
    events[0].body = "é".repeat(300);
    let task = fold(&events).expect("events");
    assert_eq!(task.title, "é".repeat(LINE_CHARS));
    assert_eq!(task.steps[0].line, "é".repeat(LINE_CHARS));
}

#[test]
fn the_correlation_is_named_by_the_acks_or_by_the_event_they_acknowledge() {
    let mut events = story("a:says b:claimed");
    events[0].correlation_id = None;
    events[1].correlation_id = Some(events[0].id.clone());
    assert_eq!(fold(&events).expect("events").correlation_id, events[0].id);
    assert_eq!(fold(&events[..1]).expect("events").correlation_id, events[0].id);
}

#[test]
fn agents_and_artifacts_are_listed_once_in_order_of_appearance() {
    let mut events = story("z:ask b:says z:says a:says");
    events[1].artifact_ids = vec!["art_2".into(), "art_1".into()];
    events[3].artifact_ids = vec!["art_1".into(), "art_0".into()];
    let task = fold(&events).expect("events");
    assert_eq!(task.agents, ["z", "b", "a"]);
    assert_eq!(task.artifact_ids, ["art_2", "art_1", "art_0"]);
    assert_eq!(task.steps[3].artifact_ids, ["art_1", "art_0"]);
}

#[test]
fn doubles_count_once_and_the_whole_body_beats_its_preview() {
    let whole = Event { body: "x".repeat(500), ..event(0, "a", "task.request") };
    let mut cut = whole.clone();
    cut.preview();
    let done = "Goal:\ng\n\nDefinition of done:\nd\n\nDelivery:\n";
    let (short, long) = (Event { body: done.into(), body_truncated: true, ..whole.clone() }, whole.clone());
    assert_eq!(fold(&[cut.clone(), whole.clone(), cut.clone()]), fold(std::slice::from_ref(&whole)));
    assert_eq!(fold(&[short, long]).expect("events").done, None);
    // A double whose stamp differs stands apart in the order, and is still one event.
    let moved = Event { hlc: Some("zzz".into()), ..whole.clone() };
    assert_eq!(fold(&[whole, event(1, "b", "status"), moved]).expect("events").steps.len(), 2);
}

#[test]
fn steps_tell_the_time_since_the_one_before() {
    let mut events = story("a:ask b:claimed b:ready");
    events[1].hlc = Some(Stamp { ms: START_MS + 400, counter: 0 }.text(REPLICA));
    let steps = fold(&events).expect("events").steps;
    assert_eq!(steps.iter().map(|s| s.after_ms).collect::<Vec<_>>(), [None, Some(400), Some(2 * MINUTE_MS - 400)]);
}

#[test]
fn a_malformed_stamp_is_replaced_by_created_at() {
    for broken in
        [None, Some(""), Some("x"), Some("1796047200000-000000"), Some("1796047200000-00000g-rep_0123456789ab")]
    {
        let mut events = story("a:ask b:claimed");
        events[1].hlc = broken.map(str::to_owned);
        let task = fold(&events).expect("events");
        let step = task.steps.iter().find(|s| s.from_agent == "b").expect("kept");
        assert_eq!(step.at_ms, START_MS + MINUTE_MS, "{broken:?}");
        assert_eq!(task.last_at_ms, START_MS + MINUTE_MS, "{broken:?}");
    }
}

#[test]
fn order_follows_the_text_of_the_stamp_and_durations_never_turn_negative() {
    // No stamp sorts before every stamp, a foreign text by its letters: all hubs agree, whatever it means.
    let mut events = story("a:ask b:claimed c:says");
    events[1].hlc = Some("zzz".into());
    let task = fold(&events).expect("events");
    assert_eq!(task.steps.iter().map(|s| s.from_agent.as_str()).collect::<String>(), "acb");
    assert_eq!(task.steps[2].after_ms, Some(0));
    assert_eq!(task.last_at_ms, START_MS + 2 * MINUTE_MS, "the latest time, not that of the last step");
}

#[test]
fn a_time_that_cannot_be_read_is_that_of_the_step_before() {
    let unreadable = |minute: u64, hlc: &str| Event {
        hlc: Some(hlc.into()),
        created_at: "yesterday".into(),
        ..event(minute, "b", "status")
    };
    let times = |events: &[Event]| fold(events).expect("events").steps.iter().map(|s| s.at_ms).collect::<Vec<_>>();
    let good = [event(1, "a", "task.request"), event(2, "a", "status")].map(|e| (e.at_ms().expect("stamped"), e));
    let [(first_ms, first), (second_ms, second)] = good;
    assert_eq!(times(&[unreadable(0, ""), first.clone(), second.clone()]), [first_ms, first_ms, second_ms]);
    assert_eq!(times(&[first, second, unreadable(3, "z")]), [first_ms, second_ms, second_ms]);
    assert_eq!(times(&[unreadable(0, "")]), [0]);
    let ancient = Event { created_at: "0001-01-01T00:00:00Z".into(), ..unreadable(0, "") };
    assert_eq!(times(&[ancient]), [0]);
}

#[test]
fn an_effect_stamped_before_its_cause_shows_by_how_much_clocks_differ() {
    #[track_caller]
    fn check(cause: Option<Stamp>, effect: Option<Stamp>, expected: Option<u64>) {
        let mut events = story("a:ask b:claimed");
        events[0].hlc = cause.map(|s| s.text(REPLICA));
        events[1].hlc = effect.map(|s| s.text(REPLICA));
        events[1].metadata = Metadata::ack_of(&events[0].id);
        let task = fold(&events).expect("events");
        let ack = task.steps.iter().find(|s| s.ack_of.is_some()).expect("the ack");
        assert_eq!((ack.skew_ms, ack.ack_of.as_ref()), (expected, Some(&events[0].id)));
        assert!(task.steps.iter().filter(|s| s.ack_of.is_none()).all(|s| s.skew_ms.is_none()));
    }
    let at = |ms: u64| Some(Stamp { ms: START_MS + ms, counter: 0 });
    check(at(90_000), at(0), Some(90_000));
    check(at(1), at(0), Some(1));
    check(at(0), at(0), None);
    check(at(0), at(90_000), None);
    check(None, at(0), None);
    check(at(90_000), None, None);
}

#[test]
fn acknowledging_what_is_not_here_or_oneself_is_no_contradiction() {
    let mut events = story("a:ask b:claimed");
    for target in [events[1].id.clone(), "evt_unknown".to_owned()] {
        events[1].metadata = Metadata::ack_of(&target);
        let step = &fold(&events).expect("events").steps[1];
        assert_eq!((step.ack_of.as_deref(), step.skew_ms), (Some(target.as_str()), None));
    }
    events[1].metadata = metadata(json!({"ack_of": 5}));
    assert_eq!(fold(&events).expect("events").steps[1].ack_of, None);
}

#[test]
fn a_question_is_open_until_another_agent_writes_or_the_asker_ends_the_matter() {
    #[track_caller]
    fn check(words: &str, expected: bool) {
        assert_eq!(told(words).open_question, expected, "{words}");
    }
    check("a:ask", false);
    check("a:ask b:claimed b:asks", true);
    check("a:ask b:claimed b:asks b:says b:ready", true);
    check("a:ask b:asks a:says", false);
    check("a:ask b:asks c:says", false);
    check("a:ask b:asks a:asks", true);
    check("a:ask b:asks a:asks b:says", false);
    check("a:ask b:asks a:says b:says", false);
    check("a:ask b:claimed c:claimed c:asks", true);
    check("a:ask b:ready a:asks a:applied", false);
    check("a:ask b:ready a:applied a:asks", true);
}

#[test]
fn a_question_is_told_by_its_type_or_its_metadata() {
    #[track_caller]
    fn check(event_type: &str, value: Value, expected: bool) {
        let asked = Event { metadata: metadata(value), ..event(0, "a", event_type) };
        let task = fold(&[asked]).expect("events");
        assert_eq!((task.steps[0].question, task.open_question), (expected, expected), "{event_type}");
    }
    check("task.question", json!({}), true);
    check("task.question", json!({"question": false}), true);
    check("room.message", json!({"question": true}), true);
    for no in [json!(false), json!("true"), json!(1), json!(null)] {
        check("room.message", json!({"question": no}), false);
    }
    for no in ["question", "task.questions", "task.question.note", "taskquestion"] {
        check(no, json!({}), false);
    }
}

#[test]
fn the_newest_readable_expiry_counts() {
    #[track_caller]
    fn check(words: &str, expiries: &[Value], expected: Option<&str>) {
        let mut events = story(words);
        for (event, value) in events.iter_mut().zip(expiries) {
            event.metadata = metadata(json!({"expires_at": value}));
        }
        let expected = expected.map(|t| timestamp::parse_rfc3339_ms(t).expect("RFC 3339"));
        assert_eq!(fold(&events).expect("events").expires_at_ms, expected, "{words} {expiries:?}");
    }
    let (noon, one) = ("2026-11-30T12:00:00Z", "2026-11-30T14:00:00.5+01:00");
    check("a:ask", &[], None);
    check("a:ask b:says", &[json!(noon)], Some(noon));
    check("a:ask b:says", &[json!(noon), json!(one)], Some(one));
    check("a:ask b:says", &[json!(one), json!(noon)], Some(noon));
    for unreadable in [json!(null), json!("soon"), json!("2026-11-30"), json!(1_796_000_000), json!([noon])] {
        check("a:ask b:says", &[json!(noon), unreadable], Some(noon));
    }
    check("a:ask b:claimed c:claimed", &[json!(noon), json!(noon), json!(one)], Some(noon));
}

#[test]
fn what_is_not_final_expires_when_its_time_has_come() {
    let at_ms = START_MS + 3_600_000;
    let expires_at = timestamp::created_at_ms(at_ms).expect("in range");
    for status in Status::ALL {
        let mut events = story(&format!("a:request b:{status}"));
        events[0].metadata = metadata(json!({"expires_at": expires_at}));
        let task = fold(&events).expect("events");
        assert!(!task.is_expired(at_ms - 1));
        assert_eq!(task.is_expired(at_ms), !status.is_final(), "{status}");
        assert!(task.needs_someone(at_ms, u64::MAX) || status.is_final());
    }
    assert!(!told("a:ask").is_expired(u64::MAX));
    let before_1970 =
        Event { metadata: metadata(json!({"expires_at": "1960-01-01T00:00:00Z"})), ..event(0, "a", "status") };
    assert!(fold(&[before_1970]).expect("events").is_expired(0));
}

#[test]
fn metadata_that_is_no_object_says_nothing() {
    let odd: Metadata = serde_json::from_str("[1]").expect("JSON");
    let task = fold(&[Event { metadata: odd, ..event(0, "a", "task.request") }]).expect("events");
    assert_eq!((task.expires_at_ms, task.open_question, task.steps[0].ack_of.as_deref()), (None, false, None));
}

#[test]
fn what_is_missing_is_said_in_words() {
    #[track_caller]
    fn check(words: &str, expected: &[&str]) {
        let said = super::super::gaps::missing(&told(words));
        assert_eq!(said.len(), expected.len(), "{words}: {said:?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.contains(expected), "{words}: {said}");
        }
    }
    check("a:ask", &["a claim"]);
    check("a:ask b:claimed", &["a result"]);
    check("a:ask b:ready", &["Nobody claimed", "No artifact", "applies the result"]);
    check("a:ask b:claimed a:applied", &["that a result is ready", "No artifact"]);
    check("b:blocked", &["no request", "No reason", "an answer"]);
    check("a:ask b:claimed a:superseded", &[]);
    check("a:says b:says", &["Nothing is delegated"]);
}

#[test]
fn a_step_knows_whether_a_person_marked_it() {
    let mut events = story("a:ask b:says c:says");
    events[1].metadata = metadata(json!({"human": true}));
    events[2].metadata = metadata(json!({"human": "yes"}));
    let told = fold(&events).expect("events");
    assert_eq!(told.steps.iter().map(|s| s.human).collect::<Vec<_>>(), [false, true, false]);
}
