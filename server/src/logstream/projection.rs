//! Counts of streams and rooms, and the delegations that are under way: kept beside the log, in step with it, never scanned per page.
//!
//! # Design
//! A side file, so that the log's own writes never wait for it. One thread follows the log in arrival order and writes what changed;
//! a delegation that was touched is folded again from its own events. Everything here can be rebuilt from the log: a file that does
//! not fit it (another schema, a restored log, damage) is thrown away and made anew.

pub mod agents;
pub mod build;
pub mod history;
mod tallies;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use loggia_domain::delegation::{self, Delegation};
use loggia_domain::presence::{ANNOUNCEMENT, Announcement};
use loggia_domain::{Metadata, Reach};
use rusqlite::{Connection, OptionalExtension, Row, params};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Logstream, StoreError, reach, read, sql};
use crate::db::{self, ReadPool};

/// The side file within a palace.
pub const FILE_NAME: &str = "loggia_projection.sqlite3";

/// Raised whenever the tables or the meaning of what is in them changes: older files are made anew.
pub(super) const VERSION: i64 = 6;
const TABLES: &str = "
CREATE TABLE rooms (stream TEXT NOT NULL, room TEXT NOT NULL, events INTEGER NOT NULL, newest_seq INTEGER NOT NULL,
    newest_at TEXT NOT NULL, PRIMARY KEY (stream, room)) WITHOUT ROWID;
CREATE TABLE delegations (correlation_id TEXT PRIMARY KEY, state TEXT NOT NULL, question INTEGER NOT NULL,
    pending_since_ms INTEGER, last_at_ms INTEGER NOT NULL, card TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX delegations_state ON delegations(state, last_at_ms);
CREATE TABLE progress (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, event_id TEXT);
INSERT INTO progress VALUES (1, 0, NULL);";

/// How many events one step takes.
const STEP: i64 = 5000;
/// The least time between two steps: under a storm of appends a delegation is folded once, not once per event.
const PAUSE: Duration = Duration::from_millis(20);

/// One room's figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomFigures {
    /// Its stream.
    pub stream: String,
    /// Its name.
    pub room: String,
    /// How many events it holds.
    pub events: u64,
    /// The arrival number of its newest event.
    pub newest_seq: i64,
    /// `created_at` of its newest event.
    pub newest_at: String,
}

/// The handle of the projection. Cheap to clone.
#[derive(Clone)]
pub struct Projection {
    inner: Arc<Inner>,
    /// Which rooms and delegations are shown; the counts of what is shown are right all the same.
    reach: Reach,
    /// The log as far as it is seen, where that is not all of it: what a card says must come from there.
    seen: Option<Logstream>,
}

struct Inner {
    readers: ReadPool,
    wake: SyncSender<()>,
    seq: watch::Receiver<i64>,
}

impl Projection {
    /// Opens or makes the side file and starts to follow the log in `log_path`.
    pub fn open(palace: &Path, log_path: &Path, stop: CancellationToken) -> Result<Self, StoreError> {
        let path = palace.join(FILE_NAME);
        let log = db::open_follower(log_path)?;
        let side = match open_side(&path, &log) {
            Ok(side) => side,
            Err(error) => {
                tracing::warn!(%error, "the projection is made anew from the log");
                db::remove(&path);
                open_side(&path, &log)?
            }
        };
        let start = side.query_row("SELECT seq FROM progress", [], |r| r.get(0))?;
        let readers = db::read_pool(&path)?;
        let (wake, woken) = sync_channel(1);
        let (seq, follow_seq) = watch::channel(start);
        std::thread::Builder::new()
            .name("log-projection".to_owned())
            .spawn(move || Projector { log, side, seq, failing: false }.run(&woken, &stop))
            .map_err(|e| StoreError::Storage(e.to_string()))?;
        Ok(Self { inner: Arc::new(Inner { readers, wake, seq: follow_seq }), reach: Reach::default(), seen: None })
    }

