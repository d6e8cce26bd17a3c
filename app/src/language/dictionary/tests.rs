//! Whether the dictionary is whole: that no text lacks a language is the compiler's to say, see [`super::super::find`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{CHUNKS, Row};

fn rows() -> impl Iterator<Item = &'static Row> {
    CHUNKS.iter().flat_map(|rows| rows.iter())
}

/// The places of a text, in the order of the alphabet.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

fn sources(folder: &Path, out: &mut String) {
    for entry in fs::read_dir(folder).expect("the folder of the sources").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("dictionary") {
            sources(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            out.push_str(&fs::read_to_string(&path).expect("a source"));
        }
    }
}

#[test]
fn every_text_is_there_once_and_in_both_languages() {
    let mut seen = BTreeSet::new();
    for (english, chinese) in rows() {
        assert!(seen.insert(*english), "twice: {english}");
        assert!(!english.is_empty() && !chinese.is_empty(), "nothing: {english:?}, {chinese:?}");
        assert!(english != chinese, "the same in both: {english}");
        assert_eq!(places(english), places(chinese), "{english}");
    }
}

#[test]
fn chinese_is_written_in_chinese() {
    // What stays as it is: names, commands, units, abbreviations.
    const KEPT: [&str; 23] = [
        "LOGGIA_TOKEN",
        "Loggia",
        "UTC",
        "NDJSON",
        "JSON",
        "MemPalace",
        "Redis",
        "CR",
        "Ctrl",
        "C",
        "sha",
        "git",
        "apply",
        "write",
        "shell",
        "d",
        "h",
        "T",
        "Z",
        "win",
        "codex",
        "g",
        "en",
    ];
    for (english, chinese) in rows().filter(|(english, _)| *english != "中文") {
        // What stands in backticks is typed as it is.
        let prose: String = chinese.split('`').step_by(2).collect();
        let shown: String = prose.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
        let words = shown.split(|c: char| !(c.is_ascii_alphabetic() || c == '_')).filter(|word| !word.is_empty());
        let foreign: Vec<&str> = words.filter(|word| !KEPT.contains(word) && !word.starts_with("mempalace_")).collect();
        assert!(foreign.is_empty(), "{english}: {foreign:?}");
    }
}

#[test]
fn chinese_has_its_own_punctuation_and_a_space_beside_latin_letters() {
    // Dates are written without a space.
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c) && c != '月';
    let is_foreign = |c: char| c.is_ascii_alphanumeric() || ",;:?!()".contains(c);
    for (english, chinese) in rows() {
        let prose = chinese.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let chars: Vec<char> = prose.chars().collect();
        for pair in chars.windows(2) {
            let [one, other] = [pair[0], pair[1]];
            let is_odd = is_chinese(one) && is_foreign(other) || is_foreign(one) && is_chinese(other);
            assert!(!is_odd, "{english}: {one}{other} in {chinese}");
        }
    }
}

#[test]
fn no_text_waits_for_a_page() {
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut text);
    // A text that is folded in its source has a line break where the dictionary has nothing.
    let text: String = text.split("\\\n").map(str::trim_start).collect();
    for (english, _) in rows() {
        assert!(text.contains(&format!("\"{english}\"")), "no page has: {english}");
    }
}
