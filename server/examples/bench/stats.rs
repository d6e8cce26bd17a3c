//! Percentiles and medians.

use std::time::Duration;

/// Durations of many like things.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    /// Adds one.
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Adds those of another.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// `p50`, `p99` and the longest, in milliseconds; nothing of nothing.
    pub(crate) fn figures(mut self) -> Vec<(&'static str, f64)> {
        self.0.sort_unstable();
        let at = |per_mille: usize| {
            let index = (self.0.len() * per_mille / 1000).min(self.0.len() - 1);
            self.0[index].as_secs_f64() * 1000.0
        };
        if self.0.is_empty() {
            Vec::new()
        } else {
            vec![("p50_ms", at(500)), ("p99_ms", at(990)), ("max_ms", at(1000))]
        }
    }
}

/// The middle value; the lower one of two.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// A count as a number to calculate with.
pub(crate) fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Numbers that look random and are the same in every run: when events are sent must not be in step with anything, and
/// two hubs should see the same.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// From 0 to below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_from_the_sorted_values() {
        let mut latencies = Latencies::default();
        (1..=1000).rev().for_each(|ms| latencies.push(Duration::from_millis(ms)));
        assert_eq!(latencies.figures(), [("p50_ms", 501.0), ("p99_ms", 991.0), ("max_ms", 1000.0)]);
        assert_eq!(Latencies::default().figures(), []);
    }

    #[test]
    fn a_median_is_one_of_the_values() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(&[4.0, 1.0]) - 1.0).abs() < f64::EPSILON);
    }
}
