//! A door before the writer that can be shut for a moment: a hub with peers lets nobody append before it knows which numbers its
//! peers already hold of it (`contract: sync`). It opens by itself when the moment is over, whatever happens.

use std::time::{Duration, Instant};

use tokio::sync::watch;

/// The door. Open unless it was shut.
pub(super) struct Gate {
    /// Until when it is shut; `None` is open.
    shut_until: watch::Sender<Option<Instant>>,
}

impl Default for Gate {
    fn default() -> Self {
        Self { shut_until: watch::Sender::new(None) }
    }
}

impl Gate {
    /// Shuts it for at most so long.
    pub(super) fn shut(&self, at_most: Duration) {
        self.shut_until.send_replace(Some(Instant::now() + at_most));
    }

    /// Opens it, also for those who wait.
    pub(super) fn open(&self) {
        self.shut_until.send_replace(None);
    }

    /// Waits until it is open.
    pub(super) async fn pass(&self) {
        let Some(until) = *self.shut_until.borrow() else { return };
        let mut shut_until = self.shut_until.subscribe();
        // Over time or opened: either way the caller goes on. The sender lives as long as this does.
        let _ = tokio::time::timeout_at(until.into(), shut_until.wait_for(Option::is_none)).await;
        self.open();
    }
}
