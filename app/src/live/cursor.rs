//! Where a reader of the stream stands, the address that continues from there, and the pause before the next attempt. Pure.
#![cfg_attr(not(any(feature = "hydrate", test)), expect(dead_code, reason = "only a browser follows the stream"))]

use std::collections::{HashSet, VecDeque};

use loggia_domain::{Column, Filter};

use crate::href;

/// Where to continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cursor {
    /// With what arrived after this event.
    After(String),
    /// With the first event of the log: the page showed an empty one.
    Start,
    /// With whatever comes from now on.
    Tip,
}

impl Cursor {
    /// Continues where an answer ended.
    pub fn after(tip: Option<&crate::backend::Tip>) -> Self {
        tip.map_or(Self::Start, |tip| Self::After(tip.id.clone()))
    }
}

/// A type that no event has, for a page that wants heartbeats only.
const NO_SUCH_TYPE: &str = "loggia.heartbeats-only";

/// The address of the stream under a filter, from a cursor on.
pub(super) fn stream_url(filter: &Filter, cursor: &Cursor) -> String {
    let mut pairs = filter.pairs();
    match cursor {
        Cursor::After(id) => pairs.push(("since_event_id".to_owned(), id.clone())),
        Cursor::Start => pairs.push(("from".to_owned(), "start".to_owned())),
        Cursor::Tip => {}
    }
    let query = href::query(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    if query.is_empty() { "/logstream/stream".to_owned() } else { format!("/logstream/stream?{query}") }
}

/// The address of a stream of heartbeats.
pub(super) fn heartbeats_url() -> String {
    stream_url(&Filter::default().with(Column::Type, NO_SUCH_TYPE), &Cursor::Tip)
}

/// How long to wait before attempt number `attempt` (from 1), in ms: doubling from half a second to 15 s, of which a random half is
/// taken off so that many tabs do not return at once. `random` lies in 0..1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 15 000, never negative")]
pub(super) fn backoff_ms(attempt: u32, random: f64) -> u64 {
    let full = f64::from(500 * 2_u32.pow(attempt.clamp(1, 6) - 1)).min(15_000.0);
    (full * (1.0 - random.clamp(0.0, 1.0) / 2.0)) as u64
}

/// The ids that have already been handed over, as many as could come twice.
#[derive(Debug, Default)]
pub(super) struct Seen {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    const KEPT: usize = 4096;

    /// Whether an id is new.
    pub(super) fn is_new(&mut self, id: &str) -> bool {
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > Self::KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_continues_from_the_cursor() {
        let filter = Filter::default().with(Column::Stream, "project/a b");
        for (cursor, expected) in [
            (Cursor::After("evt_1".to_owned()), "/logstream/stream?stream=project%2Fa%20b&since_event_id=evt_1"),
            (Cursor::Start, "/logstream/stream?stream=project%2Fa%20b&from=start"),
            (Cursor::Tip, "/logstream/stream?stream=project%2Fa%20b"),
        ] {
            assert_eq!(stream_url(&filter, &cursor), expected);
        }
        assert_eq!(stream_url(&Filter::default(), &Cursor::Tip), "/logstream/stream");
        assert_eq!(heartbeats_url(), "/logstream/stream?type=loggia.heartbeats-only");
    }

    #[test]
    fn nobody_is_kept_waiting_longer_than_a_quarter_minute() {
        assert_eq!((backoff_ms(1, 0.0), backoff_ms(1, 1.0)), (500, 250));
        assert_eq!(backoff_ms(3, 0.0), 2000);
        assert_eq!(backoff_ms(60, 0.0), 15_000);
        assert_eq!(backoff_ms(0, 0.0), 500);
    }

    #[test]
    fn an_id_is_new_once() {
        let mut seen = Seen::default();
        assert!(seen.is_new("a"));
        assert!(!seen.is_new("a"));
        for i in 0..Seen::KEPT {
            assert!(seen.is_new(&i.to_string()));
        }
        assert_eq!((seen.ids.len(), seen.order.len()), (Seen::KEPT, Seen::KEPT));
    }
}
