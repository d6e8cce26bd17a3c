//! The three ways of searching within this process, on one palace: by words, by meaning, and by both, as a hub does.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use loggia::palace::drawers::{Filed, Filter, NewDrawer};
use loggia::palace::rows;
use loggia::palace::search::{self, Ask};
use loggia::palace::semantic::model::Model;
use loggia::palace::{PalaceError, PalaceStore};

use crate::corpus::Document;
use crate::score::{HITS, Score};
use crate::{Failure, say};

/// As a hub leaves out what is too far.
const MAX_DISTANCE: f64 = 1.5;
const LOOK_EVERY: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
enum Way {
    Words,
    Meaning,
    Both,
}

/// Files the documents into a palace of its own and searches for each title in each way.
pub(crate) async fn measure(
    documents: &[Document],
    model: Option<&Path>,
    rounds: usize,
) -> Result<Vec<Score>, Failure> {
    let scratch = tempfile::tempdir()?;
    let store = PalaceStore::open(scratch.path())?;
    if let Some(folder) = model {
        Model::follow(&store, folder);
    }
    say("inside: filing");
    let begun = Instant::now();
    let mut ids = HashMap::new();
    for (n, document) in documents.iter().enumerate() {
        let new = NewDrawer {
            wing: "recall".to_owned(),
            room: "pages".to_owned(),
            content: document.text.clone(),
            source_file: String::new(),
            added_by: "recall".to_owned(),
        };
        let (Filed::New { id, .. } | Filed::Already { id }) = store.add_drawer(new).await?;
        ids.insert(id, n);
    }
    let mut ways = vec![("words", Way::Words)];
    let mut ready = None;
    if model.is_some() {
        while store.vector_progress().await?.waiting > 0 {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        ready = Some(begun.elapsed());
        ways.extend([("meaning", Way::Meaning), ("both", Way::Both)]);
    }
    let mut scores = Vec::new();
    for (name, way) in ways {
        say(&format!("inside: searching by {name}"));
        let mut found = Score::new(&format!("{name}, within a process"));
        for _ in 0..rounds {
            for (n, document) in documents.iter().enumerate() {
                let query = document.title.clone();
                let sent = Instant::now();
                let hits = find(&store, query, way).await?;
                let took = sent.elapsed();
                found.searched(hits.iter().position(|id| ids.get(id) == Some(&n)), took);
            }
        }
        if let (Some(after), Way::Both) = (ready, way) {
            found.ready(after);
        }
        scores.push(found);
    }
    store.close();
    Ok(scores)
}

/// The ids of the drawers that are found, best first.
async fn find(store: &PalaceStore, query: String, way: Way) -> Result<Vec<String>, PalaceError> {
    let semantic = store.semantic();
    store
        .read(move |conn| {
            let semantic = semantic.as_deref();
            if let (Way::Meaning, Some(semantic)) = (way, semantic) {
                let near = semantic.nearest(&semantic.embed(&query)?, None, HITS);
                let id = |row| Ok(rows::by_number(conn, row)?.map(|row| row.logical_id));
                let found: Result<Vec<_>, PalaceError> = near.iter().map(|near| id(near.row)).collect();
                return Ok(found?.into_iter().flatten().collect());
            }
            let ask = Ask { query, limit: HITS, filter: Filter::default(), max_distance: MAX_DISTANCE };
            let found = search::search(conn, semantic.filter(|_| matches!(way, Way::Both)), &ask)?;
            Ok(found.hits.into_iter().map(|hit| hit.drawer_id).collect())
        })
        .await
}
