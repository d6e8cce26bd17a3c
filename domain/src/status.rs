//! The seven statuses of an event.

use serde::{Deserialize, Serialize};

/// Where a piece of delegated work stands, as its events say it (`contract: logstream`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Asked for, nobody has taken it.
    Open,
    /// Somebody works on it.
    Claimed,
    /// A result waits to be looked at.
    Ready,
    /// The result was taken over.
    Applied,
    /// The worker cannot go on without somebody.
    Blocked,
    /// It was tried and did not work.
    Failed,
    /// Something else took its place.
    Superseded,
}

impl Status {
    /// All of them, in the order of a delegation's life.
    pub const ALL: [Self; 7] =
        [Self::Open, Self::Claimed, Self::Ready, Self::Applied, Self::Blocked, Self::Failed, Self::Superseded];

    /// The words in the order in which error messages list them.
    pub const ACCEPTED: &'static str = "applied, blocked, claimed, failed, open, ready, superseded";

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Ready => "ready",
            Self::Applied => "applied",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
        }
    }

    /// The status that a word names. No trimming and no case folding: ` open` and `Open` are none.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == word)
    }

    /// Whether nothing is expected to follow, short of a new `open`.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Applied | Self::Failed | Self::Superseded)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
