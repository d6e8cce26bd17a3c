//! AAAK as a reader sees it: the parts of a diary entry. A view of the text, never a form of it: agents write the notation loosely,
//! nothing parses it on its way in, and what is read here loses marks. Whoever shows this shows the text itself beside it.
//!
//! `|` parts fields, `+` joins things of one kind, `.` and `_` join words, `KEY:` opens a field, three capitals name somebody, stars
//! weigh the entry (`contract: palace`, AAAK). What follows none of this stays as it is.

/// The longest text that is read, in characters. Longer ones are prose.
pub const MAX_CHARS: usize = 20_000;

/// The longest head of a field, in characters.
const MAX_HEAD_CHARS: usize = 24;
const MAX_STARS: usize = 5;
/// Words that mark an entry as a whole.
const FLAGS: [&str; 7] = ["ORIGIN", "CORE", "PIVOT", "GENESIS", "DECISION", "TECHNICAL", "SENSITIVE"];

/// A line of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// One that has fields.
    Fields(Vec<Field>),
    /// Anything else, as it is.
    Plain(String),
}

/// A field: what stands between two `|`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// What it is about, when it says so: `SESSION`, `→`.
    pub head: Option<String>,
    /// What it holds, at least one unless there is a head.
    pub items: Vec<Item>,
}

/// One thing in a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Words, with the marks between them turned into blanks.
    Words(String),
    /// Somebody or something by its code: `MIR`, `???`.
    Entity(String),
    /// A flag: `DECISION`.
    Flag(String),
    /// A verbatim quote, without its marks.
    Quote(String),
    /// How much it weighs, 1 to 5.
    Stars(usize),
}

/// The lines of an entry; `None` when it is not AAAK, or too long to be.
pub fn read(text: &str) -> Option<Vec<Line>> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let mut is_code = false;
    let lines: Vec<Line> = text
        .lines()
        .map(|line| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            if is_fence || is_code { None } else { fields(line) }
                .map_or_else(|| Line::Plain(line.to_owned()), Line::Fields)
        })
        .collect();
    lines.iter().any(|line| matches!(line, Line::Fields(_))).then_some(lines)
}

/// The fields of a line. One alone is prose unless it opens with a head; a line that opens with `|` is a row of a table.
fn fields(line: &str) -> Option<Vec<Field>> {
    let line = line.trim();
    if line.starts_with('|') {
        return None;
    }
    let fields: Vec<Field> = split(line, '|').into_iter().filter_map(field).collect();
    let is_marked = |f: &Field| f.head.is_some() || f.items.iter().any(|i| !matches!(i, Item::Words(_)));
    (fields.len() >= 3 || (fields.len() == 2 && fields.iter().any(is_marked))).then_some(fields)
}

fn field(text: &str) -> Option<Field> {
    let text = text.trim();
    let (head, rest) = match text.split_once(':') {
        Some((head, rest)) if is_head(head) => (Some(head.to_owned()), rest),
        _ => (None, text),
    };
    let items: Vec<Item> = split(rest, '+').into_iter().filter_map(item).collect();
    (head.is_some() || !items.is_empty()).then_some(Field { head, items })
}

/// Capitals, digits and `_`, or a sign alone.
fn is_head(text: &str) -> bool {
    let is_key = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_word = text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_key);
    (is_word && text.len() <= MAX_HEAD_CHARS) || matches!(text, "→" | "->" | "⚠" | "⚠\u{fe0f}")
}

fn item(text: &str) -> Option<Item> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let stars = text.chars().count();
    if stars <= MAX_STARS && text.chars().all(|c| c == '★') {
        return Some(Item::Stars(stars));
    }
    for (open, close) in [('"', '"'), ('“', '”')] {
        if let Some(quote) = text.strip_prefix(open).and_then(|t| t.strip_suffix(close)) {
            return Some(Item::Quote(quote.to_owned()));
        }
    }
    Some(if text == "???" || (text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase())) {
        Item::Entity(text.to_owned())
    } else if FLAGS.contains(&text) {
        Item::Flag(text.to_owned())
    } else {
        Item::Words(words(text))
    })
}

