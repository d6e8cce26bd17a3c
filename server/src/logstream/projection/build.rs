//! The projection made anew, from the first event on: to compare with the one that is kept, or to take its place.

use std::path::Path;

use rusqlite::Connection;

use super::{FILE_NAME, StoreError, advance, db, make_tables};

/// Makes the projection of the events up to `upto` in an empty database. `taken` is told the last event of each step.
pub fn build(log: &Connection, side: &mut Connection, upto: i64, taken: &mut dyn FnMut(i64)) -> Result<(), StoreError> {
    make_tables(side)?;
    let mut from = 0;
    while let Some((last, _)) = advance(log, side, from, upto)? {
        from = last;
        taken(last);
    }
    Ok(())
}

/// Makes the side file of a palace anew and puts it in the place of the one that is there. Nobody may have that open: the caller
/// holds the palace's lock.
pub fn rebuild(palace: &Path, log: &Connection, taken: &mut dyn FnMut(i64)) -> Result<(), StoreError> {
    let path = palace.join(FILE_NAME);
    // Made aside, so that an interrupted rebuild leaves what there was.
    let aside = palace.join(format!("{FILE_NAME}.new"));
    db::remove(&aside);
    let mut side = db::open_writer(&aside)?;
    // Whatever a power cut leaves of it is made again.
    side.pragma_update(None, "synchronous", "off")?;
    build(log, &mut side, i64::MAX, taken)?;
    side.pragma_update(None, "synchronous", "full")?;
    side.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    side.close().map_err(|(_, error)| error)?;
    db::remove(&path);
    std::fs::rename(&aside, &path).map_err(|e| StoreError::Storage(format!("{}: {e}", path.display())))
}
