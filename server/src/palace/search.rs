//! Search: by words (BM25 of the full-text index) and, when there is a model, by meaning; both orders are fused.
//!
//! Hits are rows: of a long text the chunk that fits, named by the id of the whole. A miss stays empty; nothing is made up to fill a
//! page.

use std::collections::{HashMap, HashSet};

use loggia_domain::palace::{rank, words};
use rusqlite::{Connection, ToSql};
use serde::Serialize;
use serde_json::Value;

use super::PalaceError;
use super::drawers::Filter;
use super::rows::{self, Row};
use super::semantic::Semantic;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The query, cleaned.
    pub query: String,
    /// How many hits at most.
    pub limit: usize,
    /// Where to look.
    pub filter: Filter,
    /// Hits whose meaning is farther than this are left out; 0 leaves none out.
    pub max_distance: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many rows were weighed.
    pub candidates: usize,
}

/// One row that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// The id of the whole; several hits may carry one.
    pub drawer_id: String,
    /// The row's text.
    pub text: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// The last part of where it comes from, or `?`.
    pub source_file: String,
    /// The whole path, or empty.
    pub source_path: String,
    /// When it was filed, or `unknown`.
    pub created_at: String,
    /// The same.
    pub filed_at: String,
    /// When it was written, if that is known, else when it was filed.
    pub authored_at: String,
    /// Which of both that is: `authored_at`, `filed_at` or `unknown`.
    pub authored_at_source: &'static str,
    /// The date of what the text is about, if the import found one.
    pub content_date: Option<String>,
    /// Where that date was found.
    pub content_date_source: String,
    /// Cosine distance; null without a model.
    pub distance: Option<f64>,
    /// 1 minus the distance; null without a model.
    pub similarity: Option<f64>,
    /// The same as the distance: nothing is boosted here.
    pub effective_distance: Option<f64>,
    /// Always 0.
    pub closet_boost: f64,
    /// How it was found: `drawer`, or `bm25_sqlite` without a model.
    pub matched_via: &'static str,
    /// How well its words fit; 0 when none does.
    pub bm25_score: f64,
    /// The same text from other sources, folded into this hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<Copy>,
}

/// The same text from another source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copy {
    /// The id of the whole.
    pub drawer_id: String,
    /// The last part of the source.
    pub source_file: String,
    /// The whole source.
    pub source_path: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// Which chunk.
    pub chunk_index: Option<i64>,
}

/// From how many characters on the same text from several sources is folded.
const FOLD_CHARS: usize = 100;

/// From how many rows on a palace is large: below, every word of a query is ranked.
const LARGE_ROWS: i64 = 20_000;
/// How many rows the words of a query match together in a large palace, unless a single word matches more.
const MATCHED_ROWS: i64 = 8_000;

/// How many rows each order contributes.
fn pool(ask: &Ask) -> usize {
    let window = ask.filter.window.since.is_some() || ask.filter.window.before.is_some();
    if window { (15 * ask.limit).min(500).max(4 * ask.limit) } else { 4 * ask.limit }
}

/// Searches.
pub fn search(conn: &Connection, semantic: Option<&dyn Semantic>, ask: &Ask) -> Result<Found, PalaceError> {
    let lexical = by_words(conn, ask, pool(ask))?;
    // A model that fails now is off for whoever comes next; this search goes by words.
    let meaning = semantic.and_then(|semantic| Some((semantic, semantic.embed(&ask.query).ok()?)));
    let (order, distances) = match &meaning {
        None => (lexical, HashMap::new()),
        Some((semantic, vector)) => by_meaning(conn, *semantic, vector, ask, &lexical)?,
    };
    let mut rows = Vec::with_capacity(order.len());
    for number in order {
        // One that was deleted a moment ago is no hit.
        rows.extend(rows::by_number(conn, number)?);
    }
    let texts: Vec<&str> = rows.iter().map(|row| row.content.as_str()).collect();
    let scores = rank::bm25(&ask.query, &texts);
    let candidates = rows.len();
    let mut folder = Folder::default();
    for (row, score) in rows.into_iter().zip(scores) {
        let distance = distances.get(&row.id).copied();
        folder.take(row, ask.limit, |row| hit(row, score, distance, meaning.is_some()));
    }
    Ok(Found { hits: folder.hits, candidates })
}

