//! What people look through: who keeps a diary, a diary page by page, facts newest first, and what was last written. Reading only;
//! agents have questions of their own (`ops`).

use std::collections::{BTreeMap, HashMap};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use loggia_domain::palace::diary::ROOM;
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};
use serde_json::Value;

use super::diary::{self, Entry, SPELLING};
use super::facts::ask::Dated;
use super::rows::{self, Row};
use super::{PalaceError, PalaceStore, moment, record};

/// How many texts of a diary one page holds at most, in characters, unless a single one is longer.
const PAGE_CHARS: usize = 400_000;
/// How far back the write log is read, in bytes.
const TAIL_BYTES: u64 = 256 * 1024;
/// How long the question for changes waits for another process that holds the file: it comes again soon.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many topics of a diary are told.
const MAX_TOPICS: usize = 40;

/// Somebody who keeps a diary here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diarist {
    /// The name in lower case, by which the diary is found; empty for entries that name nobody.
    pub agent: String,
    /// The name as it was last spelled.
    pub spelling: String,
    /// How many entries.
    pub entries: u64,
    /// When the last one was written: naive local time.
    pub newest: String,
}

/// An entry as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its id.
    pub entry_id: String,
    /// Who wrote it, as spelled.
    pub agent: String,
    /// The local day.
    pub date: String,
    /// When: naive local time of the hub that wrote it.
    pub timestamp: String,
    /// What it is about.
    pub topic: String,
    /// The wing it lies in.
    pub wing: String,
    /// The whole text.
    pub content: String,
}

/// A part of one or several diaries, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaves {
    /// The entries.
    pub entries: Vec<Leaf>,
    /// How many there are in all.
    pub total: u64,
    /// How many entries there are of each topic, whatever topic was asked for, most first.
    pub topics: Vec<(String, u64)>,
}

/// A line of the write log: what was written, with what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// When: naive local time.
    pub at: String,
    /// The tool's word for it: `add_drawer`.
    pub operation: String,
    /// What it was about, texts redacted.
    pub params: Value,
}

/// A connection that does nothing but tell whether the file has changed since.
pub struct Watch {
    conn: Mutex<Connection>,
    opened_ms: i128,
}

impl Watch {
    /// On a palace's file, which must exist.
    pub fn open(path: &Path) -> Result<Self, PalaceError> {
        let conn =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        conn.busy_timeout(PATIENCE)?;
        Ok(Self {
            conn: Mutex::new(conn),
            opened_ms: time::OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000,
        })
    }

    /// `PRAGMA data_version` counts the commits of others as one connection has seen them, hence always the same one.
    fn version(&self) -> Result<String, PalaceError> {
        let conn = self.conn.lock().unwrap_or_else(PoisonError::into_inner);
        let commits: i64 = conn.prepare_cached("PRAGMA data_version")?.query_row([], |r| r.get(0))?;
        Ok(format!("{:x}-{commits}", self.opened_ms))
    }
}

impl PalaceStore {
    /// A text that is another one after every change of the file, by whatever process, and after every start.
    pub async fn version(&self) -> Result<String, PalaceError> {
        let store = self.clone();
        tokio::task::spawn_blocking(move || store.inner.watch.version()).await.map_err(|_| PalaceError::Closed)?
    }

    /// The hub's local day, `YYYY-MM-DD`.
    pub async fn local_date(&self) -> Result<String, PalaceError> {
        self.read(|conn| Ok(moment::now(conn)?.local_date())).await
    }

    /// Who keeps a diary, the last writer first.
    pub async fn diarists(&self) -> Result<Vec<Diarist>, PalaceError> {
        self.read(diarists).await
    }

    /// A part of the diaries of some agents (in lower case), of one topic or of all.
    pub async fn leaves(
        &self,
        agents: Vec<String>,
        topic: Option<String>,
        limit: usize,
        offset: usize,
    ) -> Result<Leaves, PalaceError> {
        self.read(move |conn| leaves(conn, &agents, topic.as_deref(), limit, offset)).await
    }

    /// A page of all facts, the latest start first, those without one last; and how many there are.
    pub async fn latest_facts(&self, limit: usize, offset: usize) -> Result<(Vec<Dated>, u64), PalaceError> {
        self.read(move |conn| super::facts::ask::latest(conn, limit, offset)).await
    }

