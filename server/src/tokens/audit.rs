//! Who changed what: one line for every write and every act of managing, in `<palace>/audit.sqlite3`. Never a secret, never a body.
//!
//! # Design
//! A request pays one send into a bounded queue; a thread writes what waits in one transaction. When the queue is full the line is dropped and
//! counted, and the loss is itself a line: an audit must not hold up the log. The table only grows: triggers refuse changes and
//! deletions, except of lines with [`KEPT`] newer ones behind them, which is the rule by which it stays small.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use loggia_domain::timestamp;
use rusqlite::{Connection, params};
use serde::Serialize;

use super::{AuthError, create_private, now_text};
use crate::db::{self, ReadPool};

/// The file within a palace.
pub const FILE_NAME: &str = "audit.sqlite3";
/// How many lines are kept; older ones go.
pub const KEPT: i64 = 500_000;

/// How many lines may wait to be written.
const QUEUE: usize = 4096;
/// How long it waits for more lines before it writes: a transaction for each line would cost a lone writer of the log a sixth of its
/// time.
const PAUSE: Duration = Duration::from_millis(50);
/// How many lines one transaction takes at most.
const BATCH: usize = 512;
/// How many old lines one transaction removes at most: twice as many as come in, so that the file shrinks.
const REMOVED: i64 = 1024;
/// The longest text in a column, in characters: names and ids are shorter.
const MAX_CHARS: usize = 256;

/// Who is written for what the hub does by itself.
const HUB: &str = "(hub)";
/// The outcome of an act whose caller was gone before it ended.
const UNANSWERED: &str = "unanswered";

fn tables() -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, kind TEXT NOT NULL,
            object TEXT NOT NULL, outcome TEXT NOT NULL);
         CREATE INDEX IF NOT EXISTS audit_who ON audit(who);
         CREATE INDEX IF NOT EXISTS audit_kind ON audit(kind);
         CREATE TRIGGER IF NOT EXISTS audit_is_not_changed BEFORE UPDATE ON audit
            BEGIN SELECT RAISE(ABORT, 'the audit is not changed'); END;
         CREATE TRIGGER IF NOT EXISTS audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = new.id)
            BEGIN SELECT RAISE(ABORT, 'the audit is not changed'); END;
         CREATE TRIGGER IF NOT EXISTS audit_is_not_shortened BEFORE DELETE ON audit WHEN old.id > (SELECT max(id) FROM audit) - {KEPT}
            BEGIN SELECT RAISE(ABORT, 'the newest lines of the audit are kept'); END;"
    )
}

/// One line, as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its number; they rise without end.
    pub id: i64,
    /// When, `YYYY-MM-DDTHH:MM:SSZ`.
    pub at: String,
    /// The name of the token, or `command line`.
    pub who: String,
    /// The tool, the route or the command.
    pub kind: String,
    /// The id or name of what was changed; empty when there is none.
    pub object: String,
    /// `ok`, or a word for why not; `unanswered` when the caller was gone before it was known.
    pub outcome: String,
}

/// Which lines are asked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only of this one.
    pub who: Option<String>,
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only lines before this number.
    pub before: Option<i64>,
}

/// An act that is under way. It is noted when this is dropped, however its task ended: a caller who leaves takes the task along, and what
/// was asked for may happen all the same.
#[must_use]
pub struct Act {
    audit: Audit,
    who: String,
    kind: &'static str,
    object: String,
    outcome: &'static str,
}

impl Act {
    /// What was changed, when that is known only afterwards.
    pub fn changed(&mut self, object: String) {
        self.object = object;
    }

    /// How it ended.
    pub fn ended(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }
}

impl Drop for Act {
    fn drop(&mut self) {
        self.audit.note(&self.who, self.kind, &self.object, self.outcome);
    }
}

struct Note {
    at_ms: u64,
    who: String,
    kind: String,
    object: String,
    outcome: &'static str,
}

/// The audit of a hub. Cheap to clone; lines that wait are written when [`Audit::close`] is called.
#[derive(Clone)]
pub struct Audit {
    inner: Arc<Inner>,
}

struct Inner {
    queue: Mutex<Option<SyncSender<Note>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    dropped: Arc<AtomicU64>,
    readers: ReadPool,
}

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Audit(…)")
    }
}

