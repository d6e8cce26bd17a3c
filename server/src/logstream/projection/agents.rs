//! What the projection keeps of agents: what each spelling of a name wrote last in each stream, what it announced, which open
//! delegations are its own or wait for it; and how many events there were in each hour.
//!
//! Rows are kept for each stream, so that whoever sees some streams only gets the figures of those.

use std::collections::BTreeMap;

use loggia_domain::delegation::Delegation;
use loggia_domain::presence::{Announcement, key};
use rusqlite::{Connection, params};

use super::read::Places;
use super::sql::Conditions;
use super::{Projection, StoreError, Taken, cards, reach};

/// Its tables.
pub(super) const TABLES: &str = "
CREATE TABLE agents (name TEXT NOT NULL, stream TEXT NOT NULL, events INTEGER NOT NULL, last_seq INTEGER NOT NULL, last_at TEXT,
    said_seq INTEGER NOT NULL, said TEXT, PRIMARY KEY (name, stream)) WITHOUT ROWID;
CREATE TABLE loops (agent TEXT NOT NULL, side TEXT NOT NULL, correlation_id TEXT NOT NULL,
    PRIMARY KEY (agent, side, correlation_id)) WITHOUT ROWID;
CREATE INDEX loops_correlation ON loops(correlation_id);
CREATE TABLE hours (hour TEXT NOT NULL, stream TEXT NOT NULL, events INTEGER NOT NULL, first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL, PRIMARY KEY (hour, stream)) WITHOUT ROWID;";

/// What one spelling of a name is known for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFigures {
    /// The spelling.
    pub name: String,
    /// How many events it wrote; 0 for one that was only written to.
    pub events: u64,
    /// The arrival number of the last of them, 0 for none.
    pub last_seq: i64,
    /// `created_at` of that.
    pub last_at: Option<String>,
    /// The arrival number of its last announcement, 0 for none.
    pub said_seq: i64,
    /// That announcement.
    pub said: Option<Announcement>,
}

/// On which side of an open delegation an agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It works on it, or was asked by name and nobody has taken it.
    To,
    /// It asked.
    From,
}

impl Side {
    fn as_str(self) -> &'static str {
        match self {
            Self::To => "to",
            Self::From => "from",
        }
    }
}

impl Projection {
    /// What every spelling of every name is known for, whoever wrote last first.
    pub async fn agents(&self) -> Result<Vec<AgentFigures>, StoreError> {
        let reach = self.reach.clone();
        self.read(move |conn| {
            let mut statement =
                conn.prepare_cached("SELECT name, stream, events, last_seq, last_at, said_seq, said FROM agents")?;
            let mut rows = statement.query([])?;
            let mut found: BTreeMap<String, AgentFigures> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                if !reach.sees(&row.get::<_, String>(1)?) {
                    continue;
                }
                let name: String = row.get(0)?;
                let figures = found.entry(name).or_insert_with_key(|name| AgentFigures {
                    name: name.clone(),
                    events: 0,
                    last_seq: 0,
                    last_at: None,
                    said_seq: 0,
                    said: None,
                });
                figures.events += u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
                let (last_seq, said_seq): (i64, i64) = (row.get(3)?, row.get(5)?);
                if last_seq > figures.last_seq {
                    (figures.last_seq, figures.last_at) = (last_seq, row.get(4)?);
                }
                if said_seq > figures.said_seq {
                    let said: Option<String> = row.get(6)?;
                    (figures.said_seq, figures.said) = (said_seq, said.and_then(|s| serde_json::from_str(&s).ok()));
                }
            }
            let mut found: Vec<AgentFigures> = found.into_values().collect();
            found.sort_by(|a, b| b.last_seq.cmp(&a.last_seq).then_with(|| a.name.cmp(&b.name)));
            Ok(found)
        })
        .await
    }

    /// How many open delegations each agent has on its sides, by [`key`]: those that wait for it, and those that it asked for.
    pub async fn open_loops(&self) -> Result<BTreeMap<String, (u64, u64)>, StoreError> {
        let mut wanted = Conditions::default();
        wanted.push_reach(reach::CARD_STREAM, &self.reach);
        self.read(move |conn| {
            let which = wanted.where_clause();
            let sql = format!(
                "SELECT agent, side, count(*) FROM loops JOIN delegations USING (correlation_id) {which} GROUP BY agent, side"
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let mut rows = statement.query(wanted.params())?;
            let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let counts = found.entry(row.get(0)?).or_default();
                let count = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
                if row.get::<_, String>(1)? == Side::To.as_str() { counts.0 = count } else { counts.1 = count }
            }
            Ok(found)
        })
        .await
    }

    /// The open delegations on one side of an agent, longest waiting first, at most `limit`, without their steps.
    pub async fn loops_of(&self, agent: &str, side: Side, limit: usize) -> Result<Vec<Delegation>, StoreError> {
        let mut wanted = Conditions::default();
        wanted.push("agent = ?", key(agent));
        wanted.push("side = ?", side.as_str().to_owned());
        wanted.push_reach(reach::CARD_STREAM, &self.reach);
        let read = self.read(move |conn| {
            let which = wanted.where_clause();
            let sql = format!(
                "SELECT card FROM loops JOIN delegations USING (correlation_id) {which}
                 ORDER BY coalesce(pending_since_ms, last_at_ms) LIMIT {limit}"
            );
            cards(conn, &sql, wanted.params())
        });
        self.as_seen(read.await?).await
    }

    /// Where everything lies that was authored in a window of time (`YYYY-MM-DDTHH:MM:SSZ`, the end exclusive).
    pub async fn places(&self, since: Option<String>, before: Option<String>) -> Result<Places, StoreError> {
        self.read(move |conn| {
            let tx = conn.unchecked_transaction()?;
            let conn = &tx;
            let hour = |at: &String| at.get(..13).map(str::to_owned);
            let counted: i64 = conn.query_row("SELECT seq FROM progress", [], |r| r.get(0))?;
            let first = match since.as_ref().and_then(hour) {
                None => i64::MIN,
                Some(hour) => conn
                    .prepare_cached("SELECT min(first_seq) FROM hours WHERE hour >= ?1")?
                    .query_row([hour], |r| r.get::<_, Option<i64>>(0))?
                    .unwrap_or(counted + 1),
            };
            let last = match before.as_ref().and_then(hour) {
                None => i64::MAX,
                Some(hour) => conn
                    .prepare_cached("SELECT max(last_seq) FROM hours WHERE hour <= ?1")?
                    .query_row([hour], |r| r.get::<_, Option<i64>>(0))?
                    .unwrap_or(0),
            };
            Ok(Places { first, last, counted })
        })
        .await
    }

    /// How many events there were in each hour from `since` on (`YYYY-MM-DDTHH`, as authored), oldest first; hours without any are left
    /// out.
    pub async fn hours(&self, since: String) -> Result<Vec<(String, u64)>, StoreError> {
        let reach = self.reach.clone();
        self.read(move |conn| {
            let mut statement =
                conn.prepare_cached("SELECT hour, stream, events FROM hours WHERE hour >= ?1 ORDER BY hour, stream")?;
            let mut rows = statement.query([since])?;
            let mut found: Vec<(String, u64)> = Vec::new();
            while let Some(row) = rows.next()? {
                if !reach.sees(&row.get::<_, String>(1)?) {
                    continue;
                }
                let (hour, events): (String, i64) = (row.get(0)?, row.get(2)?);
                let events = u64::try_from(events).unwrap_or(0);
                match found.last_mut() {
                    Some((last, sum)) if *last == hour => *sum += events,
                    _ => found.push((hour, events)),
                }
            }
            Ok(found)
        })
        .await
    }
}

