//! Properties: the story does not depend on the order of arrival, nor on doubles, and it is never cut short.

use std::collections::BTreeSet;

use super::super::course::said;
use super::*;

const AGENTS: [&str; 4] = ["a", "b", "c", "d"];

/// A small deterministic source of numbers, so that a failure can be repeated by its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        // Marsaglia's xorshift with 64 bits.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("below a usize")
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Any events at all: every status, races, clocks that run backwards or are broken, acknowledgements, questions.
fn anything(dice: &mut Dice) -> Vec<Event> {
    let statuses = Status::ALL.map(|s| Some(s.as_str())).into_iter().chain([None, Some("whatever"), Some("")]);
    // More claims than chance would give, so that races are common.
    let statuses = statuses.chain([Some("claimed"); 6]);
    let statuses: Vec<Option<&str>> = statuses.collect();
    let count = 1 + dice.below(12);
    let mut events: Vec<Event> = Vec::new();
    for minute in 0..count {
        let event_type =
            dice.pick(&["task.request", "event.ack", "event.ack", "patch.ready", "task.question", "x.note"]);
        let mut e = event(minute as u64, dice.pick(&AGENTS), event_type);
        e.status = dice.pick(&statuses).map(str::to_owned);
        // Few milliseconds and counters, so that stamps collide often.
        let stamp = Stamp { ms: START_MS + dice.below(4) as u64, counter: u32::from(dice.below(2) == 1) };
        e.hlc = match dice.below(12) {
            0 => None,
            1 => Some("broken".into()),
            _ => Some(stamp.text(REPLICA)),
        };
        if dice.below(12) == 0 {
            e.created_at = "never".into();
        }
        e.metadata = match dice.below(4) {
            0 => Metadata::ack_of(&format!("evt_20261130T140000_{:012x}", dice.below(count))),
            1 => metadata(json!({"expires_at": format!("2026-11-30T14:00:0{}Z", dice.below(10))})),
            _ => Metadata::empty(),
        };
        e.body = dice.pick(&["", "one\ntwo", " \n"]).to_owned();
        e.artifact_ids = (0..dice.below(3)).map(|_| format!("art_{}", dice.below(3))).collect();
        events.push(e);
    }
    events
}

fn each_case(mut property: impl FnMut(&mut Dice, Vec<Event>, &Delegation)) {
    for seed in 1..=3_000_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let events = anything(&mut dice);
        let task = fold(&events).expect("at least one event");
        property(&mut dice, events, &task);
    }
}

/// Calls `visit` with every order of the items.
fn permutations<T>(items: &mut [T], fixed: usize, visit: &mut impl FnMut(&[T])) {
    if fixed == items.len() {
        return visit(items);
    }
    for i in fixed..items.len() {
        items.swap(fixed, i);
        permutations(items, fixed + 1, visit);
        items.swap(fixed, i);
    }
}

#[test]
fn every_permutation_of_a_story_tells_the_same() {
    for words in [
        "a:ask b:claimed c:claimed b:superseded c:claimed c:ready",
        "a:ask b:claimed c:claimed c:superseded b:ready a:applied",
        "a:ask b:claimed b:failed a:open c:claimed b:claimed",
        "a:ask b:asks a:says b:claimed b:blocked b:asks",
        "b:claimed a:ask c:open b:whatever a:superseded d:claimed",
    ] {
        let mut events = story(words);
        let expected = fold(&events);
        permutations(&mut events, 0, &mut |arrived| assert_eq!(fold(arrived), expected, "{words}"));
    }
}

#[test]
fn any_events_in_any_order_with_doubles_tell_the_same() {
    each_case(|dice, mut events, task| {
        for _ in 0..4 {
            let double = events[dice.below(events.len())].clone();
            events.push(double);
            dice.shuffle(&mut events);
            assert_eq!(fold(&events).as_ref(), Some(task));
        }
    });
}

