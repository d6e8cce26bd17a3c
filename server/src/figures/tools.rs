//! Calls of tools, by tool and by how they ended. The names are those of the tools there are: what a caller made up is one name.

use std::sync::atomic::{AtomicU64, Ordering};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It did what was asked.
    Ok,
    /// The tool refused: a rule was broken, or there was nothing by that id.
    Refused,
    /// The arguments are not the tool's.
    BadArguments,
    /// The token may not call it.
    Denied,
    /// Busy, full or shutting down: worth another try.
    Unavailable,
    /// Our own fault.
    Failed,
}

impl Outcome {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Ok, Self::Refused, Self::BadArguments, Self::Denied, Self::Unavailable, Self::Failed];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::BadArguments => "bad_arguments",
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        }
    }
}

/// What a call of a tool that does not exist is counted under.
const UNKNOWN: &str = "unknown";

/// How many calls there were.
#[derive(Debug)]
pub struct Tools {
    /// Sorted by name.
    counts: Vec<(&'static str, [AtomicU64; Outcome::ALL.len()])>,
}

impl Tools {
    /// For the tools of these names.
    pub fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        let mut names: Vec<_> = names.into_iter().chain([UNKNOWN]).collect();
        names.sort_unstable();
        Self { counts: names.into_iter().map(|name| (name, Default::default())).collect() }
    }

    /// A call ended.
    pub fn called(&self, name: &str, outcome: Outcome) {
        let find = |name: &str| self.counts.binary_search_by(|(known, _)| (*known).cmp(name));
        let Ok(at) = find(name).or_else(|_| find(UNKNOWN)) else { return };
        // The enum's order is that of `ALL`.
        self.counts[at].1[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Every tool with the counts of its outcomes, in the order of [`Outcome::ALL`].
    pub fn counted(&self) -> impl Iterator<Item = (&'static str, [u64; Outcome::ALL.len()])> {
        self.counts.iter().map(|(name, counts)| (*name, std::array::from_fn(|at| counts[at].load(Ordering::Relaxed))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_counted_by_its_name_and_its_end() {
        let tools = Tools::new(["b", "a"]);
        for outcome in Outcome::ALL {
            tools.called("a", outcome);
        }
        tools.called("b", Outcome::Denied);
        tools.called("made up", Outcome::Ok);
        let counted: Vec<_> = tools.counted().collect();
        assert_eq!(counted, [("a", [1; 6]), ("b", [0, 0, 0, 1, 0, 0]), (UNKNOWN, [1, 0, 0, 0, 0, 0])]);
    }
}
