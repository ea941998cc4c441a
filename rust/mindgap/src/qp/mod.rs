//! [`MeanProgram`]: minimises `Σ g_k (μ_k - m_k)²` over means or centres under the rows, exactly up to rounding.
//!
//! The cheapest guesses are tried first: no active row; then, of gaps, those that a dynamic program finds, and of other
//! rows the last active ones, which hardly change between two iterations of a fit, and those that the interior-point
//! solver finds. If the guess is wrong, because stiffnesses are far apart, the active-set method continues from it. All
//! ways end with the same solve on the same rows, with the same bits.

mod active_set;
mod chain;
mod clarabel;
pub(crate) mod dense;
mod equality;
mod gap_chain;
mod log_program;
mod row_matrix;
#[cfg(test)]
mod tests;

pub(crate) use active_set::Failure;
pub(crate) use equality::{Objective, equality_rank};
pub(crate) use gap_chain::active_sides;
pub(crate) use log_program::{LogProgram, NoInterior};
pub(crate) use row_matrix::RowMatrix;

use crate::constraint::{Rows, Side};
use crate::data::frame::Frame;
use crate::error::{ConstraintError, KMeansError, MixtureError};
use crate::monitor::{Halt, Monitor};
use active_set::{Optimum, check, optimise};
use clarabel::{InteriorPoint, Refusal};
use row_matrix::Bound;

/// The program of one fit.
pub(crate) struct MeanProgram {
    rows: RowMatrix,
    /// Whether each row is loosened.
    loose: Vec<bool>,
    last: Vec<Bound>,
    interior_point: Option<InteriorPoint>,
}

/// The reason why no means satisfy the rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoProgram {
    /// The rows are invalid for these data.
    Constraint(ConstraintError),
    /// These rows of the constraint contradict each other, or (`ordering`) the ascending order of the means.
    Clash { rows: Vec<usize>, ordering: bool },
    /// No means were found, which exact arithmetic rules out.
    NotFound,
    /// The search for them was stopped.
    Halted(Halt),
}

/// The error of a failed search for means.
const NOT_FOUND: &str = "no means that satisfy the rows were found";

impl From<NoProgram> for MixtureError {
    fn from(error: NoProgram) -> Self {
        match error {
            NoProgram::Constraint(error) => error.into(),
            NoProgram::Clash { rows, ordering } => Self::Infeasible { rows, ordering },
            NoProgram::NotFound => Self::Solver { iteration: 0, what: NOT_FOUND.to_owned() },
            NoProgram::Halted(halt) => halt.into(),
        }
    }
}

impl From<NoProgram> for KMeansError {
    fn from(error: NoProgram) -> Self {
        match error {
            NoProgram::Constraint(error) => error.into(),
            NoProgram::Clash { rows, ordering } => Self::InfeasibleRows { rows, ordering },
            NoProgram::NotFound => Self::Solver(NOT_FOUND.to_owned()),
            NoProgram::Halted(halt) => halt.into(),
        }
    }
}

impl MeanProgram {
    /// Makes the program of means that satisfy `rows`, none of them farther than `reach` (in frame units) from the
    /// data; `None` if there are no rows, not even ascending order.
    ///
    /// # Errors
    /// Rows that are invalid for these data, and rows that contradict each other.
    pub(crate) fn of(
        rows: &Rows,
        frame: &Frame,
        reach: f64,
        monitor: &mut Monitor<'_>,
    ) -> Result<Option<Self>, NoProgram> {
        if rows.is_empty() {
            return Ok(None);
        }
        let matrix = RowMatrix::new(rows, frame, reach, monitor).map_err(NoProgram::Constraint)?;
        let count = matrix.given();
        Self::new(matrix, monitor).map(Some).map_err(|failure| match failure {
            Failure::Clash(rows) => {
                let (given, order): (Vec<_>, Vec<_>) = rows.into_iter().partition(|&row| row < count);
                NoProgram::Clash { rows: given, ordering: !order.is_empty() }
            }
            Failure::NoEnd => NoProgram::NotFound,
            Failure::Halted(halt) => NoProgram::Halted(halt),
        })
    }

