//! The palace's schema and its version.
//!
//! A file carries the version that made it (`user_version`). An older file is brought up to date when it is opened; a newer one can
//! be read, and every write to it is refused, so that an old program never damages what it does not know.

use rusqlite::{Connection, TransactionBehavior};

use super::PalaceError;

/// The version that this program writes.
pub const VERSION: i64 = 1;

/// Rows are what is found and counted: a text of at most one chunk is one row under its own id, a longer one is several rows under
/// `<logical id>_chunk_<n>`. `logical_id` joins them, `is_head` marks the first of each; its indexes hold it too, so that counting
/// need not look at the rows. What imported rows say beyond our columns is kept in `more_json`.
const DRAWERS: &str = "
CREATE TABLE drawers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    drawer_id TEXT NOT NULL UNIQUE,
    logical_id TEXT NOT NULL,
    is_head INTEGER NOT NULL,
    chunk_index INTEGER,
    wing TEXT,
    room TEXT,
    hall TEXT,
    topic TEXT,
    type TEXT,
    agent TEXT,
    agent_key TEXT,
    added_by TEXT,
    source_file TEXT,
    filed_at TEXT,
    filed_key TEXT,
    last_modified TEXT,
    date TEXT,
    id_recipe TEXT,
    content TEXT NOT NULL,
    text_hash TEXT,
    more_json TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX drawers_group ON drawers(logical_id, chunk_index, id);
CREATE INDEX drawers_place ON drawers(wing, room);
CREATE INDEX drawers_graph ON drawers(room, wing, hall, date);
CREATE INDEX drawers_source ON drawers(source_file) WHERE source_file <> '';
CREATE INDEX drawers_text ON drawers(text_hash) WHERE text_hash IS NOT NULL;
CREATE INDEX heads ON drawers(logical_id, is_head) WHERE is_head = 1;
CREATE INDEX heads_wing ON drawers(wing, logical_id, is_head) WHERE is_head = 1;
CREATE INDEX heads_room ON drawers(room, logical_id, is_head) WHERE is_head = 1;
CREATE INDEX heads_place ON drawers(wing, room, logical_id, is_head) WHERE is_head = 1;
CREATE INDEX heads_filed ON drawers(filed_key, is_head) WHERE is_head = 1;
CREATE INDEX heads_diary ON drawers(agent_key, filed_key, wing) WHERE is_head = 1 AND room = 'diary';

