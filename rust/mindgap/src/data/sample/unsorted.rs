//! Points in input order, sorted on first use.

use super::checks::{check_finite, check_number, check_total, check_weights};
use super::{Sample, sort};
use crate::data::cells::{NEARLY_EVEN, UnsortedPoints, WEIGHT_EXPONENTS};
use crate::data::frame::Frame;
use crate::error::SampleError;
use crate::numeric::{binary_exponent, power_of_two};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// From this many points on, a sample is sorted on first use. Fewer are sorted faster than solvers can work without the
/// order.
pub(crate) const MANY_POINTS: usize = 1 << 15;

/// Points that may not be sorted yet.
pub(crate) struct Unsorted {
    /// The points in input order; dropped after the sort.
    given: Mutex<Option<Arc<GivenPoints>>>,
    sorted: OnceLock<Sample>,
    pub(super) len: usize,
    pub(super) lightest: f64,
    pub(super) heaviest: f64,
    extent: (f64, f64),
    /// From the range alone: a median would need the order.
    frame: Frame,
    total_weight: f64,
}

/// Values and weights in input order.
pub(crate) struct GivenPoints {
    pub(super) values: Vec<f64>,
    pub(super) weights: Option<Vec<f64>>,
}

/// Whether weights are positive and within [`NEARLY_EVEN`] of each other, so that they can be summed as integers of 64
/// bits.
pub(super) fn are_nearly_even(weights: &[f64]) -> bool {
    let (lightest, heaviest) = ends(weights);
    lightest > 0.0 && heaviest <= lightest * NEARLY_EVEN && WEIGHT_EXPONENTS.contains(&binary_exponent(heaviest))
}

/// The smallest and the largest of some weights.
fn ends(weights: &[f64]) -> (f64, f64) {
    weights.iter().fold((f64::INFINITY, 0.0), |(low, high), &weight| (low.min(weight), weight.max(high)))
}

/// The sum of [nearly even](are_nearly_even) weights, rounded once, so that it does not depend on their order.
fn total(weights: &[f64], heaviest: f64) -> f64 {
    let unit = power_of_two(binary_exponent(heaviest) - 63);
    weights.iter().map(|weight| u128::from((weight / unit) as u64)).sum::<u128>() as f64 * unit
}

impl Unsorted {
    /// Checks the values; the weights must be [nearly even](are_nearly_even).
    ///
    /// # Errors
    /// Values that are not finite, and a range whose square overflows or vanishes.
    pub(super) fn new(values: Vec<f64>, weights: Option<Vec<f64>>) -> Result<Self, SampleError> {
        let (low, high) = extent(&values)?;
        let frame = frame(low, high)?;
        let (lightest, heaviest) = weights.as_ref().map_or((1.0, 1.0), |weights| ends(weights));
        let len = values.len();
        let total_weight = weights.as_ref().map_or(len as f64, |weights| total(weights, heaviest));
        let given = Mutex::new(Some(Arc::new(GivenPoints { values, weights })));
        let sorted = OnceLock::new();
        Ok(Self { given, sorted, len, lightest, heaviest, extent: (low, high), frame, total_weight })
    }

    /// The points in input order; `None` if they are already sorted.
    pub(super) fn given(&self) -> Option<Arc<GivenPoints>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<GivenPoints>>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sample of no points with this frame and total.
    pub(super) fn facts(&self) -> Result<Sample, SampleError> {
        check_total(self.total_weight, self.extent.1 - self.extent.0)?;
        Ok(Sample::of_parts(Vec::new(), None, Vec::new(), Vec::new(), self.frame, self.total_weight))
    }

    /// Whether the points have been sorted.
    pub(super) fn are_sorted(&self) -> bool {
        self.sorted.get().is_some()
    }

    /// The sorted points.
    pub(super) fn sorted(&self) -> &Sample {
        self.sorted.get_or_init(|| {
            let given = self.lock().take();
            let (values, weights) = given.as_ref().map_or((&[][..], None), |given| given.parts());
            let (values, weights, order) = match weights {
                None => {
                    let (values, order) = sort::by_value(values, self.extent);
                    (values, None, order)
                }
                Some(weights) => {
                    let sorted = sort::by_value_and_weight(values, weights);
                    (sorted.values, Some(sorted.weights), sorted.order)
                }
            };
            let frame = Frame::of_sorted(&values).unwrap_or(self.frame);
            Sample::of_parts(values, weights, order, Vec::new(), frame, self.total_weight)
        })
    }
}

impl GivenPoints {
    fn parts(&self) -> (&[f64], Option<&[f64]>) {
        (&self.values, self.weights.as_deref())
    }
}

