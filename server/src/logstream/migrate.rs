//! The log's schema: MemPalace's tables and indexes, so that both programs can use one file at once, and indexes of our own.
//!
//! Nothing is ever vacuumed, deleted or renumbered: cursors rest on the implicit rowid.

use rusqlite::{Connection, Result, Transaction, TransactionBehavior};

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS events (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    stream TEXT NOT NULL,
    room TEXT NOT NULL,
    topic TEXT,
    from_agent TEXT NOT NULL,
    to_agent TEXT,
    correlation_id TEXT,
    branch TEXT,
    base_commit TEXT,
    status TEXT,
    body TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    metadata_json TEXT NOT NULL DEFAULT '{}',
    origin_replica TEXT,
    origin_seq INTEGER,
    hlc TEXT
);
CREATE TABLE IF NOT EXISTS artifacts (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    content TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    metadata_json TEXT NOT NULL DEFAULT '{}',
    origin_replica TEXT
);
CREATE TABLE IF NOT EXISTS event_artifacts (
    event_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    PRIMARY KEY (event_id, artifact_id)
);";

/// MemPalace's own indexes, by its names: whichever program comes first makes them.
const SHARED_INDEXES: &str = "
CREATE INDEX IF NOT EXISTS events_stream_created_idx ON events(stream, created_at);
CREATE INDEX IF NOT EXISTS events_correlation_idx ON events(correlation_id, created_at);
CREATE INDEX IF NOT EXISTS events_to_agent_idx ON events(to_agent, created_at);
CREATE INDEX IF NOT EXISTS events_type_idx ON events(type, created_at);
CREATE INDEX IF NOT EXISTS events_topic_created_idx ON events(topic, created_at);
CREATE INDEX IF NOT EXISTS events_hlc_idx ON events(hlc);
CREATE INDEX IF NOT EXISTS artifacts_sha256_idx ON artifacts(sha256);
CREATE UNIQUE INDEX IF NOT EXISTS events_origin_seq_idx ON events(origin_replica, origin_seq);";

/// Ours: an index on bare columns is ordered by rowid within equal values, which is the order that cursors and pages ask for.
/// The partial ones leave out the many rows that have no value.
const OWN_INDEXES: &str = "
CREATE INDEX IF NOT EXISTS loggia_events_room ON events(stream, room);
CREATE INDEX IF NOT EXISTS loggia_events_stream ON events(stream);
CREATE INDEX IF NOT EXISTS loggia_events_room_alone ON events(room);
CREATE INDEX IF NOT EXISTS loggia_events_topic ON events(topic) WHERE topic IS NOT NULL;
CREATE INDEX IF NOT EXISTS loggia_events_type ON events(type);
CREATE INDEX IF NOT EXISTS loggia_events_from ON events(from_agent);
CREATE INDEX IF NOT EXISTS loggia_events_to ON events(to_agent) WHERE to_agent IS NOT NULL;
CREATE INDEX IF NOT EXISTS loggia_events_correlation ON events(correlation_id) WHERE correlation_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS loggia_events_status ON events(status) WHERE status IS NOT NULL;
CREATE INDEX IF NOT EXISTS loggia_event_artifacts ON event_artifacts(artifact_id);";

/// Columns that logs from before the replicated palace lack.
const LATER_COLUMNS: [(&str, &str, &str); 5] = [
    ("events", "topic", "TEXT"),
    ("events", "origin_replica", "TEXT"),
    ("events", "origin_seq", "INTEGER"),
    ("events", "hlc", "TEXT"),
    ("artifacts", "origin_replica", "TEXT"),
];

/// Brings a file to the present schema, in one exclusive transaction; a file that is there already is not written to.
pub fn migrate(conn: &mut Connection, replica_id: &str) -> Result<()> {
    if is_current(conn)? {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(TABLES)?;
    for (table, column, kind) in LATER_COLUMNS {
        if !has_column(&tx, table, column)? {
            tx.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column} {kind}"))?;
        }
    }
    back_fill(&tx, replica_id)?;
    tx.execute_batch(SHARED_INDEXES)?;
    tx.execute_batch(OWN_INDEXES)?;
    tx.commit()
}

