//! An event's or artifact's metadata: a JSON object kept as its exact text.
//!
//! # Design
//! Numbers would change on the way through a typed value (`9007199254740993`, `2^64`, `1.0`), above all in a browser. So the
//! text itself travels, and only those who need a member parse it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::field::Raw;
use crate::refusal::Refusal;

/// The longest canonical text, in bytes.
pub const MAX_METADATA_BYTES: usize = 65_536;

/// A JSON object as text, in canonical form: keys sorted, `", "` and `": "` as separators, non-ASCII characters kept.
#[derive(Debug, Clone)]
pub struct Metadata(Box<RawValue>);

impl Metadata {
    /// The object without members.
    pub fn empty() -> Self {
        Self::trusted("{}".to_owned())
    }

    /// The canonical form of an object that a caller gave; absent and null are the empty object.
    ///
    /// Refuses anything but an object, and a canonical text over [`MAX_METADATA_BYTES`].
    pub fn check(raw: Raw) -> Result<Self, Refusal> {
        let object = match raw {
            Raw::Absent => return Ok(Self::empty()),
            Raw::Other(Value::Object(object)) => object,
            _ => {
                return Err(Refusal::new("metadata", "metadata must be an object").accepted("a JSON object"));
            }
        };
        let text = canonical(&object);
        if text.len() > MAX_METADATA_BYTES {
            return Err(Refusal::new(
                "metadata",
                format!("metadata exceeds maximum size of {MAX_METADATA_BYTES} bytes"),
            )
            .limit(MAX_METADATA_BYTES)
            .value(text.len())
            .hint("store what is large as an artifact and reference it"));
        }
        Ok(Self::trusted(text))
    }

    /// What a row of the log holds. Another program may have written `NaN` or `Infinity`, which are no JSON: they become null.
    /// Any other text that is no JSON object is kept under the key `unreadable`, so that one bad row never breaks a page. A text over several
    /// lines comes on one, since frames of a stream, lines of an export and texts within answers each are one.
    pub fn from_stored(text: String) -> Self {
        if text == "{}" {
            return Self::empty();
        }
        let object = |t: &str| t.trim_start().starts_with('{') && serde_json::from_str::<&RawValue>(t).is_ok();
        if object(&text) {
            return Self::trusted(on_one_line(text));
        }
        let mended = without_non_finite(&text);
        if object(&mended) {
            return Self::trusted(on_one_line(mended));
        }
        let mut wrapped = Map::new();
        wrapped.insert("unreadable".to_owned(), Value::String(text));
        Self::trusted(canonical(&wrapped))
    }

    /// `{"ack_of": <id>}`, what an acknowledgement carries.
    pub fn ack_of(event_id: &str) -> Self {
        let mut object = Map::new();
        object.insert("ack_of".to_owned(), Value::String(event_id.to_owned()));
        Self::trusted(canonical(&object))
    }

