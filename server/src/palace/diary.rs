//! Diaries: entries are written once, never changed by another entry, and come back whole (`contract: palace`, Diary).

use loggia_domain::Refusal;
use loggia_domain::palace::diary::{Diarist, HALL, ROOM, TYPE, wing as own_wing};
use loggia_domain::palace::id;
use rusqlite::Connection;
use serde::Serialize;
use serde_json::{Map, Value};

use super::rows::{self, Fields, Row, Shape};
use super::{PalaceError, Turn, notes};

/// An entry to write; its parts are checked.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// Who writes.
    pub diarist: Diarist,
    /// The wing, when it is not the diarist's own.
    pub wing: Option<String>,
    /// The text.
    pub entry: String,
    /// What it is about.
    pub topic: String,
}

/// What writing came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The entry's id.
    pub entry_id: String,
    /// When: naive local time.
    pub timestamp: String,
    /// The ids of its rows.
    pub rows: Vec<String>,
}

/// An entry as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The local day.
    pub date: String,
    /// When: naive local time of the hub that wrote it.
    pub timestamp: String,
    /// What it is about.
    pub topic: String,
    /// The whole text.
    pub content: String,
    /// Its id.
    pub entry_id: String,
    /// The wing it lies in.
    pub wing: String,
}

/// The key under which a row keeps a name as it was spelled.
pub(super) const SPELLING: &str = "agent_spelling";

/// How entries, as `d`, are read; those of one moment in the order in which they came.
pub(super) const NEWEST_FIRST: &str = "d.filed_key DESC NULLS LAST, d.id";

/// Writes an entry.
pub fn write(turn: &Turn<'_>, new: &NewEntry) -> Result<Written, PalaceError> {
    let wing = new.wing.clone().unwrap_or_else(|| own_wing(&new.diarist.agent));
    let entry_id = id::diary_entry(&wing, &turn.now.stamp(), &new.entry);
    if !rows::group(turn.conn, &entry_id)?.is_empty() {
        return Err(Refusal::new("entry", format!("the diary entry {entry_id} exists already")).into());
    }
    let timestamp = turn.now.local_iso();
    let mut more = Map::new();
    if new.diarist.spelling != new.diarist.agent {
        more.insert(SPELLING.to_owned(), Value::from(new.diarist.spelling.as_str()));
    }
    let fields = Fields {
        wing: Some(wing),
        room: Some(ROOM.to_owned()),
        hall: Some(HALL.to_owned()),
        topic: Some(new.topic.clone()),
        kind: Some(TYPE.to_owned()),
        agent: Some(new.diarist.agent.clone()),
        filed_at: Some(timestamp.clone()),
        last_modified: Some(timestamp.clone()),
        date: Some(turn.now.local_date()),
        more,
        ..Fields::default()
    };
    let rows = rows::insert_text(turn.conn, &entry_id, &new.entry, &fields, Shape::Fitting)?;
    notes::checkpoint_written(turn, new)?;
    Ok(Written { entry_id, timestamp, rows })
}

/// The newest entries of somebody, newest first, of one wing or of all; and how many there are in all. Old rows whose agent is
/// written with upper case are his too.
pub fn read(
    conn: &Connection,
    agent: &str,
    wing: Option<&str>,
    last_n: usize,
) -> Result<(Vec<Entry>, usize), PalaceError> {
    const MINE: &str = "d.is_head = 1 AND d.room = 'diary' AND d.agent_key = ?1 AND (?2 IS NULL OR d.wing = ?2)";
    let count = format!("SELECT count(*) FROM drawers d WHERE {MINE}");
    let total: i64 = conn.prepare_cached(&count)?.query_row((agent, wing), |r| r.get(0))?;
    let page = format!("SELECT {} FROM drawers d WHERE {MINE} ORDER BY {NEWEST_FIRST} LIMIT ?3", rows::COLUMNS);
    let limit = i64::try_from(last_n).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(&page)?;
    let heads: Vec<Row> = statement.query_map((agent, wing, limit), rows::from_row)?.collect::<Result<_, _>>()?;
    let entries = heads.into_iter().map(|head| whole(conn, head)).collect::<Result<_, _>>()?;
    Ok((entries, usize::try_from(total).unwrap_or(0)))
}

/// The entry that a head begins.
pub(super) fn whole(conn: &Connection, head: Row) -> Result<Entry, PalaceError> {
    let wing = head.wing().to_owned();
    let content = if head.is_chunk() { rows::joined(&rows::chunks(conn, &head.logical_id)?) } else { head.content };
    let timestamp = head.fields.filed_at.unwrap_or_default();
    let day = || timestamp.get(..10).unwrap_or_default().to_owned();
    Ok(Entry {
        date: head.fields.date.unwrap_or_else(day),
        topic: head.fields.topic.unwrap_or_default(),
        content,
        entry_id: head.logical_id,
        wing,
        timestamp,
    })
}
