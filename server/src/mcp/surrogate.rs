//! Half an emoji in a JSON text: `\ud83d` without its other half.
//!
//! A client that cuts texts by UTF-16 units sends such escapes. A strict parser refuses the whole request; agents expect U+FFFD in
//! bodies and routing fields and a refusal for metadata. So a pass before the parser replaces each lone half by a character that the
//! text does not hold, and a pass after it knows where they were.

use std::borrow::Cow;

use serde_json::Value;

/// The text with every lone surrogate escape replaced, and by what; `None` when there was none.
pub fn mend_text(text: &str) -> Result<(Cow<'_, str>, Option<char>), NoMark> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut mark = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr_backslash(bytes, at) {
        let Some(unit) = escaped_unit(bytes, found) else {
            // Another escape, two bytes long; a `u` without four digits is the parser's error to report.
            at = found + 2;
            continue;
        };
        let paired = is_high(unit) && escaped_unit(bytes, found + 6).is_some_and(is_low);
        if paired {
            at = found + 12;
            continue;
        }
        at = found + 6;
        if is_high(unit) || is_low(unit) {
            let m = match mark {
                Some(m) => m,
                None => *mark.insert(free_mark(text).ok_or(NoMark)?),
            };
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(&text[copied..found]);
            out.push(m);
            copied = at;
        }
    }
    Ok(match out {
        Some(mut mended) => {
            mended.push_str(&text[copied..]);
            (Cow::Owned(mended), mark)
        }
        None => (Cow::Borrowed(text), None),
    })
}

/// A text that holds all thirty-two marks already, and a lone surrogate: not from any real client.
#[derive(Debug, PartialEq)]
pub struct NoMark;

/// Whether a value holds the mark, in a text or a key, at any depth.
pub fn holds_mark(value: &Value, mark: char) -> bool {
    match value {
        Value::String(s) => s.contains(mark),
        Value::Array(items) => items.iter().any(|v| holds_mark(v, mark)),
        Value::Object(object) => object.iter().any(|(k, v)| k.contains(mark) || holds_mark(v, mark)),
        _ => false,
    }
}

/// Replaces the mark by U+FFFD, in texts and keys, at every depth.
pub fn replace_mark(value: &mut Value, mark: char) {
    let mended = |s: &str| s.replace(mark, "\u{fffd}");
    match value {
        Value::String(s) if s.contains(mark) => *s = mended(s),
        Value::Array(items) => items.iter_mut().for_each(|v| replace_mark(v, mark)),
        Value::Object(object) => {
            let entries = std::mem::take(object);
            object.extend(entries.into_iter().map(|(k, mut v)| {
                replace_mark(&mut v, mark);
                (if k.contains(mark) { mended(&k) } else { k }, v)
            }));
        }
        _ => {}
    }
}

fn memchr_backslash(bytes: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.iter().position(|b| *b == b'\\').map(|i| from + i)
}

/// The UTF-16 unit of an escape that starts here.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

/// A noncharacter that the text holds neither as it is nor as an escape.
fn free_mark(text: &str) -> Option<char> {
    let lower = text.to_ascii_lowercase();
    ('\u{fdd0}'..='\u{fdef}').find(|c| !text.contains(*c) && !lower.contains(&format!("\\u{:04x}", u32::from(*c))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        let (text, mark) = mend_text(input).expect("has a mark");
        let mut value: Value = serde_json::from_str(&text).expect("parses");
        if let Some(mark) = mark {
            replace_mark(&mut value, mark);
        }
        assert_eq!(value, Value::String(expected.to_owned()));
    }

    #[test]
    fn lone_halves_become_the_replacement_character() {
        check(r#""a\ud83d""#, "a\u{fffd}");
        check(r#""\ude00b""#, "\u{fffd}b");
        check(r#""\uD83D\uDE00""#, "😀");
        check(r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀");
        check(r#""\\ud83d""#, "\\ud83d");
        check(r#""\ufdd0\ud800""#, "\u{fdd0}\u{fffd}");
        check(r#""\ud83d\n""#, "\u{fffd}\n");
    }

    #[test]
    fn an_ordinary_text_is_not_copied() {
        assert!(matches!(mend_text(r#""\u00e9\n""#), Ok((Cow::Borrowed(_), None))));
    }
}
