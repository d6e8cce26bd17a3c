//! The columns of the log and the SQL of a filter: the one place that knows both.

use loggia_domain::{Artifact, ArtifactRecord, Column, Event, Filter, Metadata, Reach};
use rusqlite::Row;

/// What [`event`] reads, in its order; `e` is the events table.
pub const EVENT_COLUMNS: &str =
    "e.id, e.rowid, e.origin_replica, e.origin_seq, e.hlc, e.type, e.stream, e.room, e.topic, e.from_agent,
    e.to_agent, e.correlation_id, e.branch, e.base_commit, e.status, e.body, e.created_at, e.metadata_json,
    CASE WHEN EXISTS (SELECT 1 FROM event_artifacts WHERE event_id = e.id) THEN (SELECT json_group_array(artifact_id) FROM
        (SELECT artifact_id FROM event_artifacts WHERE event_id = e.id ORDER BY artifact_id)) END";

/// How much of a body a card of a delegation needs: its title and the definition of done.
pub const CARD_BODY_CHARS: i64 = 4000;

/// [`EVENT_COLUMNS`] for a fold to a card: bodies are cut to [`CARD_BODY_CHARS`].
pub fn card_columns() -> String {
    EVENT_COLUMNS.replace("e.body", &format!("substr(e.body, 1, {CARD_BODY_CHARS})"))
}

/// An event out of a row of [`EVENT_COLUMNS`].
pub fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    // Most events have none, and a list pays for every row.
    let artifacts = row.get_ref(18)?.as_str_or_null()?;
    let artifact_ids = artifacts.map_or_else(Vec::new, |ids| serde_json::from_str(ids).unwrap_or_default());
    Ok(Event {
        id: row.get(0)?,
        seq: row.get(1)?,
        origin_replica: row.get(2)?,
        origin_seq: row.get(3)?,
        hlc: row.get(4)?,
        event_type: row.get(5)?,
        stream: row.get(6)?,
        room: row.get(7)?,
        topic: row.get(8)?,
        from_agent: row.get(9)?,
        to_agent: row.get(10)?,
        correlation_id: row.get(11)?,
        branch: row.get(12)?,
        base_commit: row.get(13)?,
        status: row.get(14)?,
        body: row.get(15)?,
        body_truncated: false,
        body_length: None,
        created_at: row.get(16)?,
        metadata: Metadata::from_stored(row.get(17)?),
        artifact_ids,
    })
}

/// What [`artifact_record`] reads, in its order.
pub const ARTIFACT_COLUMNS: &str = "id, kind, sha256, size_bytes, created_by, created_at, origin_replica";

/// An artifact without its content, out of a row of [`ARTIFACT_COLUMNS`].
pub fn artifact_record(row: &Row<'_>) -> rusqlite::Result<ArtifactRecord> {
    Ok(ArtifactRecord {
        id: row.get(0)?,
        kind: row.get(1)?,
        sha256: row.get(2)?,
        size_bytes: row.get(3)?,
        created_by: row.get(4)?,
        created_at: row.get(5)?,
        origin_replica: row.get(6)?,
    })
}

/// A whole artifact, out of a row of [`ARTIFACT_COLUMNS`] followed by `content, metadata_json`.
pub fn artifact(row: &Row<'_>) -> rusqlite::Result<Artifact> {
    let record = artifact_record(row)?;
    Ok(Artifact {
        id: record.id,
        kind: record.kind,
        sha256: record.sha256,
        size_bytes: record.size_bytes,
        content: row.get(7)?,
        created_by: record.created_by,
        created_at: record.created_at,
        metadata: Metadata::from_stored(row.get(8)?),
        origin_replica: record.origin_replica,
    })
}

/// Conditions joined by AND, with their values in order.
#[derive(Debug, Default)]
pub struct Conditions {
    clauses: Vec<String>,
    values: Vec<rusqlite::types::Value>,
    /// The place of the first clause that leaves several values open, and that clause for each of them.
    arms: Option<(usize, Vec<String>)>,
}

/// How many values are asked for one by one at most.
const MAX_ARMS: usize = 16;

