//! [`Candidates`]: the possible boundaries of a level, with the sums to evaluate any run between two of them.
//!
//! 36 bytes per candidate, 52 with weights; a cost takes some 45 floating-point operations.

use crate::data::sample::{Block, Prefixes};
use crate::kmeans::rounding::of_rough_costs;
use crate::numeric::double::Double;

/// The block costs `cost(start, end)` of the runs between candidates `0..=last`. They are Monge:
/// `cost(a, c) + cost(b, d) <= cost(a, d) + cost(b, c)` for `a <= b <= c <= d`.
pub(super) trait Costs {
    fn last(&self) -> usize;
    fn block(&self, start: usize, end: usize) -> Block;

    #[inline(always)]
    fn cost(&self, start: usize, end: usize) -> f64 {
        self.block(start, end).cost
    }

    /// The sums over all points before a candidate, up to a constant and without their low parts.
    fn rough_sums(&self, at: usize) -> RoughSums;

    /// The largest error of the difference of two rough costs and of two sums added to it; infinite if rough costs are
    /// useless.
    fn blur(&self) -> f64;

    /// The sums of a run, without their low parts.
    #[inline(always)]
    fn rough(&self, start: usize, end: usize) -> RoughSums {
        self.rough_sums(end).less(&self.rough_sums(start))
    }
}

/// Sums of weight, value and square in plain doubles, with the rounding error of sums over all points.
pub(super) struct RoughSums {
    pub(super) weight: f64,
    pub(super) sum: f64,
    pub(super) square: f64,
}

impl RoughSums {
    /// The sums of the points from `start` on.
    #[inline(always)]
    pub(super) fn less(&self, start: &Self) -> Self {
        Self { weight: self.weight - start.weight, sum: self.sum - start.sum, square: self.square - start.square }
    }

    /// The cost of a run with these sums.
    #[inline(always)]
    pub(super) fn cost(&self) -> f64 {
        self.square - self.sum * self.sum / self.weight
    }
}

/// Gathered candidates.
pub(super) struct Candidates<'a> {
    positions: &'a [u32],
    sums: Vec<Sums>,
    /// Sums of weight; `None` if every point weighs one, because positions are those sums.
    weights: Option<Vec<Double>>,
    blur: f64,
}

#[derive(Clone, Copy)]
struct Sums {
    sum: Double,
    square: Double,
}

impl<'a> Candidates<'a> {
    /// Gathers the sums at `positions`, which ascend.
    pub(super) fn gather(prefixes: &Prefixes<'_>, positions: &'a [u32]) -> Self {
        pulp::Arch::new().dispatch(Gather { prefixes, positions })
    }

    /// The number of runs between neighbouring candidates.
    pub(super) fn cells(&self) -> usize {
        self.positions.len() - 1
    }

    /// The largest error of comparisons of rough costs.
    pub(super) fn blur(&self) -> f64 {
        self.blur
    }

    /// Runs `task` on the costs, in code compiled for the processor.
    pub(super) fn with_costs<T: CostTask>(&self, task: T) -> T::Output {
        let arch = pulp::Arch::new();
        match &self.weights {
            None => arch.dispatch(Dispatched {
                costs: &UnitCosts { positions: self.positions, sums: &self.sums, blur: self.blur },
                task,
            }),
            Some(weights) => {
                arch.dispatch(Dispatched { costs: &WeightedCosts { weights, sums: &self.sums, blur: self.blur }, task })
            }
        }
    }
}

/// Work on costs of either kind. Its `run`, and every function that it calls in a loop, must be `#[inline(always)]`:
/// only inlined code is compiled for the processor.
pub(super) trait CostTask {
    type Output;

    fn run<C: Costs>(self, costs: &C) -> Self::Output;
}

struct Dispatched<'a, C, T> {
    costs: &'a C,
    task: T,
}

impl<C: Costs, T: CostTask> pulp::WithSimd for Dispatched<'_, C, T> {
    type Output = T::Output;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.task.run(self.costs)
    }
}

struct Gather<'a, 'p> {
    prefixes: &'p Prefixes<'p>,
    positions: &'a [u32],
}

impl<'a> pulp::WithSimd for Gather<'a, '_> {
    type Output = Candidates<'a>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let mut sums = Vec::with_capacity(self.positions.len());
        let mut weights = self.prefixes.sample().weights().map(|_| Vec::with_capacity(self.positions.len()));
        let mut walk = self.prefixes.walk();
        for &position in self.positions {
            let prefix = walk.at(position as usize);
            sums.push(Sums { sum: prefix.sum, square: prefix.square });
            if let Some(weights) = &mut weights {
                weights.push(prefix.weight);
            }
        }
        let blur = weights.as_ref().map_or(0.0, |weights| weight_blur(weights)) + blur(&sums);
        Candidates { positions: self.positions, sums, weights, blur }
    }
}

