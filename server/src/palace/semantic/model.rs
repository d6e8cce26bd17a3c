//! The model of meaning at work: all-MiniLM-L6-v2 with the vectors of a palace's rows in memory.
//!
//! It answers searches; who makes the vectors is its `worker`. Nothing here is waited for when a hub starts: the model is loaded
//! by the first text, the vectors are read in the background, and until the model is installed it is off and says so.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::{Near, Semantic, worker};
use crate::db::{self, ReadPool};
use crate::palace::embed::index::{Hit, VectorIndex, candidates, cosine, in_exact_order};
use crate::palace::embed::resident::Resident;
use crate::palace::embed::{DIMENSIONS, EmbedError, MODEL, Vector, install};
use crate::palace::vectors::{self, Waiting};
use crate::palace::{PalaceError, PalaceStore};

/// How many rows may wait and still be waited for: what the model does in about the time that a search waits.
const FRESH_ROWS: usize = 200;
/// How many vectors are read at once: few enough that a search that comes meanwhile hardly waits.
const PAGE_ROWS: usize = 2000;
/// How often a search goes on without rows that are gone. Each time it looks at twice as many, so this is more than there are, unless
/// somebody deletes faster than it looks.
const ROUNDS: u32 = 12;

/// Why the model cannot be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Off {
    /// Its files are not there.
    #[error("{MODEL} is not installed: `loggia model install FILE` adds it; until then searches go by words")]
    NotInstalled,
    /// Its files are there and cannot be used.
    #[error("{MODEL} cannot be used: {0}; `loggia model install FILE` mends it")]
    Unusable(String),
}

/// The model and the vectors.
pub struct Model {
    resident: Resident,
    /// Connections of its own: whoever searches holds one of the store's already.
    readers: ReadPool,
    index: RwLock<VectorIndex>,
    /// Rows up to this number are an import's: they get their vectors, but no search waits for them.
    backlog: AtomicI64,
    state: Mutex<State>,
    /// Wakes the worker.
    asked: Condvar,
    /// Wakes whoever waits for vectors.
    moved: Condvar,
}

/// Where the vectors are.
struct State {
    /// Why the model cannot be used; `None` while it can.
    off: Option<Off>,
    /// Whether the vectors that were in the file are in memory.
    is_indexed: bool,
    /// Whether vectors are in the file that are not in memory yet.
    is_between: bool,
    /// Whether somebody waits.
    is_asked: bool,
}

impl Model {
    /// The model of a palace, on if it is installed; nothing is read yet.
    fn new(store: &PalaceStore, folder: &Path) -> Result<Self, PalaceError> {
        // Half of the cores: whoever asks something needs the others.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN);
        Ok(Self {
            resident: Resident::new(folder.to_owned(), threads),
            readers: db::read_pool(store.path())?,
            index: RwLock::default(),
            backlog: AtomicI64::new(0),
            state: Mutex::new(State {
                off: (!install::is_there(folder)).then_some(Off::NotInstalled),
                is_indexed: false,
                is_between: false,
                is_asked: false,
            }),
            asked: Condvar::new(),
            moved: Condvar::new(),
        })
    }

    /// Gives a hub's palace its model, and starts the thread that follows its rows. Never fails: without it the palace goes by words.
    pub fn follow(store: &PalaceStore, folder: &Path) {
        let started = Self::new(store, folder).and_then(|model| {
            let model = Arc::new(model);
            store.set_semantic(Arc::clone(&model) as Arc<dyn Semantic>);
            worker::start(model, store)
        });
        if let Err(error) = started {
            tracing::warn!(%error, "the model of meaning cannot be used; searches go by words");
        }
    }

    /// Gives a command its model, if it is installed, with all vectors that there are. Rows that wait are left to the hub.
    pub fn attach(store: &PalaceStore) {
        let folder = install::folder_for(store.path().parent().unwrap_or(Path::new("")));
        if !install::is_there(&folder) {
            return;
        }
        let attached = Self::new(store, &folder).and_then(|model| {
            model.read_vectors(&mut Vec::new())?;
            // Nobody here makes vectors of what waits.
            model.backlog.store(i64::MAX, Ordering::Relaxed);
            store.set_semantic(Arc::new(model));
            Ok(())
        });
        if let Err(error) = attached {
            tracing::warn!(%error, "the model of meaning cannot be used; the search goes by words");
        }
    }

    /// Where the model lies, or should.
    pub(super) fn folder(&self) -> &Path {
        self.resident.folder()
    }

    /// Says why it cannot be used from now on, or that it can. Whoever waits need not any longer.
    pub(super) fn set_off(&self, off: Option<Off>) {
        self.state().off = off;
        self.moved.notify_all();
    }

    /// Why it cannot be used; `None` while it can.
    pub(super) fn off(&self) -> Option<Off> {
        self.state().off.clone()
    }

    /// Reads the vectors of the file into memory, beside searches. The rows whose vectors cannot be used are added to `foreign`.
    pub(super) fn read_vectors(&self, foreign: &mut Vec<i64>) -> Result<(), PalaceError> {
        let mut after = 0;
        loop {
            let page = vectors::page(&*self.readers.get()?, after, PAGE_ROWS)?;
            let Some(last) = page.last else { break };
            let mut index = self.index_to_change();
            for (row, vector) in &page.vectors {
                index.put(*row, vector);
            }
            foreign.extend(page.foreign);
            after = last;
        }
        self.state().is_indexed = true;
        self.moved.notify_all();
        Ok(())
    }

    /// The rows that wait, newest first.
    pub(super) fn waiting(&self, limit: usize) -> Result<Vec<Waiting>, PalaceError> {
        vectors::waiting(&*self.readers.get()?, limit)
    }

