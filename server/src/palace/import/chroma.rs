//! `chroma.sqlite3`: where its rows lie, and what its queue of operations still has to say about them.
//!
//! Vectors, its index of words, and the pointers and pictures of other collections are not read.

use std::collections::HashMap;
use std::path::PathBuf;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use serde_json::{Map, Value};

use super::ImportError;
use super::places::Collection;
use super::source::{self, Planned, SourceRow};

/// Under which key a row's metadata holds its text.
const DOCUMENT: &str = "chroma:document";
/// The keys that are the store's own.
const OWN_KEYS: &str = "chroma:";

/// Operations of the queue, by their numbers.
const ADD: i64 = 0;
const UPDATE: i64 = 1;
const UPSERT: i64 = 2;
const DELETE: i64 = 3;

/// The drawers' collection.
pub struct Chroma {
    path: PathBuf,
    conn: Connection,
    collection: String,
    segment: String,
    /// Reads the value columns of `embedding_metadata`; old files lack the last.
    values: &'static str,
    /// What the queue makes of the rows that it names, with the numbers of the new ones; `None` for those it deletes.
    queued: HashMap<String, Option<(i64, SourceRow)>>,
    /// How many operations the queue held.
    operations: u64,
}

impl Chroma {
    /// Finds the collection and its rows, and works the queue in.
    pub fn open(path: PathBuf, conn: Connection, collection: &Collection) -> Result<Self, ImportError> {
        let of = ImportError::of(&path);
        let names = names(&conn).map_err(&of)?;
        let name = collection.choose(&path, names.iter().map(|(name, _)| name.as_str()))?;
        let (_, id) = names
            .into_iter()
            .find(|(found, _)| *found == name)
            .ok_or_else(|| ImportError::Refused(format!("{} holds no collection `{name}`", path.display())))?;
        let segment: Option<String> = conn
            .query_row("SELECT id FROM segments WHERE collection = ?1 AND scope = 'METADATA'", [&id], |r| r.get(0))
            .optional()
            .map_err(&of)?;
        let segment = segment.ok_or_else(|| {
            ImportError::Refused(format!("{}: the collection `{name}` has no rows' segment", path.display()))
        })?;
        let has_bool: bool = conn
            .query_row(
                "SELECT count(*) > 0 FROM pragma_table_info('embedding_metadata') WHERE name = 'bool_value'",
                [],
                |r| r.get(0),
            )
            .map_err(&of)?;
        let values = if has_bool {
            "SELECT key, string_value, int_value, float_value, bool_value FROM embedding_metadata WHERE id = ?1"
        } else {
            "SELECT key, string_value, int_value, float_value, NULL FROM embedding_metadata WHERE id = ?1"
        };
        let mut chroma = Self { path, conn, collection: id, segment, values, queued: HashMap::new(), operations: 0 };
        chroma.work_in().map_err(ImportError::of(&chroma.path))?;
        Ok(chroma)
    }

    /// The newest operation, the newest that was worked in, and how many rows there are.
    pub fn fingerprint(&self) -> Result<String, ImportError> {
        let sql = "SELECT (SELECT coalesce(max(seq_id), 0) FROM embeddings_queue) || '/'
            || coalesce((SELECT max(id) FROM embeddings WHERE segment_id = ?1), 0) || '/'
            || (SELECT count(*) FROM embeddings WHERE segment_id = ?1)";
        let rows: String =
            self.conn.query_row(sql, [&self.segment], |r| r.get(0)).map_err(ImportError::of(&self.path))?;
        let applied = self.applied().map_err(ImportError::of(&self.path))?;
        Ok(format!("{}/{applied}/{rows}", self.collection))
    }

    /// How many operations the queue held that were not worked in.
    pub fn queued(&self) -> u64 {
        self.operations
    }

    /// The other collections and how many rows each has.
    pub fn others(&self) -> Result<Vec<(String, u64)>, ImportError> {
        let sql = "SELECT c.name, count(e.id) FROM collections c
            JOIN segments s ON s.collection = c.id AND s.scope = 'METADATA'
            LEFT JOIN embeddings e ON e.segment_id = s.id WHERE c.id <> ?1 GROUP BY c.id ORDER BY c.name";
        let read = || -> rusqlite::Result<Vec<(String, u64)>> {
            self.conn
                .prepare(sql)?
                .query_map([&self.collection], |r| Ok((r.get(0)?, r.get::<_, i64>(1)?.unsigned_abs())))?
                .collect()
        };
        read().map_err(ImportError::of(&self.path))
    }

    /// All rows in the order in which they came.
    pub fn plan(&self) -> Result<Vec<Planned>, ImportError> {
        self.planned().map_err(ImportError::of(&self.path))
    }

    fn planned(&self) -> rusqlite::Result<Vec<Planned>> {
        let sql = "SELECT e.id, e.embedding_id, d.string_value, p.string_value FROM embeddings e
            LEFT JOIN embedding_metadata d ON d.id = e.id AND d.key = 'parent_drawer_id'
            LEFT JOIN embedding_metadata p ON p.id = e.id AND p.key = 'parent_entry_id'
            WHERE e.segment_id = ?1 ORDER BY e.id";
        let mut statement = self.conn.prepare(sql)?;
        let mut rows = statement.query([&self.segment])?;
        let mut planned = Vec::new();
        while let Some(row) = rows.next()? {
            let id = source::text(row.get_ref(1)?).unwrap_or_default();
            if self.queued.contains_key(&id) {
                continue;
            }
            let named = |at| row.get_ref(at).map(|value| source::text(value).filter(|id| !id.is_empty()));
            planned.push(Planned { number: row.get(0)?, id, parent: named(2)?.or(named(3)?) });
        }
        let changed = self.queued.values().flatten().map(|(number, row)| Planned {
            number: *number,
            id: row.id.clone(),
            parent: source::parent(&row.metadata),
        });
        planned.extend(changed);
        planned.sort_by_key(|row| row.number);
        Ok(planned)
    }

