//! How many events of each stream have which status and which type.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::{Projection, StoreError, Taken};

/// Its tables.
pub(super) const TABLES: &str = "
CREATE TABLE statuses (stream TEXT NOT NULL, word TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (stream, word)) WITHOUT ROWID;
CREATE TABLE types (stream TEXT NOT NULL, word TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (stream, word)) WITHOUT ROWID;";

impl Projection {
    /// How many events have which status, in the order of their words; those without one are left out.
    pub async fn statuses(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.tally("SELECT stream, word, events FROM statuses").await
    }

    /// How many events are of which type, in the order of their words.
    pub async fn types(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.tally("SELECT stream, word, events FROM types").await
    }

    async fn tally(&self, sql: &'static str) -> Result<Vec<(String, u64)>, StoreError> {
        let reach = self.reach.clone();
        self.read(move |conn| {
            let mut statement = conn.prepare_cached(sql)?;
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

/// Counts further events.
pub(super) fn take(tx: &Connection, rows: &[Taken]) -> rusqlite::Result<()> {
    let statuses = rows.iter().filter_map(|row| Some((&*row.stream, row.status.as_deref()?)));
    count(tx, "statuses", statuses)?;
    count(tx, "types", rows.iter().map(|row| (&*row.stream, &*row.event_type)))
}

fn count<'a>(
    tx: &Connection,
    table: &'static str,
    events: impl Iterator<Item = (&'a str, &'a str)>,
) -> rusqlite::Result<()> {
    let mut more: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for key in events {
        *more.entry(key).or_default() += 1;
    }
    let mut statement = tx.prepare_cached(&format!(
        "INSERT INTO {table} VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET events = events + excluded.events"
    ))?;
    for ((stream, word), events) in more {
        statement.execute(params![stream, word, events])?;
    }
    Ok(())
}