    /// The vectors of texts, for the worker.
    pub(super) fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vector>, Off> {
        self.resident.embed(texts).map_err(|error| self.unusable(&error))
    }

    /// Agents are told which file is at fault, not where it lies.
    fn unusable(&self, error: &EmbedError) -> Off {
        let folder = format!("{}/", self.folder().display());
        Off::Unusable(error.to_string().replace(&folder, ""))
    }

    /// Vectors are about to be written: whoever waits must wait for [`Self::written`] too.
    pub(super) fn writing(&self) {
        self.state().is_between = true;
    }

    /// Vectors are in the file, or will not be: these.
    pub(super) fn written(&self, kept: &[(i64, Vector)]) {
        let mut index = self.index_to_change();
        for (row, vector) in kept {
            index.put(*row, vector);
        }
        drop(index);
        self.state().is_between = false;
        self.moved.notify_all();
    }

    /// Lets the worker sleep until somebody waits for vectors, at most so long; lets the model go when nothing was asked of it
    /// for a while.
    pub(super) fn sleep(&self, at_most: Duration, unused: Duration) {
        self.resident.rest(unused);
        let state = self.state();
        let mut state = if state.is_asked {
            state
        } else {
            self.asked.wait_timeout(state, at_most).unwrap_or_else(PoisonError::into_inner).0
        };
        state.is_asked = false;
    }

    /// Whether some rows wait that a search should wait for. A crowd of them is an import, which takes its time.
    fn has_fresh(&self) -> Result<bool, PalaceError> {
        let conn = self.readers.get()?;
        let backlog = self.backlog.load(Ordering::Relaxed);
        let fresh = vectors::count_waiting_above(&conn, backlog, FRESH_ROWS + 1)?;
        if fresh > FRESH_ROWS {
            self.backlog.fetch_max(vectors::newest_waiting(&conn)?, Ordering::Relaxed);
        }
        Ok((1..=FRESH_ROWS).contains(&fresh))
    }

    /// The nearest rows by their exact vectors. Nobody tells when a row goes: those that have left the file leave the memory here, for
    /// there they would stand before rows that are in the file.
    fn nearest_exactly(
        &self,
        vector: &Vector,
        limit: usize,
        is_wanted: impl Fn(i64) -> bool,
    ) -> Result<Vec<Hit>, PalaceError> {
        let conn = self.readers.get()?;
        let mut wide = candidates(limit);
        let mut round = 1;
        loop {
            let found = self.index().nearest(vector, wide, &is_wanted);
            let (hits, gone) = in_exact_order(vector, &found, limit, |row| vectors::of_row(&conn, row))?;
            if gone.is_empty() || round == ROUNDS {
                return Ok(hits);
            }
            self.forget(&conn, &gone)?;
            wide = wide.saturating_mul(2);
            round += 1;
        }
    }

    /// Takes out what is gone. It is asked once more, now that nobody puts anything in: the worker writes a vector first and puts it
    /// in afterwards.
    fn forget(&self, conn: &Connection, gone: &[i64]) -> Result<(), PalaceError> {
        let mut index = self.index_to_change();
        for row in gone {
            if vectors::of_row(conn, *row)?.is_none() {
                index.remove(*row);
            }
        }
        Ok(())
    }

    fn index(&self) -> RwLockReadGuard<'_, VectorIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_to_change(&self) -> RwLockWriteGuard<'_, VectorIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Semantic for Model {
    fn model(&self) -> &str {
        MODEL
    }

    fn off_reason(&self) -> Option<String> {
        self.off().map(|off| off.to_string())
    }

    fn catch_up(&self, at_most: Duration) {
        let until = Instant::now() + at_most;
        let mut state = self.state();
        // A palace that cannot be asked what waits is not waited for either; the search itself will tell.
        while state.off.is_none() && (!state.is_indexed || state.is_between || self.has_fresh().unwrap_or(false)) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state.is_asked = true;
            self.asked.notify_all();
            state = self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, PalaceError> {
        match self.resident.embed(&[text]) {
            Ok(vectors) => Ok(vectors.concat()),
            Err(error) => {
                let off = self.unusable(&error);
                // The worker finds out when it can be used again.
                self.set_off(Some(off.clone()));
                Err(PalaceError::Storage(off.to_string()))
            }
        }
    }

    fn nearest(&self, vector: &[f32], among: Option<&HashSet<i64>>, limit: usize) -> Vec<Near> {
        let Some(vector) = whole(vector) else { return Vec::new() };
        let is_wanted = |row| among.is_none_or(|rows| rows.contains(&row));
        let hits = self.nearest_exactly(vector, limit, is_wanted).unwrap_or_else(|error| {
            tracing::warn!(%error, "exact vectors could not be read; their rounded ones serve");
            self.index().nearest(vector, limit, is_wanted)
        });
        hits.into_iter().map(|hit| Near { row: hit.row, distance: distance(hit.cosine) }).collect()
    }

    fn distances(&self, vector: &[f32], rows: &[i64]) -> Vec<Option<f64>> {
        let Some(vector) = whole(vector) else { return vec![None; rows.len()] };
        let Ok(conn) = self.readers.get() else { return vec![None; rows.len()] };
        // One that cannot be read has no distance, like one that has no vector yet.
        let of = |row: &i64| vectors::of_row(&conn, *row).ok().flatten().map(|found| distance(cosine(vector, &found)));
        rows.iter().map(of).collect()
    }
}

fn whole(vector: &[f32]) -> Option<&[f32; DIMENSIONS]> {
    vector.try_into().ok()
}

fn distance(cosine: f32) -> f64 {
    1.0 - f64::from(cosine)
}

#[cfg(test)]
mod tests;