/// The largest error of comparisons of rough costs of points of weight one. Let ε be the rounding of a double, S and Q
/// the largest sums of values and squares. Without their low parts, differences of sums have errors of 2εS and 2εQ. A
/// run has a mean of at most one in absolute value and (Σz)²/n of at most Q, so its (Σz)²/n has an error of at most
/// 4εS + 3εQ, and its cost one of 4εS + 6εQ. The factor covers two costs, sums of four numbers of their size, and the
/// products that replace divisions, which add 3ε of each term.
fn blur(sums: &[Sums]) -> f64 {
    let largest = |of: fn(&Sums) -> f64| sums.iter().map(|sums| of(sums).abs()).fold(0.0, f64::max);
    of_rough_costs(largest(|sums| sums.sum.value()) + largest(|sums| sums.square.value()))
}

/// The least weight of a cell, as a fraction of the total, for which rough costs are used: a smaller one has too few
/// digits in a difference of sums.
const LIGHT: f64 = 1e-9;

/// The term that weights add to the blur; `weights` are sums. A run's weight W has an error of 1.5ε of the total, small
/// compared with W unless it is [`LIGHT`], so its (Σz)²/W has an error of at most that times the square of its mean.
fn weight_blur(weights: &[Double]) -> f64 {
    let total = weights.last().map_or(0.0, |total| total.value());
    let lightest = weights.windows(2).map(|pair| pair[1].value() - pair[0].value()).fold(f64::INFINITY, f64::min);
    // Products of three weights must neither overflow nor vanish.
    let usable = lightest >= LIGHT * total && (1e-60..1e60).contains(&total);
    if usable { of_rough_costs(total) } else { f64::INFINITY }
}

struct UnitCosts<'a> {
    positions: &'a [u32],
    sums: &'a [Sums],
    blur: f64,
}

impl Costs for UnitCosts<'_> {
    #[inline(always)]
    fn last(&self) -> usize {
        self.positions.len() - 1
    }

    #[inline(always)]
    fn block(&self, start: usize, end: usize) -> Block {
        let weight = f64::from(self.positions[end] - self.positions[start]);
        self.sums[start].until(&self.sums[end], Double::from(weight))
    }

    #[inline(always)]
    fn rough_sums(&self, at: usize) -> RoughSums {
        self.sums[at].rough(f64::from(self.positions[at]))
    }

    #[inline(always)]
    fn blur(&self) -> f64 {
        self.blur
    }
}

struct WeightedCosts<'a> {
    weights: &'a [Double],
    sums: &'a [Sums],
    blur: f64,
}

impl Costs for WeightedCosts<'_> {
    #[inline(always)]
    fn last(&self) -> usize {
        self.weights.len() - 1
    }

    #[inline(always)]
    fn block(&self, start: usize, end: usize) -> Block {
        let weight = self.weights[end].apart(self.weights[start]);
        self.sums[start].until(&self.sums[end], weight)
    }

    #[inline(always)]
    fn rough_sums(&self, at: usize) -> RoughSums {
        self.sums[at].rough(self.weights[at].value())
    }

    #[inline(always)]
    fn blur(&self) -> f64 {
        self.blur
    }
}

impl Sums {
    #[inline(always)]
    fn until(&self, end: &Sums, weight: Double) -> Block {
        Block::of(weight, end.sum.apart(self.sum), end.square.apart(self.square))
    }

    #[inline(always)]
    fn rough(&self, weight: f64) -> RoughSums {
        RoughSums { weight, sum: self.sum.value(), square: self.square.value() }
    }
}

/// The same candidates in reverse order.
pub(super) struct Reversed<'a, C>(pub(super) &'a C);

impl<C: Costs> Costs for Reversed<'_, C> {
    #[inline(always)]
    fn last(&self) -> usize {
        self.0.last()
    }

    #[inline(always)]
    fn block(&self, start: usize, end: usize) -> Block {
        self.0.block(self.0.last() - end, self.0.last() - start)
    }

    #[inline(always)]
    fn rough_sums(&self, at: usize) -> RoughSums {
        let RoughSums { weight, sum, square } = self.0.rough_sums(self.0.last() - at);
        RoughSums { weight: -weight, sum: -sum, square: -square }
    }

    #[inline(always)]
    fn blur(&self) -> f64 {
        self.0.blur()
    }
}

#[cfg(test)]
mod tests;