/// What the events of one step add to a name in a stream.
#[derive(Default)]
struct Added<'a> {
    events: i64,
    last: Option<(i64, &'a str)>,
    said: Option<(i64, String)>,
}

/// Takes the events of one step into the figures.
pub(super) fn take(tx: &Connection, rows: &[Taken]) -> Result<(), StoreError> {
    let mut agents: BTreeMap<(&str, &str), Added<'_>> = BTreeMap::new();
    let mut hours: BTreeMap<(&str, &str), (i64, i64, i64)> = BTreeMap::new();
    for row in rows {
        if let Some(hour) = row.created_at.get(..13) {
            let (events, _, last) = hours.entry((hour, &row.stream)).or_insert((0, row.seq, row.seq));
            (*events, *last) = (*events + 1, row.seq);
        }
        if let Some(to) = row.to_agent.as_deref().filter(|to| *to != "*" && *to != row.from_agent) {
            agents.entry((to, &row.stream)).or_default();
        }
        let added = agents.entry((&row.from_agent, &row.stream)).or_default();
        added.events += 1;
        added.last = Some((row.seq, row.created_at.as_str()));
        if let Some(said) = &row.said {
            added.said = Some((row.seq, json(said)?));
        }
    }
    for ((name, stream), added) in agents {
        let (last_seq, last_at) = added.last.unzip();
        let (said_seq, said) = added.said.unzip();
        tx.prepare_cached(
            "INSERT INTO agents VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE
             SET events = events + excluded.events, last_seq = max(last_seq, excluded.last_seq),
                 last_at = coalesce(excluded.last_at, last_at), said_seq = max(said_seq, excluded.said_seq),
                 said = coalesce(excluded.said, said)",
        )?
        .execute(params![
            name,
            stream,
            added.events,
            last_seq.unwrap_or(0),
            last_at,
            said_seq.unwrap_or(0),
            said
        ])?;
    }
    for ((hour, stream), (events, first, last)) in hours {
        tx.prepare_cached(
            "INSERT INTO hours VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET events = events + excluded.events,
                 last_seq = excluded.last_seq",
        )?
        .execute(params![hour, stream, events, first, last])?;
    }
    Ok(())
}

/// Keeps on whose sides a delegation is open; on nobody's once it is final or gone.
pub(super) fn keep_loops(tx: &Connection, correlation_id: &str, card: Option<&Delegation>) -> Result<(), StoreError> {
    tx.prepare_cached("DELETE FROM loops WHERE correlation_id = ?1")?.execute([correlation_id])?;
    let Some(card) = card.filter(|card| !card.state.is_final()) else { return Ok(()) };
    let worker = card.claimant.as_ref().or(card.assignee.as_ref()).filter(|name| *name != "*");
    for (name, side) in worker.map(|name| (name, Side::To)).into_iter().chain([(&card.requester, Side::From)]) {
        tx.prepare_cached("INSERT OR IGNORE INTO loops VALUES (?1, ?2, ?3)")?.execute(params![
            key(name),
            side.as_str(),
            correlation_id
        ])?;
    }
    Ok(())
}

fn json(said: &Announcement) -> Result<String, StoreError> {
    serde_json::to_string(said).map_err(|e| StoreError::Storage(e.to_string()))
}
