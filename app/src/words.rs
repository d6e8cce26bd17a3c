//! How numbers, sizes, ages and unseen characters are written for people. Pure text in, text out; nothing here knows HTML.

use loggia_domain::timestamp::duration_words;

use crate::language::t;

/// An integer in groups of three: `48 211`, with narrow spaces that do not break.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// The same for a sequence number, which is never negative in a healthy log.
pub fn grouped_seq(seq: i64) -> String {
    u64::try_from(seq).map_or_else(|_| seq.to_string(), grouped)
}

/// A count with its noun: `1 event`, `2 events`.
pub fn counted(number: u64, singular: &str, plural: &str) -> String {
    format!("{}\u{a0}{}", grouped(number), if number == 1 { singular } else { plural })
}

/// A size: exact below 10 000 bytes, then in kB and MB with one decimal.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => counted(bytes, t!("byte##n"), t!("bytes##n")),
        10_000..1_000_000 => format!("{}.{}\u{a0}kB", bytes / 1000, bytes % 1000 / 100),
        _ => format!("{}.{}\u{a0}MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// What happened how long ago, coarser than a duration: `claimed just now`, `claimed 12 s ago`, then `3 min`, `1 h 55 min`, `3 d 4 h`.
pub fn ago(what: &str, ms: u64) -> String {
    let age = match ms / 1000 {
        0..5 => return t!("{what} just now", what = what),
        s @ 5..60 => format!("{s} {}", t!("s")),
        s @ 60..3600 => format!("{} {}", s / 60, t!("min")),
        _ => duration(ms),
    };
    t!("{what} {age} ago", what = what, age = age)
}

/// A duration in words, the two largest units: `4 s`, `2 min 51 s`, `1 h 55 min`, `3 d 4 h`.
pub fn duration(ms: u64) -> String {
    let mut out = String::new();
    for part in duration_words(ms).split(' ') {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(match part {
            "d" => t!("d"),
            "h" => t!("h"),
            "min" => t!("min"),
            "s" => t!("s"),
            number => number,
        });
    }
    out
}

/// A number in words up to twelve, for sentences: `Three`, `14`.
pub fn number_word(number: usize) -> String {
    t!("No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve")
        .split(' ')
        .nth(number)
        .map_or_else(|| number.to_string(), str::to_owned)
}

/// A part of a text as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Shown as it is.
    Plain(String),
    /// A character that a reader would not see, or that would move or hide others, written out: `U+202E`, `CR`, `ESC`.
    Hidden(String),
}

/// A text cut at its unseen characters: control characters but tab and line feed, marks that change the direction of writing, zero
/// width and filler characters. Accents, emoji and every script stay as they are.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut plain = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if is_hidden(c, before) {
            if !plain.is_empty() {
                out.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            out.push(Piece::Hidden(hidden_name(c)));
        } else {
            plain.push(c);
        }
        before = c;
    }
    if !plain.is_empty() {
        out.push(Piece::Plain(plain));
    }
    out
}

/// How many characters of a text [`pieces`] would write out.
pub fn count_hidden(text: &str) -> usize {
    let mut before = ' ';
    text.chars()
        .filter(|c| {
            let hidden = is_hidden(*c, before);
            before = *c;
            hidden
        })
        .count()
}

/// The first `max_chars` characters and how many more there are.
#[cfg(any(feature = "ssr", test))]
pub fn cut(text: &str, max_chars: usize) -> (&str, usize) {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
        None => (text, 0),
    }
}

/// The ends of a long hash: `9c4f1f7a62c0…e17d04b2`.
pub fn short_hash(hash: &str) -> String {
    match (hash.get(..12), hash.len().checked_sub(8).and_then(|at| hash.get(at..))) {
        (Some(head), Some(tail)) if hash.len() > 24 => format!("{head}…{tail}"),
        _ => hash.to_owned(),
    }
}

fn is_hidden(c: char, before: char) -> bool {
    match c {
        '\t' | '\n' => false,
        // Joiners shape emoji and several scripts; after a Latin letter or a blank they only hide.
        '\u{200c}' | '\u{200d}' => before.is_ascii(),
        _ => {
            c.is_control()
                || matches!(c,
                    '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
                    | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                    | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        }
    }
}

fn hidden_name(c: char) -> String {
    match c {
        '\r' => "CR".to_owned(),
        '\u{1b}' => "ESC".to_owned(),
        '\u{8}' => "BS".to_owned(),
        '\u{7f}' => "DEL".to_owned(),
        '\u{feff}' => "BOM".to_owned(),
        _ => format!("U+{:04X}", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in [(7, "7"), (999, "999"), (1000, "1\u{202f}000"), (48_211, "48\u{202f}211")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(grouped_seq(-3), "-3");
    }

    #[test]
    fn sizes_are_exact_while_they_are_small() {
        for (bytes, text) in [(9, "9"), (1_100, "1\u{202f}100")] {
            assert_eq!(size(bytes), format!("{text}\u{a0}bytes"));
        }
        assert_eq!(size(18_422), "18.4\u{a0}kB");
        assert_eq!(size(4_194_304), "4.1\u{a0}MB");
    }

    #[test]
    fn ages_are_coarse() {
        for (ms, text) in
            [(0, "just now"), (12_400, "12 s ago"), (1_080_000, "18 min ago"), (6_900_000, "1 h 55 min ago")]
        {
            assert_eq!(ago("claimed", ms), format!("claimed {text}"));
        }
    }

    #[test]
    fn unseen_characters_are_written_out() {
        let shown = |text: &str| {
            pieces(text)
                .into_iter()
                .map(|p| match p {
                    Piece::Plain(t) => t,
                    Piece::Hidden(t) => format!("<{t}>"),
                })
                .collect::<String>()
        };
        for (text, expected) in [
            ("if a\u{202e}b\u{2066}", "if a<U+202E>b<U+2066>"),
            ("x\r\n\ty\u{0}", "x<CR>\n\ty<U+0000>"),
            ("pass\u{200b}word\u{feff}", "pass<U+200B>word<BOM>"),
            ("a\u{200d}b", "a<U+200D>b"),
            ("\u{1b}[2J", "<ESC>[2J"),
            ("tag\u{e0041}", "tag<U+E0041>"),
        ] {
            assert_eq!(shown(text), expected);
            assert!(count_hidden(text) > 0);
        }
    }

    #[test]
    fn plain_scripts_and_emoji_are_left_alone() {
        for text in ["élève naïve", "漢字かな", "👩\u{200d}🔧 ❤\u{fe0f}", "می\u{200c}خواهم", "tab\tand\nline"]
        {
            assert_eq!(count_hidden(text), 0, "{text}");
        }
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("日本語", 2), ("日本", 1));
        assert_eq!(cut("ab", 2), ("ab", 0));
        assert_eq!(short_hash(&"0123456789ab".repeat(6)[..64]), "0123456789ab…89ab0123");
        assert_eq!(short_hash("é"), "é");
    }
}
