//! What the palace asks of a model of meaning, when there is one: a slot, not a model. What fills it is [`model`].
//!
//! Without one everything works but likeness of meaning: searches go by words, and duplicates are identical texts.

pub mod model;
mod worker;

use std::collections::HashSet;
use std::time::Duration;

use super::PalaceError;

/// How long a search or a check for duplicates waits for vectors that are still in the queue.
pub const CATCH_UP: Duration = Duration::from_secs(2);

/// A row and how far its meaning is from what was asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The row's number.
    pub row: i64,
    /// Cosine distance, 0 to 2.
    pub distance: f64,
}

/// A model of meaning with the vectors of the palace's rows. Called off the async threads.
pub trait Semantic: Send + Sync {
    /// The model's name.
    fn model(&self) -> &str;

    /// Why it cannot be used at present, and what to do about it; `None` while it can.
    fn off_reason(&self) -> Option<String> {
        None
    }

    /// Waits until the rows that are in the file now have vectors, at most so long. What a large import left behind is not
    /// waited for.
    fn catch_up(&self, at_most: Duration);

    /// The vector of a text.
    fn embed(&self, text: &str) -> Result<Vec<f32>, PalaceError>;

    /// The rows nearest to a vector, nearest first; `among` restricts to some rows.
    fn nearest(&self, vector: &[f32], among: Option<&HashSet<i64>>, limit: usize) -> Vec<Near>;

    /// How far some rows are; `None` for one that has no vector yet.
    fn distances(&self, vector: &[f32], rows: &[i64]) -> Vec<Option<f64>>;
}
