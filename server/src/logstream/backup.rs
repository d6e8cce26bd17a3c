//! Consistent copies of SQLite files while others write them, and of a whole palace.
//!
//! # Design
//! SQLite's online backup, within ONE read transaction of the source: so the copy is the log as it stood at one commit, however long
//! copying takes and however much is appended meanwhile. (Without the transaction every commit would make the backup begin again, and
//! under a storm it would never end.) Pages are copied as they are; `VACUUM INTO` would number the rows anew, and every cursor rests
//! on those numbers.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use loggia_domain::id;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use serde::Serialize;

use super::verify::{self, Fault, Progress, Report};
use super::{FILE_NAME, OpenError, create_private_dir, replica};

/// How many pages are copied between two words about the progress.
const PAGES: i32 = 4096;

/// Why there is no copy. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It would overwrite something.
    #[error("{0}")]
    Refused(String),
    /// A file could not be read or written.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The copy is there and is not whole: so is the source.
    #[error("the copy does not pass verification: {}", .0.iter().map(|f| f.fault.as_str()).collect::<Vec<_>>().join("; "))]
    Faulty(Vec<Fault>),
}

/// What was copied.
#[derive(Debug, Serialize)]
pub struct Copied {
    /// The files, with their sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// Whose log it is.
    pub replica_id: Option<String>,
    /// What the verification of the copy counted.
    pub events: u64,
    /// The same for artifacts.
    pub artifacts: u64,
    /// The newest event.
    pub newest_id: Option<String>,
}

/// Copies a palace: its log, its identity, and of the SQLite files named in `others` those that are there. `target` must not exist, or
/// be an empty folder. The copy is made and verified beside it and then gets its name, so it is there whole or not at all.
pub fn backup(palace: &Path, others: &[&str], target: &Path, progress: Progress<'_>) -> Result<Copied, CopyError> {
    refuse_existing(target)?;
    let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(io_at(parent))?;
    let aside = parent.join(format!(".loggia-backup-{}", random_name().map_err(io_at(parent))?));
    create_private_dir(&aside).map_err(io_at(&aside))?;
    let copied = copy_palace(palace, others, &aside, progress).and_then(|copied| {
        fs::rename(&aside, target).map_err(io_at(target))?;
        sync_dir(parent).map_err(io_at(parent))?;
        Ok(copied)
    });
    if copied.is_err() {
        // It bears our own random name: nobody else's work is in it.
        let _ = fs::remove_dir_all(&aside);
    }
    copied
}

fn refuse_existing(target: &Path) -> Result<(), CopyError> {
    match fs::read_dir(target) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(CopyError::Refused(format!("{} is there already and not empty", target.display()))),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            Err(CopyError::Refused(format!("{} is there already and no folder", target.display())))
        }
        Err(error) => Err(io_at(target)(error)),
    }
}

fn copy_palace(palace: &Path, others: &[&str], aside: &Path, progress: Progress<'_>) -> Result<Copied, CopyError> {
    let mut files = Vec::new();
    let there = others.iter().filter(|name| palace.join(name).is_file());
    for name in std::iter::once(&FILE_NAME).chain(there) {
        let copy = aside.join(name);
        copy_database(&palace.join(name), &copy, &mut |done, total| {
            progress(&format!("copying {name}"), done, Some(total));
        })?;
        files.push(((*name).to_owned(), size(&copy)));
    }
    let replica_id = replica::load(palace)?;
    if replica_id.is_some() {
        // Byte for byte: another program may keep more in it than we read.
        let from = palace.join(replica::FILE_NAME);
        let bytes = fs::read(&from).map_err(io_at(&from))?;
        let copy = aside.join(replica::FILE_NAME);
        write_new(&copy, &bytes).map_err(io_at(&copy))?;
        files.push((replica::FILE_NAME.to_owned(), size(&copy)));
    }
    sync_dir(aside).map_err(io_at(aside))?;
    let report = verified(aside, others, progress)?;
    let newest_id = newest_id(&aside.join(FILE_NAME))?;
    Ok(Copied { files, replica_id, events: report.events, artifacts: report.artifacts, newest_id })
}

/// Verifies a copy; what is wrong with it is an error.
pub(super) fn verified(copy: &Path, others: &[&str], progress: Progress<'_>) -> Result<Report, CopyError> {
    let report = verify::verify(copy, others, progress)?;
    if report.faults.is_empty() { Ok(report) } else { Err(CopyError::Faulty(report.faults)) }
}

pub(super) fn newest_id(log: &Path) -> Result<Option<String>, OpenError> {
    let conn = verify::open(log)?;
    super::read::newest(&conn)
        .map(|newest| newest.id)
        .map_err(|source| OpenError::Sqlite { path: log.to_owned(), source })
}

/// Copies one SQLite file as it stands at one commit into a new file that only its owner may read, and brings it to the disk. The copy
/// is one file, without a WAL. `copied` is told how many pages are done, of how many.
pub fn copy_database(source: &Path, copy: &Path, copied: &mut dyn FnMut(u64, u64)) -> Result<(), OpenError> {
    let from = verify::open(source)?;
    let of_source = |e| OpenError::Sqlite { path: source.to_owned(), source: e };
    let of_copy = |e| OpenError::Sqlite { path: copy.to_owned(), source: e };
    let io = |e| OpenError::Io { path: copy.to_owned(), source: e };
    // Reading something begins the transaction that the backup then runs in.
    let moment = from.unchecked_transaction().map_err(of_source)?;
    moment.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())).map_err(of_source)?;
    write_new(copy, &[]).map_err(io)?;
    let mut to = Connection::open(copy).map_err(of_copy)?;
    {
        let backup = Backup::new(&moment, &mut to).map_err(of_copy)?;
        while backup.step(PAGES).map_err(of_copy)? != StepResult::Done {
            let progress = backup.progress();
            let total = u64::try_from(progress.pagecount).unwrap_or(0);
            copied(total.saturating_sub(u64::try_from(progress.remaining).unwrap_or(0)), total);
        }
    }
    // The copied header asks for a WAL, which a single file is better without; the next hub asks for it again.
    to.pragma_update(None, "journal_mode", "delete").map_err(of_copy)?;
    to.close().map_err(|(_, e)| of_copy(e))?;
    File::open(copy).and_then(|file| file.sync_all()).map_err(io)
}

/// Makes a file that only its owner may read, with this content, and brings it to the disk.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Brings a folder's names to the disk.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(super) fn random_name() -> io::Result<String> {
    let mut random = [0; 6];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(id::hex(&random))
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

pub(super) fn io_at(path: &Path) -> impl Fn(io::Error) -> CopyError + use<> {
    let path: PathBuf = path.to_owned();
    move |source| CopyError::Open(OpenError::Io { path: path.clone(), source })
}
