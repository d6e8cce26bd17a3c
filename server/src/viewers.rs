//! What is a viewer's own: up to where they have read each agent's inbox, which changes they have looked through, what they searched for; in `<palace>/loggia_viewers.sqlite3`. A store: it knows no surface and no log.
//!
//! A mark names an event, not an arrival number: a log that was restored numbers anew, and a mark that is not in it counts for nothing.
//! Nothing is deleted by reading; the marks are a viewer's own.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use loggia_domain::presence::key;
use rusqlite::{Connection, params};

use crate::db;

/// The file within a palace.
pub const FILE_NAME: &str = "loggia_viewers.sqlite3";

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS marks (viewer TEXT NOT NULL, agent TEXT NOT NULL, event_id TEXT NOT NULL, PRIMARY KEY (viewer, agent))
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS searches (viewer TEXT NOT NULL, place TEXT NOT NULL, words TEXT NOT NULL, UNIQUE (viewer, place, words));
CREATE TABLE IF NOT EXISTS looked_through (viewer TEXT NOT NULL, part TEXT NOT NULL, UNIQUE (viewer, part));";

/// How many searches are kept for each viewer and place; the oldest go first.
const SEARCHES: i64 = 20;
/// How many parts are kept for each viewer; the oldest go first.
const MAX_PARTS: i64 = 20_000;

