//! A mixture's density and memberships at values that need not be the data's: O(k) a value.

use super::e_step::{LEAST, Parabola};
use super::parameters::Parameters;
use crate::numeric::portable::{exp2, ln};
use std::f64::consts::LN_2;

/// Points that go through the loops together, which become vector code.
const TILE: usize = 64;

impl Parameters {
    /// The most probable component of each of `values`, the first of equals; NaN goes to the first.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        let parabolas = Parabola::of(self);
        let all: Vec<usize> = (0..parabolas.len()).collect();
        values.iter().map(|&x| most_probable(&parabolas, &all, x)).collect()
    }

    /// The probability of each component at each of `values`: row-major, one row a value. NaN gives NaN.
    pub fn predict_proba(&self, values: &[f64]) -> Vec<f64> {
        let parabolas = Parabola::of(self);
        let k = parabolas.len();
        let mut rows = vec![0.0; values.len() * k];
        for (values, rows) in values.chunks(TILE).zip(rows.chunks_mut(TILE * k)) {
            let peaks = peaks(&parabolas, values);
            for (c, parabola) in parabolas.iter().enumerate() {
                for (i, (&x, &peak)) in values.iter().zip(&peaks).enumerate() {
                    rows[i * k + c] = relative(parabola, x, peak);
                }
            }
            for row in rows.chunks_mut(k) {
                let total: f64 = row.iter().sum();
                row.iter_mut().for_each(|density| *density /= total);
            }
        }
        rows
    }

    /// The log-density at each of `values`.
    pub fn score_samples(&self, values: &[f64]) -> Vec<f64> {
        let parabolas = Parabola::of(self);
        let mut logarithms = Vec::with_capacity(values.len());
        for values in values.chunks(TILE) {
            let (peaks, mut totals) = (peaks(&parabolas, values), [0.0; TILE]);
            for parabola in &parabolas {
                for ((total, &peak), &x) in totals.iter_mut().zip(&peaks).zip(values) {
                    *total += relative(parabola, x, peak);
                }
            }
            let points = peaks.iter().zip(&totals).take(values.len());
            logarithms.extend(points.map(|(&peak, &total)| peak * LN_2 + ln(total)));
        }
        logarithms
    }
}

/// The component with the largest logarithm at `x`, the first of equals.
pub(super) fn most_probable(parabolas: &[Parabola], components: &[usize], x: f64) -> u32 {
    let mut best = (components.first().copied().unwrap_or(0), f64::NEG_INFINITY);
    for &k in components {
        let value = parabolas[k].at(x);
        if value > best.1 {
            best = (k, value);
        }
    }
    best.0 as u32
}

/// A density at `x` relative to the reference; NaN at NaN.
#[inline(always)]
fn relative(parabola: &Parabola, x: f64, peak: f64) -> f64 {
    let density = exp2(parabola.at(x) - peak);
    if x.is_nan() { x } else { density }
}

/// The largest logarithm at each of at most [`TILE`] points.
fn peaks(parabolas: &[Parabola], values: &[f64]) -> [f64; TILE] {
    let mut peaks = [LEAST; TILE];
    for parabola in parabolas {
        for (peak, &x) in peaks.iter_mut().zip(values) {
            *peak = peak.max(parabola.at(x));
        }
    }
    peaks
}
