//! The model in memory only while it is used: loaded by the first text, let go when nobody asked for a while.
//!
//! It starts no thread: whoever keeps the queue of texts looks in from time to time with [`Resident::rest`].

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{EmbedError, Embedder, Vector};

/// A model that is loaded when it is needed.
#[derive(Debug)]
pub struct Resident {
    folder: PathBuf,
    threads: NonZeroUsize,
    loaded: Mutex<Option<Loaded>>,
}

#[derive(Debug)]
struct Loaded {
    embedder: Arc<Embedder>,
    used: Instant,
}

impl Resident {
    /// A model in this folder, not loaded yet; whether it is there shows when it is used.
    pub fn new(folder: PathBuf, threads: NonZeroUsize) -> Self {
        Self { folder, threads, loaded: Mutex::new(None) }
    }

    /// Where the model lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it takes memory at this moment.
    pub fn is_loaded(&self) -> bool {
        self.lock().is_some()
    }

    /// The vectors of some texts, see [`Embedder::embed`]. The first call loads the model, which takes a tenth of a
    /// second; a failure to do so is reported and tried again by the next call. A model that fails is let go, so that the
    /// next call takes what is installed by then.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let embedder = self.use_it()?;
        embedder.embed(texts).inspect_err(|_| *self.lock() = None)
    }

    /// Lets the model go when it was not used for so long. Says whether it did.
    pub fn rest(&self, unused: Duration) -> bool {
        let mut loaded = self.lock();
        let is_idle =
            loaded.as_ref().is_some_and(|l| l.used.elapsed() >= unused && Arc::strong_count(&l.embedder) == 1);
        if is_idle {
            *loaded = None;
        }
        is_idle
    }

    /// The lock is held while the model is loaded, so that it is loaded once, and not while it computes.
    fn use_it(&self) -> Result<Arc<Embedder>, EmbedError> {
        let mut loaded = self.lock();
        let embedder = match loaded.take() {
            Some(loaded) => loaded.embedder,
            None => Arc::new(Embedder::load(&self.folder, self.threads)?),
        };
        *loaded = Some(Loaded { embedder: Arc::clone(&embedder), used: Instant::now() });
        Ok(embedder)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Loaded>> {
        // Whatever a panicking thread left here is a whole value or none.
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_not_there_is_named_and_tried_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let model = Resident::new(folder.path().join("none"), NonZeroUsize::MIN);
        for _ in 0..2 {
            let error = model.embed(&["a"]).expect_err("there is no model");
            assert!(error.to_string().contains("none/config.json"), "{error}");
        }
        assert!(!model.is_loaded() && !model.rest(Duration::ZERO));
    }
}
