//! Names of wings, rooms and topics.

use crate::field::{Raw, is_blank};
use crate::refusal::Refusal;

use super::letters::is_word;

/// The longest name, in characters.
pub const MAX_CHARS: usize = 128;

/// The longest source, in characters.
const MAX_SOURCE_CHARS: usize = 4096;

/// What a name may be, for those who were refused.
const ACCEPTED: &str = "letters and digits, inside also blanks and . _ ' -";

/// A name that must be there: trimmed, 1 to 128 characters, a letter or digit at both ends, between them also blanks and `. _ ' -`.
pub fn required(field: &str, raw: Raw) -> Result<String, Refusal> {
    let name = bounded(field, raw)?;
    if name.contains("..") || name.contains(['/', '\\']) {
        return Err(invalid(field, &name, "invalid path characters"));
    }
    if name.contains('\0') {
        return Err(null_bytes(field));
    }
    let is_end = |c: Option<char>| c.is_some_and(|c| is_word(c) && c != '_');
    let is_inner = |c: char| is_word(c) || matches!(c, ' ' | '.' | '\'' | '-');
    if !is_end(name.chars().next()) || !is_end(name.chars().next_back()) || !name.chars().all(is_inner) {
        return Err(invalid(field, &name, "invalid characters"));
    }
    Ok(name)
}

/// A name that filters when it is given; null, empty and blank ones do not.
pub fn optional(field: &str, raw: Raw) -> Result<Option<String>, Refusal> {
    match raw {
        Raw::Absent => Ok(None),
        Raw::Text(text) if text.trim_matches(is_blank).is_empty() => Ok(None),
        raw => required(field, raw).map(Some),
    }
}

/// A source that filters when it is given: a path or an address, trimmed, of at most 4096 characters; null, empty and blank ones do not.
pub fn source_file(raw: Raw) -> Result<Option<String>, Refusal> {
    const FIELD: &str = "source_file";
    let text = match raw {
        Raw::Absent => return Ok(None),
        Raw::Text(text) => text,
        Raw::Other(value) => return Err(Refusal::new(FIELD, "source_file must be a string").value(value)),
    };
    let path = text.trim_matches(is_blank);
    let chars = path.chars().count();
    if chars > MAX_SOURCE_CHARS {
        return Err(Refusal::too_long(FIELD, MAX_SOURCE_CHARS, chars));
    }
    if path.contains('\0') {
        return Err(null_bytes(FIELD));
    }
    Ok((!path.is_empty()).then(|| path.to_owned()))
}

/// A text that must be there, trimmed, of at most [`MAX_CHARS`] characters.
pub(super) fn bounded(field: &str, raw: Raw) -> Result<String, Refusal> {
    let empty = || Refusal::new(field, format!("{field} must be a non-empty string"));
    let Raw::Text(text) = raw else { return Err(empty()) };
    let name = text.trim_matches(is_blank);
    if name.is_empty() {
        return Err(empty());
    }
    let chars = name.chars().count();
    if chars > MAX_CHARS {
        return Err(Refusal::too_long(field, MAX_CHARS, chars));
    }
    Ok(if name.len() == text.len() { text } else { name.to_owned() })
}

pub(super) fn null_bytes(field: &str) -> Refusal {
    Refusal::new(field, format!("{field} contains null bytes"))
}

fn invalid(field: &str, name: &str, what: &str) -> Refusal {
    Refusal::new(field, format!("{field} contains {what}")).value(name).accepted(ACCEPTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_any_short_text() {
        assert_eq!(source_file(" /a/../b c:\\d ".into()), Ok(Some("/a/../b c:\\d".to_owned())));
        assert_eq!((source_file(Raw::Absent), source_file(" \n".into())), (Ok(None), Ok(None)));
        assert_eq!(source_file("a".repeat(4096).into()).map(|path| path.map(|p| p.len())), Ok(Some(4096)));
        let message = |raw: Raw| source_file(raw).expect_err("it is none").message;
        assert_eq!(message("é".repeat(4097).into()), "source_file exceeds maximum length of 4096 characters");
        assert_eq!(message("a\0b".into()), "source_file contains null bytes");
        assert_eq!(message(Raw::Other(serde_json::json!(7))), "source_file must be a string");
    }

    #[track_caller]
    fn refused(name: &str, message: &str) {
        assert_eq!(required("wing", name.into()).expect_err(name).message, message);
    }

    #[test]
    fn names_are_words_with_a_letter_or_digit_at_both_ends() {
        for good in ["a", "7", "²", "it's ok.v2-b", "été", "中文", "a_b", "oracle fixed", &"x".repeat(128)] {
            assert_eq!(required("wing", good.into()).expect(good), good);
        }
        assert_eq!(required("wing", " \u{1c}spaced\n".into()).expect("trimmed"), "spaced");
        for bad in ["_x", "x_", "-x", "x-", ".x", "😀", "a:b", "a@b", "a\nb", "a\tb", "e\u{301}", "का", "Ⓐ", "_"]
        {
            refused(bad, "wing contains invalid characters");
        }
    }

    #[test]
    fn the_first_broken_rule_is_named() {
        for bad in ["a/b", "a\\b", "../x", "a..b", "a..\0"] {
            refused(bad, "wing contains invalid path characters");
        }
        refused("a\0b", "wing contains null bytes");
        refused("  ", "wing must be a non-empty string");
        refused(&"/".repeat(129), "wing exceeds maximum length of 128 characters");
        assert_eq!(
            required("wing", Raw::Other(5.into())).expect_err("typed").message,
            "wing must be a non-empty string"
        );
    }

    #[test]
    fn a_blank_filter_is_none() {
        assert_eq!(optional("wing", " \t".into()).expect("none"), None);
        assert_eq!(optional("wing", Raw::Absent).expect("none"), None);
        assert!(optional("wing", "a/b".into()).is_err());
    }
}
