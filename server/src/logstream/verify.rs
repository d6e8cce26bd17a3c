//! Whether a palace's log is whole: every check that needs nothing but the files, beside a running hub or without one.
//!
//! It reads and never writes, so it can be run at any time and on a copy; mending is another word ([`super::projection::build`]).
//!
//! # Design
//! A fault is damage, or what only damage or a foreign hand explains. What is odd and yet can come about in honest work is a note:
//! it is said and does not fail the verification.

mod artifacts;
mod projection;
mod search;
mod stamps;

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use super::{FILE_NAME, OpenError, StoreError, replica};
use crate::db;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Which check found it: `integrity`, `schema`, `artifacts`, `references`, `stamps`, `identity`, `projection`
    /// or `search`.
    pub check: &'static str,
    /// What it is, with the id or the number that it is about.
    pub fault: String,
}

/// What a verification found.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// How many events were looked at.
    pub events: u64,
    /// How many artifacts were hashed.
    pub artifacts: u64,
    /// How many bytes of content they have.
    pub artifact_bytes: u64,
    /// The checks that were made, in order.
    pub checks: Vec<&'static str>,
    /// Everything that is wrong.
    pub faults: Vec<Fault>,
    /// What is odd and no fault.
    pub notes: Vec<String>,
}

impl Report {
    fn fault(&mut self, check: &'static str, fault: impl Into<String>) {
        self.faults.push(Fault { check, fault: fault.into() });
    }
}

/// How far a check has come: its name, how much is done, and of how much where that is known.
pub type Progress<'a> = &'a mut dyn FnMut(&str, u64, Option<u64>);

/// Tables and columns that the checks read, and the index that keeps an author's numbers apart.
const NEEDED: [(&str, &str); 8] = [
    ("events", "origin_replica"),
    ("events", "origin_seq"),
    ("events", "hlc"),
    ("events", "correlation_id"),
    ("artifacts", "sha256"),
    ("artifacts", "size_bytes"),
    ("artifacts", "content"),
    ("event_artifacts", "artifact_id"),
];

/// Verifies the files of a palace. `others` are the names of further SQLite files in it, whose pages are checked where they are there.
pub fn verify(palace: &Path, others: &[&str], progress: Progress<'_>) -> Result<Report, OpenError> {
    let path = palace.join(FILE_NAME);
    let log = open(&path)?;
    let mut report = Report::default();
    integrity(&log, FILE_NAME, &mut report, progress);
    for name in others {
        let other = palace.join(name);
        if other.exists() {
            match open(&other) {
                Ok(conn) => integrity(&conn, name, &mut report, progress),
                Err(error) => report.fault("integrity", error.to_string()),
            }
        }
    }
    if !run("schema", &mut report, |report| schema(&log, report)) {
        return Ok(report);
    }
    run("artifacts", &mut report, |report| artifacts::check(&log, report, progress));
    run("references", &mut report, |report| references(&log, report));
    run("stamps", &mut report, |report| stamps::check(&log, report, progress));
    run("identity", &mut report, |report| identity(palace, &log, report));
    run("projection", &mut report, |report| projection::check(palace, &log, report, progress));
    run("search", &mut report, |report| search::check(palace, &log, report, progress));
    Ok(report)
}

/// Opens a file that must be there, to read it.
pub fn open(path: &Path) -> Result<Connection, OpenError> {
    let failed = |source| OpenError::Sqlite { path: path.to_owned(), source };
    if !path.is_file() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(OpenError::Io { path: path.to_owned(), source: missing });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(failed)?;
    conn.busy_timeout(db::BUSY_TIMEOUT).map_err(failed)?;
    Ok(conn)
}

/// Opens a side file. One that is not there, or is of another version, is a note and nothing to compare with.
fn open_side(palace: &Path, name: &str, version: i64, report: &mut Report) -> Result<Option<Connection>, StoreError> {
    let path = palace.join(name);
    if !path.is_file() {
        report.notes.push(format!("there is no {name}; a hub makes it when it starts"));
        return Ok(None);
    }
    let side = open(&path).map_err(|e| StoreError::Storage(e.to_string()))?;
    let found: i64 = side.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    if found != version {
        report.notes.push(format!("{name} is of version {found}, not {version}; a hub makes it anew when it starts"));
        return Ok(None);
    }
    Ok(Some(side))
}

