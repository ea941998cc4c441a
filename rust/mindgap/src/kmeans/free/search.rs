//! The search: bounds a level, improves the incumbent, drops and halves cells; ends with a proof, with the exact
//! program, or at the limit of its work.

use super::budget::Budget;
use super::functional::{self, SearchRegion};
use super::grid::CenterGrid;
use super::incumbent::FreeSolution;
use super::level::{CenterCell, CenterLevel};
use super::{Problem, Stop};
use crate::error::KMeansError;
use crate::kmeans::rounding::zero_cost;
use crate::memory::product;
use crate::monitor::Monitor;
use crate::partition::Partition;
use crate::proof::Proof;

/// Up to this many points the exact program is the whole search.
const FEW_POINTS: usize = 40;

/// The number of boundaries per cluster up to which the exact program is used.
const FEW_BOUNDARIES: usize = 12;

/// The total number of boundaries up to which the exact program is tried once no more cells are dropped.
const MOST_BOUNDARIES: usize = 20_000;

/// Steps that the exact program may always take.
const TRY: u64 = 1 << 22;

/// Cells that cannot beat the incumbent by this relative amount are dropped.
const INDIFFERENT: f64 = 1e-10;

/// Cells per cluster of the first level.
const CELLS_A_CLUSTER: usize = 12;

/// The smallest number of cells of the first level.
const FEWEST_CELLS: usize = 64;

/// The largest number of cells of the first level.
const MOST_CELLS: usize = 1536;

/// The best solution and the proven bound.
pub(super) fn run(
    problem: &Problem<'_>,
    start: FreeSolution,
    budget: &mut Budget<'_>,
) -> Result<(FreeSolution, Proof), KMeansError> {
    search(problem, start, budget, FEW_POINTS)
}

/// The same, but with cells for any number of points.
#[cfg(test)]
pub(super) fn run_by_cells(
    problem: &Problem<'_>,
    mut budget: Budget<'_>,
) -> Result<(FreeSolution, Proof), KMeansError> {
    search(problem, FreeSolution::even(problem), &mut budget, 0)
}

/// The best solution of `region`, which contains all solutions better than `start`; none costs less than `floor`.
pub(super) fn run_within(
    problem: &Problem<'_>,
    start: FreeSolution,
    region: &SearchRegion,
    floor: f64,
    mut budget: Budget<'_>,
) -> Result<(FreeSolution, Proof), KMeansError> {
    conclude(problem, start, floor, |search| match search.finish(region, u64::MAX, &mut budget)? {
        true => Ok(()),
        false => search.improve(region, &mut budget).and(Err(Stop::Exhausted)),
    })
}

fn search(
    problem: &Problem<'_>,
    start: FreeSolution,
    budget: &mut Budget<'_>,
    few: usize,
) -> Result<(FreeSolution, Proof), KMeansError> {
    conclude(problem, start, 0.0, |search| search.prove(few, budget))
}

/// The result of `prove`, from a solution and a bound.
fn conclude(
    problem: &Problem<'_>,
    start: FreeSolution,
    floor: f64,
    prove: impl FnOnce(&mut CenterSearch<'_>) -> Result<(), Stop>,
) -> Result<(FreeSolution, Proof), KMeansError> {
    let mut search = CenterSearch { problem, best: start, floor, least: f64::INFINITY };
    match prove(&mut search) {
        Ok(()) if problem.k == 1 || search.is_exact() => Ok((search.best, Proof::Optimal)),
        Ok(()) => {
            let floor = search.threshold().min(search.least);
            Ok((search.best, Proof::AtLeast(floor)))
        }
        Err(Stop::Exhausted) => Ok((search.best, Proof::AtLeast(search.floor))),
        Err(Stop::Interrupted) => Err(KMeansError::Interrupted),
        Err(Stop::OutOfMemory(out_of_memory)) => Err(out_of_memory.into()),
    }
}

/// Cells of equal width for every centre.
pub(super) fn first_level(problem: &Problem<'_>, monitor: &Monitor<'_>) -> Result<CenterLevel, Stop> {
    let cells = (CELLS_A_CLUSTER * problem.k).clamp(FEWEST_CELLS, MOST_CELLS);
    let from = problem.reach[0].0;
    let to = problem.reach[problem.k - 1].1;
    let width = (1.0 / cells as f64).max((to - from) / (2 * MOST_CELLS) as f64);
    let count = ((to - from) / width).ceil() as usize + 1;
    // The cells themselves, and four tables of bounds and neighbours.
    let bytes = product(&[problem.k, count, size_of::<CenterCell>() + 4 * size_of::<f64>()]);
    monitor.check_memory(
        "the search for free centres",
        bytes.saturating_add(product(&[count, count, size_of::<f64>()])),
    )?;
    Ok(CenterLevel::uniform(problem.k, CenterGrid { origin: from - 0.5 * width, step: 0.5 * width }, count))
}

struct CenterSearch<'a> {
    problem: &'a Problem<'a>,
    best: FreeSolution,
    /// Proven: no solution costs less.
    floor: f64,
    /// If clusters may be empty: the minimum cost found by the exact program.
    least: f64,
}

