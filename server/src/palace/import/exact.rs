//! `sqlite_exact.sqlite3`: the other program's second kind of store, a plain table of documents.

use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::ImportError;
use super::places::Collection;
use super::source::{self, Planned, SourceRow};

/// The drawers' collection.
pub struct Exact {
    path: PathBuf,
    conn: Connection,
    collection: i64,
}

impl Exact {
    /// Finds the collection.
    pub fn open(path: PathBuf, conn: Connection, collection: &Collection) -> Result<Self, ImportError> {
        let of = ImportError::of(&path);
        let read = || -> rusqlite::Result<Vec<(String, i64)>> {
            let sql = "SELECT name, id FROM collections ORDER BY name";
            conn.prepare(sql)?.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
        };
        let names = read().map_err(&of)?;
        let name = collection.choose(&path, names.iter().map(|(name, _)| name.as_str()))?;
        let id = names.into_iter().find(|(found, _)| *found == name).map(|(_, id)| id);
        let collection =
            id.ok_or_else(|| ImportError::Refused(format!("{} holds no collection `{name}`", path.display())))?;
        Ok(Self { path, conn, collection })
    }

    /// How many documents there are and when the newest change was.
    pub fn fingerprint(&self) -> Result<String, ImportError> {
        let sql =
            "SELECT ?1 || '/' || count(*) || '/' || coalesce(max(rowid), 0) || '/' || coalesce(max(updated_at), '')
            FROM documents WHERE collection_id = ?1";
        self.conn.query_row(sql, [self.collection], |r| r.get(0)).map_err(ImportError::of(&self.path))
    }

    /// The other collections and how many rows each has.
    pub fn others(&self) -> Result<Vec<(String, u64)>, ImportError> {
        let sql = "SELECT c.name, count(d.id) FROM collections c LEFT JOIN documents d ON d.collection_id = c.id
            WHERE c.id <> ?1 GROUP BY c.id ORDER BY c.name";
        let read = || -> rusqlite::Result<Vec<(String, u64)>> {
            self.conn
                .prepare(sql)?
                .query_map([self.collection], |r| Ok((r.get(0)?, r.get::<_, i64>(1)?.unsigned_abs())))?
                .collect()
        };
        read().map_err(ImportError::of(&self.path))
    }

    /// All rows in the order in which they came.
    pub fn plan(&self) -> Result<Vec<Planned>, ImportError> {
        let sql = "SELECT rowid, id, metadata_json FROM documents WHERE collection_id = ?1 ORDER BY rowid";
        let read = || -> rusqlite::Result<Vec<Planned>> {
            let mut statement = self.conn.prepare(sql)?;
            let rows = statement.query_map([self.collection], |row| {
                let metadata = object(source::text(row.get_ref(2)?));
                let id = source::text(row.get_ref(1)?).unwrap_or_default();
                Ok(Planned { number: row.get(0)?, id, parent: source::parent(&metadata) })
            })?;
            rows.collect()
        };
        read().map_err(ImportError::of(&self.path))
    }

    /// One row.
    pub fn row(&self, number: i64, id: &str) -> Result<SourceRow, ImportError> {
        let sql = "SELECT document, metadata_json FROM documents WHERE rowid = ?1";
        let read = || -> rusqlite::Result<SourceRow> {
            self.conn.prepare_cached(sql)?.query_row([number], |row| {
                let content = source::text(row.get_ref(0)?).unwrap_or_default();
                Ok(SourceRow { id: id.to_owned(), content, metadata: object(source::text(row.get_ref(1)?)) })
            })
        };
        read().map_err(ImportError::of(&self.path))
    }
}

/// What a row says besides its text; one that cannot be read says nothing, and keeps its text.
fn object(text: Option<String>) -> Map<String, Value> {
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
