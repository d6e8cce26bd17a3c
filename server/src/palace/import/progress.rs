//! How far an import has come, remembered in the palace itself: a row of `settings` for each source.

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::report::Imported;
use crate::palace::{PalaceError, Turn, notes};

/// What the keys in `settings` begin with.
const PREFIX: &str = "import.mempalace.";

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Drawers and diaries, after the position.
    Drawers,
    /// Facts.
    Facts,
    /// Tunnels and hallways.
    Graph,
    /// Nothing.
    Done,
}

impl Stage {
    /// What ends where this begins, for the write log.
    pub fn before(self) -> &'static str {
        match self {
            Self::Drawers => "begin",
            Self::Facts => "drawers",
            Self::Graph => "facts",
            Self::Done => "tunnels and hallways",
        }
    }
}

/// How far an import has come.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// What the source is remembered by.
    #[serde(skip)]
    pub key: String,
    /// What comes next.
    pub stage: Stage,
    /// The source's drawers as they were: when they changed, the position says nothing.
    pub fingerprint: String,
    /// The number of the last text that was looked at.
    pub position: i64,
    /// Whether the log was taken.
    pub has_log: bool,
    /// What was counted so far.
    pub report: Imported,
}

impl State {
    /// Goes on with an import that did not come to its end, or begins.
    pub fn begin(before: Option<Self>, key: String, fingerprint: String) -> Self {
        match before.filter(|state| state.stage != Stage::Done) {
            Some(mut state) if state.fingerprint == fingerprint => {
                // One that had only noted its log has counted nothing yet.
                state.report.resumed = state.position > i64::MIN || state.stage != Stage::Drawers;
                Self { key, ..state }
            }
            unfinished => Self {
                key,
                stage: Stage::Drawers,
                fingerprint,
                position: i64::MIN,
                has_log: unfinished.is_some_and(|state| state.has_log),
                report: Imported::default(),
            },
        }
    }

    /// Remembers it, as a part of the write that took what it counts.
    pub fn save(&self, turn: &Turn<'_>) -> Result<(), PalaceError> {
        notes::set(turn, &format!("{PREFIX}{}", self.key), self)
    }
}

/// How far an import from a source came; none that this program can read is none.
pub fn load(conn: &Connection, key: &str) -> Result<Option<State>, PalaceError> {
    notes::get(conn, &format!("{PREFIX}{key}"))
}
