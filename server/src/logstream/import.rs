//! A MemPalace palace's log and identity, taken into a palace of ours: the same ids, stamps and order, so agents' cursors go on.
//!
//! The source is only read. A log of ours that holds anything is never overwritten, and an identity is never changed.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::Connection;
use serde::Serialize;

use super::backup::{CopyError, copy_database, io_at, newest_id, random_name, sync_dir, verified, write_new};
use super::verify::{self, Progress};
use super::{FILE_NAME, OpenError, create_private_dir, migrate, projection, replica, search};
use crate::db;

/// What was taken over.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// How many events.
    pub events: u64,
    /// How many artifacts.
    pub artifacts: u64,
    /// The newest event.
    pub newest_id: Option<String>,
    /// Which hub this palace now is.
    pub replica_id: String,
    /// Whether the source said so; otherwise it was an old log without an identity and got ours.
    pub identity_taken: bool,
    /// What is odd about the log and no fault.
    pub notes: Vec<String>,
}

/// Takes the log of `source` into `palace`, of which the caller holds the lock.
pub fn import(source: &Path, palace: &Path, progress: Progress<'_>) -> Result<Imported, CopyError> {
    let log = source.join(FILE_NAME);
    if !log.is_file() {
        return Err(CopyError::Refused(format!(
            "{} holds no {FILE_NAME}: it is no palace with a log",
            source.display()
        )));
    }
    if is_same(source, palace) {
        return Err(CopyError::Refused(
            "the palace to import is this palace itself: there is nothing to do".to_owned(),
        ));
    }
    refuse_filled(palace)?;
    let theirs = replica::load(source)?;
    let ours = replica::load(palace)?;
    if let (Some(theirs), Some(ours)) = (&theirs, &ours)
        && theirs != ours
    {
        return Err(CopyError::Refused(format!(
            "{} says that this palace is {ours}, and the one to import is {theirs}: an identity is never changed",
            replica::FILE_NAME
        )));
    }
    let aside = palace.join(format!(".loggia-import-{}", random_name().map_err(io_at(palace))?));
    create_private_dir(&aside).map_err(io_at(&aside))?;
    let imported = take(source, palace, &aside, theirs.is_some(), progress);
    // It bears our own random name: nobody else's work is in it.
    let _ = fs::remove_dir_all(&aside);
    imported
}

/// What a hub makes anew from the log.
const SIDE_FILES: [&str; 2] = [projection::FILE_NAME, search::FILE_NAME];

fn take(
    source: &Path,
    palace: &Path,
    aside: &Path,
    identity_taken: bool,
    progress: Progress<'_>,
) -> Result<Imported, CopyError> {
    let (log, copy) = (source.join(FILE_NAME), aside.join(FILE_NAME));
    copy_database(&log, &copy, &mut |done, total| progress(&format!("copying {FILE_NAME}"), done, Some(total)))?;

    // Whose log it will be: theirs, else ours, else a new identity, here beside the copy until the copy is known to be whole.
    let (replica_path, beside) = (palace.join(replica::FILE_NAME), aside.join(replica::FILE_NAME));
    let known = if identity_taken { source.join(replica::FILE_NAME) } else { replica_path.clone() };
    if known.exists() {
        let bytes = fs::read(&known).map_err(io_at(&known))?;
        write_new(&beside, &bytes).map_err(io_at(&beside))?;
    }
    let replica_id = replica::load_or_mint(aside)?;

    let of_copy = |source| CopyError::Open(OpenError::Sqlite { path: copy.clone(), source });
    let mut conn = db::open_writer(&copy).map_err(of_copy)?;
    migrate::migrate(&mut conn, &replica_id).map_err(of_copy)?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(of_copy)?;
    conn.pragma_update(None, "journal_mode", "delete").map_err(of_copy)?;
    conn.close().map_err(|(_, error)| of_copy(error))?;
    let report = verified(aside, &[], progress)?;
    let newest_id = newest_id(&copy)?;

    // Once more, now that time has passed: a command may have written beside us.
    refuse_filled(palace)?;
    // The identity first: an import that is interrupted here can be done again, with the same identity.
    match fs::hard_link(&beside, &replica_path) {
        // It is the same one, as was checked.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        linked => linked.map_err(io_at(&replica_path))?,
    }
    let path = palace.join(FILE_NAME);
    for suffix in ["-wal", "-shm"] {
        let beside = db::beside(&path, suffix);
        // Left of an empty log, they would be taken for parts of the new one.
        match fs::remove_file(&beside) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(io_at(&beside))?,
        }
    }
    fs::rename(&copy, &path).map_err(io_at(&path))?;
    sync_dir(palace).map_err(io_at(palace))?;
    Ok(Imported {
        events: report.events,
        artifacts: report.artifacts,
        newest_id,
        replica_id,
        identity_taken,
        // That the copy has no side files of its own is no news.
        notes: report.notes.into_iter().filter(|note| !SIDE_FILES.iter().any(|name| note.contains(name))).collect(),
    })
}

/// A log of ours that holds events or artifacts stays as it is.
fn refuse_filled(palace: &Path) -> Result<(), CopyError> {
    let path = palace.join(FILE_NAME);
    if !path.exists() {
        return Ok(());
    }
    let (events, artifacts) =
        count(&verify::open(&path)?).map_err(|source| OpenError::Sqlite { path: path.clone(), source })?;
    if events + artifacts == 0 {
        return Ok(());
    }
    Err(CopyError::Refused(format!(
        "this palace's log holds {events} events and {artifacts} artifacts: it is never overwritten"
    )))
}

fn count(log: &Connection) -> rusqlite::Result<(i64, i64)> {
    // A file that was just made may have no tables yet.
    let tables: i64 = log.query_row(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('events', 'artifacts')",
        [],
        |r| r.get(0),
    )?;
    if tables < 2 {
        return Ok((0, 0));
    }
    log.query_row("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM artifacts)", [], |r| {
        Ok((r.get(0)?, r.get(1)?))
    })
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
