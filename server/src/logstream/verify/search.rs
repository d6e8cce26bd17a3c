//! The search index: its pages, and whether it tells of this log. Not whether every word is in it, since its tables hold no text to
//! compare with.

use std::path::Path;

use rusqlite::Connection;

use super::{Progress, Report, StoreError, integrity, open};
use crate::logstream::search::{self, FILE_NAME, VERSION};

pub(super) fn check(
    palace: &Path,
    log: &Connection,
    report: &mut Report,
    progress: Progress<'_>,
) -> Result<(), StoreError> {
    let path = palace.join(FILE_NAME);
    if !path.is_file() {
        report.notes.push(format!("there is no {FILE_NAME}; a hub makes it when it starts"));
        return Ok(());
    }
    let side = open(&path).map_err(|e| StoreError::Storage(e.to_string()))?;
    let version: i64 = side.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    if version != VERSION {
        report
            .notes
            .push(format!("{FILE_NAME} is of version {version}, not {VERSION}; a hub makes it anew when it starts"));
        return Ok(());
    }
    let done = search::progress(&side)?;
    if !search::fits(&done, log)? {
        report.fault(
            "search",
            format!("{FILE_NAME} was made from another state of the log; a hub makes it anew when it starts"),
        );
        return Ok(());
    }
    let faults = report.faults.len();
    integrity(&side, FILE_NAME, report, progress);
    for fault in &mut report.faults[faults..] {
        fault.check = "search";
    }
    Ok(())
}
