//! `loggia verify`: whether a palace is whole, and the projection made anew.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::output::{Failure, Out};
use super::progress::Meter;
use crate::lock::PalaceLock;
use crate::logstream::projection::build;
use crate::logstream::verify::{self, Report};

/// The SQLite files of a palace beside the log that cannot be made anew.
pub(super) const OTHERS: [&str; 4] =
    [crate::palace::FILE_NAME, crate::tokens::FILE_NAME, crate::tokens::audit::FILE_NAME, crate::viewers::FILE_NAME];

#[derive(Args)]
pub(super) struct Verify {
    /// Make the projection (counts and open delegations) anew first; no hub may be running
    #[arg(long)]
    rebuild: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(verify: &Verify, palace: &Path, out: &Out) -> Result<ExitCode, Failure> {
    let mut meter = Meter::new();
    if verify.rebuild {
        let log = verify::open(&palace.join(crate::logstream::FILE_NAME))?;
        let _lock = PalaceLock::take(palace).map_err(|e| {
            Failure::new(e.to_string())
                .hint("stop it first: it follows the log with the projection that would be replaced")
        })?;
        build::rebuild(palace, &log, &mut |taken| {
            meter.tell("projection: events counted", u64::try_from(taken).unwrap_or(0), None);
        })?;
    }
    let report = verify::verify(palace, &OTHERS, &mut |what, done, total| meter.tell(what, done, total))?;
    let whole = report.faults.is_empty();
    let mut answer = json!({"ok": whole, "rebuilt": verify.rebuild});
    if let (Some(all), Ok(serde_json::Value::Object(found))) = (answer.as_object_mut(), serde_json::to_value(&report)) {
        all.extend(found);
    }
    out.answer(&answer, || told(&report, verify.rebuild))?;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn told(report: &Report, rebuilt: bool) -> String {
    let mut lines = Vec::new();
    if rebuilt {
        lines.push("the projection was made anew".to_owned());
    }
    lines.extend(report.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(report.faults.iter().map(|fault| format!("fault: {}: {}", fault.check, fault.fault)));
    let Report { events, artifacts, artifact_bytes, .. } = report;
    lines.push(match report.faults.len() {
        0 => format!("whole: {events} events, {artifacts} artifacts ({artifact_bytes} bytes)"),
        1 => "1 fault".to_owned(),
        n => format!("{n} faults"),
    });
    lines.join("\n")
}
