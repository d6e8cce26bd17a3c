//! Drawers: filing, fetching, listing, changing and deleting them (`contract: palace-tools`, 1.2).

use loggia_domain::Refusal;
use loggia_domain::palace::window::Window;
use loggia_domain::palace::{id, text};
use rusqlite::{Connection, ToSql};
use serde::Serialize;
use serde_json::{Map, Value};

use super::rows::{self, Fields, Row, Shape};
use super::{PalaceError, Turn};

/// How many times a drawer whose id is taken by a changed one looks for another id.
const MAX_NAMESAKES: u32 = 1000;

/// A drawer to file; its parts are checked.
#[derive(Debug, Clone)]
pub struct NewDrawer {
    /// The wing.
    pub wing: String,
    /// The room.
    pub room: String,
    /// The text.
    pub content: String,
    /// Where it comes from; empty for nowhere.
    pub source_file: String,
    /// Who files it.
    pub added_by: String,
}

/// What filing came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filed {
    /// It is new; the ids of its rows.
    New {
        /// The drawer's id.
        id: String,
        /// The ids of its rows.
        rows: Vec<String>,
    },
    /// The same text lies in this place already.
    Already {
        /// The drawer's id.
        id: String,
    },
}

/// A drawer as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drawer {
    /// Its id.
    pub drawer_id: String,
    /// Its whole text.
    pub content: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// What else is known about it.
    pub metadata: Map<String, Value>,
    /// How many rows it has, when it stands in chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<usize>,
    /// Their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_ids: Option<Vec<String>>,
}

/// A drawer in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Its id.
    pub drawer_id: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// The beginning of its text.
    pub content_preview: String,
    /// What else is known about it.
    pub metadata: Map<String, Value>,
    /// How many rows it has, when it stands in chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<usize>,
    /// Their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_ids: Option<Vec<String>>,
}

/// Which drawers.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of one wing.
    pub wing: Option<String>,
    /// Of one room.
    pub room: Option<String>,
    /// From one source, by its whole path.
    pub source_file: Option<String>,
    /// Filed within a window.
    pub window: Window,
}

impl Filter {
    /// Whether it lets everything through.
    pub fn is_open(&self) -> bool {
        self.wing.is_none() && self.room.is_none() && self.source_file.is_none() && self.window == Window::default()
    }