    /// The same, as far as somebody sees the log.
    pub(super) fn within(mut self, log: &Logstream) -> Self {
        self.reach = log.reach().clone();
        self.seen = (!self.reach.is_everything()).then(|| log.clone());
        self
    }

    /// Cards of delegations as somebody sees them who may not see every stream: a delegation may have steps in several.
    pub(super) async fn as_seen(&self, cards: Vec<Delegation>) -> Result<Vec<Delegation>, StoreError> {
        let Some(log) = &self.seen else { return Ok(cards) };
        log.delegations_at(cards.into_iter().map(|card| card.correlation_id).collect(), i64::MAX).await
    }

    /// Tells the projection that events were committed. Never blocks.
    pub fn wake(&self) {
        let _ = self.inner.wake.try_send(());
    }

    /// The arrival number up to which everything is counted.
    pub fn position(&self) -> i64 {
        *self.inner.seq.borrow()
    }

    /// Waits until everything up to `seq` is counted, at most `patience`. A page asks this to show what its reader just wrote.
    pub async fn caught_up(&self, seq: i64, patience: Duration) {
        let mut follow = self.inner.seq.clone();
        // Late is no error: the page says up to where it counts.
        let _ = tokio::time::timeout(patience, follow.wait_for(|now| *now >= seq)).await;
    }

