//! Questions to the log that are answered once: lists, single events, artifacts. Live readers use [`super::Tail`].

use std::collections::{BTreeMap, HashMap};

use loggia_domain::{Artifact, ArtifactRecord, Event, Filter, Refusal, refusal::quoted};
use rusqlite::{Connection, OptionalExtension};

use super::reach::{count_of_correlation, seen, sees_artifact};
use super::sql::{self, Conditions};
use super::{Logstream, StoreError};

/// How many events one list gives at most (`contract: logstream`, section Reading).
pub const MAX_LIMIT: usize = 500;
/// How many it gives when nothing is said.
pub const DEFAULT_LIMIT: usize = 50;

/// How many events of one correlation are folded at most, see [`course`].
pub const COURSE_EVENTS: usize = 1000;

/// Where in the log a list can find something, as far as it is known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// From which arrival number on.
    pub first: i64,
    /// Up to which, of what arrived up to `counted`.
    pub last: i64,
    /// The last arrival number of which this is known.
    pub counted: i64,
}

/// All of the log.
const EVERYWHERE: Places = Places { first: i64::MIN, last: i64::MAX, counted: i64::MAX };

/// The direction of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Oldest first.
    Asc,
    /// Newest first.
    Desc,
}

/// What a list asks. Cursors are event ids, both exclusive.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// What passes.
    pub filter: Filter,
    /// Only what arrived after this event.
    pub since_event_id: Option<String>,
    /// Only what arrived before this event.
    pub before_event_id: Option<String>,
    /// The direction.
    pub order: Order,
    /// At most so many.
    pub limit: usize,
}

/// The newest event at a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// Its arrival number; 0 on an empty log.
    pub seq: i64,
    /// Its id; `None` on an empty log.
    pub id: Option<String>,
}

/// What a list answers, all from one moment of the log.
#[derive(Debug)]
pub struct Listed {
    /// In the order asked.
    pub events: Vec<Event>,
    /// Whether more match in the same direction.
    pub has_more: bool,
    /// The newest event of the log, matching or not.
    pub newest: Newest,
}

impl Logstream {
    /// A list of events (`contract: logstream`, section Reading). An unknown cursor is an error, never "from the start".
    pub async fn list(&self, query: ListQuery) -> Result<Listed, StoreError> {
        self.list_between(query, EVERYWHERE).await
    }

    /// The same for whoever knows where all of it lies, so that the rest is not looked through.
    pub async fn list_between(&self, mut query: ListQuery, between: Places) -> Result<Listed, StoreError> {
        query.filter.within = self.reach().clone();
        self.read(move |conn| in_snapshot(conn, |conn| list(conn, &query, between))).await
    }

