//! The tables of vectors: which rows wait for one, which have one, and what it is.
//!
//! It computes nothing: what a vector means is the business of `embed`, when one is made that of `semantic`.
//!
//! # Design
//! Triggers of the schema keep both tables right, whoever writes: a row that comes or whose text changes is queued and has no
//! vector, a row that goes leaves both. So every row either has a vector or waits. A vector is kept exactly, as 1536 bytes
//! (little-endian 32-bit floats); what a search looks through in memory is rounded.

use rusqlite::{Connection, OptionalExtension, params};

use super::PalaceError;
use super::embed::{DIMENSIONS, MODEL, Vector};

/// A row whose text has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The row's number.
    pub row: i64,
    /// Its text.
    pub content: String,
}

/// The newest rows that wait, so that what was written just now does not stand behind a large import.
pub fn waiting(conn: &Connection, limit: usize) -> Result<Vec<Waiting>, PalaceError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = "SELECT d.id, d.content FROM unembedded u JOIN drawers d ON d.id = u.row ORDER BY u.row DESC LIMIT ?1";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([limit], |r| Ok(Waiting { row: r.get(0)?, content: r.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many rows with numbers above one wait; counted up to a limit.
pub fn count_waiting_above(conn: &Connection, row: i64, limit: usize) -> Result<usize, PalaceError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = "SELECT count(*) FROM (SELECT 1 FROM unembedded WHERE row > ?1 LIMIT ?2)";
    let count: i64 = conn.prepare_cached(sql)?.query_row([row, limit], |r| r.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The highest number among the rows that wait; 0 when none does.
pub fn newest_waiting(conn: &Connection) -> Result<i64, PalaceError> {
    Ok(conn.prepare_cached("SELECT coalesce(max(row), 0) FROM unembedded")?.query_row([], |r| r.get(0))?)
}

/// Keeps the vector of a text that waited, unless the row is gone or has another text by now. Says whether it was kept.
pub fn keep(conn: &Connection, waiting: &Waiting, vector: &Vector) -> Result<bool, PalaceError> {
    let sql = "INSERT OR REPLACE INTO vectors (row, model, vector) SELECT id, ?2, ?3 FROM drawers WHERE id = ?1 AND content = ?4";
    let kept = conn.prepare_cached(sql)?.execute(params![waiting.row, MODEL, bytes_of(vector), waiting.content])? == 1;
    if kept {
        conn.prepare_cached("DELETE FROM unembedded WHERE row = ?1")?.execute([waiting.row])?;
    }
    Ok(kept)
}

/// Queues rows anew whose vectors cannot be used.
pub fn queue_again(conn: &Connection, rows: &[i64]) -> Result<(), PalaceError> {
    for row in rows {
        conn.prepare_cached("DELETE FROM vectors WHERE row = ?1")?.execute([row])?;
        let sql = "INSERT OR IGNORE INTO unembedded (row) SELECT id FROM drawers WHERE id = ?1";
        conn.prepare_cached(sql)?.execute([row])?;
    }
    Ok(())
}

/// Some vectors, by the numbers of their rows.
#[derive(Debug, Default)]
pub struct Page {
    /// Rows and their vectors.
    pub vectors: Vec<(i64, Vector)>,
    /// Rows whose vectors are another model's or damaged: they do not compare.
    pub foreign: Vec<i64>,
    /// The last row; `None` when there was none.
    pub last: Option<i64>,
}

/// A page of vectors, after a row.
pub fn page(conn: &Connection, after: i64, limit: usize) -> Result<Page, PalaceError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement =
        conn.prepare_cached("SELECT row, model, vector FROM vectors WHERE row > ?1 ORDER BY row LIMIT ?2")?;
    let mut rows = statement.query([after, limit])?;
    let mut page = Page::default();
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        page.last = Some(number);
        let is_ours = row.get_ref(1)?.as_str().is_ok_and(|model| model == MODEL);
        match row.get_ref(2)?.as_blob().ok().and_then(vector_of).filter(|_| is_ours) {
            Some(vector) => page.vectors.push((number, vector)),
            None => page.foreign.push(number),
        }
    }
    Ok(page)
}

/// The exact vector of a row.
pub fn of_row(conn: &Connection, row: i64) -> Result<Option<Vector>, PalaceError> {
    let mut statement = conn.prepare_cached("SELECT vector FROM vectors WHERE row = ?1 AND model = ?2")?;
    let found = statement.query_row(params![row, MODEL], |r| Ok(r.get_ref(0)?.as_blob().ok().and_then(vector_of)));
    Ok(found.optional()?.flatten())
}

fn bytes_of(vector: &Vector) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn vector_of(bytes: &[u8]) -> Option<Vector> {
    let (numbers, rest) = bytes.as_chunks();
    let mut vector = [0.0; DIMENSIONS];
    if numbers.len() != DIMENSIONS || !rest.is_empty() {
        return None;
    }
    vector.iter_mut().zip(numbers).for_each(|(number, bytes)| *number = f32::from_le_bytes(*bytes));
    Some(vector)
}
