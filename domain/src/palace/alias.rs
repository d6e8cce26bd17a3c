//! Which diarists are probably one: names that differ only in case and in the marks between their words.
//!
//! Agents are called `host:harness:project` in the log. MemPalace refuses such a name for a diary, so the same agent wrote there as
//! `host-harness-project` or `host_harness_project`. That two names look alike proves nothing: they are offered, never merged.

/// What probable aliases have in common: the letters and digits of a name in lower case, its words joined by `-`. Empty for a name
/// without any.
pub fn folded(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Whether two different names probably mean one agent.
pub fn are_probable(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let key = folded(&one);
    one != other && !key.is_empty() && key == folded(&other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_probable_aliases() {
        for other in ["win-codex-blender", "Win_Codex_Blender", "win codex.blender", "win/codex/blender_"] {
            assert!(are_probable("win:codex:blender", other), "{other}");
        }
        assert_eq!(folded("Été:中文:7"), "été-中文-7");
    }

    #[test]
    fn other_names_are_others() {
        for (one, other) in [
            ("win:codex", "win:codex:blender"),
            ("win:codex", "wincodex"),
            ("Win:Codex", "win:codex"),
            ("a:b", "b:a"),
            ("::", "--"),
            ("😀", "🔧"),
        ] {
            assert!(!are_probable(one, other), "{one} {other}");
        }
    }
}