impl Audit {
    /// Opens the palace's audit, in a file that only its owner may read, and starts its thread.
    pub fn open(palace: &Path) -> Result<Self, AuthError> {
        let failed = |e: &dyn std::fmt::Display| AuthError::new(format!("{FILE_NAME}: {e}"));
        let path = palace.join(FILE_NAME);
        create_private(&path).map_err(|e| failed(&e))?;
        let conn = db::open_writer(&path).map_err(|e| failed(&e))?;
        // A line may be lost with the power, not with the process: the log itself says what was written.
        conn.pragma_update(None, "synchronous", "normal").map_err(|e| failed(&e))?;
        conn.execute_batch(&tables()).map_err(|e| failed(&e))?;
        let readers = db::read_pool(&path).map_err(|e| failed(&e))?;
        let (queue, waiting) = sync_channel(QUEUE);
        let dropped: Arc<AtomicU64> = Arc::default();
        let lost = Arc::clone(&dropped);
        let thread = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || write_all(conn, &waiting, &lost))
            .map_err(|e| failed(&e))?;
        let inner = Inner { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)), dropped, readers };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Begins an act that waits for something before its end is known.
    pub fn begin(&self, who: &str, kind: &'static str, object: String) -> Act {
        Act { audit: self.clone(), who: who.to_owned(), kind, object, outcome: UNANSWERED }
    }

    /// Notes an act. Never waits: a line that finds no place is dropped and counted.
    pub fn note(&self, who: &str, kind: &str, object: &str, outcome: &'static str) {
        let note = Note { at_ms: crate::clock::now_ms(), who: cut(who), kind: cut(kind), object: cut(object), outcome };
        let queue = self.inner.queue.lock().unwrap_or_else(PoisonError::into_inner);
        match queue.as_ref().map(|queue| queue.try_send(note)) {
            Some(Err(TrySendError::Full(_))) => {
                self.inner.dropped.fetch_add(1, Relaxed);
            }
            // After the end there is nothing to note any more.
            Some(Err(TrySendError::Disconnected(_)) | Ok(())) | None => {}
        }
    }

    /// Lines, the newest first, at most `limit`.
    pub fn read(&self, wanted: &Wanted, limit: usize) -> Result<Vec<Line>, AuthError> {
        let conn = self.inner.readers.get().map_err(|e| AuthError::new(e.to_string()))?;
        let mut clauses = vec!["id < ?".to_owned()];
        let mut values: Vec<rusqlite::types::Value> = vec![wanted.before.unwrap_or(i64::MAX).into()];
        for (column, value) in [("who", &wanted.who), ("kind", &wanted.kind)] {
            if let Some(value) = value {
                clauses.push(format!("{column} = ?"));
                values.push(value.clone().into());
            }
        }
        let sql = format!(
            "SELECT id, at, who, kind, object, outcome FROM audit WHERE {} ORDER BY id DESC LIMIT {limit}",
            clauses.join(" AND ")
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), |r| {
            Ok(Line {
                id: r.get(0)?,
                at: r.get(1)?,
                who: r.get(2)?,
                kind: r.get(3)?,
                object: r.get(4)?,
                outcome: r.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many lines were dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.inner.dropped.load(Relaxed)
    }

    /// Writes what waits, and ends.
    pub fn close(&self) {
        self.inner.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.inner.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the audit's thread panicked");
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}

fn write_all(mut conn: Connection, waiting: &Receiver<Note>, dropped: &AtomicU64) {
    let mut told = 0;
    let mut is_behind = false;
    while let Ok(first) = waiting.recv() {
        if !is_behind {
            std::thread::sleep(PAUSE);
        }
        let notes: Vec<Note> = std::iter::once(first).chain(waiting.try_iter().take(BATCH - 1)).collect();
        is_behind = notes.len() == BATCH;
        let lost = dropped.load(Relaxed);
        match write(&mut conn, &notes, lost - told) {
            Ok(()) => told = lost,
            Err(error) => {
                tracing::warn!(%error, lines = notes.len(), "lines of the audit could not be written");
                dropped.fetch_add(notes.len() as u64, Relaxed);
            }
        }
    }
}

fn write(conn: &mut Connection, notes: &[Note], lost: u64) -> rusqlite::Result<()> {
    const INSERT: &str = "INSERT INTO audit (at, who, kind, object, outcome) VALUES (?1, ?2, ?3, ?4, ?5)";
    let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for note in notes {
        let at = timestamp::created_at_ms(note.at_ms).unwrap_or_else(now_text);
        tx.prepare_cached(INSERT)?.execute(params![at, note.who, note.kind, note.object, note.outcome])?;
    }
    if lost > 0 {
        let object = format!("{lost} lines");
        tx.prepare_cached(INSERT)?.execute(params![now_text(), HUB, "audit.dropped", object, "lost"])?;
    }
    tx.prepare_cached(&format!(
        "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id <= (SELECT max(id) FROM audit) - {KEPT} ORDER BY id LIMIT {REMOVED})"
    ))?
    .execute([])?;
    tx.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_never_changed_and_the_newest_never_removed() {
        let dir = tempfile::tempdir().expect("temp dir");
        let audit = Audit::open(dir.path()).expect("opened");
        for n in 0..1000 {
            audit.note("mac", if n % 2 == 0 { "a" } else { "b" }, &format!("evt_{n}"), "ok");
        }
        audit.note(&"x".repeat(300), "c", "", "refused");
        audit.close();
        audit.note("late", "c", "", "ok");
        let all = audit.read(&Wanted::default(), 2000).expect("read");
        assert_eq!(all.len() as u64 + audit.dropped(), 1001 + u64::from(audit.dropped() > 0));
        assert!(all.windows(2).all(|pair| pair[0].id > pair[1].id), "the newest first");
        let odd = Wanted { who: Some("mac".to_owned()), kind: Some("b".to_owned()), before: Some(all[0].id) };
        let odd = audit.read(&odd, 3).expect("read");
        assert!(odd.len() == 3 && odd.iter().all(|line| line.kind == "b"), "{odd:?}");

        let mut conn = Connection::open(dir.path().join(FILE_NAME)).expect("opened");
        for forbidden in [
            "UPDATE audit SET who = 'me'",
            "DELETE FROM audit",
            "DELETE FROM audit WHERE id = 1",
            "INSERT OR REPLACE INTO audit VALUES (1, '', 'me', '', '', '')",
        ] {
            assert!(conn.execute(forbidden, []).is_err(), "{forbidden}");
        }
        // Half a million lines later the first ones go, a few with each batch.
        conn.execute("INSERT INTO audit VALUES (?1, '', 'mac', 'a', '', 'ok')", [KEPT + 10]).expect("inserted");
        write(&mut conn, &[], 7).expect("written");
        let first: i64 = conn.query_row("SELECT min(id) FROM audit", [], |r| r.get(0)).expect("read");
        assert_eq!(first, 12, "{KEPT} lines stay");
        let told: String =
            conn.query_row("SELECT object FROM audit ORDER BY id DESC LIMIT 1", [], |r| r.get(0)).expect("read");
        assert_eq!(told, "7 lines");
    }
}
