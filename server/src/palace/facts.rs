//! Facts: what is said about whom and from when to when, added, ended and replaced here. Asking is [`ask`]'s.
//!
//! # Design
//! A fact is never changed but for its end, and never deleted: what was once believed stays a part of the history. Two ends of one
//! fact are entities, made when they are first named; the first spelling of a name stays.

pub mod ask;

use loggia_domain::palace::fact::{self, Direction};
use loggia_domain::palace::temporal::{self, Validity};
use loggia_domain::timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::json;

use super::moment::Moment;
use super::record::Record;
use super::{PalaceError, PalaceStore, Turn};
use ask::{FactStats, Known, Timeline};

/// A fact to add; its parts are checked.
#[derive(Debug, Clone, Default)]
pub struct NewFact {
    /// Whom it is about.
    pub subject: String,
    /// What is said.
    pub predicate: String,
    /// What or whom it says it of.
    pub object: String,
    /// Since when it holds; none is since ever.
    pub valid_from: Option<String>,
    /// Until when; none is for ever.
    pub valid_to: Option<String>,
    /// Where it was read, as far as known.
    pub source: Source,
}

/// Where a fact was read.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// A closet.
    pub closet: Option<String>,
    /// A file.
    pub file: Option<String>,
    /// A drawer.
    pub drawer_id: Option<String>,
}

/// A fact that another one takes the place of.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Whom both are about.
    pub subject: String,
    /// What both say.
    pub predicate: String,
    /// What the old one says it of.
    pub old_object: String,
    /// What the new one does.
    pub new_object: String,
    /// When, to the second; none is now.
    pub at: Option<String>,
}

/// A fact by the ids that it is found by.
struct Key {
    subject: String,
    predicate: String,
    object: String,
}

impl Key {
    fn of(subject: &str, predicate: &str, object: &str) -> Self {
        Self {
            subject: fact::entity_id(subject),
            predicate: fact::predicate(predicate),
            object: fact::entity_id(object),
        }
    }

