//! The vectors of many rows in memory, and those nearest to a given one.
//!
//! It looks at every vector; there is no tree and no graph to keep up. It knows rows by their number and nothing else
//! of them. The exact vectors stay in the store.
//!
//! # Design
//! A vector is kept as 384 bytes and the step between two of them, so 100 000 take 43 MB and are looked through in some
//! milliseconds on one core. Rounding costs about one in a thousand of the cosine: too little to lose what is near, but
//! enough to change the order of neighbours. So a search finds a few more than were asked for, and whoever has the
//! exact vectors puts them in order ([`in_exact_order`]). What is asked for is kept with 16 bits, which
//! costs nothing, as bytes are widened anyway.
//!
//! Vectors lie in blocks, so that growing never copies them all, and a removed one is replaced by the last. Past some
//! 300 000 rows the time of a search shows; an approximate index would then take this place, behind the same functions.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use super::{DIMENSIONS, Vector};

/// So many vectors lie in one block of 1.5 MB.
const BLOCK: usize = 4096;
/// How many more are looked at exactly than are wanted: this many times, and some for small numbers.
const WIDER: usize = 3;
const AT_LEAST_MORE: usize = 32;

/// A row and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The row's number.
    pub row: i64,
    /// The cosine of the angle, 1 for the same direction; from rounded vectors unless it was asked for exactly.
    pub cosine: f32,
}

/// Vectors by row.
#[derive(Debug, Default)]
pub struct VectorIndex {
    /// All but the last are full.
    blocks: Vec<Block>,
    places: HashMap<i64, u32>,
}

#[derive(Debug, Default)]
struct Block {
    rows: Vec<i64>,
    steps: Vec<f32>,
    bytes: Vec<[i8; DIMENSIONS]>,
}

impl VectorIndex {
    /// Puts the vector of a row in, in place of one that it may have had. Vectors have length 1.
    pub fn put(&mut self, row: i64, vector: &Vector) {
        let rounded = Rounded::from(vector);
        if let Some(place) = self.places.get(&row) {
            let (block, at) = split(*place);
            self.blocks[block].set(at, row, &rounded);
            return;
        }
        let place = u32::try_from(self.places.len()).expect("memory ends long before 2^32 vectors");
        let (block, _) = split(place);
        if block == self.blocks.len() {
            self.blocks.push(Block::empty());
        }
        self.blocks[block].push(row, &rounded);
        self.places.insert(row, place);
    }

    /// Takes the vector of a row out. Says whether it had one.
    pub fn remove(&mut self, row: i64) -> bool {
        let Some(place) = self.places.remove(&row) else { return false };
        let last = self.blocks.last_mut().expect("a row lies in some block");
        let (moved, rounded) = last.pop();
        if last.rows.is_empty() {
            self.blocks.pop();
        }
        if moved != row {
            let (block, at) = split(place);
            self.blocks[block].set(at, moved, &rounded);
            self.places.insert(moved, place);
        }
        true
    }

    /// The rows nearest to a vector among those that are wanted, nearest first; of equally near ones the lower number.
    pub fn nearest(&self, vector: &Vector, limit: usize, mut is_wanted: impl FnMut(i64) -> bool) -> Vec<Hit> {
        if limit == 0 {
            return Vec::new();
        }
        let wanted = Wanted::from(vector);
        let mut best = BinaryHeap::with_capacity(limit.min(self.places.len()) + 1);
        for block in &self.blocks {
            for ((bytes, step), row) in block.bytes.iter().zip(&block.steps).zip(&block.rows) {
                let near = Near(Hit { row: *row, cosine: wanted.cosine(bytes, *step) });
                // Most rows are too far, and asking the caller costs more than that comparison.
                if best.len() == limit && best.peek().is_some_and(|Reverse(farthest)| near <= *farthest)
                    || !is_wanted(*row)
                {
                    continue;
                }
                best.push(Reverse(near));
                if best.len() > limit {
                    best.pop();
                }
            }
        }
        best.into_sorted_vec().into_iter().map(|Reverse(Near(hit))| hit).collect()
    }
}

#[cfg(test)]
impl VectorIndex {
    /// How many rows have a vector.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a row has a vector.
    pub fn has(&self, row: i64) -> bool {
        self.places.contains_key(&row)
    }

    /// How near one row is, if it has a vector.
    pub fn cosine(&self, vector: &Vector, row: i64) -> Option<f32> {
        let (block, at) = split(*self.places.get(&row)?);
        let block = &self.blocks[block];
        Some(Wanted::from(vector).cosine(&block.bytes[at], block.steps[at]))
    }
}

/// How many candidates rounded vectors must give, so that the nearest ones by their exact vectors are among them.
pub fn candidates(limit: usize) -> usize {
    if limit == 0 { 0 } else { limit.saturating_mul(WIDER).saturating_add(AT_LEAST_MORE) }
}

