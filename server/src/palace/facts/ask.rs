//! Asking for facts: what is known about an entity now or as of a day, the timeline, and the figures.

use loggia_domain::palace::fact::{self, Direction, MAX_CANDIDATES, MIN_GUESS_CHARS};
use loggia_domain::palace::temporal::{Phase, Validity};
use loggia_domain::timestamp;
use rusqlite::{Connection, Row};
use serde::Serialize;
use time::OffsetDateTime;

use super::name_of;
use crate::palace::PalaceError;

/// A fact, seen from one of its ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    /// `outgoing` when the asked entity is the subject, `incoming` when it is the object.
    pub direction: &'static str,
    /// Whom it is about.
    pub subject: String,
    /// What is said.
    pub predicate: String,
    /// What or whom it says it of.
    pub object: String,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Until when.
    pub valid_to: Option<String>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Where it was read.
    pub source_closet: Option<String>,
    /// Whether it has no end; says nothing about now.
    pub current: bool,
}

impl Fact {
    fn validity(&self) -> Validity<'_> {
        Validity { from: self.valid_from.as_deref(), to: self.valid_to.as_deref() }
    }
}

/// What is known about an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its name: as it was asked for, or as it is stored when it was guessed.
    pub entity: String,
    /// What was asked for, when `entity` was guessed from it.
    pub resolved_from: Option<String>,
    /// Entities that may have been meant, when nothing is known.
    pub candidates: Vec<Candidate>,
    /// The facts: outgoing before incoming, each in the order in which they were added.
    pub facts: Vec<Fact>,
    /// Where each of them stands; of facts as of a day, all are present.
    pub phases: Vec<Phase>,
}

/// An entity that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A page of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// The facts of the page.
    pub facts: Vec<Dated>,
    /// How many there are in all.
    pub total: u32,
}

/// A fact in the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dated {
    /// Whom it is about.
    pub subject: String,
    /// What is said.
    pub predicate: String,
    /// What or whom it says it of.
    pub object: String,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Until when.
    pub valid_to: Option<String>,
    /// Whether it has no end.
    pub current: bool,
}

/// How many facts there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactStats {
    /// Entities that were ever named.
    pub entities: u32,
    /// Facts.
    pub triples: u32,
    /// Facts without an end.
    pub current_facts: u32,
    /// Facts with one.
    pub expired_facts: u32,
    /// The predicates there are.
    pub relationship_types: Vec<String>,
}

/// What is known about an entity. When nothing is, entities whose names hold the asked words are looked for: a single one is
/// answered in its place, several are offered.
pub fn about(conn: &Connection, entity: &str, as_of: Option<&str>, direction: Direction) -> Result<Known, PalaceError> {
    let id = fact::entity_id(entity);
    let mut facts = facts_of(conn, &id, entity, as_of, direction)?;
    let (mut name, mut resolved_from, mut candidates) = (entity.to_owned(), None, Vec::new());
    if facts.is_empty() {
        candidates = candidates_for(conn, entity, &id)?;
        if let [only] = candidates.as_slice()
            && name_of(conn, &id)?.is_none()
        {
            facts = facts_of(conn, &only.id, &only.name, as_of, direction)?;
            if !facts.is_empty() {
                resolved_from = Some(std::mem::replace(&mut name, only.name.clone()));
                candidates.clear();
            }
        }
    }
    let now = timestamp::created_at(OffsetDateTime::now_utc());
    let phase = |fact: &Fact| if as_of.is_some() { Phase::Present } else { fact.validity().phase(&now) };
    let phases = facts.iter().map(phase).collect();
    Ok(Known { entity: name, resolved_from, candidates, facts, phases })
}

/// A page of the facts by the text of their start, those without one last.
pub fn timeline(conn: &Connection, entity: Option<&str>, limit: u32, offset: u32) -> Result<Timeline, PalaceError> {
    let id = entity.map(fact::entity_id);
    let wanted = if id.is_some() { "subject = ?1 OR object = ?1" } else { "?1 IS NULL" };
    let total =
        conn.prepare_cached(&format!("SELECT count(*) FROM triples WHERE {wanted}"))?.query_row([&id], |r| r.get(0))?;
    // The page is cut before the names are looked up, or every fact would be joined first.
    let order = "ORDER BY t.valid_from IS NULL, t.valid_from, t.id";
    let page = format!("(SELECT * FROM triples t WHERE {wanted} {order} LIMIT ?2 OFFSET ?3) t");
    let mut statement = conn.prepare_cached(&format!("SELECT {NAMED} FROM {page} {ENDS} {order}"))?;
    let facts = statement.query_map(rusqlite::params![id, limit, offset], dated)?.collect::<Result<_, _>>()?;
    Ok(Timeline { facts, total })
}

