//! The two curves of the encoder: the gate of its wide layer, and weights that sum up to one.
//!
//! Both are written without branches and calls, so that the compiler computes several numbers at once.

use std::f32::consts::{FRAC_1_SQRT_2, LOG2_E};

/// The Gaussian error linear unit: `x` times the share of a normal distribution below `x`. Off by less than 1e-6 times
/// `1 + |x|`.
pub fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
}

/// The error function by formula 7.1.28 of Abramowitz and Stegun's handbook, off by at most 3e-7 and rounding.
fn erf(x: f32) -> f32 {
    const COEFFICIENTS: [f32; 6] =
        [0.070_523_08, 0.042_282_01, 0.009_270_527, 0.000_152_014_3, 0.000_276_567_2, 0.000_043_063_8];
    // At 4 it is 1 for as many digits as there are; beyond, powers would overflow.
    let t = x.abs().min(4.0);
    let sum = COEFFICIENTS.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
    let power = (1.0 + sum) * (1.0 + sum);
    let power = power * power;
    let power = power * power;
    (1.0 - 1.0 / (power * power)).copysign(x)
}

/// Turns scores into weights: each becomes `e^score`, divided so that all sum up to 1.
pub fn softmax(row: &mut [f32]) {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for value in row.iter_mut() {
        *value = exp(*value - highest);
    }
    let factor = 1.0 / row.iter().sum::<f32>();
    for value in row.iter_mut() {
        *value *= factor;
    }
}

/// `e^x` for `x` up to 0, off by at most 3e-7 of itself; nothing to speak of below -87.
fn exp(x: f32) -> f32 {
    /// Added to a small number, it leaves the nearest whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    /// The upper bits of ln 2, so that a product with a whole number is exact, and what they lack.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.max(-87.0);
    let rounded = x * LOG2_E + ROUND;
    let whole = rounded - ROUND;
    // x = whole * ln 2 + rest, with the rest between -0.35 and 0.35: there seven terms of the series are enough.
    let rest = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let series = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let power_of_e = series.into_iter().fold(0.0, |sum, term| sum * rest + term);
    // Two to a whole number is that number in the place of the exponent.
    power_of_e * f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f32, expected: f64, tolerance: f64) {
        let found = f64::from(found);
        assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
    }

    #[test]
    fn the_error_function_has_the_values_of_the_tables() {
        for (x, expected) in [
            (0.0, 0.0),
            (0.1, 0.112_462_916_018),
            (0.5, 0.520_499_877_814),
            (1.0, 0.842_700_792_950),
            (2.0, 0.995_322_265_019),
            (3.0, 0.999_977_909_503),
            (50.0, 1.0),
        ] {
            near(erf(x), expected, 2e-6);
            near(erf(-x), -expected, 2e-6);
        }
    }

    #[test]
    fn the_exponential_is_that_of_the_standard_library() {
        for n in 0..=8700_u16 {
            let x = -f32::from(n) / 100.0;
            let expected = f64::from(x).exp();
            near(exp(x), expected, expected * 5e-7);
        }
        assert!(exp(-1e30) < 1e-37);
    }

    #[test]
    fn weights_sum_up_to_one_and_keep_their_order() {
        let mut row = [1000.0, 999.0, -5.0, 1000.0];
        softmax(&mut row);
        near(row.iter().sum(), 1.0, 1e-6);
        near(row[0], f64::from(row[3]), 0.0);
        assert!(row[0] > row[1] && row[1] > row[2], "{row:?}");
    }

    #[test]
    fn the_gate_lets_large_numbers_pass_and_small_ones_not() {
        near(gelu(0.0), 0.0, 0.0);
        near(gelu(1.0), 0.841_344_746, 2e-6);
        near(gelu(-1.0), -0.158_655_254, 2e-6);
        near(gelu(20.0), 20.0, 0.0);
        near(gelu(-20.0), 0.0, 0.0);
    }
}