    /// Every room, newest activity first.
    pub async fn rooms(&self) -> Result<Vec<RoomFigures>, StoreError> {
        let reach = self.reach.clone();
        self.read(move |conn| {
            let mut rows: Vec<RoomFigures> = conn
                .prepare_cached(
                    "SELECT stream, room, events, newest_seq, newest_at FROM rooms ORDER BY newest_seq DESC",
                )?
                .query_map([], |r| {
                    Ok(RoomFigures {
                        stream: r.get(0)?,
                        room: r.get(1)?,
                        events: u64::try_from(r.get::<_, i64>(2)?).unwrap_or(0),
                        newest_seq: r.get(3)?,
                        newest_at: r.get(4)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            rows.retain(|room| reach.sees(&room.stream));
            Ok(rows)
        })
        .await
    }

    /// Delegations under way, longest waiting first, at most `limit`, without their steps; and how many there are.
    pub async fn open_delegations(&self, limit: usize) -> Result<(Vec<Delegation>, u64), StoreError> {
        let reach = self.reach.clone();
        let read = self.read(move |conn| {
            const OPEN: &str = "state IN ('open', 'claimed', 'ready', 'blocked', 'other')";
            let (seen, values) = reach::of_card(&reach);
            let total: i64 = conn
                .prepare_cached(&format!("SELECT count(*) FROM delegations WHERE {OPEN} {seen}"))?
                .query_row(values, |r| r.get(0))?;
            let (seen, values) = reach::of_card(&reach);
            let sql = format!(
                "SELECT card FROM delegations WHERE {OPEN} {seen} ORDER BY coalesce(pending_since_ms, last_at_ms) LIMIT {limit}"
            );
            Ok((cards(conn, &sql, values)?, u64::try_from(total).unwrap_or(0)))
        });
        let (cards, total) = read.await?;
        Ok((self.as_seen(cards).await?, total))
    }

    /// Delegations that failed after `since_ms`, newest first, at most `limit`, without their steps.
    pub async fn failed_delegations(&self, since_ms: u64, limit: usize) -> Result<Vec<Delegation>, StoreError> {
        let mut wanted = sql::Conditions::default();
        wanted.push("state = ?", "failed".to_owned());
        wanted.push("last_at_ms >= ?", i64::try_from(since_ms).unwrap_or(i64::MAX));
        wanted.push_reach(reach::CARD_STREAM, &self.reach);
        let read = self.read(move |conn| {
            let which = wanted.where_clause();
            let sql = format!("SELECT card FROM delegations {which} ORDER BY last_at_ms DESC LIMIT {limit}");
            cards(conn, &sql, wanted.params())
        });
        self.as_seen(read.await?).await
    }

    async fn read<T, F>(&self, question: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        super::ask(&self.inner.readers, question).await
    }
}

fn cards(conn: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<Delegation>, StoreError> {
    let cards =
        conn.prepare_cached(sql)?.query_map(params, |r| r.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    // A card of another version is made anew with the next event of its delegation.
    Ok(cards.iter().filter_map(|card| serde_json::from_str(card).ok()).collect())
}

fn open_side(path: &Path, log: &Connection) -> Result<Connection, StoreError> {
    let side = db::open_writer(path)?;
    // The log is the truth: after a power cut the last steps are simply taken again.
    side.pragma_update(None, "synchronous", "normal")?;
    let version: i64 = side.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    if version == 0 {
        make_tables(&side)?;
    } else if version != VERSION {
        return Err(StoreError::Storage(format!("its schema is version {version}, not {VERSION}")));
    }
    let (seq, event_id): (i64, Option<String>) =
        side.query_row("SELECT seq, event_id FROM progress", [], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let there: Option<String> =
        log.query_row("SELECT id FROM events WHERE rowid = ?1", [seq], |r| r.get(0)).optional()?;
    if seq > 0 && there != event_id {
        return Err(StoreError::Storage("it was made from another state of the log".to_owned()));
    }
    Ok(side)
}

fn make_tables(side: &Connection) -> rusqlite::Result<()> {
    side.execute_batch(&format!(
        "BEGIN; {TABLES} {} {} {} PRAGMA user_version = {VERSION}; COMMIT;",
        agents::TABLES,
        history::TABLES,
        tallies::TABLES
    ))
}

struct Projector {
    log: Connection,
    side: Connection,
    seq: watch::Sender<i64>,
    failing: bool,
}

impl Projector {
    fn run(mut self, woken: &Receiver<()>, stop: &CancellationToken) {
        loop {
            while !stop.is_cancelled() {
                match self.step() {
                    Ok(more) => {
                        self.failing = false;
                        if !more {
                            break;
                        }
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut self.failing, true) {
                            tracing::error!(%error, "the projection cannot follow the log for now; counts and boards are old");
                        }
                        break;
                    }
                }
            }
            std::thread::sleep(PAUSE);
            match woken.recv_timeout(Duration::from_millis(500)) {
                Ok(()) | Err(RecvTimeoutError::Timeout) if !stop.is_cancelled() => {}
                _ => return,
            }
        }
    }

    /// Takes the next events into the counts; answers whether there may be more.
    fn step(&mut self) -> Result<bool, StoreError> {
        let Some((last, more)) = advance(&self.log, &mut self.side, *self.seq.borrow(), i64::MAX)? else {
            return Ok(false);
        };
        self.seq.send_replace(last);
        Ok(more)
    }
}

/// What the figures need of an event.
struct Taken {
    seq: i64,
    id: String,
    stream: String,
    room: String,
    created_at: String,
    correlation_id: Option<String>,
    status: Option<String>,
    event_type: String,
    from_agent: String,
    to_agent: Option<String>,
    /// What it announces, if it is an announcement.
    said: Option<Announcement>,
}

impl Taken {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (id, created_at): (String, String) = (row.get(1)?, row.get(4)?);
        let announced: Option<(String, String)> = row.get::<_, Option<_>>(10)?.zip(row.get(11)?);
        let said = announced
            .map(|(metadata, body)| Announcement::of(&id, &created_at, &Metadata::from_stored(metadata), &body));
        Ok(Self {
            seq: row.get(0)?,
            id,
            stream: row.get(2)?,
            room: row.get(3)?,
            created_at,
            correlation_id: row.get(5)?,
            status: row.get(6)?,
            event_type: row.get(7)?,
            from_agent: row.get(8)?,
            to_agent: row.get(9)?,
            said,
        })
    }
}

/// Takes the events after `from` and up to `upto` into the counts, at most [`STEP`] of them: the last one taken, and whether there may
/// be more; `None` when there is none. What it leaves depends on the events up to that last one alone, however many steps it took.
fn advance(log: &Connection, side: &mut Connection, from: i64, upto: i64) -> Result<Option<(i64, bool)>, StoreError> {
    let sql = format!(
        "SELECT rowid, id, stream, room, created_at, correlation_id, status, type, from_agent, to_agent,
             CASE WHEN type = '{ANNOUNCEMENT}' THEN metadata_json END,
             CASE WHEN type = '{ANNOUNCEMENT}' THEN substr(body, 1, {}) END
         FROM events WHERE rowid > ?1 AND rowid <= ?2 ORDER BY rowid LIMIT ?3",
        sql::CARD_BODY_CHARS
    );
    let rows: Vec<Taken> =
        log.prepare_cached(&sql)?.query_map([from, upto, STEP], Taken::of)?.collect::<rusqlite::Result<_>>()?;
    let Some(Taken { seq: last, id: last_id, .. }) = rows.last() else { return Ok(None) };
    let last = *last;
    let tx = side.transaction()?;
    let mut rooms: BTreeMap<(&str, &str), (i64, i64, &str)> = BTreeMap::new();
    for row in &rows {
        let figures = rooms.entry((&row.stream, &row.room)).or_default();
        *figures = (figures.0 + 1, row.seq, &row.created_at);
    }
    for ((stream, room), (events, seq, created_at)) in rooms {
        tx.prepare_cached(
            "INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE
             SET events = events + excluded.events, newest_seq = excluded.newest_seq, newest_at = excluded.newest_at",
        )?
        .execute(params![stream, room, events, seq, created_at])?;
    }
    tallies::take(&tx, &rows)?;
    agents::take(&tx, &rows)?;
    let touched: BTreeSet<&str> = rows.iter().filter_map(|row| row.correlation_id.as_deref()).collect();
    for correlation_id in touched {
        let card = fold(log, correlation_id, last)?;
        agents::keep_loops(&tx, correlation_id, card.as_ref())?;
        match card {
            Some(card) => keep(&tx, &card)?,
            // A question that was answered in a talk that delegates nothing: there is no card any more.
            None => forget(&tx, correlation_id)?,
        }
        history::take(log, &tx, correlation_id, from, last)?;
    }
    tx.execute("UPDATE progress SET seq = ?1, event_id = ?2", params![last, last_id])?;
    tx.commit()?;
    Ok(Some((last, i64::try_from(rows.len()).unwrap_or(i64::MAX) == STEP)))
}

/// Folds one correlation as it stood at `upto`; `None` when it is a conversation that delegates nothing.
fn fold(log: &Connection, correlation_id: &str, upto: i64) -> Result<Option<Delegation>, StoreError> {
    let events = read::course(log, correlation_id, upto, &sql::card_columns())?;
    let delegates = events.iter().any(|e| e.event_type == "task.request" || e.known_status().is_some());
    let folded = delegation::fold(&events).filter(|d| delegates || d.open_question);
    Ok(folded.map(|d| Delegation { steps: Vec::new(), ..d }))
}

fn forget(tx: &Connection, correlation_id: &str) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM delegations WHERE correlation_id = ?1")?.execute([correlation_id]).map(drop)
}

fn keep(tx: &Connection, card: &Delegation) -> Result<(), StoreError> {
    let text = serde_json::to_string(card).map_err(|e| StoreError::Storage(e.to_string()))?;
    let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    tx.prepare_cached("INSERT OR REPLACE INTO delegations VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
        card.correlation_id,
        card.state.as_str(),
        card.open_question,
        card.pending_since_ms.map(ms),
        ms(card.last_at_ms),
        text
    ])?;
    Ok(())
}

#[cfg(test)]
mod tests;
