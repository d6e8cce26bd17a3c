//! A palace of a size that nobody has filed by hand: texts of mixed-up words and vectors in invented directions. It shows what size
//! costs; what is found there means nothing.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use loggia::palace::drawers::Filter;
use loggia::palace::embed::{DIMENSIONS, Vector};
use loggia::palace::rows::{self, Fields, Shape};
use loggia::palace::search::Ask;
use loggia::palace::semantic::model::Model;
use loggia::palace::vectors::{self, Waiting};
use loggia::palace::{FILE_NAME, PalaceStore};

use crate::corpus::{self, Document};
use crate::score::quantile;
use crate::{Failure, say};

/// How many rows one transaction takes.
const BATCH_ROWS: usize = 1000;
const WORDS_PER_TEXT: usize = 70;
const ROOMS: usize = 50;
const SEARCHES: usize = 300;
const CATCH_UP: Duration = Duration::from_mins(5);
const MAX_DISTANCE: f64 = 1.5;

/// Makes the palace and measures what it costs; a table.
pub(crate) async fn measure(rows: usize, palace: Option<&Path>, model: Option<&Path>) -> Result<String, Failure> {
    let model = model.ok_or("--scale needs --model: its searches embed real queries")?;
    let scratch = tempfile::tempdir()?;
    let folder = palace.unwrap_or(scratch.path());
    let words = corpus::from_man(Path::new("/usr/share/man"), usize::MAX)?;
    let store = PalaceStore::open(folder)?;
    // A palace of an earlier run serves again, and grows when it was smaller.
    let there = usize::try_from(store.vector_progress().await?.embedded)?;
    if there < rows {
        let begun = Instant::now();
        fill(&store, there, rows, &words).await?;
        say(&format!("{} rows filled in {:.1} s", rows - there, begun.elapsed().as_secs_f64()));
    }
    store.close();
    drop(store);

    let before = rss_kib()?;
    let opening = Instant::now();
    let store = PalaceStore::open(folder)?;
    let opened = opening.elapsed();
    Model::follow(&store, model);
    let semantic = store.semantic().ok_or("the model is not installed there")?;
    tokio::task::spawn_blocking(move || semantic.catch_up(CATCH_UP)).await?;
    let read = opening.elapsed();
    let after = rss_kib()?;
    let open = search(&store, &words, &Filter::default()).await?;
    let room = search(&store, &words, &Filter { room: Some("room 7".to_owned()), ..Filter::default() }).await?;
    let figures = [
        ("file MiB", mib(fs::metadata(folder.join(FILE_NAME))?.len())),
        ("opened after ms", ms(opened)),
        ("all vectors in memory after ms", ms(read)),
        ("memory for them MiB", mib(after.saturating_sub(before) * 1024)),
        ("memory after searches, with the model, MiB", mib(rss_kib()? * 1024)),
        ("search p50 ms", ms(quantile(&open, 50).unwrap_or_default())),
        ("search p95 ms", ms(quantile(&open, 95).unwrap_or_default())),
        ("search in one room of 50 p50 ms", ms(quantile(&room, 50).unwrap_or_default())),
    ];
    store.close();
    let lines = figures.map(|(name, value)| format!("| {name} | {value:.1} |\n"));
    Ok(format!("| {rows} rows | |\n|---|---|\n{}", lines.concat()))
}

/// Adds rows from one number on, up to a count.
async fn fill(store: &PalaceStore, first: usize, count: usize, documents: &[Document]) -> Result<(), Failure> {
    let words: Vec<String> = documents.iter().flat_map(|d| d.text.split_whitespace()).map(str::to_owned).collect();
    if words.is_empty() {
        return Err("there are no words to mix\nhint: install the Debian packages `manpages` and `manpages-dev`".into());
    }
    let mut dice = Dice(7 + first as u64);
    let mut number = first;
    while number < count {
        let batch: Vec<(String, Vector)> = (0..BATCH_ROWS.min(count - number))
            .map(|_| {
                let text: Vec<&str> = (0..WORDS_PER_TEXT).map(|_| &*words[dice.below(words.len())]).collect();
                (text.join(" "), dice.direction())
            })
            .collect();
        let first = number;
        number += batch.len();
        store
            .write(None, move |turn| {
                for (n, (content, vector)) in batch.into_iter().enumerate() {
                    let fields = Fields {
                        wing: Some(format!("wing {}", (first + n) % 5)),
                        room: Some(format!("room {}", (first + n) % ROOMS)),
                        filed_at: Some(turn.now.local_iso()),
                        ..Fields::default()
                    };
                    rows::insert_text(turn.conn, &format!("drawer_{}", first + n), &content, &fields, Shape::Fitting)?;
                    let row = turn.conn.last_insert_rowid();
                    vectors::keep(turn.conn, &Waiting { row, content }, &vector)?;
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}

async fn search(store: &PalaceStore, documents: &[Document], filter: &Filter) -> Result<Vec<Duration>, Failure> {
    let mut times = Vec::new();
    for document in documents.iter().take(SEARCHES) {
        let ask = Ask { query: document.title.clone(), limit: 5, filter: filter.clone(), max_distance: MAX_DISTANCE };
        let sent = Instant::now();
        store.search(ask).await?;
        times.push(sent.elapsed());
    }
    Ok(times)
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(0) % end.max(1)
    }

    /// A vector of length 1.
    fn direction(&mut self) -> Vector {
        let mut uniform = || f32::from(u16::try_from(self.next() & 0xffff).unwrap_or(0)) / f32::from(u16::MAX) - 0.5;
        let vector: [f32; DIMENSIONS] = std::array::from_fn(|_| (0..4).map(|_| uniform()).sum());
        let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
        vector.map(|v| v / length)
    }
}

fn rss_kib() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or("the system does not tell this process's memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files and of memory")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}
