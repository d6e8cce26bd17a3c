//! How many events of each stream have which status.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::{Projection, StoreError};

/// The table, in the words of `CREATE TABLE`.
pub(super) const TABLE: &str = "
CREATE TABLE statuses (stream TEXT NOT NULL, status TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (stream, status))
    WITHOUT ROWID;";

impl Projection {
    /// How many events have which status, in the order of their words; those without one are left out.
    pub async fn statuses(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let reach = self.reach.clone();
        self.read(move |conn| {
            let mut statement = conn.prepare_cached("SELECT stream, status, events FROM statuses")?;
            let mut rows = statement.query([])?;
            let mut sums: BTreeMap<String, u64> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let stream: String = row.get(0)?;
                if reach.sees(&stream) {
                    *sums.entry(row.get(1)?).or_default() += u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
                }
            }
            Ok(sums.into_iter().collect())
        })
        .await
    }
}

/// Counts further events, given by stream and status.
pub(super) fn count<'a>(tx: &Connection, events: impl Iterator<Item = (&'a str, &'a str)>) -> rusqlite::Result<()> {
    let mut more: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for key in events {
        *more.entry(key).or_default() += 1;
    }
    let mut statement = tx.prepare_cached(
        "INSERT INTO statuses VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET events = events + excluded.events",
    )?;
    for ((stream, status), events) in more {
        statement.execute(params![stream, status, events])?;
    }
    Ok(())
}
