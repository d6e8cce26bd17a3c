//! Hallways: records of what is named together within a wing. Imports bring them; here they are listed and deleted.

use rusqlite::{Connection, Row};
use serde::Serialize;
use serde_json::json;

use super::record::Record;
use super::{PalaceError, PalaceStore};

/// A hallway as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hallway {
    /// Its id.
    pub id: String,
    /// Its wing.
    pub wing: String,
    /// One of the two that are named together.
    pub entity_a: String,
    /// The other one.
    pub entity_b: String,
    /// How often they are.
    pub co_occurrence_count: i64,
    /// In which rooms.
    pub rooms: Vec<String>,
    /// What it is called.
    pub label: String,
    /// When it was made.
    pub created_at: String,
    /// By whom; `auto` for a miner.
    pub created_by: String,
    /// From 1 to 5.
    pub strength: f64,
    /// From 1.
    pub stability: f64,
    /// When it was last used.
    pub last_activated: Option<String>,
    /// How often.
    pub access_count: i64,
}

impl PalaceStore {
    /// One page of hallways, the most often named together first, and how many there are in all.
    pub async fn hallways(
        &self,
        wing: Option<String>,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<Hallway>, u32), PalaceError> {
        self.read(move |conn| page(conn, wing.as_deref(), limit, offset)).await
    }

    /// Deletes a hallway; whether there was one.
    pub async fn delete_hallway(&self, id: String) -> Result<bool, PalaceError> {
        let record = Record::new("delete_hallway", json!({"hallway_id": id}));
        self.write(Some(record), move |turn| {
            Ok(turn.conn.prepare_cached("DELETE FROM hallways WHERE id = ?1")?.execute([id])? > 0)
        })
        .await
    }
}

fn page(conn: &Connection, wing: Option<&str>, limit: u32, offset: u32) -> Result<(Vec<Hallway>, u32), PalaceError> {
    let total = conn
        .prepare_cached("SELECT count(*) FROM hallways WHERE ?1 IS NULL OR wing = ?1")?
        .query_row([wing], |r| r.get(0))?;
    let sql = "SELECT id, wing, entity_a, entity_b, co_occurrence_count, rooms_json, label, created_at, created_by,
            strength, stability, last_activated, access_count
        FROM hallways WHERE ?1 IS NULL OR wing = ?1
        ORDER BY co_occurrence_count DESC, strength DESC, row LIMIT ?2 OFFSET ?3";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(rusqlite::params![wing, limit, offset], from_row)?;
    Ok((rows.collect::<Result<_, _>>()?, total))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Hallway> {
    let rooms: String = row.get(5)?;
    Ok(Hallway {
        id: row.get(0)?,
        wing: row.get(1)?,
        entity_a: row.get(2)?,
        entity_b: row.get(3)?,
        co_occurrence_count: row.get(4)?,
        // What an import wrote that is no list counts as none.
        rooms: serde_json::from_str(&rooms).unwrap_or_default(),
        label: row.get(6)?,
        created_at: row.get(7)?,
        created_by: row.get(8)?,
        strength: row.get(9)?,
        stability: row.get(10)?,
        last_activated: row.get(11)?,
        access_count: row.get(12)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palace::schema;

    #[test]
    fn hallways_come_by_how_often_their_ends_are_named_together() {
        let mut conn = Connection::open_in_memory().expect("memory");
        schema::migrate(&mut conn).expect("made");
        for (id, wing, count, strength) in
            [("a", "w", 3, 1.0), ("b", "w", 9, 1.0), ("c", "v", 3, 2.0), ("d", "w", 1, 4.0)]
        {
            let sql = "INSERT INTO hallways (id, wing, entity_a, entity_b, co_occurrence_count, rooms_json, created_at, strength)
                VALUES (?1, ?2, 'A', 'B', ?3, '[\"r\"]', '', ?4)";
            conn.execute(sql, rusqlite::params![id, wing, count, strength]).expect("added");
        }
        let ids = |wing, limit, offset| -> (Vec<String>, u32) {
            let (page, total) = page(&conn, wing, limit, offset).expect("asked");
            assert!(page.iter().all(|h| h.rooms == ["r"]));
            (page.into_iter().map(|h| h.id).collect(), total)
        };
        assert_eq!(ids(None, 100, 0).0, ["b", "c", "a", "d"]);
        assert_eq!(ids(Some("w"), 1, 1), (vec!["a".to_owned()], 3));
        assert_eq!(ids(Some("W"), 100, 0), (Vec::new(), 0));
    }
}
