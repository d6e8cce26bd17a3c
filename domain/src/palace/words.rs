//! Words for the palace's full-text index: how a text is prepared, and how a plain query asks for them.
//!
//! Texts fall into tokens by the one rule of [`crate::search::tokens`]. A search of the log wants every word; here any word will do,
//! and the best texts come first, since agents ask whole questions.

use std::ops::Range;

use crate::search::tokens;

/// How many different terms of a query are asked for.
const MAX_TERMS: usize = 64;

/// English words that hold sentences together and tell no text from another; in alphabetical order. Asked for, they match almost
/// every text: in a large palace they cost more than all other words, and they bring up what fits in nothing else.
const COMMON: [&str; 69] = [
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "such", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which", "who",
    "why", "will", "with", "would", "you", "your",
];

/// A text as the index wants it: its tokens, parted by blanks.
pub fn indexed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    tokens::write_tokens(text, &mut out);
    out
}

/// The words of a plain query as the full-text index takes them. Nothing in a query is an operator. What is written without blanks
/// is asked for by its pairs. Words that every text has are asked for only when there is nothing else.
pub fn terms(query: &str) -> Vec<String> {
    let mut words: Vec<(String, Range<usize>)> = Vec::new();
    tokens::scan(query, &mut |token, range| {
        words.push((token.to_owned(), range));
        true
    });
    let touches = |at: usize| words.get(at + 1).is_some_and(|(_, next)| words[at].1.end == next.start);
    let mut terms: Vec<String> = Vec::new();
    let is_common = |word: &str| COMMON.binary_search(&word).is_ok();
    let is_all_common = words.iter().all(|(word, _)| is_common(word));
    for (at, (word, _)) in words.iter().enumerate() {
        let is_part = touches(at) || (at > 0 && touches(at - 1));
        let long = word.chars().nth(1).is_some();
        let pair = touches(at).then(|| format!("\"{word} {}\"", words[at + 1].0));
        let is_asked = (long || !is_part) && (is_all_common || !is_common(word));
        for term in is_asked.then(|| format!("\"{word}\"")).into_iter().chain(pair) {
            if terms.len() < MAX_TERMS && !terms.contains(&term) {
                terms.push(term);
            }
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_in_order() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn texts_become_tokens() {
        assert_eq!(indexed("The Été: a 数据库!").trim_start(), "the ete a 数 据 库");
    }

    #[test]
    fn nothing_in_a_query_is_an_operator() {
        #[track_caller]
        fn check(query: &str, expected: &str) {
            assert_eq!(terms(query).join(" OR "), expected);
        }
        check("Pool exhausted", "\"pool\" OR \"exhausted\"");
        check("a\" OR NEAR(b) -c* ^d \0 col:x", "\"near\" OR \"b\" OR \"c\" OR \"d\" OR \"col\" OR \"x\"");
        check("数据库 x", "\"数 据\" OR \"据 库\" OR \"x\"");
        check("数", "\"数\"");
        check("How is the pool for?", "\"pool\"");
        check("to be or not to be", "\"to\" OR \"be\" OR \"or\" OR \"not\"");
        check("again Again", "\"again\"");
        check(" ?! \0", "");
        check("", "");
    }
}
