//! `loggia import mempalace DIR`: what another program kept, taken into this palace. Today its log and its identity.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{Failure, Out};
use super::progress::Meter;
use crate::lock::PalaceLock;
use crate::logstream::create_private_dir;
use crate::logstream::import::{self, Imported};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Take the log and the identity of a MemPalace palace; this palace's log must be empty
    Mempalace(Mempalace),
}

#[derive(Args)]
pub(super) struct Mempalace {
    /// The palace to import; it is only read
    #[arg(value_name = "DIR")]
    source: PathBuf,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Command {
    pub(super) fn json(&self) -> bool {
        let Self::Mempalace(mempalace) = self;
        mempalace.json
    }
}

pub(super) fn run(command: &Command, palace: &Path, out: &Out) -> Result<ExitCode, Failure> {
    let Command::Mempalace(mempalace) = command;
    create_private_dir(palace)?;
    let _lock = PalaceLock::take(palace)
        .map_err(|e| Failure::new(e.to_string()).hint("stop it first, or give another `--palace`"))?;
    let mut meter = Meter::new();
    let log = import::import(&mempalace.source, palace, &mut |what, done, total| meter.tell(what, done, total))?;
    // One part for each store of the other program; more of them follow here.
    out.answer(&json!({"logstream": log}), || told(&log))?;
    Ok(ExitCode::SUCCESS)
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
