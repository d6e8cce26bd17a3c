//! The thread that gives rows their vectors, after they were written and apart from every request.
//!
//! # Design
//! The queue is a table, filled by triggers in the very transaction that writes a row, so nothing is lost when the hub ends or
//! when another program writes. The thread looks at it several times a second, and at once when a search waits. It takes a few
//! rows at a time, the newest first, computes beside the writer, and hands the vectors to the writer as one small write. It
//! runs at a lower priority than those who ask.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;

use super::model::{Model, Off};
use crate::palace::embed::{MODEL, Vector, install};
use crate::palace::vectors::{self, Waiting};
use crate::palace::{Open, PalaceError, PalaceStore, Turn};

/// How many rows get their vectors at once: some tenths of a second of work.
const BATCH_ROWS: usize = 16;
/// How often the queue is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How often it is looked whether the model was installed.
const LOOK_FOR_MODEL_EVERY: Duration = Duration::from_secs(2);
/// How long it waits after a failure: of the model, or of the palace.
const AFTER_FAILURE: Duration = Duration::from_secs(2);
/// After how long without a text the model's memory is given back.
const LET_GO_AFTER: Duration = Duration::from_mins(10);
/// How much less the thread counts than those that answer requests, from 0 to 19.
const NICENESS: i32 = 5;

/// Why the thread does not go on at once.
enum Stop {
    /// The palace is closed: it ends.
    Ended,
    /// The model is off.
    Off(Off),
    /// The palace cannot be read or written at the moment.
    Palace(PalaceError),
}

impl From<PalaceError> for Stop {
    fn from(error: PalaceError) -> Self {
        if matches!(error, PalaceError::Closed) { Self::Ended } else { Self::Palace(error) }
    }
}

struct Worker {
    model: Arc<Model>,
    /// Weak, so that a palace that nobody uses any more ends the thread.
    palace: Weak<Open>,
    runtime: Handle,
    /// Whether the vectors that were in the file are in memory.
    is_indexed: bool,
    /// What was logged last, so that it is logged once.
    said: String,
}

/// Starts the thread. Must be called where a runtime is.
pub(super) fn start(model: Arc<Model>, store: &PalaceStore) -> Result<(), PalaceError> {
    let runtime = Handle::try_current().map_err(|error| PalaceError::Storage(error.to_string()))?;
    let palace = Arc::downgrade(&store.inner);
    let worker = Worker { model, palace, runtime, is_indexed: false, said: String::new() };
    std::thread::Builder::new().name("palace-embed".to_owned()).spawn(move || worker.run())?;
    Ok(())
}

impl Worker {
    fn run(mut self) {
        if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
            tracing::debug!(%error, "the embedding thread keeps its priority");
        }
        while self.palace.strong_count() > 0 {
            let pause = match self.attend() {
                Ok(0) => LOOK_EVERY,
                Ok(_) => continue,
                Err(Stop::Ended) => return,
                Err(Stop::Off(off)) => {
                    let pause = if off == Off::NotInstalled { LOOK_FOR_MODEL_EVERY } else { AFTER_FAILURE };
                    self.say(off.to_string());
                    self.model.set_off(Some(off));
                    pause
                }
                Err(Stop::Palace(error)) => {
                    self.say(error.to_string());
                    AFTER_FAILURE
                }
            };
            self.model.sleep(pause, LET_GO_AFTER);
        }
    }

    /// Gives some rows their vectors; how many rows were looked at.
    fn attend(&mut self) -> Result<usize, Stop> {
        if !install::is_there(self.model.folder()) {
            return Err(Stop::Off(Off::NotInstalled));
        }
        match self.model.off() {
            None => {}
            Some(Off::NotInstalled) => self.model.set_off(None),
            // It failed: it is on again when it shows that it works.
            Some(Off::Unusable(_)) => {
                self.embed(&[""])?;
                self.model.set_off(None);
            }
        }
        if !self.is_indexed {
            self.read_vectors()?;
        }
        let waiting = self.model.waiting(BATCH_ROWS)?;
        let count = waiting.len();
        if count > 0 {
            let vectors = self.embed(&waiting.iter().map(|w| w.content.as_str()).collect::<Vec<_>>())?;
            self.keep(waiting.into_iter().zip(vectors).collect())?;
        }
        if !self.said.is_empty() {
            self.said.clear();
            tracing::info!(model = MODEL, "searches go by meaning too");
        }
        Ok(count)
    }

    /// Reads what earlier hubs left; another model's vectors are made anew.
    fn read_vectors(&mut self) -> Result<(), Stop> {
        let mut foreign = Vec::new();
        self.model.read_vectors(&mut foreign)?;
        if !foreign.is_empty() {
            tracing::info!(rows = foreign.len(), "vectors of another model are made anew");
            self.write(move |turn| vectors::queue_again(turn.conn, &foreign))?;
        }
        self.is_indexed = true;
        Ok(())
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, Stop> {
        self.model.embed_all(texts).map_err(Stop::Off)
    }

    fn keep(&self, batch: Vec<(Waiting, Vector)>) -> Result<(), Stop> {
        self.model.writing();
        let kept = self.write(move |turn| {
            let mut kept = Vec::with_capacity(batch.len());
            for (waiting, vector) in batch {
                if vectors::keep(turn.conn, &waiting, &vector)? {
                    kept.push((waiting.row, vector));
                }
            }
            Ok(kept)
        });
        self.model.written(kept.as_deref().unwrap_or_default());
        kept.map(drop)
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Turn<'_>) -> Result<T, PalaceError> + Send + 'static,
    ) -> Result<T, Stop> {
        let store = PalaceStore { inner: self.palace.upgrade().ok_or(Stop::Ended)? };
        Ok(self.runtime.block_on(store.write(None, work))?)
    }

    fn say(&mut self, what: String) {
        if self.said != what {
            tracing::warn!("{what}");
            self.said = what;
        }
    }
}
