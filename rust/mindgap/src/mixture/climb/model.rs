//! [`Model`]: the log-likelihood about given parameters, to second order.
//!
//! A step `u` changes each weight by `w·u`, each mean by `σ·u` and each precision by `p·u`, so that a step of one is
//! about as large as the component itself in any units. Variables are ordered by component: `3k` is its weight, `3k +
//! 1` its mean, `3k + 2` its precision. The derivation is in `docs/mathematics.md`.

use crate::mixture::engine::{Curvature, Moments};
use crate::mixture::parameters::Parameters;
use crate::qp::dense::dot;

/// The least number of points in a division: a component without points keeps its place and does not count.
const LEAST_POINTS: f64 = 1e-300;

/// The least share of all points that a component has in its own metric: doubles cannot solve a program whose units
/// differ by more. With 1e-34 of the points two rows of a constraint look like one.
const LEAST_SHARE: f64 = 1e-12;

/// The variables of one component.
pub(super) const BLOCK: usize = 3;

/// Gradient and curvature of the log-likelihood in scaled steps.
#[derive(Clone, Debug, Default)]
pub(in crate::mixture) struct Model {
    pub(super) gradient: Vec<f64>,
    /// The observed information, `-∂²L`; row-major.
    pub(super) information: Vec<f64>,
    /// The information if the component of each point were known: diagonal, and the metric of EM.
    pub(super) complete: Vec<f64>,
    /// Whether the information comes from second derivatives, not from an estimate.
    exact: bool,
}

impl Model {
    /// Whether the information comes from second derivatives, not from an estimate.
    pub(in crate::mixture) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Writes the model at `parameters`, where the moments were taken.
    pub(super) fn write(&mut self, parameters: &Parameters, moments: &Moments, curvature: &Curvature) {
        self.write_moments(parameters, moments);
        self.exact = true;
        let (k, n) = (parameters.k(), self.gradient.len());
        // The scores of a component are (r, rz, (r - rz²)/2); the sums are those of (r, rz, rz²).
        for (a, b) in (0..k).flat_map(|a| (a..k).map(move |b| (a, b))) {
            let own = |i: usize| -> [f64; BLOCK] {
                let from = (BLOCK * a + i) * n + BLOCK * b;
                [curvature.outer[from], curvature.outer[from + 1], curvature.outer[from + 2]]
            };
            let [r, rz, rz2] = [own(0), own(1), own(2)];
            // Of a single component only the entries above the diagonal are sums.
            let [below, left, middle] = if a == b { [r[1], r[2], rz[2]] } else { [rz[0], rz2[0], rz2[1]] };
            let block = [
                [r[0], r[1], 0.5 * (r[0] - r[2])],
                [below, rz[1], 0.5 * (below - rz[2])],
                [0.5 * (r[0] - left), 0.5 * (r[1] - middle), 0.25 * (r[0] - r[2] - left + rz2[2])],
            ];
            for i in 0..BLOCK {
                self.information[(BLOCK * a + i) * n + BLOCK * b..][..BLOCK].copy_from_slice(&block[i]);
                let mirrored = [block[0][i], block[1][i], block[2][i]];
                self.information[(BLOCK * b + i) * n + BLOCK * a..][..BLOCK].copy_from_slice(&mirrored);
            }
        }
        for c in 0..k {
            let [s0, s1, s2] = standardised(parameters, moments, c);
            let (s3, s4) = (curvature.third[c], curvature.fourth[c]);
            let (skew, half) = (0.5 * (3.0 * s1 - s3), 0.5 * (s0 - s2));
            let own = [[0.0, s1, half], [s1, s2 - s0, skew], [half, skew, 0.25 * (s4 - 2.0 * s2 - s0)]];
            for (i, row) in own.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    self.information[(BLOCK * c + i) * n + BLOCK * c + j] -= value;
                }
            }
        }
    }

    /// Writes the model from moments alone: the gradient, with the metric of EM as the information.
    pub(super) fn write_moments(&mut self, parameters: &Parameters, moments: &Moments) {
        let n = BLOCK * parameters.k();
        let Self { gradient, information, complete, exact } = self;
        *exact = false;
        gradient.resize(n, 0.0);
        complete.resize(n, 0.0);
        for c in 0..parameters.k() {
            let [s0, s1, s2] = standardised(parameters, moments, c);
            gradient[BLOCK * c..BLOCK * (c + 1)].copy_from_slice(&[s0, s1, 0.5 * (s0 - s2)]);
            let points = s0.max(LEAST_POINTS);
            complete[BLOCK * c..BLOCK * (c + 1)].copy_from_slice(&[points, points, 0.5 * points]);
        }
        information.clear();
        information.resize(n * n, 0.0);
        (0..n).for_each(|i| information[i * n + i] = complete[i]);
    }

    /// Adds the second derivatives of the surface `σ = c·μ`, on which precisions follow the means; `ratios` are the
    /// `σ/|μ|`.
    pub(super) fn tie(&mut self, ratios: &[f64]) {
        let n = self.gradient.len();
        for (c, ratio) in ratios.iter().enumerate() {
            let (mean, precision) = (BLOCK * c + 1, BLOCK * c + 2);
            let pull = self.gradient[precision];
            self.information[precision * n + precision] -= pull;
            self.information[mean * n + mean] -= 2.0 * pull * ratio * ratio;
        }
    }

    /// The gain that the model predicts for a step.
    pub(super) fn gain(&self, step: &[f64]) -> f64 {
        let n = step.len();
        let rows = self.information.chunks(n).zip(step);
        let bend: f64 = rows.map(|(row, u)| u * dot(row, step)).sum();
        self.slope(step) - 0.5 * bend
    }

    /// The directional derivative.
    pub(super) fn slope(&self, step: &[f64]) -> f64 {
        dot(&self.gradient, step)
    }

    /// Reduces the components of at most the weight `least`, or of next to no points, to their own metric: their
    /// curvature is meaningless for the others.
    pub(super) fn isolate_empty(&mut self, weights: &[f64], least: f64) {
        let points = LEAST_SHARE * self.complete.iter().step_by(BLOCK).sum::<f64>();
        for (c, weight) in weights.iter().enumerate() {
            if *weight <= least || self.complete[BLOCK * c] < points {
                self.isolate(c, points);
            }
        }
    }

    fn isolate(&mut self, c: usize, points: f64) {
        let n = self.gradient.len();
        for own in BLOCK * c..BLOCK * (c + 1) {
            self.complete[own] = self.complete[own].max(points);
            for other in 0..n {
                self.information[own * n + other] = 0.0;
                self.information[other * n + own] = 0.0;
            }
            self.information[own * n + own] = self.complete[own];
        }
    }
}

/// `Σ w r z^j` for j = 0, 1, 2.
fn standardised(parameters: &Parameters, moments: &Moments, c: usize) -> [f64; 3] {
    let variance = parameters.variances()[c];
    [moments.weight[c], moments.first[c] / variance.sqrt(), moments.second[c] / variance]
}

/// The size of a scaled step of one in each variable's own units.
pub(super) fn units(parameters: &Parameters) -> Vec<f64> {
    let parts = parameters.weights().iter().zip(parameters.variances());
    parts.flat_map(|(&weight, &variance)| [weight, variance.sqrt(), 1.0 / variance]).collect()
}

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
