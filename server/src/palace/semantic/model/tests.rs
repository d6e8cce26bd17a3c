//! What is waited for, and which vectors are kept, without weights: the vectors here are invented.

use super::*;
use crate::palace::drawers::{Filed, NewDrawer};
use crate::palace::embed::DIMENSIONS;

/// A direction of its own for each number.
fn direction(n: usize) -> Vector {
    std::array::from_fn(|at| f32::from(u8::from(at == n % DIMENSIONS)))
}

async fn add(store: &PalaceStore, content: &str) -> String {
    let new = NewDrawer {
        wing: "w".to_owned(),
        room: "r".to_owned(),
        content: content.to_owned(),
        source_file: String::new(),
        added_by: "t".to_owned(),
    };
    match store.add_drawer(new).await.expect("filed") {
        Filed::New { id, .. } | Filed::Already { id } => id,
    }
}

/// Keeps vectors for the texts that wait, as they were read.
async fn keep(store: &PalaceStore, model: &Model, waiting: Vec<Waiting>) -> usize {
    let vectors: Vec<(i64, Vector)> = waiting.iter().zip(0..).map(|(w, n)| (w.row, direction(n))).collect();
    let written = vectors.clone();
    let write = store.write(None, move |turn| {
        let mut kept = 0;
        for (waiting, (_, vector)) in waiting.iter().zip(&vectors) {
            kept += usize::from(vectors::keep(turn.conn, waiting, vector)?);
        }
        Ok(kept)
    });
    let kept = write.await.expect("written");
    model.written(&written);
    kept
}

#[tokio::test]
async fn a_few_new_texts_are_waited_for_and_a_crowd_is_not() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = PalaceStore::open(dir.path()).expect("opened");
    let model = Model::new(&store, dir.path()).expect("made");
    assert!(!model.has_fresh().expect("asked"), "nothing is there");
    add(&store, "one").await;
    assert!(model.has_fresh().expect("asked"));
    for n in 0..FRESH_ROWS {
        add(&store, &format!("text {n}")).await;
    }
    assert!(!model.has_fresh().expect("asked"), "an import");
    add(&store, "what somebody wrote meanwhile").await;
    assert!(model.has_fresh().expect("asked"));
    let newest = model.waiting(1).expect("asked");
    assert_eq!(newest[0].content, "what somebody wrote meanwhile", "it comes first");
    assert_eq!(keep(&store, &model, newest).await, 1);
    assert!(!model.has_fresh().expect("asked"), "the rest of the import is still there");
    store.close();
}

#[tokio::test]
async fn a_vector_of_a_text_that_changed_meanwhile_is_not_kept() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = PalaceStore::open(dir.path()).expect("opened");
    let model = Model::new(&store, dir.path()).expect("made");
    for text in ["kept", "changed", "gone"] {
        add(&store, text).await;
    }
    let waiting = model.waiting(10).expect("asked");
    let change = store.write(None, |turn| {
        turn.conn.execute("UPDATE drawers SET content = 'new' WHERE content = 'changed'", [])?;
        Ok(turn.conn.execute("DELETE FROM drawers WHERE content = 'gone'", [])?)
    });
    change.await.expect("changed");
    assert_eq!(keep(&store, &model, waiting).await, 1);
    assert_eq!(model.waiting(10).expect("asked").into_iter().map(|w| w.content).collect::<Vec<_>>(), ["new"]);
    // In memory all three have a vector; what the file does not confirm is left out.
    let found = model.nearest(&direction(2), None, 10);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].distance.abs() < 1e-6, "{found:?}");
    let rows = [1, 2, 3];
    let is_known: Vec<bool> = model.distances(&direction(0), &rows).iter().map(Option::is_some).collect();
    assert_eq!(is_known, [true, false, false]);
    store.close();
}

#[tokio::test]
async fn a_text_that_was_deleted_and_filed_again_many_times_is_found_and_its_past_is_forgotten() {
    let dir = tempfile::tempdir().expect("temp dir");
    let store = PalaceStore::open(dir.path()).expect("opened");
    let model = Model::new(&store, dir.path()).expect("made");
    for _ in 0..100 {
        let id = add(&store, "one text").await;
        assert_eq!(keep(&store, &model, model.waiting(1).expect("asked")).await, 1);
        store.delete_drawers(vec![id]).await.expect("deleted");
    }
    add(&store, "one text").await;
    let last = model.waiting(1).expect("asked");
    let row = last[0].row;
    assert_eq!(keep(&store, &model, last).await, 1);
    assert_eq!(model.index().len(), 101, "as many equal vectors");
    let found = model.nearest(&direction(0), None, 5);
    assert_eq!(found.iter().map(|near| near.row).collect::<Vec<_>>(), [row]);
    assert_eq!(model.index().len(), 1, "the rows that are gone are gone here too");
    store.close();
}
