//! A terminal's colours in a log, as parts with classes of ours. Only colours and weights are understood (the codes that end in `m`); every
//! other code stays in the text and is written out, since it could hide or move what is there. Pure.
//!
//! # Design
//! Codes are read by `anstyle-parse`, one at a time and from its first byte: an escape character that begins no code of ours is text, and
//! whatever comes behind it is looked at anew. So no code that is never ended can swallow the rest of a log.

use anstyle_parse::{AsciiParser, Params, Parser, Perform};

/// A part of a line that looks the same throughout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Class names; empty for plain text.
    pub(super) class: String,
    pub(super) text: String,
}

/// How text is written from here on.
#[expect(clippy::struct_excessive_bools, reason = "four independent properties of a terminal's text")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pen {
    bold: bool,
    faint: bool,
    italic: bool,
    underline: bool,
    /// One of the sixteen colours.
    ink: Option<u8>,
    paper: Option<u8>,
}

impl Pen {
    fn class(self) -> String {
        let words = [(self.bold, "b"), (self.faint, "f"), (self.italic, "i"), (self.underline, "u")];
        let mut class: Vec<String> =
            words.iter().filter(|(is, _)| *is).map(|(_, word)| format!("sgr-{word}")).collect();
        class.extend(self.ink.map(|ink| format!("sgr-ink-{ink}")));
        class.extend(self.paper.map(|paper| format!("sgr-paper-{paper}")));
        class.join(" ")
    }

    /// Takes the numbers of one code, each with what belongs to it behind colons.
    fn take(&mut self, code: &Params) {
        // Whether they are joined by colons or stand for themselves, the numbers of a colour follow one another.
        let mut numbers = code.iter().flatten().copied();
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                1 => self.bold = true,
                2 => self.faint = true,
                3 => self.italic = true,
                4 => self.underline = true,
                22 => (self.bold, self.faint) = (false, false),
                23 => self.italic = false,
                24 => self.underline = false,
                30..=37 => self.ink = low(number - 30),
                90..=97 => self.ink = low(number - 90 + 8),
                39 => self.ink = None,
                40..=47 => self.paper = low(number - 40),
                100..=107 => self.paper = low(number - 100 + 8),
                49 => self.paper = None,
                38 => self.ink = extended(&mut numbers).or(self.ink),
                48 => self.paper = extended(&mut numbers).or(self.paper),
                _ => {}
            }
        }
    }
}

/// What the parser says of the code that it was given.
#[derive(Default)]
struct Heard {
    /// The numbers of a code that sets colours or weights.
    pen: Option<Params>,
    /// Whether the code has ended, whatever it was.
    is_over: bool,
}

impl Perform for Heard {
    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], is_cut: bool, action: u8) {
        self.is_over = true;
        if action == b'm' && intermediates.is_empty() && !is_cut {
            self.pen = Some(params.clone());
        }
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, _: u8) {
        self.is_over = true;
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, _: u8) {
        self.is_over = true;
    }
}

/// The code for colours or weights that begins with the escape character at the start of a text, and its length in bytes.
fn code(text: &str) -> Option<(Params, usize)> {
    let mut parser = Parser::<AsciiParser>::new();
    let mut heard = Heard::default();
    for (at, byte) in text.bytes().enumerate() {
        // A terminal obeys or skips a control character within a code; here it is to be seen.
        if !byte.is_ascii() || (at > 0 && byte.is_ascii_control()) {
            return None;
        }
        parser.advance(&mut heard, byte);
        if heard.is_over {
            return heard.pen.map(|pen| (pen, at + 1));
        }
    }
    None
}

/// A text cut at its codes for colours and weights: what stands before each one, then the code; at the end the rest, without one.
fn cut_up(text: &str) -> impl Iterator<Item = (&str, Option<Params>)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let whole = rest?;
        for (at, _) in whole.match_indices('\u{1b}') {
            if let Some((params, len)) = code(&whole[at..]) {
                rest = Some(&whole[at + len..]);
                return Some((&whole[..at], Some(params)));
            }
        }
        rest = None;
        Some((whole, None))
    })
}

/// How many codes for colours and weights a text has.
pub(super) fn count(text: &str) -> usize {
    cut_up(text).filter(|(_, code)| code.is_some()).count()
}

