//! [`PrecisionBlock`]: maximises `Σ n_k log p_k - s_k p_k` over the precisions `p = 1/v`, where `s_k` is the sum of
//! squares about the new mean.
//!
//! The optimum is `v_k = s_k/n_k` for free precisions and the pooled variance for equal ones. `variance_bounds` solves
//! bounds and a ratio, a `LogProgram` other rows.

use super::tie::Tie;
use super::variance_bounds::VarianceBounds;
use super::weights::named;
use super::{Targets, about, single_bounds};
use crate::constraint::{PrecisionRows, Variation};
use crate::data::frame::Frame;
use crate::error::MixtureError;
use crate::mixture::engine::Moments;
use crate::mixture::parameters::Parameters;
use crate::monitor::Monitor;
use crate::qp::{Failure, LogProgram, NoInterior, RowMatrix, equality_rank};

/// Whether the components of a mixture share one variance.
///
/// ```
/// use mindgap::{Mixture, Sample, VarianceModel};
///
/// let sample = Sample::new(&[0.0, 0.4, 0.9, 5.0, 5.1, 5.2])?;
/// let fit = Mixture::new(2).variances(VarianceModel::Equal).fit(&sample)?;
/// assert_eq!(fit.variances()[0], fit.variances()[1]);
/// assert_eq!(fit.parameter_count(), 4);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VarianceModel {
    /// Each component has its own.
    #[default]
    Free,
    /// All components share one.
    Equal,
}

/// The precisions' block of the M step.
pub(in crate::mixture) struct PrecisionBlock {
    model: VarianceModel,
    floor: f64,
    bounds: VarianceBounds,
    /// The program of rows that are more than bounds and a ratio.
    program: Option<LogProgram>,
    /// Set if spreads are proportional to the means.
    tie: Option<Tie>,
}

