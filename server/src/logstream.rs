//! The logstream: an append-only, durable log of events with exact artifacts (`contract: logstream`).
//!
//! It knows SQLite and nothing of HTTP, tools or pages. One writer thread owns the only writable connection and commits in groups;
//! readers are read-only; live readers go through [`Tail`], which is woken by commits and reads from its own cursor.

pub mod append;
pub mod apply;
pub mod backup;
mod gate;
pub mod import;
pub mod inbox;
mod insert;
pub mod migrate;
mod names;
pub mod ops;
pub mod past;
pub mod projection;
pub mod pump;
mod reach;
pub mod read;
pub mod replica;
mod replies;
pub mod search;
pub mod sql;
pub mod tail;
pub mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use loggia_domain::{ArtifactRecord, Event, NewArtifact, NewEvent, Reach, Refusal};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::db::{self, ReadPool};
use crate::figures::writer::WriterFigures;
use append::{Appender, Job, Written};
use projection::Projection;
use pump::{Pump, Waker};
use search::{Pace, Search};
pub use tail::Tail;

/// The log's file within a palace.
pub const FILE_NAME: &str = "logstream.sqlite3";

/// Why the store did not do what was asked.
///
/// `Refused` and `NotFound` are the caller's and say which field; the others are the machine's, and only `Busy` and `Full` are worth
/// trying again.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The input breaks a rule.
    #[error("{0}")]
    Refused(Refusal),
    /// There is no such event or artifact.
    #[error("{0}")]
    NotFound(Refusal),
    /// Another process held the file, or questions all its readers, for longer than the busy timeout.
    #[error("the log is busy")]
    Busy,
    /// The disk is full.
    #[error("the disk is full: nothing was written")]
    Full,
    /// The hub is shutting down.
    #[error("the hub is shutting down")]
    Closed,
    /// Anything else that SQLite reports.
    #[error("the log cannot be used: {0}")]
    Storage(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => Self::Busy,
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full,
            _ => Self::Storage(error.to_string()),
        }
    }
}

impl From<r2d2::Error> for StoreError {
    /// No reader came free in time.
    fn from(error: r2d2::Error) -> Self {
        tracing::warn!(%error, "no reader of the log came free");
        Self::Busy
    }
}

/// Why a palace's log could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was touched.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The identity file is not one; a second identity is never minted.
    #[error("{}: {reason}; restore it from a backup, a hub never mints a second identity by itself", path.display())]
    Replica {
        /// The identity file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// SQLite.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The log's file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The side file of counts.
    #[error("{}: {source}", path.display())]
    Projection {
        /// The side file.
        path: PathBuf,
        /// What went wrong.
        source: StoreError,
    },
    /// The side file of the search.
    #[error("{}: {source}", path.display())]
    Search {
        /// The side file.
        path: PathBuf,
        /// What went wrong.
        source: StoreError,
    },
    /// The pool of readers.
    #[error("{}: {source}", path.display())]
    Pool {
        /// The log's file.
        path: PathBuf,
        /// What the pool said.
        source: r2d2::Error,
    },
}

/// An open log. Cheap to clone; all clones share one writer.
#[derive(Clone)]
pub struct Logstream {
    inner: Arc<Inner>,
    reach: Reach,
}

struct Inner {
    replica_id: String,
    path: PathBuf,
    appender: Appender,
    readers: ReadPool,
    gate: gate::Gate,
    live: Arc<OnceLock<Waker>>,
}

/// What follows the log while a hub runs: live readers and the counts of pages. One per palace.
#[derive(Clone)]
pub struct Live {
    pump: Arc<Pump>,
    projection: Projection,
    search: Search,
}

impl Live {
    /// Starts to follow a log, until `stop` is cancelled.
    pub fn start(log: &Logstream, palace: &Path, stop: &CancellationToken) -> Result<Self, OpenError> {
        let path = log.path();
        let projection = Projection::open(palace, path, stop.clone())
            .map_err(|source| OpenError::Projection { path: palace.join(projection::FILE_NAME), source })?;
        let search = Search::start(log, palace, Pace::Gentle, stop.clone())
            .map_err(|source| OpenError::Search { path: palace.join(search::FILE_NAME), source })?;
        let (counted, indexed) = (projection.clone(), search.clone());
        let arrived = move || {
            counted.wake();
            indexed.wake();
        };
        let pump = log.follow(arrived, stop.clone())?;
        Ok(Self { pump, projection, search })
    }

    /// Counts, streams and open delegations, kept in step with the log.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// The full-text search.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The newest frames and the way to be woken.
    pub fn pump(&self) -> &Arc<Pump> {
        &self.pump
    }
}

