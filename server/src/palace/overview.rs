//! What there is: wings, rooms and how many rows each has. Rows, not texts: a long text counts once for each of its chunks, as agents
//! know it.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::PalaceError;

/// Wings, the rooms in each, and how many rows lie there.
pub type Taxonomy = BTreeMap<String, BTreeMap<String, i64>>;

/// All wings and rooms. Counted as rows come and go, so this costs one row for each room.
pub fn taxonomy(conn: &Connection) -> Result<Taxonomy, PalaceError> {
    let mut statement = conn.prepare_cached("SELECT wing, room, row_count FROM rooms")?;
    let mut rows = statement.query([])?;
    let mut taxonomy = Taxonomy::new();
    while let Some(row) = rows.next()? {
        taxonomy.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    Ok(taxonomy)
}

/// How many rows each wing has.
pub fn wings(taxonomy: &Taxonomy) -> BTreeMap<String, i64> {
    taxonomy.iter().map(|(wing, rooms)| (wing.clone(), rooms.values().sum())).collect()
}

/// How many rows each room has, of one wing or over all.
pub fn rooms(taxonomy: &Taxonomy, wing: Option<&str>) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for (_, rooms) in taxonomy.iter().filter(|(name, _)| wing.is_none_or(|w| w == *name)) {
        for (room, count) in rooms {
            *counts.entry(room.clone()).or_insert(0) += count;
        }
    }
    counts
}

/// How far the vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Rows that have a vector.
    pub embedded: i64,
    /// Rows that wait for one.
    pub waiting: i64,
}

/// How many rows have a vector and how many wait for one. A row does either, and counting the vectors themselves would read them.
pub fn progress(conn: &Connection) -> Result<Progress, PalaceError> {
    let sql = "SELECT (SELECT coalesce(sum(row_count), 0) FROM rooms), (SELECT count(*) FROM unembedded)";
    let (rows, waiting): (i64, i64) = conn.prepare_cached(sql)?.query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
    Ok(Progress { embedded: rows - waiting, waiting })
}

/// The version of SQLite that is built in.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
