//! `loggia audit`: who changed what, as NDJSON, the newest first.

use std::path::Path;

use clap::Args;

use super::output::{Failure, print};
use crate::logstream::create_private_dir;
use crate::tokens::audit::{Audit, Wanted};

/// How many lines are read at once.
const STEP: usize = 5000;

#[derive(Args)]
pub(super) struct Command {
    /// Only what this token did, by its name
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Only this kind, for example token.create or mempalace_event_append
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// At most so many lines; all when nothing is said
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(command: Command, palace: &Path) -> Result<(), Failure> {
    create_private_dir(palace)?;
    let audit = Audit::open(palace)?;
    let mut wanted = Wanted { who: command.who, kind: command.kind, before: None };
    let mut left = command.limit.unwrap_or(usize::MAX);
    while left > 0 {
        let lines = audit.read(&wanted, left.min(STEP))?;
        let Some(last) = lines.last() else { break };
        (wanted.before, left) = (Some(last.id), left - lines.len());
        let mut text = String::new();
        for line in &lines {
            text += &serde_json::to_string(line).map_err(|e| Failure::new(e.to_string()))?;
            text.push('\n');
        }
        print(text.as_bytes())?;
    }
    audit.close();
    Ok(())
}
