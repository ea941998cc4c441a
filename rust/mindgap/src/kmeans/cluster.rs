//! [`Cluster`]: the centre and the cost of a cluster, measured on its points in compensated sums.

use super::rounding::of_place;
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::numeric::double::Double;
use std::marker::PhantomData;
use std::ops::Range;

/// A cluster's centre and cost, in frame units relative to its first point, so that a narrow cluster far from the
/// others keeps all its digits.
pub(super) struct Cluster {
    /// The first point, in data units.
    origin: f64,
    /// The centre minus the first point.
    offset: f64,
    weight: f64,
    cost: f64,
}

impl Cluster {
    /// Measures the cluster of `points` about `center` (in frame units), or about its mean.
    pub(super) fn new(sample: &Sample, points: Range<usize>, center: Option<f64>) -> Self {
        let (frame, start) = (sample.frame(), points.start);
        let values = &sample.values()[points.clone()];
        let origin = values[0];
        let weight = match sample.weights() {
            Some(weights) => compensated(&weights[points], |_, weight| weight),
            None => values.len() as f64,
        };
        // A mean in plain doubles, then a correction of its rounding error.
        let [first] = weighed::<PlainSums, 1>(sample, start, values, |x| [x]).map(|sum| sum / weight);
        let [rest, squares] =
            weighed::<DoubleDoubleSums, 2>(sample, start, values, |x| [x - first, (x - first).powi(2)]);
        let mean = first + rest / weight;
        // A free centre that differs from the mean by rounding alone is the mean.
        let (offset, about) = match center.map(|center| Double::from(center).minus(frame.enter_exactly(origin))) {
            Some(offset) if (offset - mean).abs() > of_place(1.0) => {
                let [about] = weighed::<DoubleDoubleSums, 1>(sample, start, values, |x| [(x - offset).powi(2)]);
                (offset, about)
            }
            _ => (mean, (squares - weight * (mean - first).powi(2)).max(0.0)),
        };
        let within = match sample.has_widths() {
            true => compensated(values, |i, _| sample.framed_within(start + i)),
            false => 0.0,
        };
        Self { origin, offset, weight, cost: about + within }
    }

    /// The distance from this centre to that of `next`, in data units.
    pub(super) fn until(&self, next: &Self, frame: &Frame) -> f64 {
        frame.leave_length(frame.enter_length(next.origin - self.origin) + (next.offset - self.offset))
    }

    /// The sum of the weights.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// The centre, in data units.
    pub(super) fn center(&self, frame: &Frame) -> f64 {
        self.origin + frame.leave_length(self.offset)
    }

    /// The centre, in frame units.
    pub(super) fn framed(&self, frame: &Frame) -> f64 {
        frame.enter(self.origin) + self.offset
    }

    /// The weighted sum of squares about the centre, in data units.
    pub(super) fn cost(&self, frame: &Frame) -> f64 {
        frame.leave_square(self.cost)
    }
}

/// `Σ w·term(x)` over the points from `start` on, with `x` relative to the first of `values`, in frame units.
fn weighed<L: RunningSums, const M: usize>(
    sample: &Sample,
    start: usize,
    values: &[f64],
    term: impl Fn(f64) -> [f64; M],
) -> [f64; M] {
    let (frame, origin) = (sample.frame(), values[0]);
    match sample.weights() {
        // Only means have rests, and they have weights.
        None => summed::<L, M>(values, |_, x| term(frame.enter_length(x - origin))),
        Some(weights) => summed::<L, M>(values, |i, x| {
            term(frame.enter_length(x - origin + sample.rest(start + i))).map(|term| weights[start + i] * term)
        }),
    }
}

/// The compensated sum of `term` over the indices and entries of `values`.
fn compensated(values: &[f64], term: impl Fn(usize, f64) -> f64) -> f64 {
    let [sum] = summed::<DoubleDoubleSums, 1>(values, |i, x| [term(i, x)]);
    sum
}

/// The sums of `term` over the indices and entries of `values`.
fn summed<L: RunningSums, const M: usize>(values: &[f64], term: impl Fn(usize, f64) -> [f64; M]) -> [f64; M] {
    pulp::Arch::new().dispatch(SumTerms::<_, L, M> { values, term, lanes: PhantomData })
}

