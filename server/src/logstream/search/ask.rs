//! What a search asks of the index and of the log, and the answer. The index says which rows, the log says what is in them.

use loggia_domain::refusal::quoted;
use loggia_domain::search::{Excerpt, Query};
use loggia_domain::{ArtifactRecord, Event, Filter, Refusal};
use rusqlite::{Connection, OptionalExtension, params};

use super::Missed;
use super::expression;
use super::index::{self, ARTIFACTS, EVENTS, Progress};
use crate::logstream::read::{self, Newest};
use crate::logstream::{StoreError, sql};

/// How many artifacts one answer holds at most: each is read whole for its excerpt.
pub const MAX_ARTIFACTS: usize = 50;
/// How many events are looked at for one answer. Only a window of time, which the index knows nothing of, lets more than a few pass.
const MAX_EXAMINED_EVENTS: usize = 5000;
/// The same for artifacts under a filter.
const MAX_EXAMINED_ARTIFACTS: usize = 1000;
/// How many events one look into the log takes at most.
const MAX_CHUNK: usize = 1000;
/// How many of the events that reference an artifact are looked at.
const REFERENCES: usize = 100;

/// What is searched for.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// The words.
    pub query: Query,
    /// Which events; of the artifacts those that such an event references.
    pub filter: Filter,
    /// Only events that arrived before this one.
    pub before_event_id: Option<String>,
    /// Whether artifacts are searched too.
    pub artifacts: bool,
    /// Only artifacts that were stored before this one.
    pub before_artifact_id: Option<String>,
    /// At most so many of each; of artifacts never more than [`MAX_ARTIFACTS`].
    pub limit: usize,
}

/// An event that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct EventHit {
    /// The whole event.
    pub event: Event,
    /// Where it answers.
    pub excerpt: Excerpt,
}

/// An artifact that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactHit {
    /// What is told about it.
    pub record: ArtifactRecord,
    /// Where it answers.
    pub excerpt: Excerpt,
    /// The newest events that reference it, newest first, at most a hundred.
    pub event_ids: Vec<String>,
}

/// Hits, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits<T> {
    /// At most as many as were asked for. There may be fewer although there are more, after a long look in vain.
    pub hits: Vec<T>,
    /// Where to go on for older ones; `None` when there are none.
    pub older: Option<String>,
}

impl<T> Hits<T> {
    fn none() -> Self {
        Self { hits: Vec::new(), older: None }
    }
}

/// The answer, as far as the log is indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The events.
    pub events: Hits<EventHit>,
    /// The artifacts, if they were asked for.
    pub artifacts: Option<Hits<ArtifactHit>>,
    /// Up to where the log is indexed.
    pub indexed: Progress,
    /// The newest event of the log.
    pub newest: Newest,
}

/// The end of the log.
pub(super) fn tip(log: &Connection) -> Result<Progress, StoreError> {
    let newest = read::newest(log)?;
    let artifact = log
        .prepare_cached("SELECT rowid, id FROM artifacts ORDER BY rowid DESC LIMIT 1")?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let (artifact_row, artifact_id) = artifact.map_or((0, None), |(row, id)| (row, Some(id)));
    Ok(Progress { seq: newest.seq, event_id: newest.id, artifact_row, artifact_id })
}

/// What answers a query; nothing is indexed yet without a side file.
pub(super) fn find(side: Option<&Connection>, log: &Connection, query: &SearchQuery) -> Result<Found, Missed> {
    let before = Before::of(log, query)?;
    let newest = read::newest(log).map_err(StoreError::from)?;
    let Some(side) = side else {
        let artifacts = query.artifacts.then(Hits::none);
        return Ok(Found { events: Hits::none(), artifacts, indexed: Progress::default(), newest });
    };
    // One moment of the index; the log only ever grows, so that a row of the index is there.
    let side = side.unchecked_transaction()?;
    let indexed = index::progress(&side)?;
    let events = find_events(&side, log, query, before.seq)?;
    let artifacts = query.artifacts.then(|| find_artifacts(&side, log, query, before.artifact_row)).transpose()?;
    Ok(Found { events, artifacts, indexed, newest })
}

/// Below which rows to look.
struct Before {
    seq: i64,
    artifact_row: i64,
}

