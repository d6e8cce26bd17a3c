//! Whether something works, said once for each change: a warning when it begins to fail or fails otherwise, a line when it is over.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::now_ms;

/// The state of something that may fail for a while.
#[derive(Debug)]
pub struct Trouble {
    failing: &'static str,
    working: &'static str,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    now: Option<String>,
    last: Option<(String, u64)>,
    is_dropping: bool,
}

impl Trouble {
    /// Nothing is wrong; the two sentences for the log.
    pub fn new(failing: &'static str, working: &'static str) -> Self {
        Self { failing, working, state: Mutex::default() }
    }

    /// It fails. The log hears of it when that is new; `counts` says how much is affected.
    pub fn is(&self, error: &str, counts: impl FnOnce() -> String) {
        let mut state = self.state();
        state.last = Some((error.to_owned(), now_ms()));
        if state.now.as_deref() == Some(error) {
            return;
        }
        state.now = Some(error.to_owned());
        drop(state);
        tracing::warn!(error, counts = counts(), "{}", self.failing);
    }

    /// Something is given up, since too much waits.
    pub fn dropping(&self, counts: impl FnOnce() -> String) {
        if !std::mem::replace(&mut self.state().is_dropping, true) {
            tracing::warn!(counts = counts(), "{}: the oldest events are dropped", self.failing);
        }
    }

    /// It works.
    pub fn over(&self, counts: impl FnOnce() -> String) {
        let mut state = self.state();
        state.is_dropping = false;
        if state.now.take().is_some() {
            drop(state);
            tracing::info!(counts = counts(), "{}", self.working);
        }
    }

    /// What is wrong at the moment.
    pub fn now(&self) -> Option<String> {
        self.state().now.clone()
    }

    /// The last error and when it came, ms since 1970.
    pub fn last(&self) -> Option<(String, u64)> {
        self.state().last.clone()
    }

    /// A panic elsewhere leaves nothing half-done behind this lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
