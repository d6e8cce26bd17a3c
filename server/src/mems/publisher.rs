//! Publishes events to a Redis stream, off the path of the writes that they come from.
//!
//! # Design
//! A write puts its event into a bounded queue and goes on. One task sends what waits, many commands at once, and waits for the answers.
//! What Redis refuses or cannot take stays in the queue and is sent again, in its order, until the queue is full: then the oldest are
//! dropped and counted, since every event holds the whole state and later ones say more. A Redis that hangs is waited for and not asked
//! again on another connection: it would publish everything twice when it wakes. After a connection broke it is looked up in the stream
//! which events of the last batch are there. So every event is published once, or dropped and counted.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::RedisError;
use redis::aio::MultiplexedConnection;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::link;
use super::outlet::Event;
use super::settings::Pipeline;
use super::trouble::Trouble;
use crate::figures::Counter;

/// How many events may wait.
const MAX_WAITING: usize = 10_000;
/// How many bytes they may have together.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// How many events are sent at once, and how many bytes.
const BATCH: usize = 128;
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// After how long without an answer Redis counts as hanging.
const HANGS_AFTER: Duration = Duration::from_secs(1);
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(2);
/// How long it waits after a failure, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// How long a shutdown waits for what is still in the queue.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The way to the publishing task. Cheap to clone.
#[derive(Clone)]
pub struct Publisher {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Pipeline,
    queue: Mutex<Queue>,
    wake: Notify,
    published: Counter,
    dropped: Counter,
    trouble: Trouble,
    task: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Arc<Event>>,
    bytes: usize,
    /// How many were taken out and are on their way.
    on_their_way: usize,
    is_closed: bool,
}

/// How publishing goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// How many events are in the stream.
    pub published: u64,
    /// How many never will be.
    pub dropped: u64,
    /// How many wait.
    pub waiting: u64,
    /// Why nothing can be published at the moment; `None` while it can.
    pub trouble: Option<String>,
    /// The last error and when it came, ms since 1970.
    pub last_error: Option<(String, u64)>,
}

impl Publisher {
    /// For a stream. Where a write's own script publishes, no task is needed: then it only counts.
    pub fn new(settings: Pipeline, has_task: bool) -> Self {
        let shared = Arc::new(Shared {
            settings,
            queue: Mutex::default(),
            wake: Notify::new(),
            published: Counter::default(),
            dropped: Counter::default(),
            trouble: Trouble::new("the memory pipeline cannot publish", "the memory pipeline publishes again"),
            task: Mutex::new(None),
        });
        if has_task {
            let task = tokio::spawn(Task { shared: Arc::clone(&shared), connection: None, unsure: 0 }.run());
            *shared.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        }
        Self { shared }
    }

    /// Where it publishes.
    pub fn settings(&self) -> &Pipeline {
        &self.shared.settings
    }

    /// Puts an event into the queue. Never waits.
    pub fn enqueue(&self, event: Arc<Event>) {
        let mut queue = self.shared.queue();
        queue.bytes += event.bytes();
        queue.waiting.push_back(event);
        let dropped = queue.shorten();
        drop(queue);
        self.shared.drop_events(dropped);
        self.shared.wake.notify_one();
    }

    /// Counts what a write's own script did.
    pub fn count(&self, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => {
                self.shared.published.add(1);
                self.shared.trouble.over(|| self.shared.counts());
            }
            Err(error) => {
                self.shared.dropped.add(1);
                self.shared.trouble.is(&error, || self.shared.counts());
            }
        }
    }

    /// How it goes.
    pub fn progress(&self) -> Progress {
        let queue = self.shared.queue();
        let waiting = (queue.waiting.len() + queue.on_their_way) as u64;
        drop(queue);
        Progress {
            published: self.shared.published.get(),
            dropped: self.shared.dropped.get(),
            waiting,
            trouble: self.shared.trouble.now(),
            last_error: self.shared.trouble.last(),
        }
    }

    /// Publishes what waits, as far as that goes quickly, and ends.
    pub async fn close(&self) {
        self.shared.queue().is_closed = true;
        self.shared.wake.notify_one();
        let task = self.shared.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut task) = task
            && timeout(LAST_WORDS, &mut task).await.is_err()
        {
            task.abort();
        }
        let left = self.progress().waiting;
        if left > 0 {
            tracing::warn!(events = left, "events of session memory were not published before the hub ended");
        }
    }
}

