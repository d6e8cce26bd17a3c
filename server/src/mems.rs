//! Hot session memory (L0): the last messages, the plan and the variables of each live session, kept in a file of the palace or in a
//! Redis; its events, for live streams and for a Redis stream; and what is filed of it in the palace.
//!
//! It knows no HTTP. The rules are `loggia_domain::mems`'s.

pub mod figures;
pub mod file;
pub mod filed;
pub mod filing;
mod link;
pub mod outlet;
pub mod publisher;
mod redis_store;
pub mod settings;
pub mod stream_state;
mod trouble;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use loggia_domain::mems::request::ContextQuery;
use loggia_domain::mems::{Kept, NewWrite, Owner, Snapshot, TooLarge, key};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::palace::Palace;
use figures::{Counts, MemsFigures};
use file::File;
use filing::{Draft, Filing};
use outlet::{Event, Outlet};
use publisher::Publisher;
use redis_store::RedisStore;
use settings::Settings;
use stream_state::StreamReader;

/// How often what has expired is removed.
const SWEEP: Duration = Duration::from_millis(500);

/// Why session memory does not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemsError {
    /// The Redis that keeps it does not.
    #[error("session memory does not answer: {0}")]
    Unavailable(String),
    /// Another process holds the file.
    #[error("session memory is busy: another process holds its file")]
    Busy,
    /// The disk is full.
    #[error("the disk is full: nothing was written")]
    Full,
    /// The session would hold more than it may; nothing was written.
    #[error(transparent)]
    TooLarge(TooLarge),
    /// The hub ends.
    #[error("the hub is shutting down")]
    Closed,
    /// Anything else.
    #[error("session memory cannot be used: {0}")]
    Storage(String),
}

impl From<TooLarge> for MemsError {
    fn from(too_large: TooLarge) -> Self {
        Self::TooLarge(too_large)
    }
}

impl From<rusqlite::Error> for MemsError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => Self::Busy,
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full,
            _ => Self::Storage(error.to_string()),
        }
    }
}

impl From<r2d2::Error> for MemsError {
    fn from(error: r2d2::Error) -> Self {
        Self::Storage(error.to_string())
    }
}

/// Session memory of a hub. Cheap to clone.
#[derive(Clone)]
pub struct Mems {
    /// `Err` is why it is off, while all else works.
    inner: Result<Arc<Inner>, MemsError>,
}

struct Inner {
    store: Store,
    file: Arc<File>,
    filing: Filing,
    outlet: Arc<Outlet>,
    stream: Option<StreamReader>,
    counts: Counts,
}

enum Store {
    File,
    Redis(Box<RedisStore>),
}

/// What a write came to.
#[derive(Debug, Clone)]
pub struct Written {
    /// What it did, and what events tell of the snapshot after it.
    pub event: Event,
    /// The drawer that holds its messages, or why there is none.
    pub filed: Result<String, String>,
}

/// A part of a session.
#[derive(Debug, Clone)]
pub struct Context {
    /// Its messages, oldest first.
    pub messages: Vec<Kept>,
    /// How many of them came from drawers; they are the first ones.
    pub from_drawers: usize,
    /// How many messages of the session are known in all.
    pub total: u64,
    /// Whether there are older ones.
    pub has_more: bool,
    /// The live snapshot.
    pub live: Option<Arc<Snapshot>>,
}

/// A live session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Whose.
    pub owner: Owner,
    /// What it remembers.
    pub snapshot: Arc<Snapshot>,
    /// How long it still lives, in ms.
    pub left_ms: u64,
}

impl Mems {
    /// Opens it in a palace's folder, from within the runtime. Never fails: what cannot be opened is off. Ends with `stop`.
    pub fn open(folder: &Path, palace: &Palace, settings: &Settings, stop: &CancellationToken) -> Self {
        let rides = settings.is_one_redis();
        let publisher = settings.pipeline.clone().map(|pipeline| Publisher::new(pipeline, !rides));
        let stream = settings.pipeline.clone().map(StreamReader::new);
        let outlet = Arc::new(Outlet::new(publisher));
        let inner = File::open(folder, Arc::clone(&outlet)).map(|file| {
            let file = Arc::new(file);
            let store = match &settings.store {
                Some(url) => Store::Redis(Box::new(RedisStore::new(url.clone(), rides, Arc::clone(&outlet)))),
                None => Store::File,
            };
            tokio::spawn(sweep(Arc::downgrade(&file), stop.clone()));
            let filing = Filing::new(palace.clone(), Arc::clone(&file));
            Arc::new(Inner { store, file, filing, outlet, stream, counts: Counts::default() })
        });
        if let Err(error) = &inner {
            tracing::warn!(%error, "session memory is off; coordination goes on without it");
        }
        Self { inner }
    }

