//! A word on stderr from time to time while something takes long; nothing at all while it does not.

use std::time::{Duration, Instant};

use super::output::notice;

/// How long nothing is said, at the beginning and between two words.
const QUIET: Duration = Duration::from_secs(2);

/// Tells how far a long work has come.
pub(super) struct Meter {
    said_at: Instant,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self { said_at: Instant::now() }
    }

    /// So much of so much is done, in whatever unit the work has.
    pub(super) fn tell(&mut self, what: &str, done: u64, total: Option<u64>) {
        if self.said_at.elapsed() < QUIET {
            return;
        }
        self.said_at = Instant::now();
        match total {
            Some(total) if total > 0 => {
                let percent = u128::from(done.min(total)) * 100 / u128::from(total);
                notice(&format!("{what}: {done} of {total} ({percent} %)"));
            }
            _ if done > 0 => notice(&format!("{what}: {done}")),
            _ => notice(what),
        }
    }
}
