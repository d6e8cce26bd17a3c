//! The palace's writer: one thread, one connection, group commit.
//!
//! # Design
//! A job is a closure. The thread takes all jobs that wait into ONE transaction, a savepoint each, and answers after the commit, so
//! that sixteen agents who write their diaries at once share one fsync. A job that fails takes all that it did with it.

use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::moment::{Moment, MomentClock};
use super::record::{Record, RecordFile};
use super::{PalaceError, schema};

/// How many writes may wait before callers do.
const QUEUE: usize = 256;
/// How many writes one transaction takes at most.
const BATCH: usize = 128;

/// What a job works with: the connection, inside its savepoint, and the moment it is stamped with.
pub struct Turn<'a> {
    /// The writable connection. Never begin, commit or roll back here.
    pub conn: &'a Connection,
    /// Now; no other write has the same.
    pub now: Moment,
}

/// Something that waits to be written.
trait Job: Send {
    /// Does it, inside its savepoint.
    fn run(&mut self, turn: &Turn<'_>);
    /// Why it must be taken back.
    fn error(&self) -> Option<&PalaceError>;
    /// Tells whoever waits: its own outcome, or why the whole group was lost.
    fn answer(self: Box<Self>, group: Result<(), &PalaceError>);
    /// What the write log says about it.
    fn record(&self) -> Option<&Record>;
}

struct Work<T, F> {
    record: Option<Record>,
    todo: Option<F>,
    outcome: Result<T, PalaceError>,
    reply: oneshot::Sender<Result<T, PalaceError>>,
}

impl<T, F> Job for Work<T, F>
where
    T: Send,
    F: FnOnce(&Turn<'_>) -> Result<T, PalaceError> + Send,
{
    fn run(&mut self, turn: &Turn<'_>) {
        if let Some(work) = self.todo.take() {
            self.outcome = work(turn);
        }
    }

    fn error(&self) -> Option<&PalaceError> {
        self.outcome.as_ref().err()
    }

    fn answer(self: Box<Self>, group: Result<(), &PalaceError>) {
        // A caller that went away has no use for its answer; what it wrote is there all the same.
        let _ = self.reply.send(match (self.outcome, group) {
            // What was refused on its own account keeps its own answer.
            (Err(PalaceError::Refused(own)), _) => Err(PalaceError::Refused(own)),
            (_, Err(error)) => Err(error.clone()),
            (outcome, Ok(())) => outcome,
        });
    }

    fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }
}

/// The way to the writer thread.
pub struct Writer {
    queue: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the writer on its connection.
    pub fn start(conn: Connection, records: RecordFile) -> Result<Self, PalaceError> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let state = Thread { conn, records, clock: MomentClock::default() };
        let thread = std::thread::Builder::new().name("palace-writer".to_owned()).spawn(move || state.run(jobs))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)) })
    }

    /// Puts a write into the queue and waits until it is committed or refused.
    pub async fn write<T, F>(&self, record: Option<Record>, work: F) -> Result<T, PalaceError>
    where
        T: Send + 'static,
        F: FnOnce(&Turn<'_>) -> Result<T, PalaceError> + Send + 'static,
    {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(PalaceError::Closed)?;
        let (reply, answer) = oneshot::channel();
        let job = Work { record, todo: Some(work), outcome: Err(PalaceError::Closed), reply };
        queue.send(Box::new(job)).await.map_err(|_| PalaceError::Closed)?;
        answer.await.map_err(|_| PalaceError::Closed)?
    }

    /// Lets the thread commit what waits, write the WAL back, and end.
    pub fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
            && thread.join().is_err()
        {
            tracing::error!("the palace's writer thread panicked");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

struct Thread {
    conn: Connection,
    records: RecordFile,
    clock: MomentClock,
}

/// A job with the moment that it got.
struct Stamped {
    job: Box<dyn Job>,
    now: Moment,
    stamp: String,
}

impl Thread {
    fn run(mut self, mut jobs: mpsc::Receiver<Box<dyn Job>>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH {
                let Ok(job) = jobs.try_recv() else { break };
                batch.push(job);
            }
            self.commit(batch);
        }
        // A failure here loses nothing: the next start replays the WAL.
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the palace's WAL could not be written back");
        }
    }

    fn commit(&mut self, batch: Vec<Box<dyn Job>>) {
        let mut stamped = Vec::with_capacity(batch.len());
        for job in batch {
            match self.clock.tick(&self.conn) {
                Ok(now) => stamped.push(Stamped { job, now, stamp: now.local_iso() }),
                Err(error) => job.answer(Err(&error)),
            }
        }
        let outcome = self.write_all(&mut stamped);
        if let Err(error) = &outcome {
            tracing::error!(%error, writes = stamped.len(), "a group of writes to the palace was not committed");
        }
        let lines = stamped.iter().filter_map(|s| {
            let error = outcome.as_ref().err().or_else(|| s.job.error()).map(ToString::to_string);
            s.job.record().map(|record| (record, s.stamp.as_str(), error))
        });
        if let Err(error) = self.records.after(lines) {
            tracing::warn!(%error, "the palace's write log could not be written; the writes themselves are done");
        }
        for Stamped { job, .. } in stamped {
            job.answer(outcome.as_ref().copied());
        }
    }

    /// Runs all jobs in one transaction. On an error nothing of any of them is in the file.
    fn write_all(&mut self, jobs: &mut [Stamped]) -> Result<(), PalaceError> {
        self.records.before(jobs.iter().filter_map(|s| s.job.record().map(|record| (record, s.stamp.as_str()))))?;
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // A newer program may have taken the file over since this one started.
        schema::gate(&tx)?;
        for Stamped { job, now, .. } in jobs {
            tx.prepare_cached("SAVEPOINT one")?.execute([])?;
            job.run(&Turn { conn: &tx, now: *now });
            // A full disk makes SQLite roll the whole transaction back by itself.
            if tx.is_autocommit() {
                return Err(job.error().cloned().unwrap_or(PalaceError::Full));
            }
            if job.error().is_some() {
                tx.prepare_cached("ROLLBACK TO one")?.execute([])?;
            }
            tx.prepare_cached("RELEASE one")?.execute([])?;
        }
        Ok(tx.commit()?)
    }
}
