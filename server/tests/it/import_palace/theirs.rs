//! A palace in MemPalace's file layout: what its stores look like on the disk, with the rows that a test puts there.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::outsider;
use crate::place::Place;

const CHROMA: &str = "
    CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER, database_id TEXT NOT NULL,
        config_json_str TEXT, schema_str TEXT, UNIQUE (name, database_id));
    CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, collection TEXT NOT NULL);
    CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL, seq_id BLOB NOT NULL,
        created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (segment_id, embedding_id));
    CREATE TABLE embedding_metadata (id INTEGER REFERENCES embeddings(id), key TEXT NOT NULL, string_value TEXT,
        int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
    CREATE TABLE max_seq_id (segment_id TEXT PRIMARY KEY, seq_id BLOB NOT NULL);
    CREATE TABLE embeddings_queue (seq_id INTEGER PRIMARY KEY, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
        operation INTEGER NOT NULL, topic TEXT NOT NULL, id TEXT NOT NULL, vector BLOB, encoding TEXT, metadata TEXT);";

/// Facts as old files have them: without the two newest columns.
const FACTS: &str = "
    PRAGMA journal_mode = wal;
    CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT DEFAULT 'unknown', properties TEXT DEFAULT '{}',
        created_at TEXT DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE triples (id TEXT PRIMARY KEY, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL,
        valid_from TEXT, valid_to TEXT, confidence REAL DEFAULT 1.0, source_closet TEXT, source_file TEXT,
        extracted_at TEXT DEFAULT CURRENT_TIMESTAMP);
    INSERT INTO entities (id, name) VALUES ('ann', 'Ann'), ('oneil_co', 'O''Neil Co');
    INSERT INTO triples (id, subject, predicate, object, valid_from, valid_to, confidence) VALUES
        ('t_1', 'ann', 'works_on', 'oneil_co', '2026-01-01', '', 0.5),
        ('t_2', 'ann', 'likes', 'tea', '2026-01-01', '2026-02-01', 1.0),
        ('t_3', 'ann', 'knows', 'oneil_co', NULL, NULL, 1.0);";

const LOG: &str = "
    CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, stream TEXT NOT NULL, room TEXT NOT NULL, topic TEXT,
        from_agent TEXT NOT NULL, to_agent TEXT, correlation_id TEXT, branch TEXT, base_commit TEXT, status TEXT,
        body TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, metadata_json TEXT NOT NULL DEFAULT '{}');
    INSERT INTO events (id, type, stream, room, from_agent, created_at) VALUES ('evt_a', 't', 's', 'r', 'a', '2026-01-01T00:00:00Z');";

/// A palace of the other program, in a folder of its own.
pub(crate) struct Theirs {
    /// What lies beside the palace lies here.
    pub(crate) root: PathBuf,
    /// The palace.
    pub(crate) palace: PathBuf,
}

impl Theirs {
    /// An empty one.
    pub(crate) fn new(beside: &Place, name: &str) -> Self {
        let root = beside.home().join(name);
        let palace = root.join("palace");
        fs::create_dir_all(&palace).expect("our own folder");
        Self { root, palace }
    }

    /// Makes `chroma.sqlite3` with the drawers' collection.
    pub(crate) fn chroma(&self, collection: &str) -> Chroma {
        let conn = outsider::open(&self.palace.join("chroma.sqlite3"));
        conn.execute_batch(CHROMA).expect("it is SQL");
        // What is not drawers': a vector's segment has no rows.
        conn.execute_batch("INSERT INTO segments VALUES ('seg_v', 'urn:hnsw', 'VECTOR', 'col')").expect("it is SQL");
        conn.execute("INSERT INTO collections VALUES ('col', ?1, 384, 'db', NULL, NULL)", [collection]).expect("added");
        conn.execute_batch("INSERT INTO segments VALUES ('seg', 'urn:sqlite', 'METADATA', 'col')").expect("it is SQL");
        Chroma::over(conn)
    }

    /// Opens it again.
    pub(crate) fn open(&self) -> Chroma {
        Chroma::over(outsider::open(&self.palace.join("chroma.sqlite3")))
    }

