//! Full-text search over events and artifacts: newest first, every word must be there. Not a ranking and not a part of the log.
//!
//! # Design
//! The index is a side file, so that an append never waits for it. One thread follows the log; a search waits a moment for it and
//! says honestly up to where it looked. Several processes may bring one index forward, each step is one transaction. Whatever does
//! not fit the log (another schema, a restored log, damage, a file that was removed) is made anew from it.

mod answer;
mod ask;
mod expression;
mod index;
mod indexer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use ask::{ArtifactHit, EventHit, Found, SearchQuery};
pub use index::{FILE_NAME, Progress};
pub(super) use index::{VERSION, fits, progress};
pub use indexer::Pace;

use super::{Logstream, StoreError};
use crate::db::ReadPool;
use crate::figures::Gauge;

/// How long a search waits for the index to reach the newest event before it answers with what there is.
pub const PATIENCE: Duration = Duration::from_millis(250);

/// How often a command that waits for the index says how far it is.
const TOLD_EVERY: Duration = Duration::from_secs(2);
/// After how many of those without any progress it gives up.
const MAX_IN_VAIN: u32 = 10;

/// The handle of the index. Cheap to clone.
#[derive(Clone)]
pub struct Search {
    shared: Arc<Shared>,
    wake: SyncSender<()>,
}

/// What the thread and those who ask have in common.
struct Shared {
    path: PathBuf,
    /// `None` until the side file is open, and while it is made anew.
    readers: RwLock<Option<ReadPool>>,
    /// Up to where the log is indexed; `None` with the readers.
    progress: watch::Sender<Option<Progress>>,
    /// How many searches wait: meanwhile the thread does not rest.
    waiting: Gauge,
    /// A reader met damage: the thread makes the file anew.
    is_damaged: AtomicBool,
}

impl Search {
    /// Starts to follow a log, until `stop` is cancelled. Returns at once, whatever there is to index.
    pub fn start(log: &Logstream, palace: &Path, pace: Pace, stop: CancellationToken) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared {
            path: palace.join(FILE_NAME),
            readers: RwLock::new(None),
            progress: watch::Sender::new(None),
            waiting: Gauge::default(),
            is_damaged: AtomicBool::new(false),
        });
        let (wake, woken) = sync_channel(1);
        let thread = indexer::Indexer::new(Arc::clone(&shared), log.path(), pace);
        std::thread::Builder::new()
            .name("log-search".to_owned())
            .spawn(move || thread.run(&woken, &stop))
            .map_err(|e| StoreError::Storage(e.to_string()))?;
        Ok(Self { shared, wake })
    }

    /// Tells the thread that something was committed. Never blocks.
    pub fn wake(&self) {
        let _ = self.wake.try_send(());
    }

    /// Up to where the log is indexed; `None` while the side file is opened or made anew.
    pub fn progress(&self) -> Option<Progress> {
        self.shared.progress.borrow().clone()
    }

    /// Waits until everything up to `goal` is indexed, or until `patience` is over: being late is no error, the answer says so.
    pub async fn caught_up(&self, goal: &Progress, patience: Duration) {
        let reached = |now: &Option<Progress>| now.as_ref().is_some_and(|now| now.reaches(goal));
        let mut progress = self.shared.progress.subscribe();
        if reached(&progress.borrow()) {
            return;
        }
        let _waiting = self.shared.waiting.enter();
        self.wake();
        let _ = tokio::time::timeout(patience, progress.wait_for(reached)).await;
    }

    /// Waits until the log, as it is now, is indexed: for a command that is alone with it. `told` hears every two seconds up to where
    /// it goes and how far the log reaches. An index that does not move any more is an error.
    pub async fn bring_up(&self, log: &Logstream, mut told: impl FnMut(i64, i64)) -> Result<(), StoreError> {
        let goal = log.read(ask::tip).await?;
        let (mut last, mut in_vain) = (None, 0);
        loop {
            self.caught_up(&goal, TOLD_EVERY).await;
            let now = self.progress();
            if now.as_ref().is_some_and(|now| now.reaches(&goal)) {
                return Ok(());
            }
            in_vain = if now == last { in_vain + 1 } else { 0 };
            if in_vain == MAX_IN_VAIN {
                return Err(StoreError::Storage(format!(
                    "{} cannot be brought up to date",
                    self.shared.path.display()
                )));
            }
            if let Some(now) = &now {
                told(now.seq, goal.seq);
            }
            last = now;
        }
    }

    /// What answers a query, after a moment for the index to reach the end of the log. An unknown cursor is an error.
    pub async fn find(&self, log: &Logstream, mut query: SearchQuery) -> Result<Found, StoreError> {
        query.filter.within = log.reach().clone();
        let goal = log.read(ask::tip).await?;
        self.caught_up(&goal, PATIENCE).await;
        match self.try_find(log, query.clone()).await {
            Err(Missed::Damaged(error)) => {
                tracing::warn!(%error, "the search index is damaged");
                self.shared.is_damaged.store(true, Ordering::Relaxed);
                self.shared.progress.send_replace(None);
                self.caught_up(&goal, PATIENCE).await;
                self.try_find(log, query).await.map_err(StoreError::from)
            }
            other => other.map_err(StoreError::from),
        }
    }

    async fn try_find(&self, log: &Logstream, query: SearchQuery) -> Result<Found, Missed> {
        let readers = self.shared.readers.read().unwrap_or_else(PoisonError::into_inner).clone();
        let found = log.read(move |log| {
            let side = readers.map(|readers| readers.get()).transpose()?;
            Ok(ask::find(side.as_deref(), log, &query))
        });
        found.await?
    }
}

/// Why a search found no answer.
#[derive(Debug)]
enum Missed {
    /// The index must be made anew.
    Damaged(rusqlite::Error),
    /// Anything else.
    Store(StoreError),
}

impl From<StoreError> for Missed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for Missed {
    fn from(error: rusqlite::Error) -> Self {
        if index::is_damage(&error) { Self::Damaged(error) } else { Self::Store(error.into()) }
    }
}

impl From<Missed> for StoreError {
    fn from(missed: Missed) -> Self {
        match missed {
            Missed::Damaged(_) => Self::Storage("the search index is damaged and being made anew".to_owned()),
            Missed::Store(error) => error,
        }
    }
}

#[cfg(test)]
mod tests;