#[test]
fn doubles_that_contradict_each_other_still_do_not_depend_on_the_order() {
    each_case(|dice, mut events, _| {
        for _ in 0..3 {
            let mut double = events[dice.below(events.len())].clone();
            match dice.below(5) {
                0 => double.hlc = Some(Stamp { ms: START_MS + 2, counter: 7 }.text(REPLICA)),
                1 => double.status = Some("ready".into()),
                2 => double.seq += 100,
                3 => double.metadata = metadata(json!({"question": true})),
                _ => double.preview(),
            }
            events.push(double);
        }
        let expected = fold(&events);
        dice.shuffle(&mut events);
        assert_eq!(fold(&events), expected);
    });
}

#[test]
fn every_event_is_a_step_in_its_place() {
    each_case(|_, mut events, task| {
        events.sort_by(|a, b| a.order_key().cmp(&b.order_key()));
        let ids: Vec<&str> = events.iter().map(|e| e.id.as_str()).collect();
        assert_eq!(task.steps.iter().map(|s| s.event_id.as_str()).collect::<Vec<_>>(), ids);
        for (before, after) in task.steps.iter().zip(task.steps.iter().skip(1)) {
            assert_eq!(after.after_ms, Some(after.at_ms.saturating_sub(before.at_ms)));
        }
    });
}

#[test]
fn the_parts_of_a_story_agree_with_each_other() {
    each_case(|_, events, task| {
        assert_eq!(task.state == State::Other, events.iter().all(|e| said(e).is_none()));
        assert_eq!(task.pending_since_ms.is_none(), task.state.is_final());
        assert_eq!(Some(task.last_at_ms), task.steps.iter().map(|s| s.at_ms).max());
        let losers: BTreeSet<&String> = task.lost_claims.iter().collect();
        assert_eq!(losers.len(), task.lost_claims.len());
        assert!(task.claimant.as_ref().is_none_or(|winner| !losers.contains(winner)));
        assert!(task.claimant.is_some() || losers.is_empty());
        assert!(task.unsettled_claims.iter().all(|agent| losers.contains(agent)));
        assert!(task.reason.is_none() || task.needs_someone(0, u64::MAX));
    });
}

#[test]
fn without_what_losers_said_the_task_stands_where_it_stands() {
    let mut races = 0;
    each_case(|_, events, task| {
        races += usize::from(!task.lost_claims.is_empty());
        let void: BTreeSet<&str> = task.steps.iter().filter(|s| s.lost_race).map(|s| s.event_id.as_str()).collect();
        let mute = |e: Event| {
            if void.contains(e.id.as_str()) { Event { status: Some("muted".into()), ..e } } else { e }
        };
        let muted = fold(&events.into_iter().map(mute).collect::<Vec<_>>()).expect("events");
        assert_eq!((muted.state, muted.claimant), (task.state, task.claimant.clone()));
        assert_eq!(muted.pending_since_ms, task.pending_since_ms);
        assert!(muted.lost_claims.is_empty());
    });
    assert!(races > 300, "the dice hardly ever made a race: {races}");
}

#[test]
fn without_claims_the_state_is_the_last_status_since_the_last_end() {
    each_case(|_, mut events, _| {
        events.retain(|e| said(e) != Some(Status::Claimed));
        events.sort_by(|a, b| a.order_key().cmp(&b.order_key()));
        let expected = events
            .iter()
            .filter_map(said)
            .reduce(|state, status| if state.is_final() && status != Status::Open { state } else { status });
        if let Some(task) = fold(&events) {
            assert_eq!(task.state, expected.map_or(State::Other, State::from));
        }
    });
}

#[test]
fn a_story_survives_the_wire() {
    each_case(|_, _, task| {
        let text = serde_json::to_string(task).expect("plain data");
        assert_eq!(serde_json::from_str::<Delegation>(&text).expect("plain data"), *task);
    });
}
