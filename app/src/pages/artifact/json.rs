//! A JSON text on indented lines, with each piece classed by what it is. It is the text itself that is cut up, not a value that was read
//! and written again, so numbers, escapes and doubled keys stay as they are. Pure.

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) type Piece = (Kind, String);

/// The lines of a JSON text, indented by two blanks; `None` for what is no JSON, or several values.
pub(super) fn lines(text: &str) -> Option<Vec<Vec<Piece>>> {
    serde_json::from_str::<&serde_json::value::RawValue>(text).ok()?;
    let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut depth = 0_usize;
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => string_end(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            c if c.is_ascii_whitespace() => {
                rest = &rest[1..];
                continue;
            }
            _ => rest.find([',', '}', ']', ' ', '\n', '\r', '\t']).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(taken);
        let next = after.trim_start();
        match c {
            '{' | '[' => {
                push(&mut lines, Kind::Mark, word);
                if next.starts_with(['}', ']']) {
                    push(&mut lines, Kind::Mark, &next[..1]);
                    rest = &next[1..];
                    continue;
                }
                depth += 1;
                start_line(&mut lines, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                start_line(&mut lines, depth);
                push(&mut lines, Kind::Mark, word);
            }
            ',' => {
                push(&mut lines, Kind::Mark, word);
                start_line(&mut lines, depth);
            }
            ':' => push(&mut lines, Kind::Mark, ": "),
            '"' if next.starts_with(':') => push(&mut lines, Kind::Key, word),
            '"' => push(&mut lines, Kind::Text, word),
            't' | 'f' | 'n' => push(&mut lines, Kind::Word, word),
            _ => push(&mut lines, Kind::Number, word),
        }
        rest = after;
    }
    Some(lines)
}

fn push(lines: &mut [Vec<Piece>], kind: Kind, text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push((kind, text.to_owned()));
    }
}

fn start_line(lines: &mut Vec<Vec<Piece>>, depth: usize) {
    lines.push(vec![(Kind::Mark, "  ".repeat(depth))]);
}

/// Where the string at the start of a text ends, behind its quote.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let line = |line: Vec<Piece>| line.into_iter().map(|(_, text)| text).collect::<String>();
        Some(lines(text)?.into_iter().map(line).collect::<Vec<_>>().join("\n"))
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
        for no_json in ["", "{", "{} {}", "x", "{'a': 1}"] {
            assert_eq!(shown(no_json), None, "{no_json}");
        }
    }

    #[test]
    fn pieces_are_classed() {
        let kinds: Vec<Kind> = lines(r#"{"k":"v","n":-1e5,"w":null}"#)
            .expect("json")
            .into_iter()
            .flatten()
            .map(|(kind, _)| kind)
            .filter(|kind| *kind != Kind::Mark)
            .collect();
        assert_eq!(kinds, [Kind::Key, Kind::Text, Kind::Key, Kind::Number, Kind::Key, Kind::Word]);
    }
}
