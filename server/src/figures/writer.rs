//! What the log's writer counts about itself. The writer holds them and adds; whoever shows them only reads.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use super::histogram::Histogram;
use super::{Counter, Gauge};

/// The bounds of the time from the queue to the answer, in microseconds.
const LATENCY_US: [u64; 14] =
    [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 125_000, 250_000, 500_000, 1_000_000, 10_000_000];
/// The bounds of how many writes one transaction takes.
const BATCH_WRITES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// The writer's figures since it was started.
#[derive(Debug)]
pub struct WriterFigures {
    /// Writes that wait: in the queue, or in the transaction that is under way.
    pub waiting: Gauge,
    /// From the moment that a caller puts its write into the queue until it has its answer, in microseconds.
    pub latency_us: Histogram<14>,
    /// How many writes each transaction took.
    pub batch_writes: Histogram<9>,
    /// Events that were committed.
    pub events: Counter,
    /// Artifacts that were committed.
    pub artifacts: Counter,
    /// Writes that were refused on their own account.
    pub refused: Counter,
    /// Transactions that were not committed: the disk was full, or another process held the file.
    pub failed_commits: Counter,
    /// How long the last transaction took, in microseconds; negative before the first.
    last_commit_us: AtomicI64,
}

impl Default for WriterFigures {
    fn default() -> Self {
        Self {
            waiting: Gauge::default(),
            latency_us: Histogram::new(LATENCY_US),
            batch_writes: Histogram::new(BATCH_WRITES),
            events: Counter::default(),
            artifacts: Counter::default(),
            refused: Counter::default(),
            failed_commits: Counter::default(),
            last_commit_us: AtomicI64::new(-1),
        }
    }
}

impl WriterFigures {
    /// A caller had its answer, so long after it asked.
    pub fn answered(&self, since: Instant) {
        self.latency_us.observe(micros(since.elapsed()));
    }

    /// A transaction of so many writes ended after so long, well or badly.
    pub fn committed(&self, writes: usize, took: Duration, well: bool) {
        self.batch_writes.observe(u64::try_from(writes).unwrap_or(u64::MAX));
        self.last_commit_us.store(i64::try_from(took.as_micros()).unwrap_or(i64::MAX), Ordering::Relaxed);
        if !well {
            self.failed_commits.add(1);
        }
    }

    /// How long the last transaction took, in milliseconds with their fraction; `None` before the first.
    pub fn last_commit_ms(&self) -> Option<f64> {
        let us = u32::try_from(self.last_commit_us.load(Ordering::Relaxed)).ok()?;
        Some(f64::from(us) / 1000.0)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
