//! What an import reads: the drawers' rows of another program's store, whichever of its two kinds of file holds them.
//!
//! # Design
//! Files are read from copies that SQLite made within one transaction: the other program may go on writing, and an import that takes
//! minutes never holds its lock. Rows are planned first and read later, a text at a time, so that a long text is taken whole or not
//! at all and the memory needed does not grow with what the drawers say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value};

use super::ImportError;
use super::chroma::Chroma;
use super::exact::Exact;
use super::places::{Collection, Places};
use crate::logstream::backup::copy_database;

/// The store that MemPalace uses unless told otherwise.
pub const CHROMA: &str = "chroma.sqlite3";
/// Its other one.
pub const EXACT: &str = "sqlite_exact.sqlite3";

/// Keys that mark a row as a piece of a longer text and name the whole; the first one counts.
const PARENTS: [&str; 2] = ["parent_drawer_id", "parent_entry_id"];

/// One row as it was stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceRow {
    /// Its id.
    pub id: String,
    /// Its text; a row may have none.
    pub content: String,
    /// What it says besides.
    pub metadata: Map<String, Value>,
}

/// A row that is to be read, and the text it belongs to.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Where the store keeps it.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// The id of the whole, when it is a piece.
    pub parent: Option<String>,
}

/// The rows of one text.
#[derive(Debug, Clone)]
pub struct Text {
    /// The number of its first row: texts are taken in this order.
    pub first: i64,
    /// The id of the whole.
    pub logical_id: String,
    /// Its rows: where the store keeps them, and their ids.
    pub rows: Vec<(i64, String)>,
}

/// The store to read.
pub enum Source {
    /// `chroma.sqlite3`.
    Chroma(Chroma),
    /// `sqlite_exact.sqlite3`.
    Exact(Exact),
}

/// A store that was found and is not read yet.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its file.
    pub path: PathBuf,
    /// Whether it is the default kind.
    pub is_chroma: bool,
    /// The other kind of file, when that is there too and is not the one in use.
    pub unused: Option<PathBuf>,
}

/// Looks which store a palace has; the configuration decides where there are both.
pub fn find(places: &Places) -> Option<Found> {
    let (chroma, exact) = (places.palace.join(CHROMA), places.palace.join(EXACT));
    match (chroma.is_file(), exact.is_file()) {
        (false, false) => None,
        (true, false) => Some(Found { path: chroma, is_chroma: true, unused: None }),
        (false, true) => Some(Found { path: exact, is_chroma: false, unused: None }),
        (true, true) if places.setting("backend").as_deref() == Some("sqlite_exact") => {
            Some(Found { path: exact, is_chroma: false, unused: Some(chroma) })
        }
        (true, true) => Some(Found { path: chroma, is_chroma: true, unused: Some(exact) }),
    }
}

/// Copies a file of the other program into `aside` and opens the copy.
pub fn open_copy(file: &Path, aside: &Path, copied: &mut dyn FnMut(u64, u64)) -> Result<Connection, ImportError> {
    let name = file.file_name().unwrap_or_default();
    let copy = aside.join(name);
    copy_database(file, &copy, copied)?;
    let conn = Connection::open(&copy).map_err(ImportError::of(file))?;
    conn.pragma_update(None, "query_only", true).map_err(ImportError::of(file))?;
    conn.set_prepared_statement_cache_capacity(16);
    Ok(conn)
}

impl Source {
    /// Opens a store's copy.
    pub fn open(found: &Found, conn: Connection, collection: &Collection) -> Result<Self, ImportError> {
        let path = found.path.clone();
        Ok(if found.is_chroma {
            Self::Chroma(Chroma::open(path, conn, collection)?)
        } else {
            Self::Exact(Exact::open(path, conn, collection)?)
        })
    }

    /// What changes whenever the store's drawers do.
    pub fn fingerprint(&self) -> Result<String, ImportError> {
        match self {
            Self::Chroma(chroma) => chroma.fingerprint(),
            Self::Exact(exact) => exact.fingerprint(),
        }
    }