impl Conditions {
    /// Adds one condition with one `?`.
    pub fn push(&mut self, clause: &str, value: impl Into<rusqlite::types::Value>) {
        let mark = self.mark(value);
        self.clauses.push(clause.replacen('?', &mark, 1));
    }

    /// Adds what a filter asks; the same meaning as [`Filter::matches`].
    pub fn push_filter(&mut self, filter: &Filter) {
        for (column, values) in &filter.any {
            self.push_any(*column, values);
        }
        for (column, values) in &filter.none {
            let marks: Vec<String> = values.iter().map(|v| self.mark(v.clone())).collect();
            self.clauses.push(format!("({0} IS NULL OR {0} NOT IN ({1}))", column.as_str(), marks.join(", ")));
        }
        if let Some(since) = &filter.since_created_at {
            self.push("created_at >= ?", since.clone());
        }
        if let Some(before) = &filter.before_created_at {
            self.push("created_at < ?", before.clone());
        }
        self.push_reach("stream", &filter.within);
    }

    /// Adds that the stream in a column is one that somebody may see; the same meaning as [`Reach::sees`].
    pub fn push_reach(&mut self, column: &str, reach: &Reach) {
        if reach.is_everything() {
            return;
        }
        // GLOB is exact about upper and lower case and knows `*` as we do; its other signs are taken for themselves.
        let exact = |pattern: &String| pattern.replace('[', "[[]").replace('?', "[?]");
        let any: Vec<String> =
            reach.patterns().iter().map(|pattern| format!("{column} GLOB {}", self.mark(exact(pattern)))).collect();
        self.clauses.push(format!("({})", any.join(" OR ")));
    }

    fn push_any(&mut self, column: Column, values: &[String]) {
        let mut all: Vec<&str> = values.iter().map(String::as_str).collect();
        // What is for everybody is for each.
        if column == Column::ToAgent && !all.contains(&"*") {
            all.push("*");
        }
        let marks: Vec<String> = all.into_iter().map(|v| self.mark(v.to_owned())).collect();
        let name = column.as_str();
        if let [one] = &marks[..] {
            self.clauses.push(format!("{name} = {one}"));
            return;
        }
        if self.arms.is_none() && marks.len() <= MAX_ARMS {
            self.arms = Some((self.clauses.len(), marks.iter().map(|mark| format!("{name} = {mark}")).collect()));
        }
        self.clauses.push(format!("{name} IN ({})", marks.join(", ")));
    }

    /// A numbered mark for a value: a clause may stand in a statement more than once.
    fn mark(&mut self, value: impl Into<rusqlite::types::Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// The query for the arrival numbers of the first `limit` matches in a direction, `ASC` or `DESC`.
    ///
    /// Several values of one column are asked for one by one, each through its index in the order of arrival, and merged: with `IN` SQLite
    /// would sort all that match, which on a long log is most of it.
    pub fn rowids(&self, direction: &str, limit: usize) -> String {
        let ordered =
            |wanted: &str| format!("SELECT rowid FROM events {wanted} ORDER BY rowid {direction} LIMIT {limit}");
        let Some((at, arms)) = &self.arms else { return ordered(&self.where_clause()) };
        let arm = |arm: &String| {
            let mut clauses = self.clauses.clone();
            clauses[*at].clone_from(arm);
            format!("SELECT rowid FROM ({})", ordered(&format!("WHERE {}", clauses.join(" AND "))))
        };
        let arms: Vec<String> = arms.iter().map(arm).collect();
        format!("SELECT rowid FROM ({}) ORDER BY rowid {direction} LIMIT {limit}", arms.join(" UNION ALL "))
    }

    /// `WHERE …`, or nothing.
    pub fn where_clause(&self) -> String {
        if self.clauses.is_empty() { String::new() } else { format!("WHERE {}", self.clauses.join(" AND ")) }
    }

    /// The values for the marks, taken out.
    pub fn into_values(self) -> Vec<rusqlite::types::Value> {
        self.values
    }

    /// The values for the marks.
    pub fn params(&self) -> impl rusqlite::Params + '_ {
        rusqlite::params_from_iter(self.values.iter())
    }
}

#[cfg(test)]
mod tests {
    use loggia_domain::{EventDraft, Raw};
    use rusqlite::Connection;

