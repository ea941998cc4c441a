//! K-means under general linear rows: alternation from several starts.
//!
//! A round assigns each point to the nearest centre, then places the centres by a quadratic program, until the cost no
//! longer falls. It costs O(k log n) besides the program. The result is a local optimum; its lower bound is the optimum
//! under fewer rows (none, or those that bound gaps).

mod derived;

use super::alternation::{Clustering, alternate, nearest};
use super::rounding::{of_sum, zero_cost};
use super::{free, unconstrained};
use crate::constraint::Rows;
use crate::data::frame::FARTHEST;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::Monitor;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;
use crate::qp::{Failure, MeanProgram, Objective};
use std::collections::BTreeSet;

/// Work, in steps of about a nanosecond, after which no further start is tried: some seconds.
const STARTS_UNTIL: u64 = 4_000_000_000;

/// Work after which no further partition near the best is tried: they seldom gain anything after the first hundreds.
const NEIGHBOURS_UNTIL: u64 = 300_000_000;

/// Work of a program besides its k³: a call of the solver, about ten microseconds.
const PROGRAM_WORK: u64 = 10_000;

/// Returns the best centres found under `rows` (in data units), with their clusters.
///
/// # Errors
/// Rows that no ascending centres satisfy, and programs that are not solved.
pub(super) fn solve(sample: &Sample, rows: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    let program = MeanProgram::of(rows, sample.frame(), FARTHEST, monitor)?;
    let Some(program) = program else {
        return unconstrained::solve(sample, rows.k(), monitor);
    };
    let prefixes = Prefixes::new(sample);
    let mut search = RowSearch::new(&prefixes, program, rows.k(), monitor.part().in_frame(sample.frame()));
    match search.run(rows) {
        // At the time limit: the best so far.
        Err(KMeansError::TimeLimit) => {}
        ended => ended?,
    }
    search.into_solution().ok_or(KMeansError::TimeLimit)
}

/// A partition and its best centres, in frame units.
#[derive(Clone, Debug)]
struct Placement {
    partition: Partition,
    centers: Vec<f64>,
    cost: f64,
}

impl Clustering for Placement {
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

/// The state of a search.
struct RowSearch<'a, 'm> {
    prefixes: &'a Prefixes<'a>,
    program: MeanProgram,
    k: usize,
    /// Has the best cost and bound.
    monitor: Monitor<'m>,
    /// Partitions visited before, from which the alternation would repeat itself.
    seen: BTreeSet<Partition>,
    best: Option<Placement>,
    /// Whether there is only one partition.
    only: bool,
    spent: u64,
}

impl<'a, 'm> RowSearch<'a, 'm> {
    fn new(prefixes: &'a Prefixes<'a>, program: MeanProgram, k: usize, monitor: Monitor<'m>) -> Self {
        Self { prefixes, program, k, monitor, seen: BTreeSet::new(), best: None, only: false, spent: 0 }
    }

    /// Alternates from the optimum without rows, from that under the gap bounds that `rows` (in data units) imply, from
    /// even partitions, and from those near the best. Both optima are lower bounds.
    fn run(&mut self, rows: &Rows) -> Result<(), KMeansError> {
        let (sample, k) = (self.prefixes.sample(), self.k);
        let bare = unconstrained::solve(sample, k, &mut self.monitor.relaxed())?;
        self.monitor.proved(bare.lower_bound(self.prefixes));
        let means = bare.partition.means(self.prefixes);
        self.climb(bare.partition)?;
        if k == 1 || k == sample.len() {
            self.only = true;
            return Ok(());
        }
        if let Some(gaps) = derived::gap_bounds(rows)
            && !self.is_proven()
        {
            let solution = free::solve(sample, &gaps, &mut self.monitor.relaxed())?;
            self.monitor.proved(solution.lower_bound(self.prefixes));
            self.climb(solution.partition)?;
        }
        self.climb_evenly(&means)?;
        self.try_neighbours()
    }

    /// Whether the best is optimal up to rounding.
    fn is_proven(&self) -> bool {
        let (cost, bound) = (self.monitor.cost, self.monitor.lower_bound);
        cost - bound <= of_sum(self.k, cost) + zero_cost(self.prefixes.sample()) || self.monitor.is_proven()
    }

    /// Alternates from a partition until the cost no longer falls.
    fn climb(&mut self, partition: Partition) -> Result<(), KMeansError> {
        if let Some(start) = self.visit(partition)? {
            alternate(self.prefixes.sample(), start, |partition| self.visit(partition))?;
        }
        Ok(())
    }

