//! What session memory counts about itself, for `/statusz` and `/metrics`: numbers and words of ours, never a text that somebody sent.

use serde::Serialize;

use super::link;
use super::publisher::Progress;
use crate::figures::Counter;

/// What is counted on the way.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Writes that were taken.
    pub(super) writes: Counter,
    /// Writes whose session would hold too much.
    pub(super) refused: Counter,
    /// Writes that the store did not take.
    pub(super) failed: Counter,
    /// Writes whose messages were in the palace when they were answered.
    pub(super) filed: Counter,
    /// Writes with messages for which that was not so.
    pub(super) not_filed: Counter,
}

/// Session memory at one moment.
#[derive(Debug, Clone, Serialize)]
pub struct MemsFigures {
    /// `embedded` or `redis`.
    pub store: &'static str,
    /// How many sessions are live; `None` where they are in a Redis, which would have to be searched for them.
    pub sessions: Option<usize>,
    /// Writes that were taken.
    pub writes: u64,
    /// Writes whose session would hold too much.
    pub writes_refused: u64,
    /// Writes that the store did not take.
    pub writes_failed: u64,
    /// Writes whose messages were in the palace when they were answered.
    pub writes_filed: u64,
    /// Writes with messages for which that was not so.
    pub writes_not_filed: u64,
    /// How publishing goes; `None` when nothing is published.
    pub pipeline: Option<PipelineFigures>,
}

/// How publishing goes.
#[derive(Debug, Clone, Serialize)]
pub struct PipelineFigures {
    /// Events that are in the stream.
    pub published: u64,
    /// Events that never will be.
    pub dropped: u64,
    /// Events that wait.
    pub waiting: u64,
    /// Whether nothing can be published at the moment.
    pub is_failing: bool,
    /// What kind the last error was: `hangs`, `unreachable`, `full`, `forbidden`, `wrong_type`, `password`, `refused` or `other`.
    pub last_error_kind: Option<&'static str>,
}

impl From<Progress> for PipelineFigures {
    fn from(progress: Progress) -> Self {
        Self {
            published: progress.published,
            dropped: progress.dropped,
            waiting: progress.waiting,
            is_failing: progress.trouble.is_some(),
            last_error_kind: progress.last_error.map(|(words, _)| link::kind(&words)),
        }
    }
}