    /// Makes the program under these rows. Rows that contradict each other only by rounding, such as an equality given
    /// twice, are loosened by it.
    ///
    /// # Errors
    /// Rows that contradict each other.
    pub(crate) fn new(rows: RowMatrix, monitor: &mut Monitor<'_>) -> Result<Self, Failure> {
        let (targets, stiffness) = (rows.likely(), vec![1.0; rows.k()]);
        let equalities = (0..rows.len()).filter(|&row| rows.is_equality(row));
        let last = equalities.map(|row| Bound { row, side: Side::Both }).collect();
        let mut program = Self { loose: vec![false; rows.len()], rows, last, interior_point: None };
        program.optimise(Objective { targets: &targets, stiffness: &stiffness }, &[], monitor)?;
        Ok(program)
    }

    /// Finds the optimum by the active-set method; loosens rows that contradict each other by rounding.
    fn optimise(
        &mut self,
        objective: Objective<'_>,
        guess: &[Bound],
        monitor: &mut Monitor<'_>,
    ) -> Result<Optimum, Failure> {
        loop {
            match optimise(&self.rows, objective, guess, monitor) {
                Err(Failure::Clash(rows)) if self.loosen(&rows) => {}
                outcome => return outcome,
            }
        }
    }

    /// Loosens the contradictory rows that are still tight; returns false if there are none.
    fn loosen(&mut self, clash: &[usize]) -> bool {
        let tight: Vec<usize> = clash.iter().copied().filter(|&row| !self.loose[row]).collect();
        for &row in &tight {
            self.rows.loosen(row);
            self.loose[row] = true;
        }
        self.last.retain(|bound| bound.side != Side::Both || self.rows.is_equality(bound.row));
        self.interior_point = None;
        !tight.is_empty()
    }

    /// The rows, some of them loosened.
    pub(crate) fn rows(&self) -> &RowMatrix {
        &self.rows
    }

    /// Returns the best means.
    ///
    /// # Errors
    /// A failure of the solvers.
    pub(crate) fn solve(&mut self, objective: Objective<'_>, monitor: &mut Monitor<'_>) -> Result<Vec<f64>, Failure> {
        if self.rows.worst_miss(objective.targets, objective.scale()).is_none() {
            return Ok(objective.targets.to_vec());
        }
        let Some(guess) = gap_chain::active(&self.rows, objective) else {
            return self.solve_from(objective, monitor, |program| program.interior_point(objective)?.active(objective));
        };
        match check(&self.rows, objective, &guess) {
            Some(optimum) => Ok(optimum.means),
            None => Ok(self.optimise(objective, &guess, monitor)?.means),
        }
    }

    /// Returns the best means; `propose` guesses the active rows if they are not the last ones. The guess is checked; if
    /// it is wrong, the active-set method starts from it.
    fn solve_from(
        &mut self,
        objective: Objective<'_>,
        monitor: &mut Monitor<'_>,
        propose: impl FnOnce(&mut Self) -> Result<Vec<Bound>, Refusal>,
    ) -> Result<Vec<f64>, Failure> {
        if self.rows.worst_miss(objective.targets, objective.scale()).is_none() {
            return Ok(objective.targets.to_vec());
        }
        if let Some(optimum) = check(&self.rows, objective, &self.last) {
            return Ok(optimum.means);
        }
        let proposed = propose(self).ok();
        let optimum = match proposed.as_ref().and_then(|guess| check(&self.rows, objective, guess)) {
            Some(optimum) => optimum,
            None => {
                let guess = proposed.unwrap_or_else(|| self.last.clone());
                self.optimise(objective, &guess, monitor)?
            }
        };
        self.last = optimum.active;
        Ok(optimum.means)
    }

    fn interior_point(&mut self, objective: Objective<'_>) -> Result<&mut InteriorPoint, Refusal> {
        match &mut self.interior_point {
            Some(solver) => Ok(solver),
            none => Ok(none.insert(InteriorPoint::new(&self.rows, objective)?)),
        }
    }
}
