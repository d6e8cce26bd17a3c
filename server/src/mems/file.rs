//! The file `mems.sqlite3` of a palace: snapshots, where they are not kept in a Redis; which drawers hold what was said is `filed`'s.
//!
//! # Design
//! One thread writes; it takes everything that waits into one transaction. Live snapshots are also in memory, where they are read, since
//! the palace has one hub. `synchronous=NORMAL`: what was answered survives the end of the process, and a power cut may take the last
//! moments. Memory of half an hour does not deserve a sync for each message; what is to last longer is in the palace, which syncs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Instant;

use loggia_domain::mems::event::EventIds;
use loggia_domain::mems::{NewWrite, Snapshot, Steady, key};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use tokio::sync::{mpsc, oneshot};

use super::filed::{self, Filed, Index};
use super::outlet::{Event, Outlet};
use super::{MemsError, random};
use crate::clock::now_ms;
use crate::db::{self, ReadPool};

/// The file within a palace.
pub const FILE_NAME: &str = "mems.sqlite3";
/// Raised whenever the tables change.
const VERSION: i64 = 1;
/// How many writes may wait before callers do.
const QUEUE: usize = 1024;
/// How many writes one transaction takes at most.
const BATCH: usize = 256;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS snapshots (key TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL, value TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS snapshots_by_expiry ON snapshots (expires_at_ms);
CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), now_ms INTEGER NOT NULL);";

enum Job {
    Write { new: Box<NewWrite>, reply: oneshot::Sender<Result<Event, MemsError>> },
    Filed(Filed),
    Sweep,
}

/// The file, open. Ends its thread when it is dropped.
pub struct File {
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    readers: ReadPool,
    live: Arc<Live>,
}

/// Snapshots by key, and the clock that they expire by.
struct Live {
    snapshots: RwLock<HashMap<String, Arc<Snapshot>>>,
    clock: Mutex<Steady>,
    begun: Instant,
}

impl Live {
    fn now_ms(&self) -> u64 {
        let steady_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).tick(now_ms(), steady_ms)
    }
}

