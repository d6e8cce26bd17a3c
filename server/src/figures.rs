//! What a hub counts about itself while it runs: atomics that are added to where things happen, and read by `/statusz` and `/metrics`.
//!
//! It knows no store and no surface; both know it. Nothing here is kept when the hub ends, and nothing is a text that somebody sent.

pub mod disk;
pub mod histogram;
pub mod requests;
pub mod tools;
pub mod writer;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use time::OffsetDateTime;

use requests::Requests;
use tools::Tools;

/// The figures of a hub since its start. What the log's writer counts lies with the log, see [`writer::WriterFigures`].
#[derive(Debug)]
pub struct Figures {
    started: Instant,
    started_at: OffsetDateTime,
    /// Requests that were answered.
    pub requests: Requests,
    /// Calls of tools.
    pub tools: Tools,
    /// `event_wait` calls that wait at this moment.
    pub waits: Gauge,
    /// Events that were handed to live streams, once for each stream.
    pub stream_events: Counter,
    /// Connections that the system cut since their client took, or answered, nothing for too long: slow streams end so.
    pub cut_connections: Counter,
    /// Connections that are open.
    pub connections: Gauge,
    /// Connections that were cut since a request, or the next one, took too long to arrive.
    pub slow_connections: Counter,
    /// Connections that were refused since there were too many.
    pub refused_connections: Counter,
}

impl Figures {
    /// Everything at zero, for the tools of these names.
    pub fn new(tools: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            started: Instant::now(),
            started_at: OffsetDateTime::now_utc(),
            requests: Requests::default(),
            tools: Tools::new(tools),
            waits: Gauge::default(),
            stream_events: Counter::default(),
            cut_connections: Counter::default(),
            connections: Gauge::default(),
            slow_connections: Counter::default(),
            refused_connections: Counter::default(),
        }
    }

    /// When the hub was started.
    pub fn started_at(&self) -> OffsetDateTime {
        self.started_at
    }

    /// How long it has been running.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// So many more.
    pub fn add(&self, n: usize) {
        self.0.fetch_add(u64::try_from(n).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How many so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many of something there are at this moment.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

/// One of them; dropping it ends it, however its task ended.
#[derive(Debug)]
pub struct Inside<'a>(&'a Gauge);

impl Gauge {
    /// One more, as long as the answer lives.
    #[must_use]
    pub fn enter(&self) -> Inside<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Inside(self)
    }

    /// How many there are.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_goes_down_by_itself() {
        let gauge = Gauge::default();
        let first = gauge.enter();
        {
            let _second = gauge.enter();
            assert_eq!(gauge.get(), 2);
        }
        assert_eq!(gauge.get(), 1);
        drop(first);
        assert_eq!(gauge.get(), 0);
    }
}
