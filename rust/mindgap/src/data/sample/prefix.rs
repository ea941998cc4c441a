//! Prefix sums of weight, value and square in frame units: the cost and mean of any run of points in O(1).
//!
//! Sums and their terms are double-double, so that an outlier does not cost a narrow cluster its digits. For many
//! points only every eighth sum is stored, 6 bytes per point, and the others are computed on demand. Solvers gather the
//! prefixes of the positions that they need into a slice.

use super::Sample;
use crate::data::frame::Frame;
use crate::memory::product;
use crate::numeric::double::Double;

/// Points between two stored sums, if there are many: memory against time on demand.
const STRIDE: usize = 8;

/// Up to this many points all sums are stored: they fit the cache.
const FEW_POINTS: usize = 1 << 14;

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
        Block::of(end.weight.apart(self.weight), end.sum.apart(self.sum), end.square.apart(self.square))
    }

    /// The sums of weight, value and square of the points from `self` up to `end`, without their low parts.
    #[inline(always)]
    pub(crate) fn rough_until(&self, end: &Prefix) -> [f64; 3] {
        [
            end.weight.value() - self.weight.value(),
            end.sum.value() - self.sum.value(),
            end.square.value() - self.square.value(),
        ]
    }

    /// The sums over the points from `start` on, if `self` has those over all points.
    pub(crate) fn less(&self, start: &Prefix) -> Prefix {
        Prefix { weight: self.weight - start.weight, sum: self.sum - start.sum, square: self.square - start.square }
    }

    /// The mean of the points from `self` up to `end`. The run must not be empty.
    #[inline(always)]
    pub(crate) fn mean_until(&self, end: &Prefix) -> f64 {
        end.sum.minus(self.sum) / end.weight.minus(self.weight)
    }

    /// The exact mean of the points from `self` up to `end` minus `mean`, its nearest double.
    #[inline(always)]
    pub(crate) fn rest_of_mean(&self, end: &Prefix, mean: f64) -> f64 {
        let weight = end.weight.apart(self.weight);
        end.sum.apart(self.sum).minus(weight.apart_times(mean)) / weight.whole()
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

impl Block {
    /// Makes a run from its sums of weight, value and square.
    #[inline(always)]
    pub(crate) fn of(weight: Double, sum: Double, square: Double) -> Self {
        let mean = sum.whole() / weight.whole();
        Self { weight: weight.whole(), mean, cost: cost_about(weight, sum, square, mean) }
    }

    /// The sum of squares about `center`.
    #[inline(always)]
    pub(crate) fn cost_about(&self, center: f64) -> f64 {
        self.cost + self.weight * (self.mean - center).powi(2)
    }
}

/// Σw(z-c)² = Σwz² - c·(2Σwz - cΣw).
#[inline(always)]
fn cost_about(weight: Double, sum: Double, square: Double, center: f64) -> f64 {
    let inner = sum.doubled().apart(weight.apart_times(center));
    square.apart(inner.apart_times(center)).whole().max(0.0)
}

/// The prefix sums of a sample.
pub(crate) struct Prefixes<'a> {
    sample: &'a Sample,
    stored: Vec<Prefix>,
    /// The number of points between two stored sums.
    stride: usize,
}

impl<'a> Prefixes<'a> {
    /// Sums the sample in one pass.
    pub(crate) fn new(sample: &'a Sample) -> Self {
        Self::every(STRIDE, sample)
    }

    /// Sums the sample for solvers that read most sums repeatedly: stores all of them, unless there are many.
    pub(crate) fn dense(sample: &'a Sample) -> Self {
        Self::every(if sample.len() <= FEW_POINTS { 1 } else { STRIDE }, sample)
    }

    fn every(stride: usize, sample: &'a Sample) -> Self {
        Self { sample, stored: pulp::Arch::new().dispatch(SumPrefixes { sample, stride }), stride }
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
        if self.stride == 1 {
            return self.stored[position];
        }
        let block = position / STRIDE;
        plus_points(&self.stored[block], self.sample, block * STRIDE, position)
    }

