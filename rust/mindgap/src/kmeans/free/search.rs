//! The search: bound a level, improve the incumbent, drop, halve; end by proof, by the exact finish, or by the budget.

use super::budget::Budget;
use super::functional::{self, Region};
use super::grid::Grid;
use super::incumbent::Incumbent;
use super::level::Level;
use super::{Problem, Stop};
use crate::progress::Interrupted;

/// Up to so many points the exact finish is the whole search.
const FEW_POINTS: usize = 40;

/// Boundaries a cluster that the exact finish takes at once; when cells stop dying it takes as many as the budget allows.
const FEW_BOUNDARIES: usize = 12;

/// What cannot be better than the incumbent by this relative amount is dropped.
const INDIFFERENT: f64 = 1e-10;

/// A mean square below this, in frame units, is rounding.
const NOTHING: f64 = 1e-28;

/// Cells across the data of the first level: so many a cluster, within limits.
const CELLS_A_CLUSTER: usize = 12;
const FEWEST_CELLS: usize = 64;
const MOST_CELLS: usize = 1536;

/// The best solution and what no solution costs less than (infinity: the best is optimal).
pub(super) fn run(problem: &Problem<'_>, mut budget: Budget<'_>) -> Result<(Incumbent, f64), Interrupted> {
    let mut search = Search { problem, best: Incumbent::even(problem), floor: 0.0 };
    match search.prove(&mut budget) {
        Ok(()) => Ok((search.best, f64::INFINITY)),
        Err(Stop::Exhausted) => Ok((search.best, search.floor)),
        Err(Stop::Interrupted) => Err(Interrupted),
    }
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    best: Incumbent,
    /// Proven: no solution costs less.
    floor: f64,
}

impl Search<'_> {
    /// Searches until the best is proven to be the best.
    fn prove(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let problem = self.problem;
        if problem.k == 1 || self.is_exact() {
            return Ok(());
        }
        if problem.len() <= FEW_POINTS && self.finish(&Region::whole(problem), budget)? {
            return Ok(());
        }
        let mut level = self.first_level();
        loop {
            let bounds = level.bound(problem, self.threshold(), budget)?;
            self.floor = self.floor.max(bounds.least.min(self.threshold()));
            if !bounds.chain.is_empty() {
                self.adopt(Incumbent::from_centers(problem, &bounds.chain));
            }
            self.tell(budget)?;
            if std::env::var_os("MG").is_some() { eprintln!("level w {:.1e} cells {} steps {} least {:.12e} best {:.12e} rel {:.1e}", level.grid.step, level.cells.iter().map(Vec::len).sum::<usize>(), level.steps(), bounds.least, self.best.cost, 1.0-bounds.least/self.best.cost); }
            match level.halved(problem, &bounds, self.threshold(), &self.best) {
                None => return Ok(()),
                Some(next) => level = next,
            }
            if self.is_exact() {
                return Ok(());
            }
            if let Some(region) = Region::of_level(problem, &level, FEW_BOUNDARIES * problem.k)
                && self.finish(&region, budget)?
            {
                return Ok(());
            }
            if !level.grid.can_be_halved() || !budget.allows(level.steps()) {
                return Err(Stop::Exhausted);
            }
        }
    }

    /// Whether the cost is rounding and nothing else.
    fn is_exact(&self) -> bool {
        let sample = self.problem.prefixes.sample();
        self.best.cost <= NOTHING * sample.total_weight()
    }

    /// A solution must cost less than this to matter.
    fn threshold(&self) -> f64 {
        self.best.cost * (1.0 - INDIFFERENT)
    }

    fn first_level(&self) -> Level {
        let problem = self.problem;
        let cells = (CELLS_A_CLUSTER * problem.k).clamp(FEWEST_CELLS, MOST_CELLS);
        let from = problem.reach[0].0;
        let to = problem.reach[problem.k - 1].1;
        let width = (1.0 / cells as f64).max((to - from) / (2 * MOST_CELLS) as f64);
        let count = ((to - from) / width).ceil() as usize + 1;
        Level::uniform(problem.k, Grid { origin: from - 0.5 * width, step: 0.5 * width }, count)
    }

    fn adopt(&mut self, other: Incumbent) {
        if other.cost < self.best.cost {
            self.best = other;
        }
    }

    fn tell(&self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        (budget.cost, budget.lower_bound) = (self.best.cost, self.floor);
        budget.report()
    }

    /// Solves what is left exactly, unless rounding would spoil the result; says whether it has.
    fn finish(&mut self, region: &Region, budget: &mut Budget<'_>) -> Result<bool, Stop> {
        let rounding = region.rounding(self.problem, self.best.cost);
        if rounding > INDIFFERENT * self.best.cost {
            return Ok(false);
        }
        if let Some(found) = functional::solve(self.problem, region, self.best.cost + rounding, budget)? {
            self.adopt(Incumbent::of_partition(self.problem, found.ends));
        }
        Ok(true)
    }
}