    /// One row.
    pub fn row(&self, number: i64, id: &str) -> Result<SourceRow, ImportError> {
        match self.queued.get(id) {
            Some(Some((_, row))) => Ok(row.clone()),
            _ => self.stored(number, id).map_err(ImportError::of(&self.path)),
        }
    }

    fn stored(&self, number: i64, id: &str) -> rusqlite::Result<SourceRow> {
        let mut row = SourceRow { id: id.to_owned(), ..SourceRow::default() };
        let mut statement = self.conn.prepare_cached(self.values)?;
        let mut values = statement.query([number])?;
        while let Some(value) = values.next()? {
            let key = source::text(value.get_ref(0)?).unwrap_or_default();
            let found = match (value.get_ref(1)?, value.get_ref(2)?, value.get_ref(3)?, value.get_ref(4)?) {
                (ValueRef::Null, ValueRef::Integer(n), _, _) => Value::from(n),
                (ValueRef::Null, ValueRef::Null, ValueRef::Real(n), _) => Value::from(n),
                (ValueRef::Null, ValueRef::Null, ValueRef::Null, ValueRef::Integer(n)) => Value::from(n != 0),
                (ValueRef::Null, ValueRef::Null, ValueRef::Null, ValueRef::Null) => continue,
                (ValueRef::Null, other, ValueRef::Null, _)
                | (ValueRef::Null, ValueRef::Null, other, _)
                | (other, ..) => Value::from(source::text(other).unwrap_or_default()),
            };
            put(&mut row, key, found);
        }
        Ok(row)
    }

    /// How far the queue was worked in: a number, in old files eight bytes of it.
    fn applied(&self) -> rusqlite::Result<i64> {
        let found = self
            .conn
            .query_row("SELECT seq_id FROM max_seq_id WHERE segment_id = ?1", [&self.segment], |row| {
                Ok(match row.get_ref(0)? {
                    ValueRef::Integer(n) => n,
                    ValueRef::Blob(bytes) => bytes.iter().fold(0, |n, byte| (n << 8) | i64::from(*byte)),
                    _ => 0,
                })
            })
            .optional()?;
        Ok(found.unwrap_or(0))
    }

    /// Applies the operations that the store has accepted and not worked in yet, to copies in memory.
    fn work_in(&mut self) -> rusqlite::Result<()> {
        let applied = self.applied()?;
        let waiting: Vec<(i64, i64, String, Option<String>)> = self
            .conn
            .prepare(
                "SELECT seq_id, operation, id, metadata FROM embeddings_queue
                 WHERE seq_id > ?1 AND topic LIKE '%/' || ?2 ORDER BY seq_id",
            )?
            .query_map((applied, &self.collection), |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
            .collect::<Result<_, _>>()?;
        let newest = "SELECT coalesce(max(id), 0) FROM embeddings";
        let mut next: i64 = self.conn.query_row(newest, [], |r| r.get(0))?;
        for (_, operation, id, metadata) in waiting {
            let before = match self.queued.remove(&id) {
                Some(changed) => changed,
                None => self.by_id(&id)?,
            };
            let said = metadata.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
            let after = match (operation, before) {
                (ADD | UPSERT, None) => {
                    next += 1;
                    Some((next, SourceRow { id: id.clone(), ..SourceRow::default() }))
                        .map(|(number, row)| (number, merged(row, said)))
                }
                (UPDATE | UPSERT, Some((number, row))) => Some((number, merged(row, said))),
                (DELETE, _) => None,
                // A second add of one id changes nothing, and neither does an update of what is not there.
                (_, before) => before,
            };
            self.queued.insert(id, after);
            self.operations += 1;
        }
        Ok(())
    }

    fn by_id(&self, id: &str) -> rusqlite::Result<Option<(i64, SourceRow)>> {
        let sql = "SELECT id FROM embeddings WHERE segment_id = ?1 AND embedding_id = ?2";
        let number: Option<i64> = self.conn.query_row(sql, [&self.segment, id], |r| r.get(0)).optional()?;
        number.map(|number| Ok((number, self.stored(number, id)?))).transpose()
    }
}

/// Names and ids of all collections.
fn names(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    conn.prepare("SELECT name, id FROM collections ORDER BY name")?
        .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect()
}

fn put(row: &mut SourceRow, key: String, value: Value) {
    if key == DOCUMENT {
        row.content = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    } else if !key.starts_with(OWN_KEYS) {
        row.metadata.insert(key, value);
    }
}

/// A row after an operation: what is said replaces what was there, null takes away, the rest stays.
fn merged(mut row: SourceRow, said: Map<String, Value>) -> SourceRow {
    for (key, value) in said {
        if value.is_null() {
            row.metadata.remove(&key);
        } else {
            put(&mut row, key, value);
        }
    }
    row
}
