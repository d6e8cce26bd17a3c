//! What a snapshot becomes by writes, and that no clock brings one back.

use serde_json::json;

use super::*;

fn new(contents: &[&str]) -> NewWrite {
    NewWrite {
        owner: Owner { agent_id: "a".to_owned(), session_id: "s".to_owned(), ..Owner::default() },
        messages: contents.iter().map(|c| Message { role: "user".to_owned(), content: (*c).to_owned() }).collect(),
        active_plan: None,
        temp_variables: Map::new(),
        metadata: Map::new(),
        ttl_s: 60,
    }
}

fn map(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("no object") };
    map
}

#[test]
fn the_window_holds_the_last_twenty() {
    let texts: Vec<String> = (0..25).map(|n| n.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (first, did) = Snapshot::after(None, &new(&texts[..3]), "a".to_owned(), 1000);
    assert_eq!((did, first.text().as_str()), (Did::Write, "user: 0\nuser: 1\nuser: 2"));
    let (second, did) = Snapshot::after(Some(&first), &new(&texts[3..]), "b".to_owned(), 2000);
    assert_eq!((did, second.messages.len()), (Did::Append, WINDOW));
    assert_eq!((second.messages[0].message.content.as_str(), second.messages[0].id.as_str()), ("5", "b-0002"));
}

#[test]
fn it_lives_from_its_first_write_and_not_longer() {
    let (first, _) = Snapshot::after(None, &new(&["x"]), "a".to_owned(), 1000);
    let (second, _) = Snapshot::after(Some(&first), &NewWrite { ttl_s: 9999, ..new(&["y"]) }, "b".to_owned(), 50_000);
    assert_eq!((second.created_at_ms, second.expires_at_ms), (1000, 61_000));
    assert!(second.is_live(60_999) && !second.is_live(61_000));
}

#[test]
fn a_plan_is_replaced_and_variables_are_merged() {
    let mut write = new(&["x"]);
    write.active_plan = Some("one".to_owned());
    write.temp_variables = map(json!({"a": {"deep": 1}, "b": 2}));
    let (first, _) = Snapshot::after(None, &write, "a".to_owned(), 0);
    let mut write = new(&[]);
    write.temp_variables = map(json!({"a": {"other": 1}, "c": 12_345_678_901_234_567_890_u64}));
    let (second, _) = Snapshot::after(Some(&first), &write, "b".to_owned(), 0);
    assert_eq!(second.active_plan.as_deref(), Some("one"));
    let merged = json!({"a": {"other": 1}, "b": 2, "c": 12_345_678_901_234_567_890_u64});
    assert_eq!(Value::Object(second.temp_variables.clone()), merged);
    write.active_plan = Some("two".to_owned());
    assert_eq!(Snapshot::after(Some(&second), &write, "c".to_owned(), 0).0.active_plan.as_deref(), Some("two"));
}

#[test]
fn what_is_merged_has_a_limit_and_a_write_that_merges_nothing_none() {
    let with = |key: &str, bytes: usize| {
        let mut write = new(&["x"]);
        // `{"k":"…"}`: eight more than the text.
        write.temp_variables = map(json!({key: "x".repeat(bytes - 8)}));
        write
    };
    let whole = with("k", MAX_MERGED_BYTES);
    let (snapshot, _) = Snapshot::after(None, &whole, "a".to_owned(), 0);
    assert_eq!(json_bytes(&snapshot.temp_variables), MAX_MERGED_BYTES);
    assert_eq!(snapshot.room(&whole), Ok(()));
    let more = with("l", 9);
    let (over, _) = Snapshot::after(Some(&snapshot), &more, "b".to_owned(), 0);
    let told = over.room(&more).expect_err("too large");
    assert_eq!((told.field, told.max_bytes, told.bytes), ("temp_variables", 1_048_576, 1_048_576 + 8));
    assert!(told.to_string().starts_with("temp_variables must have at most 1048576 bytes"), "{told}");
    assert_eq!(over.room(&new(&["y"])), Ok(()), "it is as large as it was");
    let mut write = new(&[]);
    write.metadata = map(json!({"k": "x".repeat(MAX_MERGED_BYTES)}));
    let (over, _) = Snapshot::after(None, &write, "a".to_owned(), 0);
    assert_eq!(over.room(&write).expect_err("too large").field, "metadata");
    // What replaces takes no more room than what it replaces.
    let (same, _) = Snapshot::after(Some(&snapshot), &whole, "c".to_owned(), 0);
    assert_eq!(same.room(&whole), Ok(()));
}

#[test]
fn it_is_stored_with_its_id_first_and_read_as_it_was() {
    let (snapshot, _) = Snapshot::after(None, &new(&["x\n\u{0}é"]), "0190".to_owned(), 5);
    let text = serde_json::to_string(&snapshot).expect("plain data");
    assert!(text.starts_with(r#"{"event_id":"0190""#), "{text}");
    assert_eq!(serde_json::from_str::<Snapshot>(&text).expect("the same"), snapshot);
}

#[test]
fn no_jump_of_the_clock_turns_time_back() {
    let mut clock = Steady::new(10_000, 0, 500);
    assert_eq!(clock.tick(10_100, 600), 10_100);
    // Set back by an hour: time goes on from where it was.
    assert_eq!(clock.tick(0, 700), 10_200);
    // A machine that slept: its counter did not run, the day did.
    assert_eq!(clock.tick(90_000, 710), 90_000);
    // A jump ahead that is taken back: nothing lives for longer than its time.
    assert_eq!(clock.tick(20_000, 1710), 91_000);
    // What was known when the hub ended is known after it.
    assert_eq!(Steady::new(10_000, 91_000, 0).tick(10_001, 1), 91_001);
}
