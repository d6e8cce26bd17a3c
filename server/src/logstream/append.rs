//! The writer: one thread, one connection, group commit.
//!
//! # Design
//! Callers put their write into a bounded queue. The thread takes everything that waits into ONE transaction, a savepoint each, and
//! answers after the commit: an acknowledged write survives a power cut, and sixty-four callers share one fsync. A refused write
//! takes nothing with it, neither a row nor a number.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use loggia_domain::clock::Clock;
use loggia_domain::{ArtifactRecord, Event, NewArtifact, NewEvent};
use rusqlite::{Connection, TransactionBehavior};
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;
use super::apply::{self, Remote};
use super::insert::{Write, counters, too_far_ahead, write_one};
use crate::clock::now_ms;
use crate::figures::writer::WriterFigures;

/// How many writes may wait before callers do.
pub const QUEUE: usize = 1024;
/// How many writes one transaction takes at most.
const BATCH: usize = 256;
/// How many bytes of bodies and artifacts one transaction takes at most.
const BATCH_BYTES: usize = 32 * 1024 * 1024;
/// How long a group waits for callers that are expected back.
const LINGER: Duration = Duration::from_micros(200);
/// How long it sleeps between two looks.
const NAP: Duration = Duration::from_micros(20);

/// What a write left in the log.
#[derive(Debug, Clone)]
pub struct Written {
    /// The artifact, when one was given.
    pub artifact: Option<ArtifactRecord>,
    /// The event, when one was given.
    pub event: Option<Event>,
}

/// One write that waits for its turn: an artifact, an event, or both in one (the event then references the artifact).
pub(super) struct Job {
    pub(super) artifact: Option<NewArtifact>,
    pub(super) event: Option<NewEvent>,
    /// A time in the past to stamp it with; `None` is now.
    pub(super) at: Option<OffsetDateTime>,
    pub(super) reply: oneshot::Sender<Result<Written, StoreError>>,
}

/// What the writer is asked: an ordinary write, or something about another hub's events, which is a transaction of its own.
#[expect(clippy::large_enum_variant, reason = "nearly all are writes, and a box for each would cost them")]
pub(super) enum Task {
    Write(Job),
    Remote(Remote),
}

impl Job {
    fn split(self) -> (Write, oneshot::Sender<Result<Written, StoreError>>) {
        (Write { artifact: self.artifact, event: self.event, at: self.at }, self.reply)
    }

    fn bytes(&self) -> usize {
        self.artifact.as_ref().map_or(0, |a| a.content.len()) + self.event.as_ref().map_or(0, |e| e.body.len())
    }
}

/// The way to the writer thread.
pub struct Appender {
    queue: Mutex<Option<mpsc::Sender<Task>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    figures: Arc<WriterFigures>,
    issued_elsewhere: Arc<AtomicI64>,
}

impl Appender {
    /// Starts the writer on its connection. `committed` is called after every commit.
    pub fn start(
        conn: Connection,
        replica_id: String,
        committed: impl Fn() + Send + 'static,
    ) -> rusqlite::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let figures = Arc::<WriterFigures>::default();
        let issued_elsewhere = Arc::<AtomicI64>::default();
        let mut writer = Writer {
            conn,
            replica_id,
            clock: Clock::default(),
            figures: Arc::clone(&figures),
            issued_elsewhere: Arc::clone(&issued_elsewhere),
        };
        writer.seed_clock()?;
        let thread = std::thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run(jobs, &committed))
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)), figures, issued_elsewhere })
    }

    /// What the writer counts about itself.
    pub fn figures(&self) -> &Arc<WriterFigures> {
        &self.figures
    }

    /// Puts a write into the queue and waits until it is committed or refused.
    pub(super) async fn write(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<Written, StoreError>>) -> Job,
    ) -> Result<Written, StoreError> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(StoreError::Closed)?;
        let (asked_at, _waiting) = (Instant::now(), self.figures.waiting.enter());
        let (reply, answer) = oneshot::channel();
        queue.send(Task::Write(job(reply))).await.map_err(|_| StoreError::Closed)?;
        let answer = answer.await.map_err(|_| StoreError::Closed)?;
        self.figures.answered(asked_at);
        answer
    }

    /// Puts another task into the queue and waits for its answer.
    pub(super) async fn ask<T>(
        &self,
        task: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Task,
    ) -> Result<T, StoreError> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(StoreError::Closed)?;
        let (reply, answer) = oneshot::channel();
        queue.send(task(reply)).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// The highest number that this hub is known to have given, though the log may not show it; only ever rises.
    pub(super) fn issue_above(&self, number: i64) {
        self.issued_elsewhere.fetch_max(number, Ordering::SeqCst);
    }

    /// Lets the thread commit what waits, write the WAL back, and end.
    pub fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
            && thread.join().is_err()
        {
            tracing::error!("the log's writer thread panicked");
        }
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        self.close();
    }
}

struct Writer {
    conn: Connection,
    replica_id: String,
    clock: Clock,
    figures: Arc<WriterFigures>,
    issued_elsewhere: Arc<AtomicI64>,
}

impl Writer {
    fn seed_clock(&mut self) -> rusqlite::Result<()> {
        let newest: Option<String> =
            self.conn.query_row("SELECT max(hlc) FROM events WHERE hlc < ?1", [too_far_ahead()], |r| r.get(0))?;
        if let Some(stamp) = newest {
            self.clock.observe(&stamp, now_ms());
        }
        Ok(())
    }

