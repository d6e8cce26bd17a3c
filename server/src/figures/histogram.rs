//! A histogram of atomics: one addition per observation, no lock. It knows its bounds and nothing of how it is shown.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of values by size. `N` bounds make `N` buckets and one for what is larger.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    bounds: [u64; N],
    buckets: [AtomicU64; N],
    larger: AtomicU64,
    sum: AtomicU64,
}

/// A histogram at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Each bound (inclusive) with how many values lie in its own bucket; the last bound is `u64::MAX`.
    pub buckets: Vec<(u64, u64)>,
    /// All values added up.
    pub sum: u64,
    /// How many there were.
    pub count: u64,
}

impl<const N: usize> Histogram<N> {
    /// Empty, with ascending bounds.
    pub const fn new(bounds: [u64; N]) -> Self {
        Self { bounds, buckets: [const { AtomicU64::new(0) }; N], larger: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    /// Takes a value in.
    pub fn observe(&self, value: u64) {
        let at = self.bounds.partition_point(|bound| *bound < value);
        self.buckets.get(at).unwrap_or(&self.larger).fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// What was counted so far. A value that arrives at this very moment may be in one figure and not yet in the other.
    pub fn counted(&self) -> Counted {
        let own = self.buckets.iter().chain([&self.larger]).map(|b| b.load(Ordering::Relaxed));
        let buckets: Vec<_> = self.bounds.into_iter().chain([u64::MAX]).zip(own).collect();
        let count = buckets.iter().map(|(_, n)| n).sum();
        Counted { buckets, sum: self.sum.load(Ordering::Relaxed), count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_falls_into_the_first_bucket_that_holds_it() {
        let histogram = Histogram::new([1, 10]);
        for value in [0, 1, 2, 10, 11, 5000] {
            histogram.observe(value);
        }
        assert_eq!(histogram.counted(), Counted { buckets: vec![(1, 2), (10, 2), (u64::MAX, 2)], sum: 5024, count: 6 });
    }
}
