//! [`MStep`]: weights, then means, then spreads about the new means, each block with its own rows.
//!
//! Each block is solved exactly with the others fixed, so the likelihood never falls.

mod precisions;
mod shares;
mod tie;
mod variance_bounds;
mod weights;

pub(super) use precisions::PrecisionBlock;
pub use precisions::VarianceModel;
pub(super) use tie::Tie;
pub(super) use weights::WeightBlock;

use super::engine::Moments;
use super::parameters::Parameters;
use crate::constraint::LinearRows;
use crate::monitor::Monitor;
use crate::qp::{Failure, MeanProgram, Objective, equality_rank};

/// The default floor of the variances, as a fraction of the data's variance. Measured: spreads of real components stay
/// far above it, and squares of residuals keep their digits.
pub(super) const FLOOR: f64 = 1e-10;

/// The least pull of a component, as a fraction of the strongest, so that one without weight keeps a finite place. The
/// program is exact over eighteen orders of magnitude; beyond them the place does not matter.
const LEAST_PULL: f64 = 1e-24;

/// The blocks and their rows.
pub(super) struct MStep {
    pub(super) weights: WeightBlock,
    pub(super) means: MeanBlock,
    pub(super) precisions: PrecisionBlock,
}

/// The bounds on single components that `rows` express, within the bounds `within`; `None` if a row has several
/// components.
fn single_bounds(rows: &LinearRows, within: [f64; 2]) -> Option<[Vec<f64>; 2]> {
    let [mut lower, mut upper] = within.map(|bound| vec![bound; rows.k()]);
    for row in 0..rows.len() {
        let coefficients = rows.row(row);
        let mut about = (0..rows.k()).filter(|&c| coefficients[c] != 0.0);
        let (Some(c), None) = (about.next(), about.next()) else {
            return None;
        };
        let ends = [rows.lower()[row] / coefficients[c], rows.upper()[row] / coefficients[c]];
        lower[c] = lower[c].max(ends[0].min(ends[1]));
        upper[c] = upper[c].min(ends[0].max(ends[1]));
    }
    Some([lower, upper])
}

/// The optimum of each component without rows.
struct Targets {
    /// The step from each mean to the average of its points.
    steps: Vec<f64>,
    means: Vec<f64>,
}

impl Targets {
    /// A component without weight stays where it is.
    fn new(parameters: &Parameters, moments: &Moments) -> Self {
        let step = |(&a, &n): (&f64, &f64)| if n > 0.0 { a / n } else { 0.0 };
        let steps: Vec<f64> = moments.first.iter().zip(&moments.weight).map(step).collect();
        let means = parameters.means().iter().zip(&steps).map(|(mean, step)| mean + step).collect();
        Self { steps, means }
    }
}

/// The variances about new means: `Σ w r (x-μ')² / n = b/n - (a/n)² + (μ' - μ - a/n)²`.
fn about(parameters: &Parameters, moments: &Moments, targets: &Targets, means: &[f64]) -> Vec<f64> {
    let variance = |k: usize| {
        let n = moments.weight[k];
        if n <= 0.0 {
            return parameters.variances()[k];
        }
        let step = targets.steps[k];
        let missed = means[k] - parameters.means()[k] - step;
        (moments.second[k] / n - step * step).max(0.0) + missed * missed
    };
    (0..means.len()).map(variance).collect()
}

/// The pull of each component on its mean, `n/v`: the stiffness of the program.
fn pull(parameters: &Parameters, moments: &Moments) -> Vec<f64> {
    moments.weight.iter().zip(parameters.variances()).map(|(n, v)| n / v).collect()
}

/// The means' block: minimises `Σ (n_k/v_k)(μ_k - m_k)²` over the means under rows, a quadratic program.
pub(super) struct MeanBlock {
    /// `None` if there are no rows.
    pub(super) program: Option<MeanProgram>,
}

impl MeanBlock {
    /// The number of free means: the others follow from equalities.
    fn free_count(&self, k: usize) -> usize {
        k - self.program.as_ref().map_or(0, |program| equality_rank(program.rows()))
    }

    /// Returns the best means for the variances of `parameters`.
    ///
    /// # Errors
    /// A failure of the program.
    fn best(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        targets: &Targets,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<f64>, Failure> {
        match self.program {
            None => Ok(targets.means.clone()),
            Some(_) => self.nearest(&targets.means, &pull(parameters, moments), monitor),
        }
    }

    /// Returns the means nearest to `wanted` that satisfy the rows, with the stiffness `pull`.
    ///
    /// # Errors
    /// A failure of the program.
    fn nearest(&mut self, wanted: &[f64], pull: &[f64], monitor: &mut Monitor<'_>) -> Result<Vec<f64>, Failure> {
        let Some(program) = &mut self.program else {
            return Ok(wanted.to_vec());
        };
        let strongest = pull.iter().fold(0.0, |strongest: f64, g| strongest.max(*g));
        let stiffness: Vec<f64> = pull.iter().map(|g| g.max(LEAST_PULL * strongest)).collect();
        program.solve(Objective { targets: wanted, stiffness: &stiffness }, monitor)
    }
}

impl MStep {
    /// The number of free parameters of `k` components: each independent equality fixes one.
    pub(super) fn parameter_count(&self, k: usize) -> usize {
        self.weights.free_count(k) + self.means.free_count(k) + self.precisions.free_count()
    }

    /// Returns the next parameters.
    ///
    /// # Errors
    /// A failure of a block's program.
    pub(super) fn run(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        monitor: &mut Monitor<'_>,
    ) -> Result<Parameters, Failure> {
        let targets = Targets::new(parameters, moments);
        let weights = self.weights.best(moments, monitor)?;
        if let Some(tie) = self.precisions.tie() {
            let (means, variances) =
                tie.best(parameters, moments, &targets, &mut self.means, self.precisions.floor(), monitor)?;
            return Ok(Parameters::sound(weights, means, variances));
        }
        let means = self.means.best(parameters, moments, &targets, monitor)?;
        let variances = self.precisions.best(parameters, moments, &targets, &means, monitor)?;
        Ok(Parameters::sound(weights, means, variances))
    }
}

#[cfg(test)]
mod tests;
