//! One live stream's part of the figures: what was handed to it, and whether its reader was taking nothing when it ended.
//!
//! The hub never ends a stream for its slowness itself: the system cuts a connection whose client takes nothing (`LOGGIA_DEAD_CLIENT_S`),
//! and a cut connection looks like one that was closed. The difference is what stood in the way: a chunk that was handed over and
//! after which nothing more was asked for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Figures;

/// How long a chunk must have stood in the way for its stream to count as slow.
const SLOW: Duration = Duration::from_secs(1);

/// One stream's deliveries. Dropping it ends the account.
#[derive(Debug)]
pub struct Delivery {
    figures: Arc<Figures>,
    handed_at: Option<Instant>,
}

impl Delivery {
    /// Nothing was handed over yet.
    pub fn new(figures: &Arc<Figures>) -> Self {
        Self { figures: Arc::clone(figures), handed_at: None }
    }

    /// The connection asks for more: what was handed over is on its way.
    pub fn asked(&mut self) {
        self.handed_at = None;
    }

    /// A chunk with so many events was handed over.
    pub fn handed(&mut self, events: usize) {
        self.figures.stream_events.add(events);
        self.handed_at = Some(Instant::now());
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if self.handed_at.is_some_and(|at| at.elapsed() >= SLOW) {
            self.figures.dropped_streams.add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_ends_with_a_chunk_in_the_way_is_slow() {
        let figures = Arc::new(Figures::new([]));
        let long_ago = Instant::now().checked_sub(SLOW);
        for (handed_at, slow) in [(long_ago, 1), (Some(Instant::now()), 1), (None, 1)] {
            drop(Delivery { figures: Arc::clone(&figures), handed_at });
            assert_eq!(figures.dropped_streams.get(), slow);
        }
        let mut delivery = Delivery { figures: Arc::clone(&figures), handed_at: long_ago };
        delivery.asked();
        drop(delivery);
        assert_eq!(figures.dropped_streams.get(), 1, "it asked for more");
    }
}
