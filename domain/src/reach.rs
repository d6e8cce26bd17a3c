//! Which streams somebody may see and write to: all, or those that match one of a few patterns. It is a part of every filter and never
//! comes out of an address or a question: whoever asks does not choose it.

use std::sync::Arc;

use crate::field::{self, Raw};
use crate::refusal::Refusal;

/// How many patterns there may be at most.
pub const MAX_PATTERNS: usize = 32;

/// All streams, or those that match a pattern. In a pattern `*` stands for any characters, `/` among them; everything else for
/// itself. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach(Option<Arc<[String]>>);

impl Reach {
    /// The streams that match one of these; all when there are none.
    pub fn of(patterns: &[String]) -> Self {
        Self((!patterns.is_empty()).then(|| patterns.into()))
    }

    /// Checks patterns as somebody gave them.
    pub fn check(patterns: &[String]) -> Result<Vec<String>, Refusal> {
        if patterns.len() > MAX_PATTERNS {
            let message = format!("stream has {} patterns, at most {MAX_PATTERNS} are allowed", patterns.len());
            return Err(Refusal::new("stream", message).limit(MAX_PATTERNS).value(patterns.len()));
        }
        let mut checked: Vec<String> = Vec::new();
        for pattern in patterns {
            let pattern = field::routing("stream", Raw::Text(pattern.clone()))?;
            if !checked.contains(&pattern) {
                checked.push(pattern);
            }
        }
        Ok(checked)
    }

    /// Whether it leaves nothing out.
    pub fn is_everything(&self) -> bool {
        self.0.is_none()
    }

    /// The patterns; none when it is everything.
    pub fn patterns(&self) -> &[String] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether a stream is within it.
    pub fn sees(&self, stream: &str) -> bool {
        self.0.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| matches(pattern, stream)))
    }
}

/// Whether a text is what a pattern describes.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        // The first place is the best: it leaves most for what follows.
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let sees = |patterns: &[&str], stream: &str| {
            Reach::of(&patterns.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>()).sees(stream)
        };
        assert!(sees(&[], "anything"));
        for (pattern, stream, expected) in [
            ("project/atlas", "project/atlas", true),
            ("project/atlas", "project/atlas2", false),
            ("project/*", "project/atlas/x", true),
            ("project/*", "projects", false),
            ("*", "", true),
            ("*/atlas", "project/atlas", true),
            ("*/atlas", "project/atlas/x", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("**", "x", true),
            ("a[b]?", "a[b]?", true),
            ("a[b]?", "abx", false),
            ("é*漢", "é😀漢", true),
        ] {
            assert_eq!(sees(&[pattern], stream), expected, "{pattern} {stream}");
        }
        assert!(sees(&["x", "y*"], "yes"));
    }

    #[test]
    fn patterns_are_checked_as_streams_are() {
        assert_eq!(Reach::check(&[" a* ".to_owned(), "a*".to_owned()]).expect("valid"), ["a*"]);
        assert!(Reach::check(&[String::new()]).is_err());
        let refused = Reach::check(&vec!["x".to_owned(); 33]).expect_err("too many");
        assert_eq!(refused.message, "stream has 33 patterns, at most 32 are allowed");
    }
}