/// Candidates in the order of their exact vectors, which `exact` knows, nearest first and at most so many; and the rows that have
/// none.
pub fn in_exact_order<E>(
    vector: &Vector,
    candidates: &[Hit],
    limit: usize,
    mut exact: impl FnMut(i64) -> Result<Option<Vector>, E>,
) -> Result<(Vec<Hit>, Vec<i64>), E> {
    let (mut hits, mut gone) = (Vec::new(), Vec::new());
    for Hit { row, .. } in candidates {
        match exact(*row)? {
            Some(found) => hits.push(Near(Hit { row: *row, cosine: cosine(vector, &found) })),
            None => gone.push(*row),
        }
    }
    hits.sort_unstable_by(|a, b| b.cmp(a));
    hits.truncate(limit);
    Ok((hits.into_iter().map(|Near(hit)| hit).collect(), gone))
}

/// The cosine of the angle between two vectors of length 1.
pub fn cosine(a: &Vector, b: &Vector) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Ordered by nearness.
#[derive(Clone, Copy, PartialEq)]
struct Near(Hit);

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cosine.total_cmp(&other.0.cosine).then(other.0.row.cmp(&self.0.row))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Block {
    fn empty() -> Self {
        Self { rows: Vec::with_capacity(BLOCK), steps: Vec::with_capacity(BLOCK), bytes: Vec::with_capacity(BLOCK) }
    }

    fn push(&mut self, row: i64, rounded: &Rounded) {
        self.rows.push(row);
        self.steps.push(rounded.step);
        self.bytes.push(rounded.bytes);
    }

    fn pop(&mut self) -> (i64, Rounded) {
        let proof = "a block without vectors is given up";
        let row = self.rows.pop().expect(proof);
        (row, Rounded { step: self.steps.pop().expect(proof), bytes: self.bytes.pop().expect(proof) })
    }

    fn set(&mut self, at: usize, row: i64, rounded: &Rounded) {
        self.rows[at] = row;
        self.steps[at] = rounded.step;
        self.bytes[at] = rounded.bytes;
    }
}

/// A vector in bytes, and what one of them stands for.
struct Rounded {
    step: f32,
    bytes: [i8; DIMENSIONS],
}

impl Rounded {
    #[expect(clippy::cast_possible_truncation, reason = "divided by the step, the numbers lie within -127 and 127")]
    fn from(vector: &Vector) -> Self {
        let step = largest(vector) / f32::from(i8::MAX);
        Self { step, bytes: vector.map(|v| (v / step).round() as i8) }
    }
}

/// The vector that is asked for, in 16 bits.
struct Wanted {
    step: f32,
    numbers: [i16; DIMENSIONS],
}

impl Wanted {
    #[expect(clippy::cast_possible_truncation, reason = "divided by the step, the numbers lie within those of 16 bits")]
    fn from(vector: &Vector) -> Self {
        let step = largest(vector) / f32::from(i16::MAX);
        Self { step, numbers: vector.map(|v| (v / step).round() as i16) }
    }

    /// The cosine with a rounded vector.
    #[expect(clippy::cast_precision_loss, reason = "24 bits are more than rounding has left")]
    fn cosine(&self, bytes: &[i8; DIMENSIONS], step: f32) -> f32 {
        // Even if all numbers were the largest, the sum would stay below 2^31.
        let sum: i32 = bytes.iter().zip(&self.numbers).map(|(b, n)| i32::from(*b) * i32::from(*n)).sum();
        sum as f32 * step * self.step
    }
}

/// Which block, and where in it.
fn split(place: u32) -> (usize, usize) {
    let place = place as usize;
    (place / BLOCK, place % BLOCK)
}

