//! The density and memberships of a mixture at any values: O(k) per value.

use super::e_step::{LEAST, Parabola};
use super::parameters::Parameters;
use crate::numeric::elementary;
use crate::numeric::portable::{exp2, ln};
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::LN_2;

/// Points processed together, in vector code.
const TILE: usize = 64;

impl Parameters {
    /// Returns the most probable component of each of `values`, the first of equals; the first for NaN.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        let parabolas = Parabola::of(self);
        let all: Vec<usize> = (0..parabolas.len()).collect();
        values.iter().map(|&x| most_probable(&parabolas, &all, x)).collect()
    }

    /// Returns the probability of each component at each of `values`, row-major with one row per value; NaN for NaN.
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

    /// Returns the most probable component of each of `values`, as [`predict`](Self::predict) does, and its
    /// probability, in one pass.
    ///
    /// ```
    /// use mindgap::Parameters;
    ///
    /// let mixture = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0])?;
    /// let (labels, probabilities) = mixture.classify(&[0.0, 2.0, 9.0]);
    /// assert_eq!(labels, [0, 0, 1]);
    /// assert_eq!(probabilities[1], 0.5);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn classify(&self, values: &[f64]) -> (Vec<u32>, Vec<f64>) {
        Arch::new().dispatch(Classify { parabolas: &Parabola::of(self), values })
    }

    /// Returns the log-density at each of `values`.
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

/// One pass over some values, compiled for each kind of processor, with the same bits on all.
struct Classify<'a> {
    parabolas: &'a [Parabola],
    values: &'a [f64],
}

impl WithSimd for Classify<'_> {
    type Output = (Vec<u32>, Vec<f64>);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Self::Output {
        let mut labels = Vec::with_capacity(self.values.len());
        let mut probabilities = Vec::with_capacity(self.values.len());
        for values in self.values.chunks(TILE) {
            let mut x = [0.0; TILE];
            x[..values.len()].copy_from_slice(values);
            let (label, probability) = self.tile(&x);
            labels.extend_from_slice(&label[..values.len()]);
            probabilities.extend_from_slice(&probability[..values.len()]);
        }
        (labels, probabilities)
    }
}

impl Classify<'_> {
    #[inline(always)]
    fn tile(&self, x: &[f64; TILE]) -> ([u32; TILE], [f64; TILE]) {
        // Labels are doubles, so that the same vector comparison selects them and the logarithms.
        let (mut best, mut label, mut totals) = ([f64::NEG_INFINITY; TILE], [0.0; TILE], [0.0; TILE]);
        for (c, parabola) in self.parabolas.iter().enumerate() {
            for i in 0..TILE {
                let value = parabola.at(x[i]);
                label[i] = if value > best[i] { c as f64 } else { label[i] };
                best[i] = if value > best[i] { value } else { best[i] };
            }
        }
        let peaks = best.map(|best| if best > LEAST { best } else { LEAST });
        for parabola in self.parabolas {
            for i in 0..TILE {
                // `exp2` is at least 2^-1000, which is negligible beside the largest term, one.
                totals[i] += elementary::exp2::<false>(parabola.at(x[i]) - peaks[i]);
            }
        }
        let mut probabilities = [0.0; TILE];
        for i in 0..TILE {
            let probability = elementary::exp2::<false>(best[i] - peaks[i]) / totals[i];
            probabilities[i] = if x[i].is_nan() { x[i] } else { probability };
        }
        (label.map(|label| label as u32), probabilities)
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

/// A density at `x` relative to the reference `peak`; NaN for NaN.
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
