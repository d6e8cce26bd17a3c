//! In which language the pages are written: English, or 简体中文.
//!
//! # Design
//! A page names a text by its English: `t!("Older events")`. The compiler looks it up in the dictionary ([`dictionary`]) while it compiles and
//! leaves a number in its place; a text that is not there, or a place that only one language has, does not compile. So no language is in
//! the browser's half at all: the document brings the texts of its own language that the browser needs, as JSON, and the script reads what it
//! was rendered with, whatever the browser's settings say meanwhile. What only the hub writes is not among them.
//!
//! Statuses, types of events, names and whatever agents wrote are data and stay as they are.

pub mod dictionary;
#[cfg(feature = "ssr")]
mod speaking;

#[cfg(feature = "ssr")]
pub use speaking::{Language, speaking};
#[cfg(feature = "ssr")]
pub(crate) use speaking::{tag, texts_json};

/// The id of the element with the texts of the document's language.
pub(crate) const TEXTS_ID: &str = "texts";

/// A text of the dictionary, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(usize);

/// A text of the dictionary in the page's language, by its English. With places (`t!("seq {seq}", seq = 7)`) it is a `String`.
macro_rules! t {
    ($english:literal) => {
        $crate::language::text(const { $crate::language::find($english, &[]) })
    };
    ($english:literal, $($place:ident = $value:expr),+ $(,)?) => {
        $crate::language::fill(
            $crate::language::text(const { $crate::language::find($english, &[$(stringify!($place)),+]) }),
            &[$((stringify!($place), ($value).to_string())),+],
        )
    };
}
pub(crate) use t;

/// What stands before and after the one place `{it}` of a text, for a place that is markup.
#[cfg(feature = "ssr")]
macro_rules! around {
    ($english:literal) => {
        $crate::language::halves($crate::language::text(const { $crate::language::find($english, &["it"]) }))
    };
}
#[cfg(feature = "ssr")]
pub(crate) use around;

/// The number of a text. It runs in the compiler alone.
pub(crate) const fn find(english: &str, places: &[&str]) -> Word {
    let mut number = 0;
    let mut chunk = 0;
    while chunk < dictionary::CHUNKS.len() {
        let rows = dictionary::CHUNKS[chunk];
        let mut row = 0;
        while row < rows.len() {
            if is_same(rows[row].0.as_bytes(), english.as_bytes()) {
                assert!(has_places(rows[row].0, places), "the text has other places than it is given");
                assert!(has_places(rows[row].1, places), "the Chinese text has other places than the English one");
                return Word(number + row);
            }
            row += 1;
        }
        number += rows.len();
        chunk += 1;
    }
    panic!("the text is not in the dictionary, or the browser needs one that is only among the hub's")
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a text has exactly these places, each in braces.
const fn has_places(text: &str, places: &[&str]) -> bool {
    let text = text.as_bytes();
    let (mut at, mut braces) = (0, 0);
    while at < text.len() {
        if text[at] == b'{' {
            braces += 1;
        }
        at += 1;
    }
    let mut place = 0;
    while place < places.len() {
        if !holds_place(text, places[place].as_bytes()) {
            return false;
        }
        place += 1;
    }
    braces == places.len()
}

const fn holds_place(text: &[u8], place: &[u8]) -> bool {
    let mut at = 0;
    while at + place.len() + 2 <= text.len() {
        let mut same = 0;
        while same < place.len() && text[at + 1 + same] == place[same] {
            same += 1;
        }
        if same == place.len() && text[at] == b'{' && text[at + 1 + same] == b'}' {
            return true;
        }
        at += 1;
    }
    false
}

/// The text in the language of the page.
#[cfg(feature = "ssr")]
pub(crate) fn text(word: Word) -> &'static str {
    let (english, chinese) = dictionary::row(word.0);
    if speaking::language() == Language::Chinese { chinese } else { english }
}

/// The text in the language of the document; empty where the document is of another version.
#[cfg(not(feature = "ssr"))]
pub(crate) fn text(word: Word) -> &'static str {
    static TEXTS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    let texts = TEXTS.get_or_init(|| serde_json::from_str(&crate::browser::text(TEXTS_ID)).unwrap_or_default());
    texts.get(word.0).map_or("", |text| text)
}

/// A text with its places filled.
pub(crate) fn fill(text: &str, places: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        for (place, value) in places {
            if *place == name {
                out.push_str(value);
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What stands before and after `{it}`.
#[cfg(feature = "ssr")]
pub(crate) fn halves(text: &'static str) -> (&'static str, &'static str) {
    text.split_once("{it}").unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_by_their_names() {
        let places = [("a", "1".to_owned()), ("b", "{a}".to_owned())];
        assert_eq!(fill("{b} of {a}.", &places), "{a} of 1.");
        assert_eq!(fill("no place", &places), "no place");
        #[cfg(feature = "ssr")]
        assert_eq!(halves("Diary of {it}!"), ("Diary of ", "!"));
    }

    #[test]
    fn places_are_counted_and_named() {
        assert!(has_places("{from} to {to}", &["to", "from"]));
        assert!(!has_places("{from} to {till}", &["to", "from"]));
        assert!(!has_places("{from} to {to} or {other}", &["to", "from"]));
        assert!(!has_places("nothing", &["to"]));
    }
}
