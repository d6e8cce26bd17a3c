//! A palace that is imported a second time, or goes on where it was interrupted.

use serde_json::{Value, json};

use super::theirs::Theirs;
use super::{answer, content, done, filled, import, refused, taken};
use crate::hub::Hub;
use crate::outsider;
use crate::place::Place;

const TRIED: &str = "CREATE TRIGGER stop BEFORE INSERT ON drawers WHEN new.drawer_id = 'drawer_w_r_700'
    BEGIN SELECT RAISE(ABORT, 'stopped by the test'); END";

#[test]
fn again_it_takes_what_is_new_and_changes_nothing_that_is_here() {
    let place = Place::new();
    let theirs = filled(&place);
    done(&import(&place, &theirs.palace, &[]));
    let hub = Hub::builder().at(&place).start();
    hub.call("mempalace_update_drawer", json!({"drawer_id": "drawer_w_r_a", "content": "ours now"}));
    drop(hub);
    theirs.open().row("drawer_new", "new", &json!({"wing": "w", "room": "r"}));
    let report = done(&import(&place, &theirs.palace, &["--only", "palace"]));
    assert_eq!(report["drawers"], json!({"taken": 1, "already_here": 4}));
    assert_eq!(report["diary_entries"], json!({"taken": 0, "already_here": 2}));
    assert_eq!(report["facts"], json!({"taken": 0, "already_here": 3}));
    assert_eq!(report["tunnels"], json!({"taken": 0, "already_here": 1}));
    let kept = json!({
        "what": "drawers", "reason": "the same id is here with another text, which stays", "count": 1, "examples": ["drawer_w_r_a"],
    });
    assert!(report["skipped"].as_array().expect("a list").contains(&kept), "{report}");
    let hub = Hub::builder().at(&place).start();
    assert_eq!(content(&hub, "drawer_w_r_a"), "ours now");
    assert_eq!(hub.call("mempalace_list_drawers", json!({}))["total"], 8);
}

#[test]
fn a_fact_that_was_ended_meanwhile_is_told_and_stays_as_it_is_here() {
    let place = Place::new();
    let theirs = filled(&place);
    done(&import(&place, &theirs.palace, &[]));
    let facts = outsider::open(&theirs.palace.join("knowledge_graph.sqlite3"));
    facts.execute_batch("UPDATE triples SET valid_to = '2026-05-01' WHERE id = 't_3'").expect("it is SQL");
    let report = done(&import(&place, &theirs.palace, &["--only", "palace"]));
    assert_eq!(report["facts"], json!({"taken": 0, "already_here": 2}));
    let kept = json!({
        "what": "facts", "reason": "the same id is here with other words or dates, which stay", "count": 1, "examples": ["t_3"],
    });
    assert!(report["skipped"].as_array().expect("a list").contains(&kept), "{report}");
    let ours = outsider::open(&place.palace().join("palace.sqlite3"));
    let end: Option<String> =
        ours.query_row("SELECT valid_to FROM triples WHERE id = 't_3'", [], |r| r.get(0)).expect("it is here");
    assert_eq!(end, None);
}

#[test]
fn an_interrupted_import_goes_on_and_doubles_nothing() {
    let place = Place::new();
    // Any import makes our file, so that the test can put its obstacle into it.
    let small = Theirs::new(&place, "small");
    small.chroma("mempalace_drawers").row("drawer_small", "x", &json!({"wing": "s", "room": "r"}));
    done(&import(&place, &small.palace, &["--only", "palace"]));
    let ours = outsider::open(&place.palace().join("palace.sqlite3"));
    ours.execute_batch(TRIED).expect("it is SQL");

    let theirs = Theirs::new(&place, "theirs");
    let chroma = theirs.chroma("mempalace_drawers");
    for n in 0..1000 {
        let id = format!("drawer_w_r_{n:03}");
        chroma.row(
            &id,
            &format!("text {n}"),
            &json!({"wing": "w", "room": "r", "filed_at": "2026-03-01T00:00:00.000001"}),
        );
    }
    theirs.log();
    let error = refused(&place, &import(&place, &theirs.palace, &[]));
    assert!(error.contains("stopped by the test"), "{error}");
    let count = |sql: &str| -> i64 { ours.query_row(sql, [], |r| r.get(0)).expect("counted") };
    let before = count("SELECT count(*) FROM drawers WHERE wing = 'w'");
    assert!(before > 0 && before < 1000, "whole batches stay: {before}");

    ours.execute_batch("DROP TRIGGER stop").expect("it is SQL");
    let output = import(&place, &theirs.palace, &[]);
    let report = done(&output);
    assert_eq!(answer(&output)["logstream"], Value::Null, "the log was taken before");
    assert_eq!((&report["resumed"], &report["drawers"]), (&json!(true), &taken(1000)));
    assert_eq!(count("SELECT count(*) FROM drawers WHERE wing = 'w' AND is_head = 1"), 1000);
    assert_eq!(count("SELECT count(*) FROM unembedded"), 1001, "vectors are made later");

    // It has come to its end; what follows is another import, and the log is never taken twice.
    let error = refused(&place, &import(&place, &theirs.palace, &[]));
    assert!(error.contains("never overwritten"), "{error}");
    let hint = answer(&import(&place, &theirs.palace, &[]))["hint"].clone();
    assert!(hint.as_str().is_some_and(|hint| hint.contains("--only palace")), "{hint}");
}