impl Shared {
    /// A panic elsewhere leaves nothing half-done behind this lock.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drop_events(&self, dropped: usize) {
        if dropped > 0 {
            self.dropped.add(dropped);
            self.trouble.dropping(|| self.counts());
        }
    }

    fn counts(&self) -> String {
        let queue = self.queue();
        let waiting = queue.waiting.len() + queue.on_their_way;
        format!("{} published, {waiting} waiting, {} dropped", self.published.get(), self.dropped.get())
    }
}

impl Queue {
    /// Drops the oldest until the rest fits; how many went.
    fn shorten(&mut self) -> usize {
        let mut dropped = 0;
        while self.waiting.len() > MAX_WAITING || (self.bytes > MAX_WAITING_BYTES && self.waiting.len() > 1) {
            let oldest = self.waiting.pop_front();
            self.bytes -= oldest.map_or(0, |event| event.bytes());
            dropped += 1;
        }
        dropped
    }

    fn take(&mut self, most: usize) -> Vec<Arc<Event>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < most && bytes < BATCH_BYTES {
            let Some(event) = self.waiting.pop_front() else { break };
            bytes += event.bytes();
            batch.push(event);
        }
        self.bytes -= bytes;
        self.on_their_way = batch.len();
        batch
    }

    /// Takes back what did not arrive, at the front and in its order; how many had to go for it.
    fn give_back(&mut self, events: Vec<Arc<Event>>) -> usize {
        self.on_their_way = 0;
        for event in events.into_iter().rev() {
            self.bytes += event.bytes();
            self.waiting.push_front(event);
        }
        self.shorten()
    }
}

/// The task's own things.
struct Task {
    shared: Arc<Shared>,
    connection: Option<MultiplexedConnection>,
    /// Of so many events at the front of the queue it is not known whether they are in the stream.
    unsure: usize,
}

/// Entries of a stream as Redis lists them: id, and fields by name.
type Entries = Vec<(String, Vec<(String, String)>)>;

/// What became of a batch.
enum Outcome {
    /// Each event's own.
    Each(Vec<Result<(), RedisError>>),
    /// The connection broke; nobody knows.
    Broken(RedisError),
}

