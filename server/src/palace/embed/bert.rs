//! The encoder: word pieces of some texts in, one unit vector for each text out.
//!
//! It computes; weights and vocabulary come from its neighbours.
//!
//! # Design
//! The texts of a pack lie one below the other in one matrix, without padding: everything but attention treats each row
//! alone, and attention looks only at the rows of its own text. So nothing is computed for padding and nothing has to
//! be masked, and short texts share the reading of the weights, which is what one short text mostly waits for.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice};

use super::activation::{gelu, softmax};
use super::weights::{Linear, Norm, Weights};
use super::{DIMENSIONS, EmbedError};

/// How many ways to attend a layer has.
pub const HEADS: usize = 12;
const HEAD_DIMENSIONS: usize = DIMENSIONS / HEADS;
#[expect(clippy::cast_precision_loss, reason = "a small number")]
const WIDTH: f32 = DIMENSIONS as f32;
#[expect(clippy::cast_precision_loss, reason = "a small number")]
const HEAD_WIDTH: f32 = HEAD_DIMENSIONS as f32;
/// Added to the variance of a row before it is divided by. The configuration's `layer_norm_eps`.
const NORM_EPSILON: f32 = 1e-12;
/// The shortest length that is divided by.
const MIN_LENGTH: f32 = 1e-12;

/// The vectors of a pack of texts, given as their pieces. No text is empty, since each has its marks.
pub fn encode(weights: &Weights, texts: &[Vec<u32>]) -> Result<Vec<[f32; DIMENSIONS]>, EmbedError> {
    let rows_of: Vec<Range<usize>> = texts
        .iter()
        .scan(0, |start, text| {
            let rows = *start..*start + text.len();
            *start = rows.end;
            Some(rows)
        })
        .collect();
    let mut x = words(weights, texts)?;
    let mut attended = Array2::zeros(x.raw_dim());
    for layer in &weights.layers {
        let mixed = apply(weights, &layer.attend, &x);
        for rows in &rows_of {
            let rows = Slice::from(rows.clone());
            attend(&mixed.slice_axis(Axis(0), rows), &mut attended.slice_axis_mut(Axis(0), rows));
        }
        x += &apply(weights, &layer.attended, &attended);
        normalise_rows(weights, &layer.attended_norm, &mut x);
        let mut wide = apply(weights, &layer.widen, &x);
        wide.as_slice_mut().expect("made in standard layout").iter_mut().for_each(|v| *v = gelu(*v));
        x += &apply(weights, &layer.narrow, &wide);
        normalise_rows(weights, &layer.narrow_norm, &mut x);
    }
    Ok(rows_of.into_iter().map(|rows| mean(&x.slice_axis(Axis(0), rows.into()))).collect())
}

/// The vectors that words have before they know their neighbours.
fn words(weights: &Weights, texts: &[Vec<u32>]) -> Result<Array2<f32>, EmbedError> {
    let mut x = Array2::zeros((texts.iter().map(Vec::len).sum(), DIMENSIONS));
    let places = texts.iter().flat_map(|text| text.iter().enumerate());
    for (mut row, (position, piece)) in x.rows_mut().into_iter().zip(places) {
        weights.word(*piece, position, row.as_slice_mut().expect("a row of a matrix in standard layout"))?;
    }
    normalise_rows(weights, &weights.first_norm, &mut x);
    Ok(x)
}

fn apply(weights: &Weights, linear: &Linear, x: &Array2<f32>) -> Array2<f32> {
    let mut y = Array2::zeros((x.nrows(), linear.outputs()));
    y += &weights.bias(linear);
    general_mat_mul(1.0, x, &weights.matrix(linear), 1.0, &mut y);
    y
}

/// Attention within one text: each row becomes a mixture of the values of all rows, for each head its own.
fn attend(mixed: &ArrayView2<'_, f32>, out: &mut ArrayViewMut2<'_, f32>) {
    let length = mixed.nrows();
    let scale = HEAD_WIDTH.sqrt().recip();
    let mut scores = Array2::zeros((length, length));
    for head in 0..HEADS {
        let part = |n: usize| {
            let start = n * DIMENSIONS + head * HEAD_DIMENSIONS;
            mixed.slice_axis(Axis(1), (start..start + HEAD_DIMENSIONS).into())
        };
        let (query, key, value) = (part(0), part(1), part(2));
        general_mat_mul(scale, &query, &key.t(), 0.0, &mut scores);
        for mut row in scores.rows_mut() {
            softmax(row.as_slice_mut().expect("a row of a matrix in standard layout"));
        }
        let start = head * HEAD_DIMENSIONS;
        let mut out = out.slice_axis_mut(Axis(1), (start..start + HEAD_DIMENSIONS).into());
        general_mat_mul(1.0, &scores, &value, 0.0, &mut out);
    }
}

/// Gives each row mean 0 and variance 1, then scales and shifts it.
fn normalise_rows(weights: &Weights, norm: &Norm, x: &mut Array2<f32>) {
    let (scale, shift) = weights.norm(norm);
    for row in x.as_slice_mut().expect("made in standard layout").chunks_exact_mut(DIMENSIONS) {
        let mean = row.iter().sum::<f32>() / WIDTH;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / WIDTH;
        let factor = 1.0 / (variance + NORM_EPSILON).sqrt();
        for ((value, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
            *value = (*value - mean) * factor * scale + shift;
        }
    }
}

/// The mean of a text's rows, as a vector of length 1.
fn mean(rows: &ArrayView2<'_, f32>) -> [f32; DIMENSIONS] {
    // The length follows, so a sum serves as well as a mean.
    let sum = rows.sum_axis(Axis(0));
    let length = sum.iter().map(|v| v * v).sum::<f32>().sqrt().max(MIN_LENGTH);
    std::array::from_fn(|n| sum[n] / length)
}
