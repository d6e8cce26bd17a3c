//! The index's side file: its tables, how it follows the log step by step, and when it is made anew.
//!
//! # Design
//! The tables are contentless: they hold positions of tokens, the texts stay in the log. They are cut into parts of so many rows each:
//! a search for the newest looks into the newest part first and mostly needs no other, and the beginning of a common word costs what
//! one part costs, not what the whole log would. A part that is full is never touched again.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use loggia_domain::{Artifact, Event};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};

use super::expression;
use crate::db;
use crate::logstream::{read, sql};

/// The side file within a palace.
pub const FILE_NAME: &str = "loggia_search.sqlite3";

/// Raised whenever the tables or the tokens change: older files are made anew.
pub(in crate::logstream) const VERSION: i64 = 1;
/// How many rows one step takes at most.
const STEP_ROWS: i64 = 2000;
/// After how many bytes of text a step ends.
const STEP_BYTES: usize = 2 * 1024 * 1024;

/// One kind of text and its tables.
#[derive(Debug)]
pub(super) struct Corpus {
    /// What its tables are called, before the number of the part.
    name: &'static str,
    /// A part holds two to the power of so many rows.
    part_bits: u32,
}

/// Bodies and fields of events; a row's number is its arrival number.
pub(super) const EVENTS: Corpus = Corpus { name: "events", part_bits: 17 };
/// Contents and fields of artifacts; a row's number is its own in the log's table.
pub(super) const ARTIFACTS: Corpus = Corpus { name: "artifacts", part_bits: 13 };

impl Corpus {
    fn part_of(&self, row: i64) -> i64 {
        row >> self.part_bits
    }

    /// Row numbers below `before` that answer a question, newest first, at most `limit`.
    pub(super) fn find(
        &self,
        side: &Connection,
        question: &str,
        before: i64,
        limit: usize,
    ) -> rusqlite::Result<Vec<i64>> {
        let newest_part = self.part_of(before.saturating_sub(1));
        let parts: Vec<i64> = side
            .prepare_cached("SELECT part FROM parts WHERE corpus = ?1 AND part <= ?2 ORDER BY part DESC")?
            .query_map(params![self.name, newest_part], |r| r.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut found = Vec::new();
        for part in parts {
            let wanted = limit - found.len();
            if wanted == 0 {
                break;
            }
            let table = format!("{}_{part}", self.name);
            let sql = format!(
                "SELECT rowid FROM {table} WHERE {table} MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT {wanted}"
            );
            let mut statement = side.prepare(&sql)?;
            let rows = statement.query_map(params![question, before], |r| r.get::<_, i64>(0))?;
            for row in rows {
                found.push(row?);
            }
        }
        Ok(found)
    }

    fn insert(&self, tx: &Transaction<'_>, row: i64, text: &str, fields: &str) -> rusqlite::Result<()> {
        let part = self.part_of(row);
        let is_new =
            tx.prepare_cached("INSERT OR IGNORE INTO parts VALUES (?1, ?2)")?.execute(params![self.name, part])? > 0;
        let table = format!("{}_{part}", self.name);
        if is_new {
            tx.execute_batch(&format!(
                "CREATE VIRTUAL TABLE {table} USING fts5(text, fields, content='', columnsize=0, tokenize='ascii')"
            ))?;
        }
        tx.prepare_cached(&format!("INSERT INTO {table} (rowid, text, fields) VALUES (?1, ?2, ?3)"))?
            .execute(params![row, text, fields])?;
        Ok(())
    }
}

/// Up to where the log is indexed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// The arrival number of the last event; 0 at the beginning.
    pub seq: i64,
    /// Its id.
    pub event_id: Option<String>,
    /// The row of the last artifact; 0 at the beginning.
    pub artifact_row: i64,
    /// Its id.
    pub artifact_id: Option<String>,
}

impl Progress {
    /// Whether everything up to `goal` is indexed.
    pub(super) fn reaches(&self, goal: &Self) -> bool {
        self.seq >= goal.seq && self.artifact_row >= goal.artifact_row
    }
}