impl Task {
    async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let (is_empty, is_closed) = {
                let queue = self.shared.queue();
                (queue.waiting.is_empty(), queue.is_closed)
            };
            if is_empty {
                if is_closed {
                    return;
                }
                self.shared.wake.notified().await;
                continue;
            }
            match self.step().await {
                Ok(()) => pause = FIRST_PAUSE,
                Err(error) => {
                    self.shared.trouble.is(&error, || self.shared.counts());
                    if is_closed {
                        return;
                    }
                    sleep(pause).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
            }
        }
    }

    /// Sends one batch; an error when it has to be tried again.
    async fn step(&mut self) -> Result<(), String> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => match timeout(CONNECT, link::connect(&self.shared.settings.url, None)).await {
                Ok(connected) => connected.map_err(|error| link::words(&error))?,
                Err(_) => return Err(link::HANGS.to_owned()),
            },
        };
        if self.unsure > 0 {
            self.look_up(&mut connection).await?;
        }
        // After a failure one event is tried, so that a Redis that recovers in between takes them in their order.
        let most = if self.shared.trouble.now().is_some() { 1 } else { BATCH };
        let batch = self.shared.queue().take(most);
        if batch.is_empty() {
            self.connection = Some(connection);
            return Ok(());
        }
        match self.send(&mut connection, &batch).await {
            Outcome::Each(results) => {
                self.connection = Some(connection);
                self.settle(batch, results)
            }
            Outcome::Broken(error) => {
                self.unsure = batch.len();
                let dropped = self.shared.queue().give_back(batch);
                // Those that went were the oldest.
                self.unsure = self.unsure.saturating_sub(dropped);
                self.shared.drop_events(dropped);
                Err(link::words(&error))
            }
        }
    }

    async fn send(&self, connection: &mut MultiplexedConnection, batch: &[Arc<Event>]) -> Outcome {
        let settings = &self.shared.settings;
        let mut pipe = redis::pipe();
        for event in batch {
            let command =
                pipe.cmd("XADD").arg(&settings.stream).arg("MAXLEN").arg("~").arg(settings.max_entries).arg("*");
            for (name, value) in event.fields() {
                command.arg(name).arg(value);
            }
        }
        let pipe = pipe.ignore_errors();
        let answer = pipe.query_async::<Vec<Result<redis::Value, RedisError>>>(connection);
        tokio::pin!(answer);
        let answer = tokio::select! {
            answer = &mut answer => answer,
            () = sleep(HANGS_AFTER) => {
                self.shared.trouble.is(link::HANGS, || self.shared.counts());
                answer.await
            }
        };
        match answer {
            Ok(each) => Outcome::Each(each.into_iter().map(|one| one.map(drop)).collect()),
            Err(error) => Outcome::Broken(error),
        }
    }

    /// Counts what is in the stream and takes the rest back.
    fn settle(&mut self, batch: Vec<Arc<Event>>, results: Vec<Result<(), RedisError>>) -> Result<(), String> {
        let last_taken = results.iter().rposition(Result::is_ok);
        let published = results.iter().filter(|result| result.is_ok()).count();
        // What was refused while a later one was taken would now come too late: it says less than what is there.
        let late = last_taken.map_or(0, |at| results[..at].iter().filter(|result| result.is_err()).count());
        let error = results.into_iter().rev().find_map(Result::err).map(|error| link::words(&error));
        let rest = batch.into_iter().skip(last_taken.map_or(0, |at| at + 1)).collect();
        self.shared.published.add(published);
        let dropped = self.shared.queue().give_back(rest);
        self.shared.drop_events(late + dropped);
        match error {
            None => {
                self.shared.trouble.over(|| self.shared.counts());
                Ok(())
            }
            Some(error) => Err(error),
        }
    }

    /// Finds out which events of a batch whose connection broke are in the stream.
    async fn look_up(&mut self, connection: &mut MultiplexedConnection) -> Result<(), String> {
        let mut command = redis::cmd("XREVRANGE");
        command.arg(&self.shared.settings.stream).arg("+").arg("-").arg("COUNT").arg(4 * BATCH);
        let began_at = Instant::now();
        let found: Result<Entries, RedisError> = match timeout(CONNECT, command.query_async(connection)).await {
            Ok(found) => found,
            Err(_) => return Err(link::HANGS.to_owned()),
        };
        tracing::debug!(took_ms = began_at.elapsed().as_millis(), "looked up what was published");
        let there: HashSet<String> = match found {
            Ok(entries) => {
                let ids = entries.into_iter().flat_map(|(_, fields)| fields).filter(|(name, _)| name == "event_id");
                ids.map(|(_, id)| id).collect()
            }
            Err(error) if error.code().is_none() => return Err(link::words(&error)),
            // A key that is no stream holds none of them.
            Err(_) => HashSet::new(),
        };
        let mut queue = self.shared.queue();
        let batch = queue.take(self.unsure);
        let all = batch.len();
        let rest: Vec<_> = batch.into_iter().filter(|event| !there.contains(&event.snapshot.event_id)).collect();
        let published = all - rest.len();
        let dropped = queue.give_back(rest);
        drop(queue);
        self.unsure = 0;
        self.shared.published.add(published);
        self.shared.drop_events(dropped);
        Ok(())
    }
}
