//! Prefix sums of weight, value and square in frame units: the cost and mean of any run of points in O(1).
//!
//! Sums are double-double, so an outlier does not drown a narrow cluster. They are stored once every few points,
//! 4 bytes a point (6 with weights); the rest is added on demand. Solvers gather the prefixes of the positions they
//! care about into a slice and work on that.

use super::Sample;
use super::double::Double;

/// Points between two stored sums.
const STRIDE: usize = 8;

/// The sums over all points before a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prefix {
    weight: Double,
    sum: Double,
    square: Double,
}

/// A run of neighbouring points: its weight, mean and sum of squares about the mean, in frame units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) weight: f64,
    pub(crate) mean: f64,
    pub(crate) cost: f64,
}

impl Prefix {
    #[inline(always)]
    fn push(&mut self, z: f64, weight: f64) {
        self.weight = self.weight + Double::from(weight);
        self.sum = self.sum + Double::product(z, weight);
        self.square = self.square + Double::product(z, z).times(weight);
    }

    /// The points from `self` up to `end`. The run must not be empty.
    #[inline(always)]
    pub(crate) fn until(&self, end: &Prefix) -> Block {
        let weight = (end.weight - self.weight).value();
        let sum = end.sum - self.sum;
        let mean = sum.value() / weight;
        Block { weight, mean, cost: self.cost_about(end, mean) }
    }

    /// The mean of the points from `self` up to `end`. The run must not be empty.
    #[inline(always)]
    pub(crate) fn mean_until(&self, end: &Prefix) -> f64 {
        (end.sum - self.sum).value() / (end.weight - self.weight).value()
    }

    /// The weight of the points from `self` up to `end`.
    #[inline(always)]
    pub(crate) fn weight_until(&self, end: &Prefix) -> f64 {
        (end.weight - self.weight).value()
    }

    /// The sum of squares about `center` of the points from `self` up to `end`.
    #[inline(always)]
    pub(crate) fn cost_about(&self, end: &Prefix, center: f64) -> f64 {
        let weight = end.weight - self.weight;
        let sum = end.sum - self.sum;
        let square = end.square - self.square;
        // Σw(z-c)² = Σwz² - c·(2Σwz - cΣw)
        let inner = sum + sum - weight.times(center);
        (square - inner.times(center)).value().max(0.0)
    }
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
        let mut running = Prefix::default();
        for i in 0..n {
            if i % STRIDE == 0 {
                stored.push(running);
            }
            running.push(sample.framed(i), sample.weight(i));
        }
        if n % STRIDE == 0 {
            stored.push(running);
        }
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
    #[inline]
    pub(crate) fn at(&self, position: usize) -> Prefix {
        let block = position / STRIDE;
        let mut prefix = self.stored[block];
        for i in block * STRIDE..position {
            prefix.push(self.sample.framed(i), self.sample.weight(i));
        }
        prefix
    }

    /// The sums at every position, 48 bytes each.
    pub(crate) fn gathered(&self) -> Vec<Prefix> {
        let mut running = Prefix::default();
        let mut gathered = Vec::with_capacity(self.len() + 1);
        gathered.push(running);
        for i in 0..self.len() {
            running.push(self.sample.framed(i), self.sample.weight(i));
            gathered.push(running);
        }
        gathered
    }

    /// The points `start..end`, which must not be empty.
    #[inline]
    pub(crate) fn block(&self, start: usize, end: usize) -> Block {
        self.at(start).until(&self.at(end))
    }
}