    /// Places the centres of a partition, unless it was visited before.
    fn visit(&mut self, partition: Partition) -> Result<Option<Placement>, KMeansError> {
        if !self.seen.insert(partition.clone()) {
            return Ok(None);
        }
        let weights: Vec<f64> = partition.blocks(self.prefixes).map(|block| block.weight).collect();
        let centers = self.centers(&partition.means(self.prefixes), &weights)?;
        let cost = partition.cost_about(self.prefixes, &centers);
        let placed = Placement { partition, centers, cost };
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(placed.clone());
        }
        self.monitor.found(cost);
        self.monitor.report()?;
        Ok(Some(placed))
    }

    /// Alternates from even partitions, and from the centres nearest to `means` that satisfy the rows.
    fn climb_evenly(&mut self, means: &[f64]) -> Result<(), KMeansError> {
        let sample = self.prefixes.sample();
        let even = equal_widths(sample, self.k);
        let alike = vec![1.0; self.k];
        let admissible = self.centers(means, &alike)?;
        let held_even = self.centers(&even, &alike)?;
        let near = |centers: &[f64]| nearest(sample, centers);
        let starts = [near(&admissible), Partition::even(sample.len(), self.k), near(&even), near(&held_even)];
        for partition in starts {
            if self.is_proven() || self.spent > STARTS_UNTIL {
                break;
            }
            self.climb(partition)?;
        }
        Ok(())
    }

    /// Alternates from partitions near the best, and again from every better one.
    fn try_neighbours(&mut self) -> Result<(), KMeansError> {
        while let Some(from) = self.best.clone() {
            for partition in near_partitions(&from.partition) {
                if self.is_proven() || self.spent > NEIGHBOURS_UNTIL {
                    return Ok(());
                }
                self.climb(partition)?;
                if self.monitor.cost < from.cost {
                    break;
                }
            }
            if self.monitor.cost >= from.cost {
                break;
            }
        }
        Ok(())
    }

    /// The best solution.
    fn into_solution(self) -> Option<Solution> {
        let optimal = self.only || self.is_proven();
        let proof = if optimal { Proof::Optimal } else { Proof::AtLeast(self.monitor.lower_bound) };
        let Placement { partition, centers, .. } = self.best?;
        Some(Solution { partition, centers: Some(centers), proof })
    }

    /// The centres nearest to `targets` that satisfy the rows.
    fn centers(&mut self, targets: &[f64], stiffness: &[f64]) -> Result<Vec<f64>, KMeansError> {
        self.spent += (self.k as u64).pow(3) + PROGRAM_WORK;
        let objective = Objective { targets, stiffness };
        self.program.solve(objective, &mut self.monitor).map_err(|failure| match failure {
            Failure::Halted(halt) => halt.into(),
            failure => KMeansError::Solver(failure.to_string()),
        })
    }
}

/// Centres at equal distances over the range of the data, in frame units.
fn equal_widths(sample: &Sample, k: usize) -> Vec<f64> {
    let (first, last) = (sample.framed(0), sample.framed(sample.len() - 1));
    (0..k).map(|c| first + (last - first) * (c as f64 + 0.5) / k as f64).collect()
}

/// Partitions near this one: one boundary moved by a point or by part of a cluster, or moved into another cluster,
/// which merges two and divides one.
fn near_partitions(partition: &Partition) -> impl Iterator<Item = Partition> + '_ {
    let ends = partition.ends();
    let inner = ends.len() - 1;
    let shifted = (0..inner).flat_map(move |gap| {
        let start = if gap == 0 { 0 } else { ends[gap - 1] };
        let (left, right) = (ends[gap] - start, ends[gap + 1] - ends[gap]);
        let back = [1, left / 4, left / 2].map(|step| ends[gap] - step.min(left - 1));
        let forth = [1, right / 4, right / 2].map(|step| ends[gap] + step.min(right - 1));
        back.into_iter().chain(forth).filter(move |&end| end != ends[gap]).map(move |end| {
            let mut moved = ends.to_vec();
            moved[gap] = end;
            moved
        })
    });
    let split = (0..inner).flat_map(move |gap| {
        (0..ends.len()).filter(move |&cluster| cluster != gap && cluster != gap + 1).filter_map(move |cluster| {
            let start = if cluster == 0 { 0 } else { ends[cluster - 1] };
            let middle = start + (ends[cluster] - start) / 2;
            let mut moved = ends.to_vec();
            moved[gap] = middle;
            moved.sort_unstable();
            (middle > start).then_some(moved)
        })
    });
    shifted.chain(split).map(Partition::new)
}
