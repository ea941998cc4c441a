//! [`Parameters`]: weights, means and variances of a mixture, as a start, a result, or the argument of an engine.

use super::e_step::{LEAST, Parabola};
use crate::data::frame::{FARTHEST, Frame};
use crate::error::MixtureError;
use crate::numeric::elementary;
use crate::numeric::portable::{exp2, ln};
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::LN_2;

/// The most conversions to the units of the data and back until a mean no longer changes: one is enough, two at the
/// edge of a binade.
const SETTLING: usize = 4;

/// The tolerance of a sum of one: decimals of a few digits may miss it. The weights are divided by their sum.
const WEIGHTS_SUM: f64 = 1e-6;

/// Points processed together, in vector code.
const TILE: usize = 64;

/// Weights, means and variances of the components.
///
/// ```
/// use mindgap::Parameters;
///
/// let parameters = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0])?;
/// assert_eq!(parameters.predict(&[-1.0, 3.0]), [0, 1]);
/// assert_eq!(parameters.predict_proba(&[2.0]), [0.5, 0.5]);
/// # Ok::<(), mindgap::MixtureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    weights: Vec<f64>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl Parameters {
    /// Makes parameters with one entry per component in each slice.
    ///
    /// # Errors
    /// If the lengths differ or are zero, a number is not finite, a variance is not positive, a weight is negative, or
    /// the weights do not sum to one (to 1e-6; they are divided by their sum).
    pub fn new(weights: &[f64], means: &[f64], variances: &[f64]) -> Result<Self, MixtureError> {
        let (w, m, v) = (weights.len(), means.len(), variances.len());
        if w != m || m != v || m == 0 {
            return Err(MixtureError::ParametersShape { weights: w, means: m, variances: v });
        }
        let find =
            |what: &'static str, values: &[f64], good: fn(f64) -> bool| match values.iter().position(|&x| !good(x)) {
                Some(component) => Err(MixtureError::BadParameter { what, component, value: values[component] }),
                None => Ok(()),
            };
        find("weight", weights, |x| x.is_finite() && x >= 0.0)?;
        find("mean", means, f64::is_finite)?;
        find("variance", variances, |x| x.is_finite() && x > 0.0)?;
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > WEIGHTS_SUM {
            return Err(MixtureError::ParametersWeights { sum });
        }
        let weights = weights.iter().map(|weight| weight / sum).collect();
        Ok(Self { weights, means: means.to_vec(), variances: variances.to_vec() })
    }

    /// Makes parameters without checks; they must be valid.
    pub(super) fn sound(weights: Vec<f64>, means: Vec<f64>, variances: Vec<f64>) -> Self {
        Self { weights, means, variances }
    }

    /// The number of components.
    pub fn k(&self) -> usize {
        self.means.len()
    }

    /// The weights, which sum to one.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The means.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The variances.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// Checks that the number of components is `k`.
    pub(super) fn check_count(&self, k: usize) -> Result<(), MixtureError> {
        if self.k() == k { Ok(()) } else { Err(MixtureError::ParametersCount { k, given: self.k() }) }
    }

    /// Checks that means and spreads are of the data's scale; squares about farther means would lose all digits.
    pub(super) fn check_scale(&self, frame: &Frame) -> Result<(), MixtureError> {
        let find = |what: &'static str, values: &[f64], largest: f64, enter: &dyn Fn(f64) -> f64| match values
            .iter()
            .position(|&x| enter(x).abs() > largest)
        {
            Some(component) => Err(MixtureError::ParametersOffScale { what, component, value: values[component] }),
            None => Ok(()),
        };
        find("mean", &self.means, FARTHEST, &|x| frame.enter(x))?;
        find("variance", &self.variances, FARTHEST * FARTHEST, &|v| frame.enter_square(v))
    }

    /// Raises variances below `floor` to it.
    pub(super) fn raised(mut self, floor: f64) -> Self {
        self.variances.iter_mut().for_each(|v| *v = v.max(floor));
        self
    }

    /// Raises weights below `least` to it; the others stay.
    pub(super) fn with_weights_above(mut self, least: f64) -> Self {
        self.weights.iter_mut().for_each(|weight| *weight = weight.max(least));
        self
    }

    /// Whether every parameter is finite; a change of units may overflow.
    pub(super) fn is_finite(&self) -> bool {
        self.weights.iter().chain(&self.means).chain(&self.variances).all(|x| x.is_finite())
    }

    /// Converts from data to frame units.
    pub(super) fn enter(&self, frame: &Frame) -> Self {
        Self {
            weights: self.weights.clone(),
            means: self.means.iter().map(|&x| frame.enter(x)).collect(),
            variances: self.variances.iter().map(|&v| frame.enter_square(v)).collect(),
        }
    }

    /// Converts from frame to data units.
    pub(super) fn leave(&self, frame: &Frame) -> Self {
        Self {
            weights: self.weights.clone(),
            means: self.means.iter().map(|&z| frame.leave(z)).collect(),
            variances: self.variances.iter().map(|&v| frame.leave_square(v)).collect(),
        }
    }

    /// Weights, means and variances in the units of the data, for reports.
    pub(super) fn outside(&self, frame: &Frame) -> [Vec<f64>; 3] {
        let Self { weights, means, variances } = self.leave(frame);
        [weights, means, variances]
    }

    /// Rounds to parameters that a conversion to the units of the data and back does not change.
    pub(super) fn settled(mut self, frame: &Frame) -> Self {
        for z in &mut self.means {
            for _ in 0..SETTLING {
                let back = frame.enter(frame.leave(*z));
                if back == *z || !back.is_finite() {
                    break;
                }
                *z = back;
            }
        }
        self
    }

    /// Sorts the components by ascending mean; equal means keep their order.
    pub(super) fn sorted(self) -> (Self, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.k()).collect();
        order.sort_by(|&a, &b| self.means[a].total_cmp(&self.means[b]));
        let pick = |values: &[f64]| order.iter().map(|&k| values[k]).collect();
        let sorted = Self { weights: pick(&self.weights), means: pick(&self.means), variances: pick(&self.variances) };
        (sorted, order)
    }
}

/// The density and memberships at any values: O(k) per value.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_its_error() {
        let start = |w: &[f64], m: &[f64], v: &[f64]| Parameters::new(w, m, v).unwrap_err();
        assert!(matches!(start(&[1.0], &[0.0, 1.0], &[1.0]), MixtureError::ParametersShape { means: 2, .. }));
        assert!(matches!(start(&[], &[], &[]), MixtureError::ParametersShape { .. }));
        let bad = |error: MixtureError, name: &str, k: usize| match error {
            MixtureError::BadParameter { what, component, .. } => assert_eq!((what, component), (name, k)),
            other => panic!("{other}"),
        };
        bad(start(&[1.5, -0.5], &[0.0, 1.0], &[1.0, 1.0]), "weight", 1);
        bad(start(&[0.5, 0.5], &[f64::NAN, 1.0], &[1.0, 1.0]), "mean", 0);
        bad(start(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 0.0]), "variance", 1);
        bad(start(&[0.5, 0.5], &[0.0, 1.0], &[-1.0, 1.0]), "variance", 0);
        assert!(matches!(start(&[0.5, 0.6], &[0.0, 1.0], &[1.0, 1.0]), MixtureError::ParametersWeights { .. }));
        assert_eq!(Parameters::new(&[0.5, 0.5 + 1e-8], &[0.0, 1.0], &[1.0, 1.0]).unwrap().k(), 2);
    }
}
