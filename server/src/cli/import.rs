//! `loggia import mempalace DIR`: what another program kept, taken into this palace: its log and its identity, then its drawers,
//! diaries, facts, tunnels and hallways.
//!
//! # Design
//! The log comes first and whole, into a palace that no hub serves. The rest comes in many writes, which meet a hub's at SQLite's lock
//! like those of any command, so that part alone may run beside one. An import that is interrupted between or within the two goes
//! on when it is called again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::output::{Failure, Out};
use super::progress::Meter;
use crate::config;
use crate::lock::{LockError, PalaceLock};
use crate::logstream::import::{self, Imported};
use crate::logstream::{self, create_private_dir};
use crate::palace::PalaceStore;
use crate::palace::import::{self as palace_import, Count, Import, Pace, Places};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Take over a MemPalace palace: its log and identity (this palace's log must be empty), drawers, diaries, facts and tunnels
    Mempalace(Mempalace),
}

#[derive(Args)]
pub(super) struct Mempalace {
    /// The palace to import; it is only read
    #[arg(value_name = "DIR")]
    source: PathBuf,
    /// Take one part alone
    #[arg(long, value_name = "PART")]
    only: Option<Part>,
    /// The collection that holds the drawers, where it is neither the usual nor the configured one
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// A part of a palace.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The log and the identity
    Log,
    /// Drawers, diaries, facts, tunnels and hallways; may run beside a hub
    Palace,
}

impl Command {
    pub(super) fn json(&self) -> bool {
        let Self::Mempalace(mempalace) = self;
        mempalace.json
    }
}

pub(super) async fn run(command: &Command, palace: &Path, out: &Out) -> Result<ExitCode, Failure> {
    let Command::Mempalace(mempalace) = command;
    let Mempalace { source, only, .. } = mempalace;
    create_private_dir(palace)?;
    let (_lock, pace) = match PalaceLock::take(palace) {
        Ok(lock) => (Some(lock), Pace::Alone),
        Err(LockError::Taken { .. }) if *only == Some(Part::Palace) => (None, Pace::BesideHub),
        Err(error) => {
            let hint = "stop it first, or give another `--palace`; `--only palace` may run beside it";
            return Err(Failure::new(error.to_string()).hint(hint));
        }
    };
    let places = Places {
        palace: source.clone(),
        config_folders: config::mempalace_folders(),
        collection: mempalace.collection.clone(),
    };
    let has_rest = *only != Some(Part::Log) && places.hold_anything();
    if *only == Some(Part::Palace) && !has_rest {
        return Err(Failure::new(format!(
            "{} holds no drawers and no facts: it is no palace of MemPalace",
            source.display()
        )));
    }
    let (log, rest) = if has_rest {
        let store = PalaceStore::open(palace)?;
        let taken = take_both(mempalace, palace, places, pace, &store).await;
        store.close();
        let (log, rest) = taken?;
        (log, Some(rest))
    } else {
        (Some(take_log(source, palace)?), None)
    };
    out.answer(&json!({"logstream": log, "palace": rest}), || {
        let parts = log.as_ref().map(told).into_iter().chain(rest.as_ref().map(told_palace));
        parts.collect::<Vec<_>>().join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The log, unless there is none to take, and the rest.
async fn take_both(
    mempalace: &Mempalace,
    palace: &Path,
    places: Places,
    pace: Pace,
    store: &PalaceStore,
) -> Result<(Option<Imported>, palace_import::Imported), Failure> {
    let source = &mempalace.source;
    let mut meter = Meter::new();
    let mut tell = |what: &str, done: u64, total: Option<u64>| meter.tell(what, done, total);
    // First of all whether the rest can be read: better no part of a palace than half of it.
    let mut import = Import::prepare(store, palace, places, &mut tell).await?;
    let is_here = matches!((source.canonicalize(), palace.canonicalize()), (Ok(a), Ok(b)) if a == b);
    let is_log_wanted = mempalace.only != Some(Part::Palace)
        && !is_here
        && !import.has_log()
        && source.join(logstream::FILE_NAME).is_file();
    let log = if is_log_wanted {
        let log = take_log(source, palace).map_err(|failure| match failure.what_to_do() {
            Some(_) => failure,
            None => failure.hint("`--only palace` takes drawers, diaries, facts and tunnels alone"),
        })?;
        import.note_log(store).await?;
        Some(log)
    } else {
        None
    };
    Ok((log, import.run(store, pace, &mut tell).await?))
}

fn take_log(source: &Path, palace: &Path) -> Result<Imported, Failure> {
    let mut meter = Meter::new();
    Ok(import::import(source, palace, &mut |what, done, total| meter.tell(what, done, total))?)
}

impl From<palace_import::ImportError> for Failure {
    fn from(error: palace_import::ImportError) -> Self {
        Self::new(error.to_string())
    }
}

fn told(log: &Imported) -> String {
    let mut lines = vec![format!(
        "imported and verified: {} events, {} artifacts, newest {}",
        log.events,
        log.artifacts,
        log.newest_id.as_deref().unwrap_or("none")
    )];
    lines.push(if log.identity_taken {
        format!(
            "this palace is now {}; never let another hub run with this identity, MemPalace's included",
            log.replica_id
        )
    } else {
        format!("the log named no replica; its events are now by {}", log.replica_id)
    });
    lines.extend(log.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn told_palace(palace: &palace_import::Imported) -> String {
    let count = |what: &str, count: Count| match count {
        Count { taken: 0, already_here: 0 } => None,
        Count { taken, already_here: 0 } => Some(format!("{what}: {taken} taken")),
        Count { taken, already_here } => Some(format!("{what}: {taken} taken, {already_here} here already")),
    };
    let counts = [
        count("drawers", palace.drawers),
        count("diary entries", palace.diary_entries),
        count("entities", palace.entities),
        count("facts", palace.facts),
        count("tunnels", palace.tunnels),
        count("hallways", palace.hallways),
    ];
    let mut lines: Vec<String> = counts.into_iter().flatten().collect();
    if lines.is_empty() {
        lines.push("drawers, diaries and facts: there were none".to_owned());
    }
    lines.extend(palace.skipped.iter().map(|s| {
        let more = if usize::try_from(s.count).is_ok_and(|n| n > s.examples.len()) { ", …" } else { "" };
        let examples =
            if s.examples.is_empty() { String::new() } else { format!(" ({}{more})", s.examples.join(", ")) };
        format!("skipped: {} {}: {}{examples}", s.count, s.what, s.reason)
    }));
    lines.extend(palace.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}