    fn run(mut self, mut tasks: mpsc::Receiver<Task>, committed: &dyn Fn()) {
        let (mut expected, mut next) = (1, None);
        while let Some(task) = next.take().or_else(|| tasks.blocking_recv()) {
            match task {
                Task::Write(first) => {
                    let batch = gather(first, &mut tasks, expected, &mut next);
                    expected = batch.len();
                    self.commit(batch, committed);
                }
                Task::Remote(remote) => self.take_remote(remote, committed),
            }
        }
        // A failure here loses nothing: the next start replays the WAL.
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the log's WAL could not be written back");
        }
    }

    fn commit(&mut self, batch: Vec<Job>, committed: &dyn Fn()) {
        let mut replies = Vec::with_capacity(batch.len());
        let began_at = Instant::now();
        let written = self.write_all(batch, &mut replies);
        count(&self.figures, began_at, written.is_ok(), &replies);
        match written {
            Ok(()) => {
                for (reply, outcome) in replies {
                    // A caller that went away has no use for its answer; its event is in the log all the same.
                    let _ = reply.send(outcome);
                }
                committed();
            }
            Err(error) => {
                tracing::error!(%error, writes = replies.len(), "a group of writes was not committed");
                for (reply, outcome) in replies {
                    // What was refused on its own account keeps its own answer.
                    let _ = reply.send(match outcome {
                        Err(own @ (StoreError::Refused(_) | StoreError::NotFound(_))) => Err(own),
                        _ => Err(StoreError::from_ref(&error)),
                    });
                }
            }
        }
    }

    fn take_remote(&mut self, remote: Remote, committed: &dyn Fn()) {
        let (replica_id, clock, conn) = (&self.replica_id, &mut self.clock, &mut self.conn);
        let mut within = |change: &mut apply::Change<'_>| -> Result<(), StoreError> {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut counters = counters(&tx, replica_id, clock, &self.issued_elsewhere)?;
            change(&tx, replica_id, clock, &mut counters)?;
            Ok(tx.commit()?)
        };
        apply::take(remote, &mut within);
        committed();
    }

    /// Writes a batch in one transaction. On an error nothing of it is in the log, and `replies` still holds every caller.
    fn write_all(&mut self, batch: Vec<Job>, replies: &mut Vec<Reply>) -> Result<(), StoreError> {
        let mut jobs = batch.into_iter();
        let mut failed = None;
        match self.conn.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(tx) => match counters(&tx, &self.replica_id, &mut self.clock, &self.issued_elsewhere) {
                Ok(mut counters) => {
                    for job in jobs.by_ref() {
                        let (write, reply) = job.split();
                        let outcome = write_one(&tx, &self.replica_id, &mut self.clock, &mut counters, write);
                        // A full disk makes SQLite roll the whole transaction back by itself.
                        let rolled_back = tx.is_autocommit();
                        if rolled_back {
                            failed = Some(outcome.as_ref().err().map_or(StoreError::Full, StoreError::from_ref));
                        }
                        replies.push((reply, outcome));
                        if rolled_back {
                            break;
                        }
                    }
                    if failed.is_none() {
                        failed = tx.commit().err().map(StoreError::from);
                    }
                }
                Err(error) => failed = Some(error.into()),
            },
            Err(error) => failed = Some(error.into()),
        }
        let Some(error) = failed else { return Ok(()) };
        replies.extend(jobs.map(|job| (job.reply, Err(StoreError::from_ref(&error)))));
        Err(error)
    }
}

/// Takes what waits into one group. Callers that shared the last commit are likely on their way with their next write: they are given
/// a moment, less than a commit takes, so that one fsync serves most of them; the last are not waited for, since they come while it runs
/// and are the beginning of the next group. A caller alone never waits.
/// A task that is no write ends the group and comes next.
fn gather(first: Job, tasks: &mut mpsc::Receiver<Task>, expected: usize, next: &mut Option<Task>) -> Vec<Job> {
    let begun = Instant::now();
    let enough = (expected.min(BATCH) * 3).div_ceil(4);
    let mut bytes = first.bytes();
    let mut batch = vec![first];
    loop {
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            match tasks.try_recv() {
                Ok(Task::Write(job)) => {
                    bytes += job.bytes();
                    batch.push(job);
                }
                Ok(other) => {
                    *next = Some(other);
                    return batch;
                }
                Err(_) => break,
            }
        }
        if batch.len() >= enough || bytes >= BATCH_BYTES || begun.elapsed() >= LINGER {
            return batch;
        }
        std::thread::sleep(NAP);
    }
}

/// Takes a transaction into the figures.
fn count(figures: &WriterFigures, began_at: Instant, well: bool, replies: &[Reply]) {
    figures.committed(replies.len(), began_at.elapsed(), well);
    let refused = |outcome: &Result<Written, StoreError>| {
        matches!(outcome, Err(StoreError::Refused(_) | StoreError::NotFound(_)))
    };
    figures.refused.add(replies.iter().filter(|(_, outcome)| refused(outcome)).count());
    if well {
        let written = || replies.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
        figures.events.add(written().filter(|w| w.event.is_some()).count());
        figures.artifacts.add(written().filter(|w| w.artifact.is_some()).count());
    }
}

type Reply = (oneshot::Sender<Result<Written, StoreError>>, Result<Written, StoreError>);

impl StoreError {
    /// The same failure for another caller of the same group.
    fn from_ref(error: &Self) -> Self {
        match error {
            Self::Refused(r) => Self::Refused(r.clone()),
            Self::NotFound(r) => Self::NotFound(r.clone()),
            Self::Busy => Self::Busy,
            Self::Full => Self::Full,
            Self::Closed => Self::Closed,
            Self::Storage(s) => Self::Storage(s.clone()),
        }
    }
}
