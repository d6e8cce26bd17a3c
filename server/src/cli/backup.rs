//! `loggia backup DIR`: a consistent copy of a palace while its hub runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::output::{Failure, Out};
use super::progress::Meter;
use super::verify::OTHERS;
use crate::logstream::backup::{self, Copied, CopyError};

#[derive(Args)]
pub(super) struct Backup {
    /// The folder to make; it must not exist, or be empty
    #[arg(value_name = "DIR")]
    target: PathBuf,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(backup: &Backup, palace: &Path, out: &Out) -> Result<ExitCode, Failure> {
    let mut meter = Meter::new();
    let copied =
        backup::backup(palace, &OTHERS, &backup.target, &mut |what, done, total| meter.tell(what, done, total))?;
    out.answer(&copied, || told(&copied, &backup.target))?;
    Ok(ExitCode::SUCCESS)
}

fn told(copied: &Copied, target: &Path) -> String {
    let files = copied.files.iter().map(|(name, bytes)| format!("  {name} ({bytes} bytes)"));
    let head = format!(
        "copied and verified into {}: {} events, {} artifacts, newest {}",
        target.display(),
        copied.events,
        copied.artifacts,
        copied.newest_id.as_deref().unwrap_or("none")
    );
    std::iter::once(head).chain(files).collect::<Vec<_>>().join("\n")
}

impl From<CopyError> for Failure {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Open(error) => error.into(),
            error @ CopyError::Refused(_) => Self::new(error.to_string()),
            error @ CopyError::Faulty(_) => {
                Self::new(error.to_string()).hint("`loggia verify` says what is wrong with the original")
            }
        }
    }
}
