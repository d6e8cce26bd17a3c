//! The page's idea of time: a tick each second after hydration, and the zone in which times are written.
//!
//! The first frame knows neither: it writes UTC and takes "now" from the hub's answer, so that the hub's text and the browser's are
//! the same. Ages are counted by the hub's clock, corrected by how far the reader's is off.

use std::time::Duration;

use leptos::prelude::*;
use loggia_domain::timestamp::created_at_ms;

use crate::browser;

/// Beyond this difference the reader's clock is wrong rather than the answer late.
const TOLERATED_MS: u64 = 30_000;
const ZONE_KEY: &str = "loggia-zone";

/// In which zone times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// As the hub stores them.
    Utc,
    /// The reader's own.
    Local,
}

/// The clock of one page, in the context of the application.
#[derive(Debug, Clone, Copy)]
pub struct PageClock {
    tick_ms: RwSignal<Option<u64>>,
    ahead_ms: RwSignal<i64>,
    zone: RwSignal<Zone>,
    answered_ms: RwSignal<u64>,
    today: Memo<String>,
}

/// Puts a clock into the context and starts it, in the browser.
pub fn provide_page_clock() {
    let (tick_ms, ahead_ms, answered_ms) = (RwSignal::new(None), RwSignal::new(0), RwSignal::new(0));
    let zone = RwSignal::new(Zone::Utc);
    let today = Memo::new(move |_| {
        let now_ms = hub_now_ms(tick_ms.get(), ahead_ms.get(), answered_ms.get());
        stamp(now_ms, offset_min(zone.get(), now_ms)).date
    });
    let clock = PageClock { tick_ms, ahead_ms, zone, answered_ms, today };
    provide_context(clock);
    Effect::new(move |_| {
        if browser::stored(ZONE_KEY).as_deref() == Some("local") {
            clock.zone.set(Zone::Local);
        }
        clock.tick_ms.set(Some(browser::now_ms()));
        let tick = move || {
            if !browser::is_hidden() {
                clock.tick_ms.set(Some(browser::now_ms()));
            }
        };
        if let Ok(handle) = set_interval_with_handle(tick, Duration::from_secs(1)) {
            on_cleanup(move || handle.clear());
        }
    });
}

/// The clock of this page.
pub fn use_page_clock() -> PageClock {
    expect_context()
}

impl PageClock {
    /// The reader's clock at the last tick; `None` in the first frame. Tracked.
    pub fn tick_ms(self) -> Option<u64> {
        self.tick_ms.get()
    }

    /// The hub's clock, tracked. `answered_ms` is its time at the answer that the page shows, the only one that a first frame knows.
    pub fn hub_now_ms(self, answered_ms: u64) -> u64 {
        hub_now_ms(self.tick_ms.get(), self.ahead_ms.get(), answered_ms)
    }

    /// Takes note of when the hub gave the answer that a page is about to show; all that a first frame knows of the time.
    pub fn shows(self, answered_ms: u64) {
        self.answered_ms.set(answered_ms);
    }

    /// Whether a time is on the hub's present day, in the page's zone. Tracked.
    pub fn is_today(self, stamp: &Stamp) -> bool {
        self.today.with(|today| *today == stamp.date)
    }

    /// Takes note of an answer that has just arrived: the hub's clock shows it.
    pub fn heard(self, answered_ms: u64) {
        let here_ms = browser::now_ms();
        let off = here_ms.abs_diff(answered_ms) > TOLERATED_MS;
        let ahead_ms = i64::try_from(here_ms).unwrap_or(0) - i64::try_from(answered_ms).unwrap_or(0);
        self.ahead_ms.set(if off { ahead_ms } else { 0 });
    }

    /// In which zone times are written. Tracked.
    pub fn zone(self) -> Zone {
        self.zone.get()
    }

    /// Writes times in the other zone from now on.
    pub fn switch_zone(self) {
        let zone = if self.zone.get_untracked() == Zone::Utc { Zone::Local } else { Zone::Utc };
        browser::store(ZONE_KEY, (zone == Zone::Local).then_some("local"));
        self.zone.set(zone);
    }

    /// A time in the page's zone. Tracked.
    pub fn stamp(self, at_ms: u64) -> Stamp {
        stamp(at_ms, offset_min(self.zone.get(), at_ms))
    }

    /// The name of the page's zone at the last tick. Tracked.
    pub fn zone_name(self) -> String {
        match self.zone.get() {
            Zone::Utc => "UTC".to_owned(),
            Zone::Local => zone_name(browser::zone_offset_min(self.tick_ms.get().unwrap_or_default())),
        }
    }
}

/// A time as text, in one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// `2026-11-30`.
    pub date: String,
    /// `14:02:31`.
    pub time: String,
    /// `UTC` or `UTC+05:45`.
    pub zone: String,
}

impl Stamp {
    /// `2026-11-30 14:02:31 UTC`.
    pub fn full(&self) -> String {
        format!("{} {} {}", self.date, self.time, self.zone)
    }

    /// `11-30`.
    pub fn day(&self) -> &str {
        self.date.get(5..).unwrap_or(&self.date)
    }
}

fn hub_now_ms(tick_ms: Option<u64>, ahead_ms: i64, answered_ms: u64) -> u64 {
    tick_ms.map_or(answered_ms, |tick_ms| tick_ms.saturating_add_signed(-ahead_ms).max(answered_ms))
}

fn offset_min(zone: Zone, at_ms: u64) -> i32 {
    match zone {
        Zone::Utc => 0,
        Zone::Local => browser::zone_offset_min(at_ms),
    }
}

/// A time so many minutes east of UTC.
pub fn stamp(at_ms: u64, offset_min: i32) -> Stamp {
    let shifted = at_ms.saturating_add_signed(i64::from(offset_min) * 60_000);
    let text = created_at_ms(shifted).unwrap_or_default();
    let (date, time) = text.trim_end_matches('Z').split_once('T').unwrap_or(("?", "?"));
    Stamp { date: date.to_owned(), time: time.to_owned(), zone: zone_name(offset_min) }
}

fn zone_name(offset_min: i32) -> String {
    if offset_min == 0 {
        return "UTC".to_owned();
    }
    let (sign, minutes) = (if offset_min < 0 { '−' } else { '+' }, offset_min.unsigned_abs());
    format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_east_and_west_move_the_date() {
        let at_ms = 1_796_078_550_000;
        for (offset_min, expected) in [
            (0, "2026-11-30 22:42:30 UTC"),
            (345, "2026-12-01 04:27:30 UTC+05:45"),
            (-420, "2026-11-30 15:42:30 UTC−07:00"),
        ] {
            assert_eq!(stamp(at_ms, offset_min).full(), expected);
        }
        assert_eq!(stamp(at_ms, 0).day(), "11-30");
    }
}
