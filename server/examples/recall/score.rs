//! What a way of searching is worth: how often and how high the right text was, and how long it took.

use std::fmt::Write as _;
use std::time::Duration;

/// How many hits are looked at.
pub(crate) const HITS: usize = 10;

/// A way of searching, and what came of it.
#[derive(Debug, Default)]
pub(crate) struct Score {
    name: String,
    /// For every search the place of the right text among the hits, from 0.
    places: Vec<Option<usize>>,
    searches: Vec<Duration>,
    writes: Vec<Duration>,
    /// From the first write until every text had its vector.
    ready: Option<Duration>,
}

impl Score {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// A search, and where the right text was.
    pub(crate) fn searched(&mut self, place: Option<usize>, took: Duration) {
        self.places.push(place);
        self.searches.push(took);
    }

    /// A write.
    pub(crate) fn wrote(&mut self, took: Duration) {
        self.writes.push(took);
    }

    /// Every text has its vector.
    pub(crate) fn ready(&mut self, after: Duration) {
        self.ready = Some(after);
    }

    fn recall(&self, at: usize) -> f64 {
        let found = self.places.iter().flatten().filter(|place| **place < at).count();
        quotient(found, self.places.len())
    }

    /// The mean of one divided by the place, counted from 1; 0 for a text that is not among the hits.
    fn mean_reciprocal_rank(&self) -> f64 {
        let sum: f64 = self.places.iter().flatten().map(|place| quotient(1, place + 1)).sum();
        sum / quotient(self.places.len(), 1)
    }

    /// A table of all of them.
    pub(crate) fn table(scores: &[Self]) -> String {
        let mut text = String::from(
            "| | recall@1 | recall@5 | MRR@10 | search p50 ms | p95 ms | write p50 ms | all vectors s |\n|---|---|---|---|---|---|---|---|\n",
        );
        for score in scores {
            let ms = |times: &[Duration], share| {
                quantile(times, share).map_or_else(|| "–".to_owned(), |t| format!("{:.2}", t.as_secs_f64() * 1000.0))
            };
            let ready = score.ready.map_or_else(|| "–".to_owned(), |t| format!("{:.1}", t.as_secs_f64()));
            // Writing into a text does not fail.
            let _ = writeln!(
                text,
                "| {} | {:.3} | {:.3} | {:.3} | {} | {} | {} | {ready} |",
                score.name,
                score.recall(1),
                score.recall(5),
                score.mean_reciprocal_rank(),
                ms(&score.searches, 50),
                ms(&score.searches, 95),
                ms(&score.writes, 50),
            );
        }
        text
    }
}

/// The time below which so many percent lie.
pub(crate) fn quantile(times: &[Duration], percent: usize) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied()
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
fn quotient(a: usize, b: usize) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_recall_and_reciprocal_rank() {
        let mut score = Score::new("x");
        for place in [Some(0), Some(3), Some(7), None] {
            score.searched(place, Duration::from_millis(1));
        }
        assert_eq!(
            format!("{:.3} {:.3} {:.4}", score.recall(1), score.recall(5), score.mean_reciprocal_rank()),
            "0.250 0.500 0.3438"
        );
        assert_eq!(quantile(&score.searches, 50), Some(Duration::from_millis(1)));
    }
}
