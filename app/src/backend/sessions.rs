//! What `/sessions` shows: hot session memory and its output pipeline. It stays on the hub, which writes the page whole.

use loggia_domain::mems::{Owner, Snapshot};

/// Which part of it a page wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionsQuery {
    /// Only sessions of this agent.
    pub agent: Option<String>,
    /// The key of the session that is read.
    pub key: Option<String>,
}

/// A live session.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveSession {
    /// Whose.
    pub owner: Owner,
    /// What it remembers.
    pub snapshot: Snapshot,
    /// How long it still lives, in ms.
    pub left_ms: u64,
}

/// A group of consumers, as Redis knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// How many consumers it has.
    pub consumers: u64,
    /// How many entries were handed out and not acknowledged.
    pub pending: u64,
    /// How many entries it has not read; `None` where Redis does not know.
    pub lag: Option<u64>,
}

/// How the output pipeline is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineState {
    /// Which Redis, without a password.
    pub redis: String,
    /// The key of the stream.
    pub stream: String,
    /// How many entries it keeps, about.
    pub max_entries: u64,
    /// How many events are in it.
    pub published: u64,
    /// How many never will be.
    pub dropped: u64,
    /// How many wait.
    pub waiting: u64,
    /// Why nothing can be published at the moment.
    pub trouble: Option<String>,
    /// The last error and when it came, ms since 1970.
    pub last_error: Option<(String, u64)>,
    /// Length and groups as Redis says them, or why it does not.
    pub read: Result<(u64, Vec<Group>), String>,
}

/// What `/sessions` shows.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionsPage {
    /// The live sessions, those that were written to last first; or why they cannot be read.
    pub sessions: Result<Vec<LiveSession>, String>,
    /// Whether they lie in a Redis, which other hubs may share.
    pub is_shared: bool,
    /// The pipeline; `None` when nothing is published.
    pub pipeline: Option<PipelineState>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}
