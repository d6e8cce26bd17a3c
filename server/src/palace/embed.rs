//! Texts as vectors of what they mean: all-MiniLM-L6-v2 on the processor, in Rust.
//!
//! It knows the model's files and nothing of the palace's rows, of SQLite or of the queue that feeds it.
//!
//! # Design
//! The model is fixed: six layers, 384 dimensions, pinned by the hashes in [`install`]. So there is no framework here,
//! but the forward pass of this one model over the matrix products of `ndarray`. A vector is the mean of a text's last
//! rows at length 1, so that the dot product of two vectors is their cosine. A text counts up to its 256th word piece;
//! what follows is not seen.

mod activation;
mod bert;
pub mod index;
pub mod install;
pub mod resident;
mod tokenizer;
mod weights;

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;

use tokenizer::Tokenizer;
use weights::Weights;

/// The model's name.
pub const MODEL: &str = "all-MiniLM-L6-v2";
/// How many numbers a vector has.
pub const DIMENSIONS: usize = 384;
/// How many word pieces of a text are seen, both marks included.
pub const MAX_PIECES: usize = 256;

/// The file with the weights.
pub const WEIGHTS_FILE: &str = "model.safetensors";
/// The file with the vocabulary.
pub const TOKENIZER_FILE: &str = "tokenizer.json";
/// The file that says which shape the model has.
pub const CONFIG_FILE: &str = "config.json";

const LAYERS: usize = 6;
const FEED_FORWARD: usize = 4 * DIMENSIONS;
const VOCABULARY: usize = 30_522;
/// How many pieces are computed at once, unless a single text is longer: enough to make the reading of the weights
/// cheap, and small enough that what lies between two layers takes 8 MB.
const PACK_PIECES: usize = 512;

/// A text's meaning; its length is 1.
pub type Vector = [f32; DIMENSIONS];

/// Why there is no vector. The model's files are at fault, never a text.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file that cannot be read, or is not there.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is not what its name says.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file of another model.
    #[error("{}: {field} is {found}, {MODEL} has {expected}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What differs.
        field: String,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
}

impl EmbedError {
    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    fn malformed(path: &Path, reason: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), reason: reason.into() }
    }

    fn unfit(path: &Path, field: &str, expected: impl Display, found: impl Display) -> Self {
        Self::Unfit {
            path: path.to_owned(),
            field: field.to_owned(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

/// The loaded model: 45 MB of weights and 4 MB of vocabulary. Shared by reference; it has no state.
#[derive(Debug)]
pub struct Embedder {
    tokenizer: Tokenizer,
    weights: Weights,
    threads: NonZeroUsize,
}

impl Embedder {
    /// Loads the model from its folder, to be computed on at most so many threads. Its hashes were checked when it was
    /// installed; here only shapes are.
    pub fn load(folder: &Path, threads: NonZeroUsize) -> Result<Self, EmbedError> {
        check_config(&folder.join(CONFIG_FILE))?;
        let tokenizer = Tokenizer::load(&folder.join(TOKENIZER_FILE))?;
        let weights = Weights::load(&folder.join(WEIGHTS_FILE))?;
        Ok(Self { tokenizer, weights, threads })
    }

    /// The vectors of some texts, in their order. An empty text has a vector too, if one without much meaning.
    ///
    /// Takes some milliseconds for a short text and some tens for a long one. A single text is computed on the calling
    /// thread.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let packs = packs(texts.iter().map(|text| self.tokenizer.pieces(text)));
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, Vec<Vector>)>, EmbedError> {
            let mut done = Vec::new();
            while let n = next.fetch_add(1, Ordering::Relaxed)
                && let Some(pack) = packs.get(n)
            {
                done.push((n, bert::encode(&self.weights, pack)?));
            }
            Ok(done)
        };
        let mut done = thread::scope(|scope| {
            let others = 1..self.threads.get().min(packs.len());
            let others: Vec<_> = others.map(|_| scope.spawn(work)).collect();
            let mut done = work()?;
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok::<_, EmbedError>(done)
        })?;
        done.sort_unstable_by_key(|(n, _)| *n);
        Ok(done.into_iter().flat_map(|(_, vectors)| vectors).collect())
    }
}

/// Texts that are computed together, in their order.
fn packs(texts: impl Iterator<Item = Vec<u32>>) -> Vec<Vec<Vec<u32>>> {
    let mut packs: Vec<Vec<Vec<u32>>> = Vec::new();
    let mut room = 0;
    for text in texts {
        if let Some(pack) = packs.last_mut()
            && text.len() <= room
        {
            room -= text.len();
            pack.push(text);
        } else {
            room = PACK_PIECES.saturating_sub(text.len());
            packs.push(vec![text]);
        }
    }
    packs
}

/// Refuses the configuration of another model.
fn check_config(path: &Path) -> Result<(), EmbedError> {
    #[derive(Deserialize)]
    struct Config {
        hidden_size: usize,
        num_hidden_layers: usize,
        num_attention_heads: usize,
        intermediate_size: usize,
        vocab_size: usize,
        hidden_act: String,
    }
    let text = std::fs::read(path).map_err(|source| EmbedError::io(path, source))?;
    let config: Config = serde_json::from_slice(&text).map_err(|e| EmbedError::malformed(path, e.to_string()))?;
    for (field, found, expected) in [
        ("hidden_size", config.hidden_size, DIMENSIONS),
        ("num_hidden_layers", config.num_hidden_layers, LAYERS),
        ("num_attention_heads", config.num_attention_heads, bert::HEADS),
        ("intermediate_size", config.intermediate_size, FEED_FORWARD),
        ("vocab_size", config.vocab_size, VOCABULARY),
    ] {
        if found != expected {
            return Err(EmbedError::unfit(path, field, expected, found));
        }
    }
    if config.hidden_act != "gelu" {
        return Err(EmbedError::unfit(path, "hidden_act", "gelu", config.hidden_act));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
