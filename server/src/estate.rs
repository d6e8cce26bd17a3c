//! The estate: the hubs that this one pulls events from (`contract: sync`), what is known about them, and the repair of a hub that was
//! restored from a backup.
//!
//! It knows the log and HTTP as a client; it knows no route, no tool and no page. Those read [`EstateStatus`].
//!
//! # Design
//! Pulling blocks, so it has threads of its own: `estate-puller` reads `peers.json` every round and keeps one worker for each peer. A
//! dead or slow peer costs its own worker's time and nobody else's.

pub mod client;
mod intake;
pub mod peers;
mod restore;
mod round;
pub mod seen;
pub mod status;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use loggia_domain::Event;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use ureq::tls::RootCerts;

use crate::logstream::{Logstream, StoreError};
use crate::tokens::audit::Audit;
use client::{Client, Fault};
use peers::Peer;
pub use round::Pulled;
use status::{Block, Book, EstateStatus, PeerStatus, Restore, RestoreState};

/// How long appends wait at the start for the peers' vectors.
const START_WAIT: Duration = Duration::from_secs(5);

/// How a hub pulls.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// From round to round; zero is never.
    pub interval: Duration,
    /// Whom to trust with `https`; `None` is the world's usual authorities.
    pub authorities: Option<RootCerts>,
    /// Where it is noted what came from whom; `None` notes nothing.
    pub audit: Option<Audit>,
}

/// The estate's handle. Cheap to clone.
#[derive(Clone)]
pub struct Estate {
    inner: Arc<Inner>,
}

struct Inner {
    log: Logstream,
    palace: PathBuf,
    /// What the machine is called.
    name: String,
    options: Options,
    runtime: Handle,
    book: Mutex<Book>,
    /// Until when our own events are not shown to peers.
    own_held_until: Mutex<Option<Instant>>,
    /// Held by the worker that repairs our own events.
    repair: Mutex<()>,
}

