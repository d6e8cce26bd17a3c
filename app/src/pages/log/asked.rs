//! What the address of the log asks for. Pure.

use loggia_domain::Filter;

use crate::backend::LogQuery;
use crate::href;

/// The question in an address.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Asked {
    /// What passes.
    pub(super) filter: Filter,
    /// The words of a search, without white space around them; empty for none.
    pub(super) q: String,
    /// Only what arrived before this event.
    pub(super) before: Option<String>,
    /// Why parts of the address mean nothing, in words.
    pub(super) refused: Vec<String>,
}

impl Asked {
    /// Reads a query string. What breaks a rule is left out and said, so that a mistyped address still shows a log.
    pub(super) fn parse(search: &str) -> Self {
        let mut asked = Self::default();
        for (key, value) in href::pairs(search) {
            if key == "before" {
                asked.before = Some(value).filter(|v| !v.is_empty());
                continue;
            }
            if key == "q" {
                value.trim().clone_into(&mut asked.q);
                continue;
            }
            match asked.filter.take_pair(&key, &value) {
                Ok(true) => {}
                Ok(false) => asked.refused.push(format!("`{key}` is no column of the log")),
                Err(refusal) => asked.refused.push(refusal.message),
            }
        }
        asked
    }

    /// The question for the hub.
    pub(super) fn query(&self) -> LogQuery {
        let (filter, q, before) = (self.filter.clone(), self.q.clone(), self.before.clone());
        LogQuery { filter, q, before, ..LogQuery::default() }
    }

    /// The address of the log under another filter, for the same words.
    pub(super) fn under(&self, filter: &Filter) -> String {
        href::search(filter, &self.q, None)
    }

    /// The address of what is older than an event.
    pub(super) fn older_than(&self, id: &str) -> String {
        href::search(&self.filter, &self.q, Some(id))
    }
}

#[cfg(test)]
mod tests {
    use loggia_domain::Column;

    use super::*;

    #[test]
    fn an_address_is_a_filter_and_a_place() {
        let asked = Asked::parse("?type=task.request&exclude_from_agent=ci%3Arunner&before=evt_1&room=&q=+a%26b++c+");
        assert_eq!(asked.q, "a&b  c");
        let back = Asked::parse(asked.older_than("evt_1").split_once('?').expect("a query").1);
        assert_eq!(back, asked);
        assert_eq!(asked.before.as_deref(), Some("evt_1"));
        assert_eq!(
            asked.filter,
            Filter::default().with(Column::Type, "task.request").without(Column::FromAgent, "ci:runner")
        );
        assert!(asked.refused.is_empty());
    }

    #[test]
    fn what_means_nothing_is_said_and_left_out() {
        let asked = Asked::parse("status=done&colour=red&type=a");
        assert_eq!(asked.filter, Filter::default().with(Column::Type, "a"));
        assert_eq!(asked.refused.len(), 2);
        assert!(asked.refused[0].starts_with("status='done' is not one of"), "{:?}", asked.refused);
    }
}
