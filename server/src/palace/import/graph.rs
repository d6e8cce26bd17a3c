//! Tunnels and hallways from the two JSON files beside a palace, with their ids, their times and how lively they are.

use std::path::Path;

use loggia_domain::palace::tunnel;
use rusqlite::params;
use serde_json::{Map, Value};

use super::report::Imported;
use crate::palace::{PalaceError, Turn};

/// Why an entry of such a file is not taken.
const MALFORMED: &str = "they lack their ends or their id";

/// The entries of a file: an array, or an array under `key` in an object. One that cannot be read has none, as for the other program,
/// but the report says so.
pub fn read(path: &Path, key: Option<&str>, report: &mut Imported) -> Vec<Value> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            report.notes.push(format!("{} was not read: {error}", path.display()));
            return Vec::new();
        }
    };
    match (serde_json::from_slice(&bytes), key) {
        (Ok(Value::Array(entries)), _) => entries,
        (Ok(Value::Object(mut object)), Some(key)) if object.get(key).is_some_and(Value::is_array) => {
            object.remove(key).and_then(|entries| serde_json::from_value(entries).ok()).unwrap_or_default()
        }
        (Ok(_), _) => {
            report.notes.push(format!("{} was not taken: it holds no list", path.display()));
            Vec::new()
        }
        (Err(error), _) => {
            report.notes.push(format!("{} was not taken: {error}", path.display()));
            Vec::new()
        }
    }
}

/// An entry whose members are taken out one after the other; what is left goes along as it is.
struct Entry(Map<String, Value>);

impl Entry {
    fn of(value: &Value) -> Self {
        Self(value.as_object().cloned().unwrap_or_default())
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.0.remove(key)? {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    fn number(&mut self, key: &str) -> Option<f64> {
        self.0.remove(key)?.as_f64()
    }

    fn count(&mut self, key: &str) -> Option<i64> {
        self.0.remove(key)?.as_i64()
    }

    fn rest(self) -> String {
        Value::Object(self.0).to_string()
    }
}

/// Writes the tunnels that are not here yet.
pub fn write_tunnels(turn: &Turn<'_>, tunnels: &[Value], report: &mut Imported) -> Result<(), PalaceError> {
    let sql = "INSERT OR IGNORE INTO tunnels (id, source_wing, source_room, source_drawer_id, target_wing, target_room,
            target_drawer_id, label, kind, created_at, updated_at, strength, stability, last_activated, access_count, more_json)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
    for value in tunnels {
        let mut entry = Entry::of(value);
        let mut end = |key: &str| {
            let mut end = Entry::of(&entry.0.remove(key).unwrap_or_default());
            Some((end.text("wing")?, end.text("room")?, end.text("drawer_id")))
        };
        let (Some(source), Some(target)) = (end("source"), end("target")) else {
            report.skip("tunnels", MALFORMED, value["id"].as_str().unwrap_or_default());
            continue;
        };
        let id = entry.text("id").unwrap_or_else(|| tunnel::id((&source.0, &source.1), (&target.0, &target.1)));
        let added = turn.conn.prepare_cached(sql)?.execute(params![
            id,
            source.0,
            source.1,
            source.2,
            target.0,
            target.1,
            target.2,
            entry.text("label").unwrap_or_default(),
            entry.text("kind").unwrap_or_else(|| "explicit".to_owned()),
            entry.text("created_at").unwrap_or_default(),
            entry.text("updated_at"),
            entry.number("strength").unwrap_or(1.0),
            entry.number("stability").unwrap_or(1.0),
            entry.text("last_activated"),
            entry.count("access_count").unwrap_or(0),
            entry.rest(),
        ])?;
        report.tunnels.add(added > 0);
    }
    Ok(())
}

/// Writes the hallways that are not here yet.
pub fn write_hallways(turn: &Turn<'_>, hallways: &[Value], report: &mut Imported) -> Result<(), PalaceError> {
    let sql = "INSERT OR IGNORE INTO hallways (id, wing, entity_a, entity_b, co_occurrence_count, rooms_json, label,
            created_at, created_by, strength, stability, last_activated, access_count, more_json)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    for value in hallways {
        let mut entry = Entry::of(value);
        let needed = (entry.text("id"), entry.text("wing"), entry.text("entity_a"), entry.text("entity_b"));
        let (Some(id), Some(wing), Some(entity_a), Some(entity_b)) = needed else {
            report.skip("hallways", MALFORMED, value["id"].as_str().unwrap_or_default());
            continue;
        };
        let rooms = entry.0.remove("rooms").unwrap_or_default();
        let rooms: Vec<&str> = rooms.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let added = turn.conn.prepare_cached(sql)?.execute(params![
            id,
            wing,
            entity_a,
            entity_b,
            entry.count("co_occurrence_count").unwrap_or(0),
            Value::from(rooms).to_string(),
            entry.text("label").unwrap_or_default(),
            entry.text("created_at").unwrap_or_default(),
            entry.text("created_by").unwrap_or_else(|| "auto".to_owned()),
            entry.number("strength").unwrap_or(1.0),
            entry.number("stability").unwrap_or(1.0),
            entry.text("last_activated"),
            entry.count("access_count").unwrap_or(0),
            entry.rest(),
        ])?;
        report.hallways.add(added > 0);
    }
    Ok(())
}
