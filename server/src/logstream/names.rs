//! The names in some columns of the log, for somebody who typed a few letters: found by stepping through an index from one value to the
//! next, so that the cost grows with the number of names and not with the log.

use super::{Logstream, StoreError};

/// How many names are looked at, at most.
const LOOKED_AT: usize = 5000;

impl Logstream {
    /// Agents that wrote and whose names hold a text, whatever its case, in the order of their names; at most `limit`.
    ///
    /// Nothing for somebody who may see some streams only: a name alone does not tell in which stream it was written.
    pub async fn writers(&self, part: String, limit: usize) -> Result<Vec<String>, StoreError> {
        self.names("from_agent", "", part, limit).await
    }

    /// Correlation ids that begin with a text, in their order; at most `limit`. Nothing for somebody who may see some streams only.
    pub async fn correlations(&self, beginning: String, limit: usize) -> Result<Vec<String>, StoreError> {
        let mut found = self.names("correlation_id", &beginning, String::new(), limit).await?;
        found.retain(|id| id.starts_with(&beginning));
        Ok(found)
    }

    async fn names(
        &self,
        column: &'static str,
        from: &str,
        part: String,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        if !self.reach().is_everything() {
            return Ok(Vec::new());
        }
        let from = from.to_owned();
        self.read(move |conn| {
            let sql = format!(
                "WITH RECURSIVE names(name) AS (
                    SELECT min({column}) FROM events WHERE {column} >= ?1
                    UNION ALL
                    SELECT (SELECT min({column}) FROM events WHERE {column} > name) FROM names WHERE name IS NOT NULL
                    LIMIT {LOOKED_AT})
                 SELECT name FROM names WHERE name IS NOT NULL AND instr(lower(name), lower(?2)) > 0 LIMIT {limit}"
            );
            let names =
                conn.prepare_cached(&sql)?.query_map([from, part], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(names)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use loggia_domain::EventDraft;

    use super::*;

    #[tokio::test]
    async fn names_are_found_by_a_part_and_ids_by_their_beginning() {
        let dir = tempfile::tempdir().expect("temp dir");
        let log = Logstream::open(dir.path()).expect("opened");
        for (agent, id) in [("mac:Claude", "task_b"), ("win:codex", "task_a"), ("mac:Claude", "task_a"), ("ci", "x")] {
            let draft = EventDraft {
                event_type: "note".into(),
                stream: "s".into(),
                room: "r".into(),
                from_agent: agent.into(),
                correlation_id: id.into(),
                ..EventDraft::default()
            };
            log.append(draft.check().expect("valid")).await.expect("appended");
        }
        let writers = |part: &str, limit| log.writers(part.to_owned(), limit);
        assert_eq!(writers("", 10).await.expect("asked"), ["ci", "mac:Claude", "win:codex"]);
        assert_eq!(writers("CLAUDE", 10).await.expect("asked"), ["mac:Claude"]);
        assert_eq!(writers("c", 2).await.expect("asked"), ["ci", "mac:Claude"]);
        assert_eq!(log.correlations("task_".to_owned(), 10).await.expect("asked"), ["task_a", "task_b"]);
        assert_eq!(log.correlations("task_b".to_owned(), 10).await.expect("asked"), ["task_b"]);
        let some = log.clone().within(loggia_domain::Reach::of(&["other".to_owned()]));
        assert!(some.writers(String::new(), 10).await.expect("asked").is_empty());
    }
}