impl File {
    /// Opens (and creates) the file in a folder. Every event of a write goes to the outlet, in the order of the commits.
    pub fn open(folder: &Path, outlet: Arc<Outlet>) -> Result<Self, MemsError> {
        let path = folder.join(FILE_NAME);
        crate::palace::record::create_private_file(&path).map_err(|error| MemsError::Storage(error.to_string()))?;
        let mut conn = db::open_writer(&path)?;
        conn.pragma_update(None, "synchronous", "normal")?;
        let version: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version > VERSION {
            return Err(MemsError::Storage(format!(
                "{FILE_NAME} has version {version}, this program knows {VERSION}: start the newer one"
            )));
        }
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(TABLES)?;
        tx.execute_batch(filed::TABLES)?;
        tx.pragma_update(None, "user_version", VERSION)?;
        let known: Option<i64> = tx.query_row("SELECT now_ms FROM clock", [], |row| row.get(0)).optional()?;
        let live = Live {
            snapshots: RwLock::default(),
            clock: Mutex::new(Steady::new(now_ms(), known.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0), 0)),
            begun: Instant::now(),
        };
        let now_ms = live.now_ms();
        tx.execute("DELETE FROM snapshots WHERE expires_at_ms <= ?1", [ms(now_ms)])?;
        let snapshots = load(&tx)?;
        let index = Index::read(&tx, filed::BOUNDS)?;
        tx.commit()?;
        *live.snapshots.write().unwrap_or_else(PoisonError::into_inner) = snapshots;
        let live = Arc::new(live);
        let readers = db::read_pool(&path)?;
        let (queue, jobs) = mpsc::channel(QUEUE);
        let writer = Writer { conn, live: Arc::clone(&live), outlet, index, ids: EventIds::default() };
        let thread = std::thread::Builder::new().name("mems-writer".to_owned()).spawn(move || writer.run(jobs));
        let thread = thread.map_err(|error| MemsError::Storage(error.to_string()))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)), readers, live })
    }

    /// Writes, and answers when it is committed.
    pub async fn write(&self, new: NewWrite) -> Result<Event, MemsError> {
        let (reply, answer) = oneshot::channel();
        self.sender()?.send(Job::Write { new: Box::new(new), reply }).await.map_err(|_| MemsError::Closed)?;
        answer.await.map_err(|_| MemsError::Closed)?
    }

    /// The live snapshot of a key.
    pub fn read(&self, key: &str) -> Option<Arc<Snapshot>> {
        let snapshots = self.live.snapshots.read().unwrap_or_else(PoisonError::into_inner);
        let snapshot = snapshots.get(key).cloned();
        drop(snapshots);
        snapshot.filter(|snapshot| snapshot.is_live(self.live.now_ms()))
    }

    /// How many sessions are live.
    pub fn live(&self) -> usize {
        let now_ms = self.live.now_ms();
        let snapshots = self.live.snapshots.read().unwrap_or_else(PoisonError::into_inner);
        snapshots.values().filter(|snapshot| snapshot.is_live(now_ms)).count()
    }

    /// All live snapshots by key, each with how long it still lives, in ms.
    pub fn all(&self) -> Vec<(String, Arc<Snapshot>, u64)> {
        let now_ms = self.live.now_ms();
        let snapshots = self.live.snapshots.read().unwrap_or_else(PoisonError::into_inner);
        let live = snapshots.iter().filter(|(_, snapshot)| snapshot.is_live(now_ms));
        live.map(|(key, s)| (key.clone(), Arc::clone(s), s.expires_at_ms - now_ms)).collect()
    }

    /// Notes which drawer holds a write. Whoever does so waits for no answer.
    pub async fn note(&self, filed: Filed) {
        if let Ok(queue) = self.sender() {
            // A hub that ends notes nothing more; the drawer is there all the same.
            let _ = queue.send(Job::Filed(filed)).await;
        }
    }

    /// Whether something lies there that has expired.
    pub fn has_expired(&self) -> bool {
        let now_ms = self.live.now_ms();
        let snapshots = self.live.snapshots.read().unwrap_or_else(PoisonError::into_inner);
        snapshots.values().any(|snapshot| !snapshot.is_live(now_ms))
    }

    /// Removes what has expired.
    pub async fn sweep(&self) {
        if let Ok(queue) = self.sender() {
            let _ = queue.send(Job::Sweep).await;
        }
    }

    /// The writes of a session that lie in drawers, newest first, those whose ids sort before a text.
    pub async fn filed(&self, key: String, before: Option<String>, limit: usize) -> Result<Vec<Filed>, MemsError> {
        self.ask(move |conn| filed::before(conn, &key, before.as_deref(), limit)).await
    }

    /// How many messages of a session lie in drawers, and which of some writes do.
    pub async fn filed_count(&self, key: String, writes: Vec<String>) -> Result<(u64, Vec<String>), MemsError> {
        self.ask(move |conn| filed::count(conn, &key, writes)).await
    }

    /// Commits what waits and ends the thread.
    pub fn close(&self) {
        lock(&self.queue).take();
        if let Some(thread) = lock(&self.thread).take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread of session memory panicked");
        }
    }

    fn sender(&self) -> Result<mpsc::Sender<Job>, MemsError> {
        lock(&self.queue).clone().ok_or(MemsError::Closed)
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, MemsError> {
        let pool = self.readers.clone();
        let asked = move || -> Result<T, MemsError> { Ok(question(&*pool.get()?)?) };
        tokio::task::spawn_blocking(asked).await.map_err(|_| MemsError::Closed)?
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.close();
    }
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ms(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// What is there; a row that cannot be read is passed over.
fn load(conn: &Connection) -> rusqlite::Result<HashMap<String, Arc<Snapshot>>> {
    let mut statement = conn.prepare("SELECT key, value FROM snapshots")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut found = HashMap::new();
    for row in rows {
        let (key, value) = row?;
        match serde_json::from_str(&value) {
            Ok(snapshot) => {
                found.insert(key, Arc::new(snapshot));
            }
            Err(error) => tracing::warn!(%error, "a snapshot of session memory cannot be read"),
        }
    }
    Ok(found)
}

struct Writer {
    conn: Connection,
    live: Arc<Live>,
    outlet: Arc<Outlet>,
    index: Index,
    ids: EventIds,
}

type Answered = (oneshot::Sender<Result<Event, MemsError>>, Event);

impl Writer {
    fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH {
                let Ok(job) = jobs.try_recv() else { break };
                batch.push(job);
            }
            self.commit(batch);
        }
        self.commit(vec![Job::Sweep]);
        // A failure here loses nothing: the next start replays the WAL.
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the WAL of session memory could not be written back");
        }
    }

    fn commit(&mut self, batch: Vec<Job>) {
        let now_ms = self.live.now_ms();
        let (mut writes, mut filed, mut sweeps) = (Vec::new(), Vec::new(), false);
        for job in batch {
            match job {
                Job::Write { new, reply } => writes.push((new, reply)),
                Job::Filed(one) => filed.push(one),
                Job::Sweep => sweeps = true,
            }
        }
        let mut fresh = HashMap::new();
        let mut answers: Vec<Answered> = Vec::with_capacity(writes.len());
        for (new, reply) in writes {
            match self.next(&mut fresh, &new, now_ms) {
                Ok(event) => answers.push((reply, event)),
                // A caller that went away has no use for its answer.
                Err(error) => drop(reply.send(Err(error))),
            }
        }
        let expired = match self.store(&fresh, &filed, sweeps, now_ms) {
            Ok(expired) => expired,
            Err(error) => {
                tracing::error!(%error, writes = answers.len(), "session memory was not written");
                if let Err(error) = self.index.count(&self.conn) {
                    tracing::warn!(%error, "what session memory holds could not be counted");
                }
                for (reply, _) in answers {
                    // A caller that went away has no use for its answer.
                    let _ = reply.send(Err(error.clone()));
                }
                return;
            }
        };
        {
            let mut snapshots = self.live.snapshots.write().unwrap_or_else(PoisonError::into_inner);
            for key in expired {
                snapshots.remove(&key);
            }
            snapshots.extend(fresh);
        }
        for (reply, event) in answers {
            self.outlet.push(event.clone(), false);
            let _ = reply.send(Ok(event));
        }
    }

    /// What a write makes of what is there, other writes of this group included.
    fn next(
        &mut self,
        fresh: &mut HashMap<String, Arc<Snapshot>>,
        new: &NewWrite,
        now_ms: u64,
    ) -> Result<Event, MemsError> {
        let key = key::of(&new.owner);
        let before = fresh.get(&key).cloned().or_else(|| {
            let snapshots = self.live.snapshots.read().unwrap_or_else(PoisonError::into_inner);
            snapshots.get(&key).cloned()
        });
        let before = before.filter(|snapshot| snapshot.is_live(now_ms));
        let id = self.ids.next(now_ms, before.as_ref().map(|s| s.event_id.as_str()), random());
        let (snapshot, did) = Snapshot::after(before.as_deref(), new, id, now_ms);
        snapshot.room(new)?;
        let snapshot = Arc::new(snapshot);
        let event = Event::new(new.owner.clone(), &snapshot, did);
        fresh.insert(key, snapshot);
        Ok(event)
    }

    /// Writes a group in one transaction; the keys of what was removed.
    fn store(
        &mut self,
        fresh: &HashMap<String, Arc<Snapshot>>,
        filed: &[Filed],
        sweeps: bool,
        now_ms: u64,
    ) -> Result<Vec<String>, MemsError> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (key, snapshot) in fresh {
            let value = serde_json::to_string(&**snapshot).map_err(|error| MemsError::Storage(error.to_string()))?;
            tx.prepare_cached("INSERT OR REPLACE INTO snapshots (key, expires_at_ms, value) VALUES (?1, ?2, ?3)")?
                .execute(params![key, ms(snapshot.expires_at_ms), value])?;
        }
        for one in filed {
            self.index.insert(&tx, one)?;
        }
        let mut expired: Vec<String> = Vec::new();
        if sweeps {
            // What this group wrote lives at its moment: none of it goes.
            let mut statement = tx.prepare_cached("DELETE FROM snapshots WHERE expires_at_ms <= ?1 RETURNING key")?;
            expired = statement.query_map([ms(now_ms)], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        }
        if !fresh.is_empty() || !expired.is_empty() {
            tx.prepare_cached("INSERT OR REPLACE INTO clock (id, now_ms) VALUES (1, ?1)")?.execute([ms(now_ms)])?;
        }
        tx.commit()?;
        Ok(expired)
    }
}
