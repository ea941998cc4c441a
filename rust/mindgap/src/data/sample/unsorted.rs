//! Points in input order, sorted when something asks for their order.

use super::{Sample, check_finite, sort};
use crate::data::cells::{MOST_UNEVEN, Points, pieces};
use crate::data::frame::Frame;
use crate::error::SampleError;
use crate::numeric::{binary_exponent, power_of_two};
use crate::parallel::{Workers, map_in_order};
use std::ops::Range;
use std::sync::OnceLock;

/// From so many points on a sample is sorted only when something asks for it; fewer are sorted in less time than it takes to do
/// without.
pub(crate) const MANY_POINTS: usize = 1 << 15;

/// Binary exponents of weights whose units, and their inverses, are normal numbers.
const EXPONENTS: std::ops::RangeInclusive<i32> = -900..=900;

/// The values and weights as they were given.
pub(super) struct Unsorted {
    values: Vec<f64>,
    weights: Option<NearlyEven>,
    extent: (f64, f64),
    /// That of the range, for want of a median.
    frame: Frame,
    sorted: OnceLock<Sample>,
}

/// Positive weights, none of them far smaller than the largest.
pub(super) struct NearlyEven {
    each: Vec<f64>,
    lightest: f64,
    heaviest: f64,
}

impl NearlyEven {
    /// Whether weights are such.
    pub(super) fn are(weights: &[f64]) -> bool {
        let (lightest, heaviest) = ends(weights);
        lightest > 0.0 && heaviest <= lightest * MOST_UNEVEN && EXPONENTS.contains(&binary_exponent(heaviest))
    }

    /// Weights that [are](Self::are) such.
    pub(super) fn new(each: Vec<f64>) -> Self {
        let (lightest, heaviest) = ends(&each);
        Self { each, lightest, heaviest }
    }

    /// Their sum, rounded once, so that their order does not show.
    fn total(&self) -> f64 {
        let unit = power_of_two(binary_exponent(self.heaviest) - 63);
        let integer = |weight: &f64| u128::from((weight / unit) as u64);
        self.each.iter().map(integer).sum::<u128>() as f64 * unit
    }
}

impl Unsorted {
    /// Checks the values.
    ///
    /// # Errors
    /// Values that are not finite, and a range whose square overflows or vanishes.
    pub(super) fn new(values: Vec<f64>, weights: Option<NearlyEven>) -> Result<Self, SampleError> {
        let (low, high) = extent(&values)?;
        let frame = Frame::of_sorted(&[low, high]).ok_or(SampleError::RangeNotSquarable { range: high - low })?;
        Ok(Self { values, weights, extent: (low, high), frame, sorted: OnceLock::new() })
    }

    /// The sum of the weights.
    pub(super) fn total_weight(&self) -> f64 {
        self.weights.as_ref().map_or(self.values.len() as f64, NearlyEven::total)
    }

    pub(super) fn points(&self) -> Points<'_> {
        let (lightest, heaviest) =
            self.weights.as_ref().map_or((1.0, 1.0), |weights| (weights.lightest, weights.heaviest));
        Points { values: &self.values, weights: self.weights(), extent: self.extent, lightest, heaviest }
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights.each[..])
    }

    pub(super) fn frame(&self) -> Frame {
        self.frame
    }

    /// The sorted points, whose weights add up to `total`.
    pub(super) fn sorted(&self, total_weight: f64) -> &Sample {
        self.sorted.get_or_init(|| {
            let (values, weights, order) = match self.weights() {
                None => {
                    let (values, order) = sort::by_value(&self.values);
                    (values, None, order)
                }
                Some(weights) => {
                    let sorted = sort::by_value_and_weight(&self.values, weights);
                    (sorted.values, Some(sorted.weights), sorted.order)
                }
            };
            let frame = Frame::of_sorted(&values).unwrap_or(self.frame);
            Sample::of_parts(values, weights, order, Vec::new(), frame, total_weight)
        })
    }
}

/// The smallest and the largest of some weights.
fn ends(weights: &[f64]) -> (f64, f64) {
    weights.iter().fold((f64::INFINITY, 0.0), |(low, high), &weight| (low.min(weight), weight.max(high)))
}

/// The smallest and the largest value.
fn extent(values: &[f64]) -> Result<(f64, f64), SampleError> {
    let of_piece = |(): &mut (), piece: Range<usize>| pulp::Arch::new().dispatch(Extent(&values[piece]));
    let found = Workers::for_points(values.len() / 8).run(|| map_in_order(pieces(values.len()), of_piece));
    if found.iter().any(|extent| !extent.2) {
        check_finite(values)?;
    }
    let low = found.iter().fold(f64::INFINITY, |low, extent| low.min(extent.0));
    let high = found.iter().fold(f64::NEG_INFINITY, |high, extent| high.max(extent.1));
    // Adding zero turns -0.0 into 0.0.
    Ok((low + 0.0, high + 0.0))
}

/// Values looked at side by side.
const LANES: usize = 32;

/// The smallest and the largest value, and whether all are finite.
struct Extent<'a>(&'a [f64]);

impl pulp::WithSimd for Extent<'_> {
    type Output = (f64, f64, bool);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let (blocks, rest) = self.0.as_chunks::<LANES>();
        let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let mut finite = [true; LANES];
        for block in blocks {
            for lane in 0..LANES {
                let x = block[lane];
                low[lane] = if x < low[lane] { x } else { low[lane] };
                high[lane] = if x > high[lane] { x } else { high[lane] };
                finite[lane] &= x.abs() <= f64::MAX;
            }
        }
        let rests = rest.iter().copied();
        let low = low.into_iter().chain(rests.clone()).fold(f64::INFINITY, f64::min);
        let high = high.into_iter().chain(rests).fold(f64::NEG_INFINITY, f64::max);
        (low, high, finite.into_iter().all(|finite| finite) && rest.iter().all(|x| x.is_finite()))
    }
}
