//! Maximises `Σ a_k log x_k - c_k x_k` over positive `x` under rows: the weights or the precisions of a mixture.
//!
//! Newton's method; each step is a `MeanProgram`, exact on its active rows. The objective is separable, so its
//! curvature `a_k/x_k²` is that program's stiffness. A damped step changes no coordinate by more than a quarter of
//! itself (by a half, if the full step would change one by more than itself). Such a step never lowers the objective,
//! by the second-order bound of `log(1 + t)`, so no line search is needed. Near the optimum convergence is quadratic.

use super::MeanProgram;
use super::active_set::Failure;
use super::equality::Objective;
use super::row_matrix::RowMatrix;
use crate::monitor::Monitor;

/// A coordinate that cannot exceed this fraction of the scale vanishes: rows are satisfied to 1e-13 of the largest.
const MIN_COORDINATE: f64 = 1e-11;

/// The target, in units of the scale, that shows how large a coordinate can be.
const FAR_TARGET: f64 = 10.0;

/// A step smaller than this fraction of every coordinate ends the search; the next one would be rounding.
const MIN_STEP: f64 = 1e-13;

/// The largest number of steps: far more than any search took (30, on random programs).
const MAX_STEPS: usize = 400;

/// The smallest coefficient of a logarithm, as a fraction of their sum: a component without weight then keeps a finite
/// value.
const MIN_COEFFICIENT: f64 = 1e-18;

/// The program of one fit and its last iterate.
pub(crate) struct LogProgram {
    program: MeanProgram,
    x: Vec<f64>,
}

/// The reason why there is no program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoInterior {
    /// The rows contradict each other, or the search was stopped.
    Failure(Failure),
    /// The rows keep this coordinate at zero.
    Vanishes(usize),
}

impl From<Failure> for NoInterior {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl LogProgram {
    /// The rows, including positivity.
    pub(crate) fn rows(&self) -> &RowMatrix {
        self.program.rows()
    }

    /// Makes the program under `rows`, for coordinates of the size of `scale`.
    ///
    /// # Errors
    /// Rows that no positive `x` satisfies.
    pub(crate) fn new(mut rows: RowMatrix, scale: f64, monitor: &mut Monitor<'_>) -> Result<Self, NoInterior> {
        let k = rows.k();
        rows.push_positive();
        let mut program = MeanProgram::new(rows, monitor)?;
        let mut x = vec![0.0; k];
        for c in 0..k {
            let mut targets = vec![scale; k];
            targets[c] = FAR_TARGET * scale;
            let reached = program.solve(Objective { targets: &targets, stiffness: &vec![1.0; k] }, monitor)?;
            if reached[c] <= MIN_COORDINATE * scale {
                return Err(NoInterior::Vanishes(c));
            }
            x.iter_mut().zip(&reached).for_each(|(x, reached)| *x += reached.max(0.0) / k as f64);
        }
        Ok(Self { program, x })
    }

    /// Returns the optimum.
    ///
    /// # Errors
    /// A failure of the quadratic program.
    pub(crate) fn solve(&mut self, a: &[f64], c: &[f64], monitor: &mut Monitor<'_>) -> Result<Vec<f64>, Failure> {
        let least = MIN_COEFFICIENT * a.iter().sum::<f64>();
        let a: Vec<f64> = a.iter().map(|a| a.max(least)).collect();
        for _ in 0..MAX_STEPS {
            let x = &self.x;
            let stiffness: Vec<f64> = a.iter().zip(x).map(|(a, x)| a / (x * x)).collect();
            let targets: Vec<f64> = (0..x.len()).map(|k| x[k] * (2.0 - c[k] * x[k] / a[k])).collect();
            let newton = self.program.solve(Objective { targets: &targets, stiffness: &stiffness }, monitor)?;
            let largest = newton.iter().zip(x).map(|(new, x)| (new / x - 1.0).abs()).fold(0.0, f64::max);
            let step = match largest {
                moves if moves <= 0.25 => 1.0,
                moves if moves < 1.0 => 0.25 / moves,
                moves => 0.5 / moves,
            };
            self.x =
                newton.iter().zip(x).map(|(new, x)| if step == 1.0 { *new } else { x + step * (new - x) }).collect();
            if largest <= MIN_STEP {
                break;
            }
        }
        Ok(self.x.clone())
    }
}
