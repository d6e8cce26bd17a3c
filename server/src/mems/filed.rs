//! Which drawers hold what was said in which session: an index into the palace, in the file of session memory. It holds no text, and a
//! bounded number of rows: the oldest are let go, and what they led to stays in the palace, where a search finds it.

use rusqlite::{Connection, params};

/// The table. Ids of events sort by their time.
pub(super) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS filed (key TEXT NOT NULL, event_id TEXT NOT NULL, drawer_id TEXT NOT NULL, messages INTEGER NOT NULL,
    shape TEXT NOT NULL, PRIMARY KEY (key, event_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS filed_by_age ON filed (event_id);";

/// How much the index of a hub holds.
pub(super) const BOUNDS: Bounds = Bounds { writes: 100_000, messages: 1_000_000 };

/// Which drawer holds what a write brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed {
    /// The session's key.
    pub key: String,
    /// The write.
    pub event_id: String,
    /// The drawer.
    pub drawer_id: String,
    /// Role, and length of the content in characters, of each message.
    pub shape: Vec<(String, usize)>,
}

/// How much an index may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Rows.
    pub(super) writes: i64,
    /// Messages of all rows together; each is a few bytes of its row.
    pub(super) messages: i64,
}

/// The index as its writer knows it.
pub(super) struct Index {
    bounds: Bounds,
    writes: i64,
    messages: i64,
}

impl Index {
    /// Counts what is there.
    pub(super) fn read(conn: &Connection, bounds: Bounds) -> rusqlite::Result<Self> {
        let mut index = Self { bounds, writes: 0, messages: 0 };
        index.count(conn)?;
        Ok(index)
    }

    /// Counts anew, after a transaction that was not committed.
    pub(super) fn count(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let counted = conn.query_row("SELECT count(*), coalesce(sum(messages), 0) FROM filed", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        });
        (self.writes, self.messages) = counted?;
        Ok(())
    }

    /// Notes where a write lies, and lets the oldest go if that is too much.
    pub(super) fn insert(&mut self, conn: &Connection, filed: &Filed) -> rusqlite::Result<()> {
        let shape = serde_json::to_string(&filed.shape).unwrap_or_default();
        let messages = i64::try_from(filed.shape.len()).unwrap_or(i64::MAX);
        conn.prepare_cached(
            "INSERT OR IGNORE INTO filed (key, event_id, drawer_id, messages, shape) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![filed.key, filed.event_id, filed.drawer_id, messages, shape])
        .map(|rows| {
            if rows > 0 {
                self.writes += 1;
                self.messages += messages;
            }
        })?;
        while self.writes > self.bounds.writes || (self.messages > self.bounds.messages && self.writes > 1) {
            self.forget_oldest(conn)?;
        }
        Ok(())
    }

    /// A hundredth at a time, so that not every write has to.
    fn forget_oldest(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let some = (self.writes / 100).max(1);
        let mut statement = conn.prepare_cached(
            "DELETE FROM filed WHERE (key, event_id) IN (SELECT key, event_id FROM filed ORDER BY event_id LIMIT ?1)
             RETURNING messages",
        )?;
        let gone: Vec<i64> = statement.query_map([some], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        if gone.is_empty() {
            return self.count(conn);
        }
        self.writes -= i64::try_from(gone.len()).unwrap_or(0);
        self.messages -= gone.iter().sum::<i64>();
        Ok(())
    }
}

/// The writes of a session that lie in drawers, newest first, those whose ids sort before a text.
pub(super) fn before(conn: &Connection, key: &str, before: Option<&str>, limit: usize) -> rusqlite::Result<Vec<Filed>> {
    let mut statement = conn.prepare_cached(
        "SELECT event_id, drawer_id, shape FROM filed WHERE key = ?1 AND event_id < ?2 ORDER BY event_id DESC LIMIT ?3",
    )?;
    // `~` sorts after every digit.
    let before = before.unwrap_or("~");
    let rows = statement.query_map(params![key, before, i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
        let shape: String = row.get(2)?;
        Ok(Filed {
            key: key.to_owned(),
            event_id: row.get(0)?,
            drawer_id: row.get(1)?,
            // Our own row; one that was meddled with is shown as one message.
            shape: serde_json::from_str(&shape).unwrap_or_default(),
        })
    })?;
    rows.collect()
}

/// How many messages of a session lie in drawers, and which of some writes do.
pub(super) fn count(conn: &Connection, key: &str, writes: Vec<String>) -> rusqlite::Result<(u64, Vec<String>)> {
    let mut sum = conn.prepare_cached("SELECT coalesce(sum(messages), 0) FROM filed WHERE key = ?1")?;
    let total: i64 = sum.query_row([key], |row| row.get(0))?;
    let mut one = conn.prepare_cached("SELECT 1 FROM filed WHERE key = ?1 AND event_id = ?2")?;
    let mut there = Vec::new();
    for write in writes {
        if one.exists(params![key, write])? {
            there.push(write);
        }
    }
    Ok((u64::try_from(total).unwrap_or(0), there))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filed(n: usize, messages: usize) -> Filed {
        Filed {
            key: format!("k{}", n % 3),
            event_id: format!("{n:06}"),
            drawer_id: format!("d{n}"),
            shape: vec![("user".to_owned(), 1); messages],
        }
    }

    #[test]
    fn the_oldest_rows_of_all_sessions_are_let_go() {
        let conn = Connection::open_in_memory().expect("memory");
        conn.execute_batch(TABLES).expect("tables");
        let mut index = Index::read(&conn, Bounds { writes: 200, messages: 1000 }).expect("read");
        for n in 0..500 {
            index.insert(&conn, &filed(n, 1)).expect("inserted");
            index.insert(&conn, &filed(n, 1)).expect("again");
        }
        let left = |key: &str| before(&conn, key, None, 1000).expect("read");
        let all: Vec<Filed> = ["k0", "k1", "k2"].iter().flat_map(|key| left(key)).collect();
        assert!((198..=200).contains(&all.len()), "{}", all.len());
        assert!(all.iter().all(|one| one.event_id.as_str() >= "000300") && all.contains(&filed(499, 1)));
        // Few rows of many messages weigh as much.
        for n in 500..520 {
            index.insert(&conn, &filed(n, 300)).expect("inserted");
        }
        let counted = Index::read(&conn, BOUNDS).expect("read");
        assert_eq!((index.writes, index.messages), (counted.writes, counted.messages));
        assert!(
            counted.messages <= 1000 && left("k0").iter().any(|one| one.event_id == "000519"),
            "{}",
            counted.messages
        );
        assert_eq!(count(&conn, "k0", vec!["000519".into(), "000001".into()]).expect("read").1, ["000519"]);
    }
}
