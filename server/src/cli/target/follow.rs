//! Following a log, at home or on a hub: woken by what arrives, never asking again and again.

use std::sync::Arc;

use loggia_domain::{Event, Filter};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::cli::output::Failure;
use crate::cli::remote::{Hub, Live};
use crate::logstream::pump::Pump;
use crate::logstream::{Logstream, Tail};

/// A reader that follows a log.
pub(in crate::cli) enum Follow {
    /// The palace's files.
    Files {
        /// The cursor.
        tail: Tail,
        /// What wakes it.
        pump: Arc<Pump>,
        /// Ends the pump with this value.
        _stop: DropGuard,
    },
    /// A hub's stream.
    Hub(Live),
}

impl Follow {
    /// Follows the palace's files.
    pub(super) async fn files(log: &Logstream, filter: Filter, after: Option<String>) -> Result<Self, Failure> {
        let stop = CancellationToken::new();
        let pump = log.follow(|| {}, stop.clone())?;
        let cursor = match after {
            Some(id) => log.seq_of("since_event_id", id).await?,
            None => 0,
        };
        Ok(Self::Files { tail: Tail::new(log, &pump, filter, cursor), pump, _stop: stop.drop_guard() })
    }

    /// Follows a hub's stream.
    pub(super) fn hub(hub: &Hub, filter: &Filter, after: Option<String>) -> Result<Self, Failure> {
        Live::open(hub, filter, after).map(Self::Hub)
    }

    /// Waits for the next events, in the order of their arrival; never none. Dropping the future loses nothing.
    pub(in crate::cli) async fn next(&mut self) -> Result<Vec<Event>, Failure> {
        match self {
            Self::Files { tail, .. } => Ok(tail.next().await?.iter().map(|frame| frame.event.clone()).collect()),
            Self::Hub(live) => live.next().await,
        }
    }

    /// The arrival number of the newest event, matching or not, where that can be told without asking.
    pub(in crate::cli) fn tip(&self) -> Option<i64> {
        match self {
            Self::Files { pump, .. } => Some(pump.newest()),
            Self::Hub(_) => None,
        }
    }
}
