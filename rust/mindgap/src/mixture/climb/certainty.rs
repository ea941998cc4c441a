//! [`Certainty`]: standard errors from the observed information, and the predicted gain without the bounds.

use super::ascent::{CONVEX_DAMPING, LEAST_DAMPING, MOST_DAMPING};
use super::model::{BLOCK, Model, units};
use super::rows::{self, LEAST_WEIGHT, RowKind};
use super::step::Program;
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::qp::dense::SparseRows;

/// How well the data determine a maximum.
#[derive(Clone, Debug)]
pub(in crate::mixture) struct Certainty {
    /// The standard error of each weight, mean and variance along the active rows, in frame units; `None` for
    /// components without weight, and for all if the information is singular.
    pub(in crate::mixture) errors: Vec<Option<[f64; BLOCK]>>,
    /// The standard error of each gap between neighbouring means, in frame units; `None` as above.
    pub(in crate::mixture) gaps: Vec<Option<f64>>,
    /// Whether an inequality is active, so that the estimate cannot move both ways.
    pub(in crate::mixture) at_bound: bool,
    /// The errors of each component relative to its weight, spread and variance: above one, the data do not determine
    /// it.
    pub(in crate::mixture) relative: Vec<Option<[f64; BLOCK]>>,
    /// The gain of log-likelihood without the rows on the means that the model predicts.
    pub(in crate::mixture) held_back: f64,
    /// Components whose spread a bound keeps from being smaller.
    pub(in crate::mixture) spreads_held: Vec<usize>,
}

impl Certainty {
    /// Derives standard errors and the gain from the `model` at `parameters`.
    pub(in crate::mixture) fn new(m_step: &MStep, parameters: &Parameters, model: &Model) -> Self {
        let (k, n) = (parameters.k(), BLOCK * parameters.k());
        let (mut rows, mut kinds) = (SparseRows::default(), Vec::new());
        rows::write(m_step, parameters, &mut rows, &mut kinds);
        let mut program = Program::new(model, &mut rows);
        let mut spreads_held: Vec<usize> = program.active.iter().filter_map(|&row| kinds[row].held_spread()).collect();
        spreads_held.sort_unstable();
        spreads_held.dedup();
        let own = units(parameters);
        let lost = |c: usize| parameters.weights()[c] <= 2.0 * LEAST_WEIGHT;
        let mut factored = program.factor(LEAST_DAMPING);
        while !factored && program.stiffen(&rows) {
            factored = program.factor(LEAST_DAMPING);
        }
        let Program { mut dense, active, units: scaled, .. } = program;
        let mut along =
            |combinations: Vec<Vec<f64>>| factored.then(|| dense.variances_along(&rows, &active, combinations));
        let single = |i: usize| (0..n).map(|j| if i == j { scaled[i] } else { 0.0 }).collect();
        let relative: Vec<Option<[f64; BLOCK]>> = match along((0..n).map(single).collect()) {
            None => vec![None; k],
            Some(variances) => {
                (0..k).map(|c| (!lost(c)).then(|| std::array::from_fn(|i| variances[BLOCK * c + i].sqrt()))).collect()
            }
        };
        // The components by ascending mean, the order of the gaps.
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| parameters.means()[a].total_cmp(&parameters.means()[b]));
        let pairs: Vec<(usize, usize)> = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let gap = |&(low, high): &(usize, usize)| {
            let mut combination = vec![0.0; n];
            for (c, sign) in [(low, -1.0), (high, 1.0)] {
                let mean = BLOCK * c + 1;
                combination[mean] = sign * own[mean] * scaled[mean];
            }
            combination
        };
        let gaps = match along(pairs.iter().map(gap).collect()) {
            None => vec![None; pairs.len()],
            Some(variances) => {
                let error = |(&(low, high), variance): (&(usize, usize), f64)| {
                    (!lost(low) && !lost(high)).then(|| variance.sqrt())
                };
                pairs.iter().zip(variances).map(error).collect()
            }
        };
        let inequality = |&&row: &&usize| !rows.is_equality(row);
        let at_bound =
            active.iter().filter(inequality).any(|&row| !matches!(kinds[row], RowKind::Weight(c) if lost(c)));
        // A variance has the same relative error as its precision.
        let absolute = |c: usize, [weight, mean, spread]: [f64; BLOCK]| {
            [weight * own[BLOCK * c], mean * own[BLOCK * c + 1], spread * parameters.variances()[c]]
        };
        let errors = relative.iter().enumerate().map(|(c, share)| share.map(|share| absolute(c, share))).collect();
        Self { errors, gaps, at_bound, relative, held_back: held_back(m_step, parameters, model), spreads_held }
    }
}

impl Certainty {
    /// Reorders the components.
    pub(in crate::mixture) fn reorder(&mut self, order: &[usize]) {
        self.errors = order.iter().map(|&c| self.errors[c]).collect();
        self.relative = order.iter().map(|&c| self.relative[c]).collect();
        self.spreads_held = (0..order.len()).filter(|&place| self.spreads_held.contains(&order[place])).collect();
    }
}

impl RowKind {
    fn held_spread(self) -> Option<usize> {
        match self {
            Self::Spread(component) => Some(component),
            _ => None,
        }
    }
}

/// The model's gain without the rows on the means.
fn held_back(m_step: &MStep, parameters: &Parameters, model: &Model) -> f64 {
    let (mut all, mut kinds) = (SparseRows::default(), Vec::new());
    rows::write(m_step, parameters, &mut all, &mut kinds);
    if !kinds.contains(&RowKind::Mean) {
        return 0.0;
    }
    let mut rows = SparseRows::default();
    for row in (0..all.len()).filter(|&row| kinds[row] != RowKind::Mean) {
        rows.push(all.terms(row).iter().copied(), all.level(row), all.is_equality(row));
    }
    let mut program = Program::new(model, &mut rows);
    let mut damping = LEAST_DAMPING;
    loop {
        if let Some(step) = program.step(&rows, damping) {
            return model.gain(&step).max(0.0);
        }
        damping = (4.0 * damping).max(CONVEX_DAMPING);
        if damping > MOST_DAMPING {
            return 0.0;
        }
    }
}
