//! Texts of drawers and diary entries: what is accepted, how it is cut into rows, how its beginning is shown.

use crate::field::{Raw, is_blank};
use crate::refusal::Refusal;

use super::name::null_bytes;

/// The longest text, in characters.
pub const MAX_CHARS: usize = 100_000;
/// How many characters one row holds at most.
pub const CHUNK_CHARS: usize = 800;
/// How many characters of a text are shown where it is only named.
pub const PREVIEW_CHARS: usize = 200;

/// A text that must be there: not blank, at most 100 000 characters, no NUL; kept as it came.
pub fn content(raw: Raw) -> Result<String, Refusal> {
    let empty = || Refusal::new("content", "content must be a non-empty string");
    let Raw::Text(text) = raw else { return Err(empty()) };
    if text.trim_matches(is_blank).is_empty() {
        return Err(empty());
    }
    let chars = text.chars().count();
    if chars > MAX_CHARS {
        return Err(Refusal::too_long("content", MAX_CHARS, chars)
            .hint("split the text, or store it with mempalace_artifact_put"));
    }
    if text.contains('\0') {
        return Err(null_bytes("content"));
    }
    Ok(text)
}

/// A text cut into rows of [`CHUNK_CHARS`] characters, without overlap: joined they are the text again. Never empty.
pub fn chunks(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.char_indices().step_by(CHUNK_CHARS).map(|(at, _)| at).collect();
    if starts.is_empty() {
        starts.push(0);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

/// The first [`PREVIEW_CHARS`] characters, with `...` when there are more.
pub fn preview(text: &str) -> String {
    match text.char_indices().nth(PREVIEW_CHARS) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_as_they_came() {
        assert_eq!(content("  a\r\n".into()).expect("kept"), "  a\r\n");
        assert!(content("é".repeat(MAX_CHARS).into()).is_ok());
        for (bad, message) in [
            (Raw::Absent, "content must be a non-empty string"),
            (" \n\u{1f}".into(), "content must be a non-empty string"),
            (Raw::Other(5.into()), "content must be a non-empty string"),
            ("\0".repeat(MAX_CHARS + 1).into(), "content exceeds maximum length of 100000 characters"),
            ("a\0b".into(), "content contains null bytes"),
        ] {
            assert_eq!(content(bad).expect_err(message).message, message);
        }
    }

    #[test]
    fn chunks_joined_are_the_text() {
        for (text, sizes) in [
            (String::new(), vec![0]),
            ("x".repeat(800), vec![800]),
            ("😀".repeat(801), vec![800, 1]),
            ("é中x".repeat(800), vec![800, 800, 800]),
        ] {
            let cut = chunks(&text);
            assert_eq!(cut.iter().map(|c| c.chars().count()).collect::<Vec<_>>(), sizes);
            assert_eq!(cut.concat(), text);
        }
    }

    #[test]
    fn a_preview_says_when_there_is_more() {
        assert_eq!(preview(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(preview(&"é".repeat(201)), format!("{}...", "é".repeat(200)));
    }
}