    use super::*;
    use crate::logstream::read::{self, Order};
    use crate::logstream::{Logstream, migrate};

    /// A small deterministic dice: the test must find the same thing every time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap_or(0) % n
        }

        fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
            of[self.below(of.len())]
        }
    }

    const NAMES: [&str; 4] = ["a", "b", "*", "é/ü:'\" %_"];

    fn value(dice: &mut Dice, column: Column) -> &'static str {
        match column {
            Column::Type => dice.pick(&["task.request", "event.ack", "x.note"]),
            Column::Status => dice.pick(&["open", "claimed", "applied"]),
            _ => dice.pick(&NAMES),
        }
    }

    #[tokio::test]
    async fn a_filter_means_the_same_in_sql_and_in_memory() {
        let dir = tempfile::tempdir().expect("temp dir");
        let log = Logstream::open(dir.path()).expect("opened");
        let mut dice = Dice(7);
        for _ in 0..200 {
            let mut maybe = |column| if dice.below(3) == 0 { Raw::Absent } else { value(&mut dice, column).into() };
            let draft = EventDraft {
                topic: maybe(Column::Topic),
                to_agent: maybe(Column::ToAgent),
                correlation_id: maybe(Column::CorrelationId),
                status: maybe(Column::Status),
                event_type: value(&mut dice, Column::Type).into(),
                stream: value(&mut dice, Column::Stream).into(),
                room: value(&mut dice, Column::Room).into(),
                from_agent: value(&mut dice, Column::FromAgent).into(),
                ..EventDraft::default()
            };
            log.append(draft.check().expect("valid")).await.expect("appended");
        }
        let conn = Connection::open(log.path()).expect("opened");
        let all = read::matching(&conn, &Conditions::default(), Order::Asc, 1000).expect("read");
        let mut matched = 0;
        for _ in 0..500 {
            let mut filter = Filter::default();
            for _ in 0..dice.below(4) {
                let column = Column::ALL[dice.below(Column::ALL.len())];
                let value = value(&mut dice, column);
                filter = if dice.below(3) == 0 { filter.without(column, value) } else { filter.with(column, value) };
            }
            if dice.below(3) == 0 {
                let patterns = ["*", "a", "é*", "*%*", "*:'*_", "[a]", "?", "b*"].map(str::to_owned);
                filter.within = Reach::of(&patterns[dice.below(4)..][..=dice.below(4)]);
            }
            let mut wanted = Conditions::default();
            wanted.push_filter(&filter);
            let by_sql: Vec<i64> =
                read::matching(&conn, &wanted, Order::Asc, 1000).expect("read").iter().map(|e| e.seq).collect();
            let by_memory: Vec<i64> = all.iter().filter(|e| filter.matches(e)).map(|e| e.seq).collect();
            assert_eq!(by_sql, by_memory, "{filter:?}");
            matched += by_sql.len();
        }
        assert!(matched > 1000, "the dice hardly ever matched: {matched}");
    }

    #[test]
    fn what_agents_and_pages_ask_is_answered_by_an_index() {
        let mut conn = Connection::open_in_memory().expect("memory");
        migrate::migrate(&mut conn, "rep_0123456789ab").expect("migrated");
        for column in Column::ALL {
            let mut wanted = Conditions::default();
            wanted.push_filter(&Filter::default().with(column, "x"));
            let plan: Vec<String> = conn
                .prepare(&format!("EXPLAIN QUERY PLAN {}", wanted.rowids("DESC", 50)))
                .and_then(|mut s| s.query_map(wanted.params(), |r| r.get(3))?.collect())
                .expect("a plan");
            assert!(plan.iter().any(|line| line.contains("USING") && line.contains("INDEX")), "{column:?}: {plan:?}");
            // An index that is not in the order of arrival makes SQLite sort everything that matches. Where arms are merged, only the
            // fifty of each are sorted.
            let sorts = plan.iter().filter(|line| line.contains("TEMP B-TREE")).count();
            let merged = if column == Column::ToAgent { 2 } else { 0 };
            assert_eq!(sorts, merged, "{column:?}: {plan:?}");
        }
    }
}