    /// The same sums for positions that ascend: those close to each other share the work.
    #[inline(always)]
    pub(crate) fn walk(&self) -> PrefixWalk<'_> {
        PrefixWalk { prefixes: self, next: 0, added: Prefix::default() }
    }

    /// The memory of the sums at every position.
    pub(crate) fn bytes(&self) -> usize {
        product(&[self.len() + 1, size_of::<Prefix>()])
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

/// A walk along ascending positions; see [`Prefixes::walk`].
pub(crate) struct PrefixWalk<'a> {
    prefixes: &'a Prefixes<'a>,
    /// The point after the last one that was added.
    next: usize,
    /// The sums over the points added since the last stored ones.
    added: Prefix,
}

impl PrefixWalk<'_> {
    /// The sums over the points `0..position`.
    #[inline(always)]
    pub(crate) fn at(&mut self, position: usize) -> Prefix {
        let Prefixes { sample, stored, stride } = self.prefixes;
        if *stride == 1 {
            return stored[position];
        }
        let block = position / STRIDE;
        if self.next < block * STRIDE {
            (self.next, self.added) = (block * STRIDE, Prefix::default());
        }
        while self.next < position {
            self.added.add_point(sample, self.next);
            self.next += 1;
        }
        match position % STRIDE {
            0 => stored[block],
            _ => stored[block].plus(&self.added),
        }
    }
}

/// The sums with the points `start..end` added. The block is summed first, so that the chain of dependent additions has
/// one link per block.
#[inline(always)]
fn plus_points(prefix: &Prefix, sample: &Sample, start: usize, end: usize) -> Prefix {
    let mut added = Prefix::default();
    // No iterator methods: they might not be inlined, and then not use the enabled vector instructions.
    for i in start..end {
        added.add_point(sample, i);
    }
    prefix.plus(&added)
}

impl Prefix {
    /// Adds sorted point `i` to the sums over a few points.
    #[inline(always)]
    fn add_point(&mut self, sample: &Sample, i: usize) {
        match sample.weights() {
            None => {
                let z = sample.framed_exactly(i);
                self.weight.gather(Double::from(1.0));
                self.sum.gather(z);
                self.square.gather(z.squared());
            }
            Some(weights) => {
                let (z, weight) = (sample.framed_mean(i), weights[i]);
                self.weight.gather(Double::from(weight));
                self.sum.gather(z.times(weight));
                self.square.gather(z.squared().times(weight));
                if sample.has_widths() {
                    self.square.gather(Double::from(sample.framed_within(i)));
                }
            }
        }
    }

    /// The sums with a point at `z` added.
    pub(crate) fn with_point(&self, z: Double, weight: f64) -> Self {
        let added = Prefix { weight: Double::from(weight), sum: z.times(weight), square: z.squared().times(weight) };
        self.plus(&added)
    }

    /// The sums over these, a number of points of weight one, and as many as `points` more.
    #[inline(always)]
    fn plus_unit(&self, points: usize, sum: Double, square: Double) -> Self {
        let weight = Double::from(self.weight.value() + points as f64);
        Prefix { weight, sum: self.sum.roughly_plus(sum), square: self.square.roughly_plus(square) }
    }

    /// The sums over both.
    #[inline(always)]
    pub(crate) fn plus(&self, added: &Self) -> Self {
        Prefix {
            weight: self.weight.roughly_plus(added.weight),
            sum: self.sum.roughly_plus(added.sum),
            square: self.square.roughly_plus(added.square),
        }
    }
}

/// Computes the stored sums in code compiled for the processor, where a fused multiply-add is an instruction.
struct SumPrefixes<'a> {
    sample: &'a Sample,
    stride: usize,
}

