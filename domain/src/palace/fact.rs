//! Facts: who says what about whom, the ids of entities and facts, and which entities somebody may have meant.
//!
//! When a fact holds is [`super::temporal`]'s.

use serde_json::Value;

use crate::field::Raw;
use crate::refusal::Refusal;

use super::id::digest;
use super::name;

/// The shortest name, in characters, for which others that hold it are looked for.
pub const MIN_GUESS_CHARS: usize = 3;
/// How many entities are offered at most to somebody whose name fits several.
pub const MAX_CANDIDATES: usize = 5;

/// A subject or object that must be there: trimmed, 1 to 128 characters, no NUL; anything else may stand in it.
pub fn value(field: &str, raw: Raw) -> Result<String, Refusal> {
    let value = name::bounded(field, raw)?;
    if value.contains('\0') { Err(name::null_bytes(field)) } else { Ok(value) }
}

/// What a name is known by: upper and lower case, blanks and underscores are one, apostrophes are nothing.
pub fn entity_id(name: &str) -> String {
    name.to_lowercase().replace(' ', "_").replace('\'', "")
}

/// A predicate as it is stored.
pub fn predicate(given: &str) -> String {
    given.to_lowercase().replace(' ', "_")
}

/// The id of a fact that is added at a moment: no two moments of a palace are one.
pub fn triple_id(subject_id: &str, predicate: &str, object_id: &str, valid_from: Option<&str>, now: &str) -> String {
    let hash = digest(&[valid_from.unwrap_or("None"), now]);
    format!("t_{subject_id}_{predicate}_{object_id}_{}", &hash[..12])
}

/// A fact in one line, in the words of the caller.
pub fn sentence(subject: &str, predicate: &str, object: &str) -> String {
    format!("{subject} → {predicate} → {object}")
}

/// Which facts about an entity are asked for: those in which it is the subject, the object, or either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It is the subject.
    Outgoing,
    /// It is the object.
    Incoming,
    /// Either.
    Both,
}

impl Direction {
    /// Reads the argument; not given is both, null is refused.
    pub fn read(given: Option<&Value>) -> Result<Self, Refusal> {
        match given.map(|value| (value, value.as_str())) {
            None | Some((_, Some("both"))) => Ok(Self::Both),
            Some((_, Some("outgoing"))) => Ok(Self::Outgoing),
            Some((_, Some("incoming"))) => Ok(Self::Incoming),
            Some((value, _)) => Err(Refusal::new("direction", "direction must be 'outgoing', 'incoming', or 'both'")
                .value(value.clone())
                .accepted("outgoing, incoming, both")),
        }
    }
}

/// Whether a name holds another one as whole words, with more before or after it. Upper and lower case of ASCII are one.
pub fn holds_words(name: &str, asked: &str) -> bool {
    around(name, asked, ' ')
}

/// The same for ids, whose words are parted by `_`.
pub fn id_holds_words(id: &str, asked_id: &str) -> bool {
    around(id, asked_id, '_')
}

fn around(whole: &str, part: &str, between: char) -> bool {
    let (whole, part) = (whole.to_ascii_lowercase(), part.to_ascii_lowercase());
    !part.is_empty()
        && whole.match_indices(&part).any(|(at, _)| {
            let (before, after) = (&whole[..at], &whole[at + part.len()..]);
            let is_whole =
                (before.is_empty() || before.ends_with(between)) && (after.is_empty() || after.starts_with(between));
            is_whole && before.len() + after.len() > 0
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spellings_of_one_name_are_one_entity() {
        assert_eq!(entity_id("O'Neil Co"), "oneil_co");
        assert_eq!(entity_id("ONeil Co"), "oneil_co");
        assert_eq!(entity_id("Straße-7"), "straße-7");
        assert_eq!(entity_id("a  b\nC"), "a__b\nc");
        assert_eq!(predicate("Works At"), "works_at");
    }

    #[test]
    fn ids_of_facts_name_them_and_differ_by_moment() {
        let id = |from, now| triple_id("a", "p", "b", from, now);
        let first = id(None, "2026-11-30T16:00:00.000001");
        assert!(first.starts_with("t_a_p_b_") && first.len() == "t_a_p_b_".len() + 12, "{first}");
        assert_ne!(first, id(None, "2026-11-30T16:00:00.000002"));
        assert_ne!(first, id(Some("2026-01-01"), "2026-11-30T16:00:00.000001"));
    }

    #[test]
    fn subjects_and_objects_may_be_anything_but_empty_long_or_nul() {
        for good in ["win:codex/x", "😀", "a\nb", "_", &"y".repeat(128)] {
            assert_eq!(value("subject", format!(" {good}\t").into()).expect(good), good);
        }
        for (bad, message) in [
            (Raw::Absent, "object must be a non-empty string"),
            (Raw::Other(json!(5)), "object must be a non-empty string"),
            (" ".into(), "object must be a non-empty string"),
            ("y".repeat(129).into(), "object exceeds maximum length of 128 characters"),
            ("a\0".into(), "object contains null bytes"),
        ] {
            assert_eq!(value("object", bad).expect_err(message).message, message);
        }
    }

    #[test]
    fn a_direction_is_one_of_three_words() {
        assert_eq!(Direction::read(None), Ok(Direction::Both));
        assert_eq!(Direction::read(Some(&json!("incoming"))), Ok(Direction::Incoming));
        for bad in [json!(null), json!(""), json!("up"), json!("Both"), json!(5)] {
            let message = Direction::read(Some(&bad)).expect_err("bad").message;
            assert_eq!(message, "direction must be 'outgoing', 'incoming', or 'both'");
        }
    }

    #[test]
    fn a_name_is_guessed_by_whole_words() {
        for (name, asked) in [
            ("Qed B", "qed"),
            ("Z Qed", "QED"),
            ("A qed z", "qed"),
            ("Zeta 3 End", "zeta 3"),
            ("100%_ok yes", "100%_ok"),
        ] {
            assert!(holds_words(name, asked), "{name}: {asked}");
        }
        for (name, asked) in [("Qed", "qed"), ("Qedx B", "qed"), ("A-qed", "qed"), ("Trois Éab", "éab"), ("ab", "b")]
        {
            assert!(!holds_words(name, asked), "{name}: {asked}");
        }
        assert!(id_holds_words("my_qed_x", "qed") && id_holds_words("trois_éab", "éab"));
        assert!(!id_holds_words("_x", "") && !id_holds_words("qed", "qed") && !id_holds_words("my-qed", "qed"));
    }
}
