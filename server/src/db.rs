//! How SQLite files are opened: one writable connection for a writer, read-only ones for everybody else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// How long a statement waits for another process that holds the file, as MemPalace does.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How many read-only connections a store keeps.
const READERS: u32 = 4;

/// Read-only connections, lent out one at a time.
pub type ReadPool = r2d2::Pool<r2d2_sqlite::SqliteConnectionManager>;

/// Opens (and creates) a file for writing: WAL, `synchronous=FULL`, so that what was committed survives a power cut.
pub fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "journal_mode", "wal")?;
    conn.pragma_update(None, "synchronous", "full")?;
    // A WAL of 16 MiB instead of 4: fewer commits have to write pages back, and the slowest waits less.
    conn.pragma_update(None, "wal_autocheckpoint", 4000)?;
    // A reader may pin the WAL for a while; once it lets go, the file shrinks again.
    conn.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

/// How many bytes a file has, and its WAL; 0 for what is not there.
pub fn file_bytes(path: &Path) -> (u64, u64) {
    let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    (bytes(path), bytes(&beside(path, "-wal")))
}

/// Opens a file that somebody else writes, for a thread of its own that follows it. It must exist.
pub fn open_follower(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "query_only", true)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

/// Removes a database with the files that SQLite keeps beside it. What is not there need not go; anything worse shows when the file is
/// opened again.
pub fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(path, suffix));
    }
}

/// The file beside a database whose name has a suffix more.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A pool of connections that cannot write. The file must exist.
pub fn read_pool(path: &Path) -> Result<ReadPool, r2d2::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let manager = r2d2_sqlite::SqliteConnectionManager::file(path).with_flags(flags).with_init(|conn| {
        conn.busy_timeout(BUSY_TIMEOUT)?;
        conn.pragma_update(None, "query_only", true)?;
        conn.set_prepared_statement_cache_capacity(64);
        Ok(())
    });
    r2d2::Pool::builder()
        .max_size(READERS)
        .min_idle(Some(1))
        .test_on_check_out(false)
        .connection_timeout(BUSY_TIMEOUT)
        .build(manager)
}