    fn inner(&self) -> Result<&Inner, MemsError> {
        self.inner.as_deref().map_err(MemsError::clone)
    }

    /// Takes a write: the snapshot is durable, its event on its way, and its messages filed if the palace takes them quickly. It is done
    /// to its end even when nobody waits for the answer any more.
    pub async fn write(&self, new: NewWrite) -> Result<Written, MemsError> {
        let inner = Arc::clone(self.inner.as_ref().map_err(MemsError::clone)?);
        // What was dropped half-way would be kept and never filed.
        let write = async move { inner.write_and_count(new).await }.in_current_span();
        tokio::spawn(write).await.unwrap_or_else(|ended| {
            Err(if ended.is_panic() { MemsError::Storage(ended.to_string()) } else { MemsError::Closed })
        })
    }

    /// A part of a session: the newest messages, or those before one. The window comes first; what is older comes from drawers.
    pub async fn context(&self, asked: &ContextQuery) -> Result<Context, MemsError> {
        let inner = self.inner()?;
        let key = key::of(&asked.owner);
        let live = inner.read(&key).await?;
        let window = live.as_ref().map(|snapshot| snapshot.messages.clone()).unwrap_or_default();
        let mut writes: Vec<String> = window.iter().filter_map(|kept| kept.id.get(..36)).map(str::to_owned).collect();
        writes.dedup();
        let (in_drawers, also_there) = inner.file.filed_count(key.clone(), writes).await?;
        let is_filed = |kept: &Kept| also_there.iter().any(|write| kept.id.starts_with(write.as_str()));
        let total = in_drawers + window.iter().filter(|kept| !is_filed(kept)).count() as u64;
        let is_before = |kept: &Kept| asked.before_id.as_ref().is_none_or(|before| kept.id < *before);
        let mut messages: Vec<Kept> = window.into_iter().filter(is_before).collect();
        let mut from_drawers = 0;
        // One more than asked for tells whether there are older ones.
        let missing = (asked.limit + 1).saturating_sub(messages.len());
        if missing > 0 {
            let before = messages.first().map(|kept| kept.id.as_str()).or(asked.before_id.as_deref());
            let older = inner.filing.before(&key, before, missing).await?;
            from_drawers = older.len();
            messages.splice(..0, older);
        }
        let surplus = messages.len().saturating_sub(asked.limit);
        messages.drain(..surplus);
        Ok(Context { messages, from_drawers: from_drawers.saturating_sub(surplus), total, has_more: surplus > 0, live })
    }

    /// All live sessions, those that were written to last first.
    pub async fn sessions(&self) -> Result<Vec<Session>, MemsError> {
        let inner = self.inner()?;
        let mut found: Vec<Session> = match &inner.store {
            Store::File => {
                let all = inner.file.all().into_iter();
                all.filter_map(|(key, snapshot, left_ms)| Some(Session { owner: key::owner(&key)?, snapshot, left_ms }))
                    .collect()
            }
            Store::Redis(redis) => {
                let all = redis.all().await?.into_iter();
                all.map(|(owner, snapshot, left_ms)| Session { owner, snapshot, left_ms }).collect()
            }
        };
        found.sort_by(|a, b| b.snapshot.event_id.cmp(&a.snapshot.event_id));
        Ok(found)
    }

    /// How many sessions [`Self::sessions`] would list.
    pub async fn count(&self) -> Result<usize, MemsError> {
        let inner = self.inner()?;
        match &inner.store {
            Store::File => Ok(inner.file.live()),
            Store::Redis(redis) => redis.count().await,
        }
    }

    /// Whether the store answers.
    pub async fn check(&self) -> Result<(), MemsError> {
        match &self.inner()?.store {
            Store::File => Ok(()),
            Store::Redis(redis) => redis.ping().await,
        }
    }

