//! The events of a correlation brought into the one order across hubs, each once, each with its time. Knows nothing of statuses.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::event::Event;
use crate::timestamp;

/// One event with what its clock and its metadata say, read once.
pub(super) struct Entry<'a> {
    pub(super) event: &'a Event,
    /// See [`super::Step::at_ms`].
    pub(super) at_ms: u64,
    /// See [`super::Step::ack_of`].
    pub(super) ack_of: Option<String>,
    /// See [`super::Step::skew_ms`].
    pub(super) skew_ms: Option<u64>,
    /// See [`super::Step::question`].
    pub(super) question: bool,
    /// See [`super::Step::human`].
    pub(super) human: bool,
    /// When this event says that the task expires, if that can be read.
    pub(super) expires_at_ms: Option<i64>,
}

/// Every event once, in (hlc, id) order.
pub(super) fn entries(events: &[Event]) -> Vec<Entry<'_>> {
    let events = ordered(events);
    let stamps: BTreeMap<&str, u64> = events.iter().filter_map(|e| Some((e.id.as_str(), e.at_ms()?))).collect();
    // A time that cannot be read is that of the step before; at the very start, of the first step that has one.
    let mut at_ms = events.iter().find_map(|e| read_ms(e)).unwrap_or(0);
    let mut entries = Vec::with_capacity(events.len());
    for event in events {
        at_ms = read_ms(event).unwrap_or(at_ms);
        let metadata = metadata(event);
        let ack_of = metadata.get("ack_of").and_then(Value::as_str);
        entries.push(Entry {
            event,
            at_ms,
            ack_of: ack_of.map(str::to_owned),
            skew_ms: ack_of.and_then(|cause_id| skew_ms(*stamps.get(cause_id)?, event.at_ms()?)),
            question: event.event_type.ends_with(".question") || metadata.get("question") == Some(&Value::Bool(true)),
            human: metadata.get("human") == Some(&Value::Bool(true)),
            expires_at_ms: metadata.get("expires_at").and_then(Value::as_str).and_then(timestamp::parse_rfc3339_ms),
        });
    }
    entries
}

/// By how much two clocks differ at least, when an effect is stamped before its cause. Only stamps are compared: `created_at` has
/// whole seconds, which would give false alarms within one.
fn skew_ms(cause_ms: u64, effect_ms: u64) -> Option<u64> {
    cause_ms.checked_sub(effect_ms).filter(|ms| *ms > 0)
}

fn read_ms(event: &Event) -> Option<u64> {
    // Before 1970 there were no agents: such a time is a broken clock, and zero is as good.
    let created_ms = || timestamp::parse_rfc3339_ms(&event.created_at).map(|ms| u64::try_from(ms).unwrap_or(0));
    event.at_ms().or_else(created_ms)
}

/// A text that is no object, which only a peer's or another program's row can hold, says nothing.
fn metadata(event: &Event) -> Map<String, Value> {
    if event.metadata.is_empty() {
        return Map::new();
    }
    serde_json::from_str(event.metadata.text()).unwrap_or_default()
}

fn ordered(events: &[Event]) -> Vec<&Event> {
    let mut once: Vec<&Event> = events.iter().collect();
    once.sort_unstable_by(|a, b| content(a).cmp(&content(b)));
    once.dedup_by(|later, kept| later.id == kept.id);
    once.sort_unstable_by(|a, b| a.order_key().cmp(&b.order_key()));
    once
}

/// Which of two doubles is kept. Normally they differ in nothing, or one holds its whole body and the other a preview: the whole one
/// is better. Should they differ in anything else, the choice must still not depend on which came first, so all fields take part.
fn content(e: &Event) -> impl Ord {
    let place = (&e.stream, &e.room, &e.topic, &e.correlation_id, &e.branch, &e.base_commit);
    let origin = (&e.hlc, &e.created_at, e.seq, &e.origin_replica, e.origin_seq);
    let said = (&e.event_type, &e.from_agent, &e.to_agent, &e.status, &e.artifact_ids, &e.body, e.metadata.text());
    (&e.id, e.body_truncated, origin, place, said, e.body_length)
}