impl Logstream {
    /// Opens (and creates) the log of a palace.
    pub fn open(palace: &Path) -> Result<Self, OpenError> {
        let (path, replica_id, conn) = open_file(palace)?;
        let readers = db::read_pool(&path).map_err(|source| OpenError::Pool { path: path.clone(), source })?;
        let live: Arc<OnceLock<Waker>> = Arc::default();
        let followed = Arc::clone(&live);
        let committed = move || {
            if let Some(waker) = followed.get() {
                waker.wake();
            }
        };
        let appender = Appender::start(conn, replica_id.clone(), committed)
            .map_err(|source| OpenError::Sqlite { path: path.clone(), source })?;
        Ok(Self {
            inner: Arc::new(Inner { replica_id, path, appender, readers, gate: gate::Gate::default(), live }),
            reach: Reach::default(),
        })
    }

    /// Starts to follow the log from its present end, until `stop` is cancelled: what [`Tail`] reads from. `arrived` is called on the
    /// pump's thread whenever there is something new.
    pub fn follow(&self, arrived: impl Fn() + Send + 'static, stop: CancellationToken) -> Result<Arc<Pump>, OpenError> {
        let path = self.path();
        let pump =
            Pump::start(path, arrived, stop).map_err(|source| OpenError::Sqlite { path: path.to_owned(), source })?;
        // A log that is followed twice would wake the first follower only, who wakes everybody all the same by looking.
        let _ = self.inner.live.set(pump.waker());
        Ok(Arc::new(pump))
    }

    /// Which hub this is: `rep_<hex>`.
    pub fn replica_id(&self) -> &str {
        &self.inner.replica_id
    }

    /// What the writer counts about itself.
    pub fn writer_figures(&self) -> &Arc<WriterFigures> {
        self.inner.appender.figures()
    }

    /// The log's file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Appends an event. It is on disk when this returns.
    pub async fn append(&self, event: NewEvent) -> Result<Event, StoreError> {
        self.write(None, Some(event), None)
            .await?
            .event
            .ok_or_else(|| StoreError::Storage("an append wrote no event".to_owned()))
    }

    /// Stores an artifact. It is on disk when this returns.
    pub async fn put_artifact(&self, artifact: NewArtifact) -> Result<ArtifactRecord, StoreError> {
        self.write(Some(artifact), None, None)
            .await?
            .artifact
            .ok_or_else(|| StoreError::Storage("a put wrote no artifact".to_owned()))
    }

    /// Stores an artifact and appends the event that announces it, both or neither.
    pub async fn submit(&self, artifact: NewArtifact, event: NewEvent) -> Result<Written, StoreError> {
        self.write(Some(artifact), Some(event), None).await
    }

    /// The same, stamped with a time in the past: for the demonstration's story, never for an agent.
    pub async fn write_at(
        &self,
        artifact: Option<NewArtifact>,
        event: Option<NewEvent>,
        at: OffsetDateTime,
    ) -> Result<Written, StoreError> {
        self.write(artifact, event, Some(at)).await
    }

    async fn write(
        &self,
        artifact: Option<NewArtifact>,
        event: Option<NewEvent>,
        at: Option<OffsetDateTime>,
    ) -> Result<Written, StoreError> {
        if let Some(event) = &event {
            self.check_reach(event).await?;
        }
        self.inner.gate.pass().await;
        self.inner.appender.write(|reply| Job { artifact, event, at, reply }).await
    }

    /// Runs a question on a read-only connection, off the async threads.
    pub(crate) async fn read<T, F>(&self, question: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    {
        ask(&self.inner.readers, question).await
    }

    /// Ends the writer: what was sent is still committed, then the WAL is written back into the file.
    pub fn close(&self) {
        self.inner.appender.close();
    }
}

/// Runs a question on one of a pool's connections, off the async threads.
async fn ask<T, F>(readers: &ReadPool, question: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: FnOnce(&rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
{
    let pool = readers.clone();
    tokio::task::spawn_blocking(move || question(&*pool.get()?)).await.map_err(|_| StoreError::Closed)?
}

/// Makes the palace folder, reads or mints the replica id, and opens the log's file with its schema.
fn open_file(palace: &Path) -> Result<(PathBuf, String, rusqlite::Connection), OpenError> {
    create_private_dir(palace).map_err(|source| OpenError::Io { path: palace.to_owned(), source })?;
    let replica_id = replica::load_or_mint(palace)?;
    let path = palace.join(FILE_NAME);
    let sqlite = |source| OpenError::Sqlite { path: path.clone(), source };
    let mut conn = db::open_writer(&path).map_err(sqlite)?;
    migrate::migrate(&mut conn, &replica_id).map_err(sqlite)?;
    Ok((path, replica_id, conn))
}

/// Creates a folder that only its owner may enter. One that is there already keeps its rights.
pub(crate) fn create_private_dir(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file that only its owner may read, aside and then renamed: a reader sees the old text or the new one, whole.
pub(crate) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let aside = db::beside(path, &format!(".{}.tmp", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&aside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&aside, path));
    if written.is_err() {
        // Ours alone, by its name; what cannot be removed does no harm.
        let _ = std::fs::remove_file(&aside);
    }
    written
}
