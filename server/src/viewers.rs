//! Up to where each viewer has read each agent's inbox, in `<palace>/loggia_viewers.sqlite3`. A store: it knows no surface and no log.
//!
//! A mark names an event, not an arrival number: a log that was restored numbers anew, and a mark that is not in it counts for nothing.
//! Nothing is deleted by reading; the marks are a viewer's own.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use loggia_domain::presence::key;
use rusqlite::{Connection, params};

use crate::db;

/// The file within a palace.
pub const FILE_NAME: &str = "loggia_viewers.sqlite3";

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS marks (viewer TEXT NOT NULL, agent TEXT NOT NULL, event_id TEXT NOT NULL, PRIMARY KEY (viewer, agent))
    WITHOUT ROWID;";

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
}
