//! Ids of drawers, their chunks and diary entries (`contract: palace-tools`, 1.2).
//!
//! An id is opaque once it is stored: an imported drawer keeps the one it came with, whatever recipe made it.

use sha2::{Digest, Sha256};

use crate::id::hex;

/// The name of the recipe that [`drawer`] follows.
pub const RECIPE: &str = "v3";

const CHUNK: &str = "_chunk_";

/// SHA-256 over some parts, each written as its length in characters, a colon, and itself: no two lists of parts look alike.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.chars().count().to_string().as_bytes());
        hash.update(b":");
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// `drawer_<wing>_<room>_<24 hex>`, which follows from where it lies and what it says.
pub fn drawer(wing: &str, room: &str, content: &str) -> String {
    format!("drawer_{wing}_{room}_{}", &digest(&[wing, room, content])[..24])
}

/// `diary_<wing>_<stamp>_<12 hex>`; `stamp` is `YYYYMMDD_HHMMSSffffff`.
pub fn diary_entry(wing: &str, stamp: &str, entry: &str) -> String {
    format!("diary_{wing}_{stamp}_{}", &crate::artifact::sha256_hex(entry.as_bytes())[..12])
}

/// The id of one row of a long text, counted from 0.
pub fn chunk(logical_id: &str, index: usize) -> String {
    format!("{logical_id}{CHUNK}{index:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawer_ids_are_those_that_agents_know() {
        assert_eq!(&digest(&["été 中", "r'x", "naïve 😀\n "])[..24], "6039846592903d988f9b68af");
        assert_eq!(&digest(&["w", "r", "a\u{fffd}b"])[..24], "439827b7d810d1f2b5d7484a");
        assert_eq!(drawer("oracle fixed", "r-1", "hello\n"), "drawer_oracle fixed_r-1_47328a1b31830b0be2b6efe5");
    }

    #[test]
    fn parts_never_run_into_one_another() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }

    #[test]
    fn entries_and_chunks_are_numbered() {
        assert_eq!(
            diary_entry("wing_a", "20261130_010203000004", "hello diary"),
            "diary_wing_a_20261130_010203000004_e31edacc27de"
        );
        assert_eq!(chunk("d", 12), "d_chunk_000012");
    }
}
