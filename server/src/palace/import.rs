//! A MemPalace palace's drawers, diaries, facts, tunnels and hallways, taken into ours with their ids and their times
//! (`contract: palace-tools`, 4).
//!
//! The source is only read, and nothing that is here already is changed: what has the same id and the same text counts as here, what
//! has another text is skipped and named; so are facts with other dates. Of entities, tunnels and hallways the id alone counts. So an
//! import can be done again at any time, and takes what is new.
//!
//! # Design
//! Each batch is one transaction that also notes how far the import came and what it counted. One that was interrupted goes on
//! from there, unless the source has changed meanwhile: then everything is looked at again. Batches are ordinary writes of the
//! palace's writer, which meet those of a running hub at SQLite's lock; vectors are made later, as after every write.

mod chroma;
mod drawers;
mod exact;
mod facts;
mod graph;
mod places;
mod progress;
mod report;
mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::record::Record;
use super::{PalaceError, PalaceStore};
use crate::logstream::{OpenError, create_private_dir};
pub use places::Places;
use places::{Collection, HALLWAYS, TUNNELS};
use progress::{Stage, State};
pub use report::{Count, Imported, Skipped};
use source::{Source, Text};

/// How far an import has come: what it does, how much is done, and of how much where that is known.
pub type Progress<'a> = &'a mut dyn FnMut(&str, u64, Option<u64>);

/// How many rows one transaction takes at most, unless one text alone has more.
const BATCH_ROWS: usize = 400;
/// The same beside a hub.
const BATCH_ROWS_BESIDE: usize = 100;
/// How long an import beside a hub rests after each transaction, at least. SQLite lets whoever waits for its lock look again every
/// 100 ms only, and does not keep an order: without a rest agents might wait in vain for as long as they are willing to.
const REST: Duration = Duration::from_millis(120);
/// How many bytes of text one transaction takes at most, unless one text alone has more.
const BATCH_BYTES: usize = 2 * 1024 * 1024;

/// Why an import ended. What was taken before stays, and the next run goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is nothing to import, or it cannot be told what.
    #[error("{0}")]
    Refused(String),
    /// A file of the source could not be copied.
    #[error(transparent)]
    Copy(#[from] OpenError),
    /// A file of the source is not what its name says.
    #[error("{}: {source}", .path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Our palace.
    #[error(transparent)]
    Palace(#[from] PalaceError),
    /// Our folder.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ImportError {
    /// Names the file that an error of SQLite is about.
    fn of(path: &Path) -> impl Fn(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Source { path: path.clone(), source }
    }
}

/// Whether somebody else may want to write meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Nobody: as fast as it goes.
    Alone,
    /// A hub: in small steps, and resting after each.
    BesideHub,
}

/// A folder for copies, gone when the import ends, however it ends.
struct Aside {
    path: PathBuf,
}

impl Aside {
    fn make(folder: &Path, key: &str) -> Result<Self, ImportError> {
        let path = folder.join(format!(".loggia-import-palace-{key}"));
        let io = |source| ImportError::Io { path: path.clone(), source };
        match fs::remove_dir_all(&path) {
            // Left by an import that was killed.
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(e)),
            _ => {}
        }
        create_private_dir(&path).map_err(io)?;
        Ok(Self { path })
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Copies of what is still in the source.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// An import whose source was read far enough to know that it can be taken.
pub struct Import {
    places: Places,
    aside: Aside,
    drawers: Option<(Source, Vec<Text>)>,
    state: State,
}

impl Import {
    /// Looks at the source and at how far an earlier import came. `folder` is our palace's.
    pub async fn prepare(
        store: &PalaceStore,
        folder: &Path,
        places: Places,
        progress: Progress<'_>,
    ) -> Result<Self, ImportError> {
        let key = places.key();
        let aside = Aside::make(folder, &key)?;
        let mut notes = Vec::new();
        let mut drawers = None;
        let mut fingerprint = String::new();
        if let Some(found) = source::find(&places) {
            let what = found.path.file_name().unwrap_or_default().display().to_string();
            let copying = format!("copying {what}");
            let conn = source::open_copy(&found.path, &aside.path, &mut |done, total| {
                progress(&copying, done, Some(total));
            })?;
            let configured = places.setting("collection_name");
            let collection = Collection { asked: places.collection.as_deref(), configured };
            let source = Source::open(&found, conn, &collection)?;
            progress(&format!("reading {what}"), 0, None);
            fingerprint = source.fingerprint()?;
            if let Some(unused) = &found.unused {
                notes.push(format!("{} was not read: {what} is the store in use", unused.display()));
            }
            if source.queued() > 0 {
                notes.push(format!("{} operations that {what} had only queued were taken too", source.queued()));
            }
            let plan = source.plan()?;
            drawers = Some((source, plan));
        }
        let before = store.read({
            let key = key.clone();
            move |conn| progress::load(conn, &key)
        });
        let mut state = State::begin(before.await?, key, fingerprint);
        if state.stage == Stage::Drawers && !state.report.resumed {
            if let Some((source, _)) = &drawers {
                for (name, rows) in source.others()?.into_iter().filter(|(_, rows)| *rows > 0) {
                    let what = format!("rows of the collection {name}");
                    state.report.skip_many(&what, "only drawers and diaries are taken", None, rows);
                }
            }
            state.report.notes = notes;
        }
        Ok(Self { places, aside, drawers, state })
    }

