//! The log as somebody may see it whose token names streams: what its events, artifacts, lists and writes are narrowed to.
//!
//! # Design
//! A [`Logstream`] carries a [`Reach`], and every question and every write through it is held to that. So no tool, stream or page has to
//! think of it, and a new one cannot forget it: whoever serves a request takes the log by [`Logstream::within`] once. An artifact is in no
//! stream; it is seen by whoever sees an event that names it, and, as long as no event does, by whoever knows its id.

use loggia_domain::{Event, NewEvent, Reach, Refusal, refusal::quoted};
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::sql::Conditions;
use super::{Live, Logstream, StoreError};

impl Logstream {
    /// The same log, as far as somebody may see it.
    #[must_use]
    pub fn within(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// As far as it is seen here.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Whether an event may be written here: its stream must be seen, and the artifacts that it names, or writing would be a way to read.
    pub(super) async fn check_reach(&self, event: &NewEvent) -> Result<(), StoreError> {
        if self.reach.is_everything() {
            return Ok(());
        }
        if !self.reach.sees(&event.stream) {
            let message = format!("stream {} is outside what this token may write to", quoted(&event.stream));
            return Err(StoreError::Refused(
                Refusal::new("stream", message)
                    .value(event.stream.as_str())
                    .accepted(self.reach.patterns().join(", "))
                    .hint("the token was made with --stream; use another token"),
            ));
        }
        if event.artifact_ids.is_empty() {
            return Ok(());
        }
        let (reach, ids) = (self.reach.clone(), event.artifact_ids.clone());
        let hidden = self.read(move |conn| {
            for id in ids {
                if !sees_artifact(conn, &id, &reach)? {
                    return Ok(Some(id));
                }
            }
            Ok(None)
        });
        match hidden.await? {
            None => Ok(()),
            // The words for one that does not exist: that it exists is not this token's to know.
            Some(id) => Err(StoreError::Refused(
                Refusal::new("artifact_ids", format!("artifact {} not found", quoted(&id))).value(id),
            )),
        }
    }
}

impl Live {
    /// The same, as far as somebody sees the log.
    #[must_use]
    pub fn within(mut self, log: &Logstream) -> Self {
        self.projection = self.projection.within(log);
        self
    }
}

/// The event, if it is seen.
pub(super) fn seen(event: Option<Event>, reach: &Reach) -> Option<Event> {
    event.filter(|event| reach.sees(&event.stream))
}

/// Whether an artifact is seen: an event that is seen names it, or no event does.
pub(super) fn sees_artifact(conn: &Connection, id: &str, reach: &Reach) -> Result<bool, StoreError> {
    if reach.is_everything() {
        return Ok(true);
    }
    let named = "SELECT 1 FROM event_artifacts a JOIN events r ON r.id = a.event_id";
    let mut wanted = Conditions::default();
    wanted.push("a.artifact_id = ?", id.to_owned());
    let ask = |wanted: &Conditions| {
        let sql = format!("{named} {} LIMIT 1", wanted.where_clause());
        conn.prepare_cached(&sql)?.query_row(wanted.params(), |_| Ok(())).optional()
    };
    if ask(&wanted)?.is_none() {
        return Ok(true);
    }
    wanted.push_reach("r.stream", reach);
    Ok(ask(&wanted)?.is_some())
}

/// How many events of a correlation are seen.
pub(super) fn count_of_correlation(conn: &Connection, id: &str, reach: &Reach) -> Result<i64, StoreError> {
    let mut wanted = Conditions::default();
    wanted.push("correlation_id = ?", id.to_owned());
    wanted.push_reach("stream", reach);
    let sql = format!("SELECT count(*) FROM events {}", wanted.where_clause());
    Ok(conn.prepare_cached(&sql)?.query_row(wanted.params(), |r| r.get(0))?)
}

/// Where a delegation's card has its stream.
pub(super) const CARD_STREAM: &str = "json_extract(card, '$.stream')";

/// Conditions on the stream of a card, for a statement without other values: the text to join by AND, and its values.
pub(super) fn of_card(reach: &Reach) -> (String, impl rusqlite::Params) {
    let mut wanted = Conditions::default();
    wanted.push_reach(CARD_STREAM, reach);
    let clause = wanted.where_clause().replacen("WHERE", "AND", 1);
    (clause, params_from_iter(wanted.into_values()))
}