impl Estate {
    /// The estate of a palace. Nothing is pulled before [`Estate::start`]. Must be called within the runtime.
    pub fn new(log: Logstream, palace: &Path, options: Options) -> Self {
        let inner = Inner {
            log,
            palace: palace.to_owned(),
            name: host_name(),
            options,
            runtime: Handle::current(),
            book: Mutex::default(),
            own_held_until: Mutex::default(),
            repair: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Starts to pull, until `stop` is cancelled. Where there are peers, appends wait for a moment until these were heard: a hub that
    /// was restored must not give out numbers again.
    pub fn start(&self, stop: CancellationToken) -> std::io::Result<()> {
        if self.inner.options.interval.is_zero() {
            return Ok(());
        }
        // What is wrong with the file is told by the worker, once.
        let peers = peers::read(&self.inner.palace).unwrap_or_default().peers;
        if !peers.is_empty() {
            self.book().awaited = peers.iter().map(|p| p.name.clone()).collect();
            self.inner.log.hold_appends(START_WAIT);
        }
        let estate = self.clone();
        std::thread::Builder::new()
            .name("estate-puller".to_owned())
            .spawn(move || worker::supervise(&estate, &stop))
            .map(drop)
    }

    /// One round with a peer, now, for a command: everything the peer has more of. Blocks; not for an async thread.
    pub fn pull_once(&self, peer: &Peer) -> Result<Pulled, Fault> {
        let client = Client::new(peer, self.inner.options.authorities.as_ref());
        let round = round::Round::new(self, &peer.name, &client);
        round.run(&mut round::Memory::default(), Duration::ZERO, false)
    }

    /// Everything that is known at this moment.
    pub async fn status(&self) -> Result<EstateStatus, StoreError> {
        let version_vector = self.inner.log.version_vector().await?;
        let replica_id = self.inner.log.replica_id().to_owned();
        let restore = self.restore();
        let book = self.book();
        let mut peers = book.peers.clone();
        for peer in &mut peers {
            peer.drift = drift(&version_vector, peer);
        }
        let named: BTreeSet<&str> = peers.iter().filter_map(|p| p.replica_id.as_deref()).collect();
        let is_unnamed = |origin: &&String| **origin != replica_id && !named.contains(origin.as_str());
        let unnamed_origins = version_vector.keys().filter(is_unnamed).cloned().collect();
        Ok(EstateStatus {
            name: self.inner.name.clone(),
            interval_s: self.inner.options.interval.as_secs_f64(),
            unnamed_origins,
            file_faults: book.file_faults.clone(),
            restore,
            pulled_events: peers.iter().map(|p| p.pulled_events).sum(),
            pulled_artifacts: peers.iter().map(|p| p.pulled_artifacts).sum(),
            replica_id,
            version_vector,
            peers,
        })
    }

    /// The highest number of each author, as far as peers may know it.
    pub async fn told_vector(&self) -> Result<BTreeMap<String, i64>, StoreError> {
        let mut vector = self.inner.log.version_vector().await?;
        if self.holds_own() {
            vector.remove(self.inner.log.replica_id());
        }
        Ok(vector)
    }

    /// An author's events for peers, see [`Logstream::ops`]. None of our own while they are repaired: who got the later ones now would never
    /// ask for the earlier ones.
    pub async fn told_ops(&self, origin: String, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let is_own = origin == self.inner.log.replica_id();
        let was_held = self.holds_own();
        let events = self.inner.log.ops(origin, after, limit).await?;
        // Asked again: the repair may have begun before the log was read.
        Ok(if is_own && (was_held || self.holds_own()) { Vec::new() } else { events })
    }

    /// What this hub, its peers and those that they know say about themselves, by replica id.
    pub fn profiles(&self) -> Map<String, Value> {
        status::profiles(self.inner.log.replica_id(), &self.book().peers)
    }

    /// How this hub was found to be restored from a backup, if it was.
    pub fn restore(&self) -> Option<Restore> {
        let mut restore = self.book().restore.clone()?;
        if restore.state == RestoreState::Repairing && !self.holds_own() {
            restore.state = RestoreState::Incomplete;
            restore.reason = Some("the peer went silent; it goes on when the peer is back".to_owned());
        }
        Some(restore)
    }

    /// Whether our own events must not be shown to peers: they are being repaired.
    fn holds_own(&self) -> bool {
        let held = *self.inner.own_held_until.lock().unwrap_or_else(PoisonError::into_inner);
        held.is_some_and(|until| Instant::now() < until)
    }

    fn hold_own(&self, for_how_long: Duration) {
        let until = Instant::now() + for_how_long;
        *self.inner.own_held_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// The right to repair our own events, unless another worker does.
    fn try_repair(&self) -> Option<MutexGuard<'_, ()>> {
        match self.inner.repair.try_lock() {
            Ok(alone) => Some(alone),
            Err(TryLockError::Poisoned(alone)) => Some(alone.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn log(&self) -> &Logstream {
        &self.inner.log
    }

    /// Waits for an answer of the log, on a thread that may block.
    fn wait<T>(&self, question: impl Future<Output = T>) -> T {
        self.inner.runtime.block_on(question)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.inner.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, peer: &str, write: impl FnOnce(&mut PeerStatus)) {
        self.book().peer(peer, write);
    }

    fn blocks(&self, peer: &str) -> BTreeMap<String, Block> {
        let book = self.book();
        book.peers.iter().find(|p| p.name == peer).map(|p| p.blocks.clone()).unwrap_or_default()
    }

    fn pulled(&self, peer: &str, events: u64, artifacts: u64) {
        self.write(peer, |peer| {
            peer.pulled_events += events;
            peer.pulled_artifacts += artifacts;
        });
    }

    /// Notes in the audit that events of an author came from a peer.
    fn note(&self, peer: &str, origin: &str, events: u64) {
        if let Some(audit) = self.inner.options.audit.as_ref().filter(|_| events > 0) {
            audit.note(&format!("peer {peer}"), "sync.apply", &format!("{origin}: {events} events"), "ok");
        }
    }

    /// A peer's vector is known, and no number below it will be given out: when all are, appends need not wait any longer.
    fn heard(&self, peer: &str) {
        let mut book = self.book();
        if book.awaited.remove(peer) && book.awaited.is_empty() {
            self.inner.log.let_appends_in();
        }
    }

    fn set_restore(&self, mut restore: Restore) {
        let mut book = self.book();
        // An attempt that broke off is of the same repair.
        if let Some(before) = book.restore.as_ref().filter(|before| {
            (before.state, restore.state, &before.peer)
                == (RestoreState::Repairing, RestoreState::Repairing, &restore.peer)
        }) {
            restore.renumbered += before.renumbered;
            restore.taken_back += before.taken_back;
            restore.detected_at.clone_from(&before.detected_at);
            restore.detected_at_ms = before.detected_at_ms;
        }
        book.restore = Some(restore);
    }

    fn restored(&self, state: RestoreState, reason: Option<String>) {
        if let Some(restore) = &mut self.book().restore {
            restore.state = state;
            restore.reason = reason;
            tracing::warn!(taken_back = restore.taken_back, ?state, "the repair of this hub's own events ended");
        }
    }

    fn taken_back(&self, events: u64) {
        if let Some(restore) = &mut self.book().restore {
            restore.taken_back += events;
        }
    }
}

/// What the system calls this machine; it is for people.
fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "hub".to_owned() } else { name.to_owned() }
}

/// By author: the peer's number less ours, where they differ.
fn drift(ours: &BTreeMap<String, i64>, peer: &PeerStatus) -> BTreeMap<String, i64> {
    if peer.replica_id.is_none() {
        return BTreeMap::new();
    }
    let theirs = &peer.version_vector;
    let of = |vector: &BTreeMap<String, i64>, origin: &String| vector.get(origin).copied().unwrap_or(0);
    let all: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    all.into_iter().map(|o| (o.clone(), of(theirs, o) - of(ours, o))).filter(|(_, drift)| *drift != 0).collect()
}
