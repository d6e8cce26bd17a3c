//! The rows of a write: what an artifact and an event become in the log's tables, within a transaction that somebody else ends.

use std::sync::atomic::{AtomicI64, Ordering};

use loggia_domain::clock::{Clock, MAX_AHEAD_MS, Stamp};
use loggia_domain::{ArtifactRecord, Event, NewArtifact, NewEvent, Refusal, id, timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use time::OffsetDateTime;

use super::StoreError;
use super::append::Written;
use crate::clock::now_ms;

/// What one write asks, without who asked.
pub(super) struct Write {
    pub(super) artifact: Option<NewArtifact>,
    pub(super) event: Option<NewEvent>,
    pub(super) at: Option<OffsetDateTime>,
}

/// The numbers that the next rows get, good for one transaction.
pub(super) struct Counters {
    /// The newest arrival number.
    pub(super) seq: i64,
    /// The highest number that this hub gave as an author.
    pub(super) origin_seq: i64,
}

/// Refuses ids of artifacts that are not in the log.
pub(super) fn check_artifacts(tx: &Connection, ids: &[String]) -> Result<(), StoreError> {
    for id in ids {
        if !has_artifact(tx, id)? {
            let shown = loggia_domain::refusal::quoted(id);
            return Err(StoreError::Refused(
                Refusal::new("artifact_ids", format!("artifact_ids references unknown artifact {shown}"))
                    .value(id.as_str())
                    .hint("store it first with mempalace_artifact_put and use the id of the answer"),
            ));
        }
    }
    Ok(())
}

/// Whether an artifact is in the log.
pub(super) fn has_artifact(conn: &Connection, id: &str) -> rusqlite::Result<bool> {
    let known = conn.prepare_cached("SELECT 1 FROM artifacts WHERE id = ?1")?.query_row([id], |_| Ok(())).optional()?;
    Ok(known.is_some())
}

/// Stores an artifact under a new id.
pub(super) fn insert_artifact(
    tx: &Connection,
    replica_id: &str,
    now: OffsetDateTime,
    new: NewArtifact,
) -> Result<ArtifactRecord, StoreError> {
    let record = ArtifactRecord {
        id: id::artifact_id(now, random()?),
        kind: new.kind.as_str().to_owned(),
        sha256: new.sha256,
        // A content has at most 4 MiB by the field rules.
        size_bytes: i64::try_from(new.content.len()).unwrap_or(i64::MAX),
        created_by: new.created_by,
        created_at: timestamp::created_at(now),
        origin_replica: Some(replica_id.to_owned()),
    };
    tx.prepare_cached(
        "INSERT INTO artifacts (id, kind, sha256, size_bytes, content, created_by, created_at, metadata_json, origin_replica)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        record.id,
        record.kind,
        record.sha256,
        record.size_bytes,
        new.content,
        record.created_by,
        record.created_at,
        new.metadata.text(),
        replica_id
    ])?;
    Ok(record)
}

/// Appends an event with the next numbers, which go on by one.
pub(super) fn insert_event(
    tx: &Connection,
    replica_id: &str,
    now: OffsetDateTime,
    stamp: Stamp,
    counters: &mut Counters,
    new: NewEvent,
) -> Result<Event, StoreError> {
    let seq = counters.seq + 1;
    let origin_seq = seq.max(counters.origin_seq + 1);
    let event = Event {
        id: id::event_id(now, random()?),
        seq,
        origin_replica: Some(replica_id.to_owned()),
        origin_seq: Some(origin_seq),
        hlc: Some(stamp.text(replica_id)),
        event_type: new.event_type,
        stream: new.stream,
        room: new.room,
        topic: new.topic,
        from_agent: new.from_agent,
        to_agent: new.to_agent,
        correlation_id: new.correlation_id,
        branch: new.branch,
        base_commit: new.base_commit,
        status: new.status.map(|s| s.as_str().to_owned()),
        artifact_ids: new.artifact_ids,
        body: new.body,
        body_truncated: false,
        body_length: None,
        created_at: timestamp::created_at(now),
        metadata: new.metadata,
    };
    insert_row(tx, seq, &event)?;
    *counters = Counters { seq, origin_seq };
    Ok(event)
}

/// Puts an event into its row, with the numbers that it has.
pub(super) fn insert_row(tx: &Connection, seq: i64, event: &Event) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO events (rowid, id, type, stream, room, topic, from_agent, to_agent, correlation_id, branch, base_commit, status,
             body, created_at, metadata_json, origin_replica, origin_seq, hlc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?
    .execute(params![
        seq,
        event.id,
        event.event_type,
        event.stream,
        event.room,
        event.topic,
        event.from_agent,
        event.to_agent,
        event.correlation_id,
        event.branch,
        event.base_commit,
        event.status,
        event.body,
        event.created_at,
        event.metadata.text(),
        event.origin_replica,
        event.origin_seq,
        event.hlc
    ])?;
    for artifact_id in &event.artifact_ids {
        tx.prepare_cached("INSERT INTO event_artifacts (event_id, artifact_id) VALUES (?1, ?2)")?
            .execute([&event.id, artifact_id])?;
    }
    Ok(())
}

fn random() -> Result<[u8; 6], StoreError> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(|e| StoreError::Storage(format!("no random bytes: {e}")))?;
    Ok(bytes)
}

/// What every stamp that the clock may absorb is below: one of another hub may lie years ahead, and must not hide the newest of all others.
pub(super) fn too_far_ahead() -> String {
    format!("{:013}", now_ms().saturating_add(MAX_AHEAD_MS + 1))
}

/// Reads where the log stands now that it is ours: another process may have written since the last group.
pub(super) fn counters(
    tx: &Connection,
    replica_id: &str,
    clock: &mut Clock,
    issued_elsewhere: &AtomicI64,
) -> rusqlite::Result<Counters> {
    let (seq, newest): (i64, Option<String>) = tx
        .prepare_cached(
            "SELECT coalesce((SELECT max(rowid) FROM events), 0), (SELECT max(hlc) FROM events WHERE hlc < ?1)",
        )?
        .query_row([too_far_ahead()], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let origin_seq: Option<i64> = tx
        .prepare_cached("SELECT max(origin_seq) FROM events WHERE origin_replica = ?1")?
        .query_row([replica_id], |r| r.get(0))?;
    if let Some(stamp) = newest {
        clock.observe(&stamp, now_ms());
    }
    Ok(Counters { seq, origin_seq: origin_seq.unwrap_or(0).max(issued_elsewhere.load(Ordering::SeqCst)) })
}

/// Writes what one caller asks: all of it, or on an error nothing.
pub(super) fn write_one(
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
