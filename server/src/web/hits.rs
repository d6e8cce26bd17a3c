//! A search as a page of the log shows it: hits as rows, each with the piece of its text that answers.

use loggia_app::backend::{LogPage, Tip};
use loggia_domain::Event;
use loggia_domain::search::Excerpt;

use crate::logstream::search::Found;

/// The page for an answer.
pub(super) fn page(found: Found, now_ms: u64) -> LogPage {
    let behind = u64::try_from(found.behind()).unwrap_or(0);
    let (seq, has_more) = (found.newest.seq, found.events.older.is_some());
    let hit = |hit: crate::logstream::search::EventHit| {
        let mut event: Event = hit.event;
        event.preview();
        (event, pieces(&hit.excerpt))
    };
    let (events, excerpts) = found.events.hits.into_iter().map(hit).unzip();
    let tip = found.newest.id.map(|id| Tip { seq, id });
    LogPage { events, has_more, tip, excerpts, behind, unsearched: None, searches: Vec::new(), now_ms }
}

/// An excerpt on one line, in pieces that are ordinary and found by turns, the first one ordinary.
pub(super) fn pieces(excerpt: &Excerpt) -> Vec<String> {
    let mut first = if excerpt.field == "body" { String::new() } else { format!("{}: ", excerpt.field) };
    if excerpt.cut_before {
        first.push('…');
    }
    let mut pieces = vec![first];
    for (text, is_hit) in excerpt.pieces() {
        // The last piece is a hit when their number is even.
        if is_hit {
            if pieces.len() % 2 == 0 {
                pieces.push(String::new());
            }
            pieces.push(String::new());
        } else if pieces.len() % 2 == 0 {
            pieces.push(String::new());
        }
        if let Some(last) = pieces.last_mut() {
            last.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
        }
    }
    if excerpt.cut_after {
        if pieces.len() % 2 == 0 {
            pieces.push(String::new());
        }
        if let Some(last) = pieces.last_mut() {
            last.push('…');
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use loggia_domain::search::Query;

    use super::*;

    #[track_caller]
    fn check(field: &str, text: &str, query: &str, expected: &[&str]) {
        let query = Query::check("q", query.into()).expect("a query");
        assert_eq!(pieces(&query.excerpt(field, text).expect("a hit")), expected);
    }

    #[test]
    fn pieces_are_ordinary_and_found_by_turns() {
        check("body", "a\nb c", "b", &["a ", "b", " c"]);
        check("body", "b", "b", &["", "b"]);
        check("body", "登录x", "登 录", &["", "登", "", "录", "x"]);
        check("room", "<b>x</b>", "x", &["room: <b>", "x", "</b>"]);
        let long = "x".repeat(300);
        check("body", &long, "xxx", &["", &long[..200], "…"]);
    }
}
