//! A terminal's colours in a log, as parts with classes of ours. Only colours and weights are understood (the codes that end in `m`); every
//! other code stays in the text and is written out, since it could hide or move what is there. Pure.

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

    /// Takes the numbers of one code.
    fn take(&mut self, code: &str) {
        let mut numbers = code.split([';', ':']).map(|n| n.parse::<u16>().unwrap_or(0));
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

/// A line in parts; the pen goes on into the next line, as in a terminal.
pub(super) fn parts(line: &str, pen: &mut Pen) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut push = |pen: Pen, text: &str| {
        if !text.is_empty() {
            parts.push(Part { class: pen.class(), text: text.to_owned() });
        }
    };
    let (mut plain, mut from) = (0, 0);
    while let Some(found) = line[from..].find("\u{1b}[") {
        let start = from + found;
        let body = &line[start + 2..];
        let end = body.find(|c: char| !matches!(c, '0'..='9' | ';' | ':')).unwrap_or(body.len());
        if body[end..].starts_with('m') {
            push(*pen, &line[plain..start]);
            pen.take(&body[..end]);
            plain = start + 2 + end + 1;
            from = plain;
        } else {
            from = start + 2;
        }
    }
    push(*pen, &line[plain..]);
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
    }

    #[test]
    fn a_colour_lasts_over_the_end_of_a_line() {
        let mut pen = Pen::default();
        parts("\u{1b}[32mgreen", &mut pen);
        assert_eq!(parts("still", &mut pen)[0].class, "sgr-ink-2");
    }
}