fn largest(vector: &Vector) -> f32 {
    vector.iter().fold(f32::MIN_POSITIVE, |largest, v| largest.max(v.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors in random directions, the same in every run.
    fn random_vectors(count: usize, seed: u64) -> Vec<Vector> {
        let mut state = seed;
        let mut uniform = move || {
            // SplitMix64, of which 16 bits become a number between 0 and 1.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            f32::from(u16::try_from((z ^ (z >> 31)) >> 48).expect("16 bits")) / f32::from(u16::MAX)
        };
        let mut normal = move || (0..6).map(|_| uniform()).sum::<f32>() - 3.0;
        (0..count).map(|_| unit(&std::array::from_fn(|_| normal()))).collect()
    }

    fn unit(vector: &Vector) -> Vector {
        let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
        vector.map(|v| v / length)
    }

    fn filled(vectors: &[Vector]) -> VectorIndex {
        let mut index = VectorIndex::default();
        (0..).zip(vectors).for_each(|(row, vector)| index.put(row, vector));
        index
    }

    fn rows(hits: &[Hit]) -> Vec<i64> {
        hits.iter().map(|h| h.row).collect()
    }

    fn all(_: i64) -> bool {
        true
    }

    /// The rows of `vectors` nearest to `wanted`, by exact numbers.
    fn truly_nearest(vectors: &[Vector], wanted: &Vector, limit: usize) -> Vec<i64> {
        let mut hits: Vec<_> =
            (0..).zip(vectors).map(|(row, v)| Near(Hit { row, cosine: cosine(wanted, v) })).collect();
        hits.sort_unstable_by(|a, b| b.cmp(a));
        hits.iter().take(limit).map(|Near(hit)| hit.row).collect()
    }

    #[test]
    fn what_is_found_in_random_directions_is_what_is_near() {
        let (vectors, queries) = (random_vectors(2000, 1), random_vectors(50, 2));
        let index = filled(&vectors);
        let (mut found, mut found_exactly) = (0, 0);
        for query in &queries {
            let truth = truly_nearest(&vectors, query, 10);
            let exact = |row: i64| Ok::<_, ()>(vectors.get(usize::try_from(row).expect("a place")).copied());
            let wide = index.nearest(query, candidates(10), all);
            let (hits, gone) = in_exact_order(query, &wide, 10, exact).expect("the vectors are at hand");
            found_exactly += usize::from(rows(&hits) == truth && gone.is_empty());
            found += index.nearest(query, 10, all).iter().filter(|hit| truth.contains(&hit.row)).count();
        }
        assert!(found >= 495, "{found} of 500 without the exact vectors");
        assert_eq!(found_exactly, queries.len(), "searches whose ten rows and their order are exact");
    }

    #[test]
    fn rounding_hardly_changes_a_cosine() {
        let vectors = random_vectors(200, 3);
        let index = filled(&vectors);
        for (row, vector) in (0..).zip(&vectors) {
            let found = index.cosine(&vectors[7], row).expect("it was put in");
            assert!((found - cosine(&vectors[7], vector)).abs() < 0.003, "row {row}: {found}");
        }
        assert_eq!(index.cosine(&vectors[0], 200), None);
    }

    #[test]
    fn only_wanted_rows_are_found_and_no_more_than_there_are() {
        let vectors = random_vectors(50, 4);
        let index = filled(&vectors);
        assert_eq!(rows(&index.nearest(&vectors[9], 5, |row| row == 3)), [3]);
        assert_eq!(index.nearest(&vectors[9], 500, all).len(), 50);
        assert!(index.nearest(&vectors[9], 0, all).is_empty());
        assert!(index.nearest(&vectors[9], candidates(0), all).is_empty());
        let wide = index.nearest(&vectors[9], candidates(5), all);
        let none = in_exact_order(&vectors[9], &wide, 5, |_| Ok::<_, ()>(None));
        assert_eq!(none, Ok((vec![], rows(&wide))), "rows that the store no longer has");
        let failed = in_exact_order(&vectors[9], &wide, 5, |_| Err("the store is closed"));
        assert_eq!(failed, Err("the store is closed"));
    }

    #[test]
    fn of_equally_near_rows_the_lower_comes_first() {
        let vector = random_vectors(1, 5)[0];
        let index = filled(&vec![vector; 20]);
        assert_eq!(rows(&index.nearest(&vector, 3, all)), [0, 1, 2]);
    }

    #[test]
    fn rows_come_go_and_change_across_blocks() {
        let vectors = random_vectors(BLOCK + 2, 6);
        let mut index = filled(&vectors);
        let nearest = |index: &VectorIndex, vector: &Vector| rows(&index.nearest(vector, 1, all));
        let last = i64::try_from(BLOCK + 1).expect("a small number");
        assert_eq!((index.blocks.len(), nearest(&index, &vectors[BLOCK + 1])), (2, vec![last]));

        assert!(index.remove(5) && !index.remove(5) && !index.has(5));
        assert_ne!(nearest(&index, &vectors[5]), [5]);
        assert_eq!(nearest(&index, &vectors[BLOCK + 1]), [last], "the last vector took the free place");
        assert!(index.remove(last));
        assert_eq!((index.blocks.len(), index.len()), (1, BLOCK), "the empty block is given up");

        index.put(8, &vectors[5]);
        assert_eq!((nearest(&index, &vectors[5]), index.len()), (vec![8], BLOCK), "the row has its new vector");
        index.put(-1, &vectors[8]);
        assert_eq!((nearest(&index, &vectors[8]), index.blocks.len()), (vec![-1], 2));

        for row in -1..=last {
            index.remove(row);
        }
        assert!(index.is_empty() && index.blocks.is_empty() && index.nearest(&vectors[0], 3, all).is_empty());
    }

    #[test]
    fn a_vector_of_zeros_is_near_nothing_and_harms_nothing() {
        let vectors = random_vectors(2, 7);
        let mut index = filled(&vectors);
        index.put(2, &[0.0; DIMENSIONS]);
        assert_eq!(index.cosine(&vectors[0], 2), Some(0.0));
        assert_eq!(index.nearest(&[0.0; DIMENSIONS], 3, all).len(), 3);
    }
}