/// Many points in any order.
pub(crate) enum InAnyOrder<'a> {
    /// In input order, with their totals.
    Given(Arc<GivenPoints>, &'a Unsorted),
    /// Sorted.
    Sorted(&'a Sample),
}

impl InAnyOrder<'_> {
    pub(crate) fn points(&self) -> UnsortedPoints<'_> {
        match self {
            Self::Given(given, facts) => {
                let (values, weights) = given.parts();
                let (lightest, heaviest) = (facts.lightest, facts.heaviest);
                UnsortedPoints { values, weights, number: values.len(), extent: facts.extent, lightest, heaviest }
            }
            Self::Sorted(sample) => {
                let (values, weights) = (&sample.values[..], sample.weights.as_deref());
                let (lightest, heaviest) = weights.map_or((1.0, 1.0), ends);
                let extent = (values[0], values[values.len() - 1]);
                UnsortedPoints { values, weights, number: values.len(), extent, lightest, heaviest }
            }
        }
    }

    /// Reorders labels, one per point of [`points`](Self::points), to input order, and adds the `label` of points of
    /// weight zero.
    pub(crate) fn in_input_order(&self, labels: Vec<u32>, label: impl Fn(f64) -> u32) -> Vec<u32> {
        match self {
            Self::Sorted(sample) if !sample.weightless.is_empty() || !sample.order.is_sorted() => {
                let mut placed = vec![0; sample.input_len()];
                sample.order.iter().zip(labels).for_each(|(&place, label)| placed[place as usize] = label);
                sample.weightless.iter().for_each(|&(place, x)| placed[place as usize] = label(x));
                placed
            }
            _ => labels,
        }
    }
}

/// Checks borrowed points, which another thread may change at any time. `None` if sums of the weights would not be
/// exact, or few points have one.
///
/// # Errors
/// As [`Sample::weighted`].
pub(crate) fn borrowed<'a>(
    values: &'a [f64],
    weights: Option<&'a [f64]>,
) -> Result<Option<UnsortedPoints<'a>>, SampleError> {
    check_number(values)?;
    let extent = extent(values)?;
    let mut points = UnsortedPoints { values, weights, number: values.len(), extent, lightest: 1.0, heaviest: 1.0 };
    if let Some(weights) = weights {
        let (lightest, heaviest, finite) = pulp::Arch::new().dispatch(Extent(weights));
        if weights.len() != values.len() || !finite || lightest < 0.0 {
            check_weights(values.len(), weights)?;
        }
        (points.lightest, points.heaviest) = (lightest, heaviest);
        if lightest <= 0.0 {
            pulp::Arch::new().dispatch(LeaveOutWeightless { points: &mut points, weights });
        }
    }
    let (low, high) = points.extent;
    // An upper bound on the total: if it may be too large, the exact sum decides.
    let total = check_total(points.heaviest * values.len() as f64, high - low);
    if weights.is_some() && !(total.is_ok() && points.number >= MANY_POINTS && points.have_exact_sums()) {
        return Ok(None);
    }
    frame(low, high)?;
    total?;
    Ok(Some(points))
}

/// Limits the facts to the points of positive weight.
struct LeaveOutWeightless<'p, 'a> {
    points: &'p mut UnsortedPoints<'a>,
    weights: &'a [f64],
}

impl pulp::WithSimd for LeaveOutWeightless<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let (mut low, mut high, mut lightest, mut number) = (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, 0);
        for (&x, &weight) in self.points.values.iter().zip(self.weights) {
            let heavy = weight > 0.0;
            number += usize::from(heavy);
            lightest = if heavy & (weight < lightest) { weight } else { lightest };
            low = if heavy & (x < low) { x } else { low };
            high = if heavy & (x > high) { x } else { high };
        }
        // Adding zero turns -0.0 into 0.0.
        (self.points.number, self.points.lightest, self.points.extent) = (number, lightest, (low + 0.0, high + 0.0));
    }
}

fn frame(low: f64, high: f64) -> Result<Frame, SampleError> {
    Frame::of_sorted(&[low, high]).ok_or(SampleError::RangeNotSquarable { range: high - low })
}

/// The smallest and the largest value.
///
/// # Errors
/// Values that are not finite.
pub(super) fn extent(values: &[f64]) -> Result<(f64, f64), SampleError> {
    // One thread nearly saturates the memory bandwidth.
    let (low, high, finite) = pulp::Arch::new().dispatch(Extent(values));
    if !finite {
        check_finite(values)?;
    }
    // Adding zero turns -0.0 into 0.0.
    Ok((low + 0.0, high + 0.0))
}

/// The smallest and the largest of finite values.
pub(crate) fn low_and_high(values: &[f64]) -> (f64, f64) {
    let (low, high, _) = pulp::Arch::new().dispatch(Extent(values));
    (low, high)
}

/// Values compared side by side in vector code.
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
