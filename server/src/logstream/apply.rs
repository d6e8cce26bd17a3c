//! Events and artifacts of other hubs, taken into the log by its one writer (`contract: sync`).
//!
//! # Design
//! A run of one author's events is one transaction, in the author's order. It stops at the first event that cannot be taken: a
//! version vector is a maximum, and what was skipped could never be asked for again. What came before it stays. An event keeps
//! everything that its author gave it; only `seq` is ours.

use std::collections::HashMap;
use std::time::Duration;

use loggia_domain::clock::Clock;
use loggia_domain::{Artifact, Event};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;

use super::append::Task;
use super::insert::{Counters, has_artifact, insert_row};
use super::{Logstream, StoreError};
use crate::clock::now_ms;

/// Events of one author in the author's order, and the artifacts that they reference and the log lacks.
#[derive(Debug, Default)]
pub struct Run {
    /// Checked by `loggia_domain::remote`.
    pub events: Vec<Event>,
    /// By id.
    pub artifacts: HashMap<String, Artifact>,
}

/// What became of a run.
#[derive(Debug, Default, Clone)]
pub struct Applied {
    /// How many events are new in the log.
    pub events: u64,
    /// How many artifacts are.
    pub artifacts: u64,
    /// The event at which it stopped, if it did.
    pub stopped: Option<Stopped>,
}

/// Why a run stopped.
#[derive(Debug, Clone)]
pub struct Stopped {
    /// The event that was not taken.
    pub event_id: String,
    /// The artifact at fault, if it is one.
    pub artifact_id: Option<String>,
    /// What is wrong.
    pub reason: String,
}

/// What the writer is asked beside ordinary writes.
pub(super) enum Remote {
    /// Take a run.
    Apply(Run, oneshot::Sender<Result<Applied, StoreError>>),
    /// Number our own events after one anew, above another; answers how many.
    Renumber {
        /// The last number that stays.
        after: i64,
        /// The new numbers are above this.
        above: i64,
        /// How many got a new number.
        reply: oneshot::Sender<Result<u64, StoreError>>,
    },
}

impl Logstream {
    /// Takes events of another hub. They are on disk when this returns.
    pub async fn apply(&self, run: Run) -> Result<Applied, StoreError> {
        self.inner.appender.ask(|reply| Task::Remote(Remote::Apply(run, reply))).await
    }

    /// Lets no append get a number that peers already hold of this hub: the next is above `number`.
    pub fn issue_above(&self, number: i64) {
        self.inner.appender.issue_above(number);
    }

    /// Holds ordinary appends back until [`Logstream::let_appends_in`], for at most so long.
    pub fn hold_appends(&self, at_most: Duration) {
        self.inner.gate.shut(at_most);
    }

    /// Lets appends in again.
    pub fn let_appends_in(&self) {
        self.inner.gate.open();
    }

    /// Gives our own events after a number new ones above another: they were written after the log had been restored from a backup,
    /// with numbers that peers know for other events. Answers how many there were.
    pub async fn renumber_own(&self, after: i64, above: i64) -> Result<u64, StoreError> {
        self.issue_above(above);
        self.inner.appender.ask(|reply| Task::Remote(Remote::Renumber { after, above, reply })).await
    }
}

/// A change within a transaction of the writer's.
pub(super) type Change<'a> = dyn FnMut(&Connection, &str, &mut Clock, &mut Counters) -> Result<(), StoreError> + 'a;

