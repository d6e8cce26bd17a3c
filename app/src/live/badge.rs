//! What the badge may honestly say about the stream. Pure.

use super::{Heartbeat, Link, SILENCE_MS};

/// The state of the stream as a reader understands it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// The page is as it was rendered.
    Snapshot,
    /// No sign of life yet.
    Connecting,
    /// Connected, and signs of life come.
    Live {
        /// The newest event by arrival.
        seq: i64,
        /// How old the last sign is.
        age_ms: u64,
    },
    /// No stream comes about; the page asks now and again.
    Polling {
        /// The newest event by arrival.
        seq: i64,
        /// How old the last answer is.
        age_ms: u64,
    },
    /// The connection broke a moment ago.
    Reconnecting,
    /// The last sign of life is old.
    Stale {
        /// When it came, by the reader's clock.
        since_ms: u64,
    },
    /// Attempts fail, and there has never been a sign of life.
    Unreachable,
    /// The connection is open, yet nothing comes through.
    Silent,
    /// The tab is hidden.
    Paused,
    /// The session is over.
    SignedOut,
}

/// The mood of a connection at a time. `opened_ms` is when it opened, as far as the badge saw.
pub fn mood(link: Link, heartbeat: Option<Heartbeat>, opened_ms: Option<u64>, now_ms: u64) -> Mood {
    let age_ms = heartbeat.map(|beat| now_ms.saturating_sub(beat.at_ms));
    match (link, heartbeat, age_ms) {
        (Link::Snapshot, ..) => Mood::Snapshot,
        (Link::Hidden, ..) => Mood::Paused,
        (Link::SignedOut, ..) => Mood::SignedOut,
        // Between two answers lies an attempt that may be silent for so long.
        (_, Some(beat), Some(age_ms)) if beat.asked && age_ms < 2 * SILENCE_MS => {
            Mood::Polling { seq: beat.seq, age_ms }
        }
        (Link::Open, Some(beat), Some(age_ms)) if age_ms < SILENCE_MS => Mood::Live { seq: beat.seq, age_ms },
        (_, Some(beat), Some(age_ms)) if age_ms >= SILENCE_MS => Mood::Stale { since_ms: beat.at_ms },
        (_, Some(_), _) => Mood::Reconnecting,
        (Link::Waiting, None, _) => Mood::Unreachable,
        (Link::Open, None, _) if opened_ms.is_some_and(|at| now_ms.saturating_sub(at) >= SILENCE_MS / 3) => {
            Mood::Silent
        }
        _ => Mood::Connecting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000;

    #[test]
    fn live_needs_a_recent_heartbeat() {
        let beat = |age_ms| Some(Heartbeat { seq: 7, at_ms: NOW - age_ms, asked: false });
        let check = |link, heartbeat, expected| assert_eq!(mood(link, heartbeat, Some(0), NOW), expected, "{link:?}");
        check(Link::Open, beat(400), Mood::Live { seq: 7, age_ms: 400 });
        check(Link::Open, beat(SILENCE_MS), Mood::Stale { since_ms: NOW - SILENCE_MS });
        check(Link::Open, None, Mood::Silent);
        check(Link::Waiting, beat(400), Mood::Reconnecting);
        check(Link::Waiting, beat(SILENCE_MS), Mood::Stale { since_ms: NOW - SILENCE_MS });
        check(Link::Waiting, None, Mood::Unreachable);
        check(Link::Connecting, None, Mood::Connecting);
        let asked = |age_ms| beat(age_ms).map(|beat| Heartbeat { asked: true, ..beat });
        for link in [Link::Waiting, Link::Connecting, Link::Open] {
            check(link, asked(400), Mood::Polling { seq: 7, age_ms: 400 });
            check(link, asked(2 * SILENCE_MS), Mood::Stale { since_ms: NOW - 2 * SILENCE_MS });
        }
        check(Link::Hidden, asked(400), Mood::Paused);
        check(Link::Hidden, beat(400), Mood::Paused);
        check(Link::Snapshot, None, Mood::Snapshot);
        check(Link::SignedOut, beat(400), Mood::SignedOut);
    }

    #[test]
    fn an_open_connection_is_given_a_moment_before_it_counts_as_silent() {
        assert_eq!(mood(Link::Open, None, Some(NOW - 100), NOW), Mood::Connecting);
        assert_eq!(mood(Link::Open, None, None, NOW), Mood::Connecting);
    }
}
