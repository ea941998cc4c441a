//! [`MomentSums`]: an E step over part of the data, without a sort or a copy, on one thread; O(points × components).
//!
//! For distributed engines. Sums over runs of [`MomentSums::RUN`] points are added without rounding, so that parts may
//! be added in any order and grouping; parts that are cut between runs give the same bits as the whole.

use super::density::Parabola;
use super::kernel::{CHUNK, LANES, Pass, Scratch};
use crate::data::sample::{check_finite, check_weights};
use crate::error::SampleError;
use crate::mixture::engine::Moments;
use crate::mixture::parameters::Parameters;
use crate::numeric::exact_sum::ExactSum;
use pulp::{Arch, Simd, WithSimd};

/// The moments of some points, which can be added to those of others without rounding.
///
/// ```
/// use mindgap::{MomentSums, Parameters};
///
/// let start = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0])?;
/// let mut sums = MomentSums::of_chunk(&[0.3, 3.9, -0.2], None, &start)?;
/// sums.add(&MomentSums::of_chunk(&[4.1, 0.1], None, &start)?);
/// assert!((sums.moments().weight[0] - 3.0).abs() < 0.01);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MomentSums {
    components: usize,
    /// The weights, first and second moments of the components, the log-likelihood and, if it is known, the
    /// classification.
    sums: Vec<ExactSum>,
}

impl MomentSums {
    /// Points whose sums are rounded together. Parts cut at multiples of this change no bit of the result.
    pub const RUN: usize = CHUNK;

    /// The sums over no points, at `parameters`.
    pub fn zero(parameters: &Parameters) -> Self {
        Self::of_nothing(parameters.k(), true)
    }

    fn of_nothing(components: usize, classify: bool) -> Self {
        Self { components, sums: vec![ExactSum::default(); 3 * components + 1 + usize::from(classify)] }
    }

    /// Sums over `values`, in any order, at `parameters`.
    ///
    /// # Errors
    /// Values that are not finite, and weights that are negative, not finite or of another number. A part may have no
    /// points, or points of weight zero.
    pub fn of_chunk(values: &[f64], weights: Option<&[f64]>, parameters: &Parameters) -> Result<Self, SampleError> {
        Self::sum(values, weights, parameters, true)
    }

    /// As [`of_chunk`](Self::of_chunk), without the classification, which costs a tenth of the work and is needed in
    /// the last iteration only.
    ///
    /// ```
    /// use mindgap::{MomentSums, Parameters};
    ///
    /// let start = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0])?;
    /// let sums = MomentSums::unclassified(&[0.3, 3.9, -0.2], None, &start)?;
    /// assert_eq!(sums.moments().classification, None);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`of_chunk`](Self::of_chunk).
    pub fn unclassified(values: &[f64], weights: Option<&[f64]>, parameters: &Parameters) -> Result<Self, SampleError> {
        Self::sum(values, weights, parameters, false)
    }

    fn sum(
        values: &[f64],
        weights: Option<&[f64]>,
        parameters: &Parameters,
        classify: bool,
    ) -> Result<Self, SampleError> {
        weights.map(|weights| check_weights(values.len(), weights)).transpose()?;
        let parabolas = Parabola::of(parameters);
        let pass = Pass { parabolas: &parabolas, scale: 1.0, shift: 0.0, classify, curved: false };
        Arch::new().dispatch(Part { pass: &pass, values, weights })
    }