    /// One event; `None` if there is no such id.
    pub async fn event(&self, id: String) -> Result<Option<Event>, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| Ok(seen(event(conn, &id)?, &reach))).await
    }

    /// One artifact with its content; `None` if there is no such id.
    pub async fn artifact(&self, id: String) -> Result<Option<Artifact>, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| if sees_artifact(conn, &id, &reach)? { artifact(conn, &id) } else { Ok(None) }).await
    }

    /// What is told about some artifacts, by id; unknown ids are left out.
    pub async fn artifact_records(&self, ids: Vec<String>) -> Result<HashMap<String, ArtifactRecord>, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            let sql = format!("SELECT {} FROM artifacts WHERE id = ?1", sql::ARTIFACT_COLUMNS);
            let mut found = HashMap::new();
            for id in ids {
                if !sees_artifact(conn, &id, &reach)? {
                    continue;
                }
                if let Some(record) = conn.prepare_cached(&sql)?.query_row([&id], sql::artifact_record).optional()? {
                    found.insert(id, record);
                }
            }
            Ok(found)
        })
        .await
    }

    /// The events that reference an artifact, in arrival order, at most `limit`.
    pub async fn references(&self, artifact_id: String, limit: usize) -> Result<Vec<Event>, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            let mut wanted = Conditions::default();
            wanted.push("a.artifact_id = ?", artifact_id);
            wanted.push_reach("r.stream", &reach);
            let sql = format!(
                "SELECT {} FROM events e WHERE e.rowid IN (SELECT r.rowid FROM event_artifacts a JOIN events r ON r.id = a.event_id
                 {}) ORDER BY e.rowid LIMIT {limit}",
                sql::EVENT_COLUMNS,
                wanted.where_clause(),
            );
            let events = conn
                .prepare_cached(&sql)?
                .query_map(wanted.params(), sql::event)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(events)
        })
        .await
    }

    /// The events of one correlation, see [`course`]; how many there are in all; and the newest event of the log. All from one moment.
    pub async fn correlation(&self, id: String) -> Result<(Vec<Event>, u64, Newest), StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            in_snapshot(conn, |conn| {
                let total = count_of_correlation(conn, &id, &reach)?;
                let mut events = course(conn, &id, i64::MAX, sql::EVENT_COLUMNS)?;
                events.retain(|event| reach.sees(&event.stream));
                Ok((events, u64::try_from(total).unwrap_or(0), newest(conn)?))
            })
        })
        .await
    }

    /// The newest event.
    pub async fn newest(&self) -> Result<Newest, StoreError> {
        self.read(|conn| Ok(newest(conn)?)).await
    }

    /// The arrival number of a cursor; `field` is what the caller called it.
    pub async fn seq_of(&self, field: &'static str, id: String) -> Result<i64, StoreError> {
        self.read(move |conn| seq_of(conn, field, &id)).await
    }
}

/// Runs several questions against one moment of the log.
pub fn in_snapshot<T>(
    conn: &Connection,
    ask: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let tx = conn.unchecked_transaction()?;
    let answer = ask(&tx)?;
    tx.finish()?;
    Ok(answer)
}

fn list(conn: &Connection, query: &ListQuery, between: Places) -> Result<Listed, StoreError> {
    let newest = newest(conn)?;
    let mut conditions = Conditions::default();
    if let Some(id) = &query.since_event_id {
        conditions.push("rowid > ?", seq_of(conn, "since_event_id", id)?);
    }
    if let Some(id) = &query.before_event_id {
        conditions.push("rowid < ?", seq_of(conn, "before_event_id", id)?);
    }
    if between != EVERYWHERE {
        conditions.push("rowid >= ?", between.first);
        // What was not counted is looked at for itself: usually it is nothing, and never much.
        let mut uncounted = Conditions::default();
        uncounted.push("rowid > ?", between.counted);
        uncounted.push_filter(&query.filter);
        let has_more = newest.seq > between.counted && !matching(conn, &uncounted, Order::Desc, 1)?.is_empty();
        conditions.push("rowid <= ?", if has_more { i64::MAX } else { between.last });
    }
    conditions.push_filter(&query.filter);
    let mut events = matching(conn, &conditions, query.order, query.limit + 1)?;
    let has_more = events.len() > query.limit;
    events.truncate(query.limit);
    Ok(Listed { events, has_more, newest })
}

/// Matching events. The rowids are found first, so that sorting never carries bodies.
pub(super) fn matching(
    conn: &Connection,
    wanted: &Conditions,
    order: Order,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    matching_up_to(conn, wanted, order, limit, usize::MAX).map(|(events, _)| events)
}

