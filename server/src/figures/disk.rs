//! How much a palace takes on its disk and how much is left there, asked of the system when somebody wants to know.

use std::collections::BTreeMap;
use std::path::Path;

/// The bytes of every SQLite file in a folder, with what lies beside it as WAL, by name. A folder that cannot be read has no sizes to
/// tell; that the log cannot be used either shows elsewhere.
pub fn files(palace: &Path) -> BTreeMap<String, u64> {
    let entries = std::fs::read_dir(palace).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_database = name.ends_with(".sqlite3") || name.ends_with(".sqlite3-wal");
            is_database.then_some((name, entry.metadata().ok()?.len()))
        })
        .collect()
}

/// How many bytes an ordinary user may still write in a folder; `None` where the system does not say.
pub fn free(palace: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(palace).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}