    /// What was written last and was not refused, newest first, as far as the end of the write log tells.
    pub async fn last_written(&self, limit: usize) -> Result<Vec<Written>, PalaceError> {
        let path = record::path_beside(self.path());
        let tail = move || -> Result<Vec<Written>, PalaceError> {
            let mut file = match std::fs::File::open(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
                file => file?,
            };
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
            let mut tail = Vec::new();
            file.read_to_end(&mut tail)?;
            Ok(written(&String::from_utf8_lossy(&tail), limit))
        };
        tokio::task::spawn_blocking(tail).await.map_err(|_| PalaceError::Closed)?
    }
}

fn diarists(conn: &Connection) -> Result<Vec<Diarist>, PalaceError> {
    let sql = "SELECT agent_key, count(*), max(filed_key) FROM drawers INDEXED BY heads_diary
        WHERE is_head = 1 AND room = 'diary' GROUP BY agent_key ORDER BY 3 DESC, 1";
    let mut statement = conn.prepare_cached(sql)?;
    let mut found: Vec<Diarist> = statement
        .query_map([], |r| {
            Ok(Diarist {
                agent: r.get::<_, Option<String>>(0)?.unwrap_or_default(),
                spelling: String::new(),
                entries: r.get::<_, u32>(1)?.into(),
                newest: r.get::<_, Option<String>>(2)?.unwrap_or_default(),
            })
        })?
        .collect::<Result<_, _>>()?;
    for diarist in &mut found {
        let last = heads(conn, std::slice::from_ref(&diarist.agent), None, 1, 0)?;
        diarist.spelling = last.first().map_or_else(|| diarist.agent.clone(), spelling);
    }
    Ok(found)
}

fn leaves(
    conn: &Connection,
    agents: &[String],
    topic: Option<&str>,
    limit: usize,
    offset: usize,
) -> Result<Leaves, PalaceError> {
    let topics = topics(conn, agents)?;
    let fits = |(name, _): &&(String, u64)| topic.is_none_or(|topic| topic == name.as_str());
    let total = topics.iter().filter(fits).map(|(_, count)| count).sum();
    let mut entries = Vec::new();
    let mut chars = 0;
    for head in heads(conn, agents, topic, limit, offset)? {
        let leaf = leaf(conn, head)?;
        chars += leaf.content.chars().count();
        if !entries.is_empty() && chars > PAGE_CHARS {
            break;
        }
        entries.push(leaf);
    }
    let mut topics = topics;
    topics.truncate(MAX_TOPICS);
    Ok(Leaves { entries, total, topics })
}

/// The entries of some agents, whose names are bound from `?1` on. The index is named: without figures about the file the planner
/// takes that of all rooms.
fn mine(agents: &[String]) -> String {
    let names: Vec<String> = (1..=agents.len()).map(|n| format!("?{n}")).collect();
    let nobody = if agents.iter().any(String::is_empty) { "d.agent_key IS NULL OR " } else { "" };
    format!(
        "drawers d INDEXED BY heads_diary
         WHERE d.is_head = 1 AND d.room = '{ROOM}' AND ({nobody}d.agent_key IN ({}))",
        names.join(", ")
    )
}

fn topics(conn: &Connection, agents: &[String]) -> Result<Vec<(String, u64)>, PalaceError> {
    let sql = format!("SELECT coalesce(d.topic, ''), count(*) FROM {} GROUP BY 1 ORDER BY 2 DESC, 1", mine(agents));
    let mut statement = conn.prepare_cached(&sql)?;
    let counted = statement.query_map(params_from_iter(agents), |r| Ok((r.get(0)?, u64::from(r.get::<_, u32>(1)?))))?;
    Ok(counted.collect::<Result<_, _>>()?)
}

