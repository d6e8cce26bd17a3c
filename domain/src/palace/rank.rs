//! How hits are ranked: reciprocal rank fusion of the lexical and the semantic order, and the numbers that answers show.
//!
//! # Design
//! A sum of a cosine and a BM25 score needs a common scale, which differs from query to query. Ranks need none: a hit that both
//! orders place high comes first, whatever their scores look like.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::search::tokens;

/// How quickly the weight of a rank falls; the usual value.
const RANK_OFFSET: f64 = 60.0;

/// Fuses orders of the same things, best first. What is in none of them is not in the result; ties keep the order in which things
/// first appear.
pub fn fuse<K: Hash + Eq + Clone>(orders: &[&[K]]) -> Vec<K> {
    let mut scores: HashMap<K, (f64, usize)> = HashMap::new();
    for order in orders {
        for (key, rank) in order.iter().zip(1_u32..) {
            let seen = scores.len();
            let entry = scores.entry(key.clone()).or_insert((0.0, seen));
            entry.0 += 1.0 / (RANK_OFFSET + f64::from(rank));
        }
    }
    let mut fused: Vec<(K, (f64, usize))> = scores.into_iter().collect();
    fused.sort_by(|(_, a), (_, b)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    fused.into_iter().map(|(key, _)| key).collect()
}

/// How soon more of the same word in a text counts no more.
const SATURATION: f64 = 1.5;
/// How much longer texts are held back.
const LENGTH: f64 = 0.75;

/// How well the words of a query fit each of some texts: BM25 within these texts alone. Each word of the query counts once, words of one
/// letter not at all; 0 where none is found.
pub fn bm25(query: &str, texts: &[&str]) -> Vec<f64> {
    let mut asked = HashSet::new();
    tokens::scan(query, &mut |token, _| {
        if token.chars().nth(1).is_some() || !token.is_ascii() {
            asked.insert(token.to_owned());
        }
        true
    });
    let counted: Vec<(HashMap<String, u32>, u32)> = texts.iter().map(|text| count(text, &asked)).collect();
    let all = float(texts.len());
    let mean = counted.iter().map(|(_, length)| f64::from(*length)).sum::<f64>() / all.max(1.0);
    let weight = |word: &String| {
        let holders = float(counted.iter().filter(|(words, _)| words.contains_key(word)).count());
        ((all - holders + 0.5) / (holders + 0.5)).ln_1p()
    };
    let weights: HashMap<&String, f64> = asked.iter().map(|word| (word, weight(word))).collect();
    let score = |(words, length): &(HashMap<String, u32>, u32)| {
        let held_back = SATURATION * (1.0 - LENGTH + LENGTH * f64::from(*length) / mean.max(1.0));
        let fit = |(word, count): (&String, &u32)| {
            let count = f64::from(*count);
            weights.get(word).copied().unwrap_or(0.0) * count * (SATURATION + 1.0) / (count + held_back)
        };
        // The sum of nothing is -0, which an answer would show.
        words.iter().map(fit).sum::<f64>() + 0.0
    };
    counted.iter().map(score).collect()
}

/// How often each word that is asked for stands in a text, and how many words the text has.
fn count(text: &str, asked: &HashSet<String>) -> (HashMap<String, u32>, u32) {
    let (mut words, mut length) = (HashMap::new(), 0);
    tokens::scan(text, &mut |token, _| {
        length += 1;
        if asked.contains(token) {
            *words.entry(token.to_owned()).or_insert(0) += 1;
        }
        true
    });
    (words, length)
}

/// A small number of things.
fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// A number rounded to some decimal places, never `-0`.
pub fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (value * scale).round() / scale + 0.0
}

/// How alike two texts are, from their cosine distance: 0 to 1, three places.
pub fn similarity(distance: f64) -> f64 {
    rounded((1.0 - distance).max(0.0), 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_orders_like_comes_first() {
        assert_eq!(fuse(&[&["a", "b", "c"], &["b", "d"]]), ["b", "a", "d", "c"]);
    }

    #[test]
    fn rare_words_and_short_texts_weigh_more() {
        let texts = ["the pool is full", "the pool is full and the day is long and hot", "the cat", ""];
        let scores = bm25("The full POOL pool x", &texts);
        assert!(scores[0] > scores[1] && scores[1] > scores[2] && scores[2] > 0.0, "{scores:?}");
        assert_eq!(scores[3].to_string(), "0");
        assert!(bm25("pool", &["pool"])[0] > 0.0, "a word that every text has still counts");
        assert_eq!(bm25("?", &["pool"]), [0.0]);
        assert!(bm25("pool", &[]).is_empty());
    }

    #[test]
    fn numbers_are_shown_short() {
        assert_eq!(similarity(-0.000_01).to_string(), "1");
        assert_eq!(similarity(1.7).to_string(), "0");
        assert_eq!(rounded(0.123_46, 4).to_string(), "0.1235");
        assert_eq!(rounded(-0.000_01, 4).to_string(), "0");
    }
}