/// The same, but no more than fits into so many bytes, and at least one; and whether that was all.
pub(super) fn matching_up_to(
    conn: &Connection,
    wanted: &Conditions,
    order: Order,
    limit: usize,
    bytes: usize,
) -> Result<(Vec<Event>, bool), StoreError> {
    let direction = match order {
        Order::Asc => "ASC",
        Order::Desc => "DESC",
    };
    let sql = format!(
        "SELECT {} FROM events e WHERE e.rowid IN ({}) ORDER BY e.rowid {direction}",
        sql::EVENT_COLUMNS,
        wanted.rowids(direction, limit),
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query_map(wanted.params(), sql::event)?;
    let events = up_to_bytes(&mut rows, bytes, event_bytes)?;
    let is_all = events.len() < limit && rows.next().is_none();
    Ok((events, is_all))
}

/// How much memory an event's texts take.
pub(super) fn event_bytes(event: &Event) -> usize {
    event.body.len() + event.metadata.text().len()
}

/// Takes rows until they are so long together; at least one.
pub(super) fn up_to_bytes<T>(
    rows: &mut dyn Iterator<Item = rusqlite::Result<T>>,
    limit: usize,
    bytes_of: impl Fn(&T) -> usize,
) -> rusqlite::Result<Vec<T>> {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    while bytes < limit
        && let Some(row) = rows.next()
    {
        let row = row?;
        bytes += bytes_of(&row);
        taken.push(row);
    }
    Ok(taken)
}

/// What of a correlation is folded, as it stood at `upto`, in arrival order: all of it, or of a long one at most [`COURSE_EVENTS`] events: the
/// first, then the newest that decide its state, then the newest of any kind. Whoever folds takes this, so that a delegation has one state
/// everywhere.
pub(super) fn course(
    conn: &Connection,
    correlation_id: &str,
    upto: i64,
    columns: &str,
) -> Result<Vec<Event>, StoreError> {
    let ask = |which: &str, order: &str, limit: usize| -> Result<Vec<Event>, StoreError> {
        let sql = format!(
            "SELECT {columns} FROM events e WHERE e.correlation_id = ?1 AND e.rowid <= ?2 {which}
             ORDER BY e.rowid {order} LIMIT {limit}"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        Ok(statement
            .query_map(rusqlite::params![correlation_id, upto], sql::event)?
            .collect::<rusqlite::Result<_>>()?)
    };
    let mut newest = ask("", "DESC", COURSE_EVENTS)?;
    if newest.len() < COURSE_EVENTS {
        newest.reverse();
        return Ok(newest);
    }
    let first = ask("", "ASC", 1)?;
    let deciding = ask("AND (e.status IS NOT NULL OR e.type = 'task.request')", "DESC", COURSE_EVENTS - 1)?;
    let mut events: BTreeMap<i64, Event> = first.into_iter().chain(deciding).map(|e| (e.seq, e)).collect();
    for event in newest {
        if events.len() == COURSE_EVENTS {
            break;
        }
        events.insert(event.seq, event);
    }
    Ok(events.into_values().collect())
}

/// One event by id.
pub(super) fn event(conn: &Connection, id: &str) -> Result<Option<Event>, StoreError> {
    let sql = format!("SELECT {} FROM events e WHERE e.id = ?1", sql::EVENT_COLUMNS);
    Ok(conn.prepare_cached(&sql)?.query_row([id], sql::event).optional()?)
}

/// One artifact by id, with its content.
pub(super) fn artifact(conn: &Connection, id: &str) -> Result<Option<Artifact>, StoreError> {
    let sql = format!("SELECT {}, content, metadata_json FROM artifacts WHERE id = ?1", sql::ARTIFACT_COLUMNS);
    Ok(conn.prepare_cached(&sql)?.query_row([id], sql::artifact).optional()?)
}

pub(super) fn newest(conn: &Connection) -> rusqlite::Result<Newest> {
    let row = conn
        .prepare_cached("SELECT rowid, id FROM events ORDER BY rowid DESC LIMIT 1")?
        .query_row([], |r| Ok(Newest { seq: r.get(0)?, id: r.get(1)? }))
        .optional()?;
    Ok(row.unwrap_or(Newest { seq: 0, id: None }))
}

fn seq_of(conn: &Connection, field: &str, id: &str) -> Result<i64, StoreError> {
    conn.prepare_cached("SELECT rowid FROM events WHERE id = ?1")?.query_row([id], |r| r.get(0)).optional()?.ok_or_else(
        || {
            StoreError::NotFound(
                Refusal::new(field, format!("{field} {} not found", quoted(id)))
                    .value(id)
                    .hint("cursors are event ids of this hub; list without a cursor to get a fresh one"),
            )
        },
    )
}
