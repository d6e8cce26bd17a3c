//! The palace: drawers, diaries, tunnels and facts in `<palace>/palace.sqlite3` (`contract: palace`).
//!
//! It knows SQLite and nothing of HTTP, tools or pages, and the logstream knows nothing of it: a palace that is locked, damaged or
//! from a newer program is off, says why, and everything else goes on.
//!
//! # Design
//! One writer thread owns the only writable connection and commits in groups, as the log's does. A write is a closure on that
//! connection: what must be one transaction is one closure. Readers have read-only connections of their own.

pub mod answers;
pub mod browse;
pub mod diary;
pub mod drawers;
pub mod duplicates;
pub mod embed;
pub mod facts;
pub mod graph;
pub mod hallways;
pub mod import;
pub mod moment;
pub mod notes;
pub mod ops;
pub mod overview;
pub mod record;
pub mod rows;
pub mod schema;
pub mod search;
pub mod semantic;
pub mod tunnels;
pub mod vectors;
pub mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use loggia_domain::Refusal;
use rusqlite::Connection;

use crate::db::{self, ReadPool};
use crate::logstream::create_private_dir;
use record::{Record, RecordFile};
use semantic::Semantic;
pub use writer::Turn;
use writer::Writer;

/// The file within the palace's folder.
pub const FILE_NAME: &str = "palace.sqlite3";

/// How long it takes until a palace that is off is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// How long opening waits for another process that holds the file: the hub's start must not.
const OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// Why the palace did not do what was asked.
///
/// `Refused` is the caller's; the others are the machine's. Some are worth trying again ([`Self::is_retryable`]), `Outdated` is not
/// before the program was replaced.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PalaceError {
    /// The input breaks a rule, or names what is not there.
    #[error("{0}")]
    Refused(Refusal),
    /// Another process held the file for longer than the busy timeout.
    #[error("the palace is busy: another process holds it")]
    Busy,
    /// The disk is full.
    #[error("the disk is full: nothing was written")]
    Full,
    /// The hub is shutting down.
    #[error("the hub is shutting down")]
    Closed,
    /// The file was written by a newer program.
    #[error(
        "the palace has schema version {found}, this program knows {}: restart it with the newer one",
        schema::VERSION
    )]
    Outdated {
        /// The version in the file.
        found: i64,
    },
    /// The palace could not be opened.
    #[error("the palace is off: {0}")]
    Off(String),
    /// Anything else that SQLite or the file system reports.
    #[error("the palace cannot be used: {0}")]
    Storage(String),
}

impl PalaceError {
    /// Whether nothing was stored and a later try may work.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Full | Self::Closed)
    }
}

impl From<Refusal> for PalaceError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<rusqlite::Error> for PalaceError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => Self::Busy,
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full,
            _ => Self::Storage(error.to_string()),
        }
    }
}

impl From<r2d2::Error> for PalaceError {
    fn from(error: r2d2::Error) -> Self {
        Self::Storage(error.to_string())
    }
}

impl From<std::io::Error> for PalaceError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull { Self::Full } else { Self::Storage(error.to_string()) }
    }
}

/// The palace of a hub, on or off. Cheap to clone.
#[derive(Clone)]
pub struct Palace {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    state: Mutex<State>,
}

enum State {
    On(PalaceStore),
    Off { reason: String, tried_at: Instant },
    Closed,
}

impl State {
    fn open(folder: &Path) -> Self {
        match PalaceStore::open(folder) {
            Ok(store) => {
                semantic::model::Model::follow(&store, &embed::install::folder_for(folder));
                Self::On(store)
            }
            Err(error) => Self::Off { reason: error.to_string(), tried_at: Instant::now() },
        }
    }
}

impl Palace {
    /// Opens (and creates) the palace in a folder. Never fails: a palace that cannot be opened is off and is tried again when it is
    /// next asked for.
    pub fn open(folder: &Path) -> Self {
        let state = State::open(folder);
        if let State::Off { reason, .. } = &state {
            tracing::warn!(%reason, "the palace is off; coordination goes on without it");
        }
        Self { inner: Arc::new(Inner { folder: folder.to_owned(), state: Mutex::new(state) }) }
    }

