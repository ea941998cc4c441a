//! The positions at which a level may divide the data, with the sums to evaluate any run between two of them.
//!
//! 36 bytes a candidate, 52 with weights; a cost takes some 45 floating-point operations.

use crate::sample::double::Double;
use crate::sample::{Prefixes, cost_about};

/// The block costs `cost(start, end)` of the runs between candidates `0..=last`. They are Monge:
/// `cost(a, c) + cost(b, d) <= cost(a, d) + cost(b, c)` for `a <= b <= c <= d`.
pub(super) trait Costs {
    fn last(&self) -> usize;
    fn weight(&self, start: usize, end: usize) -> f64;
    fn cost(&self, start: usize, end: usize) -> f64;
}

/// Gathered candidates.
pub(super) struct Candidates<'a> {
    positions: &'a [u32],
    sums: Vec<Sums>,
    /// Sums of weight; none where every point weighs one, since positions count those.
    weights: Option<Vec<Double>>,
}

#[derive(Clone, Copy)]
struct Sums {
    sum: Double,
    square: Double,
}

impl<'a> Candidates<'a> {
    /// Gathers the sums at `positions`, which ascend.
    pub(super) fn gather(prefixes: &Prefixes<'_>, positions: &'a [u32]) -> Self {
        let mut sums = Vec::with_capacity(positions.len());
        let mut weights = prefixes.sample().weights().map(|_| Vec::with_capacity(positions.len()));
        pulp::Arch::new().dispatch(|| {
            for &position in positions {
                let prefix = prefixes.at(position as usize);
                sums.push(Sums { sum: prefix.sum, square: prefix.square });
                if let Some(weights) = &mut weights {
                    weights.push(prefix.weight);
                }
            }
        });
        Self { positions, sums, weights }
    }

    pub(super) fn positions(&self) -> &'a [u32] {
        self.positions
    }

    /// The number of runs between neighbouring candidates.
    pub(super) fn cells(&self) -> usize {
        self.positions.len() - 1
    }

    /// Calls `task` with the costs, where a fused multiply-add is an instruction.
    pub(super) fn with_costs<R>(&self, task: impl Task<R>) -> R {
        let arch = pulp::Arch::new();
        match &self.weights {
            None => arch.dispatch(|| task.run(&Unit { positions: self.positions, sums: &self.sums })),
            Some(weights) => arch.dispatch(|| task.run(&Weighted { weights, sums: &self.sums })),
        }
    }
}

/// Work on costs of either kind. Its `run` must be `#[inline(always)]`, as must all that it calls in a loop.
pub(super) trait Task<R> {
    fn run<C: Costs>(self, costs: &C) -> R;
}

struct Unit<'a> {
    positions: &'a [u32],
    sums: &'a [Sums],
}

impl Costs for Unit<'_> {
    #[inline(always)]
    fn last(&self) -> usize {
        self.positions.len() - 1
    }

    #[inline(always)]
    fn weight(&self, start: usize, end: usize) -> f64 {
        f64::from(self.positions[end] - self.positions[start])
    }

    #[inline(always)]
    fn cost(&self, start: usize, end: usize) -> f64 {
        self.sums[start].cost_until(&self.sums[end], Double::from(self.weight(start, end)))
    }
}

struct Weighted<'a> {
    weights: &'a [Double],
    sums: &'a [Sums],
}

impl Costs for Weighted<'_> {
    #[inline(always)]
    fn last(&self) -> usize {
        self.weights.len() - 1
    }

    #[inline(always)]
    fn weight(&self, start: usize, end: usize) -> f64 {
        self.weights[end].minus(self.weights[start])
    }

    #[inline(always)]
    fn cost(&self, start: usize, end: usize) -> f64 {
        let weight = self.weights[end].apart(self.weights[start]);
        self.sums[start].cost_until(&self.sums[end], weight)
    }
}

impl Sums {
    #[inline(always)]
    fn cost_until(&self, end: &Sums, weight: Double) -> f64 {
        let sum = end.sum.apart(self.sum);
        let mean = sum.whole() / weight.whole();
        cost_about(weight, sum, end.square.apart(self.square), mean)
    }
}

/// The same candidates counted from the other end.
pub(super) struct Reversed<'a, C>(pub(super) &'a C);

impl<C: Costs> Costs for Reversed<'_, C> {
    #[inline(always)]
    fn last(&self) -> usize {
        self.0.last()
    }

    #[inline(always)]
    fn weight(&self, start: usize, end: usize) -> f64 {
        self.0.weight(self.0.last() - end, self.0.last() - start)
    }

    #[inline(always)]
    fn cost(&self, start: usize, end: usize) -> f64 {
        self.0.cost(self.0.last() - end, self.0.last() - start)
    }
}
