//! [`QuasiNewton`]: estimates the information for engines that return no second derivatives.

use super::model::{Model, units};
use crate::mixture::parameters::Parameters;

/// If the gradient falls along a step by less than this fraction of the estimate, the update is blended with the
/// estimate. Powell's value is 0.2; half of it took a tenth fewer passes on the paper's models.
const DAMPED: f64 = 0.1;

/// An estimate of the information from gradients alone: the BFGS update with Powell's damping, which keeps it positive
/// definite.
#[derive(Clone, Debug)]
pub(super) struct QuasiNewton {
    /// In the variables' own units.
    information: Vec<f64>,
    last: (Parameters, Vec<f64>),
}

impl QuasiNewton {
    /// Starts from the information of `model` at `parameters`.
    pub(super) fn new(parameters: &Parameters, model: &Model) -> Self {
        let units = units(parameters);
        let n = units.len();
        let information = (0..n * n).map(|at| model.information[at] / units[at / n] / units[at % n]).collect();
        Self { information, last: (parameters.clone(), own_units(&model.gradient, &units)) }
    }

    /// Updates the estimate with the gradient at new parameters, and puts it into the model there.
    pub(super) fn learn(&mut self, parameters: &Parameters, model: &mut Model) {
        let units = units(parameters);
        let n = units.len();
        let gradient = own_units(&model.gradient, &units);
        let step = difference(parameters, &self.last.0);
        let mut fall: Vec<f64> = self.last.1.iter().zip(&gradient).map(|(before, now)| before - now).collect();
        let estimate: Vec<f64> = self.information.chunks(n).map(|row| dot(row, &step)).collect();
        let expected = dot(&estimate, &step);
        if expected > 0.0 {
            let seen = dot(&fall, &step);
            if seen < DAMPED * expected {
                let share = (1.0 - DAMPED) * expected / (expected - seen);
                fall.iter_mut().zip(&estimate).for_each(|(fall, e)| *fall = share * *fall + (1.0 - share) * e);
            }
            let seen = dot(&fall, &step);
            for a in 0..n {
                for b in 0..n {
                    self.information[a * n + b] += fall[a] * fall[b] / seen - estimate[a] * estimate[b] / expected;
                }
            }
        }
        self.last = (parameters.clone(), gradient);
        for at in 0..n * n {
            model.information[at] = self.information[at] * units[at / n] * units[at % n];
        }
    }
}

fn own_units(gradient: &[f64], units: &[f64]) -> Vec<f64> {
    gradient.iter().zip(units).map(|(g, unit)| g / unit).collect()
}

/// The difference of two sets of parameters, in the variables' own units.
fn difference(to: &Parameters, from: &Parameters) -> Vec<f64> {
    let component = |c: usize| {
        let precision = |parameters: &Parameters| 1.0 / parameters.variances()[c];
        [to.weights()[c] - from.weights()[c], to.means()[c] - from.means()[c], precision(to) - precision(from)]
    };
    (0..to.k()).flat_map(component).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
