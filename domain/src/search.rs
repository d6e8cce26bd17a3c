//! What a search asks, and where a text answers it. Words, not ranks: every word must be there, the newest comes first.
//!
//! A query is plain text. Nothing in it is an operator: it falls into words at white space, each word into tokens by the same rule as
//! the texts ([`tokens`]), and the tokens of one word must stand side by side. So `foo::bar`, a path or an id is found whole and by its
//! parts. The last word may be the beginning of one.

mod excerpt;
pub mod tokens;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use crate::artifact::Artifact;
use crate::event::Event;
use crate::field::{Raw, is_blank};
use crate::metadata::Metadata;
use crate::refusal::Refusal;
pub use excerpt::{EXCERPT_CHARS, Excerpt};

/// The longest query, in characters.
pub const MAX_QUERY_CHARS: usize = 512;
/// From how many characters on the last word may be a beginning: one or two letters would be the beginning of nearly everything, and
/// mostly are a whole word (`C`, `id`, `PR`).
const MIN_PREFIX_CHARS: usize = 3;

/// Tokens that must stand side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// At least one, as [`tokens::scan`] gives them.
    pub tokens: Vec<String>,
    /// Whether the last token may be the beginning of a longer one.
    pub prefix: bool,
}

impl Phrase {
    fn last_is(&self, token: &str) -> bool {
        self.tokens.last().is_some_and(|last| if self.prefix { token.starts_with(&**last) } else { token == last })
    }
}

/// A checked query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    text: String,
    phrases: Vec<Phrase>,
}

impl Query {
    /// Reads a query; `field` is what the caller called it. Refuses what is no text, has nothing to search for, or is longer than
    /// [`MAX_QUERY_CHARS`].
    pub fn check(field: &str, raw: Raw) -> Result<Self, Refusal> {
        let text = match raw {
            Raw::Absent => return Err(Refusal::new(field, format!("{field} must be a non-empty string"))),
            Raw::Other(value) => {
                return Err(Refusal::new(field, format!("{field} must be a string")).value(value));
            }
            Raw::Text(text) => text,
        };
        let text = text.trim_matches(is_blank);
        let chars = text.chars().count();
        if chars > MAX_QUERY_CHARS {
            return Err(Refusal::new(field, format!("{field} exceeds maximum length of {MAX_QUERY_CHARS} characters"))
                .limit(MAX_QUERY_CHARS)
                .value(chars));
        }
        if text.is_empty() {
            return Err(Refusal::new(field, format!("{field} must be a non-empty string")));
        }
        let mut phrases: Vec<Phrase> = text.split(is_blank).filter_map(phrase).collect();
        let Some(last) = phrases.last_mut() else {
            return Err(Refusal::new(field, format!("{field} has nothing to search for"))
                .value(text)
                .accepted("at least one letter, digit or emoji"));
        };
        last.prefix = last.tokens.last().is_some_and(|token| token.chars().count() >= MIN_PREFIX_CHARS);
        let mut distinct: Vec<Phrase> = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            if !distinct.contains(&phrase) {
                distinct.push(phrase);
            }
        }
        Ok(Self { text: text.to_owned(), phrases: distinct })
    }

    /// The query as it was written, without the white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What must be found, each once.
    pub fn phrases(&self) -> &[Phrase] {
        &self.phrases
    }

    /// Whether every word is in one of some texts.
    pub fn matches<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        let mut missing: Vec<bool> = vec![true; self.phrases.len()];
        let mut count = missing.len();
        for text in texts {
            self.find(text, &mut |phrase, _| {
                if std::mem::replace(&mut missing[phrase], false) {
                    count -= 1;
                }
                count > 0
            });
            if count == 0 {
                return true;
            }
        }
        false
    }

    /// Whether every word is somewhere in an event.
    pub fn matches_event(&self, event: &Event) -> bool {
        let fields = fields(event);
        self.matches(std::iter::once(&*event.body).chain(fields.iter().map(|(_, text)| &**text)))
    }

    /// Tells which phrase stands where, in characters, in the order in which the finds end, until `hit` answers false.
    fn find(&self, text: &str, hit: &mut dyn FnMut(usize, Range<usize>) -> bool) {
        let longest = self.phrases.iter().map(|p| p.tokens.len()).max().unwrap_or(1);
        // The newest tokens, turning: no phrase looks further back.
        let mut recent: Vec<(String, usize)> = vec![Default::default(); longest];
        let mut count = 0;
        tokens::scan(text, &mut |token, range| {
            let slot = &mut recent[count % longest];
            slot.0.clear();
            slot.0.push_str(token);
            slot.1 = range.start;
            count += 1;
            for (index, phrase) in self.phrases.iter().enumerate() {
                let length = phrase.tokens.len();
                if length > count || !phrase.last_is(token) {
                    continue;
                }
                let start = count - length;
                let stands = (0..length - 1).all(|n| recent[(start + n) % longest].0 == phrase.tokens[n]);
                if stands && !hit(index, recent[start % longest].1..range.end) {
                    return false;
                }
            }
            true
        });
    }
}

