//! What somebody searches for, cleaned: agents send whole conversations as a query, and the question is at the end.

use crate::field::is_blank;

/// A query up to this many characters is taken as it is.
pub const FREE_CHARS: usize = 200;
/// What is left of a longer one has at most this many.
pub const MAX_CHARS: usize = 250;
/// A line or sentence below this many is no question.
const MIN_CHARS: usize = 10;

/// A query as it is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is searched for.
    pub text: String,
    /// How it was shortened; `None` when it was short enough.
    pub method: Option<Method>,
    /// How many characters were given, after trimming.
    pub original_chars: usize,
}

/// How a long query was shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The last line that asks something.
    QuestionExtraction,
    /// The last line that says something.
    TailSentence,
    /// The end.
    TailTruncation,
}

impl Method {
    /// The word for it in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::QuestionExtraction => "question_extraction",
            Self::TailSentence => "tail_sentence",
            Self::TailTruncation => "tail_truncation",
        }
    }
}

/// Cleans a query: trimmed, and shortened when it is longer than [`FREE_CHARS`]. Never refused.
pub fn clean(given: &str) -> Query {
    let text = given.trim_matches(is_blank);
    let original_chars = text.chars().count();
    if original_chars <= FREE_CHARS {
        let text = if text.is_empty() { given } else { text };
        return Query { text: text.to_owned(), method: None, original_chars };
    }
    let lines = || text.lines().rev().map(|l| l.trim_matches(is_blank)).filter(|l| l.chars().count() >= MIN_CHARS);
    let (text, method) = if let Some(line) = lines().find(|l| asks(l)) {
        (shortened(line), Method::QuestionExtraction)
    } else if let Some(line) = lines().map(unquoted).find(|l| l.chars().count() >= MIN_CHARS) {
        (shortened(line), Method::TailSentence)
    } else {
        (tail(text), Method::TailTruncation)
    };
    Query { text: text.trim_matches(is_blank).to_owned(), method: Some(method), original_chars }
}

/// Whether a line ends in a question mark; a quotation mark may follow it.
fn asks(line: &str) -> bool {
    line.trim_end_matches(['"', '\'', '”', '’', '»', '」']).ends_with(['?', '？'])
}

fn unquoted(line: &str) -> &str {
    line.trim_matches(['"', '\'', '“', '”', '‘', '’'])
}

/// At most [`MAX_CHARS`] characters: the last sentence if it has a fitting length, else the end.
fn shortened(line: &str) -> &str {
    if line.chars().count() <= MAX_CHARS {
        return line;
    }
    let sentence = line
        .split(['.', '!', '?', '。', '！', '？'])
        .map(|s| s.trim_matches(is_blank))
        .rfind(|s| (MIN_CHARS..=MAX_CHARS).contains(&s.chars().count()));
    sentence.unwrap_or_else(|| tail(line))
}

fn tail(text: &str) -> &str {
    match text.char_indices().rev().nth(MAX_CHARS - 1) {
        Some((at, _)) => &text[at..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, text: &str, method: Option<Method>) {
        let query = clean(given);
        assert_eq!((query.text.as_str(), query.method), (text, method));
    }

    #[test]
    fn a_short_query_is_taken_as_it_is() {
        check(" why? \n", "why?", None);
        check("", "", None);
        check(&"é".repeat(200), &"é".repeat(200), None);
    }

    #[test]
    fn a_long_query_is_cut_to_its_question() {
        let noise = "some context that goes on and on\n".repeat(10);
        check(
            &format!("{noise}where is the key kept?\nthanks"),
            "where is the key kept?",
            Some(Method::QuestionExtraction),
        );
        check(
            &format!("{noise}\"wo ist der Schlüssel?\""),
            "\"wo ist der Schlüssel?\"",
            Some(Method::QuestionExtraction),
        );
        check(&format!("{noise}'the last line of it all'\nok"), "the last line of it all", Some(Method::TailSentence));
        check(&"a\nb\n".repeat(100), &"a\nb\n".repeat(100)[150..399], Some(Method::TailTruncation));
    }

    #[test]
    fn one_long_line_is_cut_to_its_last_sentence() {
        let line = format!("{}. And then the pump broke down", "word ".repeat(60));
        check(&line, "And then the pump broke down", Some(Method::TailSentence));
        check(&"Is it so? ".repeat(30), &"Is it so? ".repeat(25)[..249], Some(Method::QuestionExtraction));
        check(&"x".repeat(230), &"x".repeat(230), Some(Method::TailSentence));
        check(&"x".repeat(400), &"x".repeat(250), Some(Method::TailSentence));
        assert_eq!(clean(&"x".repeat(400)).original_chars, 400);
    }
}