    /// It as conditions on a table or alias `d`, each beginning with `AND`, and their values.
    pub fn sql(&self) -> (String, Vec<(&'static str, &dyn ToSql)>) {
        let mut sql = String::new();
        let mut values: Vec<(&'static str, &dyn ToSql)> = Vec::new();
        let parts = [
            ("d.wing = :wing", ":wing", &self.wing),
            ("d.room = :room", ":room", &self.room),
            ("d.source_file = :source AND d.source_file <> ''", ":source", &self.source_file),
            ("d.filed_key >= :since", ":since", &self.window.since),
            ("d.filed_key < :before", ":before", &self.window.before),
        ];
        for (condition, name, value) in parts {
            if let Some(value) = value {
                sql.push_str(" AND ");
                sql.push_str(condition);
                values.push((name, value));
            }
        }
        (sql, values)
    }
}

/// Files a drawer. The same text in the same place is not filed twice; one that was changed since does not count as the same.
pub fn add(turn: &Turn<'_>, new: &NewDrawer) -> Result<Filed, PalaceError> {
    let mut id = id::drawer(&new.wing, &new.room, &new.content);
    for namesake in 2..MAX_NAMESAKES {
        let Some(there) = get(turn.conn, &id)? else {
            let now = turn.now.local_iso();
            let fields = Fields {
                wing: Some(new.wing.clone()),
                room: Some(new.room.clone()),
                added_by: Some(new.added_by.clone()),
                source_file: Some(new.source_file.clone()),
                filed_at: Some(now.clone()),
                last_modified: Some(now),
                id_recipe: Some(id::RECIPE.to_owned()),
                ..Fields::default()
            };
            let rows = rows::insert_text(turn.conn, &id, &new.content, &fields, Shape::Fitting)?;
            return Ok(Filed::New { id, rows });
        };
        if there.content == new.content && there.wing == new.wing && there.room == new.room {
            return Ok(Filed::Already { id });
        }
        let digest = id::digest(&[&new.wing, &new.room, &new.content, &namesake.to_string()]);
        id = format!("drawer_{}_{}_{}", new.wing, new.room, &digest[..24]);
    }
    Err(PalaceError::Storage(format!("no free id for a drawer like {id}")))
}

/// A drawer by the id of a row or of a whole; a row wins.
pub fn get(conn: &Connection, id: &str) -> Result<Option<Drawer>, PalaceError> {
    if let Some(row) = rows::by_id(conn, id)? {
        return Ok(Some(Drawer {
            wing: row.wing().to_owned(),
            room: row.room().to_owned(),
            metadata: row.metadata(),
            drawer_id: row.drawer_id,
            content: row.content,
            chunks: None,
            chunk_ids: None,
        }));
    }
    let chunks = rows::chunks(conn, id)?;
    let Some(head) = chunks.first() else { return Ok(None) };
    let chunk_ids: Vec<String> = chunks.iter().map(|r| r.drawer_id.clone()).collect();
    let mut metadata = head.metadata();
    name_chunks(&mut metadata, &chunk_ids);
    Ok(Some(Drawer {
        drawer_id: id.to_owned(),
        content: rows::joined(&chunks),
        wing: head.wing().to_owned(),
        room: head.room().to_owned(),
        metadata,
        chunks: Some(chunk_ids.len()),
        chunk_ids: Some(chunk_ids),
    }))
}

fn name_chunks(metadata: &mut Map<String, Value>, ids: &[String]) {
    metadata.insert("chunks".to_owned(), ids.len().into());
    metadata.insert("chunk_ids".to_owned(), ids.into());
}

/// One page of whole drawers, by id, and how many there are in all.
pub fn list(
    conn: &Connection,
    filter: &Filter,
    limit: usize,
    offset: usize,
) -> Result<(Vec<Listed>, usize), PalaceError> {
    let (conditions, mut values) = filter.sql();
    let count = format!("SELECT count(*) FROM drawers d WHERE d.is_head = 1{conditions}");
    let total: i64 = conn.prepare_cached(&count)?.query_row(values.as_slice(), |r| r.get(0))?;
    let page = format!(
        "SELECT {} FROM drawers d WHERE d.is_head = 1{conditions} ORDER BY d.logical_id LIMIT :limit OFFSET :offset",
        rows::COLUMNS
    );
    let (limit, offset) = (i64::try_from(limit).unwrap_or(i64::MAX), i64::try_from(offset).unwrap_or(i64::MAX));
    values.extend([(":limit", &limit as &dyn ToSql), (":offset", &offset)]);
    let mut statement = conn.prepare_cached(&page)?;
    let heads: Vec<Row> = statement.query_map(values.as_slice(), rows::from_row)?.collect::<Result<_, _>>()?;
    let drawers = heads.into_iter().map(|head| listed(conn, head)).collect::<Result<_, _>>()?;
    Ok((drawers, usize::try_from(total).unwrap_or(0)))
}

fn listed(conn: &Connection, head: Row) -> Result<Listed, PalaceError> {
    let (mut chunk_ids, mut metadata) = (None, head.metadata());
    if head.is_chunk() {
        let ids = rows::chunk_ids(conn, &head.logical_id)?;
        name_chunks(&mut metadata, &ids);
        chunk_ids = Some(ids);
    }
    // The first piece of an imported text may be shorter than what is shown.
    let is_enough = !head.is_chunk() || head.content.chars().nth(text::PREVIEW_CHARS).is_some();
    let content_preview = if is_enough {
        text::preview(&head.content)
    } else {
        text::preview(&rows::joined(&rows::chunks(conn, &head.logical_id)?))
    };
    Ok(Listed {
        wing: head.wing().to_owned(),
        room: head.room().to_owned(),
        content_preview,
        metadata,
        drawer_id: head.logical_id,
        chunks: chunk_ids.as_ref().map(Vec::len),
        chunk_ids,
    })
}

/// What shall be different about a drawer.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Another text.
    pub content: Option<String>,
    /// Another wing.
    pub wing: Option<String>,
    /// Another room.
    pub room: Option<String>,
}

/// What a change left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The wing now.
    pub wing: String,
    /// The room now.
    pub room: String,
    /// The ids of its rows, when it stands in chunks.
    pub chunk_ids: Option<Vec<String>>,
}