fn phrase(word: &str) -> Option<Phrase> {
    let mut tokens = Vec::new();
    tokens::scan(word, &mut |token, _| {
        tokens.push(token.to_owned());
        true
    });
    (!tokens.is_empty()).then_some(Phrase { tokens, prefix: false })
}

/// What can be found of an event beside its body: each text with the name of its field. No phrase reaches from one into the next.
pub fn fields(event: &Event) -> Vec<(&'static str, Cow<'_, str>)> {
    let known: [(&'static str, Option<&str>); 11] = [
        ("id", Some(&event.id)),
        ("type", Some(&event.event_type)),
        ("stream", Some(&event.stream)),
        ("room", Some(&event.room)),
        ("topic", event.topic.as_deref()),
        ("from_agent", Some(&event.from_agent)),
        ("to_agent", event.to_agent.as_deref()),
        ("correlation_id", event.correlation_id.as_deref()),
        ("branch", event.branch.as_deref()),
        ("base_commit", event.base_commit.as_deref()),
        ("status", event.status.as_deref()),
    ];
    let mut all: Vec<(&'static str, Cow<'_, str>)> =
        known.into_iter().filter_map(|(name, text)| Some((name, Cow::Borrowed(text?)))).collect();
    all.extend(event.artifact_ids.iter().map(|id| ("artifact_ids", Cow::Borrowed(&**id))));
    push_metadata(&event.metadata, &mut all);
    all
}

/// The same of an artifact, beside its content.
pub fn artifact_fields(artifact: &Artifact) -> Vec<(&'static str, Cow<'_, str>)> {
    let known = [
        ("id", &artifact.id),
        ("kind", &artifact.kind),
        ("created_by", &artifact.created_by),
        ("sha256", &artifact.sha256),
    ];
    let mut all: Vec<(&'static str, Cow<'_, str>)> =
        known.into_iter().map(|(name, text)| (name, Cow::Borrowed(&**text))).collect();
    push_metadata(&artifact.metadata, &mut all);
    all
}

fn push_metadata<'a>(metadata: &'a Metadata, out: &mut Vec<(&'static str, Cow<'a, str>)>) {
    if metadata.is_empty() {
        return;
    }
    match serde_json::from_str::<Value>(metadata.text()) {
        Ok(value) => leaves("", &value, out),
        Err(_) => out.push(("metadata", Cow::Borrowed(metadata.text()))),
    }
}

/// The members of a metadata object as `key: value`, however deep.
fn leaves(path: &str, value: &Value, out: &mut Vec<(&'static str, Cow<'_, str>)>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                leaves(&if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, member, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(path, item, out)),
        Value::String(text) => out.push(("metadata", Cow::Owned(format!("{path}: {text}")))),
        other => out.push(("metadata", Cow::Owned(format!("{path}: {other}")))),
    }
}

#[cfg(test)]
mod tests;