/// Why the index could not be opened or brought forward.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    /// The log could not be read: nothing that the index could mend.
    #[error("the log: {0}")]
    Log(rusqlite::Error),
    /// The side file.
    #[error("the search index: {0}")]
    Side(#[from] rusqlite::Error),
    /// The side file's folder.
    #[error("the search index: {0}")]
    Io(#[from] std::io::Error),
}

impl IndexError {
    /// Whether the side file is no database, or none of ours, so that only a new one helps.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Side(error) if is_damage(error))
    }
}

/// Whether an error says that a file is damaged. All statements are right by themselves, so one that SQLite does not understand
/// misses a table.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
}

/// The index, open for writing. Several processes may have it open; each step is one of theirs.
pub(super) struct Index {
    log: Connection,
    side: Connection,
    path: PathBuf,
    /// Which file of that name it is.
    inode: u64,
}

impl Index {
    /// Opens or makes the side file at `path` for the log at `log_path`. One that is damaged is made anew.
    pub(super) fn open(path: &Path, log_path: &Path) -> Result<Self, IndexError> {
        let log = db::open_follower(log_path).map_err(IndexError::Log)?;
        let side = match open_side(path, &log) {
            Err(error) if error.is_damage() => {
                tracing::warn!(%error, "the search index is damaged and made anew from the log");
                db::remove(path);
                open_side(path, &log)?
            }
            other => other?,
        };
        let inode = inode(path)?;
        Ok(Self { log, side, path: path.to_owned(), inode })
    }

    /// Whether the file is still the one that was opened: somebody may have removed it.
    pub(super) fn is_in_place(&self) -> bool {
        inode(&self.path).is_ok_and(|inode| inode == self.inode)
    }

    /// Up to where it goes, and whether the log goes further.
    pub(super) fn progress(&self) -> Result<(Progress, bool), IndexError> {
        let done = progress(&self.side)?;
        let newest = |sql: &str| {
            let row = self.log.prepare_cached(sql)?.query_row([], |r| r.get::<_, Option<i64>>(0));
            row.map(Option::unwrap_or_default)
        };
        let event = newest("SELECT max(rowid) FROM events").map_err(IndexError::Log)?;
        let artifact = newest("SELECT max(rowid) FROM artifacts").map_err(IndexError::Log)?;
        let is_behind = event != done.seq || artifact != done.artifact_row;
        Ok((done, is_behind))
    }

    /// Takes the next events and artifacts in. Nothing happens when another process was faster.
    pub(super) fn step(&mut self) -> Result<(), IndexError> {
        let tx = self.side.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut done = fitting(&tx, &self.log)?;
        let mut bytes = 0;
        for event in next_events(&self.log, done.seq).map_err(IndexError::Log)? {
            let fields = expression::event_fields(&event);
            EVENTS.insert(&tx, event.seq, &expression::text_tokens(&event.body), &fields)?;
            bytes += read::event_bytes(&event);
            (done.seq, done.event_id) = (event.seq, Some(event.id));
        }
        if bytes < STEP_BYTES {
            for (row, artifact) in next_artifacts(&self.log, done.artifact_row).map_err(IndexError::Log)? {
                let fields = expression::artifact_fields(&artifact);
                ARTIFACTS.insert(&tx, row, &expression::text_tokens(&artifact.content), &fields)?;
                (done.artifact_row, done.artifact_id) = (row, Some(artifact.id));
            }
        }
        tx.prepare_cached("UPDATE progress SET seq = ?1, event_id = ?2, artifact_row = ?3, artifact_id = ?4")?
            .execute(params![done.seq, done.event_id, done.artifact_row, done.artifact_id])?;
        tx.commit()?;
        Ok(())
    }
}

/// The events after one, as many as a step takes.
fn next_events(log: &Connection, seq: i64) -> rusqlite::Result<Vec<Event>> {
    let columns = sql::EVENT_COLUMNS;
    let sql = format!("SELECT {columns} FROM events e WHERE e.rowid > ?1 ORDER BY e.rowid LIMIT {STEP_ROWS}");
    let mut statement = log.prepare_cached(&sql)?;
    let mut rows = statement.query_map([seq], sql::event)?;
    read::up_to_bytes(&mut rows, STEP_BYTES, read::event_bytes)
}