/// Gathers hits and folds the same text from several sources into one.
#[derive(Default)]
struct Folder {
    hits: Vec<Hit>,
    seen: HashMap<String, usize>,
}

impl Folder {
    /// Takes a row: as a copy of a hit, as a hit, or not at all when there are enough.
    fn take(&mut self, row: Row, limit: usize, hit: impl FnOnce(Row) -> Hit) {
        let text = foldable(&row).map(str::to_owned);
        let twin = text.as_ref().and_then(|text| self.seen.get(text)).and_then(|at| self.hits.get_mut(*at));
        if let Some(twin) = twin
            && twin.source_path != row.fields.source_file.as_deref().unwrap_or_default()
        {
            twin.also_in.push(copy_of(row));
        } else if self.hits.len() < limit {
            if let Some(text) = text {
                self.seen.entry(text).or_insert(self.hits.len());
            }
            self.hits.push(hit(row));
        }
    }
}

/// Rows by how well their words fit, best first.
///
/// Each row that a word matches is ranked, which takes long where most rows have the word. So in a large palace the rarest words are
/// looked for first, and all of them only if that finds too little.
fn by_words(conn: &Connection, ask: &Ask, limit: usize) -> Result<Vec<i64>, PalaceError> {
    let terms = words::terms(&ask.query);
    let telling = telling(conn, &terms)?;
    let found = matched(conn, ask, &telling, limit)?;
    if found.len() < ask.limit && telling.len() < terms.len() { matched(conn, ask, &terms, limit) } else { Ok(found) }
}