/// Runs one check; answers whether it found nothing. A file that cannot be read at some place is a fault there, and the other checks
/// still have their say.
fn run(check: &'static str, report: &mut Report, look: impl FnOnce(&mut Report) -> Result<(), StoreError>) -> bool {
    let before = report.faults.len();
    report.checks.push(check);
    if let Err(error) = look(report) {
        report.fault(check, error.to_string());
    }
    report.faults.len() == before
}

/// SQLite's own check of every page and index.
fn integrity(conn: &Connection, name: &str, report: &mut Report, progress: Progress<'_>) {
    progress(&format!("integrity of {name}"), 0, None);
    let look = |report: &mut Report| -> Result<(), StoreError> {
        let mut statement = conn.prepare("PRAGMA integrity_check(1000000)")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let said: String = row.get(0)?;
            if said != "ok" {
                report.fault("integrity", format!("{name}: {said}"));
            }
        }
        Ok(())
    };
    if !report.checks.contains(&"integrity") {
        report.checks.push("integrity");
    }
    if let Err(error) = look(report) {
        report.fault("integrity", format!("{name}: {error}"));
    }
}

fn schema(log: &Connection, report: &mut Report) -> Result<(), StoreError> {
    let mut column = log.prepare("SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2)")?;
    for (table, name) in NEEDED {
        if !column.query_row([table, name], |r| r.get::<_, bool>(0))? {
            report.fault(
                "schema",
                format!("{table}.{name} is missing: a hub brings an old log up to date when it starts"),
            );
        }
    }
    let keeps_apart: bool = log.query_row(
        "SELECT EXISTS (SELECT 1 FROM pragma_index_list('events') WHERE name = 'events_origin_seq_idx' AND \"unique\")",
        [],
        |r| r.get(0),
    )?;
    if !keeps_apart && report.faults.is_empty() {
        report
            .notes
            .push("the unique index events_origin_seq_idx is missing; a hub makes it when it starts".to_owned());
    }
    Ok(())
}

/// References that lead nowhere.
fn references(log: &Connection, report: &mut Report) -> Result<(), StoreError> {
    let dangling = [
        ("event", "SELECT event_id, artifact_id FROM event_artifacts WHERE event_id NOT IN (SELECT id FROM events)"),
        (
            "artifact",
            "SELECT event_id, artifact_id FROM event_artifacts WHERE artifact_id NOT IN (SELECT id FROM artifacts)",
        ),
    ];
    for (what, sql) in dangling {
        let mut statement = log.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (event, artifact): (String, String) = (row.get(0)?, row.get(1)?);
            report.fault("references", format!("{event} references {artifact}: there is no such {what}"));
        }
    }
    Ok(())
}

/// Whether `replica.json` is an identity, and the one that wrote this log.
fn identity(palace: &Path, log: &Connection, report: &mut Report) -> Result<(), StoreError> {
    let (any, newest): (bool, Option<String>) = log.query_row(
        "SELECT EXISTS (SELECT 1 FROM events), (SELECT origin_replica FROM events ORDER BY rowid DESC LIMIT 1)",
        [],
        |r| Ok((r.get(0)?, r.get(1)?)),
    )?;
    let replica_id = match replica::load(palace) {
        Ok(Some(replica_id)) => replica_id,
        Ok(None) if any => {
            report.fault("identity", format!("{} is missing; restore it from a backup", replica::FILE_NAME));
            return Ok(());
        }
        Ok(None) => return Ok(()),
        Err(error) => {
            report.fault("identity", error.to_string());
            return Ok(());
        }
    };
    let ours: bool =
        log.query_row("SELECT EXISTS (SELECT 1 FROM events WHERE origin_replica = ?1)", [&replica_id], |r| r.get(0))?;
    if any && !ours {
        // A hub that only ever pulled has no event of its own.
        let newest = newest.unwrap_or_else(|| "nobody".to_owned());
        report.notes.push(format!(
            "{} says {replica_id}, which wrote no event of this log (its newest is by {newest}): right for a hub that only pulls, wrong otherwise",
            replica::FILE_NAME
        ));
    }
    Ok(())
}