/// Does what is asked; `within` runs a change in one transaction and commits it.
pub(super) fn take(remote: Remote, within: &mut dyn FnMut(&mut Change<'_>) -> Result<(), StoreError>) {
    match remote {
        Remote::Apply(run, reply) => {
            let (mut run, mut applied) = (Some(run), Applied::default());
            let done = within(&mut |tx, _, clock, counters| {
                applied = apply(tx, clock, counters, run.take().unwrap_or_default())?;
                Ok(())
            });
            // Whoever asked may be gone; what was committed is in the log all the same.
            let _ = reply.send(done.map(|()| applied));
        }
        Remote::Renumber { after, above, reply } => {
            let mut count = 0;
            let done = within(&mut |tx, replica_id, _, counters| {
                count = renumber(tx, replica_id, after, above, counters)?;
                Ok(())
            });
            let _ = reply.send(done.map(|()| count));
        }
    }
}

/// Takes a run within a transaction.
fn apply(tx: &Connection, clock: &mut Clock, counters: &mut Counters, mut run: Run) -> Result<Applied, StoreError> {
    let mut applied = Applied::default();
    for event in std::mem::take(&mut run.events) {
        let stopped =
            |reason: String, artifact_id: Option<String>| Stopped { event_id: event.id.clone(), artifact_id, reason };
        match look(tx, &event)? {
            Known::New => {}
            Known::Here => continue,
            Known::OtherNumber => {
                tx.prepare_cached("UPDATE events SET origin_seq = ?2 WHERE id = ?1 AND origin_seq < ?2")?
                    .execute(params![event.id, event.origin_seq])?;
                continue;
            }
            Known::Other(reason) => {
                applied.stopped = Some(stopped(reason, None));
                break;
            }
        }
        if let Some(missing) = take_artifacts(tx, &event, &mut run.artifacts, &mut applied)? {
            applied.stopped = Some(stopped("an artifact that it references is missing".to_owned(), Some(missing)));
            break;
        }
        counters.seq += 1;
        insert_row(tx, counters.seq, &event)?;
        if let Some(hlc) = &event.hlc {
            clock.observe(hlc, now_ms());
        }
        applied.events += 1;
    }
    Ok(applied)
}

enum Known {
    /// Neither its id nor its number is there.
    New,
    /// It is there.
    Here,
    /// It is there, and its author has given it a higher number since.
    OtherNumber,
    /// Something else has its id or its number.
    Other(String),
}

fn look(tx: &Connection, event: &Event) -> rusqlite::Result<Known> {
    type Row = (Option<String>, Option<i64>, Option<String>, String);
    let same_id: Option<Row> = tx
        .prepare_cached("SELECT origin_replica, origin_seq, hlc, body FROM events WHERE id = ?1")?
        .query_row([&event.id], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))
        .optional()?;
    let same_number: Option<String> = tx
        .prepare_cached("SELECT id FROM events WHERE origin_replica = ?1 AND origin_seq = ?2")?
        .query_row(params![event.origin_replica, event.origin_seq], |r| r.get(0))
        .optional()?;
    Ok(match (same_id, same_number) {
        (None, None) => Known::New,
        (Some((replica, number, hlc, body)), same_number) => {
            if replica != event.origin_replica || hlc != event.hlc || body != event.body {
                Known::Other("another event with this id is here already".to_owned())
            } else if number == event.origin_seq || same_number.is_some() {
                Known::Here
            } else {
                Known::OtherNumber
            }
        }
        (None, Some(other)) => Known::Other(format!("its number belongs to {other} here")),
    })
}

/// Stores what the event references; the id of the first that neither came nor is there.
fn take_artifacts(
    tx: &Connection,
    event: &Event,
    came: &mut HashMap<String, Artifact>,
    applied: &mut Applied,
) -> rusqlite::Result<Option<String>> {
    for id in &event.artifact_ids {
        if !came.contains_key(id) && !has_artifact(tx, id)? {
            return Ok(Some(id.clone()));
        }
    }
    for id in &event.artifact_ids {
        let Some(artifact) = came.remove(id) else { continue };
        let stored = tx
            .prepare_cached(
                "INSERT OR IGNORE INTO artifacts
                 (id, kind, sha256, size_bytes, content, created_by, created_at, metadata_json, origin_replica)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                artifact.id,
                artifact.kind,
                artifact.sha256,
                artifact.size_bytes,
                artifact.content,
                artifact.created_by,
                artifact.created_at,
                artifact.metadata.text(),
                artifact.origin_replica.as_ref().or(event.origin_replica.as_ref()),
            ])?;
        applied.artifacts += u64::try_from(stored).unwrap_or(0);
    }
    Ok(None)
}

/// Gives new numbers within a transaction; see [`Logstream::renumber_own`].
fn renumber(
    tx: &Connection,
    replica_id: &str,
    after: i64,
    above: i64,
    counters: &mut Counters,
) -> rusqlite::Result<u64> {
    // Only numbers that the peer gave to other events are in the way; after an attempt that broke off there are none any more.
    let is_in_the_way = tx
        .prepare("SELECT 1 FROM events WHERE origin_replica = ?1 AND origin_seq > ?2 AND origin_seq <= ?3")?
        .exists(params![replica_id, after, above])?;
    if !is_in_the_way {
        return Ok(0);
    }
    let ids: Vec<String> = tx
        .prepare("SELECT id FROM events WHERE origin_replica = ?1 AND origin_seq > ?2 ORDER BY origin_seq")?
        .query_map(params![replica_id, after], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    counters.origin_seq = counters.origin_seq.max(above);
    for id in &ids {
        counters.origin_seq += 1;
        tx.prepare_cached("UPDATE events SET origin_seq = ?2 WHERE id = ?1")?
            .execute(params![id, counters.origin_seq])?;
    }
    Ok(u64::try_from(ids.len()).unwrap_or(u64::MAX))
}