/// The rows that match any of some terms, best first.
fn matched(conn: &Connection, ask: &Ask, terms: &[String], limit: usize) -> Result<Vec<i64>, PalaceError> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let terms = terms.join(" OR ");
    let (conditions, mut values) = ask.filter.sql();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    values.extend([(":terms", &terms as &dyn ToSql), (":limit", &limit)]);
    // Without a filter the index of words answers alone. With one it still comes first (`CROSS`): asked row by row it would be slow.
    let sql = if conditions.is_empty() {
        "SELECT rowid FROM drawers_fts WHERE drawers_fts MATCH :terms ORDER BY rank LIMIT :limit".to_owned()
    } else {
        format!(
            "SELECT d.id FROM drawers_fts f CROSS JOIN drawers d ON d.id = f.rowid
             WHERE f.drawers_fts MATCH :terms{conditions} ORDER BY f.rank LIMIT :limit"
        )
    };
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_map(values.as_slice(), |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// In a large palace the rarest terms, which decide the order; else all.
fn telling(conn: &Connection, terms: &[String]) -> Result<Vec<String>, PalaceError> {
    let sum = "SELECT coalesce(sum(row_count), 0) FROM rooms";
    if terms.len() < 2 || conn.prepare_cached(sum)?.query_row([], |r| r.get::<_, i64>(0))? < LARGE_ROWS {
        return Ok(terms.to_owned());
    }
    let sql = "SELECT count(*) FROM (SELECT 1 FROM drawers_fts WHERE drawers_fts MATCH ?1 LIMIT ?2)";
    let mut statement = conn.prepare_cached(sql)?;
    let mut counted = Vec::with_capacity(terms.len());
    for term in terms {
        counted.push((statement.query_row((term, MATCHED_ROWS + 1), |r| r.get(0))?, term.clone()));
    }
    Ok(rarest(counted, MATCHED_ROWS))
}

/// The rarest terms that match so many rows together: at least one that matches any.
fn rarest(mut counted: Vec<(i64, String)>, at_most: i64) -> Vec<String> {
    counted.sort_by_key(|(count, _)| *count);
    let mut matched = 0;
    let fits = |(count, _): &(i64, String)| {
        let is_first = matched == 0;
        matched += count;
        is_first || matched <= at_most
    };
    counted.into_iter().take_while(fits).map(|(_, term)| term).collect()
}

/// The order in which words and meaning agree best, and how far each row is.
fn by_meaning(
    conn: &Connection,
    semantic: &dyn Semantic,
    vector: &[f32],
    ask: &Ask,
    lexical: &[i64],
) -> Result<(Vec<i64>, HashMap<i64, f64>), PalaceError> {
    let among = if ask.filter.is_open() { None } else { Some(numbers(conn, &ask.filter)?) };
    let near = semantic.nearest(vector, among.as_ref(), pool(ask));
    let mut distances: HashMap<i64, f64> = near.iter().map(|n| (n.row, n.distance)).collect();
    let unknown: Vec<i64> = lexical.iter().copied().filter(|row| !distances.contains_key(row)).collect();
    let known = unknown.iter().zip(semantic.distances(vector, &unknown));
    distances.extend(known.filter_map(|(row, distance)| Some((*row, distance?))));
    let is_near = |row: &i64| ask.max_distance <= 0.0 || distances.get(row).is_none_or(|d| *d <= ask.max_distance);
    let lexical: Vec<i64> = lexical.iter().copied().filter(is_near).collect();
    let semantic: Vec<i64> = near.iter().map(|n| n.row).filter(is_near).collect();
    Ok((rank::fuse(&[&semantic, &lexical]), distances))
}

/// The numbers of all rows that a filter lets through.
fn numbers(conn: &Connection, filter: &Filter) -> Result<HashSet<i64>, PalaceError> {
    let (conditions, values) = filter.sql();
    let mut statement = conn.prepare_cached(&format!("SELECT d.id FROM drawers d WHERE 1{conditions}"))?;
    Ok(statement.query_map(values.as_slice(), |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// The text by which copies from other sources are folded; `None` for what is too short or comes from nowhere.
fn foldable(row: &Row) -> Option<&str> {
    let text = row.content.trim();
    let has_source = row.fields.source_file.as_deref().is_some_and(|s| !s.is_empty());
    (has_source && text.chars().nth(FOLD_CHARS - 1).is_some()).then_some(text)
}

fn source(row: &Row) -> (String, String) {
    let path = row.fields.source_file.clone().unwrap_or_default();
    let name = if path.is_empty() { "?".to_owned() } else { rows::last_part(&path).to_owned() };
    (name, path)
}

fn copy_of(row: Row) -> Copy {
    let (source_file, source_path) = source(&row);
    Copy {
        wing: row.wing().to_owned(),
        room: row.room().to_owned(),
        source_file,
        source_path,
        chunk_index: row.chunk_index,
        drawer_id: row.logical_id,
    }
}

fn hit(row: Row, score: f64, distance: Option<f64>, has_model: bool) -> Hit {
    const UNKNOWN: &str = "unknown";
    let (source_file, source_path) = source(&row);
    let said =
        |key: &str| row.fields.more.get(key).and_then(Value::as_str).filter(|s| !s.is_empty()).map(str::to_owned);
    let filed_at = row.fields.filed_at.clone();
    let (authored_at, authored_at_source) = match (said("authored_at"), &filed_at) {
        (Some(at), _) => (at, "authored_at"),
        (None, Some(at)) => (at.clone(), "filed_at"),
        (None, None) => (UNKNOWN.to_owned(), UNKNOWN),
    };
    let filed_at = filed_at.unwrap_or_else(|| UNKNOWN.to_owned());
    Hit {
        wing: row.wing().to_owned(),
        room: row.room().to_owned(),
        source_file,
        source_path,
        created_at: filed_at.clone(),
        filed_at,
        authored_at,
        authored_at_source,
        content_date: said("content_date"),
        content_date_source: said("content_date_source").unwrap_or_else(|| UNKNOWN.to_owned()),
        distance: distance.map(|d| rank::rounded(d, 4)),
        similarity: distance.map(rank::similarity),
        effective_distance: distance.map(|d| rank::rounded(d, 4)),
        closet_boost: 0.0,
        matched_via: if has_model { "drawer" } else { "bm25_sqlite" },
        bm25_score: rank::rounded(score, 3),
        also_in: Vec::new(),
        drawer_id: row.logical_id,
        text: row.content,
    }
}

#[cfg(test)]
mod tests;
