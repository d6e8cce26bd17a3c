//! Search with a model: an invented one whose vectors are two numbers, so that what is near can be read off.

use std::sync::Arc;
use std::time::Duration;

use loggia_domain::palace::window::Window;

use super::*;
use crate::palace::drawers::NewDrawer;
use crate::palace::semantic::Near;
use crate::palace::{PalaceStore, semantic::Semantic};

/// Knows the rows of the test by their numbers: how far each is from whatever is asked.
struct Invented(Vec<(i64, f64)>);

impl Semantic for Invented {
    fn model(&self) -> &'static str {
        "invented"
    }

    fn catch_up(&self, _: Duration) {}

    fn embed(&self, _: &str) -> Result<Vec<f32>, PalaceError> {
        Ok(vec![1.0, 0.0])
    }

    fn nearest(&self, _: &[f32], among: Option<&HashSet<i64>>, limit: usize) -> Vec<Near> {
        let wanted = self.0.iter().filter(|(row, _)| among.is_none_or(|rows| rows.contains(row)));
        wanted.map(|(row, distance)| Near { row: *row, distance: *distance }).take(limit).collect()
    }

    fn distances(&self, _: &[f32], rows: &[i64]) -> Vec<Option<f64>> {
        rows.iter().map(|row| self.0.iter().find(|(known, _)| known == row).map(|(_, d)| *d)).collect()
    }
}

/// A palace with four drawers, rows 1 to 4, in rooms of these names.
async fn palace(folder: &std::path::Path) -> PalaceStore {
    let store = PalaceStore::open(folder).expect("opened");
    for (room, content) in [
        ("ops", "connection pool exhausted"),
        ("home", "grandmother bakes"),
        ("far", "pool of tears"),
        ("new", "not seen"),
    ] {
        let new = NewDrawer {
            wing: "w".to_owned(),
            room: room.to_owned(),
            content: content.to_owned(),
            source_file: String::new(),
            added_by: "t".to_owned(),
        };
        store.add_drawer(new).await.expect("filed");
    }
    store
}

fn ask(query: &str, max_distance: f64) -> Ask {
    Ask { query: query.to_owned(), limit: 5, filter: Filter::default(), max_distance }
}

async fn rooms(store: &PalaceStore, ask: Ask) -> Vec<String> {
    store.search(ask).await.expect("searched").hits.into_iter().map(|hit| hit.room).collect()
}

#[tokio::test]
async fn words_and_meaning_are_joined() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = palace(dir.path()).await;
    store.set_semantic(Arc::new(Invented(vec![(2, 0.2), (1, 0.4), (3, 1.8)])));

    // By meaning alone home comes first; the words lift ops above it. What is far is left out, though its words fit.
    assert_eq!(rooms(&store, ask("the pool", 1.5)).await, ["ops", "home"]);
    assert_eq!(rooms(&store, ask("the pool", 0.0)).await, ["ops", "far", "home"]);
    // A row without a vector yet is found by its words and has no distance.
    let found = store.search(ask("seen", 1.5)).await.expect("searched");
    let new = found.hits.iter().find(|hit| hit.room == "new").expect("found");
    assert_eq!((new.distance, new.matched_via), (None, "drawer"));
    let home = found.hits.iter().find(|hit| hit.room == "home").expect("found");
    assert_eq!((home.distance, home.similarity, home.bm25_score), (Some(0.2), Some(0.8), 0.0));
    store.close();
}

#[tokio::test]
async fn filters_hold_for_meaning_too() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = palace(dir.path()).await;
    store.set_semantic(Arc::new(Invented(vec![(2, 0.2), (1, 0.4)])));
    let filter = Filter { room: Some("ops".to_owned()), ..Filter::default() };
    assert_eq!(rooms(&store, Ask { filter, ..ask("baking", 1.5) }).await, ["ops"]);
    let window = Window { before: Some("2020".to_owned()), since: None };
    let filter = Filter { window, ..Filter::default() };
    assert_eq!(rooms(&store, Ask { filter, ..ask("baking", 1.5) }).await, [""; 0]);
    store.close();
}

#[tokio::test]
async fn what_says_the_same_is_a_duplicate() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = palace(dir.path()).await;
    store.set_semantic(Arc::new(Invented(vec![(2, 0.0996), (1, 0.4)])));
    let ids = |matches: Vec<crate::palace::duplicates::Match>| -> Vec<(String, f64)> {
        matches.into_iter().map(|m| (m.room, m.similarity)).collect()
    };
    let found = store.duplicates("grandma bakes".to_owned(), 0.9).await.expect("asked");
    assert_eq!(ids(found), [("home".to_owned(), 0.9)], "rounded before it is compared");
    let found = store.duplicates("connection pool exhausted".to_owned(), 0.5).await.expect("asked");
    assert_eq!(ids(found), [("ops".to_owned(), 1.0), ("home".to_owned(), 0.9)], "identical first, and once");
    store.close();
}

#[test]
fn the_rarest_words_are_looked_for_and_at_least_one() {
    #[track_caller]
    fn check(counts: &[(i64, &str)], expected: &[&str]) {
        let counted = counts.iter().map(|(count, term)| (*count, (*term).to_owned())).collect();
        assert_eq!(rarest(counted, 100), expected);
    }
    check(&[(90, "file"), (0, "xyzzy"), (5, "socket"), (4, "ring")], &["xyzzy", "ring", "socket", "file"]);
    check(&[(96, "file"), (5, "socket"), (0, "xyzzy")], &["xyzzy", "socket"]);
    check(&[(101, "file"), (0, "xyzzy"), (101, "system")], &["xyzzy", "file"]);
    check(&[], &[]);
}