    /// The open store; an error that says why there is none.
    pub async fn store(&self) -> Result<PalaceStore, PalaceError> {
        match &mut *self.state() {
            State::On(store) => return Ok(store.clone()),
            State::Closed => return Err(PalaceError::Closed),
            State::Off { reason, tried_at } if tried_at.elapsed() < RETRY_AFTER => {
                return Err(PalaceError::Off(reason.clone()));
            }
            // This call tries; whoever comes meanwhile is told the old reason.
            State::Off { tried_at, .. } => *tried_at = Instant::now(),
        }
        let palace = self.clone();
        tokio::task::spawn_blocking(move || palace.try_again()).await.map_err(|_| PalaceError::Closed)?
    }

    /// Why it is off; `None` while it is on.
    pub fn off_reason(&self) -> Option<String> {
        match &*self.state() {
            State::Off { reason, .. } => Some(reason.clone()),
            State::On(_) | State::Closed => None,
        }
    }

    /// Ends the writer: what was sent is still committed, then the WAL is written back into the file.
    pub fn close(&self) {
        let before = std::mem::replace(&mut *self.state(), State::Closed);
        if let State::On(store) = before {
            store.close();
        }
    }

    /// Opens it without holding the lock: nobody may have to wait for another process that holds the file.
    fn try_again(&self) -> Result<PalaceStore, PalaceError> {
        let opened = State::open(&self.inner.folder);
        let mut state = self.state();
        match (&*state, opened) {
            (State::Closed, State::On(late)) => late.close(),
            (State::Off { .. }, opened) => *state = opened,
            _ => {}
        }
        match &*state {
            State::On(store) => {
                tracing::info!("the palace is on again");
                Ok(store.clone())
            }
            State::Off { reason, .. } => Err(PalaceError::Off(reason.clone())),
            State::Closed => Err(PalaceError::Closed),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open palace. Cheap to clone; all clones share one writer.
#[derive(Clone)]
pub struct PalaceStore {
    inner: Arc<Open>,
}

struct Open {
    path: PathBuf,
    writer: Writer,
    readers: ReadPool,
    semantic: OnceLock<Arc<dyn Semantic>>,
    watch: browse::Watch,
}

impl PalaceStore {
    /// Opens (and creates) the store in a folder. A file of a newer program is opened too: it can be read, and refuses writes.
    pub fn open(folder: &Path) -> Result<Self, PalaceError> {
        create_private_dir(folder)?;
        let path = folder.join(FILE_NAME);
        record::create_private_file(&path)?;
        let mut conn = Connection::open(&path)?;
        conn.busy_timeout(OPEN_TIMEOUT)?;
        schema::migrate(&mut conn)?;
        drop(conn);
        let readers = db::read_pool(&path)?;
        let watch = browse::Watch::open(&path)?;
        let writer = Writer::start(db::open_writer(&path)?, RecordFile::in_palace(folder))?;
        Ok(Self { inner: Arc::new(Open { path, writer, readers, semantic: OnceLock::new(), watch }) })
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Runs a write in a transaction of its own (a savepoint of the group's) and answers when it is on disk. An error takes back
    /// all that the closure did. `record` is written to the write log before and after; `None` for upkeep that nobody asked for.
    pub async fn write<T, F>(&self, record: Option<Record>, work: F) -> Result<T, PalaceError>
    where
        T: Send + 'static,
        F: FnOnce(&Turn<'_>) -> Result<T, PalaceError> + Send + 'static,
    {
        self.inner.writer.write(record, work).await
    }

    /// Runs a question on a read-only connection, off the async threads.
    pub async fn read<T, F>(&self, question: F) -> Result<T, PalaceError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, PalaceError> + Send + 'static,
    {
        let pool = self.inner.readers.clone();
        tokio::task::spawn_blocking(move || question(&*pool.get()?)).await.map_err(|_| PalaceError::Closed)?
    }

    /// Ends the writer: what was sent is still committed, then the WAL is written back into the file.
    pub fn close(&self) {
        self.inner.writer.close();
    }
}
