//! Is a text there already? An identical one is found without any vector; one that says the same needs a model.

use loggia_domain::palace::{rank, text};
use rusqlite::Connection;
use serde::Serialize;

use super::PalaceError;
use super::rows::{self, Row};
use super::semantic::Semantic;

/// How many rows are looked at.
const NEAREST: usize = 5;

/// A text that is alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// The row's id, which may be a chunk's.
    pub id: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// How alike: 0 to 1, three places.
    pub similarity: f64,
    /// The beginning of its text.
    pub content: String,
}

/// The rows that are at least so alike, the most alike first, over the whole palace.
pub fn find(
    conn: &Connection,
    semantic: Option<&dyn Semantic>,
    content: &str,
    threshold: f64,
) -> Result<Vec<Match>, PalaceError> {
    let mut matches = Vec::new();
    if threshold <= 1.0 {
        matches.extend(identical(conn, content)?.into_iter().map(|row| alike(row, 1.0)));
    }
    if let Some(semantic) = semantic
        && !content.is_empty()
        // A model that fails now is off for whoever comes next; identical texts are found without it.
        && let Ok(vector) = semantic.embed(content)
    {
        for near in semantic.nearest(&vector, None, NEAREST) {
            let similarity = rank::similarity(near.distance);
            let Some(row) = rows::by_number(conn, near.row)? else { continue };
            if similarity >= threshold && !matches.iter().any(|m: &Match| m.id == row.drawer_id) {
                matches.push(alike(row, similarity));
            }
        }
        matches.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    }
    matches.truncate(NEAREST);
    Ok(matches)
}

fn identical(conn: &Connection, content: &str) -> Result<Vec<Row>, PalaceError> {
    // A hash alone is not believed: the texts are compared, too.
    let sql = format!("SELECT {} FROM drawers d WHERE d.text_hash = ?1 ORDER BY d.id LIMIT ?2", rows::COLUMNS);
    let mut statement = conn.prepare_cached(&sql)?;
    let limit = i64::try_from(NEAREST).unwrap_or(i64::MAX);
    let heads: Vec<Row> =
        statement.query_map((rows::text_hash(content), limit), rows::from_row)?.collect::<Result<_, _>>()?;
    Ok(heads.into_iter().filter(|head| content.starts_with(&head.content)).collect())
}

fn alike(row: Row, similarity: f64) -> Match {
    Match {
        wing: row.wing().to_owned(),
        room: row.room().to_owned(),
        similarity,
        content: text::preview(&row.content),
        id: row.drawer_id,
    }
}
