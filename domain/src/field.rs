//! The field rules of events and artifacts (`contract: logstream`, section Event).
//!
//! Every rule takes what a caller really sent, whatever its JSON type, and either gives the value to store or a [`Refusal`]
//! whose sentence agents already know.

use serde_json::Value;

use crate::refusal::{Refusal, quoted};

/// The longest routing field, in characters.
pub const MAX_ROUTING_CHARS: usize = 256;
/// The longest body, in bytes.
pub const MAX_BODY_BYTES: usize = 262_144;
/// The longest artifact, in bytes.
pub const MAX_ARTIFACT_BYTES: usize = 4_194_304;

/// An argument as it arrived: missing (or null), a text, or some other JSON value.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Raw {
    /// Not given, or null.
    #[default]
    Absent,
    /// A text.
    Text(String),
    /// Anything else; never null, never a string.
    Other(Value),
}

impl From<Option<Value>> for Raw {
    fn from(value: Option<Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Absent,
            Some(Value::String(s)) => Self::Text(s),
            Some(v) => Self::Other(v),
        }
    }
}

impl From<Option<String>> for Raw {
    fn from(value: Option<String>) -> Self {
        value.map_or(Self::Absent, Self::Text)
    }
}

impl From<&str> for Raw {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Raw {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

/// White space that surrounds a value and is cut off: Unicode's, and the four separators U+001C to U+001F.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// A routing field that must be there: trimmed, 1 to 256 characters, no control character.
pub fn routing(field: &str, raw: Raw) -> Result<String, Refusal> {
    let Raw::Text(text) = raw else { return Err(not_text(field)) };
    let trimmed = text.trim_matches(is_blank);
    if trimmed.is_empty() {
        return Err(not_text(field));
    }
    let chars = trimmed.chars().count();
    if chars > MAX_ROUTING_CHARS {
        return Err(Refusal::new(field, format!("{field} exceeds maximum length of {MAX_ROUTING_CHARS} characters"))
            .limit(MAX_ROUTING_CHARS)
            .value(chars));
    }
    if trimmed.chars().any(|c| c < '\u{20}' || c == '\u{7f}') {
        return Err(Refusal::new(field, format!("{field} contains control characters")).value(trimmed));
    }
    Ok(if trimmed.len() == text.len() { text } else { trimmed.to_owned() })
}

/// A routing field that may be missing; null and the empty text are none.
pub fn optional_routing(field: &str, raw: Raw) -> Result<Option<String>, Refusal> {
    match raw {
        Raw::Absent => Ok(None),
        Raw::Text(t) if t.is_empty() => Ok(None),
        raw => routing(field, raw).map(Some),
    }
}

/// An event type: `^[a-z0-9][a-z0-9_.-]{0,63}$` after trimming.
pub fn event_type(raw: Raw) -> Result<String, Refusal> {
    let Raw::Text(text) = raw else { return Err(not_text("type")) };
    let t = text.trim_matches(is_blank);
    if t.is_empty() {
        return Err(not_text("type"));
    }
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let well_formed =
        t.len() <= 64 && t.starts_with(plain) && t.chars().all(|c| plain(c) || matches!(c, '_' | '.' | '-'));
    if !well_formed {
        return Err(Refusal::new(
            "type",
            format!(
                "type={} is not a valid event type (lowercase letters, digits, '.', '_', '-'; max 64 chars)",
                quoted(t)
            ),
        )
        .limit(64)
        .value(t)
        .accepted("^[a-z0-9][a-z0-9_.-]{0,63}$"));
    }
    Ok(t.to_owned())
}

/// A body: text of at most 262 144 bytes without NUL, otherwise kept byte for byte. Null and missing are "".
pub fn body(raw: Raw) -> Result<String, Refusal> {
    let text = match raw {
        Raw::Absent => return Ok(String::new()),
        Raw::Text(text) => text,
        Raw::Other(_) => return Err(Refusal::new("body", "body must be a string")),
    };
    if text.contains('\0') {
        return Err(Refusal::new("body", "body contains null bytes"));
    }
    if text.len() > MAX_BODY_BYTES {
        return Err(Refusal::new("body", format!("body is {} bytes; maximum is {MAX_BODY_BYTES} bytes", text.len()))
            .limit(MAX_BODY_BYTES)
            .value(text.len())
            .hint("store long text with mempalace_artifact_put and reference it by artifact_ids"));
    }
    Ok(text)
}

/// An artifact's content: non-empty text of at most 4 194 304 bytes without NUL, kept byte for byte.
pub fn content(raw: Raw) -> Result<String, Refusal> {
    let Raw::Text(text) = raw else { return Err(not_text("content")) };
    if text.is_empty() {
        return Err(not_text("content"));
    }
    if text.contains('\0') {
        return Err(Refusal::new("content", "content contains null bytes")
            .hint("artifacts are UTF-8 text; encode binary data, for example as base64"));
    }
    if text.len() > MAX_ARTIFACT_BYTES {
        return Err(Refusal::new(
            "content",
            format!("content is {} bytes; maximum is {MAX_ARTIFACT_BYTES} bytes", text.len()),
        )
        .limit(MAX_ARTIFACT_BYTES)
        .value(text.len()));
    }
    Ok(text)
}

/// The ids of artifacts that an event references, de-duplicated in the given order. Whether they exist is the store's question.
pub fn artifact_ids(raw: Raw) -> Result<Vec<String>, Refusal> {
    let refusal = || {
        Refusal::new("artifact_ids", "artifact_ids must be a list of artifact id strings")
            .accepted("a list of ids that mempalace_artifact_put answered")
    };
    let items = match raw {
        Raw::Absent => return Ok(Vec::new()),
        Raw::Other(Value::Array(items)) => items,
        _ => return Err(refusal()),
    };
    let mut ids: Vec<String> = Vec::with_capacity(items.len());
    let mut seen = std::collections::HashSet::new();
    for item in items {
        match item {
            Value::String(id) if !id.is_empty() => {
                if seen.insert(id.clone()) {
                    ids.push(id);
                }
            }
            _ => return Err(refusal()),
        }
    }
    Ok(ids)
}

fn not_text(field: &str) -> Refusal {
    Refusal::new(field, format!("{field} must be a non-empty string"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(result: Result<impl std::fmt::Debug, Refusal>, message: &str) {
        assert_eq!(result.expect_err("must be refused").message, message);
    }

    #[test]
    fn routing_fields_are_trimmed_and_counted_in_characters() {
        assert_eq!(routing("room", " \u{1c}\u{3000}b\u{a0}\n".into()).expect("fits"), "b");
        assert_eq!(routing("room", "\u{200b}b".into()).expect("zero width is no blank"), "\u{200b}b");
        assert_eq!(routing("room", "😀".repeat(256).into()).expect("fits").chars().count(), 256);
        refused(routing("room", "😀".repeat(257).into()), "room exceeds maximum length of 256 characters");
        refused(routing("room", "a\u{7f}b".into()), "room contains control characters");
        refused(routing("room", "  ".into()), "room must be a non-empty string");
        refused(routing("room", Raw::Other(5.into())), "room must be a non-empty string");
        assert_eq!(optional_routing("topic", "".into()).expect("empty is none"), None);
        refused(optional_routing("topic", "  ".into()), "topic must be a non-empty string");
    }

    #[test]
    fn event_types_are_short_lower_case_words() {
        for good in ["a", "7", "a.b-c_d9", "0.0", " task.request "] {
            assert_eq!(event_type(good.into()).expect("well formed"), good.trim());
        }
        for bad in ["Upper.case", ".dot", "-dash", "a/b", "été", "a b", "*"] {
            refused(
                event_type(bad.into()),
                &format!(
                    "type='{bad}' is not a valid event type (lowercase letters, digits, '.', '_', '-'; max 64 chars)"
                ),
            );
        }
        refused(event_type(Raw::Other(true.into())), "type must be a non-empty string");
    }

    #[test]
    fn bodies_are_limited_in_bytes_and_never_cut() {
        assert_eq!(body("é".repeat(MAX_BODY_BYTES / 2).into()).expect("fits").len(), MAX_BODY_BYTES);
        refused(body("x".repeat(MAX_BODY_BYTES + 1).into()), "body is 262145 bytes; maximum is 262144 bytes");
        refused(body("a\0b".into()), "body contains null bytes");
        refused(body(Raw::Other(5.into())), "body must be a string");
        assert_eq!(body(" a\r\n".into()).expect("kept"), " a\r\n");
    }

    #[test]
    fn artifact_ids_keep_their_order_without_doubles() {
        let list = |v: Value| artifact_ids(Raw::from(Some(v)));
        assert_eq!(list(serde_json::json!(["b", "a", "b"])).expect("a list"), ["b", "a"]);
        for bad in [serde_json::json!("x"), serde_json::json!([1]), serde_json::json!([""]), serde_json::json!({})] {
            refused(list(bad), "artifact_ids must be a list of artifact id strings");
        }
    }
}
