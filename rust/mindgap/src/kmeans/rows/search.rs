//! The alternation itself, and the best of all that it has found.

use std::collections::BTreeSet;

use super::{assignment, moves};
use crate::data::sample::Prefixes;
use crate::error::KMeansError;
use crate::kmeans::solution::Solution;
use crate::monitor::{Progress, Watch, report};
use crate::qp::{Failure, MeanProgram, Objective};

/// The cost counts as meeting the bound to this relative difference.
const MEETS: f64 = 1e-12;

/// A mean square below this, in frame units, is rounding.
const NOTHING: f64 = 1e-28;

/// Work, in steps of about a nanosecond, after which no further start is tried, and no further kick.
const STARTS_UNTIL: u64 = 4_000_000_000;
const KICKS_UNTIL: u64 = 300_000_000;

/// A partition and its best centres, in frame units.
#[derive(Clone, Debug)]
struct Placement {
    ends: Vec<usize>,
    centers: Vec<f64>,
    cost: f64,
}

/// The state of a search.
pub(super) struct Alternation<'a, 'w> {
    prefixes: &'a Prefixes<'a>,
    program: MeanProgram,
    k: usize,
    watch: Option<Watch<'w>>,
    /// Partitions that the alternation has come through: it would go on as it did.
    seen: BTreeSet<Vec<usize>>,
    best: Option<Placement>,
    /// What no solution costs less than.
    bound: f64,
    spent: u64,
}

impl<'a, 'w> Alternation<'a, 'w> {
    pub(super) fn new(prefixes: &'a Prefixes<'a>, program: MeanProgram, k: usize, watch: Option<Watch<'w>>) -> Self {
        Self { prefixes, program, k, watch, seen: BTreeSet::new(), best: None, bound: 0.0, spent: 0 }
    }

    pub(super) fn watch(&mut self) -> &mut Option<Watch<'w>> {
        &mut self.watch
    }

    /// No solution costs less than `bound`.
    pub(super) fn raise_bound(&mut self, bound: f64) {
        self.bound = self.bound.max(bound);
    }

    /// The bound in data units.
    pub(super) fn outside_bound(&self) -> f64 {
        self.prefixes.sample().frame().leave_square(self.bound)
    }

    /// Whether nothing better than the best is possible.
    pub(super) fn is_proven(&self) -> bool {
        let rounding = NOTHING * self.prefixes.sample().total_weight();
        self.best.as_ref().is_some_and(|best| best.cost - self.bound <= MEETS * best.cost + rounding)
    }

    /// Alternates from a partition until the cost no longer falls.
    pub(super) fn climb(&mut self, ends: Vec<usize>) -> Result<(), KMeansError> {
        if self.seen.contains(&ends) {
            return Ok(());
        }
        let mut now = self.place(ends)?;
        loop {
            self.seen.insert(now.ends.clone());
            if self.best.as_ref().is_none_or(|best| now.cost < best.cost) {
                self.best = Some(now.clone());
            }
            self.report()?;
            let ends = assignment::nearest(self.prefixes.sample(), &now.centers);
            if self.seen.contains(&ends) {
                return Ok(());
            }
            let next = self.place(ends)?;
            if next.cost >= now.cost {
                return Ok(());
            }
            now = next;
        }
    }

    /// Alternates from partitions that know nothing of the costs, and from `means` brought to hold the rows.
    pub(super) fn climb_evenly(&mut self, means: &[f64]) -> Result<(), KMeansError> {
        let sample = self.prefixes.sample();
        let even = moves::equal_widths(self.prefixes, self.k);
        let alike = vec![1.0; self.k];
        let held = self.centers(means, &alike)?;
        let held_even = self.centers(&even, &alike)?;
        let nearest = |centers: &[f64]| assignment::nearest(sample, centers);
        let starts = [nearest(&held), moves::equal_numbers(sample.len(), self.k), nearest(&even), nearest(&held_even)];
        for ends in starts {
            if self.is_proven() || self.spent > STARTS_UNTIL {
                break;
            }
            self.climb(ends)?;
        }
        Ok(())
    }

    /// Alternates from partitions near the best, and so on from every better one.
    pub(super) fn kick(&mut self) -> Result<(), KMeansError> {
        while let Some(from) = self.best.clone() {
            for ends in moves::near(&from.ends) {
                if self.is_proven() || self.spent > KICKS_UNTIL {
                    return Ok(());
                }
                self.climb(ends)?;
                if self.cost() < from.cost {
                    break;
                }
            }
            if self.cost() >= from.cost {
                break;
            }
        }
        Ok(())
    }

    /// The best, as a solution; `proven` if it is known to be the optimum on other grounds.
    pub(super) fn into_solution(self, proven: bool) -> Solution {
        let lower_bound = if proven || self.is_proven() { f64::INFINITY } else { self.bound };
        let (ends, centers) = self.best.map_or_else(Default::default, |best| (best.ends, best.centers));
        Solution { ends, centers: Some(centers), lower_bound }
    }

    fn cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.cost)
    }

    /// The best centres of a partition.
    fn place(&mut self, ends: Vec<usize>) -> Result<Placement, KMeansError> {
        let blocks: Vec<_> = moves::blocks(self.prefixes, &ends).collect();
        let means: Vec<f64> = blocks.iter().map(|block| block.mean).collect();
        let weights: Vec<f64> = blocks.iter().map(|block| block.weight).collect();
        let centers = self.centers(&means, &weights)?;
        let cost = blocks.iter().zip(&centers).map(|(block, &center)| moves::about(block, center)).sum();
        Ok(Placement { ends, centers, cost })
    }

    /// The centres nearest to `targets` that hold the rows.
    fn centers(&mut self, targets: &[f64], stiffness: &[f64]) -> Result<Vec<f64>, KMeansError> {
        self.spent += (self.k as u64).pow(3) + 10_000;
        self.program.solve(Objective { targets, stiffness }, &mut self.watch).map_err(|failure| match failure {
            Failure::Interrupted => KMeansError::Interrupted,
            failure => KMeansError::Solver(failure.to_string()),
        })
    }

    fn report(&mut self) -> Result<(), KMeansError> {
        let frame = self.prefixes.sample().frame();
        let (cost, lower_bound) = (frame.leave_square(self.cost()), self.outside_bound());
        report(&mut self.watch, Progress::Search { cost, lower_bound }).map_err(|_| KMeansError::Interrupted)
    }
}
