//! The hybrid logical clock that orders events across hubs (`contract: logstream`, HLC text).

/// How far a remote stamp may lie ahead of the local clock and still be absorbed, in milliseconds.
pub const MAX_AHEAD_MS: u64 = 60_000;

const MAX_COUNTER: u32 = 0xff_ffff;

/// A point of the hybrid clock, without the replica that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Milliseconds since 1970.
    pub ms: u64,
    /// Orders stamps within one millisecond.
    pub counter: u32,
}

impl Stamp {
    /// The stamp in `<13-digit ms>-<6 hex counter>-<replica id>`; a malformed text gives `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let (ms, rest) = text.split_once('-')?;
        let (counter, replica) = rest.split_once('-')?;
        let digits = ms.len() == 13 && ms.bytes().all(|b| b.is_ascii_digit());
        let hex = counter.len() == 6 && counter.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !digits || !hex || !crate::id::is_replica_id(replica) {
            return None;
        }
        Some(Self { ms: ms.parse().ok()?, counter: u32::from_str_radix(counter, 16).ok()? })
    }

    /// The text of this stamp as made by a replica.
    pub fn text(self, replica_id: &str) -> String {
        format!("{:013}-{:06x}-{replica_id}", self.ms, self.counter)
    }
}

/// A clock that never goes backwards, whatever the machine's clock does.
#[derive(Debug, Clone)]
pub struct Clock {
    last: Stamp,
}

impl Default for Clock {
    fn default() -> Self {
        Self { last: Stamp { ms: 0, counter: 0 } }
    }
}

impl Clock {
    /// The next stamp, later than every one before it.
    pub fn tick(&mut self, now_ms: u64) -> Stamp {
        self.last = if now_ms > self.last.ms {
            Stamp { ms: now_ms, counter: 0 }
        } else if self.last.counter < MAX_COUNTER {
            Stamp { counter: self.last.counter + 1, ..self.last }
        } else {
            Stamp { ms: self.last.ms + 1, counter: 0 }
        };
        self.last
    }

    /// Makes later stamps follow a remote one. A stamp more than [`MAX_AHEAD_MS`] ahead of the local clock, or malformed, is
    /// ignored: one hub with a wrong clock must not drag the others along.
    pub fn observe(&mut self, stamp: &str, now_ms: u64) {
        if let Some(remote) = Stamp::parse(stamp)
            && remote.ms <= now_ms.saturating_add(MAX_AHEAD_MS)
            && remote > self.last
        {
            self.last = remote;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLICA: &str = "rep_0123456789abcdef0123456789abcdef";

    #[test]
    fn stamps_only_grow_even_when_the_clock_steps_back() {
        let mut clock = Clock::default();
        let mut last = String::new();
        for now in [1_700_000_000_000, 1_700_000_000_000, 1_600_000_000_000, 1_700_000_000_001] {
            let next = clock.tick(now).text(REPLICA);
            assert!(next > last, "{next} after {last}");
            last = next;
        }
    }

    #[test]
    fn a_full_counter_moves_to_the_next_millisecond() {
        let mut clock = Clock { last: Stamp { ms: 5, counter: MAX_COUNTER } };
        assert_eq!(clock.tick(1), Stamp { ms: 6, counter: 0 });
    }

    #[test]
    fn remote_stamps_are_absorbed_within_a_minute_and_ignored_beyond() {
        let now = 1_700_000_000_000;
        let mut clock = Clock::default();
        clock.observe(&Stamp { ms: now + MAX_AHEAD_MS + 1, counter: 0 }.text(REPLICA), now);
        assert_eq!(clock.tick(now).ms, now);
        clock.observe(&Stamp { ms: now + MAX_AHEAD_MS, counter: 9 }.text(REPLICA), now);
        assert_eq!(clock.tick(now), Stamp { ms: now + MAX_AHEAD_MS, counter: 10 });
    }

    #[test]
    fn malformed_stamps_are_no_stamps() {
        let good = Stamp { ms: 1_700_000_000_000, counter: 255 }.text(REPLICA);
        assert_eq!(Stamp::parse(&good), Some(Stamp { ms: 1_700_000_000_000, counter: 255 }));
        for bad in [
            "",
            "x",
            "1700000000000-0000ff",
            &good[1..],
            &good.replace("0000ff", "0000FF"),
            &good.replace("rep_", "rep"),
        ] {
            assert_eq!(Stamp::parse(bad), None, "{bad}");
        }
    }
}
