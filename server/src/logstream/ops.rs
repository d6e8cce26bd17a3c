//! The log by author: what a hub tells its peers, and what it asks itself before it asks them (`contract: sync`).

use std::collections::BTreeMap;

use loggia_domain::Event;
use rusqlite::Connection;

use super::insert::has_artifact;
use super::{Logstream, StoreError, read, sql};

/// About how many bytes of events one answer holds at most; at least one event is always given.
const MAX_BYTES: usize = 8 * 1024 * 1024;

impl Logstream {
    /// The highest number of each author.
    pub async fn version_vector(&self) -> Result<BTreeMap<String, i64>, StoreError> {
        self.read(|conn| Ok(version_vector(conn)?)).await
    }

    /// The events of an author after one of its numbers, in the author's order, at most `limit`; fewer when they are large.
    pub async fn ops(&self, origin: String, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.read(move |conn| ops(conn, &origin, after, limit)).await
    }

    /// The highest number of an author; 0 if the log has nothing of it.
    pub async fn highest(&self, origin: String) -> Result<i64, StoreError> {
        self.read(move |conn| {
            let highest: Option<i64> = conn
                .prepare_cached("SELECT max(origin_seq) FROM events WHERE origin_replica = ?1")?
                .query_row([&origin], |r| r.get(0))?;
            Ok(highest.unwrap_or(0))
        })
        .await
    }

    /// Which of these artifacts are not in the log.
    pub async fn missing_artifacts(&self, ids: Vec<String>) -> Result<Vec<String>, StoreError> {
        self.read(move |conn| {
            let mut missing = Vec::new();
            for id in ids {
                if !has_artifact(conn, &id)? {
                    missing.push(id);
                }
            }
            Ok(missing)
        })
        .await
    }
}

/// One look into the index for each author, however long the log.
fn version_vector(conn: &Connection) -> rusqlite::Result<BTreeMap<String, i64>> {
    conn.prepare_cached(
        "WITH RECURSIVE authors(replica) AS (
             SELECT min(origin_replica) FROM events
             UNION ALL
             SELECT (SELECT min(origin_replica) FROM events WHERE origin_replica > authors.replica)
             FROM authors WHERE authors.replica IS NOT NULL)
         SELECT replica, (SELECT max(origin_seq) FROM events WHERE origin_replica = replica) FROM authors
         WHERE replica IS NOT NULL",
    )?
    .query_map([], |r| Ok((r.get(0)?, r.get::<_, Option<i64>>(1)?.unwrap_or(0))))?
    .collect()
}

fn ops(conn: &Connection, origin: &str, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
    let sql = format!(
        "SELECT {} FROM events e WHERE e.origin_replica = ?1 AND e.origin_seq > ?2 ORDER BY e.origin_seq LIMIT ?3",
        sql::EVENT_COLUMNS
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(rusqlite::params![origin, after, limit])?;
    let (mut events, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let event = sql::event(row)?;
        bytes += read::event_bytes(&event);
        if bytes > MAX_BYTES && !events.is_empty() {
            break;
        }
        events.push(event);
    }
    Ok(events)
}