/// What went wrong with the file.
#[derive(Debug, thiserror::Error)]
#[error("{FILE_NAME}: {0}")]
pub struct ViewersError(#[from] rusqlite::Error);

/// The marks of all viewers.
#[derive(Debug)]
pub struct Viewers {
    conn: Mutex<Connection>,
}

impl Viewers {
    /// Opens (and creates) a palace's marks.
    pub fn open(palace: &Path) -> Result<Self, ViewersError> {
        let conn = db::open_writer(&palace.join(FILE_NAME))?;
        conn.execute_batch(TABLES)?;
        Ok(Self { conn: Mutex::new(conn) })
    }

    /// The last event that a viewer has read in each inbox, by the agent's key.
    pub fn marks(&self, viewer: &str) -> Result<HashMap<String, String>, ViewersError> {
        let conn = self.conn();
        let mut statement = conn.prepare_cached("SELECT agent, event_id FROM marks WHERE viewer = ?1")?;
        let marks = statement.query_map([viewer], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(marks.collect::<rusqlite::Result<_>>()?)
    }

    /// A viewer has read an agent's inbox up to an event.
    pub fn mark(&self, viewer: &str, agent: &str, event_id: &str) -> Result<(), ViewersError> {
        self.conn().prepare_cached("INSERT OR REPLACE INTO marks VALUES (?1, ?2, ?3)")?.execute(params![
            viewer,
            key(agent),
            event_id
        ])?;
        Ok(())
    }

    /// Which of these parts of patches a viewer has looked through. A part is the hash of what a patch says of one file, so that a later
    /// patch that says something else of it is new.
    pub fn looked_through(&self, viewer: &str, parts: &[String]) -> Result<HashSet<String>, ViewersError> {
        let conn = self.conn();
        let mut known = conn.prepare_cached("SELECT 1 FROM looked_through WHERE viewer = ?1 AND part = ?2")?;
        let mut found = HashSet::new();
        for part in parts {
            if known.exists([viewer, part])? {
                found.insert(part.clone());
            }
        }
        Ok(found)
    }

    /// A viewer has looked through a part, or wants to see it again.
    pub fn look_through(&self, viewer: &str, part: &str, is_done: bool) -> Result<(), ViewersError> {
        let mut conn = self.conn();
        let tx = conn.transaction()?;
        tx.execute("DELETE FROM looked_through WHERE viewer = ?1 AND part = ?2", [viewer, part])?;
        if is_done {
            tx.execute("INSERT INTO looked_through VALUES (?1, ?2)", [viewer, part])?;
            tx.execute(
                "DELETE FROM looked_through WHERE viewer = ?1 AND rowid <=
                     (SELECT rowid FROM looked_through WHERE viewer = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)",
                params![viewer, MAX_PARTS],
            )?;
        }
        Ok(tx.commit()?)
    }

    /// What a viewer searched for in a place (`log`, `palace`), the last first, at most twenty.
    pub fn searches(&self, viewer: &str, place: &str) -> Result<Vec<String>, ViewersError> {
        let conn = self.conn();
        let mut statement =
            conn.prepare_cached("SELECT words FROM searches WHERE viewer = ?1 AND place = ?2 ORDER BY rowid DESC")?;
        let words = statement.query_map([viewer, place], |r| r.get(0))?;
        Ok(words.collect::<rusqlite::Result<_>>()?)
    }

    /// A viewer searched for something. The same again only makes it the last.
    pub fn searched(&self, viewer: &str, place: &str, words: &str) -> Result<(), ViewersError> {
        if self.searches(viewer, place)?.first().is_some_and(|last| last == words) {
            return Ok(());
        }
        let mut conn = self.conn();
        let tx = conn.transaction()?;
        tx.execute("DELETE FROM searches WHERE viewer = ?1 AND place = ?2 AND words = ?3", [viewer, place, words])?;
        tx.execute("INSERT INTO searches VALUES (?1, ?2, ?3)", [viewer, place, words])?;
        tx.execute(
            "DELETE FROM searches WHERE viewer = ?1 AND place = ?2 AND rowid <= (SELECT rowid FROM searches
                 WHERE viewer = ?1 AND place = ?2 ORDER BY rowid DESC LIMIT 1 OFFSET ?3)",
            params![viewer, place, SEARCHES],
        )?;
        Ok(tx.commit()?)
    }

    /// Forgets what a viewer searched for, everywhere.
    pub fn forget_searches(&self, viewer: &str) -> Result<(), ViewersError> {
        self.conn().execute("DELETE FROM searches WHERE viewer = ?1", [viewer])?;
        Ok(())
    }

    /// A panic elsewhere leaves nothing half-done behind this lock.
    fn conn(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_a_viewers_own_and_outlive_the_hub() {
        let dir = tempfile::tempdir().expect("temp dir");
        let viewers = Viewers::open(dir.path()).expect("opened");
        viewers.mark("ann", "Win:Codex", "evt_1").expect("kept");
        viewers.mark("ann", "win:codex", "evt_2").expect("kept");
        viewers.mark("ben", "win:codex", "evt_1").expect("kept");
        drop(viewers);
        let viewers = Viewers::open(dir.path()).expect("opened");
        let expected = HashMap::from([("win:codex".to_owned(), "evt_2".to_owned())]);
        assert_eq!(viewers.marks("ann").expect("read"), expected);
        assert_eq!(viewers.marks("carl").expect("read"), HashMap::new());
    }

    #[test]
    fn the_last_searches_are_a_viewers_own_and_can_be_forgotten() {
        let dir = tempfile::tempdir().expect("temp dir");
        let viewers = Viewers::open(dir.path()).expect("opened");
        for words in ["one", "two", "one"] {
            viewers.searched("ann", "log", words).expect("kept");
        }
        viewers.searched("ann", "palace", "three").expect("kept");
        assert_eq!(viewers.searches("ann", "log").expect("read"), ["one", "two"]);
        assert_eq!(viewers.searches("ben", "log").expect("read"), [""; 0]);
        for n in 0..20 {
            viewers.searched("ann", "log", &n.to_string()).expect("kept");
        }
        let kept = viewers.searches("ann", "log").expect("read");
        assert_eq!((kept.len(), kept[0].as_str()), (20, "19"));
        viewers.forget_searches("ann").expect("forgotten");
        assert_eq!(viewers.searches("ann", "palace").expect("read"), [""; 0]);
    }

    #[test]
    fn what_was_looked_through_is_a_viewers_own_and_can_be_taken_back() {
        let dir = tempfile::tempdir().expect("temp dir");
        let viewers = Viewers::open(dir.path()).expect("opened");
        let parts = ["a", "b"].map(str::to_owned);
        let seen = |who: &str| viewers.looked_through(who, &parts).expect("read");
        viewers.look_through("ann", "a", true).expect("kept");
        viewers.look_through("ann", "a", true).expect("kept");
        viewers.look_through("ann", "b", true).expect("kept");
        viewers.look_through("ann", "b", false).expect("kept");
        assert_eq!((seen("ann"), seen("ben")), (HashSet::from(["a".to_owned()]), HashSet::new()));
        // All but one of the rest at once: each by itself is synced.
        let fill = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1 - 1)
             INSERT INTO looked_through SELECT 'ann', n FROM n";
        viewers.conn().execute(fill, [MAX_PARTS]).expect("filled");
        assert_eq!(seen("ann").len(), 1);
        viewers.look_through("ann", "one more", true).expect("kept");
        assert_eq!(seen("ann"), HashSet::new(), "the oldest went");
    }
}