/// Marks between words become blanks: `fixed.queue_stall` is `fixed queue stall`. A dot between digits, before a blank or at the end
/// stays, as in `3.11` and in prose.
fn words(text: &str) -> String {
    let chars: Vec<char> = text.replace("->", "→").chars().collect();
    let mut out = String::with_capacity(text.len());
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied().unwrap_or(' ');
        let after = chars.get(at + 1).copied().unwrap_or(' ');
        let is_between = |test: fn(char) -> bool| test(before) && test(after);
        match c {
            '.' if is_between(|c| c.is_ascii_digit()) => out.push(c),
            '.' | '_' if is_between(char::is_alphanumeric) || (is_word(before) && is_word(after)) => out.push(' '),
            '→' => {
                if !before.is_whitespace() && at > 0 {
                    out.push(' ');
                }
                out.push(c);
                if !after.is_whitespace() {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// What a mark may join: anything but blanks and other marks.
fn is_word(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '.' | '_' | '/' | '\\')
}

/// A text cut at a mark, but not inside of quotes. A quote that is never closed is none.
fn split(text: &str, mark: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut until) = (0, 0);
    for (at, c) in text.char_indices() {
        if at < until {
            continue;
        }
        let closes = match c {
            '"' => Some('"'),
            '“' => Some('”'),
            _ => None,
        };
        let inside = at + c.len_utf8();
        if let Some(length) = closes.and_then(|close| text[inside..].find(close)) {
            until = inside + length + 1;
        } else if c == mark {
            parts.push(&text[start..at]);
            start = inside;
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line in short: fields in brackets, each item after a letter that says what it is.
    fn shown(text: &str) -> Option<String> {
        let item = |item: &Item| match item {
            Item::Words(text) => format!("w:{text}"),
            Item::Entity(code) => format!("e:{code}"),
            Item::Flag(word) => format!("f:{word}"),
            Item::Quote(text) => format!("q:{text}"),
            Item::Stars(count) => format!("*{count}"),
        };
        let field = |field: &Field| {
            let items: Vec<String> = field.items.iter().map(item).collect();
            format!("[{}{}]", field.head.as_ref().map(|h| format!("{h}=")).unwrap_or_default(), items.join(","))
        };
        let line = |line: &Line| match line {
            Line::Fields(fields) => fields.iter().map(field).collect(),
            Line::Plain(text) => text.clone(),
        };
        Some(read(text)?.iter().map(line).collect::<Vec<String>>().join("\n"))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text).as_deref(), Some(expected));
    }

    #[test]
    fn an_entry_falls_into_its_parts() {
        check(
            "SESSION:2026-05-04|MIR+TOM|fixed.queue.stall+wrote.3.tests|\"retry only after the ack\"|DECISION|determ+relief|→:ship.on.friday|★★★",
            "[SESSION=w:2026-05-04][e:MIR,e:TOM][w:fixed queue stall,w:wrote 3 tests][q:retry only after the ack][f:DECISION]\
             [w:determ,w:relief][→=w:ship on friday][*3]",
        );
        check("PROJ:atlas | ??? | T:MIR<->TOM", "[PROJ=w:atlas][e:???][T=w:MIR< → TOM]");
        check("wing_a|room|2026-05-04|A title", "[w:wing a][w:room][w:2026-05-04][w:A title]");
        check("ARC:joy->doubt->relief|★", "[ARC=w:joy → doubt → relief][*1]");
        check("a||b|★★★★★★", "[w:a][w:b][w:★★★★★★]");
    }

    #[test]
    fn dots_that_are_no_joints_stay() {
        for (text, expected) in [
            ("v3.11.0", "v3.11.0"),
            ("took.0.5.s", "took 0.5 s"),
            ("It works. Really.", "It works. Really."),
            ("src/lib.rs", "src/lib rs"),
            ("../x", "../x"),
            ("wait...", "wait..."),
            ("数据.库", "数据 库"),
        ] {
            assert_eq!(words(text), expected);
        }
    }

    #[test]
    fn marks_inside_of_quotes_part_nothing() {
        check("\"a|b+c\"|x+\"y+z\"", "[q:a|b+c][w:x,q:y+z]");
        check("“a|b”|★", "[q:a|b][*1]");
        check("5\" disk|a|b", "[w:5\" disk][w:a][w:b]");
    }

    #[test]
    fn prose_code_and_tables_are_not_read() {
        for text in [
            "",
            "Fixed the queue. It stalled.",
            "a | b",
            "| a | b |\n|---|---|\n| MIR | ★ |",
            "```\nSESSION:1|MIR|★\n```",
            "SESSION:2026-05-04",
            "if a || b { c() }",
            "time: 14:02 | nothing",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
        check("SESSION:1|MIR\n\nprose stays\n```\na|b|c\n```", "[SESSION=w:1][e:MIR]\n\nprose stays\n```\na|b|c\n```");
    }

    #[test]
    fn a_text_of_any_length_and_kind_is_taken() {
        assert_eq!(read(&"a|".repeat(MAX_CHARS / 2 + 1)), None);
        assert!(read(&"a|".repeat(MAX_CHARS / 2)).is_some());
        for text in ["\"", "|\"", "\"|", "::|::", "→|→:|->", "+|+|+", "😀|\u{202e}|★", "_._|..|"] {
            let _ = read(text);
        }
    }
}