impl pulp::WithSimd for SumPrefixes<'_> {
    type Output = Vec<Prefix>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Vec<Prefix> {
        let n = self.sample.len();
        let mut stored = Vec::with_capacity(n / self.stride + 1);
        let mut running = Prefix::default();
        stored.push(running);
        let mut start = 0;
        if self.sample.weights().is_none() {
            let (groups, _) = self.sample.values().as_chunks::<POINTS>();
            for values in groups {
                match self.stride {
                    1 => Self::add_points(self.sample.frame(), values, &mut running, &mut stored),
                    _ => Self::add_blocks(self.sample.frame(), values, &mut running, &mut stored),
                }
            }
            start = groups.len() * POINTS;
        }
        for start in (start..n).step_by(STRIDE) {
            // The same additions for every stride: whole blocks, then the points of the last one.
            let end = (start + STRIDE).min(n);
            let mut added = Prefix::default();
            for i in start..end {
                added.add_point(self.sample, i);
                if self.stride == 1 || i == start + STRIDE - 1 {
                    stored.push(running.plus(&added));
                }
            }
            running = stored[stored.len() - 1];
        }
        stored
    }
}

/// Blocks summed side by side in vector code.
const LANES: usize = 8;

/// The points of these blocks.
const POINTS: usize = LANES * STRIDE;

/// Double-doubles as two arrays, for vector code.
#[derive(Clone, Copy, Default)]
struct DoubleLanes {
    high: [f64; LANES],
    low: [f64; LANES],
}

impl DoubleLanes {
    #[inline(always)]
    fn at(&self, lane: usize) -> Double {
        Double::of_parts(self.high[lane], self.low[lane])
    }

    #[inline(always)]
    fn gather(&mut self, lane: usize, term: Double) {
        let mut sum = self.at(lane);
        sum.gather(term);
        (self.high[lane], self.low[lane]) = sum.parts();
    }
}

impl SumPrefixes<'_> {
    /// Adds points of weight one to the running sums, with those at the end of each block.
    #[inline(always)]
    fn add_blocks(frame: &Frame, values: &[f64; POINTS], running: &mut Prefix, stored: &mut Vec<Prefix>) {
        let mut sums = [DoubleLanes::default(); 2];
        (0..STRIDE).for_each(|i| add_lanes(frame, values, i, &mut sums));
        stored.extend(ends(running, &sums));
        *running = stored[stored.len() - 1];
    }

    /// As [`add_blocks`](Self::add_blocks), with the sums at every point.
    #[inline(always)]
    fn add_points(frame: &Frame, values: &[f64; POINTS], running: &mut Prefix, stored: &mut Vec<Prefix>) {
        let mut sums = [DoubleLanes::default(); 2];
        let mut at = [sums; STRIDE];
        for i in 0..STRIDE {
            add_lanes(frame, values, i, &mut sums);
            at[i] = sums;
        }
        for (lane, end) in ends(running, &sums).into_iter().enumerate() {
            for i in 0..STRIDE - 1 {
                stored.push(running.plus_unit(i + 1, at[i][0].at(lane), at[i][1].at(lane)));
            }
            stored.push(end);
            *running = end;
        }
    }
}

/// Adds point `i` of every block to the sums of values and squares.
#[inline(always)]
fn add_lanes(frame: &Frame, values: &[f64; POINTS], i: usize, [sum, square]: &mut [DoubleLanes; 2]) {
    for lane in 0..LANES {
        let z = frame.enter_exactly(values[lane * STRIDE + i]);
        sum.gather(lane, z);
        square.gather(lane, z.squared());
    }
}

/// The sums at the ends of blocks: the same as those of one block after the other.
#[inline(always)]
fn ends(running: &Prefix, [sum, square]: &[DoubleLanes; 2]) -> [Prefix; LANES] {
    let mut ends = [*running; LANES];
    for lane in 0..LANES {
        ends[lane] = ends[lane.saturating_sub(1)].plus_unit(STRIDE, sum.at(lane), square.at(lane));
    }
    ends
}
