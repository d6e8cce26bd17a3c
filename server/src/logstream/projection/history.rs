//! From which event to which a delegation waited for somebody, or stood as failed: what a board of the past is made of. Only this; how each
//! of them stood is folded again from its own events when somebody asks, so nothing is said twice.
//!
//! # Design
//! A span for each event that changes something is written by the same steps as the cards. What is written depends on the events alone
//! and not on how they fell into steps, so that `verify` can compare it. Of a correlation with very many events only the first
//! [`COURSE_EVENTS`] are followed; from there on it stays a candidate, and whoever asks finds out by folding it.

use loggia_domain::delegation::{self, State};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::read::COURSE_EVENTS;
use super::{Projection, StoreError, sql};

/// The table, beside those of the projection.
pub(super) const TABLES: &str = "
CREATE TABLE history (correlation_id TEXT NOT NULL, seq INTEGER NOT NULL, until INTEGER NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY (correlation_id, seq)) WITHOUT ROWID;
CREATE INDEX history_kind ON history(kind, seq, until);";

/// The end of a span that has none yet.
const NO_END: i64 = i64::MAX;

/// What a span tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Somebody was waited for.
    Waiting,
    /// It had failed.
    Failed,
}

impl Kind {
    fn of(state: State) -> Option<Self> {
        match state {
            State::Open | State::Claimed | State::Ready | State::Blocked => Some(Self::Waiting),
            State::Failed => Some(Self::Failed),
            State::Applied | State::Superseded | State::Other => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Failed => "failed",
        }
    }
}

impl Projection {
    /// The delegations that may have stood so when the event `seq` had arrived, those that began last first, at most `limit`. That they really
    /// did is for a fold to say.
    pub async fn stood(&self, kind: Kind, seq: i64, limit: usize) -> Result<Vec<String>, StoreError> {
        self.read(move |conn| {
            let sql = format!(
                "SELECT correlation_id FROM history WHERE kind = ?1 AND seq <= ?2 AND until > ?2 ORDER BY seq DESC LIMIT {limit}"
            );
            let ids = conn
                .prepare_cached(&sql)?
                .query_map(params![kind.as_str(), seq], |r| r.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(ids)
        })
        .await
    }
}

/// Takes the events of one correlation after `from` and up to `upto` into its history.
pub(super) fn take(log: &Connection, tx: &Connection, id: &str, from: i64, upto: i64) -> Result<(), StoreError> {
    let deciding: Vec<i64> = log
        .prepare_cached(
            "SELECT rowid FROM events WHERE correlation_id = ?1 AND rowid > ?2 AND rowid <= ?3
             AND (status IS NOT NULL OR type = 'task.request') ORDER BY rowid",
        )?
        .query_map(params![id, from, upto], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if deciding.is_empty() {
        return Ok(());
    }
    // What decides is in the columns; bodies can be long.
    let columns = sql::EVENT_COLUMNS.replace("e.body", "''");
    let first = format!(
        "SELECT {columns} FROM events e WHERE e.correlation_id = ?1 AND e.rowid <= ?2 ORDER BY e.rowid LIMIT {COURSE_EVENTS}"
    );
    let first =
        log.prepare_cached(&first)?.query_map(params![id, upto], sql::event)?.collect::<rusqlite::Result<Vec<_>>>()?;
    for seq in deciding {
        match first.iter().position(|e| e.seq == seq) {
            Some(at) if at + 1 < COURSE_EVENTS => {
                let kind = delegation::fold(&first[..=at]).and_then(|d| Kind::of(d.state));
                stands(tx, id, seq, kind)?;
            }
            _ => stands(tx, id, seq, Some(Kind::Waiting))?,
        }
    }
    Ok(())
}

/// Notes how a delegation stands from an event on.
fn stands(tx: &Connection, id: &str, seq: i64, kind: Option<Kind>) -> rusqlite::Result<()> {
    let open: Option<String> = tx
        .prepare_cached("SELECT kind FROM history WHERE correlation_id = ?1 AND until = ?2")?
        .query_row(params![id, NO_END], |r| r.get(0))
        .optional()?;
    if open.as_deref() == kind.map(Kind::as_str) {
        return Ok(());
    }
    tx.prepare_cached("UPDATE history SET until = ?3 WHERE correlation_id = ?1 AND until = ?2")?
        .execute(params![id, NO_END, seq])?;
    if let Some(kind) = kind {
        tx.prepare_cached("INSERT INTO history VALUES (?1, ?2, ?3, ?4)")?.execute(params![
            id,
            seq,
            NO_END,
            kind.as_str()
        ])?;
    }
    Ok(())
}