    /// Collections beside the drawers', and how many rows each has.
    pub fn others(&self) -> Result<Vec<(String, u64)>, ImportError> {
        match self {
            Self::Chroma(chroma) => chroma.others(),
            Self::Exact(exact) => exact.others(),
        }
    }

    /// How many rows come from the queue of what was not worked in yet.
    pub fn queued(&self) -> u64 {
        match self {
            Self::Chroma(chroma) => chroma.queued(),
            Self::Exact(_) => 0,
        }
    }

    /// All texts, in the order in which their first rows came.
    pub fn plan(&self) -> Result<Vec<Text>, ImportError> {
        let rows = match self {
            Self::Chroma(chroma) => chroma.plan()?,
            Self::Exact(exact) => exact.plan()?,
        };
        Ok(texts(rows))
    }

    /// The rows of a text, in its order: by the place they give themselves, then by id.
    pub fn read(&self, text: &Text) -> Result<Vec<SourceRow>, ImportError> {
        let read = |(number, id): &(i64, String)| match self {
            Self::Chroma(chroma) => chroma.row(*number, id),
            Self::Exact(exact) => exact.row(*number, id),
        };
        let mut rows: Vec<SourceRow> = text.rows.iter().map(read).collect::<Result<_, _>>()?;
        rows.sort_by(|a, b| chunk_index(&a.metadata).cmp(&chunk_index(&b.metadata)).then_with(|| a.id.cmp(&b.id)));
        Ok(rows)
    }
}

fn texts(rows: Vec<Planned>) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for Planned { number, id, parent } in rows {
        let logical_id = parent.unwrap_or_else(|| id.clone());
        if let Some(text) = by_id.get(&logical_id).and_then(|at| texts.get_mut(*at)) {
            text.rows.push((number, id));
        } else {
            by_id.insert(logical_id.clone(), texts.len());
            texts.push(Text { first: number, logical_id, rows: vec![(number, id)] });
        }
    }
    texts
}

/// The id of the whole that a row says it is a piece of.
pub fn parent(metadata: &Map<String, Value>) -> Option<String> {
    PARENTS.iter().find_map(|key| metadata.get(*key)?.as_str().filter(|id| !id.is_empty()).map(str::to_owned))
}

/// The place within the whole that a row gives itself.
pub fn chunk_index(metadata: &Map<String, Value>) -> Option<i64> {
    match metadata.get("chunk_index")? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A text of a foreign file. Halves of characters, which it may hold, become U+FFFD.
pub fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(n) => Some(n.to_string()),
        ValueRef::Real(n) => Some(n.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_join_their_text_where_it_began() {
        let row = |number, id: &str, parent: Option<&str>| Planned {
            number,
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
        };
        let texts = texts(vec![
            row(1, "a_chunk_000000", Some("a")),
            row(2, "b", None),
            row(9, "a_chunk_000001", Some("a")),
            row(12, "a", None),
        ]);
        let told: Vec<(i64, &str, usize)> =
            texts.iter().map(|t| (t.first, t.logical_id.as_str(), t.rows.len())).collect();
        assert_eq!(told, [(1, "a", 3), (2, "b", 1)]);
    }

    #[test]
    fn either_key_names_the_whole_and_an_empty_one_names_none() {
        #[track_caller]
        fn check(metadata: &Value, expected: Option<&str>) {
            assert_eq!(parent(metadata.as_object().expect("an object")).as_deref(), expected);
        }
        check(&json!({"parent_entry_id": "e"}), Some("e"));
        check(&json!({"parent_drawer_id": "d", "parent_entry_id": "e"}), Some("d"));
        check(&json!({"parent_drawer_id": "", "parent_entry_id": "e"}), Some("e"));
        check(&json!({"parent_drawer_id": 5}), None);
        check(&json!({}), None);
    }
}
