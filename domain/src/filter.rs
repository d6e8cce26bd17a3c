//! Which events a reader asked for: the same meaning in SQL, in memory and in the address of a page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::field::{self, Raw};
use crate::reach::Reach;
use crate::refusal::Refusal;

/// A column of the log that can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// The wide channel.
    Stream,
    /// The channel within the stream.
    Room,
    /// What it is about.
    Topic,
    /// What kind of event.
    Type,
    /// Who wrote it.
    FromAgent,
    /// For whom; asking for an agent also gives what is for everybody (`*`).
    ToAgent,
    /// What ties a delegation together.
    CorrelationId,
    /// Where the work stands.
    Status,
}

impl Column {
    /// All of them, in the order in which pages and messages name them.
    pub const ALL: [Self; 8] = [
        Self::Stream,
        Self::Room,
        Self::Topic,
        Self::Type,
        Self::FromAgent,
        Self::ToAgent,
        Self::CorrelationId,
        Self::Status,
    ];

    /// The column's name in the table, in a query string and in a tool's arguments.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Room => "room",
            Self::Topic => "topic",
            Self::Type => "type",
            Self::FromAgent => "from_agent",
            Self::ToAgent => "to_agent",
            Self::CorrelationId => "correlation_id",
            Self::Status => "status",
        }
    }

    /// The column that a name stands for.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == name)
    }

    /// Checks one wanted value by the field's own rule. Nothing given (null or empty) is no condition. `label` is what the caller
    /// called the argument.
    pub fn check(self, label: &str, raw: Raw) -> Result<Option<String>, Refusal> {
        match self {
            Self::Status => crate::event::status(raw).map(|s| s.map(|s| s.as_str().to_owned())),
            Self::Type => match raw {
                Raw::Absent => Ok(None),
                Raw::Text(t) if t.is_empty() => Ok(None),
                raw => field::event_type(raw).map(Some),
            },
            _ => field::optional_routing(label, raw),
        }
    }

    /// What an event has in this column.
    pub fn of(self, event: &Event) -> Option<&str> {
        match self {
            Self::Stream => Some(&event.stream),
            Self::Room => Some(&event.room),
            Self::Topic => event.topic.as_deref(),
            Self::Type => Some(&event.event_type),
            Self::FromAgent => Some(&event.from_agent),
            Self::ToAgent => event.to_agent.as_deref(),
            Self::CorrelationId => event.correlation_id.as_deref(),
            Self::Status => event.status.as_deref(),
        }
    }
}

/// A question to the log. Values of one column are alternatives, columns are combined, exclusion beats inclusion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// For each column: one of these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub any: BTreeMap<Column, Vec<String>>,
    /// For each column: none of these values. An event without a value is not excluded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub none: BTreeMap<Column, Vec<String>>,
    /// `YYYY-MM-DDTHH:MM:SSZ`, inclusive; a window, never a cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_created_at: Option<String>,
    /// The end of that window, in the same form, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_created_at: Option<String>,
    /// The streams that the asker may see at all. The store sets it; it is in no address and in no question.
    #[serde(skip)]
    pub within: Reach,
}

impl Filter {
    /// Adds a wanted value.
    #[must_use]
    pub fn with(mut self, column: Column, value: impl Into<String>) -> Self {
        self.any.entry(column).or_default().push(value.into());
        self
    }

    /// Adds an unwanted value.
    #[must_use]
    pub fn without(mut self, column: Column, value: impl Into<String>) -> Self {
        self.none.entry(column).or_default().push(value.into());
        self
    }

    /// Takes one `key=value` of a query string: a column's name, `exclude_` and a column's name, `since_created_at` or
    /// `before_created_at`. Repeated keys are alternatives, an empty value is nothing. Answers whether the key is one of ours.
    pub fn take_pair(&mut self, key: &str, value: &str) -> Result<bool, Refusal> {
        let window = match key {
            "since_created_at" => Some(("since_created_at", &mut self.since_created_at)),
            "before_created_at" => Some(("before_created_at", &mut self.before_created_at)),
            _ => None,
        };
        if let Some((field, end)) = window {
            if !value.is_empty() {
                *end = crate::timestamp::window(field, value.into())?;
            }
            return Ok(true);
        }
        let excluded = key.strip_prefix("exclude_");
        let Some(column) = Column::parse(excluded.unwrap_or(key)) else { return Ok(false) };
        if let Some(value) = column.check(key, value.into())? {
            let side = if excluded.is_some() { &mut self.none } else { &mut self.any };
            let values = side.entry(column).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Ok(true)
    }

    /// The same as `key=value` pairs, unencoded, in a fixed order: the inverse of [`Filter::take_pair`].
    pub fn pairs(&self) -> Vec<(String, String)> {
        let wanted = self.any.iter().flat_map(|(c, vs)| vs.iter().map(move |v| (c.as_str().to_owned(), v.clone())));
        let unwanted =
            self.none.iter().flat_map(|(c, vs)| vs.iter().map(move |v| (format!("exclude_{}", c.as_str()), v.clone())));
        let since = self.since_created_at.iter().map(|s| ("since_created_at".to_owned(), s.clone()));
        let before = self.before_created_at.iter().map(|s| ("before_created_at".to_owned(), s.clone()));
        wanted.chain(unwanted).chain(since).chain(before).collect()
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
            && self.none.is_empty()
            && self.since_created_at.is_none()
            && self.before_created_at.is_none()
            && self.within.is_everything()
    }

    /// Whether an event passes. The store's SQL means the same; a property test holds the two together.
    pub fn matches(&self, event: &Event) -> bool {
        let wanted = |(column, values): (&Column, &Vec<String>)| match column.of(event) {
            Some("*") if *column == Column::ToAgent => true,
            Some(value) => values.iter().any(|v| v == value),
            None => false,
        };
        let unwanted = |(column, values): (&Column, &Vec<String>)| {
            column.of(event).is_some_and(|value| values.iter().any(|v| v == value))
        };
        self.any.iter().all(wanted)
            && !self.none.iter().any(unwanted)
            && self.since_created_at.as_ref().is_none_or(|since| event.created_at >= *since)
            && self.before_created_at.as_ref().is_none_or(|before| event.created_at < *before)
            && self.within.sees(&event.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_survives_its_query_string() {
        let filter = Filter::default()
            .with(Column::Stream, "project/a b&c")
            .with(Column::Type, "task.request")
            .with(Column::Type, "patch.ready")
            .without(Column::FromAgent, "ci:runner");
        let day = |date: &str| Some(format!("{date}T00:00:00Z"));
        let filter = Filter { since_created_at: day("2026-11-29"), before_created_at: day("2026-11-30"), ..filter };
        let mut back = Filter::default();
        for (key, value) in filter.pairs() {
            assert!(back.take_pair(&key, &value).expect("valid"), "{key}");
        }
        assert_eq!(back, filter);
    }

    #[test]
    fn empty_values_are_nothing_and_blank_ones_are_refused() {
        let mut filter = Filter::default();
        assert!(filter.take_pair("room", "").expect("nothing"));
        assert!(filter.is_empty());
        assert_eq!(filter.take_pair("room", "  ").expect_err("blank").message, "room must be a non-empty string");
        assert!(!filter.take_pair("since_event_id", "x").expect("not ours"));
    }
}
