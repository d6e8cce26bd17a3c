//! How a text falls into tokens: the one rule that the index, a query, an excerpt and a page share. Not a dictionary and not a stemmer.
//!
//! # Design
//! SQLite's own tokenizer would need a second rule in the browser and in excerpts that agrees with it in every character. So the
//! folding is done here, and the index gets tokens that are finished. Scripts that are written without spaces have no words to cut at:
//! each of their characters is a token, and a run of them in a query is a phrase.

use std::ops::Range;

/// The longest token, in characters; what follows up to its end is dropped, in texts and in queries alike.
pub const MAX_TOKEN_CHARS: usize = 128;

/// The base letters of U+00C0 to U+024F; a dot where there is none in ASCII.
const LATIN: &[u8; 400] =
    b"aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.yaaaaaaccccccccdd..eeeeeeeeeegggggggg\
hh..iiiiiiiii...jjkk.llllll....nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzz.........\
........................oo.............uu............................aaiioouuuuuuuuuu.aaaa....ggkkoo\
oo..j...gg..nnaa....aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............................";
/// The same for U+1E00 to U+1EFF.
const LATIN_MORE: &[u8; 256] =
    b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssss\
ssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy......aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeee\
iiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

/// What a character does to the token that is being read.
enum Role {
    /// It ends it.
    Gap,
    /// It is not there: accents of their own, and what nobody sees.
    Nothing,
    /// It is a token of its own.
    Alone,
    /// It belongs to it.
    Part,
}

fn role(c: char) -> Role {
    match u32::from(c) {
        // Combining accents, the soft hyphen, zero-width characters, variation selectors.
        0x300..=0x36f | 0xad | 0x200b..=0x200d | 0x2060 | 0xfe00..=0xfe0f | 0xfeff => Role::Nothing,
        // Thai, Lao, Burmese, Khmer, kana, Han and Hangul; what is a letter there stands alone.
        0xe00..=0xeff
        | 0x1000..=0x109f
        | 0x1780..=0x17ff
        | 0x3041..=0x30ff
        | 0x31f0..=0x31ff
        | 0xff66..=0xff9f
        | 0x1100..=0x11ff
        | 0xac00..=0xd7af
        | 0x3005..=0x3007
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xf900..=0xfaff
        | 0x2_0000..=0x3_ffff
            if c.is_alphanumeric() =>
        {
            Role::Alone
        }
        // Signs that people put into messages to find them again: check marks, stars, emoji.
        0x2600..=0x27bf | 0x1_f300..=0x1_faff => Role::Alone,
        _ if c.is_alphanumeric() => Role::Part,
        _ => Role::Gap,
    }
}

/// Adds a character as it is compared: lower case, without accents, full-width forms as ordinary ones.
fn fold(c: char, out: &mut String) {
    let code = u32::from(c);
    let from = |table: &[u8], first: u32| {
        let at = usize::try_from(code.checked_sub(first)?).ok()?;
        table.get(at).filter(|b| **b != b'.').map(|b| char::from(*b))
    };
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else if let Some(base) = from(LATIN, 0xc0).or_else(|| from(LATIN_MORE, 0x1e00)) {
        out.push(base);
    } else if let Some(wide) = char::from_u32(code.wrapping_sub(0xfee0)).filter(char::is_ascii_alphanumeric) {
        out.push(wide.to_ascii_lowercase());
    } else if c == 'ς' {
        out.push('σ');
    } else {
        out.extend(c.to_lowercase().filter(|l| !matches!(role(*l), Role::Nothing)));
    }
}

/// Tells each token of a text as it is compared, and the range of characters where it stands, until `each` answers false.
pub fn scan(text: &str, each: &mut dyn FnMut(&str, Range<usize>) -> bool) {
    let mut token = String::new();
    let (mut start, mut chars, mut count) = (0, 0, 0);
    for (at, c) in text.chars().enumerate() {
        count = at + 1;
        let role = role(c);
        if matches!(role, Role::Nothing) {
            continue;
        }
        if !matches!(role, Role::Part) && !token.is_empty() {
            if !each(&token, start..at) {
                return;
            }
            token.clear();
            chars = 0;
        }
        match role {
            Role::Alone => {
                fold(c, &mut token);
                if !each(&token, at..at + 1) {
                    return;
                }
                token.clear();
            }
            Role::Part => {
                if chars == 0 {
                    start = at;
                }
                chars += 1;
                if chars <= MAX_TOKEN_CHARS {
                    fold(c, &mut token);
                }
            }
            Role::Gap | Role::Nothing => {}
        }
    }
    if !token.is_empty() {
        each(&token, start..count);
    }
}

/// Adds the tokens of a text to `out`, one space before each: the form in which a text is put into the index.
pub fn write_tokens(text: &str, out: &mut String) {
    scan(text, &mut |token, _| {
        out.push(' ');
        out.push_str(token);
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut tokens = String::new();
        write_tokens(text, &mut tokens);
        assert_eq!(tokens.trim_start(), expected, "{text:?}");
    }

    #[test]
    fn identifiers_fall_into_their_parts() {
        check("evt_20260101T000000_ab12", "evt 20260101t000000 ab12");
        check("feature/x-y foo::bar(src/main.rs:7)", "feature x y foo bar src main rs 7");
        check("don't \"quote\" *AND* NEAR(", "don t quote and near");
        check("\0\u{1}a\0b", "a b");
        check("", "");
    }

    #[test]
    fn case_and_accents_do_not_count() {
        check("Évora ÉVORA e\u{301}vora", "evora evora evora");
        check("Ångström Łódź Việt Nam ǖ ẞ ß", "angstrom łodz viet nam u ß ß");
        check("İstanbul ΌΔΟΣ ὁδός Ёлка", "istanbul όδοσ ὁδόσ ёлка");
        check("ＡＢｃ１２", "abc12");
        check("zero\u{200b}width so\u{ad}ft", "zerowidth soft");
    }

    #[test]
    fn scripts_without_spaces_become_single_characters() {
        check("修复bug的补丁", "修 复 bug 的 补 丁");
        check("テスト ガ ｶ 한국어", "テ ス ト ガ ｶ 한 국 어");
        check("𠮷野家、々。", "𠮷 野 家 々");
        check("ไทย", "ไ ท ย");
        check("done ✅🚀ok 👩‍💻", "done ✅ 🚀 ok 👩 💻");
    }

    #[test]
    fn ranges_count_characters_of_the_text_itself() {
        let mut found = Vec::new();
        scan("é e\u{301}x,修b", &mut |token, range| {
            found.push((token.to_owned(), range));
            true
        });
        let expected = [("e", 0..1), ("ex", 2..5), ("修", 6..7), ("b", 7..8)];
        assert_eq!(found, expected.map(|(t, r)| (t.to_owned(), r)));
    }

    #[test]
    fn a_long_token_is_cut() {
        let mut tokens = Vec::new();
        scan(&format!("{} b", "é".repeat(1000)), &mut |token, range| {
            tokens.push((token.len(), range));
            true
        });
        assert_eq!(tokens, [(MAX_TOKEN_CHARS, 0..1000), (1, 1001..1002)]);
    }
}
