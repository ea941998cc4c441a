//! Prefix sums of weight, value and square in frame units: the cost and mean of any run of points in O(1).
//!
//! Sums are double-double, so an outlier does not drown a narrow cluster. They are stored once every few points,
//! 6 bytes a point; the rest is added on demand. Solvers gather the prefixes of the positions they care about into a
//! slice and work on that.

use super::Sample;
use super::double::Double;

/// Points between two stored sums.
const STRIDE: usize = 8;

/// The sums over all points before a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prefix {
    pub(crate) weight: Double,
    pub(crate) sum: Double,
    pub(crate) square: Double,
}

/// A run of neighbouring points: its weight, mean and sum of squares about the mean, in frame units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) weight: f64,
    pub(crate) mean: f64,
    pub(crate) cost: f64,
}

impl Prefix {
    /// The points from `self` up to `end`. The run must not be empty.
    #[inline(always)]
    pub(crate) fn until(&self, end: &Prefix) -> Block {
        let weight = end.weight.apart(self.weight);
        let sum = end.sum.apart(self.sum);
        let mean = sum.whole() / weight.whole();
        Block { weight: weight.whole(), mean, cost: cost_about(weight, sum, end.square.apart(self.square), mean) }
    }

    /// The mean of the points from `self` up to `end`. The run must not be empty.
    #[inline(always)]
    pub(crate) fn mean_until(&self, end: &Prefix) -> f64 {
        end.sum.minus(self.sum) / end.weight.minus(self.weight)
    }

    /// The weight of the points from `self` up to `end`.
    #[inline(always)]
    pub(crate) fn weight_until(&self, end: &Prefix) -> f64 {
        end.weight.minus(self.weight)
    }

    /// The sum of squares about `center` of the points from `self` up to `end`.
    #[inline(always)]
    pub(crate) fn cost_about(&self, end: &Prefix, center: f64) -> f64 {
        let weight = end.weight.apart(self.weight);
        cost_about(weight, end.sum.apart(self.sum), end.square.apart(self.square), center)
    }
}

/// Σw(z-c)² = Σwz² - c·(2Σwz - cΣw).
#[inline(always)]
pub(crate) fn cost_about(weight: Double, sum: Double, square: Double, center: f64) -> f64 {
    let inner = sum.doubled().apart(weight.apart_times(center));
    square.apart(inner.apart_times(center)).whole().max(0.0)
}

/// The prefix sums of a sample.
pub(crate) struct Prefixes<'a> {
    sample: &'a Sample,
    stored: Vec<Prefix>,
}

impl<'a> Prefixes<'a> {
    /// One pass over the sample.
    pub(crate) fn new(sample: &'a Sample) -> Self {
        let n = sample.len();
        let mut stored = Vec::with_capacity(n / STRIDE + 1);
        // Inside the dispatch a fused multiply-add is an instruction, not a call.
        pulp::Arch::new().dispatch(|| {
            let mut running = Prefix::default();
            stored.push(running);
            for block in 0..n / STRIDE {
                running = plus_points(&running, sample, block * STRIDE, (block + 1) * STRIDE);
                stored.push(running);
            }
        });
        Self { sample, stored }
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.sample.len()
    }

    /// The sample.
    pub(crate) fn sample(&self) -> &'a Sample {
        self.sample
    }

    /// The sums over the points `0..position`.
    #[inline(always)]
    pub(crate) fn at(&self, position: usize) -> Prefix {
        let block = position / STRIDE;
        plus_points(&self.stored[block], self.sample, block * STRIDE, position)
    }

    /// The sums at every position, 48 bytes each.
    pub(crate) fn gathered(&self) -> Vec<Prefix> {
        (0..=self.len()).map(|position| self.at(position)).collect()
    }

    /// The points `start..end`, which must not be empty.
    #[inline]
    pub(crate) fn block(&self, start: usize, end: usize) -> Block {
        self.at(start).until(&self.at(end))
    }
}

/// The sums with the points `start..end` added. They are summed apart first: the long chain of dependent additions
/// then has one link a block.
#[inline(always)]
fn plus_points(prefix: &Prefix, sample: &Sample, start: usize, end: usize) -> Prefix {
    let mut added = Prefix::default();
    match sample.weights() {
        None => {
            for i in start..end {
                let z = sample.framed(i);
                added.sum.gather(Double::from(z));
                added.square.gather(Double::product(z, z));
            }
            added.weight = Double::from((end - start) as f64);
        }
        Some(weights) => {
            for (i, &weight) in (start..end).zip(&weights[start..end]) {
                let z = sample.framed(i);
                added.weight.gather(Double::from(weight));
                added.sum.gather(Double::product(z, weight));
                added.square.gather(Double::product(z, z).times(weight));
            }
        }
    }
    Prefix { weight: prefix.weight + added.weight, sum: prefix.sum + added.sum, square: prefix.square + added.square }
}
