//! Every artifact hashed again. One at a time, each read by itself: neither memory nor the WAL grows with the log.

use loggia_domain::artifact::sha256_hex;
use rusqlite::{Connection, OptionalExtension};

use super::{Progress, Report, StoreError};

pub(super) fn check(log: &Connection, report: &mut Report, progress: Progress<'_>) -> Result<(), StoreError> {
    let total: i64 = log.query_row("SELECT count(*) FROM artifacts", [], |r| r.get(0))?;
    let total = u64::try_from(total).unwrap_or(0);
    let mut next = log.prepare(
        "SELECT rowid, id, sha256, size_bytes, content FROM artifacts WHERE rowid > ?1 ORDER BY rowid LIMIT 1",
    )?;
    let mut last = i64::MIN;
    loop {
        let found = next
            .query_row([last], |row| {
                // As bytes: what is no UTF-8 any more must be found, not fail to be read.
                let content = row.get_ref(4)?;
                let bytes = content.as_bytes_or_null()?.unwrap_or_default();
                let faults = faults(&row.get::<_, String>(2)?, row.get(3)?, bytes);
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, bytes.len(), faults))
            })
            .optional()?;
        let Some((rowid, id, size_bytes, faults)) = found else { return Ok(()) };
        last = rowid;
        for fault in faults {
            report.fault("artifacts", format!("{id}: {fault}"));
        }
        report.artifacts += 1;
        report.artifact_bytes += u64::try_from(size_bytes).unwrap_or(0);
        progress("artifacts", report.artifacts, Some(total));
    }
}

fn faults(sha256: &str, size_bytes: i64, content: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    let computed = sha256_hex(content);
    if computed != sha256 {
        faults.push(format!("its content has the sha256 {computed}, its record says {sha256}"));
    }
    if usize::try_from(size_bytes) != Ok(content.len()) {
        faults.push(format!("its content has {} bytes, its record says {size_bytes}", content.len()));
    }
    if let Err(error) = std::str::from_utf8(content) {
        faults.push(format!("its content is not UTF-8 from byte {} on", error.valid_up_to()));
    }
    faults
}
