//! The hub's local time, which drawers and diaries are stamped with: naive, to the microsecond, as agents know it.
//!
//! The zone comes from SQLite, which asks the system: it is the one way to the local time that a program with threads may use
//! without reading the environment itself.

use rusqlite::Connection;
use time::{Duration, OffsetDateTime};

use super::PalaceError;

/// When a write happens. No two writes of one process share a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// In UTC.
    pub utc: OffsetDateTime,
    local: OffsetDateTime,
}

impl Moment {
    /// `YYYY-MM-DDTHH:MM:SS.ffffff`, local time without a zone.
    pub fn local_iso(self) -> String {
        iso(self.local)
    }

    /// `YYYY-MM-DD`, the local day.
    pub fn local_date(self) -> String {
        iso(self.local)[..10].to_owned()
    }

    /// `YYYYMMDD_HHMMSSffffff`, local time, for ids.
    pub fn stamp(self) -> String {
        iso(self.local).replace(['-', ':', '.'], "").replace('T', "_")
    }

    /// `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`, for tunnels and hallways.
    pub fn utc_iso(self) -> String {
        format!("{}+00:00", iso(self.utc))
    }
}

fn iso(t: OffsetDateTime) -> String {
    let (hour, minute, second, microsecond) = t.time().as_hms_micro();
    format!("{}T{hour:02}:{minute:02}:{second:02}.{microsecond:06}", t.date())
}

/// Gives moments that only grow, whatever the machine's clock does.
#[derive(Debug)]
pub struct MomentClock {
    last: OffsetDateTime,
}

impl Default for MomentClock {
    fn default() -> Self {
        Self { last: OffsetDateTime::UNIX_EPOCH }
    }
}

impl MomentClock {
    /// The next moment, at least a microsecond after the one before.
    pub fn tick(&mut self, conn: &Connection) -> Result<Moment, PalaceError> {
        let now = OffsetDateTime::now_utc();
        let now = now - Duration::nanoseconds(i64::from(now.nanosecond() % 1000));
        self.last = now.max(self.last + Duration::microseconds(1));
        Ok(Moment { utc: self.last, local: self.last + local_offset(conn)? })
    }
}

/// Now, for a reader.
pub fn now(conn: &Connection) -> Result<Moment, PalaceError> {
    MomentClock::default().tick(conn)
}

/// How far the local time is ahead of UTC.
fn local_offset(conn: &Connection) -> Result<Duration, PalaceError> {
    let seconds: i64 = conn
        .prepare_cached(
            "SELECT CAST(strftime('%s', 'now', 'localtime') AS INTEGER) - CAST(strftime('%s', 'now') AS INTEGER)",
        )?
        .query_row([], |r| r.get(0))?;
    Ok(Duration::seconds(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_only_grow_and_read_as_agents_know_them() {
        let conn = Connection::open_in_memory().expect("memory");
        let mut clock = MomentClock::default();
        let stamps: Vec<String> = (0..100).map(|_| clock.tick(&conn).expect("asked").stamp()).collect();
        assert!(stamps.is_sorted_by(|a, b| a < b), "{stamps:?}");
        let utc = OffsetDateTime::from_unix_timestamp_nanos(1_782_962_683_000_007_000).expect("in range");
        let moment = Moment { utc, local: utc + Duration::hours(2) };
        assert_eq!(moment.local_iso(), "2026-07-02T05:24:43.000007");
        assert_eq!(moment.stamp(), "20260702_052443000007");
        assert_eq!(moment.local_date(), "2026-07-02");
        assert_eq!(moment.utc_iso(), "2026-07-02T03:24:43.000007+00:00");
    }
}
