//! The best solution known: a partition, its optimal centres, and the multipliers of the bounds that hold them.
//!
//! Centres become a solution by alternation: each point goes to its nearest centre, the chain program places the
//! centres, and so on until nothing moves. A round costs O(k log n).

use super::Problem;
use super::chain::{self, Target};

/// Alternations end after so many rounds, converged or not: the search goes on from what they found.
const ROUNDS: usize = 200;

/// A partition with its optimal centres, in frame units.
#[derive(Clone, Debug)]
pub(super) struct FreeSolution {
    pub(super) ends: Vec<usize>,
    pub(super) centers: Vec<f64>,
    /// The multiplier of each gap's bound: positive for lower, negative for upper.
    multipliers: Vec<f64>,
    at_means: bool,
    pub(super) cost: f64,
}

impl FreeSolution {
    /// The best centres of a partition.
    pub(super) fn of_partition(problem: &Problem<'_>, ends: Vec<usize>) -> Self {
        let mut start = 0;
        let blocks: Vec<_> = ends
            .iter()
            .map(|&end| {
                let block = problem.prefixes.block(start, end);
                start = end;
                block
            })
            .collect();
        let targets: Vec<Target> =
            blocks.iter().map(|block| Target { weight: block.weight, mean: block.mean }).collect();
        let chain = chain::solve(&targets, &problem.gaps);
        let cost = blocks
            .iter()
            .zip(&chain.centers)
            .map(|(block, center)| block.cost + block.weight * (block.mean - center).powi(2))
            .sum();
        let at_means = blocks.iter().zip(&chain.centers).all(|(block, &center)| block.mean == center);
        Self { ends, centers: chain.centers, multipliers: chain.multipliers, at_means, cost }
    }

    /// Whether every centre is its cluster's mean, so that no bound has any effect.
    pub(super) fn is_at_means(&self) -> bool {
        self.at_means
    }

    /// The cheaper of two solutions, this one if they cost the same.
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
        let (n, k) = (problem.len(), problem.k);
        let ends = (1..=k).map(|c| (c as u128 * n as u128 / k as u128) as usize).collect();
        Self::of_partition(problem, ends).improved(problem)
    }

    /// The solution that alternation finds from some ascending centres.
    pub(super) fn from_centers(problem: &Problem<'_>, centers: &[f64]) -> Self {
        Self::of_partition(problem, nearest(problem, centers)).improved(problem)
    }

    /// What alternation makes of the solution.
    pub(super) fn improved(mut self, problem: &Problem<'_>) -> Self {
        for _ in 0..ROUNDS {
            let ends = nearest(problem, &self.centers);
            if ends == self.ends {
                break;
            }
            let next = Self::of_partition(problem, ends);
            if next.cost >= self.cost {
                break;
            }
            self = next;
        }
        self
    }
}

/// Where the points nearest to each centre end, moved as little as keeps every cluster from being empty.
fn nearest(problem: &Problem<'_>, centers: &[f64]) -> Vec<usize> {
    let (n, k) = (problem.len(), problem.k);
    let mut ends: Vec<usize> =
        centers.windows(2).map(|pair| problem.points_until(0.5 * (pair[0] + pair[1]), 0..n)).collect();
    ends.push(n);
    let mut least = 1;
    for end in &mut ends {
        *end = (*end).max(least);
        least = *end + 1;
    }
    for (after, end) in ends.iter_mut().rev().enumerate() {
        *end = (*end).min(n - after);
    }
    debug_assert_eq!(ends.len(), k);
    ends
}
