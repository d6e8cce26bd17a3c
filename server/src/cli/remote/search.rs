//! A search on a hub: its tool takes one value for each column, and the answer is passed on as it is.

use loggia_domain::{Column, Filter};
use serde_json::{Value, json};

use super::Hub;
use crate::cli::output::Failure;
use crate::logstream::search::SearchQuery;

impl Hub {
    /// What the hub's search answers.
    pub(in crate::cli) async fn search(&self, query: &SearchQuery) -> Result<Value, Failure> {
        Ok(self.call("mempalace_event_search", arguments(query)?).await?)
    }
}

fn arguments(query: &SearchQuery) -> Result<Value, Failure> {
    let Filter { any, none, since_created_at } = &query.filter;
    if !none.is_empty() || any.values().any(|values| values.len() > 1) {
        return Err(Failure::new("a search on a hub takes one value of each filter and excludes nothing")
            .hint("run it beside the palace's files, or search once for each value"));
    }
    let mut arguments = json!({
        "query": query.query.text(),
        "since_created_at": since_created_at,
        "before_event_id": query.before_event_id,
        "artifacts": query.artifacts,
        "before_artifact_id": query.before_artifact_id,
        "limit": query.limit,
    });
    for (column, values) in any {
        let name = if *column == Column::FromAgent { "writer" } else { column.as_str() };
        arguments[name] = json!(values.first());
    }
    Ok(arguments)
}
