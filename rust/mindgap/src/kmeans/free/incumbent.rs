//! The best solution known: a partition, its optimal centres, and the multipliers of the bounds that hold them.
//!
//! Alternation improves centres: each point goes to its nearest centre, the chain program computes the centres, and so
//! on until nothing changes. A round costs O(k log n).

use super::Problem;
use super::chain::{self, Target};
use crate::kmeans::alternation::{Clustering, alternate, nearest};
use crate::partition::Partition;
use std::convert::Infallible;

/// The largest number of rounds of an alternation; the search continues from its result, converged or not.
const ROUNDS: usize = 200;

/// The number of offsets at which grids are tried, minus one.
const SHIFTS: u32 = 16;

/// A partition with its optimal centres, in frame units.
#[derive(Clone, Debug)]
pub(super) struct FreeSolution {
    pub(super) partition: Partition,
    pub(super) centers: Vec<f64>,
    /// The multiplier of each gap's bound: positive for lower, negative for upper.
    multipliers: Vec<f64>,
    at_means: bool,
    pub(super) cost: f64,
}

impl FreeSolution {
    /// The best centres of a partition.
    pub(super) fn of_partition(problem: &Problem<'_>, partition: Partition) -> Self {
        let blocks: Vec<_> = partition.blocks(problem.prefixes).collect();
        let targets: Vec<Target> =
            blocks.iter().map(|block| Target { weight: block.weight, mean: block.mean }).collect();
        let chain = chain::solve(&targets, &problem.gaps);
        let cost = partition.cost_about(problem.prefixes, &chain.centers);
        let at_means = blocks.iter().zip(&chain.centers).all(|(block, &center)| block.mean == center);
        Self { partition, centers: chain.centers, multipliers: chain.multipliers, at_means, cost }
    }

    /// Whether every centre is its cluster's mean, so that no bound is active.
    pub(super) fn is_at_means(&self) -> bool {
        self.at_means
    }

    /// The better of two solutions, this one if they cost the same.
    pub(super) fn or_better(self, other: Self) -> Self {
        if other.cost < self.cost { other } else { self }
    }

    /// The multipliers of the gaps before and after centre `k`.
    pub(super) fn forces(&self, k: usize) -> (f64, f64) {
        let of = |gap: Option<usize>| gap.and_then(|gap| self.multipliers.get(gap)).copied().unwrap_or(0.0);
        (of(k.checked_sub(1)), of(Some(k)))
    }

    /// Clusters of about equal numbers of points, improved.
    pub(super) fn even(problem: &Problem<'_>) -> Self {
        Self::of_partition(problem, Partition::even(problem.len(), problem.k)).improved(problem)
    }

    /// The best of some even grids, as narrow as the bounds allow and over all the data, improved by alternation.
    pub(super) fn on_grid(problem: &Problem<'_>) -> Self {
        let sample = problem.prefixes.sample();
        let (first, last) = (sample.framed(0), sample.framed(sample.len() - 1));
        let grid = |wanted: f64, shift: f64| {
            let steps = problem.gaps.lower.iter().zip(&problem.gaps.upper);
            let places = steps.scan(0.0, |at, (&lower, &upper)| {
                *at += wanted.clamp(lower, upper.max(lower));
                Some(*at)
            });
            let places: Vec<f64> = std::iter::once(0.0).chain(places).collect();
            let slack = (last - first) - places[places.len() - 1];
            let centers: Vec<f64> = places.iter().map(|place| first + shift * slack + place).collect();
            Self::of_partition(problem, nearest(sample, &centers))
        };
        let grids = [0.0, (last - first) / problem.k as f64].into_iter();
        let all =
            grids.flat_map(|wanted| (0..=SHIFTS).map(move |shift| (wanted, f64::from(shift) / f64::from(SHIFTS))));
        let best = all.map(|(wanted, shift)| grid(wanted, shift)).reduce(Self::or_better);
        best.map_or_else(|| Self::even(problem), |best| best.improved(problem))
    }

    /// The solution found by alternation from ascending centres.
    pub(super) fn from_centers(problem: &Problem<'_>, centers: &[f64]) -> Self {
        Self::of_partition(problem, nearest(problem.prefixes.sample(), centers)).improved(problem)
    }

    /// The solution improved by alternation.
    pub(super) fn improved(self, problem: &Problem<'_>) -> Self {
        let mut rounds = 0..ROUNDS;
        let place = |partition| Ok(rounds.next().map(|_| Self::of_partition(problem, partition)));
        let Ok(improved) = alternate::<_, Infallible>(problem.prefixes.sample(), self, place);
        improved
    }
}

impl Clustering for FreeSolution {
    fn partition(&self) -> &Partition {
        &self.partition
    }

    fn centers(&self) -> &[f64] {
        &self.centers
    }

    fn cost(&self) -> f64 {
        self.cost
    }
}
