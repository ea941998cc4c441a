//! Bounds the directional derivative over a small cell, from one pass over the data: an expansion in Hermite polynomials
//! with a bound on its remainder. The derivations are in docs/mathematics.md.

use super::coupling::Divisor;
use super::derivative::Derivative;
use super::kernels::ORDER;
use super::region::Cell;
use crate::numeric::portable::exp2;
use std::f64::consts::{LOG2_E, TAU};

/// The largest half-width of an expanded cell, in standard deviations at its middle.
const RADIUS: f64 = 0.7;

/// Half the largest relative half-width in the variance of an expanded cell.
const SPREAD: f64 = 0.08;

/// Cramér's inequality bounds the remainder of an expansion of [`ORDER`] terms over a cell of this size by this share
/// of the sum of 2^logs·exp(-z²/4): 1.0865·Σ √(j+2l)!·RADIUS^j/j!·SPREAD^l/l! over j + 2l ≥ ORDER.
const REMAINDER: f64 = 3.3e-7;

/// The rounding of an expansion relative to the same sum, without the part that grows with the data: 2^-41. A count of
/// the operations gives less than 2^-42.
const EXPANSION_ROUNDING: f64 = 1.0 / 2_199_023_255_552.0;

/// The largest number of parts that one expansion is divided into.
const MAX_PARTS: usize = 1024;

/// D near a point: Σ m_{j+2l}·t^j/j!·e^l/l! with t = (μ - mean)/σ and e = (v/σ² - 1)/2.
pub(super) struct Expansion {
    mean: f64,
    precision_root: f64,
    moments: [f64; ORDER],
    /// The half-widths of the cell in t and e.
    half: [f64; 2],
    /// The remainder and the rounding.
    remainder: f64,
}

/// What an expansion proves for its cell.
pub(super) enum Expanded {
    /// The bound holds everywhere.
    Below,
    /// The bound fails at this mean and variance.
    Above(f64, f64),
    /// Nothing: the remainder is too large.
    Unclear,
}

/// 1/j!
const INVERSE_FACTORIALS: [f64; ORDER] = {
    let mut values = [1.0; ORDER];
    let mut j = 1;
    while j < ORDER {
        values[j] = values[j - 1] / j as f64;
        j += 1;
    }
    values
};

impl Expansion {
    /// Expands D about the middle of a cell; `None` if the cell is too large.
    pub(super) fn of(derivative: &Derivative<'_>, cell: &Cell) -> Option<Self> {
        let mean = 0.5 * (cell.low + cell.high);
        let variance = 0.5 * (cell.least + cell.most);
        let precision_root = 1.0 / variance.sqrt();
        let half = [
            (cell.high - mean).max(mean - cell.low) * precision_root * (1.0 + 1e-14),
            0.5 * (cell.most - variance).max(variance - cell.least) / variance * (1.0 + 1e-14) + 1e-15,
        ];
        if half[0] > RADIUS || half[1] > SPREAD {
            return None;
        }
        #[cfg(test)]
        crate::monitor::count(1, 0);
        let points = derivative.points;
        let (mut moments, mut size) =
            points.moments(derivative.logs, mean, precision_root, derivative.reach(precision_root));
        let scale = precision_root / (points.total() * TAU.sqrt());
        size = size * (1.0 + derivative.rounding) + derivative.left_out;
        moments.iter_mut().for_each(|moment| *moment *= scale);
        let shrink = (half[0] / RADIUS).max((half[1] / SPREAD).sqrt());
        let power = powers(shrink)[ORDER - 1] * shrink;
        let remainder = size * scale * (1.001 * REMAINDER * power + 2.0 * derivative.rounding + EXPANSION_ROUNDING)
            + 2.0 * derivative.left_out * scale;
        Some(Self { mean, precision_root, moments, half, remainder })
    }

    /// Moves the expansion to (t, e). It solves the heat equation, so one family of moments serves both directions.
    fn at(&self, t: f64, e: f64) -> [f64; ORDER] {
        let mut moments = self.moments;
        if e != 0.0 {
            let powers = terms(e);
            for j in 0..ORDER {
                moments[j] = (0..(ORDER - j).div_ceil(2)).rev().map(|l| powers[l] * self.moments[j + 2 * l]).sum();
            }
        }
        if t != 0.0 {
            let before = moments;
            let powers = terms(t);
            for j in 0..ORDER {
                moments[j] = (0..ORDER - j).rev().map(|i| powers[i] * before[j + i]).sum();
            }
        }
        moments
    }

    fn value(&self, t: f64, e: f64) -> f64 {
        self.at(t, e)[0]
    }

