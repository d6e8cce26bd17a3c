//! Tests of the lanes' layout: places in time order, pending parts, crowded labels.

use loggia_domain::Event;
use loggia_domain::delegation::fold;

use super::*;

const STALLED_MS: u64 = 30 * 60_000;

const T0: u64 = 1_796_047_212_000;

fn event(n: u64, at_s: u64, from: &str, kind: &str, status: Option<&str>, ack_of: Option<u64>) -> Event {
    let id = |n: u64| format!("evt_{n}");
    let metadata = ack_of.map_or(serde_json::json!({}), |n| serde_json::json!({ "ack_of": id(n) }));
    serde_json::from_value(serde_json::json!({
        "id": id(n), "seq": n, "origin_replica": "rep_0123456789ab", "origin_seq": n,
        "hlc": format!("{:013}-000000-rep_0123456789ab", T0 + at_s * 1000), "type": kind, "stream": "s", "room": "r", "topic": null,
        "from_agent": from, "to_agent": "win", "correlation_id": "task_x", "branch": null, "base_commit": null, "status": status,
        "artifact_ids": [], "body": "text", "created_at": "2026-11-30T14:00:12Z", "metadata": metadata
    }))
    .expect("an event")
}

fn ready() -> Delegation {
    fold(&[
        event(1, 0, "mac", "task.request", Some("open"), None),
        event(2, 171, "win", "event.ack", Some("claimed"), Some(1)),
        event(3, 172, "lab", "event.ack", Some("claimed"), Some(1)),
        event(4, 1255, "win", "patch.ready", Some("ready"), None),
    ])
    .expect("events")
}

#[test]
fn each_agent_has_a_lane_and_each_step_a_dot_in_order() {
    let picture = picture(&ready(), T0 + 1_600_000, STALLED_MS);
    assert_eq!(picture.lanes.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["mac", "win", "lab"]);
    let labels: Vec<&str> = picture.dots.iter().map(|d| d.label.as_str()).collect();
    assert_eq!(labels, ["request", "claimed", "claim lost", "patch.ready"]);
    assert!(picture.dots.windows(2).all(|pair| pair[1].x - pair[0].x >= STEP_WIDTH), "room for every label");
    assert_eq!(picture.dots[0].below, Below::At(T0));
    assert_eq!(picture.dots[3].below, Below::Text("+18 min 03 s".to_owned()));
    assert!(picture.dots[2].class == "lost");
}

#[test]
fn what_is_waited_for_stands_at_the_right_end_and_grows() {
    let at = |now_ms| picture(&ready(), now_ms, STALLED_MS).pending.expect("ready waits");
    let pending = at(T0 + 1_600_000);
    assert_eq!((pending.label, pending.for_ms), ("waiting to be applied", 345_000));
    assert_eq!(at(T0 + 1_601_000).for_ms, 346_000);
    let picture = picture(&ready(), T0 + 1_600_000, STALLED_MS);
    assert_eq!(pending.x, picture.width - RIGHT_MARGIN);
    let (dots, links) = (&picture.dots, &picture.links);
    let from_to: Vec<(i32, i32)> = links.iter().map(|link| (link.from.0, link.to.0)).collect();
    assert_eq!(
        from_to,
        [(dots[0].x, dots[1].x), (dots[0].x, dots[2].x), (dots[3].x, pending.x)],
        "the patch follows from its author's own claim, in one lane, and not from the claim that lost"
    );
}

#[test]
fn who_has_claimed_goes_on_from_there_though_the_request_is_what_it_acknowledges() {
    let events = [
        event(1, 0, "mac", "task.request", Some("open"), None),
        event(2, 5, "win", "event.ack", Some("claimed"), Some(1)),
        event(3, 9, "win", "event.ack", Some("ready"), Some(1)),
        event(4, 12, "mac", "event.ack", Some("applied"), Some(3)),
    ];
    let picture = picture(&fold(&events).expect("events"), T0 + 60_000, STALLED_MS);
    let from_to: Vec<(i32, i32)> = picture.links.iter().map(|link| (link.from.0, link.to.0)).collect();
    let x = |at: usize| picture.dots[at].x;
    assert_eq!(from_to, [(x(0), x(1)), (x(2), x(3))]);
}

#[test]
fn work_is_a_bar_from_the_claim_to_the_patch() {
    let picture = picture(&ready(), T0 + 1_600_000, STALLED_MS);
    assert_eq!(picture.bars.len(), 1);
    assert_eq!((picture.bars[0].from_x, picture.bars[0].to_x), (picture.dots[1].x, picture.dots[3].x));
}

#[test]
fn a_finished_task_waits_for_nobody() {
    let mut events = vec![event(1, 0, "mac", "task.request", Some("open"), None)];
    events.push(event(2, 5, "mac", "event.ack", Some("applied"), Some(1)));
    let picture = picture(&fold(&events).expect("events"), T0 + 9_000_000, STALLED_MS);
    assert_eq!(picture.pending, None);
    assert_eq!(picture.lanes.len(), 1);
}

#[test]
fn somebody_who_was_asked_and_said_nothing_has_a_lane() {
    let picture = picture(
        &fold(&[event(1, 0, "mac", "task.request", Some("open"), None)]).expect("one"),
        T0 + 60_000,
        STALLED_MS,
    );
    assert_eq!(picture.lanes.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["mac", "win"]);
    assert_eq!(picture.pending.expect("open waits").label, "waiting for a claim");
}

#[test]
fn a_clock_behind_ours_makes_nothing_run_backwards() {
    let picture = picture(&ready(), T0, STALLED_MS);
    let xs: Vec<i32> = picture.dots.iter().map(|d| d.x).chain(picture.pending.iter().map(|p| p.x)).collect();
    assert!(xs.windows(2).all(|pair| pair[0] < pair[1]), "{xs:?}");
}

#[test]
fn a_very_long_story_shows_its_end() {
    let events: Vec<Event> = (0..100).map(|n| event(n, n, "mac", "status", None, None)).collect();
    let picture = picture(&fold(&events).expect("events"), T0 + 200_000, STALLED_MS);
    assert_eq!((picture.dots.len(), picture.left_out), (MAX_STEPS, 60));
    assert_eq!(picture.dots[MAX_STEPS - 1].event_id, "evt_99");
}