/// The number of running sums, which are added to in turn so that no addition waits for the one before.
const LANES: usize = 8;

/// Running sums side by side, in vectors.
trait RunningSums: Default {
    fn add(&mut self, lane: usize, term: f64);
    fn total(&self) -> Double;
}

/// Running sums in double-double.
#[derive(Default)]
struct DoubleDoubleSums {
    high: [f64; LANES],
    low: [f64; LANES],
}

/// Running sums in doubles.
#[derive(Default)]
struct PlainSums([f64; LANES]);

impl RunningSums for DoubleDoubleSums {
    #[inline(always)]
    fn add(&mut self, lane: usize, term: f64) {
        let mut sum = Double::of_parts(self.high[lane], self.low[lane]);
        sum.gather(Double::from(term));
        (self.high[lane], self.low[lane]) = sum.parts();
    }

    #[inline(always)]
    fn total(&self) -> Double {
        (0..LANES).fold(Double::ZERO, |total, lane| total + Double::of_parts(self.high[lane], self.low[lane]))
    }
}

impl RunningSums for PlainSums {
    #[inline(always)]
    fn add(&mut self, lane: usize, term: f64) {
        self.0[lane] += term;
    }

    #[inline(always)]
    fn total(&self) -> Double {
        Double::from(self.0.iter().sum::<f64>())
    }
}

struct SumTerms<'a, F, L, const M: usize> {
    values: &'a [f64],
    term: F,
    lanes: PhantomData<L>,
}

impl<L: RunningSums, F: Fn(usize, f64) -> [f64; M], const M: usize> pulp::WithSimd for SumTerms<'_, F, L, M> {
    type Output = [f64; M];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [f64; M] {
        let Self { values, term, .. } = self;
        let mut sums: [L; M] = std::array::from_fn(|_| L::default());
        let (turns, rest) = values.as_chunks::<LANES>();
        for (turn, values) in turns.iter().enumerate() {
            for lane in 0..LANES {
                let terms = term(turn * LANES + lane, values[lane]);
                (0..M).for_each(|sum| sums[sum].add(lane, terms[sum]));
            }
        }
        let mut totals: [Double; M] = std::array::from_fn(|sum| sums[sum].total());
        for (i, &x) in rest.iter().enumerate() {
            let terms = term(turns.len() * LANES + i, x);
            (0..M).for_each(|sum| totals[sum].gather(Double::from(terms[sum])));
        }
        totals.map(Double::whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::exact_sum::ExactSum;

    #[test]
    fn sums_in_lanes_are_exact_to_the_last_bit() {
        for n in [0, 1, 7, 8, 9, 100, 1001] {
            let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin() * 10f64.powi(i % 17 - 8)).collect();
            let terms: Vec<f64> = x.iter().enumerate().map(|(i, x)| x * (i as f64 + 0.5)).collect();
            let found = compensated(&x, |i, x| x * (i as f64 + 0.5));
            let exact = ExactSum::of(&terms).round();
            assert!((found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(), "{n}: {found} for {exact}");
        }
    }

    #[test]
    fn a_cluster_is_measured_about_its_mean_or_its_centre() {
        // Weights 1, 2, 1 at 10, 11, 16: a mean of 12 and squares of 4 + 2 + 16.
        let sample = Sample::weighted(&[10.0, 11.0, 16.0, 1e3], &[1.0, 2.0, 1.0, 1.0]).unwrap();
        let frame = sample.frame();
        let about = |center: Option<f64>| Cluster::new(&sample, 0..3, center.map(|center| frame.enter(center)));
        let mean = about(None);
        assert_eq!((mean.center(frame), mean.cost(frame), mean.weight()), (12.0, 22.0, 4.0));
        let free = about(Some(13.0));
        assert!((free.center(frame) - 13.0).abs() < 1e-12 && (free.cost(frame) - 26.0).abs() < 1e-9);
        // A centre that is the mean but for a rounding is the mean.
        assert_eq!(about(Some(12.0 + 1e-13)).center(frame), 12.0);
        assert!((mean.until(&free, frame) - 1.0).abs() < 1e-12);
        assert!((mean.framed(frame) - frame.enter(12.0)).abs() < 1e-15);
    }
}
