//! Lists from a hub whose tool takes one value for a column, while the command line takes many and exclusions too.
//!
//! What the tool can express goes to the hub; the rest is decided here, page by page, by the same rule of the domain. So a list means
//! the same at home and away.

use loggia_domain::{Column, Event, Filter};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Hub;
use crate::cli::output::Failure;
use crate::cli::target::Listed;
use crate::logstream::read::{ListQuery, MAX_LIMIT, Order};

/// What `mempalace_event_list` answers.
#[derive(Deserialize)]
struct Page {
    events: Vec<Event>,
    has_more: bool,
    /// Ascending and at the end, or descending: the newest event of the log.
    next_cursor: Option<String>,
}

impl Hub {
    /// A list of events, at most `query.limit`.
    pub(in crate::cli) async fn list(&self, mut query: ListQuery) -> Result<Listed, Failure> {
        let is_exact = query.filter.none.is_empty() && query.filter.any.values().all(|values| values.len() == 1);
        let mut events: Vec<Event> = Vec::new();
        let mut newest = None;
        loop {
            let room = query.limit - events.len();
            let page_limit = if is_exact { room } else { MAX_LIMIT };
            let page: Page = self.call("mempalace_event_list", arguments(&query, page_limit)).await?;
            let last = page.events.last().map(|e| e.id.clone());
            newest = match query.order {
                Order::Asc => page.next_cursor,
                // The first page is the one that ends at the newest event.
                Order::Desc => newest.or(page.next_cursor),
            };
            let matching: Vec<Event> = page.events.into_iter().filter(|e| query.filter.matches(e)).collect();
            let is_full = matching.len() > room || (is_exact && matching.len() == room);
            let has_more = matching.len() > room || page.has_more;
            events.extend(matching.into_iter().take(room));
            let (true, false, Some(last)) = (has_more, is_full, last) else {
                return Ok(Listed { events, has_more, newest });
            };
            match query.order {
                Order::Asc => query.since_event_id = Some(last),
                Order::Desc => query.before_event_id = Some(last),
            }
        }
    }
}

fn arguments(query: &ListQuery, limit: usize) -> Value {
    let mut arguments = expressible(&query.filter);
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            arguments.insert(name.to_owned(), value.into());
        }
    };
    put("since_event_id", query.since_event_id.as_deref());
    put("before_event_id", query.before_event_id.as_deref());
    put(
        "order",
        Some(match query.order {
            Order::Asc => "asc",
            Order::Desc => "desc",
        }),
    );
    arguments.insert("limit".to_owned(), limit.into());
    Value::Object(arguments)
}

/// The part of a filter that the tool takes: columns with one wanted value, and the window.
pub(super) fn expressible(filter: &Filter) -> Map<String, Value> {
    let mut arguments = Map::new();
    for (column, values) in &filter.any {
        if let [only] = &values[..] {
            let name = if *column == Column::FromAgent { "writer" } else { column.as_str() };
            arguments.insert(name.to_owned(), only.as_str().into());
        }
    }
    if let Some(since) = &filter.since_created_at {
        arguments.insert("since_created_at".to_owned(), since.as_str().into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_means_the_same_on_the_hub_is_sent() {
        let filter = Filter::default()
            .with(Column::FromAgent, "a")
            .with(Column::Type, "task.reply")
            .with(Column::Type, "patch.ready")
            .without(Column::Stream, "s");
        assert_eq!(Value::Object(expressible(&filter)), serde_json::json!({"writer": "a"}));
    }
}
