//! A search on a hub: its tool takes one value for each column, and the answer is passed on as it is.

use serde_json::{Value, json};

use super::Hub;
use super::list::expressible;
use crate::cli::output::Failure;
use crate::logstream::search::SearchQuery;

impl Hub {
    /// What the hub's search answers.
    pub(in crate::cli) async fn search(&self, query: &SearchQuery) -> Result<Value, Failure> {
        Ok(self.call("mempalace_event_search", arguments(query)?).await?)
    }
}

fn arguments(query: &SearchQuery) -> Result<Value, Failure> {
    let filter = &query.filter;
    if !filter.none.is_empty() || filter.any.values().any(|values| values.len() > 1) {
        return Err(Failure::new("a search on a hub takes one value of each filter and excludes nothing")
            .hint("run it beside the palace's files, or search once for each value"));
    }
    let mut arguments = Value::Object(expressible(filter));
    arguments["query"] = json!(query.query.text());
    arguments["before_event_id"] = json!(query.before_event_id);
    arguments["artifacts"] = json!(query.artifacts);
    arguments["before_artifact_id"] = json!(query.before_artifact_id);
    arguments["limit"] = json!(query.limit);
    Ok(arguments)
}