/// A text without its codes for colours and weights. Codes that move, hide or link stay.
pub(super) fn without(text: &str) -> String {
    cut_up(text).map(|(text, _)| text).collect()
}

/// A line in parts; the pen goes on into the next line, as in a terminal.
pub(super) fn parts(line: &str, pen: &mut Pen) -> Vec<Part> {
    let mut parts = Vec::new();
    for (text, code) in cut_up(line) {
        if !text.is_empty() {
            parts.push(Part { class: pen.class(), text: text.to_owned() });
        }
        if let Some(code) = code {
            pen.take(&code);
        }
    }
    parts
}

/// `5;n` of the 256 colours or `2;r;g;b`, as the nearest of the sixteen.
fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<u8> {
    match numbers.next()? {
        5 => match numbers.next()? {
            n @ 0..=15 => low(n),
            n @ 16..=231 => {
                let level = |n: u16| (n % 6) * 51;
                Some(nearest(level((n - 16) / 36), level((n - 16) / 6), level(n - 16)))
            }
            n => Some(nearest((n - 232) * 10 + 8, (n - 232) * 10 + 8, (n - 232) * 10 + 8)),
        },
        2 => Some(nearest(numbers.next()?, numbers.next()?, numbers.next()?)),
        _ => None,
    }
}

fn nearest(red: u16, green: u16, blue: u16) -> u8 {
    let brightest = red.max(green).max(blue);
    if brightest.abs_diff(red.min(green).min(blue)) < 32 {
        return match brightest {
            0..=63 => 0,
            64..=159 => 8,
            160..=223 => 7,
            _ => 15,
        };
    }
    let is_on = |part: u16, bit: u8| if part * 2 > brightest { bit } else { 0 };
    let bright = if brightest > 200 { 8 } else { 0 };
    is_on(red, 1) + is_on(green, 2) + is_on(blue, 4) + bright
}

fn low(number: u16) -> Option<u8> {
    u8::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, &str)]) {
        let found = parts(line, &mut Pen::default());
        let found: Vec<_> = found.iter().map(|p| (p.class.as_str(), p.text.as_str())).collect();
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn colours_become_classes_and_nothing_else_disappears() {
        check("plain", &[("", "plain")]);
        check("\u{1b}[31;1mred\u{1b}[0m rest", &[("sgr-b sgr-ink-1", "red"), ("", " rest")]);
        check("\u{1b}[2K\u{1b}[mx", &[("", "\u{1b}[2K"), ("", "x")]);
        check("\u{1b}[38;5;196mx\u{1b}[48;2;0;0;0my", &[("sgr-ink-9", "x"), ("sgr-ink-9 sgr-paper-0", "y")]);
        check("\u{1b}[999mx\u{1b}[38;5mz", &[("", "x"), ("", "z")]);
        check("end \u{1b}[", &[("", "end \u{1b}[")]);
        check("\u{1b}[\u{1b}[31mx", &[("", "\u{1b}["), ("sgr-ink-1", "x")]);
        check("\u{1b}[3\u{7f}1mx", &[("", "\u{1b}[3\u{7f}1mx")]);
        check("\u{1b}é\u{1b}[?1mx", &[("", "\u{1b}é\u{1b}[?1mx")]);
        check("\u{1b}]0;title \u{1b}[32mx", &[("", "\u{1b}]0;title "), ("sgr-ink-2", "x")]);
    }

    #[test]
    fn codes_are_counted_and_left_out() {
        let log = "\u{1b}[31mred\u{1b}[0m \u{1b}]8;;http://x\u{7}link \u{1b}[2K\u{1b}";
        assert_eq!(count(log), 2);
        assert_eq!(without(log), "red \u{1b}]8;;http://x\u{7}link \u{1b}[2K\u{1b}");
    }

    #[test]
    fn a_code_of_more_numbers_than_anybody_writes_is_text() {
        let code = format!("\u{1b}[{}mx", "1;".repeat(40));
        check(&code, &[("", &*code)]);
    }

    #[test]
    fn a_colour_lasts_over_the_end_of_a_line() {
        let mut pen = Pen::default();
        parts("\u{1b}[32mgreen", &mut pen);
        assert_eq!(parts("still", &mut pen)[0].class, "sgr-ink-2");
    }
}