impl CenterSearch<'_> {
    /// Searches until the best solution is proven optimal.
    fn prove(&mut self, few: usize, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let problem = self.problem;
        if problem.k == 1 || self.is_exact() {
            return Ok(());
        }
        if problem.len() <= few {
            let whole = SearchRegion::whole(problem);
            if self.finish(&whole, u64::MAX, budget)? {
                return Ok(());
            }
            self.improve(&whole, budget)?;
        }
        let mut level = first_level(problem, &budget.monitor)?;
        let mut boundaries = FEW_BOUNDARIES * problem.k;
        loop {
            let bounds = level.bound(problem, self.threshold(), budget)?;
            self.floor = self.floor.max(bounds.least.min(self.threshold()));
            if !bounds.chain.is_empty() {
                self.adopt(FreeSolution::from_centers(problem, &bounds.chain));
            }
            self.tell(budget)?;
            let Some(next) = level.halved(problem, &bounds, self.threshold(), &self.best) else {
                return Ok(());
            };
            // If no more cells are dropped, more boundaries are worth a try.
            if next.steps() >= 2 * level.steps() {
                boundaries = (2 * boundaries).min(MOST_BOUNDARIES);
            }
            level = next;
            budget.has_memory(level.bytes())?;
            if self.is_exact() {
                return Ok(());
            }
            if let Some(region) = SearchRegion::of_level(problem, &level, boundaries)
                && self.finish(&region, TRY.max(4 * level.steps()), budget)?
            {
                return Ok(());
            }
            if !level.grid.can_be_halved() || !budget.allows(level.steps()) {
                return Err(Stop::Exhausted);
            }
        }
    }

    /// Whether the cost is only rounding error.
    fn is_exact(&self) -> bool {
        self.best.cost <= zero_cost(self.problem.prefixes.sample())
    }

    /// The cost below which a solution counts as better.
    fn threshold(&self) -> f64 {
        self.best.cost * (1.0 - INDIFFERENT)
    }

    fn adopt(&mut self, other: FreeSolution) {
        if other.cost < self.best.cost {
            self.best = other;
        }
    }

    fn tell(&self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        budget.monitor.found(self.best.cost);
        budget.monitor.proved(self.floor);
        if budget.monitor.is_proven() {
            return Err(Stop::Exhausted);
        }
        Ok(budget.monitor.report()?)
    }

    /// Solves the open region even if rounding may prevent a proof: the result may still be better.
    fn improve(&mut self, region: &SearchRegion, budget: &mut Budget<'_>) -> Result<(), Stop> {
        if let Some(found) = functional::solve(self.problem, region, f64::INFINITY, budget)?
            && !self.problem.empty
        {
            self.adopt(FreeSolution::of_partition(self.problem, Partition::new(found.ends)));
        }
        Ok(())
    }

    /// Solves the open region exactly. False if rounding would spoil the result or it takes too many steps.
    fn finish(&mut self, region: &SearchRegion, steps: u64, budget: &mut Budget<'_>) -> Result<bool, Stop> {
        let rounding = region.rounding(self.problem, self.best.cost);
        if rounding > INDIFFERENT * self.best.cost {
            return Ok(false);
        }
        let cutoff = self.best.cost + rounding;
        let result = budget.limited(steps, |budget| functional::solve(self.problem, region, cutoff, budget))?;
        if self.problem.empty
            && let Some(found) = &result
        {
            self.least = found.as_ref().map_or(f64::INFINITY, |found| found.cost - rounding);
            return Ok(true);
        }
        if let Some(Some(found)) = &result {
            self.adopt(FreeSolution::of_partition(self.problem, Partition::new(found.ends.clone())));
            // The program's sum must agree with the partition's own cost; otherwise rounding was worse than expected.
            return Ok(found.cost >= self.threshold() - rounding);
        }
        Ok(result.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Rows;
    use crate::data::sample::{Prefixes, Sample};

    /// Whether the exact program decides the whole problem for two clumps of this width, one unit apart.
    fn decides(width: f64) -> bool {
        let x: Vec<f64> = (0..12).map(|i| f64::from(i % 2) + width * f64::from(i * i % 11)).collect();
        let sample = Sample::new(&x).unwrap();
        let (prefixes, gaps) = (Prefixes::new(&sample), Rows::of_gaps(vec![0.5], vec![f64::INFINITY]));
        let problem = Problem::new(&prefixes, &gaps);
        let mut search =
            CenterSearch { problem: &problem, best: FreeSolution::even(&problem), floor: 0.0, least: f64::INFINITY };
        let found = functional::solve(
            &problem,
            &SearchRegion::whole(&problem),
            f64::INFINITY,
            &mut Budget::new(u64::MAX, Monitor::default()),
        );
        search.adopt(FreeSolution::of_partition(&problem, Partition::new(found.unwrap().unwrap().ends)));
        search.finish(&SearchRegion::whole(&problem), u64::MAX, &mut Budget::new(u64::MAX, Monitor::default())).unwrap()
    }

    #[test]
    fn the_exact_finish_decides_only_what_rounding_allows() {
        assert!(decides(1e-2));
        assert!(!decides(1e-5));
    }
}
