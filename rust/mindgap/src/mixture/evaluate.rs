//! A mixture's density and memberships at values that need not be the data's: O(k) a value.

use super::density::{LEAST, Parabola};
use super::start::Start;
use std::f64::consts::LN_2;

impl Start {
    /// The most probable component of each of `values`, the first of equals; NaN goes to the first.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        let parabolas = Parabola::of(self);
        let all: Vec<usize> = (0..parabolas.len()).collect();
        values.iter().map(|&x| most_probable(&parabolas, &all, x)).collect()
    }

    /// The probability of each component at each of `values`: row-major, one row a value. NaN gives NaN.
    pub fn predict_proba(&self, values: &[f64]) -> Vec<f64> {
        let parabolas = Parabola::of(self);
        let mut rows = Vec::with_capacity(values.len() * parabolas.len());
        for &x in values {
            let (peak, total) = peak_and_total(&parabolas, x);
            rows.extend(parabolas.iter().map(|p| relative(p, x, peak) / total));
        }
        rows
    }

    /// The log-density at each of `values`.
    pub fn score_samples(&self, values: &[f64]) -> Vec<f64> {
        let parabolas = Parabola::of(self);
        let density = |&x: &f64| {
            let (peak, total) = peak_and_total(&parabolas, x);
            peak * LN_2 + total.ln()
        };
        values.iter().map(density).collect()
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
fn relative(parabola: &Parabola, x: f64, peak: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { (parabola.at(x) - peak).exp2() }
}

/// The largest logarithm at `x`, and the sum of the densities relative to it.
fn peak_and_total(parabolas: &[Parabola], x: f64) -> (f64, f64) {
    let peak = parabolas.iter().map(|p| p.at(x)).fold(LEAST, f64::max);
    (peak, parabolas.iter().map(|p| relative(p, x, peak)).sum())
}
