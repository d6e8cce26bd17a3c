//! The projection against a fresh fold of the log: the same tables, row by row, up to the event that it has counted.

use std::cmp::Ordering;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Rows};

use super::{Progress, Report, StoreError, open_side};
use crate::logstream::projection::build::build;
use crate::logstream::projection::{FILE_NAME, VERSION};

pub(super) fn check(
    palace: &Path,
    log: &Connection,
    report: &mut Report,
    progress: Progress<'_>,
) -> Result<(), StoreError> {
    let Some(kept) = open_side(palace, FILE_NAME, VERSION, report)? else { return Ok(()) };
    // One moment of it, however long the comparison takes and whatever a hub adds meanwhile.
    let kept = kept.unchecked_transaction()?;
    let (seq, event_id): (i64, Option<String>) =
        kept.query_row("SELECT seq, event_id FROM progress", [], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let there: Option<String> =
        log.query_row("SELECT id FROM events WHERE rowid = ?1", [seq], |r| r.get(0)).optional()?;
    if seq > 0 && there != event_id {
        report.fault("projection", "it was made from another state of the log");
        return Ok(());
    }
    // A file without a name is SQLite's own temporary one, gone when it is closed.
    let mut fresh = Connection::open("")?;
    let total = u64::try_from(seq).unwrap_or(0);
    build(log, &mut fresh, seq, &mut |taken| progress("projection", u64::try_from(taken).unwrap_or(0), Some(total)))?;
    for table in tables(&fresh)? {
        compare(&table, &kept, &fresh, report)?;
    }
    Ok(())
}

/// A table and the columns of its primary key, which come first in it.
struct Table {
    name: String,
    key: Vec<String>,
}

fn tables(fresh: &Connection) -> Result<Vec<Table>, StoreError> {
    let names: Vec<String> = fresh
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut columns = fresh.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    names
        .into_iter()
        .map(|name| {
            let key = columns.query_map([&name], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(Table { name, key })
        })
        .collect()
}

/// Walks both tables in the order of their keys, side by side.
fn compare(table: &Table, kept: &Connection, fresh: &Connection, report: &mut Report) -> Result<(), StoreError> {
    let sql = format!("SELECT * FROM {} ORDER BY {}", table.name, table.key.join(", "));
    let (mut kept, mut fresh) = (kept.prepare(&sql)?, fresh.prepare(&sql)?);
    let (mut kept, mut fresh) = (kept.query([])?, fresh.query([])?);
    let width = table.key.len();
    let (mut left, mut right) = (next(&mut kept)?, next(&mut fresh)?);
    loop {
        let order = match (&left, &right) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => by_key(&left[..width], &right[..width]),
        };
        let row = if order == Ordering::Greater { &right } else { &left };
        let named = format!("{} {}", table.name, row.as_deref().map(|row| shown(&row[..width])).unwrap_or_default());
        match order {
            Ordering::Less => report.fault("projection", format!("{named} is there, and the log knows nothing of it")),
            Ordering::Greater => report.fault("projection", format!("{named} is missing")),
            Ordering::Equal if left != right => {
                report.fault("projection", format!("{named} says something else than the log"));
            }
            Ordering::Equal => {}
        }
        if order != Ordering::Greater {
            left = next(&mut kept)?;
        }
        if order != Ordering::Less {
            right = next(&mut fresh)?;
        }
    }
}

fn next(rows: &mut Rows<'_>) -> Result<Option<Vec<Value>>, StoreError> {
    let Some(row) = rows.next()? else { return Ok(None) };
    let width = row.as_ref().column_count();
    Ok(Some((0..width).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?))
}

/// As SQLite sorts: keys are texts by their bytes, or whole numbers.
fn by_key(left: &[Value], right: &[Value]) -> Ordering {
    let one = |(left, right): (&Value, &Value)| match (left, right) {
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        _ => Ordering::Equal,
    };
    left.iter().zip(right).map(one).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn shown(key: &[Value]) -> String {
    let one = |value: &Value| match value {
        Value::Text(text) => loggia_domain::refusal::quoted(text),
        Value::Integer(number) => number.to_string(),
        _ => "?".to_owned(),
    };
    key.iter().map(one).collect::<Vec<_>>().join(" / ")
}
