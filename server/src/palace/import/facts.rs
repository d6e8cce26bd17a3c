//! Facts and their entities from `knowledge_graph.sqlite3`, with their ids, their validity and where they were read.

use rusqlite::{Connection, params};

use super::report::Imported;
use super::source;
use crate::palace::{PalaceError, Turn};

/// The columns of an entity; all but the first two may be missing.
const ENTITY: [&str; 5] = ["id", "name", "type", "properties", "created_at"];
/// The columns of a fact, of which the first four are needed. Old files lack some of the others.
const TRIPLE: [&str; 12] = [
    "id",
    "subject",
    "predicate",
    "object",
    "valid_from",
    "valid_to",
    "confidence",
    "source_closet",
    "source_file",
    "source_drawer_id",
    "adapter_name",
    "extracted_at",
];

/// What a file of facts holds.
pub struct Facts {
    entities: Vec<[Option<String>; 5]>,
    triples: Vec<[Option<String>; 12]>,
}

/// Reads a file of facts; `None` when it holds no such tables.
pub fn read(conn: &Connection) -> rusqlite::Result<Option<Facts>> {
    Ok(match (table(conn, "entities", ENTITY)?, table(conn, "triples", TRIPLE)?) {
        (Some(entities), Some(triples)) => Some(Facts { entities, triples }),
        _ => None,
    })
}

/// All rows of a table in the order in which they came, as texts; a column that the file lacks is null everywhere.
fn table<const N: usize>(
    conn: &Connection,
    name: &str,
    columns: [&str; N],
) -> rusqlite::Result<Option<Vec<[Option<String>; N]>>> {
    let present: Vec<String> = conn
        .prepare("SELECT name FROM pragma_table_info(?1)")?
        .query_map([name], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    if present.is_empty() {
        return Ok(None);
    }
    let chosen = columns.map(|column| if present.iter().any(|p| p == column) { column } else { "NULL" }).join(", ");
    let mut statement = conn.prepare(&format!("SELECT {chosen} FROM {name} ORDER BY rowid"))?;
    let rows = statement.query_map([], |row| {
        let mut values = [const { None }; N];
        for (at, value) in values.iter_mut().enumerate() {
            *value = source::text(row.get_ref(at)?);
        }
        Ok(values)
    })?;
    rows.collect::<Result<_, _>>().map(Some)
}

/// Writes what is not here yet.
pub fn write(turn: &Turn<'_>, facts: &Facts, report: &mut Imported) -> Result<(), PalaceError> {
    let sql = "INSERT OR IGNORE INTO entities (id, name, type, properties, created_at)
        VALUES (?1, coalesce(?2, ?1), coalesce(?3, 'unknown'), coalesce(?4, '{}'), coalesce(?5, ''))";
    for [id, name, kind, properties, created_at] in &facts.entities {
        let Some(id) = id else {
            report.skip("entities", "they have no id", name.as_deref().unwrap_or_default());
            continue;
        };
        let added = turn.conn.prepare_cached(sql)?.execute(params![id, name, kind, properties, created_at])?;
        report.entities.add(added > 0);
    }
    for fact in &facts.triples {
        triple(turn, fact, report)?;
    }
    Ok(())
}

fn triple(turn: &Turn<'_>, fact: &[Option<String>; 12], report: &mut Imported) -> Result<(), PalaceError> {
    let [id, subject, predicate, object, from, to, confidence, closet, file, drawer_id, adapter, extracted_at] = fact;
    let (Some(id), Some(subject), Some(predicate), Some(object)) = (id, subject, predicate, object) else {
        report.skip("facts", "they lack an id, a subject, a predicate or an object", id.as_deref().unwrap_or_default());
        return Ok(());
    };
    // An empty end was meant as none; as a text it would lie before every moment.
    let moment = |text: &Option<String>| text.clone().filter(|t| !t.trim().is_empty());
    let (from, to) = (moment(from), moment(to));
    let confidence = confidence.as_deref().and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
    let sql = "INSERT OR IGNORE INTO triples (id, subject, predicate, object, valid_from, valid_to, confidence,
            source_closet, source_file, source_drawer_id, adapter_name, extracted_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, coalesce(?12, ''))";
    let added = turn.conn.prepare_cached(sql)?.execute(params![
        id,
        subject,
        predicate,
        object,
        from,
        to,
        confidence,
        closet,
        file,
        drawer_id,
        adapter,
        extracted_at
    ])?;
    if added == 0
        && !is_same(turn.conn, id, [Some(subject), Some(predicate), Some(object), from.as_ref(), to.as_ref()])?
    {
        report.skip("facts", "the same id is here with other words or dates, which stay", id);
        return Ok(());
    }
    report.facts.add(added > 0);
    Ok(())
}

/// Whether the fact of this id says the same, from when and to when.
fn is_same(conn: &Connection, id: &str, said: [Option<&String>; 5]) -> Result<bool, PalaceError> {
    let sql = "SELECT subject, predicate, object, valid_from, valid_to FROM triples WHERE id = ?1";
    let here: [Option<String>; 5] =
        conn.prepare_cached(sql)?.query_row([id], |r| Ok([r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?]))?;
    Ok(here.each_ref().map(Option::as_ref) == said)
}
