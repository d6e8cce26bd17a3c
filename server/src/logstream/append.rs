//! The writer: one thread, one connection, group commit.
//!
//! # Design
//! Callers put their write into a bounded queue. The thread takes everything that waits into ONE transaction, a savepoint each, and
//! answers after the commit: an acknowledged write survives a power cut, and sixty-four callers share one fsync. A refused write
//! takes nothing with it, neither a row nor a number.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use loggia_domain::clock::Clock;
use loggia_domain::{ArtifactRecord, Event, NewArtifact, NewEvent, timestamp};
use rusqlite::{Connection, TransactionBehavior};
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;
use super::insert::{Counters, check_artifacts, insert_artifact, insert_event};
use crate::clock::now_ms;
use crate::figures::writer::WriterFigures;

/// How many writes may wait before callers do.
const QUEUE: usize = 1024;
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

/// What one write asks, without who asked.
struct Write {
    artifact: Option<NewArtifact>,
    event: Option<NewEvent>,
    at: Option<OffsetDateTime>,
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
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    figures: Arc<WriterFigures>,
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
        let mut writer = Writer { conn, replica_id, clock: Clock::default(), figures: Arc::clone(&figures) };
        writer.seed_clock()?;
        let thread = std::thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run(jobs, &committed))
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)), figures })
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
        queue.send(job(reply)).await.map_err(|_| StoreError::Closed)?;
        let answer = answer.await.map_err(|_| StoreError::Closed)?;
        self.figures.answered(asked_at);
        answer
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
}

impl Writer {
    fn seed_clock(&mut self) -> rusqlite::Result<()> {
        let newest: Option<String> = self.conn.query_row("SELECT max(hlc) FROM events", [], |r| r.get(0))?;
        if let Some(stamp) = newest {
            self.clock.observe(&stamp, now_ms());
        }
        Ok(())
    }

    fn run(mut self, mut jobs: mpsc::Receiver<Job>, committed: &dyn Fn()) {
        let mut expected = 1;
        while let Some(first) = jobs.blocking_recv() {
            let batch = gather(first, &mut jobs, expected);
            expected = batch.len();
            self.commit(batch, committed);
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
                committed();
                for (reply, outcome) in replies {
                    // A caller that went away has no use for its answer; its event is in the log all the same.
                    let _ = reply.send(outcome);
                }
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

    /// Writes a batch in one transaction. On an error nothing of it is in the log, and `replies` still holds every caller.
    fn write_all(&mut self, batch: Vec<Job>, replies: &mut Vec<Reply>) -> Result<(), StoreError> {
        let mut jobs = batch.into_iter();
        let mut failed = None;
        match self.conn.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(tx) => match counters(&tx, &self.replica_id, &mut self.clock) {
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
/// a moment, less than a commit takes, so that one fsync serves them all. A caller alone never waits.
fn gather(first: Job, jobs: &mut mpsc::Receiver<Job>, expected: usize) -> Vec<Job> {
    let begun = Instant::now();
    let mut bytes = first.bytes();
    let mut batch = vec![first];
    loop {
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            let Ok(job) = jobs.try_recv() else { break };
            bytes += job.bytes();
            batch.push(job);
        }
        if batch.len() >= expected.min(BATCH) || bytes >= BATCH_BYTES || begun.elapsed() >= LINGER {
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

/// Reads where the log stands now that it is ours: another process may have written since the last group.
fn counters(tx: &Connection, replica_id: &str, clock: &mut Clock) -> rusqlite::Result<Counters> {
    let (seq, newest): (i64, Option<String>) = tx
        .prepare_cached("SELECT coalesce((SELECT max(rowid) FROM events), 0), (SELECT max(hlc) FROM events)")?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let origin_seq: Option<i64> = tx
        .prepare_cached("SELECT max(origin_seq) FROM events WHERE origin_replica = ?1")?
        .query_row([replica_id], |r| r.get(0))?;
    if let Some(stamp) = newest {
        clock.observe(&stamp, now_ms());
    }
    Ok(Counters { seq, origin_seq: origin_seq.unwrap_or(0) })
}

fn write_one(
    tx: &Connection,
    replica_id: &str,
    clock: &mut Clock,
    counters: &mut Counters,
    write: Write,
) -> Result<Written, StoreError> {
    let Write { artifact, event, at } = write;
    let now = at.unwrap_or_else(OffsetDateTime::now_utc);
    if let Some(event) = &event {
        check_artifacts(tx, &event.artifact_ids)?;
    }
    // One row alone is there or not: SQLite undoes a failed statement by itself.
    let one_row = match (&artifact, &event) {
        (None, Some(event)) => event.artifact_ids.is_empty(),
        (_, None) => true,
        _ => false,
    };
    if !one_row {
        tx.prepare_cached("SAVEPOINT one")?.execute([])?;
    }
    let written = (|| {
        let artifact = artifact.map(|a| insert_artifact(tx, replica_id, now, a)).transpose()?;
        let event = event
            .map(|mut e| {
                e.artifact_ids.extend(artifact.iter().map(|a| a.id.clone()));
                // A backdated event must not drag the clock: it gets a stamp of its own time.
                let stamp = if at.is_some() {
                    Clock::default().tick(timestamp::ms(now))
                } else {
                    clock.tick(timestamp::ms(now))
                };
                insert_event(tx, replica_id, now, stamp, counters, e)
            })
            .transpose()?;
        Ok(Written { artifact, event })
    })();
    if one_row || tx.is_autocommit() {
        return written;
    }
    if written.is_err() {
        tx.prepare_cached("ROLLBACK TO one")?.execute([])?;
    }
    tx.prepare_cached("RELEASE one")?.execute([])?;
    written
}
