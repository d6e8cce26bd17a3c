//! Bodies in another form than the text itself, as markup. Written on the hub: what reads Markdown is in no browser.

use loggia_domain::Event;

use super::markdown;
use crate::pages::artifact::json::{self, lines};
use crate::words::{Piece, pieces};

/// The body in a form; empty when that is the text itself.
pub(crate) fn write_body(body: &str, form: &str) -> String {
    match form {
        "pretty" => pretty(body),
        "markdown" => markdown::write(body),
        _ => String::new(),
    }
}

/// The exact text of a part of an event, for the clipboard; `None` when there is no such part.
pub(in crate::pages) fn part(event: &Event, what: &str) -> Option<String> {
    match what {
        "id" => Some(event.id.clone()),
        "body" => Some(event.body.clone()),
        "json" => serde_json::to_string_pretty(event).ok(),
        _ => None,
    }
}

/// JSON with its lines indented, every number and key as it was written; any other text without the sequences that colour a terminal.
fn pretty(body: &str) -> String {
    let laid_out = if body.trim_start().starts_with(['{', '[']) { lines(body, usize::MAX) } else { None };
    let text = match laid_out {
        Some(lines) => {
            let line = |line: Vec<json::Piece>| line.into_iter().map(|(_, text)| text).collect::<String>();
            lines.first.into_iter().map(line).collect::<Vec<_>>().join("\n")
        }
        None => without_terminal(body),
    };
    format!("<pre class=\"body\">\n{}</pre>", escaped(&text))
}

/// A text without escape sequences for a terminal (CSI and OSC); everything else stays.
fn without_terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = if let Some(sequence) = after.strip_prefix('[') {
            sequence.find(|c: char| ('\u{40}'..='\u{7e}').contains(&c)).map(|at| at + 2)
        } else if after.starts_with(']') {
            let bell = after.find('\u{7}').map(|at| at + 1);
            let string_end = after.find("\u{1b}\\").map(|at| at + 2);
            match (bell, string_end) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        } else {
            None
        };
        if let Some(end) = end {
            rest = &after[end..];
        } else {
            // No sequence that is known: it stays, and is shown as a character.
            out.push('\u{1b}');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// A text as markup: nothing in it is a tag, and characters that a reader would not see are written out.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Plain(text) => escape_into(&text, &mut out),
            Piece::Hidden(name) => {
                out.push_str("<span class=\"hidden-char\">");
                escape_into(&name, &mut out);
                out.push_str("</span>");
            }
        }
    }
    out
}

fn escape_into(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_every_number_and_the_order_of_its_keys() {
        let twice = write_body(r#" {"a":1,"a":"\u00e9"}"#, "pretty");
        assert_eq!(
            twice,
            "<pre class=\"body\">\n{\n  &quot;a&quot;: 1,\n  &quot;a&quot;: &quot;\\u00e9&quot;\n}</pre>"
        );
        let written = write_body(r#"{"b":9007199254740993,"a":[1.0,18446744073709551616]}"#, "pretty");
        assert_eq!(
            written,
            "<pre class=\"body\">\n{\n  &quot;b&quot;: 9007199254740993,\n  &quot;a&quot;: [\n    1.0,\n    18446744073709551616\n  ]\n}</pre>"
        );
    }

    #[test]
    fn colours_of_a_terminal_go_and_what_hides_is_shown() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]8;;https://x.example\u{7}link\u{1b}]8;;\u{1b}\\.", "link."),
            ("\u{1b}", "\u{1b}"),
            ("\u{1b}[31", "\u{1b}[31"),
            ("a\r\nb", "a\r\nb"),
        ] {
            assert_eq!(without_terminal(text), expected, "{text:?}");
        }
        assert!(write_body("50 %\r100 %", "pretty").contains("hidden-char"));
    }

    #[test]
    fn nothing_in_a_body_is_a_tag() {
        assert_eq!(
            write_body("<img src=x onerror=alert(1)>", "pretty"),
            "<pre class=\"body\">\n&lt;img src=x onerror=alert(1)&gt;</pre>"
        );
        assert_eq!(write_body("anything", "raw"), "");
    }
}
