//! Who writes a diary, and in which wing it lies.
//!
//! MemPalace refuses the names that its own rules give to agents (`host:harness:project`). Here any name is taken that the log takes,
//! and the wing's name is made from it.

use crate::artifact::sha256_hex;
use crate::field::Raw;
use crate::refusal::Refusal;

use super::letters::is_word;
use super::name;

/// The room that diaries lie in.
pub const ROOM: &str = "diary";
/// Their hall.
pub const HALL: &str = "hall_diary";
/// Their type.
pub const TYPE: &str = "diary_entry";

/// Somebody who keeps a diary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diarist {
    /// The name in lower case: what the diary is found by.
    pub agent: String,
    /// The name as it was given.
    pub spelling: String,
}

/// The writer or reader of a diary: 1 to 128 characters without control characters; upper and lower case are one.
pub fn diarist(raw: Raw) -> Result<Diarist, Refusal> {
    const FIELD: &str = "agent_name";
    let spelling = name::bounded(FIELD, raw)?;
    if spelling.contains('\0') {
        return Err(name::null_bytes(FIELD));
    }
    if spelling.chars().any(char::is_control) {
        return Err(Refusal::new(FIELD, format!("{FIELD} contains invalid characters"))
            .value(spelling)
            .accepted("any name that the log takes, for example host:harness:project"));
    }
    Ok(Diarist { agent: spelling.to_lowercase(), spelling })
}

/// The wing that a diary lies in when none is said: `wing_<agent>`. What a name of a wing cannot hold becomes `_`, and then six hex
/// digits tell apart what would look alike.
pub fn wing(agent: &str) -> String {
    let is_kept = |c: char| is_word(c) || matches!(c, '.' | '\'' | '-');
    let safe: String = agent.chars().map(|c| if is_kept(c) { c } else { '_' }).collect();
    if agent.chars().all(|c| is_kept(c) || c == ' ') {
        format!("wing_{safe}")
    } else {
        format!("wing_{safe}_{}", &sha256_hex(agent.as_bytes())[..6])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_agents_are_names_of_diarists() {
        let win = diarist("Win:Codex:Blender ".into()).expect("accepted");
        assert_eq!((win.agent.as_str(), win.spelling.as_str()), ("win:codex:blender", "Win:Codex:Blender"));
        for good in ["a/b", "x_", "😀", "a@b", "o'n", "été 7", &"y".repeat(128)] {
            assert_eq!(diarist(good.into()).expect(good).spelling, good);
        }
        for (bad, message) in [
            ("", "agent_name must be a non-empty string"),
            ("a\0b", "agent_name contains null bytes"),
            ("a\nb", "agent_name contains invalid characters"),
            (&"x".repeat(129), "agent_name exceeds maximum length of 128 characters"),
        ] {
            assert_eq!(diarist(bad.into()).expect_err(message).message, message);
        }
    }

    #[test]
    fn wings_are_safe_and_tell_apart() {
        assert_eq!(wing("ag-x"), "wing_ag-x");
        assert_eq!(wing("été bot"), "wing_été_bot");
        assert_eq!(wing("o'n.b"), "wing_o'n.b");
        let (colon, slash) = (wing("win:codex:x"), wing("win/codex/x"));
        assert!(colon.starts_with("wing_win_codex_x_") && colon.len() == "wing_win_codex_x_".len() + 6);
        assert_ne!(colon, slash);
    }
}
