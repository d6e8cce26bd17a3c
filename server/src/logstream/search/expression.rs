//! What goes into the index for a text and for a filter, and the index's question for a query: the one place that knows both.
//!
//! # Design
//! The index gets finished tokens, and its `ascii` tokenizer only cuts at spaces. A token of the domain consists of letters, digits and
//! emoji alone, so nothing of a query can be an operator. Marks begin with a sign that no token has: they keep phrases from
//! reaching from one field into the next, and one for each value of a filter's column makes a filter a part of the question,
//! so that a rare filter over a common word stays fast.

use loggia_domain::search::{self, Query, tokens};
use loggia_domain::{Artifact, Column, Event, Filter, artifact};

/// Begins every mark.
const MARK: char = '‖';

/// The tokens of one text.
pub(super) fn text_tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    tokens::write_tokens(text, &mut out);
    out
}

/// The tokens of an event's other fields, and the marks of its filtered columns.
pub(super) fn event_fields(event: &Event) -> String {
    let mut out = joined(search::fields(event).iter().map(|(_, text)| &**text));
    for column in Column::ALL {
        if let Some(value) = column.of(event) {
            out.push(' ');
            out.push_str(&mark(column, value));
        }
    }
    out
}

/// The tokens of an artifact's other fields.
pub(super) fn artifact_fields(artifact: &Artifact) -> String {
    joined(search::artifact_fields(artifact).iter().map(|(_, text)| &**text))
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for text in texts {
        tokens::write_tokens(text, &mut out);
        out.extend([' ', MARK]);
    }
    out
}

/// The question for a query alone.
pub(super) fn words(query: &Query) -> String {
    let phrase = |phrase: &search::Phrase| {
        let star = if phrase.prefix { " *" } else { "" };
        format!("\"{}\"{star}", phrase.tokens.join(" "))
    };
    query.phrases().iter().map(phrase).collect::<Vec<_>>().join(" AND ")
}

/// The question for a query and a filter. What it finds may be more than the filter lets through, since a time has no mark.
pub(super) fn filtered(query: &Query, filter: &Filter) -> String {
    let mut wanted = vec![format!("({})", words(query))];
    for (column, values) in &filter.any {
        let everybody = (*column == Column::ToAgent).then_some("*");
        let all = values.iter().map(String::as_str).chain(everybody);
        wanted.push(format!("({})", alternatives(*column, all)));
    }
    let unwanted: Vec<String> =
        filter.none.iter().map(|(column, values)| alternatives(*column, values.iter().map(String::as_str))).collect();
    let question = wanted.join(" AND ");
    if unwanted.is_empty() { question } else { format!("({question}) NOT ({})", unwanted.join(" OR ")) }
}

fn alternatives<'a>(column: Column, values: impl Iterator<Item = &'a str>) -> String {
    values.map(|value| format!("\"{}\"", mark(column, value))).collect::<Vec<_>>().join(" OR ")
}

/// The mark of a column's value. A hash, since a value may be long and hold anything.
fn mark(column: Column, value: &str) -> String {
    let hash = artifact::sha256_hex(value.as_bytes());
    format!("{MARK}{}{}", column.as_str().replace('_', ""), &hash[..16])
}
