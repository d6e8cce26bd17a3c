//! How long a client may take with its requests: a deadline for each connection, and the one task that looks at all of them.
//!
//! # Design
//! A timer for each connection costs memory that ten thousand idle streams have to pay for, and is set anew with every request. Here a
//! connection has some eighty bytes, changing its deadline is one store, and a deadline is kept to the second, which suffices.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

use crate::config::Limits;

/// How often deadlines are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Each so many bytes of a body that arrive give the rest one millisecond more: a second for 16 KiB.
const BYTES_PER_MS: usize = 16;

const WAITING: u8 = 0;
const HEAD: u8 = 1;
const BUSY: u8 = 2;

/// The deadlines of a hub's connections.
#[derive(Debug)]
pub struct Paces {
    times: Arc<Times>,
    all: Mutex<Vec<Arc<Pace>>>,
}

#[derive(Debug)]
struct Times {
    begun: Instant,
    head_ms: u64,
    body_ms: u64,
    idle_ms: u64,
}

impl Times {
    fn now_ms(&self) -> u64 {
        ms(self.begun.elapsed())
    }
}

/// The deadline of one connection.
#[derive(Debug)]
pub struct Pace {
    times: Arc<Times>,
    /// What is awaited: a request, the rest of its head, or nothing but our answer.
    phase: AtomicU8,
    is_overdue: AtomicBool,
    /// In milliseconds since the hub's begin; 0 is none.
    deadline_ms: AtomicU64,
    reader: AtomicWaker,
}

impl Paces {
    /// For these limits.
    pub fn new(limits: &Limits) -> Self {
        let (head_ms, body_ms, idle_ms) = (ms(limits.head), ms(limits.body), ms(limits.idle));
        let times = Times { begun: Instant::now(), head_ms, body_ms, idle_ms };
        Self { times: Arc::new(times), all: Mutex::default() }
    }

    /// A connection that was just made, and whose first request is due.
    pub fn enter(&self) -> Arc<Pace> {
        let pace = Arc::new(Pace {
            times: Arc::clone(&self.times),
            phase: AtomicU8::new(WAITING),
            is_overdue: AtomicBool::new(false),
            deadline_ms: AtomicU64::new(self.times.now_ms() + self.times.head_ms),
            reader: AtomicWaker::new(),
        });
        self.all().push(Arc::clone(&pace));
        pace
    }

    /// Wakes whoever is overdue, until it is dropped.
    pub async fn keep(&self) {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            self.look();
        }
    }

    fn look(&self) {
        let now_ms = self.times.now_ms();
        self.all().retain(|pace| {
            // Nobody but this list knows it: the connection is gone.
            if Arc::strong_count(pace) == 1 {
                return false;
            }
            let deadline = pace.deadline_ms.load(Relaxed);
            if deadline != 0 && deadline < now_ms && !pace.is_overdue.swap(true, Relaxed) {
                pace.reader.wake();
            }
            true
        });
    }

    /// A panic elsewhere leaves nothing half-done behind this lock.
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Pace>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pace {
    /// Something arrived.
    pub fn arrived(&self) {
        if self.phase.load(Relaxed) == WAITING {
            self.phase.store(HEAD, Relaxed);
            self.due_in(self.times.head_ms);
        }
    }

    /// The client took something of an answer that is complete on our side.
    pub fn taken(&self) {
        if self.phase.load(Relaxed) == WAITING {
            self.due_in(self.times.idle_ms);
        }
    }

    /// The head of a request is here, and its body is still to come.
    pub fn begins(&self) {
        self.phase.store(BUSY, Relaxed);
        self.due_in(self.times.body_ms);
    }

    /// So many bytes of the body are here.
    pub fn progressed(&self, bytes: usize) {
        if self.deadline_ms.load(Relaxed) != 0 {
            self.deadline_ms.fetch_add(u64::try_from(bytes / BYTES_PER_MS).unwrap_or(0), Relaxed);
        }
    }

    /// Nothing more of the request is awaited; the answer may take its time.
    pub fn is_whole(&self) {
        if self.phase.load(Relaxed) == BUSY {
            self.deadline_ms.store(0, Relaxed);
        }
    }

    /// The answer is complete on our side.
    pub fn ends(&self) {
        self.phase.store(WAITING, Relaxed);
        self.due_in(self.times.idle_ms);
    }

    /// Whether its client took too long.
    pub fn is_overdue(&self) -> bool {
        self.is_overdue.load(Relaxed)
    }

    /// Whom to wake when it is overdue.
    pub fn is_read_by(&self, waker: &Waker) {
        self.reader.register(waker);
    }

    fn due_in(&self, ms: u64) {
        self.deadline_ms.store(self.times.now_ms() + ms, Relaxed);
    }
}

fn ms(time: Duration) -> u64 {
    // Far beyond any life of a hub, and yet no sum of it overflows.
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).min(u64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times are far apart here: nothing waits for a clock.
    fn paces() -> Paces {
        let hour = Duration::from_hours(1);
        Paces::new(&Limits {
            max_connections: 1,
            head: hour,
            body: 2 * hour,
            idle: 3 * hour,
            max_url_bytes: 1,
            max_header_bytes: 1,
            max_headers: 1,
            rate_per_s: None,
        })
    }

    fn due_in_hours(pace: &Pace) -> Option<u64> {
        let deadline = pace.deadline_ms.load(Relaxed);
        (deadline != 0).then(|| (deadline.saturating_sub(pace.times.now_ms()) + 60_000) / 3_600_000)
    }

    #[test]
    fn each_part_of_a_request_has_its_own_deadline_and_an_answer_has_none() {
        let paces = paces();
        let pace = paces.enter();
        assert_eq!(due_in_hours(&pace), Some(1), "the first request");
        pace.arrived();
        pace.begins();
        assert_eq!(due_in_hours(&pace), Some(2), "its body");
        pace.progressed(16 * 1000 * 3600);
        assert_eq!(due_in_hours(&pace), Some(3), "what arrives gives time");
        pace.is_whole();
        assert_eq!(due_in_hours(&pace), None, "the answer");
        pace.ends();
        assert_eq!(due_in_hours(&pace), Some(3), "the next request");
        pace.arrived();
        assert_eq!(due_in_hours(&pace), Some(1), "the rest of its head");
        pace.is_whole();
        assert_eq!(due_in_hours(&pace), Some(1), "a body that is dropped late changes nothing");
    }

    #[test]
    fn whoever_is_overdue_is_told_and_whoever_left_is_forgotten() {
        let paces = paces();
        let (late, early) = (paces.enter(), paces.enter());
        // The hub's first milliseconds may not be over yet.
        late.deadline_ms.store(1, Relaxed);
        while paces.times.now_ms() < 2 {
            std::thread::yield_now();
        }
        paces.look();
        assert!(late.is_overdue() && !early.is_overdue());
        drop(late);
        paces.look();
        assert_eq!(paces.all().len(), 1);
    }
}