    /// Adds the sums over other points, taken at the same parameters. The classification is kept if both have it. The
    /// numbers of components should be equal; missing sums count as zero.
    pub fn add(&mut self, other: &MomentSums) {
        if !other.is_classified() {
            self.sums.truncate(3 * self.components + 1);
        }
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            other.parts().iter().for_each(|&part| sum.add(part));
        }
    }

    /// The moments, each rounded once.
    pub fn moments(&self) -> Moments {
        let rounded = |range: std::ops::Range<usize>| self.sums[range].iter().map(ExactSum::round).collect();
        let k = self.components;
        Moments {
            weight: rounded(0..k),
            first: rounded(k..2 * k),
            second: rounded(2 * k..3 * k),
            log_likelihood: self.sums[3 * k].round(),
            classification: self.sums.get(3 * k + 1).map(ExactSum::round),
            curvature: None,
            unseen: 0.0,
        }
    }

    fn is_classified(&self) -> bool {
        self.sums.len() == 3 * self.components + 2
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The doubles that each sum consists of, for [`from_parts`](Self::from_parts): `k` weights, `k` first and `k`
    /// second moments, the log-likelihood and, if it is known, the classification.
    pub fn parts(&self) -> impl Iterator<Item = &[f64]> {
        self.sums.iter().map(ExactSum::parts)
    }

    /// Restores sums from [`parts`](Self::parts); `None` if their number is neither `3k + 1` nor `3k + 2` for any `k`.
    ///
    /// ```
    /// use mindgap::{MomentSums, Parameters};
    ///
    /// let start = Parameters::new(&[0.5, 0.5], &[0.0, 4.0], &[1.0, 1.0])?;
    /// let sums = MomentSums::of_chunk(&[0.3, 3.9], None, &start)?;
    /// let sent: Vec<Vec<f64>> = sums.parts().map(<[f64]>::to_vec).collect();
    /// assert_eq!(MomentSums::from_parts(sent.iter().map(Vec::as_slice)), Some(sums));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn from_parts<'a>(parts: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let sums: Vec<ExactSum> = parts.into_iter().map(ExactSum::of).collect();
        let components = sums.len() / 3;
        (components > 0 && !sums.len().is_multiple_of(3)).then_some(Self { components, sums })
    }

    fn add_rounded(&mut self, moments: &Moments) {
        let Moments { weight, first, second, log_likelihood, classification, .. } = moments;
        let terms = weight.iter().chain(first).chain(second).chain([log_likelihood]).chain(classification);
        self.sums.iter_mut().zip(terms).for_each(|(sum, &term)| sum.add(term));
    }
}

/// One pass over a part, compiled for each kind of processor.
struct Part<'a> {
    pass: &'a Pass<'a>,
    values: &'a [f64],
    weights: Option<&'a [f64]>,
}

impl WithSimd for Part<'_> {
    type Output = Result<MomentSums, SampleError>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Self::Output {
        if S::IS_SCALAR { self.run::<false>() } else { self.run::<true>() }
    }
}

impl Part<'_> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Result<MomentSums, SampleError> {
        let components = self.pass.parabolas.len();
        let mut scratch = Scratch::new(components, false);
        let mut sums = MomentSums::of_nothing(components, self.pass.classify);
        let mut moments = Moments::of_nothing(components, self.pass.classify, false);
        for (r, values) in self.values.chunks(CHUNK).enumerate() {
            let start = r * CHUNK;
            let ends = bounds(values);
            if !(ends[0].is_finite() && ends[1].is_finite()) {
                // The error names the value.
                check_finite(self.values)?;
            }
            let weights = self.weights.map(|weights| &weights[start..start + values.len()]);
            moments.clear();
            self.pass.add_chunk::<FUSED>(values, weights, ends, &mut scratch, &mut moments);
            sums.add_rounded(&moments);
        }
        Ok(sums)
    }
}

/// The smallest and the largest of at least one value; not finite if any is not.
#[inline(always)]
fn bounds(values: &[f64]) -> [f64; 2] {
    let (mut low, mut high, mut fault) = ([values[0]; LANES], [values[0]; LANES], [0.0; LANES]);
    for row in values.chunks(LANES) {
        for (((low, high), fault), &x) in low.iter_mut().zip(&mut high).zip(&mut fault).zip(row) {
            *low = if x < *low { x } else { *low };
            *high = if x > *high { x } else { *high };
            // NaN for infinities and NaN.
            *fault += x * 0.0;
        }
    }
    let fault: f64 = fault.iter().sum();
    [low.iter().copied().fold(low[0], f64::min) + fault, high.iter().copied().fold(high[0], f64::max) + fault]
}

#[cfg(test)]
mod tests;