    /// The exact text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.text() == "{}"
    }

    /// One member, parsed.
    pub fn get(&self, key: &str) -> Option<Value> {
        if self.is_empty() {
            return None;
        }
        serde_json::from_str::<Map<String, Value>>(self.text()).ok()?.remove(key)
    }

    /// A text that is known to be JSON: made by [`canonical`] or checked just before.
    fn trusted(text: String) -> Self {
        Self(RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl Default for Metadata {
    fn default() -> Self {
        Self::empty()
    }
}

impl PartialEq for Metadata {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// JSON without its line breaks and tabs: outside of strings they are blanks, and inside there are none.
fn on_one_line(json: String) -> String {
    if json.bytes().any(|byte| byte < b' ') { json.replace(['\n', '\r', '\t'], " ") } else { json }
}

/// The canonical text of an object: keys sorted by code point at every depth, numbers as they were written.
pub fn canonical(object: &Map<String, Value>) -> String {
    let mut out = String::with_capacity(64);
    write_object(object, &mut out);
    out
}

fn write_object(object: &Map<String, Value>, out: &mut String) {
    let mut keys: Vec<&String> = object.keys().collect();
    keys.sort_unstable();
    out.push('{');
    for (i, key) in keys.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&Value::String(key.clone()).to_string());
        out.push_str(": ");
        write_value(&object[key], out);
    }
    out.push('}');
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => write_object(object, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_value(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Replaces the words `NaN`, `Infinity` and `-Infinity` outside of strings by `null`.
pub fn without_non_finite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        if !in_string && let Some(word) = ["NaN", "-Infinity", "Infinity"].into_iter().find(|w| rest.starts_with(w)) {
            out.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        let step = if in_string && c == '\\' { rest.chars().take(2).map(char::len_utf8).sum() } else { c.len_utf8() };
        if c == '"' {
            in_string = !in_string;
        }
        out.push_str(&rest[..step]);
        rest = &rest[step..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        let value: Value = serde_json::from_str(input).expect("test input is JSON");
        assert_eq!(Metadata::check(Raw::Other(value)).expect("an object").text(), expected);
    }

    #[test]
    fn canonical_text_sorts_keys_and_keeps_numbers() {
        check(r#"{"b":1,"a":{"z":[1,2.50,null],"é":"中"}}"#, r#"{"a": {"z": [1, 2.50, null], "é": "中"}, "b": 1}"#);
        check(
            r#"{"n":9007199254740993,"m":18446744073709551616,"f":1.0}"#,
            r#"{"f": 1.0, "m": 18446744073709551616, "n": 9007199254740993}"#,
        );
        check(r#"{"a\u0000":"\u0001\n\u007f"}"#, "{\"a\\u0000\": \"\\u0001\\n\u{7f}\"}");
    }

    #[test]
    fn only_an_object_is_metadata() {
        for bad in ["[]", "5", "true", "\"{}\""] {
            let value: Value = serde_json::from_str(bad).expect("test input is JSON");
            assert_eq!(
                Metadata::check(Raw::from(Some(value))).expect_err("no object").message,
                "metadata must be an object"
            );
        }
        assert_eq!(Metadata::check(Raw::from(Some(Value::Null))).expect("null is absent").text(), "{}");
    }

    #[test]
    fn the_size_limit_counts_canonical_bytes() {
        let of = |n: usize| {
            let mut m = Map::new();
            m.insert("k".into(), Value::String("x".repeat(n)));
            Metadata::check(Raw::Other(Value::Object(m)))
        };
        assert_eq!(of(MAX_METADATA_BYTES - 9).expect("fits").text().len(), MAX_METADATA_BYTES);
        let refused = of(MAX_METADATA_BYTES - 8).expect_err("too large");
        assert_eq!(refused.message, "metadata exceeds maximum size of 65536 bytes");
        assert_eq!(refused.value, Some(65_537.into()));
    }

    #[test]
    fn what_another_program_stored_never_breaks_a_frame() {
        #[track_caller]
        fn check(stored: &str, expected: &str) {
            assert_eq!(Metadata::from_stored(stored.to_owned()).text(), expected);
        }
        check(
            r#"{"a": NaN, "b": "NaN \" Infinity", "c": [-Infinity]}"#,
            r#"{"a": null, "b": "NaN \" Infinity", "c": [null]}"#,
        );
        check("not json", r#"{"unreadable": "not json"}"#);
        check("[1]", r#"{"unreadable": "[1]"}"#);
        check("", r#"{"unreadable": ""}"#);
    }

    #[test]
    fn what_another_program_wrote_over_several_lines_comes_on_one() {
        let stored = Metadata::from_stored("{\n  \"a\":\t[1,\r\n2.50], \"b\": \"x\\ny\"\n}".to_owned());
        assert!(!stored.text().bytes().any(|byte| byte < b' '), "{:?}", stored.text());
        assert_eq!(stored.get("b"), Some("x\ny".into()));
        assert!(stored.text().contains("2.50"));
    }
}