    /// The ids and starts of the facts of this key that have no end.
    fn open(&self, conn: &Connection) -> Result<Vec<(String, Option<String>)>, PalaceError> {
        let sql = "SELECT id, valid_from FROM triples
            WHERE subject = ?1 AND object = ?2 AND predicate = ?3 AND valid_to IS NULL ORDER BY rowid";
        let mut statement = conn.prepare_cached(sql)?;
        let rows =
            statement.query_map([&self.subject, &self.object, &self.predicate], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Ends all open facts of this key. `field` is what the end is called in the call; one that lies before a start ends nothing.
    fn close(&self, conn: &Connection, field: &str, end: &str) -> Result<(), PalaceError> {
        let open = self.open(conn)?;
        for (_, from) in &open {
            Validity { from: from.as_deref(), to: Some(end) }.check(field)?;
        }
        for (id, _) in &open {
            conn.prepare_cached("UPDATE triples SET valid_to = ?2 WHERE id = ?1")?.execute([id, end])?;
        }
        Ok(())
    }
}

impl PalaceStore {
    /// Adds a fact; its id. One that is open already is not added again, and keeps its dates.
    pub async fn add_fact(&self, new: NewFact) -> Result<String, PalaceError> {
        let params = json!({
            "subject": new.subject, "predicate": new.predicate, "object": new.object,
            "valid_from": new.valid_from, "valid_to": new.valid_to,
        });
        self.write(Some(Record::new("kg_add", params)), move |turn| add(turn, &new)).await
    }

    /// Ends the open facts that say this, today if no end is given; the end. That there are none is no error.
    pub async fn end_fact(
        &self,
        (subject, predicate, object): (String, String, String),
        ended: Option<String>,
    ) -> Result<String, PalaceError> {
        let params = json!({"subject": subject, "predicate": predicate, "object": object, "ended": ended});
        self.write(Some(Record::new("kg_invalidate", params)), move |turn| {
            let ended = ended.unwrap_or_else(|| turn.now.local_date());
            Key::of(&subject, &predicate, &object).close(turn.conn, "ended", &ended)?;
            Ok(ended)
        })
        .await
    }

    /// Ends the open old fact and adds the new one at the same second, both or neither; the new one's id.
    pub async fn replace_fact(&self, replacement: Replacement) -> Result<String, PalaceError> {
        let params = json!({
            "subject": replacement.subject, "predicate": replacement.predicate,
            "old_object": replacement.old_object, "new_object": replacement.new_object, "at": replacement.at,
        });
        self.write(Some(Record::new("kg_supersede", params)), move |turn| replace(turn, replacement)).await
    }

    /// What is known about an entity.
    pub async fn facts_about(
        &self,
        entity: String,
        as_of: Option<String>,
        direction: Direction,
    ) -> Result<Known, PalaceError> {
        self.read(move |conn| ask::about(conn, &entity, as_of.as_deref(), direction)).await
    }

    /// A page of the facts in the order in which they began, of one entity or of all.
    pub async fn fact_timeline(
        &self,
        entity: Option<String>,
        limit: u32,
        offset: u32,
    ) -> Result<Timeline, PalaceError> {
        self.read(move |conn| ask::timeline(conn, entity.as_deref(), limit, offset)).await
    }

    /// How many facts there are, and of which kinds.
    pub async fn fact_stats(&self) -> Result<FactStats, PalaceError> {
        self.read(ask::stats).await
    }
}

fn add(turn: &Turn<'_>, new: &NewFact) -> Result<String, PalaceError> {
    Validity { from: new.valid_from.as_deref(), to: new.valid_to.as_deref() }.check("valid_to")?;
    let key = Key::of(&new.subject, &new.predicate, &new.object);
    for (id, name) in [(&key.subject, &new.subject), (&key.object, &new.object)] {
        let sql = "INSERT OR IGNORE INTO entities (id, name, created_at) VALUES (?1, ?2, ?3)";
        turn.conn.prepare_cached(sql)?.execute([id, name, &clock_text(turn.now)])?;
    }
    if let Some((id, _)) = key.open(turn.conn)?.into_iter().next() {
        return Ok(id);
    }
    let from = new.valid_from.as_deref();
    let id = fact::triple_id(&key.subject, &key.predicate, &key.object, from, &turn.now.local_iso());
    let sql = "INSERT INTO triples (id, subject, predicate, object, valid_from, valid_to,
            source_closet, source_file, source_drawer_id, extracted_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    turn.conn.prepare_cached(sql)?.execute(params![
        id,
        key.subject,
        key.predicate,
        key.object,
        new.valid_from,
        new.valid_to,
        new.source.closet,
        new.source.file,
        new.source.drawer_id,
        clock_text(turn.now),
    ])?;
    Ok(id)
}

fn replace(turn: &Turn<'_>, replacement: Replacement) -> Result<String, PalaceError> {
    let Replacement { subject, predicate, old_object, new_object, at } = replacement;
    let at = at.unwrap_or_else(|| timestamp::created_at(turn.now.utc));
    let at = temporal::start(&at).into_owned();
    Key::of(&subject, &predicate, &old_object).close(turn.conn, "at", &at)?;
    add(turn, &NewFact { subject, predicate, object: new_object, valid_from: Some(at), ..NewFact::default() })
}

/// `YYYY-MM-DD HH:MM:SS`, UTC: how rows of facts and entities are stamped.
fn clock_text(now: Moment) -> String {
    timestamp::created_at(now.utc).replace('T', " ").trim_end_matches('Z').to_owned()
}

/// The name of an entity, if there is one of this id.
fn name_of(conn: &Connection, id: &str) -> Result<Option<String>, PalaceError> {
    Ok(conn.prepare_cached("SELECT name FROM entities WHERE id = ?1")?.query_row([id], |r| r.get(0)).optional()?)
}