fn is_current(conn: &Connection) -> Result<bool> {
    let list: Vec<String> = [TABLES, SHARED_INDEXES, OWN_INDEXES]
        .iter()
        .flat_map(|sql| sql.split("IF NOT EXISTS ").skip(1))
        .filter_map(|s| s.split_whitespace().next())
        .map(|name| format!("'{name}'"))
        .collect();
    let found: i64 =
        conn.query_row(&format!("SELECT count(*) FROM sqlite_master WHERE name IN ({})", list.join(",")), [], |r| {
            r.get(0)
        })?;
    if usize::try_from(found) != Ok(list.len()) {
        return Ok(false);
    }
    // Both halves are answered by an index: this runs at every start, however long the log.
    let unstamped: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM events WHERE hlc IS NULL) OR EXISTS (SELECT 1 FROM events WHERE origin_replica IS NULL)",
        [],
        |r| r.get(0),
    )?;
    Ok(!unstamped)
}

/// Gives old rows the stamps that later code rests on: this hub as their origin, the rowid as their number, and a clock from
/// `created_at` and the rowid, so that the order across hubs is the order of arrival.
fn back_fill(tx: &Transaction<'_>, replica_id: &str) -> Result<()> {
    tx.execute("UPDATE artifacts SET origin_replica = ?1 WHERE origin_replica IS NULL", [replica_id])?;
    tx.execute(
        "UPDATE events SET
             origin_replica = coalesce(origin_replica, ?1),
             origin_seq = coalesce(origin_seq, rowid),
             hlc = coalesce(hlc, printf('%013d-%06x-%s',
                 coalesce(CAST(strftime('%s', created_at) AS INTEGER), 0) * 1000, rowid & 0xffffff, coalesce(origin_replica, ?1)))
         WHERE origin_replica IS NULL OR origin_seq IS NULL OR hlc IS NULL",
        [replica_id],
    )?;
    Ok(())
}

fn has_column(tx: &Transaction<'_>, table: &str, column: &str) -> Result<bool> {
    tx.query_row("SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2)", [table, column], |r| r.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLICA: &str = "rep_0123456789abcdef0123456789abcdef";

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut conn = Connection::open_in_memory().expect("memory");
        migrate(&mut conn, REPLICA).expect("first");
        let changes: i64 = conn.query_row("SELECT total_changes()", [], |r| r.get(0)).expect("count");
        assert!(is_current(&conn).expect("asked"));
        migrate(&mut conn, REPLICA).expect("second");
        assert_eq!(conn.query_row("SELECT total_changes()", [], |r| r.get::<_, i64>(0)).expect("count"), changes);
    }

    #[test]
    fn an_old_log_gets_its_stamps_in_arrival_order() {
        let mut conn = Connection::open_in_memory().expect("memory");
        conn.execute_batch(
            "CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, stream TEXT NOT NULL, room TEXT NOT NULL,
                 from_agent TEXT NOT NULL, to_agent TEXT, correlation_id TEXT, branch TEXT, base_commit TEXT, status TEXT,
                 body TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, metadata_json TEXT NOT NULL DEFAULT '{}');
             INSERT INTO events (id, type, stream, room, from_agent, created_at) VALUES
                 ('evt_a', 't', 's', 'r', 'a', '2026-07-02T03:24:43Z'), ('evt_b', 't', 's', 'r', 'a', '2026-07-02T03:24:43Z');",
        )
        .expect("old layout");
        migrate(&mut conn, REPLICA).expect("migrated");
        let rows: Vec<(String, i64, String)> = conn
            .prepare("SELECT origin_replica, origin_seq, hlc FROM events ORDER BY hlc")
            .and_then(|mut s| s.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect())
            .expect("rows");
        assert_eq!(rows[0], (REPLICA.to_owned(), 1, format!("1782962683000-000001-{REPLICA}")));
        assert_eq!(rows[1].1, 2);
        assert!(loggia_domain::clock::Stamp::parse(&rows[1].2).is_some());
    }
}
