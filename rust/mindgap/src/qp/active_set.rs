//! The exact optimum by the dual active-set method of Goldfarb and Idnani, one small solve per step.
//!
//! From active rows whose multipliers have the right sign, each step adds the row that is violated most and drops the
//! rows whose multipliers reach zero on the way. If a row cannot be satisfied, the active rows that it depends on
//! contradict it.

use thiserror::Error;

use super::equality::{Equilibrium, Objective};
use super::row_matrix::{Bound, RowMatrix};
use super::{chain, equality};
use crate::constraint::Side;
use crate::error::MixtureError;
use crate::monitor::{Halt, Monitor, Progress};

/// The smallest coefficient of a linear dependency, relative to the largest; smaller ones are rounding.
const MIN_DEPENDENCY: f64 = 1e-9;

/// The optimum: the means and the active rows.
#[derive(Clone, Debug)]
pub(crate) struct Optimum {
    pub(crate) means: Vec<f64>,
    pub(crate) active: Vec<Bound>,
}

/// The reason why there is no optimum.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum Failure {
    /// These rows contradict each other; without any one of them the others do not.
    #[error("rows {0:?} contradict each other")]
    Clash(Vec<usize>),
    /// The method did not terminate, which exact arithmetic rules out.
    #[error("the active-set method did not end")]
    NoEnd,
    #[error("the monitor stopped it")]
    Halted(Halt),
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

impl Failure {
    /// Returns the error of a fit whose program failed in this iteration.
    pub(crate) fn in_iteration(self, iteration: usize) -> MixtureError {
        match self {
            Self::Halted(halt) => halt.into(),
            failure => MixtureError::Solver { iteration, what: failure.to_string() },
        }
    }
}

/// The means that satisfy `bounds` with equality; O(k) if all of them are gaps.
fn at_bounds(rows: &RowMatrix, objective: Objective<'_>, bounds: &[Bound]) -> Equilibrium {
    chain::solve(rows, objective, bounds).unwrap_or_else(|| equality::solve(rows, objective, bounds))
}

/// The optimum if `bounds` are its active rows, so that no row is violated and every multiplier has the right sign;
/// else `None`.
pub(crate) fn check(rows: &RowMatrix, objective: Objective<'_>, bounds: &[Bound]) -> Option<Optimum> {
    let Equilibrium { means, multipliers, noise, dependencies } = at_bounds(rows, objective, bounds);
    let presses = |index: usize| bounds[index].side == Side::Both || multipliers[index] >= -noise[index];
    if !(0..bounds.len()).all(presses) || rows.worst_miss(&means, objective.scale()).is_some() {
        return None;
    }
    let independent = |index: &usize| dependencies.iter().all(|(dependent, _)| dependent != index);
    let active = (0..bounds.len()).filter(independent).map(|index| bounds[index]).collect();
    Some(Optimum { means, active })
}

/// Finds the optimum from a guess of the active rows.
pub(crate) fn optimise(
    rows: &RowMatrix,
    objective: Objective<'_>,
    guess: &[Bound],
    monitor: &mut Monitor<'_>,
) -> Result<Optimum, Failure> {
    let mut search = ActiveSetSearch::begin(rows, objective, guess, monitor)?;
    // Each round adds a row and may drop others; far more rounds than rows mean a cycle caused by rounding.
    for _ in 0..50 * (rows.len() + 1) {
        match rows.worst_miss(&search.means, objective.scale()) {
            None => return Ok(Optimum { means: search.means, active: search.active }),
            Some(bound) => search.add(bound, monitor)?,
        }
    }
    Err(Failure::NoEnd)
}

struct ActiveSetSearch<'a> {
    rows: &'a RowMatrix,
    objective: Objective<'a>,
    means: Vec<f64>,
    active: Vec<Bound>,
    multipliers: Vec<f64>,
}