CREATE TABLE rooms (
    wing TEXT NOT NULL,
    room TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    PRIMARY KEY (wing, room)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER drawers_counted_in AFTER INSERT ON drawers BEGIN
    INSERT INTO rooms (wing, room, row_count) VALUES (coalesce(new.wing, 'unknown'), coalesce(new.room, 'unknown'), 1)
        ON CONFLICT DO UPDATE SET row_count = row_count + 1;
END;
CREATE TRIGGER drawers_counted_out AFTER DELETE ON drawers BEGIN
    UPDATE rooms SET row_count = row_count - 1
        WHERE wing = coalesce(old.wing, 'unknown') AND room = coalesce(old.room, 'unknown');
    DELETE FROM rooms
        WHERE wing = coalesce(old.wing, 'unknown') AND room = coalesce(old.room, 'unknown') AND row_count <= 0;
END;
CREATE TRIGGER drawers_counted_over AFTER UPDATE OF wing, room ON drawers
WHEN old.wing IS NOT new.wing OR old.room IS NOT new.room BEGIN
    INSERT INTO rooms (wing, room, row_count) VALUES (coalesce(new.wing, 'unknown'), coalesce(new.room, 'unknown'), 1)
        ON CONFLICT DO UPDATE SET row_count = row_count + 1;
    UPDATE rooms SET row_count = row_count - 1
        WHERE wing = coalesce(old.wing, 'unknown') AND room = coalesce(old.room, 'unknown');
    DELETE FROM rooms
        WHERE wing = coalesce(old.wing, 'unknown') AND room = coalesce(old.room, 'unknown') AND row_count <= 0;
END;";

/// The index of words holds no text of its own: it is fed with prepared texts by `rows`, and only forgets by itself. Vectors follow when there is a model;
/// `unembedded` is the queue of rows that still need one.
const SEARCH: &str = "
CREATE VIRTUAL TABLE drawers_fts USING fts5(content, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
CREATE TRIGGER drawers_words_gone AFTER DELETE ON drawers BEGIN
    DELETE FROM drawers_fts WHERE rowid = old.id;
END;
CREATE TABLE vectors (row INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE TABLE unembedded (row INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER drawers_embed_new AFTER INSERT ON drawers BEGIN
    INSERT INTO unembedded (row) VALUES (new.id);
END;
CREATE TRIGGER drawers_embed_again AFTER UPDATE OF content ON drawers WHEN old.content <> new.content BEGIN
    DELETE FROM vectors WHERE row = new.id;
    INSERT OR IGNORE INTO unembedded (row) VALUES (new.id);
END;
CREATE TRIGGER drawers_embed_gone AFTER DELETE ON drawers BEGIN
    DELETE FROM vectors WHERE row = old.id;
    DELETE FROM unembedded WHERE row = old.id;
END;";

/// Tunnels join rooms of two wings, hallways join what is named together within one. Listed in the order in which they came.
const GRAPH: &str = "
CREATE TABLE tunnels (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source_wing TEXT NOT NULL,
    source_room TEXT NOT NULL,
    source_drawer_id TEXT,
    target_wing TEXT NOT NULL,
    target_room TEXT NOT NULL,
    target_drawer_id TEXT,
    label TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT 'explicit',
    created_at TEXT NOT NULL,
    updated_at TEXT,
    strength REAL NOT NULL DEFAULT 1.0,
    stability REAL NOT NULL DEFAULT 1.0,
    last_activated TEXT,
    access_count INTEGER NOT NULL DEFAULT 0,
    more_json TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE TABLE hallways (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    wing TEXT NOT NULL,
    entity_a TEXT NOT NULL,
    entity_b TEXT NOT NULL,
    co_occurrence_count INTEGER NOT NULL DEFAULT 0,
    rooms_json TEXT NOT NULL DEFAULT '[]',
    label TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL DEFAULT 'auto',
    strength REAL NOT NULL DEFAULT 1.0,
    stability REAL NOT NULL DEFAULT 1.0,
    last_activated TEXT,
    access_count INTEGER NOT NULL DEFAULT 0,
    more_json TEXT NOT NULL DEFAULT '{}'
) STRICT;";

/// Facts: entities and what is said about them. Subjects and objects are ids of entities.
const FACTS: &str = "
CREATE TABLE entities (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    type TEXT NOT NULL DEFAULT 'unknown',
    properties TEXT NOT NULL DEFAULT '{}',
    created_at TEXT NOT NULL
) STRICT;
CREATE TABLE triples (
    id TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    valid_from TEXT,
    valid_to TEXT,
    confidence REAL NOT NULL DEFAULT 1.0,
    source_closet TEXT,
    source_file TEXT,
    source_drawer_id TEXT,
    adapter_name TEXT,
    extracted_at TEXT NOT NULL
) STRICT;
CREATE INDEX triples_subject ON triples(subject, predicate, object);
CREATE INDEX triples_object ON triples(object);
CREATE INDEX triples_predicate ON triples(predicate);
CREATE INDEX triples_valid ON triples(valid_from, valid_to);";

/// What agents set, and notes that are read once.
const SETTINGS: &str = "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;";

/// Each step brings a file from the version before to its own: its place in the list. Append only.
const STEPS: [&[&str]; 1] = [&[DRAWERS, SEARCH, GRAPH, FACTS, SETTINGS]];

/// Brings a file to the present schema, in one transaction. One that is current is not written to, one that is newer is left alone.
pub fn migrate(conn: &mut Connection) -> Result<(), PalaceError> {
    if version(conn)? >= VERSION {
        return Ok(());
    }
    conn.pragma_update(None, "journal_mode", "wal")?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    let found = usize::try_from(version(&tx)?).unwrap_or(0);
    for step in STEPS.iter().skip(found) {
        for sql in *step {
            tx.execute_batch(sql)?;
        }
    }
    if found < STEPS.len() {
        tx.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(tx.commit()?)
}

/// Refuses a file that a newer program has made its own.
pub fn gate(conn: &Connection) -> Result<(), PalaceError> {
    let found = version(conn)?;
    if found > VERSION { Err(PalaceError::Outdated { found }) } else { Ok(()) }
}

/// The version of a file.
pub fn version(conn: &Connection) -> Result<i64, PalaceError> {
    Ok(conn.prepare_cached("PRAGMA user_version")?.query_row([], |r| r.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut conn = Connection::open_in_memory().expect("memory");
        migrate(&mut conn).expect("first");
        let changes: i64 = conn.query_row("SELECT total_changes()", [], |r| r.get(0)).expect("count");
        migrate(&mut conn).expect("second");
        assert_eq!(conn.query_row("SELECT total_changes()", [], |r| r.get::<_, i64>(0)).expect("count"), changes);
        assert_eq!(usize::try_from(VERSION), Ok(STEPS.len()));
    }

    #[test]
    fn a_newer_file_is_left_alone_and_refuses_writes() {
        let mut conn = Connection::open_in_memory().expect("memory");
        conn.pragma_update(None, "user_version", VERSION + 1).expect("set");
        migrate(&mut conn).expect("left alone");
        assert!(matches!(gate(&conn), Err(PalaceError::Outdated { found }) if found == VERSION + 1));
        let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_master", [], |r| r.get(0)).expect("count");
        assert_eq!(tables, 0);
    }

    #[test]
    fn what_agents_ask_is_answered_by_an_index() {
        let mut conn = Connection::open_in_memory().expect("memory");
        migrate(&mut conn).expect("made");
        for (condition, index) in [
            ("is_head = 1", "COVERING INDEX heads"),
            ("is_head = 1 AND wing = 'w'", "COVERING INDEX heads_"),
            ("is_head = 1 AND room = 'r'", "COVERING INDEX heads_room"),
            ("is_head = 1 AND wing = 'w' AND room = 'r'", "COVERING INDEX heads_place"),
            ("is_head = 1 AND filed_key >= 'a'", "COVERING INDEX heads_filed"),
            ("is_head = 1 AND room = 'diary' AND agent_key = 'a'", "INDEX heads_diary"),
            ("source_file = '/a' AND source_file <> ''", "COVERING INDEX drawers_source"),
            ("text_hash = 'h'", "INDEX drawers_text"),
            ("logical_id = 'l'", "COVERING INDEX drawers_group"),
        ] {
            let sql = format!("EXPLAIN QUERY PLAN SELECT count(*) FROM drawers WHERE {condition}");
            let plan: String = conn.query_row(&sql, [], |r| r.get(3)).expect("a plan");
            assert!(plan.contains(index), "{condition}: {plan}");
        }
    }

    #[test]
    fn rooms_are_counted_as_rows_come_move_and_go() {
        let mut conn = Connection::open_in_memory().expect("memory");
        migrate(&mut conn).expect("made");
        let add = |id: &str, wing: Option<&str>| {
            let sql = "INSERT INTO drawers (drawer_id, logical_id, is_head, wing, room, content) VALUES (?1, ?1, 1, ?2, 'r', '')";
            conn.execute(sql, rusqlite::params![id, wing]).expect("added");
        };
        let counts = || -> Vec<(String, i64)> {
            conn.prepare("SELECT wing, row_count FROM rooms ORDER BY wing")
                .and_then(|mut s| s.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect())
                .expect("rows")
        };
        add("a", Some("w"));
        add("b", Some("w"));
        add("c", None);
        assert_eq!(counts(), [("unknown".to_owned(), 1), ("w".to_owned(), 2)]);
        conn.execute("UPDATE drawers SET wing = 'v' WHERE drawer_id = 'a'", []).expect("moved");
        conn.execute("DELETE FROM drawers WHERE drawer_id = 'b'", []).expect("deleted");
        assert_eq!(counts(), [("unknown".to_owned(), 1), ("v".to_owned(), 1)]);
    }
}