    /// Proves D ≤ e^level·divisor in the whole cell, or finds where it fails.
    pub(super) fn bound(&self, divisor: &Divisor, level: f64) -> Expanded {
        let factor = exp2(level * LOG2_E) * (1.0 - 1e-15);
        let pieces = if divisor.pieces[0] == divisor.pieces[1] { 1 } else { 2 };
        for piece in &divisor.pieces[..pieces] {
            match self.bound_piece(piece.map(|coefficient| coefficient * factor)) {
                Expanded::Below => {}
                other => return other,
            }
        }
        Expanded::Below
    }

    /// The tangent plane of `constant + a·μ + b/v` at (t, e): its value, rounded down, and its slopes. Then how far the
    /// function falls below the plane, at most, where e changes by up to `s`.
    fn plane(&self, [constant, a, b]: [f64; 3], t: f64, e: f64, s: f64) -> ([f64; 3], f64) {
        let deviation = 1.0 / self.precision_root;
        let precision = self.precision_root * self.precision_root;
        let here = precision / (1.0 + 2.0 * e);
        let mean = self.mean + t * deviation;
        let size = constant.abs() + (a * mean).abs() + (a * deviation).abs() + (b * here).abs();
        let largest = 1.0 / (1.0 + 2.0 * (e - s));
        let sag = (-b).max(0.0) * precision * (4.0 * s * s * largest * largest * largest);
        ([constant + a * mean + b * here - 1e-14 * size, a * deviation, -2.0 * b * here / (1.0 + 2.0 * e)], sag)
    }

    /// Proves that the expansion is below one piece of the divisor by more than the remainder, or finds where it is not.
    fn bound_piece(&self, piece: [f64; 3]) -> Expanded {
        let mut parts = vec![([0.0, 0.0], self.half)];
        let mut seen = 1;
        while let Some(([t, e], [r, s])) = parts.pop() {
            let m = self.at(t, e);
            let ([constant, slope, rise], sag) = self.plane(piece, t, e, s);
            let height = m[0] - constant;
            if height > -self.remainder {
                return self.not_below(height, t, e);
            }
            let (first, second) = (m[1] - slope, m[2] - rise);
            let quadratic = m[2].max(0.0) * (0.5 * r * r) + m[4].max(0.0) * (0.5 * s * s) + m[3].abs() * (r * s);
            let mut rest = m[3].abs() * (r * r * r / 6.0) + m[4].abs() * (r * r * s / 2.0 + r * r * r * r / 24.0);
            let (across, along) = (terms(r), terms(s));
            for j in 5..ORDER {
                let degree: f64 = (0..=j / 2).map(|l| across[j - 2 * l] * along[l]).sum();
                rest += m[j].abs() * degree;
            }
            if height + first.abs() * r + second.abs() * s + quadratic + rest + sag <= -self.remainder {
                continue;
            }
            let corner = [t + r.copysign(first), e + s.copysign(second)];
            let value = self.value(corner[0], corner[1]) - self.plane(piece, corner[0], corner[1], 0.0).0[0];
            if value > -self.remainder {
                return self.not_below(value, corner[0], corner[1]);
            }
            seen += 2;
            if seen > MAX_PARTS {
                return Expanded::Unclear;
            }
            let across =
                m[2].max(0.0) * (0.5 * r * r) + m[3].abs() * (r * r * r / 6.0) + m[4].abs() * (r * r * r * r / 24.0);
            let along = m[4].max(0.0) * (0.5 * s * s) + m[6].abs() * (s * s * s / 6.0) + sag;
            let by_mean = if across == along { r / RADIUS >= (s / SPREAD).sqrt() } else { across > along };
            if by_mean {
                parts.push(([t - 0.5 * r, e], [0.5 * r, s]));
                parts.push(([t + 0.5 * r, e], [0.5 * r, s]));
            } else {
                parts.push(([t, e - 0.5 * s], [r, 0.5 * s]));
                parts.push(([t, e + 0.5 * s], [r, 0.5 * s]));
            }
        }
        Expanded::Below
    }

    /// The result for a point where the expansion is not below the divisor by more than the remainder.
    fn not_below(&self, height: f64, t: f64, e: f64) -> Expanded {
        if height > self.remainder {
            let deviation = 1.0 / self.precision_root;
            Expanded::Above(self.mean + t * deviation, deviation * deviation * (1.0 + 2.0 * e))
        } else {
            Expanded::Unclear
        }
    }
}

/// 1, x, x², …
fn powers(x: f64) -> [f64; ORDER] {
    let mut values = [1.0; ORDER];
    for j in 1..ORDER {
        values[j] = values[j - 1] * x;
    }
    values
}

/// 1, x, x²/2, x³/6, …
fn terms(x: f64) -> [f64; ORDER] {
    let mut values = powers(x);
    values.iter_mut().zip(INVERSE_FACTORIALS).for_each(|(value, inverse)| *value *= inverse);
    values
}

#[cfg(test)]
mod tests;