impl<'a> ActiveSetSearch<'a> {
    /// The equalities, and those rows of the guess whose multipliers have the right sign.
    fn begin(
        rows: &'a RowMatrix,
        objective: Objective<'a>,
        guess: &[Bound],
        monitor: &mut Monitor<'_>,
    ) -> Result<Self, Failure> {
        let equalities = (0..rows.len()).filter(|&row| rows.is_equality(row));
        let mut active: Vec<Bound> = equalities.map(|row| Bound { row, side: Side::Both }).collect();
        active.extend(guess.iter().filter(|bound| bound.side != Side::Both));
        loop {
            monitor.send(&Progress::Working)?;
            let state = at_bounds(rows, objective, &active);
            if let Some((index, combination)) = state.dependencies.last() {
                let index = loosest(&active, combination).unwrap_or(*index);
                let bound = active[index];
                if bound.side == Side::Both && rows.is_missed(bound.row, &state.means, objective.scale()) {
                    return Err(Failure::Clash(members(&active, combination)));
                }
                active.remove(index);
                continue;
            }
            let pulling = |&index: &usize| active[index].side != Side::Both && state.multipliers[index] < 0.0;
            let worst = (0..active.len())
                .filter(pulling)
                .min_by(|&a, &b| state.multipliers[a].total_cmp(&state.multipliers[b]));
            match worst {
                Some(index) => drop(active.remove(index)),
                None => {
                    let Equilibrium { means, multipliers, .. } = state;
                    return Ok(Self { rows, objective, means, active, multipliers });
                }
            }
        }
    }

    /// Moves until `bound` is satisfied, dropping rows on the way.
    fn add(&mut self, bound: Bound, monitor: &mut Monitor<'_>) -> Result<(), Failure> {
        self.active.push(bound);
        self.multipliers.push(0.0);
        // At most every other row is dropped.
        for _ in 0..=self.active.len() {
            monitor.send(&Progress::Working)?;
            let full = at_bounds(self.rows, self.objective, &self.active);
            if let Some((_, combination)) = full.dependencies.first() {
                let dropped = self.slide(combination)?;
                self.remove(dropped);
                continue;
            }
            match self.first_to_vanish(&full) {
                None => {
                    self.means = full.means;
                    self.multipliers = full.multipliers;
                    return Ok(());
                }
                Some((index, step)) => {
                    for (now, then) in self.multipliers.iter_mut().zip(&full.multipliers) {
                        *now += step * (then - *now);
                    }
                    self.remove(index);
                }
            }
        }
        Err(Failure::NoEnd)
    }

    /// The new row depends linearly on the active ones: its multiplier grows and theirs change until one reaches zero.
    fn slide(&mut self, combination: &[f64]) -> Result<usize, Failure> {
        let new = self.active.len() - 1;
        let size = combination.iter().fold(0.0, |size: f64, c| size.max(c.abs()));
        let mut first: Option<(usize, f64)> = None;
        for index in 0..new {
            let share = -combination[index] / combination[new];
            let blocks =
                self.active[index].side != Side::Both && share > MIN_DEPENDENCY * size / combination[new].abs();
            let step = self.multipliers[index].max(0.0) / share;
            if blocks && first.is_none_or(|(_, least)| step < least) {
                first = Some((index, step));
            }
        }
        let Some((index, step)) = first else {
            return Err(Failure::Clash(members(&self.active, combination)));
        };
        for (multiplier, c) in self.multipliers.iter_mut().zip(combination) {
            *multiplier += step * c / combination[new];
        }
        Ok(index)
    }

    /// The active row whose multiplier reaches zero first on the way to `full`, and the fraction of the way.
    fn first_to_vanish(&self, full: &Equilibrium) -> Option<(usize, f64)> {
        let new = self.active.len() - 1;
        let vanishing =
            |&index: &usize| self.active[index].side != Side::Both && full.multipliers[index] < -full.noise[index];
        let step = |index: usize| {
            let now = self.multipliers[index].max(0.0);
            (index, now / (now - full.multipliers[index]))
        };
        (0..new).filter(vanishing).map(step).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn remove(&mut self, index: usize) {
        self.active.remove(index);
        self.multipliers.remove(index);
    }
}

/// The last inequality of a linear dependency, which is dropped.
fn loosest(active: &[Bound], combination: &[f64]) -> Option<usize> {
    let size = combination.iter().fold(0.0, |size: f64, c| size.max(c.abs()));
    (0..active.len())
        .rfind(|&index| active[index].side != Side::Both && combination[index].abs() > MIN_DEPENDENCY * size)
}

/// The rows of a linear dependency.
fn members(active: &[Bound], combination: &[f64]) -> Vec<usize> {
    let size = combination.iter().fold(0.0, |size: f64, c| size.max(c.abs()));
    let takes_part = |(_, c): &(&Bound, &f64)| c.abs() > MIN_DEPENDENCY * size;
    let mut rows: Vec<usize> = active.iter().zip(combination).filter(takes_part).map(|(bound, _)| bound.row).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
