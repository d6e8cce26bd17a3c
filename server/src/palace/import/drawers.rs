//! Drawers and diary entries on their way in: what their metadata says in our columns, and whether they are here already.

use std::collections::BTreeSet;

use loggia_domain::palace::diary;
use serde_json::{Map, Value};

use super::report::Imported;
use super::source::{self, SourceRow, Text};
use crate::palace::rows::{self, Fields, Row};
use crate::palace::{PalaceError, Turn};

/// The room in which the other program's miner keeps its books.
const REGISTRY: &str = "_registry";

/// Texts that are written together.
#[derive(Default)]
pub struct Batch {
    texts: Vec<(String, Vec<SourceRow>)>,
    /// How many rows they have.
    pub rows: usize,
    /// How many bytes their texts have.
    pub bytes: usize,
}

impl Batch {
    /// Adds a text with its rows, in their order.
    pub fn push(&mut self, text: &Text, rows: Vec<SourceRow>) {
        self.rows += rows.len();
        self.bytes += rows.iter().map(|row| row.content.len()).sum::<usize>();
        self.texts.push((text.logical_id.clone(), rows));
    }

    /// Writes what is not here yet.
    pub fn take(&self, turn: &Turn<'_>, report: &mut Imported) -> Result<(), PalaceError> {
        self.texts.iter().try_for_each(|(logical_id, rows)| take(turn, logical_id, rows, report))
    }
}

fn take(turn: &Turn<'_>, logical_id: &str, rows: &[SourceRow], report: &mut Imported) -> Result<(), PalaceError> {
    if rows.iter().any(is_bookkeeping) {
        report.skip("rows in `_registry`", "they are the miner's bookkeeping and hold nobody's text", logical_id);
        return Ok(());
    }
    let here = rows::group(turn.conn, logical_id)?;
    let is_new = here.is_empty();
    if !is_new && !is_same(&here, rows, logical_id) {
        report.skip("drawers", "the same id is here with another text, which stays", logical_id);
        return Ok(());
    }
    if is_new {
        for row in rows {
            if rows::by_id(turn.conn, &row.id)?.is_some() {
                report.skip("drawers", "one of its rows has the id of a row of another text here", logical_id);
                return Ok(());
            }
        }
        for row in rows {
            let fields = fields(&row.metadata, row.id != logical_id);
            let index = source::chunk_index(&row.metadata);
            rows::import_row(turn.conn, &row.id, logical_id, index, &row.content, &fields)?;
        }
        rows::settle(turn.conn, logical_id)?;
        report.rows_taken += u64::try_from(rows.len()).unwrap_or(u64::MAX);
    }
    let is_entry = rows.first().is_some_and(|row| row.metadata.get("type").is_some_and(|kind| kind == diary::TYPE));
    if is_entry { &mut report.diary_entries } else { &mut report.drawers }.add(is_new);
    Ok(())
}

fn is_bookkeeping(row: &SourceRow) -> bool {
    row.metadata.get("room").is_some_and(|room| room == REGISTRY)
        || row.metadata.get("is_sentinel") == Some(&Value::Bool(true))
}

/// The same rows, or the same text in other pieces.
fn is_same(here: &[Row], there: &[SourceRow], logical_id: &str) -> bool {
    let ours: BTreeSet<(&str, &str)> = here.iter().map(|row| (row.drawer_id.as_str(), row.content.as_str())).collect();
    let theirs: BTreeSet<(&str, &str)> = there.iter().map(|row| (row.id.as_str(), row.content.as_str())).collect();
    let whole = |rows: &BTreeSet<(&str, &str)>| rows.len() == 1 || rows.iter().all(|(id, _)| *id != logical_id);
    let joined = || there.iter().map(|row| row.content.as_str()).collect::<String>();
    ours == theirs || (whole(&ours) && whole(&theirs) && rows::joined(here) == joined())
}

/// What a row's metadata says, in our columns; the rest goes along as it is.
fn fields(metadata: &Map<String, Value>, is_chunk: bool) -> Fields {
    let mut more = metadata.clone();
    let mut text = |key: &str| match more.remove(key) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => Some(other.to_string()),
    };
    let mut fields = Fields {
        wing: text("wing"),
        room: text("room"),
        hall: text("hall"),
        topic: text("topic"),
        kind: text("type"),
        agent: text("agent"),
        added_by: text("added_by"),
        source_file: text("source_file"),
        filed_at: text("filed_at"),
        last_modified: text("last_modified"),
        date: text("date"),
        id_recipe: text("id_recipe"),
        more: Map::new(),
    };
    if source::chunk_index(metadata).is_some() {
        more.remove("chunk_index");
    }
    if is_chunk {
        more.remove("parent_drawer_id");
        // Entries show it without being told.
        if fields.kind.as_deref() == Some(diary::TYPE) {
            more.remove("parent_entry_id");
        }
    }
    fields.more = more;
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_no_column_goes_along() {
        let metadata = json!({
            "wing": "w", "room": 5, "chunk_index": 2, "parent_drawer_id": "d", "parent_entry_id": "d", "entities": "A;B",
            "source_mtime": 1.5, "type": null,
        });
        let metadata = metadata.as_object().expect("an object");
        let told = fields(metadata, true);
        assert_eq!((told.wing.as_deref(), told.room.as_deref(), told.kind.as_deref()), (Some("w"), Some("5"), None));
        assert_eq!(Value::Object(told.more), json!({"parent_entry_id": "d", "entities": "A;B", "source_mtime": 1.5}));
        let odd = json!({"chunk_index": "first"});
        assert_eq!(fields(odd.as_object().expect("an object"), false).more["chunk_index"], "first");
    }

    #[test]
    fn rows_are_bookkeeping_by_their_room_or_their_mark() {
        let row = |metadata: Value| SourceRow {
            metadata: metadata.as_object().cloned().unwrap_or_default(),
            ..SourceRow::default()
        };
        assert!(is_bookkeeping(&row(json!({"room": "_registry"}))));
        assert!(is_bookkeeping(&row(json!({"room": "r", "is_sentinel": true}))));
        assert!(!is_bookkeeping(&row(json!({"room": "registry", "is_sentinel": false}))));
    }
}
