//! The rows of the palace: how a text becomes rows, and how rows are read back. The one place that writes the table `drawers`.
//!
//! A text of at most 800 characters is one row under its own id; a longer one is a group of rows, `<id>_chunk_<n>`, and then no row
//! has the id itself. The first row of each is its head: lists, diaries and duplicates look at heads alone.

use loggia_domain::artifact::sha256_hex;
use loggia_domain::palace::{diary, id, text, window, words};
use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};
use serde_json::{Map, Value};

use super::PalaceError;

/// What a wing or a room is called that a row does not name.
pub const UNKNOWN: &str = "unknown";

/// What all rows of one text say besides the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields {
    /// The wing; missing on some imported rows.
    pub wing: Option<String>,
    /// The room; missing on some imported rows.
    pub room: Option<String>,
    /// The hall.
    pub hall: Option<String>,
    /// The topic, of diary entries.
    pub topic: Option<String>,
    /// The type: `diary_entry`, or nothing.
    pub kind: Option<String>,
    /// Who wrote it, of diary entries; old rows may have upper case.
    pub agent: Option<String>,
    /// Who filed it, of drawers.
    pub added_by: Option<String>,
    /// Where it comes from; empty for nowhere, `None` where the field does not exist.
    pub source_file: Option<String>,
    /// When it was filed: ISO, mostly naive local time.
    pub filed_at: Option<String>,
    /// When it was last changed.
    pub last_modified: Option<String>,
    /// The local day, of diary entries.
    pub date: Option<String>,
    /// Which recipe made the id.
    pub id_recipe: Option<String>,
    /// Whatever else imported rows say.
    pub more: Map<String, Value>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The row's number within the file; vectors and the index of words know it by this. Never used twice.
    pub id: i64,
    /// Its id.
    pub drawer_id: String,
    /// The id of the whole; the same unless it is a chunk.
    pub logical_id: String,
    /// Its place in the whole, counted from 0.
    pub chunk_index: Option<i64>,
    /// What it says besides the text.
    pub fields: Fields,
    /// The text of this row.
    pub content: String,
}

/// The columns that [`from_row`] reads, of a table or alias `d`.
pub const COLUMNS: &str = "d.id, d.drawer_id, d.logical_id, d.chunk_index, d.wing, d.room, d.hall, d.topic, d.type, d.agent, \
                           d.added_by, d.source_file, d.filed_at, d.last_modified, d.date, d.id_recipe, d.content, d.more_json";

/// Reads [`COLUMNS`].
pub fn from_row(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    let more: String = row.get(17)?;
    Ok(Row {
        id: row.get(0)?,
        drawer_id: row.get(1)?,
        logical_id: row.get(2)?,
        chunk_index: row.get(3)?,
        fields: Fields {
            wing: row.get(4)?,
            room: row.get(5)?,
            hall: row.get(6)?,
            topic: row.get(7)?,
            kind: row.get(8)?,
            agent: row.get(9)?,
            added_by: row.get(10)?,
            source_file: row.get(11)?,
            filed_at: row.get(12)?,
            last_modified: row.get(13)?,
            date: row.get(14)?,
            id_recipe: row.get(15)?,
            // Written by this module; a damaged one costs what it said, not the row.
            more: serde_json::from_str(&more).unwrap_or_default(),
        },
        content: row.get(16)?,
    })
}

impl Row {
    /// Whether it is a piece of a longer text.
    pub fn is_chunk(&self) -> bool {
        self.drawer_id != self.logical_id
    }

    /// The wing as it is shown.
    pub fn wing(&self) -> &str {
        self.fields.wing.as_deref().unwrap_or(UNKNOWN)
    }

    /// The room as it is shown.
    pub fn room(&self) -> &str {
        self.fields.room.as_deref().unwrap_or(UNKNOWN)
    }

