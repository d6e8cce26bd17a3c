//! Texts into word pieces, as the model was taught: BERT's uncased vocabulary, at most [`MAX_PIECES`] pieces with both
//! marks.
//!
//! It reads `tokenizer.json` and knows nothing of weights.
//!
//! # Design
//! A text is walked character by character and given up at the last piece that fits, so a text of 100 000 characters
//! costs what its beginning costs. The rules have not changed since 2018 and the vocabulary is pinned by its hash,
//! which is why a hundred lines of our own stand here instead of a general tokenizer with its forty crates; a test
//! compares every character with the original.

use std::collections::HashMap;
use std::iter;
use std::path::Path;

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use serde::Deserialize;

use super::{EmbedError, MAX_PIECES, VOCABULARY};

/// A word longer than so many characters is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;
/// What a piece that continues a word begins with in the vocabulary.
const CONTINUES: &str = "##";

/// The part of `tokenizer.json` that we follow. What it says about padding and a length of 128 is for training.
#[derive(Deserialize)]
struct TokenizerFile {
    added_tokens: Vec<AddedToken>,
    normalizer: Kind,
    pre_tokenizer: Kind,
    model: WordPiece,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

#[derive(Deserialize)]
struct Kind {
    r#type: String,
}

#[derive(Deserialize)]
struct WordPiece {
    r#type: String,
    vocab: HashMap<String, u32>,
}

/// The vocabulary.
#[derive(Debug)]
pub struct Tokenizer {
    /// Pieces that begin a word.
    begins: HashMap<Box<str>, u32>,
    /// Pieces that continue one, without their `##`.
    continues: HashMap<Box<str>, u32>,
    /// Marks such as `[SEP]`, which stand for themselves wherever a text spells them.
    marks: Vec<(Box<str>, u32)>,
    longest_piece: usize,
    begin_mark: u32,
    end_mark: u32,
    unknown: u32,
}

impl Tokenizer {
    /// Reads `tokenizer.json`, and refuses one that splits texts in another way.
    pub fn load(path: &Path) -> Result<Self, EmbedError> {
        let text = std::fs::read(path).map_err(|source| EmbedError::io(path, source))?;
        let file: TokenizerFile =
            serde_json::from_slice(&text).map_err(|error| EmbedError::malformed(path, error.to_string()))?;
        for (field, found, expected) in [
            ("normalizer.type", &file.normalizer.r#type, "BertNormalizer"),
            ("pre_tokenizer.type", &file.pre_tokenizer.r#type, "BertPreTokenizer"),
            ("model.type", &file.model.r#type, "WordPiece"),
        ] {
            if found != expected {
                return Err(EmbedError::unfit(path, field, expected, found));
            }
        }
        let vocabulary = file.model.vocab;
        if vocabulary.len() != VOCABULARY || vocabulary.values().any(|id| *id as usize >= VOCABULARY) {
            return Err(EmbedError::unfit(path, "model.vocab", format!("{VOCABULARY} pieces"), vocabulary.len()));
        }
        let mark = |name: &str| {
            vocabulary
                .get(name)
                .copied()
                .ok_or_else(|| EmbedError::malformed(path, format!("model.vocab lacks {name}")))
        };
        let (begin_mark, end_mark, unknown) = (mark("[CLS]")?, mark("[SEP]")?, mark("[UNK]")?);
        let longest_piece = vocabulary.keys().map(|p| p.chars().count()).max().unwrap_or_default();
        let (mut begins, mut continues) = (HashMap::new(), HashMap::new());
        for (piece, id) in vocabulary {
            match piece.strip_prefix(CONTINUES) {
                Some(rest) => continues.insert(rest.into(), id),
                None => begins.insert(piece.into(), id),
            };
        }
        let marks = file.added_tokens.into_iter().map(|t| (t.content.into(), t.id)).collect();
        Ok(Self { begins, continues, marks, longest_piece, begin_mark, end_mark, unknown })
    }

    /// The pieces of a text between the mark of its beginning and that of its end: 2 to [`MAX_PIECES`].
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut pieces = vec![self.begin_mark];
        let mut rest = text;
        while !rest.is_empty() && pieces.len() < MAX_PIECES {
            let (plain, mark, after) = self.until_mark(rest);
            self.add_words(plain, &mut pieces);
            pieces.extend(mark);
            rest = after;
        }
        pieces.truncate(MAX_PIECES - 1);
        pieces.push(self.end_mark);
        pieces
    }

    /// Splits a text at the first mark that it spells: what comes before, the mark, what comes after.
    fn until_mark<'t>(&self, text: &'t str) -> (&'t str, Option<u32>, &'t str) {
        for (at, _) in text.match_indices('[') {
            if let Some((mark, id)) = self.marks.iter().find(|(mark, _)| text[at..].starts_with(&**mark)) {
                return (&text[..at], Some(*id), &text[at + mark.len()..]);
            }
        }
        (text, None, "")
    }

    /// Adds the pieces of a text without marks, until there are enough.
    fn add_words(&self, text: &str, pieces: &mut Vec<u32>) {
        let mut word = String::new();
        for c in simplified(text) {
            let stands_alone = is_punctuation(c);
            if c.is_whitespace() || stands_alone {
                self.add_word(&word, pieces);
                word.clear();
            } else {
                word.push(c);
            }
            if stands_alone {
                self.add_word(c.encode_utf8(&mut [0; 4]), pieces);
            }
            if pieces.len() >= MAX_PIECES {
                return;
            }
        }
        self.add_word(&word, pieces);
    }

    /// Adds the longest pieces that make up a word, from its beginning; a word with a part that is no piece is unknown
    /// as a whole.
    fn add_word(&self, word: &str, pieces: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = pieces.len();
        let mut rest = word;
        while !rest.is_empty() {
            let known = if rest.len() == word.len() { &self.begins } else { &self.continues };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(self.longest_piece);
            let longest = ends.filter_map(|end| known.get(&rest[..end]).map(|id| (end, *id))).last();
            match longest {
                Some((end, id)) if word.chars().nth(MAX_WORD_CHARS).is_none() => {
                    pieces.push(id);
                    rest = &rest[end..];
                }
                _ => {
                    pieces.truncate(before);
                    pieces.push(self.unknown);
                    return;
                }
            }
        }
    }
}

/// The characters of a text as the vocabulary knows them: no control characters, each Chinese character a word,
/// decomposed and without accents, lower case.
fn simplified(text: &str) -> impl Iterator<Item = char> {
    let clean = text.chars().filter(|c| !is_dropped(*c)).map(|c| if c.is_whitespace() { ' ' } else { c });
    let spaced = clean.flat_map(|c| {
        let space = is_ideograph(c).then_some(' ');
        space.into_iter().chain(iter::once(c)).chain(space)
    });
    let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize_iter(spaced);
    decomposed.filter(|c| category(*c) != GeneralCategory::NonspacingMark).flat_map(char::to_lowercase)
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// Control, format and private characters carry no meaning here. Tab and line ends do: they part words.
fn is_dropped(c: char) -> bool {
    let is_other =
        matches!(category(c), GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse);
    c == char::REPLACEMENT_CHARACTER || is_other && !matches!(c, '\t' | '\n' | '\r')
}

/// Punctuation by Unicode, and every ASCII sign.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || !c.is_ascii() && GeneralCategoryGroup::Punctuation.contains(category(c))
}

/// The ideographs that the model was taught as words of their own. The blocks are those of the original, gaps included.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vocabulary of some pieces; their numbers are their places in this list, from 10.
    const PIECES: [&str; 15] =
        ["a", "un", "##aff", "##able", "uber", "strasse", "##s", "天", ",", "!", "##un", "unaffable", "it", "'", "e"];