    /// Makes `sqlite_exact.sqlite3`.
    pub(crate) fn exact(&self, rows: &[(&str, &str, Value)]) {
        let conn = outsider::open(&self.palace.join("sqlite_exact.sqlite3"));
        conn.execute_batch(
            "CREATE TABLE collections (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dimension INTEGER,
                 created_at TEXT NOT NULL);
             CREATE TABLE documents (collection_id INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
                 metadata_json TEXT NOT NULL, embedding BLOB NOT NULL, dim INTEGER NOT NULL, created_at TEXT NOT NULL,
                 updated_at TEXT NOT NULL, PRIMARY KEY (collection_id, id));
             INSERT INTO collections (name, created_at) VALUES ('mempalace_closets', ''), ('mempalace_drawers', '');",
        )
        .expect("it is SQL");
        for (id, text, metadata) in rows {
            let sql = "INSERT INTO documents VALUES (2, ?1, ?2, ?3, x'00', 384, '2026-03-01', '2026-03-01')";
            conn.execute(sql, params![id, text, metadata.to_string()]).expect("added");
        }
    }

    /// Makes a file of three facts about two entities.
    pub(crate) fn facts(&self, name: &str) {
        outsider::open(&self.palace.join(name)).execute_batch(FACTS).expect("it is SQL");
    }

    /// Makes a log of one event, without an identity.
    pub(crate) fn log(&self) {
        outsider::open(&self.palace.join("logstream.sqlite3")).execute_batch(LOG).expect("it is SQL");
    }

    /// Writes a file beside the palace.
    pub(crate) fn beside(&self, name: &str, value: &Value) {
        write(&self.root.join(name), value);
    }
}

fn write(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).expect("our own folder");
}

/// `chroma.sqlite3`, to put rows into.
pub(crate) struct Chroma {
    conn: Connection,
    next: Cell<i64>,
}

impl Chroma {
    fn over(conn: Connection) -> Self {
        let next =
            conn.query_row("SELECT coalesce(max(id), 0) + 1 FROM embeddings", [], |r| r.get(0)).expect("counted");
        Self { conn, next: Cell::new(next) }
    }

    /// Puts a row into the drawers' collection.
    pub(crate) fn row(&self, id: &str, text: &str, metadata: &Value) {
        self.put("seg", id, text, metadata);
    }

    /// Makes another collection with so many rows.
    pub(crate) fn other(&self, name: &str, rows: usize) {
        let segment = format!("seg_{name}");
        let sql = "INSERT INTO collections VALUES (?1, ?1, 384, 'db', NULL, NULL)";
        self.conn.execute(sql, [name]).expect("added");
        self.conn
            .execute("INSERT INTO segments VALUES (?1, 'urn:sqlite', 'METADATA', ?2)", [&segment, name])
            .expect("added");
        for n in 0..rows {
            self.put(&segment, &format!("{name}_{n}"), "not a drawer", &Value::Null);
        }
    }

    fn put(&self, segment: &str, id: &str, text: &str, metadata: &Value) {
        let number = self.next.replace(self.next.get() + 1);
        let sql = "INSERT INTO embeddings (id, segment_id, embedding_id, seq_id) VALUES (?1, ?2, ?3, ?1)";
        self.conn.prepare_cached(sql).and_then(|mut s| s.execute(params![number, segment, id])).expect("added");
        let document = [("chroma:document".to_owned(), Value::from(text))];
        for (key, value) in metadata.as_object().cloned().unwrap_or_default().into_iter().chain(document) {
            let int = value.as_i64();
            let float = value.as_f64().filter(|_| int.is_none());
            self.conn
                .prepare_cached("INSERT INTO embedding_metadata VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
                .and_then(|mut s| s.execute(params![number, key, value.as_str(), int, float, value.as_bool()]))
                .expect("added");
        }
        let sql = "INSERT OR REPLACE INTO max_seq_id VALUES (?1, ?2)";
        self.conn.prepare_cached(sql).and_then(|mut s| s.execute(params![segment, number])).expect("added");
    }

    /// Says how far the queue was worked in, as eight bytes.
    pub(crate) fn applied(&self, bytes: [u8; 8]) {
        self.conn.execute("UPDATE max_seq_id SET seq_id = ?1 WHERE segment_id = 'seg'", [&bytes[..]]).expect("changed");
    }

    /// Queues an operation: 0 add, 1 update, 2 upsert, 3 delete.
    pub(crate) fn queue(&self, seq: i64, operation: i64, id: &str, metadata: Option<&Value>) {
        let sql = "INSERT INTO embeddings_queue (seq_id, operation, topic, id, metadata)
            VALUES (?1, ?2, 'persistent://default/default/col', ?3, ?4)";
        self.conn.execute(sql, params![seq, operation, id, metadata.map(Value::to_string)]).expect("added");
    }
}