fn heads(
    conn: &Connection,
    agents: &[String],
    topic: Option<&str>,
    limit: usize,
    offset: usize,
) -> Result<Vec<Row>, PalaceError> {
    let next = agents.len() + 1;
    let sql = format!(
        "SELECT {} FROM {} AND (?{next} IS NULL OR coalesce(d.topic, '') = ?{next})
         ORDER BY {} LIMIT ?{} OFFSET ?{}",
        rows::COLUMNS,
        mine(agents),
        diary::NEWEST_FIRST,
        next + 1,
        next + 2
    );
    let (limit, offset) = (i64::try_from(limit).unwrap_or(i64::MAX), i64::try_from(offset).unwrap_or(i64::MAX));
    let mut values: Vec<&dyn ToSql> = agents.iter().map(|a| a as &dyn ToSql).collect();
    values.extend([&topic as &dyn ToSql, &limit, &offset]);
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_map(values.as_slice(), rows::from_row)?.collect::<Result<_, _>>()?)
}

fn leaf(conn: &Connection, head: Row) -> Result<Leaf, PalaceError> {
    let agent = spelling(&head);
    let Entry { date, timestamp, topic, content, entry_id, wing } = diary::whole(conn, head)?;
    Ok(Leaf { entry_id, agent, date, timestamp, topic, wing, content })
}

fn spelling(head: &Row) -> String {
    let spelled = head.fields.more.get(SPELLING).and_then(Value::as_str);
    spelled.or(head.fields.agent.as_deref()).unwrap_or_default().to_owned()
}

/// What the lines tell that were written and not refused, newest first. A line that was cut is none.
fn written(lines: &str, limit: usize) -> Vec<Written> {
    let mut refused: HashMap<String, bool> = HashMap::new();
    let mut found: BTreeMap<String, Written> = BTreeMap::new();
    for line in lines.lines() {
        let Ok(Value::Object(mut line)) = serde_json::from_str::<Value>(line) else { continue };
        let (Some(Value::String(at)), Some(Value::String(operation))) =
            (line.remove("timestamp"), line.remove("operation"))
        else {
            continue;
        };
        match (line.remove("params"), line.remove("result")) {
            (Some(params), _) => {
                found.insert(at.clone(), Written { at, operation, params });
            }
            (None, result) => {
                let success = result.as_ref().and_then(|r| r.get("success")).and_then(Value::as_bool);
                refused.insert(at, success != Some(true));
            }
        }
    }
    // One that has no outcome yet is still being written, or the hub ended before it could tell.
    found.retain(|at, _| refused.get(at) == Some(&false));
    found.into_values().rev().take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palace::schema;

    #[test]
    fn diaries_are_found_by_their_index() {
        let mut conn = Connection::open_in_memory().expect("memory");
        schema::migrate(&mut conn).expect("made");
        for (agents, how) in [
            (vec!["a"], "INDEX heads_diary (agent_key=?"),
            (vec!["a", "b"], "INDEX heads_diary (agent_key=?"),
            (vec![""], "heads_diary"),
        ] {
            let agents: Vec<String> = agents.into_iter().map(str::to_owned).collect();
            let sql = format!("EXPLAIN QUERY PLAN SELECT count(*) FROM {}", mine(&agents));
            let mut statement = conn.prepare(&sql).expect("a question");
            let steps = statement.query_map(params_from_iter(&agents), |r| r.get::<_, String>(3)).expect("a plan");
            let plan: String = steps.map(|step| step.expect("a step") + "; ").collect();
            assert!(plan.contains(how), "{plan}");
        }
    }

    #[test]
    fn only_what_was_done_is_told_newest_first() {
        let lines = r#"cut":"x"}
{"timestamp":"1","operation":"add_drawer","params":{"wing":"w"},"result":null}
{"timestamp":"2","operation":"kg_add","params":{},"result":null}
{"timestamp":"1","operation":"add_drawer","result":{"success":true}}
{"timestamp":"2","operation":"kg_add","result":{"success":false,"error":"no"}}
{"timestamp":"3","operation":"diary_write","params":{},"result":null}
{"timestamp":"4","operation":"diary_write","params":{"topic":"t"},"result":null}
{"timestamp":"4","operation":"diary_write","result":{"success":true}}
"#;
        let told = |limit| -> Vec<String> { written(lines, limit).into_iter().map(|w| w.operation).collect() };
        assert_eq!(told(9), ["diary_write", "add_drawer"]);
        assert_eq!(told(1), ["diary_write"]);
    }
}
