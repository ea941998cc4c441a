//! How sure the top of a hill is: standard errors from the observed information, and what a release of the bounds would gain.

use super::ascent::{CONVEX_DAMPING, LEAST_DAMPING, MOST_DAMPING, Program};
use super::model::{BLOCK, Model, units};
use super::rows::{self, Kind, LEAST_WEIGHT};
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::qp::dense::SparseRows;

/// What is known about a top beside its place.
#[derive(Clone, Debug)]
pub(in crate::mixture) struct Sureness {
    /// The standard error of each weight, mean and variance, in frame units, active rows held; `None` for components without
    /// weight, and all where the information has no inverse.
    pub(in crate::mixture) errors: Vec<Option<[f64; BLOCK]>>,
    /// The same as shares of the weight, of the spread, and of the variance: above one, the data do not determine it.
    pub(in crate::mixture) relative: Vec<Option<[f64; BLOCK]>>,
    /// What the model says that the likelihood would gain without the rows on the means.
    pub(in crate::mixture) held_back: f64,
    /// Components whose spread is at a bound.
    pub(in crate::mixture) spreads_held: Vec<usize>,
}

impl Sureness {
    /// What `model`, taken at `parameters`, says.
    pub(in crate::mixture) fn new(m_step: &MStep, parameters: &Parameters, model: &Model) -> Self {
        let k = parameters.k();
        let (mut rows, mut kinds) = (SparseRows::default(), Vec::new());
        rows::write(m_step, parameters, &mut rows, &mut kinds);
        let program = Program::new(model, &mut rows);
        let mut spreads_held: Vec<usize> = match m_step.precisions.is_equal() {
            true => Vec::new(),
            false => program.active.iter().filter_map(|&row| kinds[row].held_spread()).collect(),
        };
        spreads_held.sort_unstable();
        spreads_held.dedup();
        let own = units(parameters);
        let lost = |c: usize| parameters.weights()[c] <= 2.0 * LEAST_WEIGHT;
        let relative: Vec<Option<[f64; BLOCK]>> = match program.factor(LEAST_DAMPING) {
            None => vec![None; k],
            Some(factor) => {
                let variances = factor.variances_along(&rows, &program.active);
                let error = |i: usize| variances[i].sqrt() * program.units[i];
                (0..k).map(|c| (!lost(c)).then(|| std::array::from_fn(|i| error(BLOCK * c + i)))).collect()
            }
        };
        // A variance moves by the same share as its precision.
        let absolute = |c: usize, [weight, mean, spread]: [f64; BLOCK]| {
            [weight * own[BLOCK * c], mean * own[BLOCK * c + 1], spread * parameters.variances()[c]]
        };
        let errors = relative.iter().enumerate().map(|(c, share)| share.map(|share| absolute(c, share))).collect();
        Self { errors, relative, held_back: held_back(m_step, parameters, model), spreads_held }
    }
}

impl Sureness {
    /// With the components in this order.
    pub(in crate::mixture) fn reorder(&mut self, order: &[usize]) {
        self.errors = order.iter().map(|&c| self.errors[c]).collect();
        self.relative = order.iter().map(|&c| self.relative[c]).collect();
        self.spreads_held = (0..order.len()).filter(|&place| self.spreads_held.contains(&order[place])).collect();
    }
}

impl Kind {
    fn held_spread(self) -> Option<usize> {
        match self {
            Self::Spread(component) => Some(component),
            _ => None,
        }
    }
}

/// What the model gains where the rows on the means do not hold it back.
fn held_back(m_step: &MStep, parameters: &Parameters, model: &Model) -> f64 {
    let (mut all, mut kinds) = (SparseRows::default(), Vec::new());
    rows::write(m_step, parameters, &mut all, &mut kinds);
    if !kinds.contains(&Kind::Mean) {
        return 0.0;
    }
    let mut rows = SparseRows::default();
    for row in (0..all.len()).filter(|&row| kinds[row] != Kind::Mean) {
        rows.push(all.terms(row).iter().copied(), all.level(row), all.is_equality(row));
    }
    let program = Program::new(model, &mut rows);
    let mut damping = LEAST_DAMPING;
    loop {
        if let Some(optimum) = program.solve(&rows, damping) {
            let step: Vec<f64> = optimum.point.iter().zip(&program.units).map(|(u, unit)| u * unit).collect();
            return model.gain(&step).max(0.0);
        }
        damping = (4.0 * damping).max(CONVEX_DAMPING);
        if damping > MOST_DAMPING {
            return 0.0;
        }
    }
}
