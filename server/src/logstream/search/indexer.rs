//! The thread that keeps the index in step with the log: when it works, when it rests, and what it does when the file is gone or
//! damaged.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Shared;
use super::index::{Index, IndexError, Progress};
use crate::db;

/// The least time between two steps: under a storm of appends one step takes many events.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest rest between two steps.
const LONGEST_REST: Duration = Duration::from_millis(500);
/// How often the log is looked at without being told: what was stored without an event, and other processes' writes.
const LOOK: Duration = Duration::from_millis(500);

/// How much of the machine the indexing may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// A third of a core at most, unless a search waits: beside a hub's other work.
    Gentle,
    /// All of a core: there is nothing else to do.
    Fast,
}

/// The thread's state.
pub(super) struct Indexer {
    shared: Arc<Shared>,
    log_path: PathBuf,
    pace: Pace,
    index: Option<Index>,
    is_failing: bool,
}

impl Indexer {
    pub(super) fn new(shared: Arc<Shared>, log_path: &Path, pace: Pace) -> Self {
        Self { shared, log_path: log_path.to_owned(), pace, index: None, is_failing: false }
    }

    /// Works until `stop` is cancelled or nobody holds the other end of `woken`.
    pub(super) fn run(mut self, woken: &Receiver<()>, stop: &CancellationToken) {
        loop {
            while !stop.is_cancelled() {
                let began_at = Instant::now();
                match self.advance() {
                    Ok(is_behind) => {
                        self.is_failing = false;
                        if !is_behind {
                            break;
                        }
                    }
                    Err(error) => {
                        if error.is_damage() {
                            self.throw_away();
                        }
                        if !std::mem::replace(&mut self.is_failing, true) {
                            tracing::error!(%error, "the search index cannot follow the log for now");
                            // What was damaged may be mended already.
                            continue;
                        }
                        break;
                    }
                }
                self.rest(began_at.elapsed(), woken, stop);
            }
            match woken.recv_timeout(LOOK) {
                Ok(()) if !stop.is_cancelled() => self.rest(Duration::ZERO, woken, stop),
                Err(RecvTimeoutError::Timeout) if !stop.is_cancelled() => {}
                _ => return,
            }
        }
    }

    /// Takes one step if the log is ahead; answers whether it still is.
    fn advance(&mut self) -> Result<bool, IndexError> {
        if self.shared.is_damaged.swap(false, Ordering::Relaxed) {
            self.throw_away();
        }
        if self.index.as_ref().is_some_and(|index| !index.is_in_place()) {
            self.close();
        }
        let mut index = match self.index.take() {
            Some(index) => index,
            None => self.open()?,
        };
        let (mut done, mut is_behind) = index.progress()?;
        self.tell(done);
        if is_behind {
            index.step()?;
            (done, is_behind) = index.progress()?;
            self.tell(done);
        }
        self.index = Some(index);
        Ok(is_behind)
    }

    fn open(&self) -> Result<Index, IndexError> {
        let index = Index::open(&self.shared.path, &self.log_path)?;
        let pool = db::read_pool(&self.shared.path).map_err(std::io::Error::other)?;
        *self.shared.readers.write().unwrap_or_else(PoisonError::into_inner) = Some(pool);
        Ok(index)
    }

    fn tell(&self, done: Progress) {
        if !self.shared.is_damaged.load(Ordering::Relaxed) {
            self.shared.progress.send_if_modified(|told| {
                let is_new = told.as_ref() != Some(&done);
                *told = Some(done);
                is_new
            });
        }
    }

    fn close(&mut self) {
        self.index = None;
        *self.shared.readers.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.shared.progress.send_replace(None);
    }

    fn throw_away(&mut self) {
        self.close();
        db::remove(&self.shared.path);
    }

    /// Lets others work after a step that took so long, unless somebody waits.
    fn rest(&self, took: Duration, woken: &Receiver<()>, stop: &CancellationToken) {
        let rest = match self.pace {
            Pace::Gentle => (took * 2).clamp(PAUSE, LONGEST_REST),
            Pace::Fast => return,
        };
        let until = Instant::now() + rest;
        while self.shared.waiting.get() == 0 && !stop.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            match woken.recv_timeout(left) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}
