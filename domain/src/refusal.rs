//! What is said when an input breaks a rule: one sentence that names the field, and the facts beside it.
//!
//! The sentence is wire contract (agents match on it, see `contract: logstream, mcp`); the other keys are ours and may grow.

use serde::Serialize;
use serde_json::Value;

/// A refused input. `message` is the contract's sentence; the rest says which field, which bound, what was given, what would do.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The sentence that agents read, for example `room must be a non-empty string`.
    #[serde(skip)]
    pub message: String,
    /// The argument at fault.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// The bound that was exceeded, in the unit that the message names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// What was given, shortened to [`SHOWN_CHARS`] characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What would have been accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How many characters of a refused value are repeated to the caller.
pub const SHOWN_CHARS: usize = 80;

impl Refusal {
    /// A refusal of `field` with the contract's sentence.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { message: message.into(), field: field.into(), limit: None, value: None, accepted: None, hint: None }
    }

    /// A text of so many characters that may have `max`.
    pub fn too_long(field: &str, max: usize, chars: usize) -> Self {
        Self::new(field, format!("{field} exceeds maximum length of {max} characters")).limit(max).value(chars)
    }

    /// Adds the bound that was exceeded.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = u64::try_from(limit).ok();
        self
    }

    /// Adds what was given: a size, or the start of a text.
    #[must_use]
    pub fn value(mut self, value: impl Into<Value>) -> Self {
        self.value = Some(match value.into() {
            Value::String(s) if s.chars().count() > SHOWN_CHARS => {
                Value::String(s.chars().take(SHOWN_CHARS).chain(['…']).collect())
            }
            v => v,
        });
        self
    }

    /// Adds what would have been accepted.
    #[must_use]
    pub fn accepted(mut self, accepted: impl Into<String>) -> Self {
        self.accepted = Some(accepted.into());
        self
    }

    /// Adds what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A text in quotes the way the contract's messages show it: single quotes unless it holds one and no double quote, with
/// backslash escapes for what cannot be printed (`contract: logstream`, recorded as Python shows a `str`).
pub fn quoted(text: &str) -> String {
    use std::fmt::Write as _;
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            ' ' | '\'' | '"' => out.push(c),
            c if printable(c) => out.push(c),
            c => {
                let code = u32::from(c);
                // Writing to a String cannot fail.
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
    out
}

/// Whether a character can be shown as it is. The standard library's own debug escaping knows; a combining mark counts as
/// printable when something stands before it, hence the letter.
fn printable(c: char) -> bool {
    let mut pair = String::from("a");
    pair.push(c);
    !c.is_whitespace() && pair.escape_debug().nth(1) != Some('\\')
}

/// A refused value as the messages show it: texts by [`quoted`], anything else as JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(s) => quoted(s),
        v => v.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(quoted(input), expected);
    }

    #[test]
    fn texts_are_quoted_as_the_contract_records_them() {
        check("nope", "'nope'");
        check("it's", "\"it's\"");
        check("it's \"x\"", "'it\\'s \"x\"'");
        check("a\nb\\", "'a\\nb\\\\'");
        check("\u{7f}\u{a0}\u{200b}", "'\\x7f\\xa0\\u200b'");
        check("tööl😀", "'tööl😀'");
        check("e\u{301}", "'e\u{301}'");
        check("\u{e000}\u{f0000}", "'\\ue000\\U000f0000'");
    }
}