/// A page of all facts, the latest start first, those without one last; and how many there are.
pub fn latest(conn: &Connection, limit: usize, offset: usize) -> Result<(Vec<Dated>, u64), PalaceError> {
    let total: u32 = conn.prepare_cached("SELECT count(*) FROM triples")?.query_row([], |r| r.get(0))?;
    let order = "ORDER BY t.valid_from DESC, t.id";
    let page = format!("(SELECT * FROM triples t {order} LIMIT ?1 OFFSET ?2) t");
    let mut statement = conn.prepare_cached(&format!("SELECT {NAMED} FROM {page} {ENDS} {order}"))?;
    let bounds = [limit, offset].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    Ok((statement.query_map(bounds, dated)?.collect::<Result<_, _>>()?, total.into()))
}

/// How many facts there are.
pub fn stats(conn: &Connection) -> Result<FactStats, PalaceError> {
    let sql = "SELECT (SELECT count(*) FROM entities), count(*), count(*) FILTER (WHERE valid_to IS NULL) FROM triples";
    let (entities, triples, current_facts): (u32, u32, u32) =
        conn.prepare_cached(sql)?.query_row([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let mut statement = conn.prepare_cached("SELECT DISTINCT predicate FROM triples ORDER BY predicate")?;
    let relationship_types = statement.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?;
    Ok(FactStats { entities, triples, current_facts, expired_facts: triples - current_facts, relationship_types })
}

/// A fact with the names of both ends; an imported one may name an entity that has no row.
const NAMED: &str = "coalesce(s.name, t.subject), t.predicate, coalesce(o.name, t.object), t.valid_from, t.valid_to";
const ENDS: &str = "LEFT JOIN entities s ON s.id = t.subject LEFT JOIN entities o ON o.id = t.object";

fn dated(row: &Row<'_>) -> rusqlite::Result<Dated> {
    let valid_to: Option<String> = row.get(4)?;
    Ok(Dated {
        subject: row.get(0)?,
        predicate: row.get(1)?,
        object: row.get(2)?,
        valid_from: row.get(3)?,
        current: valid_to.is_none(),
        valid_to,
    })
}

/// The facts about an entity, which is shown as `spelling`.
fn facts_of(
    conn: &Connection,
    id: &str,
    spelling: &str,
    as_of: Option<&str>,
    direction: Direction,
) -> Result<Vec<Fact>, PalaceError> {
    let mut facts = Vec::new();
    for (word, column, other) in
        [("outgoing", "subject", Direction::Incoming), ("incoming", "object", Direction::Outgoing)]
    {
        if direction == other {
            continue;
        }
        let sql = format!(
            "SELECT {NAMED}, t.confidence, t.source_closet FROM triples t {ENDS} WHERE t.{column} = ?1 ORDER BY t.rowid"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            let Dated { subject, predicate, object, valid_from, valid_to, current } = dated(row)?;
            let (subject, object) =
                if word == "outgoing" { (spelling.to_owned(), object) } else { (subject, spelling.to_owned()) };
            let (confidence, source_closet) = (row.get(5)?, row.get(6)?);
            let fact = Fact {
                direction: word,
                subject,
                predicate,
                object,
                valid_from,
                valid_to,
                confidence,
                source_closet,
                current,
            };
            if as_of.is_none_or(|day| fact.validity().holds_at(day)) {
                facts.push(fact);
            }
        }
    }
    Ok(facts)
}

/// Entities whose name or id holds the asked words, in the order in which they were first named.
fn candidates_for(conn: &Connection, asked: &str, asked_id: &str) -> Result<Vec<Candidate>, PalaceError> {
    if asked.chars().count() < MIN_GUESS_CHARS {
        return Ok(Vec::new());
    }
    let sql = "SELECT id, name FROM entities
        WHERE id <> ?2 AND (instr(lower(name), lower(?1)) > 0 OR instr(lower(id), lower(?2)) > 0) ORDER BY rowid";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([asked, asked_id])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let candidate = Candidate { id: row.get(0)?, name: row.get(1)? };
        if fact::holds_words(&candidate.name, asked) || fact::id_holds_words(&candidate.id, asked_id) {
            found.push(candidate);
            if found.len() == MAX_CANDIDATES {
                break;
            }
        }
    }
    Ok(found)
}
