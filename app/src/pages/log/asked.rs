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
    /// What arrived around this event.
    pub(super) around: Option<String>,
    /// Whether rows that say the same stand one by one.
    pub(super) unfolded: bool,
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
            if key == "around" {
                asked.around = Some(value).filter(|v| !v.is_empty());
                continue;
            }
            if key == "fold" {
                asked.unfolded = value == "no";
                continue;
            }
            // What is looked at beside the log, and in which form.
            if key == "peek" || key == "as" {
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
        LogQuery { filter, q, before, around: self.around.clone(), unfolded: self.unfolded, ..LogQuery::default() }
    }

    /// Whether the page shows one moment of the log and does not move.
    pub(super) fn is_still(&self) -> bool {
        self.before.is_some() || self.around.is_some()
    }

    /// The same log with every row by itself.
    pub(super) fn one_by_one(&self) -> String {
        let here = href::search(&self.filter, &self.q, self.before.as_deref());
        href::changed("/log", here.split_once('?').map_or("", |(_, search)| search), "fold", Some("no"))
    }

    /// Where the hub writes what passes, whole, into a file of a format.
    pub(super) fn export(&self, format: &str) -> String {
        let here = href::search(&self.filter, &self.q, self.before.as_deref());
        href::changed("/log/export", here.split_once('?').map_or("", |(_, search)| search), "format", Some(format))
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
        assert_eq!(asked.export("txt").split_once('?').expect("a query").0, "/log/export");
        assert!(Asked::parse(asked.one_by_one().split_once('?').expect("a query").1).unfolded);
    }

    #[test]
    fn what_is_looked_at_beside_the_log_is_no_part_of_the_question() {
        assert_eq!(Asked::parse("type=a&peek=evt_1&as=pretty"), Asked::parse("type=a"));
        let around = Asked::parse("around=evt_1");
        assert!(around.is_still() && around.query().around.as_deref() == Some("evt_1"));
    }

    #[test]
    fn what_means_nothing_is_said_and_left_out() {
        let asked = Asked::parse("status=done&colour=red&type=a");
        assert_eq!(asked.filter, Filter::default().with(Column::Type, "a"));
        assert_eq!(asked.refused.len(), 2);
        assert!(asked.refused[0].starts_with("status='done' is not one of"), "{:?}", asked.refused);
    }
}