    fn tokenizer() -> Tokenizer {
        let numbered = |continues: bool| {
            let all = (10..).zip(PIECES).filter(move |(_, p)| p.starts_with(CONTINUES) == continues);
            all.map(|(id, p)| (p.trim_start_matches(CONTINUES).into(), id)).collect()
        };
        Tokenizer {
            begins: numbered(false),
            continues: numbered(true),
            marks: vec![("[SEP]".into(), 2), ("[MASK]".into(), 3)],
            longest_piece: 9,
            begin_mark: 1,
            end_mark: 2,
            unknown: 0,
        }
    }

    /// The pieces of a text as words, without the marks around it. `?` is what is unknown.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let pieces = tokenizer().pieces(text);
        let [1, inner @ .., 2] = &*pieces else { panic!("{pieces:?} lacks a mark") };
        let name = |id: &u32| match id {
            0 => "?",
            2 => "[SEP]",
            3 => "[MASK]",
            id => PIECES[*id as usize - 10],
        };
        assert_eq!(inner.iter().map(name).collect::<Vec<_>>().join(" "), expected, "{text:?}");
    }

    #[test]
    fn words_are_made_of_the_longest_pieces() {
        check("unaffable", "unaffable");
        check("unaff unaffableun", "un ##aff unaffable ##un");
        check("a as ass", "a a ##s a ##s ##s");
    }

    #[test]
    fn a_word_with_an_unknown_part_is_unknown_as_a_whole() {
        check("unz a", "? a");
        check("z", "?");
        check(&format!("a{}", "s".repeat(99)), &format!("a{}", " ##s".repeat(99)));
        check(&format!("a{}", "s".repeat(100)), "?");
    }

    #[test]
    fn case_accents_and_control_characters_do_not_count() {
        check("\u{dc}BER uber u\u{308}ber", "uber uber uber");
        check("u\u{200b}n\u{0}\u{fffd}\u{e000}", "un");
        check("a\ta\r\na\u{a0}a", "a a a a");
        check("", "");
        check(" \n ", "");
    }

    #[test]
    fn punctuation_and_ideographs_are_words_of_their_own() {
        check("a,a!", "a , a !");
        check("it's", "it ' ?");
        check("天天a", "天 天 a");
        check("a\u{3002}", "a ?");
    }

    #[test]
    fn marks_stand_for_themselves_as_they_are_spelled() {
        check("a[SEP]a [MASK]", "a [SEP] a [MASK]");
        check("[[SEP][sep]", "? [SEP] ? ? ?");
    }

    #[test]
    fn a_text_ends_at_its_last_piece_that_fits() {
        let tokenizer = tokenizer();
        for (text, length) in [("a ".repeat(253), 255), ("a ".repeat(254), 256), ("a ".repeat(255), 256)] {
            assert_eq!(tokenizer.pieces(&text).len(), length);
        }
        let long = format!("{}{}", "天".repeat(253), "ass");
        let pieces = tokenizer.pieces(&long);
        assert_eq!((pieces.len(), pieces[254], pieces[255]), (256, 10, 2), "cut within a word, closed by its mark");
    }
}