impl Before {
    fn of(log: &Connection, query: &SearchQuery) -> Result<Self, StoreError> {
        let row = |field: &'static str, sql: &str, id: &Option<String>| {
            let Some(id) = id else { return Ok(i64::MAX) };
            let found = log.prepare_cached(sql)?.query_row([id], |r| r.get(0)).optional()?;
            found.ok_or_else(|| {
                let refusal = Refusal::new(field, format!("{field} {} not found", quoted(id))).value(id.as_str());
                StoreError::NotFound(
                    refusal.hint("cursors are ids of this hub; search without a cursor to get a fresh one"),
                )
            })
        };
        Ok(Self {
            seq: row("before_event_id", "SELECT rowid FROM events WHERE id = ?1", &query.before_event_id)?,
            artifact_row: row(
                "before_artifact_id",
                "SELECT rowid FROM artifacts WHERE id = ?1",
                &query.before_artifact_id,
            )?,
        })
    }
}

fn find_events(
    side: &Connection,
    log: &Connection,
    query: &SearchQuery,
    mut before: i64,
) -> Result<Hits<EventHit>, Missed> {
    let question = expression::filtered(&query.query, &query.filter);
    let mut hits: Vec<EventHit> = Vec::new();
    let (mut examined, mut chunk) = (0, query.limit + 1);
    loop {
        let rows = EVENTS.find(side, &question, before, chunk)?;
        let is_last = rows.len() < chunk;
        for row in rows {
            // Also a row that is gone was looked at: or its chunk would be asked for again without end.
            (before, examined) = (row, examined + 1);
            let Some(event) = event_at(log, row)?.filter(|event| query.filter.matches(event)) else { continue };
            let Some(excerpt) = query.query.event_excerpt(&event) else { continue };
            if hits.len() == query.limit {
                let older = hits.last().map(|hit| hit.event.id.clone());
                return Ok(Hits { hits, older });
            }
            hits.push(EventHit { event, excerpt });
        }
        if is_last {
            return Ok(Hits { hits, older: None });
        }
        if examined >= MAX_EXAMINED_EVENTS {
            let older = event_at(log, before)?.map(|event| event.id);
            return Ok(Hits { hits, older });
        }
        chunk = (chunk * 2).clamp(1, MAX_CHUNK);
    }
}

fn event_at(log: &Connection, row: i64) -> Result<Option<Event>, StoreError> {
    let sql = format!("SELECT {} FROM events e WHERE e.rowid = ?1", sql::EVENT_COLUMNS);
    Ok(log.prepare_cached(&sql)?.query_row([row], sql::event).optional()?)
}

fn find_artifacts(
    side: &Connection,
    log: &Connection,
    query: &SearchQuery,
    before: i64,
) -> Result<Hits<ArtifactHit>, Missed> {
    let limit = query.limit.min(MAX_ARTIFACTS);
    let wanted = if query.filter.is_empty() { limit + 1 } else { MAX_EXAMINED_ARTIFACTS };
    let rows = ARTIFACTS.find(side, &expression::words(&query.query), before, wanted)?;
    let is_cut = rows.len() == wanted;
    let mut hits: Vec<ArtifactHit> = Vec::new();
    let mut examined_id = None;
    for row in rows {
        let Some(id) = artifact_id(log, row)? else { continue };
        examined_id = Some(id.clone());
        let referencing = references(log, &id)?;
        if !query.filter.is_empty() && !referencing.iter().any(|event| query.filter.matches(event)) {
            continue;
        }
        if hits.len() == limit {
            let older = hits.last().map(|hit| hit.record.id.clone());
            return Ok(Hits { hits, older });
        }
        let Some(artifact) = read::artifact(log, &id)? else { continue };
        let Some(excerpt) = query.query.artifact_excerpt(&artifact) else { continue };
        let event_ids = referencing.into_iter().map(|event| event.id).collect();
        hits.push(ArtifactHit { record: artifact.record(), excerpt, event_ids });
    }
    Ok(Hits { hits, older: examined_id.filter(|_| is_cut) })
}

fn artifact_id(log: &Connection, row: i64) -> Result<Option<String>, StoreError> {
    let mut statement = log.prepare_cached("SELECT id FROM artifacts WHERE rowid = ?1")?;
    Ok(statement.query_row([row], |r| r.get(0)).optional()?)
}

/// The newest events that reference an artifact, without their bodies.
fn references(log: &Connection, artifact_id: &str) -> Result<Vec<Event>, StoreError> {
    let columns = sql::EVENT_COLUMNS.replace("e.body", "''");
    let sql = format!(
        "SELECT {columns} FROM events e WHERE e.rowid IN (SELECT r.rowid FROM event_artifacts a JOIN events r ON r.id = a.event_id
         WHERE a.artifact_id = ?1) ORDER BY e.rowid DESC LIMIT {REFERENCES}"
    );
    let mut statement = log.prepare_cached(&sql)?;
    Ok(statement.query_map(params![artifact_id], sql::event)?.collect::<rusqlite::Result<_>>()?)
}
