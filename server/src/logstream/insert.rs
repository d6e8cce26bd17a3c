//! The rows of a write: what an artifact and an event become in the log's tables, within a transaction that somebody else ends.

use loggia_domain::clock::Stamp;
use loggia_domain::{ArtifactRecord, Event, NewArtifact, NewEvent, Refusal, id, timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use time::OffsetDateTime;

use super::StoreError;

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