/// The artifacts after one with their row numbers, as many as a step takes.
fn next_artifacts(log: &Connection, row: i64) -> rusqlite::Result<Vec<(i64, Artifact)>> {
    let columns = sql::ARTIFACT_COLUMNS;
    let sql = format!(
        "SELECT {columns}, content, metadata_json, rowid FROM artifacts WHERE rowid > ?1 ORDER BY rowid LIMIT {STEP_ROWS}"
    );
    let mut statement = log.prepare_cached(&sql)?;
    let mut rows = statement.query_map([row], |r| Ok((r.get(9)?, sql::artifact(r)?)))?;
    read::up_to_bytes(&mut rows, STEP_BYTES, |(_, artifact)| artifact.content.len() + artifact.metadata.text().len())
}

/// Opens the side file and brings it to the present schema.
fn open_side(path: &Path, log: &Connection) -> Result<Connection, IndexError> {
    let mut side = db::open_writer(path)?;
    // The log is the truth: after a power cut the last steps are simply taken again.
    side.pragma_update(None, "synchronous", "normal")?;
    let tx = side.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = tx.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    if version == VERSION {
        fitting(&tx, log)?;
    } else {
        make_anew(&tx)?;
    }
    tx.commit()?;
    Ok(side)
}

/// The progress, after the tables are made anew if they tell of another log: one that was restored from a backup, for example.
fn fitting(tx: &Transaction<'_>, log: &Connection) -> Result<Progress, IndexError> {
    let done = progress(tx)?;
    if fits(&done, log).map_err(IndexError::Log)? {
        return Ok(done);
    }
    tracing::warn!("the search index tells of another state of the log and is made anew");
    make_anew(tx)?;
    Ok(Progress::default())
}

/// Whether a log holds what was indexed last.
pub(in crate::logstream) fn fits(done: &Progress, log: &Connection) -> rusqlite::Result<bool> {
    let is_there = |sql: &str, row: i64, id: &Option<String>| {
        let there = log.prepare_cached(sql)?.query_row([row], |r| r.get::<_, String>(0)).optional();
        there.map(|there| row == 0 || there == *id)
    };
    Ok(is_there("SELECT id FROM events WHERE rowid = ?1", done.seq, &done.event_id)?
        && is_there("SELECT id FROM artifacts WHERE rowid = ?1", done.artifact_row, &done.artifact_id)?)
}

/// Up to where a side file goes.
pub(in crate::logstream) fn progress(side: &Connection) -> rusqlite::Result<Progress> {
    side.prepare_cached("SELECT seq, event_id, artifact_row, artifact_id FROM progress")?.query_row([], |r| {
        Ok(Progress { seq: r.get(0)?, event_id: r.get(1)?, artifact_row: r.get(2)?, artifact_id: r.get(3)? })
    })
}

/// Drops whatever there is and makes empty tables. In place: another process may have the file open.
fn make_anew(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    // A virtual table takes its shadow tables along.
    for kind in ["sql LIKE 'CREATE VIRTUAL TABLE%'", "name NOT LIKE 'sqlite_%'"] {
        let sql = format!("SELECT name FROM sqlite_master WHERE type = 'table' AND {kind}");
        let tables: Vec<String> = tx.prepare(&sql)?.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        for table in tables {
            tx.execute_batch(&format!("DROP TABLE \"{}\"", table.replace('"', "\"\"")))?;
        }
    }
    tx.execute_batch(&format!(
        "CREATE TABLE parts (corpus TEXT NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (corpus, part)) WITHOUT ROWID;
         CREATE TABLE progress (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, event_id TEXT,
             artifact_row INTEGER NOT NULL, artifact_id TEXT);
         INSERT INTO progress VALUES (1, 0, NULL, 0, NULL);
         PRAGMA user_version = {VERSION};"
    ))
}

fn inode(path: &Path) -> std::io::Result<u64> {
    std::fs::metadata(path).map(|m| m.ino())
}
