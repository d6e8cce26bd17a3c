//! A JSON text on indented lines, with each piece classed by what it is. What stands between the brackets and commas is the text itself, not
//! a value that was read and written again, so numbers, escapes and doubled keys stay as they are. Pure.
//!
//! # Design
//! serde_json reads one level at a time and hands out what is in it as raw text. Each level is so read once for every level above it,
//! which is why levels deeper than [`MAX_DEPTH`] stay as they were written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// How many levels are laid out.
const MAX_DEPTH: usize = 32;

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Kind {
    /// Brackets, commas, colons, blanks.
    Mark,
    Key,
    Text,
    /// A number.
    Number,
    /// `true`, `false`, `null`.
    Word,
}

impl Kind {
    /// The class of a piece.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Mark => "",
            Self::Key => "json-key",
            Self::Text => "json-text",
            Self::Number => "json-number",
            Self::Word => "json-word",
        }
    }
}

/// A piece of a line.
pub(in crate::pages) type Piece = (Kind, String);

/// An object's members in their order, with keys as they were written.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'a> Visitor<'a> for Reader {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Members<'a>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

/// A JSON text on lines. Only so many are kept as are wanted, since a line of one number takes a hundred times its own room.
#[derive(Debug)]
pub(in crate::pages) struct Lines {
    /// The first ones.
    pub(in crate::pages) first: Vec<Vec<Piece>>,
    /// How many there are in all.
    pub(super) total: usize,
    /// How many are kept at most.
    limit: usize,
}

impl Lines {
    fn start(&mut self, depth: usize) {
        self.total += 1;
        if self.total <= self.limit {
            // An empty text would be shown as a blank.
            self.first.push(if depth == 0 { Vec::new() } else { vec![(Kind::Mark, "  ".repeat(depth))] });
        }
    }

    fn push(&mut self, kind: Kind, text: &str) {
        if self.total <= self.limit
            && let Some(line) = self.first.last_mut()
        {
            line.push((kind, text.to_owned()));
        }
    }
}

/// The lines of a JSON text, indented by two blanks, the first `limit` of them; `None` for what is no JSON, or several values.
pub(in crate::pages) fn lines(text: &str, limit: usize) -> Option<Lines> {
    let value: &RawValue = serde_json::from_str(text).ok()?;
    let mut lines = Lines { first: Vec::new(), total: 0, limit };
    lines.start(0);
    lay_out(value, 0, &mut lines)?;
    Some(lines)
}

fn lay_out(value: &RawValue, depth: usize, lines: &mut Lines) -> Option<()> {
    let text = value.get();
    let kind = match text.as_bytes().first()? {
        b'{' | b'[' if depth == MAX_DEPTH => Kind::Mark,
        b'{' => {
            let Members(members) = serde_json::from_str(text).ok()?;
            let members = members.into_iter().map(|(key, value)| (Some(key), value)).collect();
            return level(["{", "}"], members, depth, lines);
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            return level(["[", "]"], items.into_iter().map(|item| (None, item)).collect(), depth, lines);
        }
        b'"' => Kind::Text,
        b't' | b'f' | b'n' => Kind::Word,
        _ => Kind::Number,
    };
    lines.push(kind, text);
    Some(())
}

/// What stands between two brackets, each on a line of its own.
fn level(
    [open, close]: [&str; 2],
    within: Vec<(Option<&RawValue>, &RawValue)>,
    depth: usize,
    lines: &mut Lines,
) -> Option<()> {
    lines.push(Kind::Mark, open);
    let count = within.len();
    for (at, (key, value)) in within.into_iter().enumerate() {
        lines.start(depth + 1);
        if let Some(key) = key {
            lines.push(Kind::Key, key.get());
            lines.push(Kind::Mark, ": ");
        }
        lay_out(value, depth + 1, lines)?;
        if at + 1 < count {
            lines.push(Kind::Mark, ",");
        }
    }
    if count > 0 {
        lines.start(depth);
    }
    lines.push(Kind::Mark, close);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let line = |line: Vec<Piece>| line.into_iter().map(|(_, text)| text).collect::<String>();
        Some(lines(text, usize::MAX)?.first.into_iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_text_is_laid_out_and_nothing_in_it_changes() {
        for (text, expected) in [
            (
                r#"{"a":9007199254740993,"a":[1.0,true],"b":{},"c":"x\"}, "}"#,
                "{\n  \"a\": 9007199254740993,\n  \"a\": [\n    1.0,\n    true\n  ],\n  \"b\": {},\n  \"c\": \"x\\\"}, \"\n}",
            ),
            (" [ ] ", "[]"),
            ("\"x\"", "\"x\""),
        ] {
            assert_eq!(shown(text).as_deref(), Some(expected));
        }
        let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        let laid_out = shown(&deep).expect("json");
        assert_eq!(laid_out.lines().count(), 2 * MAX_DEPTH + 1);
        assert_eq!(laid_out.replace(['\n', ' '], ""), deep);
        for no_json in ["", "{", "{} {}", "x", "{'a': 1}"] {
            assert_eq!(shown(no_json), None, "{no_json}");
        }
    }

    #[test]
    fn no_more_lines_are_kept_than_are_wanted() {
        let text = format!("[{}1]", "1,".repeat(9_999));
        let laid_out = lines(&text, 300).expect("json");
        assert_eq!((laid_out.first.len(), laid_out.total), (300, 10_002));
        assert_eq!(laid_out.first[299].len(), 3, "{:?}", laid_out.first[299]);
    }

    #[test]
    fn pieces_are_classed() {
        let kinds: Vec<Kind> = lines(r#"{"k":"v","n":-1e5,"w":null}"#, 9)
            .expect("json")
            .first
            .into_iter()
            .flatten()
            .map(|(kind, _)| kind)
            .filter(|kind| *kind != Kind::Mark)
            .collect();
        assert_eq!(kinds, [Kind::Key, Kind::Text, Kind::Key, Kind::Number, Kind::Key, Kind::Word]);
    }
}
