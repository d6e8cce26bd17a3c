//! The search index: its pages, and whether it tells of this log. Not whether every word is in it, since its tables hold no text to
//! compare with.

use std::path::Path;

use rusqlite::Connection;

use super::{Progress, Report, StoreError, integrity, open_side};
use crate::logstream::search::{self, FILE_NAME, VERSION};

pub(super) fn check(
    palace: &Path,
    log: &Connection,
    report: &mut Report,
    progress: Progress<'_>,
) -> Result<(), StoreError> {
    let Some(side) = open_side(palace, FILE_NAME, VERSION, report)? else { return Ok(()) };
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