    /// Whether an earlier import that did not come to its end had taken the log of the same source.
    pub fn has_log(&self) -> bool {
        self.state.has_log
    }

    /// Notes that the log was taken.
    pub async fn note_log(&mut self, store: &PalaceStore) -> Result<(), ImportError> {
        self.state.has_log = true;
        let state = self.state.clone();
        Ok(store.write(None, move |turn| state.save(turn)).await?)
    }

    /// Takes everything that was not taken yet.
    pub async fn run(
        mut self,
        store: &PalaceStore,
        pace: Pace,
        progress: Progress<'_>,
    ) -> Result<Imported, ImportError> {
        if self.state.stage == Stage::Drawers {
            self.take_drawers(store, pace, progress).await?;
        }
        if self.state.stage == Stage::Facts {
            self.take_facts(store, progress).await?;
        }
        if self.state.stage == Stage::Graph {
            self.take_graph(store).await?;
        }
        Ok(self.state.report)
    }

    async fn take_drawers(
        &mut self,
        store: &PalaceStore,
        pace: Pace,
        progress: Progress<'_>,
    ) -> Result<(), ImportError> {
        if let Some((source, plan)) = self.drawers.take() {
            let total = u64::try_from(plan.len()).ok();
            let mut rest = plan.into_iter().peekable();
            let most = if pace == Pace::Alone { BATCH_ROWS } else { BATCH_ROWS_BESIDE };
            let mut done = 0;
            while rest.next_if(|text| text.first <= self.state.position).is_some() {
                done += 1;
            }
            while rest.peek().is_some() {
                progress("drawers and diary entries", done, total);
                let mut batch = drawers::Batch::default();
                while let Some(text) = rest.next_if(|_| batch.rows < most && batch.bytes < BATCH_BYTES) {
                    batch.push(&text, source.read(&text)?);
                    self.state.position = text.first;
                    done += 1;
                }
                let record = self.record("drawers", batch.rows);
                let mut state = self.state.clone();
                let begun_at = Instant::now();
                self.state = store
                    .write(Some(record), move |turn| {
                        batch.take(turn, &mut state.report)?;
                        state.save(turn)?;
                        Ok(state)
                    })
                    .await?;
                if pace == Pace::BesideHub {
                    tokio::time::sleep(REST.max(begun_at.elapsed())).await;
                }
            }
        }
        self.reach(Stage::Facts, store, |_, _| Ok(())).await
    }

    async fn take_facts(&mut self, store: &PalaceStore, progress: Progress<'_>) -> Result<(), ImportError> {
        let mut found = Vec::new();
        for (n, path) in self.places.facts().into_iter().enumerate() {
            progress("facts", 0, None);
            // Two files may have one name.
            let aside = self.aside.path.join(format!("facts-{n}"));
            create_private_dir(&aside).map_err(|source| ImportError::Io { path: aside.clone(), source })?;
            let conn = source::open_copy(&path, &aside, &mut |_, _| {})?;
            match facts::read(&conn).map_err(ImportError::of(&path))? {
                Some(facts) => {
                    self.state.report.notes.push(format!("facts were taken from {}", path.display()));
                    found.push(facts);
                }
                None => self.state.report.notes.push(format!("{} holds no table of facts", path.display())),
            }
        }
        let write = move |turn: &super::Turn<'_>, report: &mut Imported| {
            found.iter().try_for_each(|facts| facts::write(turn, facts, report))
        };
        self.reach(Stage::Graph, store, write).await
    }

    async fn take_graph(&mut self, store: &PalaceStore) -> Result<(), ImportError> {
        let report = &mut self.state.report;
        let tunnels = self.places.beside(TUNNELS).map(|path| graph::read(&path, None, report)).unwrap_or_default();
        let hallways =
            self.places.beside(HALLWAYS).map(|path| graph::read(&path, Some("hallways"), report)).unwrap_or_default();
        let write = move |turn: &super::Turn<'_>, report: &mut Imported| {
            graph::write_tunnels(turn, &tunnels, report)?;
            graph::write_hallways(turn, &hallways, report)
        };
        self.reach(Stage::Done, store, write).await
    }

    /// Writes what ends a stage, and that it has ended, in one transaction.
    async fn reach<F>(&mut self, stage: Stage, store: &PalaceStore, work: F) -> Result<(), ImportError>
    where
        F: FnOnce(&super::Turn<'_>, &mut Imported) -> Result<(), PalaceError> + Send + 'static,
    {
        let record = self.record(stage.before(), 0);
        let mut next = self.state.clone();
        next.stage = stage;
        self.state = store
            .write(Some(record), move |turn| {
                work(turn, &mut next.report)?;
                next.save(turn)?;
                Ok(next)
            })
            .await?;
        Ok(())
    }

    fn record(&self, what: &str, rows: usize) -> Record {
        let source = self.places.palace.display().to_string();
        Record::new("import_mempalace", json!({"source": source, "what": what, "rows": rows}))
    }
}
