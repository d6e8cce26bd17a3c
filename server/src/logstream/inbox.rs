//! What is addressed to an agent under any of its spellings, and how much of it is new since an event.

use loggia_domain::{Column, Event, Filter};
use rusqlite::OptionalExtension;

use super::read::{self, Order};
use super::sql::Conditions;
use super::{Logstream, StoreError};

/// How many new events are counted at most; where there are more, the count is this.
pub const MAX_UNREAD: usize = 100;

/// Whose inbox, and since when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inbox {
    /// The agent, in all spellings.
    pub names: Vec<String>,
    /// The last event that was read; what arrived after it is new. An id that the log does not know is none.
    pub read: Option<String>,
    /// Writers whose events are not counted as new, in all spellings: the agent itself, the reader's own agent.
    pub own: Vec<String>,
}

impl Inbox {
    /// Everything that is for the agent, by name or for everybody.
    fn wanted(&self, log: &Logstream) -> Conditions {
        let mut filter = Filter { within: log.reach().clone(), ..Filter::default() };
        for name in &self.names {
            filter = filter.with(Column::ToAgent, name);
        }
        let mut wanted = Conditions::default();
        wanted.push_filter(&filter);
        wanted
    }
}

impl Logstream {
    /// How many events of each inbox are new, at most [`MAX_UNREAD`]. Only so many of the newest are looked at, whoever wrote them.
    pub async fn unread(&self, inboxes: Vec<Inbox>) -> Result<Vec<usize>, StoreError> {
        let log = self.clone();
        self.read(move |conn| {
            let mut counts = Vec::with_capacity(inboxes.len());
            for inbox in &inboxes {
                let mut wanted = inbox.wanted(&log);
                wanted.push("rowid > ?", seq_of(conn, inbox.read.as_deref())?);
                let sql =
                    format!("SELECT from_agent FROM events WHERE rowid IN ({})", wanted.rowids("DESC", MAX_UNREAD));
                let mut statement = conn.prepare_cached(&sql)?;
                let writers = statement.query_map(wanted.params(), |r| r.get::<_, String>(0))?;
                let mut count = 0;
                for writer in writers {
                    count += usize::from(!inbox.own.contains(&writer?));
                }
                counts.push(count);
            }
            Ok(counts)
        })
        .await
    }

    /// The newest events of an inbox, newest first, each with whether it is new.
    pub async fn inbox(&self, inbox: Inbox, limit: usize) -> Result<Vec<(Event, bool)>, StoreError> {
        let log = self.clone();
        self.read(move |conn| {
            let read = seq_of(conn, inbox.read.as_deref())?;
            let mut wanted = inbox.wanted(&log);
            for name in &inbox.names {
                wanted.push("from_agent <> ?", name.clone());
            }
            let events = read::matching(conn, &wanted, Order::Desc, limit)?;
            let is_new = |event: &Event| event.seq > read && !inbox.own.contains(&event.from_agent);
            Ok(events
                .into_iter()
                .map(|event| {
                    let new = is_new(&event);
                    (event, new)
                })
                .collect())
        })
        .await
    }
}

fn seq_of(conn: &rusqlite::Connection, event_id: Option<&str>) -> Result<i64, StoreError> {
    let Some(id) = event_id else { return Ok(0) };
    let seq =
        conn.prepare_cached("SELECT rowid FROM events WHERE id = ?1")?.query_row([id], |r| r.get(0)).optional()?;
    Ok(seq.unwrap_or(0))
}
