//! A door before the writer that can be shut for a moment: a hub with peers lets nobody append before it knows which numbers its
//! peers already hold of it (`contract: sync`). It opens by itself when the moment is over, whatever happens.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// The door. Open unless it was shut.
pub(super) struct Gate {
    /// Until when it is shut.
    shut_until: Mutex<Option<Instant>>,
    opened: watch::Sender<bool>,
}

impl Default for Gate {
    fn default() -> Self {
        Self { shut_until: Mutex::new(None), opened: watch::Sender::new(true) }
    }
}

impl Gate {
    /// Shuts it for at most so long.
    pub(super) fn shut(&self, at_most: Duration) {
        *self.shut_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + at_most);
        self.opened.send_replace(false);
    }

    /// Opens it, also for those who wait.
    pub(super) fn open(&self) {
        self.opened.send_replace(true);
    }

    /// Waits until it is open.
    pub(super) async fn pass(&self) {
        if *self.opened.borrow() {
            return;
        }
        let Some(until) = *self.shut_until.lock().unwrap_or_else(PoisonError::into_inner) else { return };
        let mut opened = self.opened.subscribe();
        // Over time or opened: either way the caller goes on. The sender lives as long as this does.
        let _ = tokio::time::timeout_at(until.into(), opened.wait_for(|open| *open)).await;
        self.open();
    }
}
