//! What an import says at its end, and counts on its way.

use serde::{Deserialize, Serialize};

/// How many things of a kind that were skipped are named.
const EXAMPLES: usize = 5;

/// What was taken over, what was here already, and what was not taken and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// Whether it went on with an import that had been interrupted; the figures are of both together.
    pub resumed: bool,
    /// Texts in drawers, each counted once however many rows it has.
    pub drawers: Count,
    /// Diary entries, likewise.
    pub diary_entries: Count,
    /// How many rows the texts that were taken have.
    pub rows_taken: u64,
    /// Whom facts are about.
    pub entities: Count,
    /// Facts, those that no longer hold too.
    pub facts: Count,
    /// Tunnels between rooms.
    pub tunnels: Count,
    /// Hallways within wings.
    pub hallways: Count,
    /// What was not taken.
    pub skipped: Vec<Skipped>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// Things of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many were taken.
    pub taken: u64,
    /// How many were here already: texts and facts just the same, entities, tunnels and hallways by their id.
    pub already_here: u64,
}

impl Count {
    /// Counts one more.
    pub(super) fn add(&mut self, is_new: bool) {
        if is_new {
            self.taken += 1;
        } else {
            self.already_here += 1;
        }
    }
}

/// Things that were not taken, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// What they are.
    pub what: String,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// The ids or names of the first of them.
    pub examples: Vec<String>,
}

impl Imported {
    /// One thing was not taken.
    pub(super) fn skip(&mut self, what: &str, reason: &str, example: &str) {
        self.skip_many(what, reason, Some(example), 1);
    }

    /// Some were not taken.
    pub(super) fn skip_many(&mut self, what: &str, reason: &str, example: Option<&str>, count: u64) {
        let at = self.skipped.iter().position(|s| s.what == what && s.reason == reason).unwrap_or_else(|| {
            self.skipped.push(Skipped {
                what: what.to_owned(),
                reason: reason.to_owned(),
                count: 0,
                examples: Vec::new(),
            });
            self.skipped.len() - 1
        });
        let skipped = &mut self.skipped[at];
        skipped.count += count;
        skipped.examples.extend(example.filter(|_| skipped.examples.len() < EXAMPLES).map(str::to_owned));
    }
}
