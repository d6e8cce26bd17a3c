//! The part of a text that answers a query, and where in it the words are. Made from the original text, never from the index.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Query, artifact_fields, fields};
use crate::artifact::Artifact;
use crate::event::Event;

/// How many characters an excerpt has at most.
pub const EXCERPT_CHARS: usize = 200;
/// How many of them stand before the first hit at most.
const BEFORE_CHARS: usize = 60;

/// A piece of a text around its first hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Which text: `body`, `content` of an artifact, or the name of an event's field.
    pub field: String,
    /// At most [`EXCERPT_CHARS`] characters of it, as they are.
    pub text: String,
    /// Where the words stand in `text`: from and up to which character, in order and apart.
    pub hits: Vec<(usize, usize)>,
    /// Whether something stands before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_before: bool,
    /// Whether something follows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_after: bool,
}

impl Excerpt {
    /// The text in pieces, each with whether it is a hit.
    pub fn pieces(&self) -> Vec<(&str, bool)> {
        let mut pieces = Vec::new();
        let (mut rest, mut at) = (&*self.text, 0);
        for (start, end) in self.hits.iter().copied() {
            for (until, is_hit) in [(start, false), (end, true)] {
                let (piece, after) = rest.split_at(offset(rest, until.saturating_sub(at)));
                if !piece.is_empty() {
                    pieces.push((piece, is_hit));
                }
                (rest, at) = (after, until.max(at));
            }
        }
        if !rest.is_empty() {
            pieces.push((rest, false));
        }
        pieces
    }
}

impl Query {
    /// The part of a text that answers; `None` when no word is in it.
    pub fn excerpt(&self, field: &str, text: &str) -> Option<Excerpt> {
        let mut hits: Vec<Range<usize>> = Vec::new();
        let mut first = None;
        self.find(text, &mut |_, range| {
            let first = *first.get_or_insert(range.start);
            let is_near = range.start <= first + EXCERPT_CHARS;
            if is_near {
                hits.push(range);
            }
            is_near
        });
        // A longer phrase that began earlier may have been told later.
        hits.sort_by_key(|range| (range.start, range.end));
        let first = hits.first()?.start;
        let from = line_start(text, first);
        let to = from + EXCERPT_CHARS;
        let begin = offset(text, from);
        let end = begin + offset(&text[begin..], EXCERPT_CHARS);
        let mut apart: Vec<(usize, usize)> = Vec::new();
        for range in hits.into_iter().filter(|range| range.start < to) {
            let (start, end) = (range.start - from, range.end.min(to) - from);
            match apart.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => apart.push((start, end)),
            }
        }
        Some(Excerpt {
            field: field.to_owned(),
            text: text[begin..end].to_owned(),
            hits: apart,
            cut_before: begin > 0,
            cut_after: end < text.len(),
        })
    }

    /// The part of an event that answers: of its body, else of the first field with a hit.
    pub fn event_excerpt(&self, event: &Event) -> Option<Excerpt> {
        self.excerpt("body", &event.body)
            .or_else(|| fields(event).iter().find_map(|(name, text)| self.excerpt(name, text)))
    }

    /// The part of an artifact that answers: of its content, else of the first field with a hit.
    pub fn artifact_excerpt(&self, artifact: &Artifact) -> Option<Excerpt> {
        self.excerpt("content", &artifact.content)
            .or_else(|| artifact_fields(artifact).iter().find_map(|(name, text)| self.excerpt(name, text)))
    }
}

/// Where to begin so that the first hit is in sight: at a word, at most [`BEFORE_CHARS`] characters before it.
fn line_start(text: &str, first: usize) -> usize {
    let earliest = first.saturating_sub(BEFORE_CHARS);
    if earliest == 0 {
        return 0;
    }
    let before = text.chars().skip(earliest - 1).take(first - earliest + 1);
    before.zip(earliest..).find(|(c, _)| c.is_whitespace()).map_or(earliest, |(_, at)| at)
}

/// The byte at which a character begins; the end of the text where it has fewer.
fn offset(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}