    /// The metadata as agents see it: of a source only the last part of its path.
    pub fn metadata(&self) -> Map<String, Value> {
        let f = &self.fields;
        let mut map = Map::new();
        let mut text = |key: &str, value: Option<&str>| {
            if let Some(value) = value {
                map.insert(key.to_owned(), value.into());
            }
        };
        text("wing", f.wing.as_deref());
        text("room", f.room.as_deref());
        text("hall", f.hall.as_deref());
        text("topic", f.topic.as_deref());
        text("type", f.kind.as_deref());
        text("agent", f.agent.as_deref());
        text("source_file", f.source_file.as_deref().map(last_part));
        text("added_by", f.added_by.as_deref());
        text("filed_at", f.filed_at.as_deref());
        text("last_modified", f.last_modified.as_deref().or(f.filed_at.as_deref()));
        text("date", f.date.as_deref());
        text("id_recipe", f.id_recipe.as_deref());
        if self.is_chunk() {
            text("parent_drawer_id", Some(&self.logical_id));
            if f.kind.as_deref() == Some(diary::TYPE) {
                text("parent_entry_id", Some(&self.logical_id));
            }
        }
        if let Some(index) = self.chunk_index {
            map.insert("chunk_index".to_owned(), index.into());
        }
        for (key, value) in &f.more {
            if key != "source_dir_ino" && !map.contains_key(key) {
                map.insert(key.clone(), value.clone());
            }
        }
        map
    }
}

/// The last part of a path.
pub fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// Whether a text is cut only where it must be, or always stands in chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One row when it fits.
    Fitting,
    /// Chunks, even when there is only one: what once was a group stays one.
    Group,
}

/// Files a text under an id; gives the ids of its rows. An id that exists is an error.
pub fn insert_text(
    conn: &Connection,
    logical_id: &str,
    content: &str,
    fields: &Fields,
    shape: Shape,
) -> Result<Vec<String>, PalaceError> {
    let chunks = text::chunks(content);
    let hash = text_hash(content);
    let shared = Shared::of(fields);
    let is_single = shape == Shape::Fitting && chunks.len() == 1;
    let mut ids = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.into_iter().enumerate() {
        let drawer_id = if is_single { logical_id.to_owned() } else { id::chunk(logical_id, index) };
        // A text has at most 100 000 characters.
        let chunk_index = i64::try_from(index).unwrap_or(i64::MAX);
        let head = (index == 0).then_some(hash.as_str());
        insert_row(conn, &drawer_id, logical_id, Some(chunk_index), chunk, &shared, head)?;
        ids.push(drawer_id);
    }
    Ok(ids)
}

/// Adds one row as it is, for imports: [`settle`] its logical id when all rows of it are there.
pub fn import_row(
    conn: &Connection,
    drawer_id: &str,
    logical_id: &str,
    chunk_index: Option<i64>,
    content: &str,
    fields: &Fields,
) -> Result<(), PalaceError> {
    insert_row(conn, drawer_id, logical_id, chunk_index, content, &Shared::of(fields), None)
}

/// The columns that all rows of a text share, made once.
struct Shared<'a> {
    fields: &'a Fields,
    agent_key: Option<String>,
    filed_key: Option<String>,
    more: String,
}

impl<'a> Shared<'a> {
    fn of(fields: &'a Fields) -> Self {
        Self {
            fields,
            agent_key: fields.agent.as_deref().map(str::to_lowercase),
            filed_key: fields.filed_at.as_deref().and_then(window::wall_clock),
            more: Value::Object(fields.more.clone()).to_string(),
        }
    }
}

fn insert_row(
    conn: &Connection,
    drawer_id: &str,
    logical_id: &str,
    chunk_index: Option<i64>,
    content: &str,
    shared: &Shared<'_>,
    head: Option<&str>,
) -> Result<(), PalaceError> {
    let fields = shared.fields;
    conn.prepare_cached(
        "INSERT INTO drawers (drawer_id, logical_id, is_head, chunk_index, wing, room, hall, topic, type, agent, agent_key, added_by,
             source_file, filed_at, filed_key, last_modified, date, id_recipe, content, text_hash, more_json)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
    )?
    .execute(params![
        drawer_id,
        logical_id,
        head.is_some(),
        chunk_index,
        fields.wing,
        fields.room,
        fields.hall,
        fields.topic,
        fields.kind,
        fields.agent,
        shared.agent_key,
        fields.added_by,
        fields.source_file,
        fields.filed_at,
        shared.filed_key,
        fields.last_modified,
        fields.date,
        fields.id_recipe,
        content,
        head,
        shared.more
    ])?;
    index_words(conn, conn.last_insert_rowid(), content)
}

fn index_words(conn: &Connection, row: i64, content: &str) -> Result<(), PalaceError> {
    conn.prepare_cached("INSERT INTO drawers_fts (rowid, content) VALUES (?1, ?2)")?
        .execute(params![row, words::indexed(content)])?;
    Ok(())
}