    /// `embedded` or `redis`.
    pub fn store_name(&self) -> &'static str {
        match self.inner() {
            Ok(Inner { store: Store::Redis(_), .. }) => "redis",
            _ => "embedded",
        }
    }

    /// What it counts about itself; `None` while it is off.
    pub fn figures(&self) -> Option<MemsFigures> {
        let inner = self.inner().ok()?;
        let counts = &inner.counts;
        Some(MemsFigures {
            store: self.store_name(),
            sessions: matches!(inner.store, Store::File).then(|| inner.file.live()),
            writes: counts.writes.get(),
            writes_refused: counts.refused.get(),
            writes_failed: counts.failed.get(),
            writes_filed: counts.filed.get(),
            writes_not_filed: counts.not_filed.get(),
            pipeline: inner.outlet.publisher().map(|publisher| publisher.progress().into()),
        })
    }

    /// Where live streams read.
    pub fn outlet(&self) -> Result<&Arc<Outlet>, MemsError> {
        Ok(&self.inner()?.outlet)
    }

    /// Who publishes; `None` when nothing is published.
    pub fn publisher(&self) -> Option<&Publisher> {
        self.inner().ok()?.outlet.publisher()
    }

    /// What Redis says of the stream that is published to; `None` when nothing is published.
    pub async fn stream_state(&self) -> Option<Result<stream_state::StreamState, String>> {
        Some(self.inner().ok()?.stream.as_ref()?.read().await)
    }

    /// Publishes what waits, as far as that goes quickly, and ends the writer.
    pub async fn close(&self) {
        let Ok(inner) = &self.inner else { return };
        let file = Arc::clone(&inner.file);
        // A writer that panicked has said so; whatever is left to publish is published.
        let _ = tokio::task::spawn_blocking(move || file.close()).await;
        if let Some(publisher) = inner.outlet.publisher() {
            publisher.close().await;
        }
    }
}

impl Inner {
    async fn write_and_count(&self, new: NewWrite) -> Result<Written, MemsError> {
        let has_messages = !new.messages.is_empty();
        let written = self.write(new).await;
        let counts = &self.counts;
        match &written {
            Ok(written) => {
                counts.writes.add(1);
                counts.filed.add(usize::from(has_messages && written.filed.is_ok()));
                counts.not_filed.add(usize::from(has_messages && written.filed.is_err()));
            }
            Err(MemsError::TooLarge(_)) => counts.refused.add(1),
            Err(_) => counts.failed.add(1),
        }
        written
    }

    async fn write(&self, new: NewWrite) -> Result<Written, MemsError> {
        let draft = Draft::of(&new);
        let begin = || draft.and_then(|draft| self.filing.begin(draft));
        // A write that merges may be refused, and a Redis may well not answer: nothing is filed of what was not taken.
        let is_sure = new.temp_variables.is_empty() && new.metadata.is_empty();
        let (event, under_way) = match &self.store {
            // Two files, which sync each for itself: at the same time.
            Store::File if is_sure => {
                let under_way = begin();
                (self.file.write(new).await?, under_way)
            }
            Store::File => (self.file.write(new).await?, begin()),
            Store::Redis(redis) => (redis.write(&new).await?, begin()),
        };
        let filed = match under_way {
            Ok(under_way) => under_way.end(&event.snapshot.event_id).await,
            Err(why) => Err(why),
        };
        Ok(Written { event, filed })
    }

    async fn read(&self, key: &str) -> Result<Option<Arc<Snapshot>>, MemsError> {
        match &self.store {
            Store::File => Ok(self.file.read(key)),
            Store::Redis(redis) => redis.read(key).await,
        }
    }
}

/// Removes what has expired, now and again, until the hub ends.
async fn sweep(file: std::sync::Weak<File>, stop: CancellationToken) {
    let mut every = tokio::time::interval(SWEEP);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = every.tick() => {}
        }
        let Some(file) = file.upgrade() else { return };
        if file.has_expired() {
            file.sweep().await;
        }
    }
}

/// Random bytes for an id. Without them ids are still told apart by their time and count within this hub.
fn random() -> [u8; 8] {
    let mut dice = [0; 8];
    let _ = getrandom::fill(&mut dice);
    dice
}

#[cfg(test)]
mod tests {
    use std::task::{Context as Polled, Waker};

    use loggia_domain::mems::Message;
    use serde_json::Map;

    use super::*;

    #[tokio::test]
    async fn a_write_whose_caller_hangs_up_is_kept_filed_and_counted() {
        let folder = tempfile::tempdir().expect("temp dir");
        let stop = CancellationToken::new();
        let mems = Mems::open(folder.path(), &Palace::open(folder.path()), &Settings::default(), &stop);
        let owner = Owner { agent_id: "a".to_owned(), session_id: "s".to_owned(), ..Owner::default() };
        let new = NewWrite {
            owner: owner.clone(),
            messages: vec![Message { role: "user".to_owned(), content: "last words".to_owned() }],
            active_plan: None,
            // Only after a write that merges is it known that there is something to file.
            temp_variables: Map::from_iter([("k".to_owned(), 1.into())]),
            metadata: Map::new(),
            ttl_s: 60,
        };
        {
            let mut write = std::pin::pin!(mems.write(new));
            assert!(write.as_mut().poll(&mut Polled::from_waker(Waker::noop())).is_pending());
        }
        let done = async {
            let inner = mems.inner().expect("on");
            loop {
                let filed = inner.file.filed(key::of(&owner), None, 5).await.expect("read");
                if filed.len() == 1 && inner.counts.writes.get() == 1 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), done).await.expect("it is done to its end");
        mems.close().await;
    }
}