impl PrecisionBlock {
    /// Makes the block of `k` variances under `rows`, at least `floor`; the data's variance is `variance`, both in
    /// units of `frame`.
    ///
    /// # Errors
    /// Rows that no variances satisfy.
    pub(in crate::mixture) fn new(
        model: VarianceModel,
        k: usize,
        rows: Option<&PrecisionRows>,
        frame: &Frame,
        [floor, variance]: [f64; 2],
        monitor: &mut Monitor<'_>,
    ) -> Result<Self, MixtureError> {
        let none = |what: String| MixtureError::InfeasibleBlock { block: "spreads", what };
        let ratio = rows.map_or(f64::INFINITY, |rows| rows.largest_ratio().powi(2));
        let mut block = Self {
            model,
            floor,
            bounds: VarianceBounds { ratio, ..VarianceBounds::above(floor, k) },
            program: None,
            tie: None,
        };
        if let Some(variation) = rows.and_then(PrecisionRows::variation) {
            if model == VarianceModel::Equal || ratio.is_finite() || rows.is_some_and(|rows| rows.rows().is_some()) {
                return Err(none("a constant coefficient of variation beside other constraints on the spreads".into()));
            }
            let given = match variation {
                Variation::Estimated => None,
                Variation::Given { smallest, largest } if smallest < largest => {
                    return Err(none(format!("coefficients of variation of {smallest:?} and {largest:?}")));
                }
                Variation::Given { smallest, .. } => Some(smallest),
            };
            block.tie = Some(Tie { given, origin: frame.enter(0.0) });
            return Ok(block);
        }
        let Some(linear) = rows.and_then(PrecisionRows::rows) else {
            return Ok(block);
        };
        // Beside rows, the pooled variance is not the optimum: equal variances are those of ratio one.
        let ratio = if model == VarianceModel::Equal { 1.0 } else { ratio };
        block.bounds.ratio = ratio;
        let enter = |precision: f64| frame.leave_square(precision);
        if let Some([least, most]) = single_bounds(linear, [0.0, f64::INFINITY]) {
            for c in 0..k {
                let (low, high) = (enter(most[c]).recip(), enter(least[c].max(0.0)).recip());
                if least[c] > most[c] || most[c] <= 0.0 {
                    return Err(none(format!("the bounds of component {c}")));
                }
                // A bound of the caller's takes precedence over the floor.
                block.bounds.lower[c] = if high < floor { low } else { low.max(floor) };
                block.bounds.upper[c] = high;
            }
            let (least, most) =
                (fold(&block.bounds.lower, 0.0, f64::max), fold(&block.bounds.upper, f64::INFINITY, f64::min));
            if least > ratio * most {
                return Err(none(match ratio {
                    1.0 => "bounds without a common value, as equal spreads need".into(),
                    _ => format!("bounds that are more than a ratio of {:?} apart", ratio.sqrt()),
                }));
            }
            return Ok(block);
        }
        let given = (0..linear.len())
            .map(|row| (linear.row(row).to_vec(), enter(linear.lower()[row]), enter(linear.upper()[row])));
        let unit = |c: usize| (0..k).map(move |other| if other == c { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        let capped = (0..k).map(|c| (unit(c), f64::NEG_INFINITY, floor.recip()));
        let pairs = (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).filter(|(i, j)| i != j && ratio.is_finite());
        let bounded = pairs.map(|(i, j)| {
            let mut row = unit(i);
            row[j] = -ratio;
            (row, f64::NEG_INFINITY, 0.0)
        });
        let matrix = RowMatrix::plain(k, given.chain(capped).chain(bounded));
        let program = LogProgram::new(matrix, variance.recip(), monitor).map_err(|error| match error {
            NoInterior::Vanishes(c) => none(format!("the rows, unless the precision of component {c} vanishes")),
            NoInterior::Failure(Failure::Clash(clash)) => {
                none(format!("rows {:?} together", named(&clash, linear.len())))
            }
            NoInterior::Failure(other) => other.in_iteration(0),
        })?;
        block.program = Some(program);
        Ok(block)
    }

    /// The least variance; a component that reaches it has collapsed.
    pub(in crate::mixture) fn floor(&self) -> f64 {
        self.floor
    }

    /// The number of free variances: the others follow from equalities and from the means.
    pub(super) fn free_count(&self) -> usize {
        if let Some(tie) = self.tie {
            return usize::from(tie.given.is_none());
        }
        if let Some(program) = &self.program {
            return self.bounds.lower.len() - equality_rank(program.rows());
        }
        let free = (self.bounds.lower.iter().zip(&self.bounds.upper)).filter(|(lower, upper)| lower < upper).count();
        match self.is_equal() {
            true => usize::from(free == self.bounds.lower.len()),
            false => free,
        }
    }

    /// Returns the best variances about `means`.
    ///
    /// # Errors
    /// A failure of the program.
    pub(super) fn best(
        &mut self,
        parameters: &Parameters,
        moments: &Moments,
        targets: &Targets,
        means: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<f64>, Failure> {
        let mut variances = about(parameters, moments, targets, means);
        self.pool(&moments.weight, &mut variances);
        let Some(program) = &mut self.program else {
            return Ok(self.bounds.best(&moments.weight, &variances));
        };
        let squares: Vec<f64> = variances.iter().zip(&moments.weight).map(|(v, n)| v * n).collect();
        let precisions = program.solve(&moments.weight, &squares, monitor)?;
        Ok(precisions.iter().map(|p| p.recip()).collect())
    }

    /// Replaces the variances by the pooled one, if that is the model.
    fn pool(&self, weights: &[f64], variances: &mut [f64]) {
        if self.is_equal() {
            let total: f64 = weights.iter().sum();
            let pooled = variances.iter().zip(weights).map(|(v, n)| v * n).sum::<f64>() / total;
            variances.fill(pooled);
        }
    }

    /// Returns the best variances within the bounds and the ratio, for components of these weights with variances
    /// `wanted` about their means; other rows are left to the next M step.
    pub(in crate::mixture) fn nearest(&self, weights: &[f64], wanted: &[f64]) -> Vec<f64> {
        let mut wanted = wanted.to_vec();
        self.pool(weights, &mut wanted);
        self.bounds.best(weights, &wanted)
    }

    /// Whether all components share one variance.
    pub(in crate::mixture) fn is_equal(&self) -> bool {
        self.model == VarianceModel::Equal || self.bounds.ratio == 1.0
    }

    /// The largest variance over the smallest, if it is bounded.
    pub(in crate::mixture) fn variance_ratio(&self) -> Option<f64> {
        (!self.is_equal() && self.bounds.ratio.is_finite()).then_some(self.bounds.ratio)
    }

    /// The least and the largest variance of a component.
    pub(in crate::mixture) fn bounds(&self, component: usize) -> [f64; 2] {
        [self.bounds.lower[component], self.bounds.upper[component]]
    }

    /// The rows on the precisions that are more than bounds and a ratio.
    pub(in crate::mixture) fn rows(&self) -> Option<&RowMatrix> {
        self.program.as_ref().map(LogProgram::rows)
    }

    /// The same block for fewer components, without individual bounds.
    pub(in crate::mixture) fn fewer(&self, k: usize) -> Self {
        let bounds = VarianceBounds { ratio: self.bounds.ratio, ..VarianceBounds::above(self.floor, k) };
        Self { model: self.model, floor: self.floor, bounds, program: None, tie: self.tie }
    }

    /// The tie between spreads and means, if there is one.
    pub(in crate::mixture) fn tie(&self) -> Option<Tie> {
        self.tie
    }

    /// Bounds every variance below by `least`. Unlike at the floor, a component that reaches it has not collapsed.
    pub(in crate::mixture) fn at_least(mut self, least: f64) -> Self {
        self.bounds.lower.iter_mut().for_each(|lower| *lower = lower.max(least));
        self
    }

    /// Bounds every variance above by `most`, unless the caller's own bounds are higher.
    pub(in crate::mixture) fn capped(mut self, most: f64) -> Self {
        for (lower, upper) in self.bounds.lower.iter().zip(&mut self.bounds.upper) {
            *upper = if *lower < most { upper.min(most) } else { *upper };
        }
        self
    }
}

fn fold(values: &[f64], from: f64, by: fn(f64, f64) -> f64) -> f64 {
    values.iter().copied().fold(from, by)
}