/// Changes one row that stays one row.
pub fn update_row(conn: &Connection, row: &Row) -> Result<(), PalaceError> {
    conn.prepare_cached(
        "UPDATE drawers SET wing = ?2, room = ?3, content = ?4, last_modified = ?5, text_hash = ?6 WHERE id = ?1",
    )?
    .execute(params![
        row.id,
        row.fields.wing,
        row.fields.room,
        row.content,
        row.fields.last_modified,
        text_hash(&row.content)
    ])?;
    conn.prepare_cached("DELETE FROM drawers_fts WHERE rowid = ?1")?.execute([row.id])?;
    index_words(conn, row.id, &row.content)
}

/// Moves all rows of a text to another wing, another room or both. Nothing else about them changes: they keep their numbers, and so
/// their words and vectors, and what an import brought along.
pub fn move_text(
    conn: &Connection,
    logical_id: &str,
    wing: Option<&str>,
    room: Option<&str>,
    now: &str,
) -> Result<(), PalaceError> {
    let sql = "UPDATE drawers SET wing = coalesce(?2, wing), room = coalesce(?3, room), last_modified = ?4
        WHERE logical_id = ?1";
    conn.prepare_cached(sql)?.execute(params![logical_id, wing, room, now])?;
    Ok(())
}

/// Takes a row away. What is left of its text must be [`settle`]d.
pub fn delete_row(conn: &Connection, row: i64) -> Result<(), PalaceError> {
    conn.prepare_cached("DELETE FROM drawers WHERE id = ?1")?.execute([row])?;
    Ok(())
}

/// Finds the head of a text whose rows came or went one by one: its first chunk, or the single row.
pub fn settle(conn: &Connection, logical_id: &str) -> Result<(), PalaceError> {
    let rows = group(conn, logical_id)?;
    conn.prepare_cached("UPDATE drawers SET is_head = 0, text_hash = NULL WHERE logical_id = ?1 AND is_head = 1")?
        .execute([logical_id])?;
    let chunks: Vec<&Row> = rows.iter().filter(|r| r.is_chunk()).collect();
    let Some(head) = chunks.first().copied().or(rows.first()) else { return Ok(()) };
    let whole = if chunks.is_empty() { head.content.clone() } else { joined(chunks) };
    conn.prepare_cached("UPDATE drawers SET is_head = 1, text_hash = ?2 WHERE id = ?1")?
        .execute(params![head.id, text_hash(&whole)])?;
    Ok(())
}

/// The row with this very id.
pub fn by_id(conn: &Connection, drawer_id: &str) -> Result<Option<Row>, PalaceError> {
    let sql = format!("SELECT {COLUMNS} FROM drawers d WHERE d.drawer_id = ?1");
    Ok(conn.prepare_cached(&sql)?.query_row([drawer_id], from_row).optional()?)
}

/// The row with this number.
pub fn by_number(conn: &Connection, number: i64) -> Result<Option<Row>, PalaceError> {
    let sql = format!("SELECT {COLUMNS} FROM drawers d WHERE d.id = ?1");
    Ok(conn.prepare_cached(&sql)?.query_row([number], from_row).optional()?)
}

/// All rows of a text, in its order.
pub fn group(conn: &Connection, logical_id: &str) -> Result<Vec<Row>, PalaceError> {
    let sql = format!("SELECT {COLUMNS} FROM drawers d WHERE d.logical_id = ?1 ORDER BY d.chunk_index, d.id");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([logical_id], from_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The chunks of a text, in its order: a group without a single row of the same id.
pub fn chunks(conn: &Connection, logical_id: &str) -> Result<Vec<Row>, PalaceError> {
    Ok(group(conn, logical_id)?.into_iter().filter(Row::is_chunk).collect())
}

/// The ids of the same.
pub fn chunk_ids(conn: &Connection, logical_id: &str) -> Result<Vec<String>, PalaceError> {
    let sql =
        "SELECT drawer_id FROM drawers WHERE logical_id = ?1 AND drawer_id <> logical_id ORDER BY chunk_index, id";
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement.query_map([logical_id], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// The text of some rows.
pub fn joined<'a>(rows: impl IntoIterator<Item = &'a Row>) -> String {
    rows.into_iter().map(|r| r.content.as_str()).collect()
}

/// What identical texts are found by.
pub fn text_hash(text: &str) -> String {
    sha256_hex(text.as_bytes())
}