/// Changes a drawer under its id. A row that fits stays a row; a group stays a group. One chunk alone cannot be changed: its text
/// would fall apart.
pub fn update(turn: &Turn<'_>, id: &str, change: &Change) -> Result<Changed, PalaceError> {
    let row = rows::by_id(turn.conn, id)?;
    if let Some(chunk) = row.as_ref().filter(|r| r.is_chunk()) {
        return Err(Refusal::new("drawer_id", format!("{id} is one chunk of {}", chunk.logical_id))
            .value(id)
            .hint(format!("change the whole drawer: {}", chunk.logical_id))
            .into());
    }
    let single = row.is_some();
    let chunks = if single { Vec::new() } else { rows::chunks(turn.conn, id)? };
    let Some(mut head) = row.or_else(|| chunks.first().cloned()) else { return Err(not_found(id).into()) };
    let now = turn.now.local_iso();
    head.fields.wing = change.wing.clone().or(head.fields.wing);
    head.fields.room = change.room.clone().or(head.fields.room);
    let (wing, room) = (head.wing().to_owned(), head.room().to_owned());
    let Some(content) = &change.content else {
        rows::move_text(turn.conn, id, change.wing.as_deref(), change.room.as_deref(), &now)?;
        let chunk_ids = (!single).then(|| chunks.into_iter().map(|r| r.drawer_id).collect());
        return Ok(Changed { wing, room, chunk_ids });
    };
    head.fields.last_modified = Some(now);
    if single && text::chunks(content).len() == 1 {
        head.content.clone_from(content);
        rows::update_row(turn.conn, &head)?;
        return Ok(Changed { wing, room, chunk_ids: None });
    }
    for row in rows::group(turn.conn, id)? {
        rows::delete_row(turn.conn, row.id)?;
    }
    let chunk_ids = rows::insert_text(turn.conn, id, content, &head.fields, Shape::Group)?;
    Ok(Changed { wing, room, chunk_ids: Some(chunk_ids) })
}

/// Deletes a drawer with all its rows, or one chunk; gives the ids of the rows that are gone.
pub fn delete(turn: &Turn<'_>, id: &str) -> Result<Vec<String>, PalaceError> {
    let gone = match rows::by_id(turn.conn, id)? {
        Some(chunk) if chunk.is_chunk() => vec![chunk],
        _ => rows::group(turn.conn, id)?,
    };
    let Some(first) = gone.first() else { return Err(not_found(id).into()) };
    for row in &gone {
        rows::delete_row(turn.conn, row.id)?;
    }
    if first.is_chunk() {
        rows::settle(turn.conn, &first.logical_id)?;
    }
    Ok(gone.into_iter().map(|r| r.drawer_id).collect())
}

/// The refusal for an id that is not in the palace.
pub fn not_found(id: &str) -> Refusal {
    Refusal::new("drawer_id", format!("Drawer not found: {id}")).value(id)
}

/// What comes from one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromSource {
    /// How many rows.
    pub rows: usize,
    /// Some of the places they lie in: wing and room.
    pub sample: Vec<(String, String)>,
}

/// How many places are named as a sample.
const SAMPLE: usize = 5;

/// What deleting by a source would delete.
pub fn from_source(conn: &Connection, source_file: &str) -> Result<FromSource, PalaceError> {
    let mut statement = conn.prepare_cached(
        "SELECT coalesce(wing, 'unknown'), coalesce(room, 'unknown'), count(*) FROM drawers
         WHERE source_file = ?1 AND source_file <> '' GROUP BY 1, 2 ORDER BY min(id)",
    )?;
    let places: Vec<(String, String, i64)> =
        statement.query_map([source_file], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect::<Result<_, _>>()?;
    let rows = places.iter().map(|(_, _, n)| usize::try_from(*n).unwrap_or(0)).sum();
    Ok(FromSource { rows, sample: places.into_iter().take(SAMPLE).map(|(wing, room, _)| (wing, room)).collect() })
}

/// Deletes all rows that come from a source; how many there were.
pub fn delete_from_source(turn: &Turn<'_>, source_file: &str) -> Result<usize, PalaceError> {
    let mut statement = turn
        .conn
        .prepare_cached("SELECT DISTINCT logical_id FROM drawers WHERE source_file = ?1 AND source_file <> ''")?;
    let touched: Vec<String> = statement.query_map([source_file], |r| r.get(0))?.collect::<Result<_, _>>()?;
    let gone = turn
        .conn
        .prepare_cached("DELETE FROM drawers WHERE source_file = ?1 AND source_file <> ''")?
        .execute([source_file])?;
    for logical_id in touched {
        rows::settle(turn.conn, &logical_id)?;
    }
    Ok(gone)
}
