//! The log as it stood when some event had arrived: the event itself, its neighbours, and delegations folded up to it. By local arrival
//! order, which is what this hub knew at that moment; a peer's older events that came later are not in it.

use loggia_domain::delegation::{self, Delegation};
use loggia_domain::presence::ANNOUNCEMENT;
use loggia_domain::{Event, Refusal, refusal::quoted};
use rusqlite::{Connection, OptionalExtension};

use super::read::{self, in_snapshot};
use super::sql::{self, Conditions};
use super::{Logstream, StoreError};

/// A moment that somebody names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// When this event had arrived.
    Event(String),
    /// When the event with this arrival number had arrived, or the last one before it.
    Seq(i64),
}

/// A moment of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The last event that had arrived, its body cut to a preview.
    pub event: Event,
    /// The event that arrived before it.
    pub older: Option<String>,
    /// The event that arrived after it.
    pub newer: Option<String>,
    /// The arrival number of the first event of the log.
    pub first_seq: i64,
    /// The arrival number of the newest event of the log.
    pub newest_seq: i64,
}

impl Logstream {
    /// The moment that `at` names; an event that is not there is `NotFound`.
    pub async fn point(&self, at: At) -> Result<Point, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            in_snapshot(conn, |conn| {
                let near = |compare: &str, seq: i64, order: &str| -> Result<Option<(i64, String)>, StoreError> {
                    let mut wanted = Conditions::default();
                    wanted.push(&format!("rowid {compare} ?"), seq);
                    wanted.push_reach("stream", &reach);
                    let clause = wanted.where_clause();
                    let sql = format!("SELECT rowid, id FROM events {clause} ORDER BY rowid {order} LIMIT 1");
                    let found = conn.prepare_cached(&sql)?.query_row(wanted.params(), |r| Ok((r.get(0)?, r.get(1)?)));
                    Ok(found.optional()?)
                };
                let (id, named) = match at {
                    At::Event(id) => (Some(id.clone()), id),
                    At::Seq(seq) => {
                        let found = near("<=", seq, "DESC")?.or(near(">", seq, "ASC")?);
                        (found.map(|(_, id)| id), seq.to_string())
                    }
                };
                let event = match id {
                    Some(id) => read::event(conn, &id)?.filter(|event| reach.sees(&event.stream)),
                    None => None,
                };
                let Some(mut event) = event else {
                    let message = format!("event {} not found", quoted(&named));
                    return Err(StoreError::NotFound(Refusal::new("at", message).value(named)));
                };
                event.preview();
                Ok(Point {
                    older: near("<", event.seq, "DESC")?.map(|(_, id)| id),
                    newer: near(">", event.seq, "ASC")?.map(|(_, id)| id),
                    first_seq: near(">=", 0, "ASC")?.map_or(event.seq, |(seq, _)| seq),
                    newest_seq: near("<", i64::MAX, "DESC")?.map_or(event.seq, |(seq, _)| seq),
                    event,
                })
            })
        })
        .await
    }

    /// Delegations as they stood when the event `seq` had arrived, without their steps; those that had not begun are left out.
    pub async fn delegations_at(&self, ids: Vec<String>, seq: i64) -> Result<Vec<Delegation>, StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            in_snapshot(conn, |conn| {
                let columns = sql::card_columns();
                let mut found = Vec::with_capacity(ids.len());
                for id in ids {
                    let mut events = read::course(conn, &id, seq, &columns)?;
                    events.retain(|event| reach.sees(&event.stream));
                    found.extend(delegation::fold(&events).map(|d| Delegation { steps: Vec::new(), ..d }));
                }
                Ok(found)
            })
        })
        .await
    }

    /// The events of one correlation that had arrived with the event `seq`, and how many there were in all.
    pub async fn correlation_at(&self, id: String, seq: i64) -> Result<(Vec<Event>, u64), StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            in_snapshot(conn, |conn| {
                let mut events = read::course(conn, &id, seq, sql::EVENT_COLUMNS)?;
                events.retain(|event| reach.sees(&event.stream));
                let mut wanted = Conditions::default();
                wanted.push("correlation_id = ?", id.clone());
                wanted.push("rowid <= ?", seq);
                wanted.push_reach("stream", &reach);
                let sql = format!("SELECT count(*) FROM events {}", wanted.where_clause());
                let total: i64 = conn.prepare_cached(&sql)?.query_row(wanted.params(), |r| r.get(0))?;
                Ok((events, u64::try_from(total).unwrap_or(0)))
            })
        })
        .await
    }

    /// The newest event that an agent wrote, and the newest of its announcements, bodies cut to previews.
    pub async fn last_words(&self, agent: String) -> Result<(Option<Event>, Option<Event>), StoreError> {
        let reach = self.reach().clone();
        self.read(move |conn| {
            let newest = |conn: &Connection, event_type: Option<&str>| -> Result<Option<Event>, StoreError> {
                let mut wanted = Conditions::default();
                wanted.push("from_agent = ?", agent.clone());
                if let Some(event_type) = event_type {
                    wanted.push("type = ?", event_type.to_owned());
                }
                wanted.push_reach("stream", &reach);
                let mut found = read::matching(conn, &wanted, read::Order::Desc, 1)?;
                found.iter_mut().for_each(Event::preview);
                Ok(found.pop())
            };
            in_snapshot(conn, |conn| Ok((newest(conn, None)?, newest(conn, Some(ANNOUNCEMENT))?)))
        })
        .await
    }
}
