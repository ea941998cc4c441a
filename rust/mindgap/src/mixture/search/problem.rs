//! [`CellProblem`]: the data in cells, and the rows: what a search climbs on.

use super::cells::Cells;
use super::starts::ProblemShape;
use crate::data::frame::Frame;
use crate::error::MixtureError;
use crate::mixture::climb::{Ascent, ClimbLimits, ClimbOptions, Ending, Reached, Workspace, ascend, step_of_em};
use crate::mixture::engine::Moments;
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::mixture::surface::Surface;
use crate::monitor::{Monitor, Progress};
use crate::numeric::portable::ln;
use std::cell::RefCell;

/// A climb is abandoned if it is below the best by more than this after one Newton step, two, and so on. On 1,600
/// problems the search misses as many as without, in a tenth less time; with a third of these it misses five more.
const LAG: [f64; 4] = [40.0, 15.0, 6.0, 4.0];

/// After this many Newton steps a climb is also abandoned if it is below the best by more than the gain that was
/// predicted for its last step, and by more than [`SMALL_LAG`]. On 1,600 problems that takes a twentieth fewer passes,
/// and no more are missed.
const PREDICTING_STEPS: usize = 2;

/// A climb below the best by less than this is not abandoned for its small gains. Of 1,600 problems 29 were missed with
/// this and with 2.
const SMALL_LAG: f64 = 1.0;

/// A climb whose next step gains less than this joins a known maximum if the step leads there: without the pass of that
/// step.
const LAST_GAIN: f64 = 1.0;

/// The margins by which climbs and maxima may be below the best are for up to so much weight. Above it they grow in
/// proportion, as all log-likelihoods do. With fixed margins, searches on 2,000 to 100,000 points under bounds that do
/// not fit the data left the best start unfinished.
const WEIGHT_OF_MARGINS: f64 = 1000.0;

/// The data in cells, and the rows.
pub(super) struct CellProblem<'a> {
    pub(super) cells: Cells,
    pub(super) shape: ProblemShape,
    pub(super) m_step: &'a mut MStep,
    pub(super) frame: Frame,
    pub(super) workspace: Workspace,
    /// Counts the passes of the search as work.
    pub(super) monitor: Monitor<'a>,
    /// Whether the time limit has passed.
    pub(super) out_of_time: bool,
}

/// The bounds of the gaps, from the rows that are gaps.
pub(super) fn shape(m_step: &MStep, k: usize) -> ProblemShape {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    if let Some(program) = &m_step.means.program {
        (lower, upper) = (vec![0.0; k.saturating_sub(1)], vec![f64::INFINITY; k.saturating_sub(1)]);
        let rows = program.rows();
        for row in 0..rows.len() {
            if let Some(gap) = rows.gap(row) {
                let bounds = rows.bounds(row);
                lower[gap] = f64::max(lower[gap], bounds.0);
                upper[gap] = f64::min(upper[gap], bounds.1);
            }
        }
    }
    ProblemShape {
        k,
        lower,
        upper,
        equal_spreads: m_step.precisions.is_equal(),
        variance_ratio: m_step.precisions.variance_ratio(),
    }
}

impl CellProblem<'_> {
    /// A margin for these data, from one for little weight.
    pub(super) fn margin(&self, margin: f64) -> f64 {
        margin * (self.cells.total / WEIGHT_OF_MARGINS).max(1.0)
    }

    /// Climbs on the cells, as far as time allows, until `joins` says that it converges to a known maximum, or it stays
    /// too far below `best`. A climb that joins a maximum by its next step is put where that leads.
    pub(super) fn climb(
        &mut self,
        start: Parameters,
        em_steps: usize,
        passes: usize,
        best: f64,
        joins: &dyn Fn(&Parameters, f64) -> bool,
    ) -> Result<Ascent, MixtureError> {
        self.monitor.untimed().send(&Progress::Working)?;
        let (lags, small_lag) = (LAG.map(|lag| self.margin(lag)), self.margin(SMALL_LAG));
        let scale = [self.cells.total, self.cells.variance];
        let mut surface = Surface::new(&mut self.cells, self.frame, true, scale);
        let limits = ClimbLimits { em_steps, passes, tolerance: ClimbLimits::TOLERANCE };
        let start = start.sorted().0.raised(self.m_step.precisions.floor());
        let behind = |at: &Reached<'_>| {
            let steps = at.passes.saturating_sub(em_steps + 1).clamp(1, LAG.len());
            let below = best - at.log_likelihood;
            below > lags[steps - 1] || steps >= PREDICTING_STEPS && below > at.decrement.max(small_lag)
        };
        let joined = RefCell::new(None);
        let leave = |at: Reached<'_>| match at.next {
            None => behind(&at) || joins(at.parameters, at.log_likelihood),
            Some(next) => {
                // Half of the gain: predictions are often too high.
                let halfway = at.log_likelihood + 0.5 * at.decrement;
                let joining = at.decrement < LAST_GAIN && joins(next, halfway);
                if joining {
                    joined.replace(Some((next.clone(), halfway)));
                }
                joining
            }
        };
        let workspace = &mut self.workspace;
        let options = ClimbOptions { leave: &leave, ..limits.into() };
        let mut ascent = ascend(&mut surface, self.m_step, start, options, workspace, &mut self.monitor)?;
        if let Some(end) = joined.into_inner() {
            (ascent.parameters, ascent.log_likelihood) = end;
        }
        self.out_of_time |= ascent.ending == Ending::OutOfTime;
        Ok(ascent)
    }

    /// Takes EM steps from a start, whatever the time; also returns a lower bound on the log-likelihood after them.
    pub(super) fn em_steps(&mut self, start: Parameters, steps: usize) -> Result<(Parameters, f64), MixtureError> {
        let scale = [self.cells.total, self.cells.variance];
        let mut surface = Surface::new(&mut self.cells, self.frame, true, scale);
        let mut at = (start.sorted().0.raised(self.m_step.precisions.floor()), f64::NEG_INFINITY);
        for _ in 0..steps {
            at = step(&mut surface, self.m_step, at.0, &mut self.monitor.untimed())?;
        }
        Ok(at)
    }

    /// Takes one EM step on `cells`; also returns a lower bound on the log-likelihood after it.
    pub(super) fn em(&mut self, cells: &mut Cells, start: Parameters) -> Result<(Parameters, f64), MixtureError> {
        let scale = [cells.total, cells.variance];
        step(&mut Surface::new(cells, self.frame, true, scale), self.m_step, start, &mut self.monitor)
    }

    /// The excess kurtosis of the points of each component, `Σ w r (z⁴ - 6z² + 3)`; under equal spreads their lack of
    /// variance, `Σ w r (1 - z²)`.
    pub(super) fn excesses(&mut self, cells: &mut Cells, parameters: &Parameters) -> Result<Vec<f64>, MixtureError> {
        let scale = [cells.total, cells.variance];
        let moments = Surface::new(cells, self.frame, true, scale).curved(parameters)?;
        let excess = |c: usize| {
            let (n, squares) = (moments.weight[c], moments.second[c] / parameters.variances()[c]);
            match &moments.curvature {
                Some(curvature) if !self.shape.equal_spreads => curvature.fourth[c] - 6.0 * squares + 3.0 * n,
                _ => n - squares,
            }
        };
        Ok((0..parameters.k()).map(excess).collect())
    }

    /// As [`em`](Self::em), with other rows.
    pub(super) fn em_with(
        &mut self,
        cells: &mut Cells,
        start: Parameters,
        m_step: &mut MStep,
    ) -> Result<(Parameters, f64), MixtureError> {
        let scale = [cells.total, cells.variance];
        step(&mut Surface::new(cells, self.frame, true, scale), m_step, start, &mut self.monitor)
    }
}

fn step(
    surface: &mut Surface<'_>,
    m_step: &mut MStep,
    start: Parameters,
    monitor: &mut Monitor<'_>,
) -> Result<(Parameters, f64), MixtureError> {
    monitor.send(&Progress::Working)?;
    let moments = surface.at(&start)?;
    let next = step_of_em(m_step, &start, &moments, 0, monitor)?;
    let at_least = moments.log_likelihood + gain(&start, &next, &moments);
    Ok((next, at_least))
}

/// What an EM step gains in the expected log-likelihood of points that know their components; the log-likelihood itself
/// gains no less.
fn gain(before: &Parameters, after: &Parameters, moments: &Moments) -> f64 {
    let component = |c: usize| {
        let (n, variances) = (moments.weight[c], [before.variances()[c], after.variances()[c]]);
        let moved = after.means()[c] - before.means()[c];
        let squares = moments.second[c] - 2.0 * moved * moments.first[c] + n * moved * moved;
        let grown = after.weights()[c] / before.weights()[c];
        let heights = if n > 0.0 { n * ln(grown * grown * variances[0] / variances[1]) } else { 0.0 };
        0.5 * (heights + moments.second[c] / variances[0] - squares / variances[1])
    };
    (0..before.k()).map(component).sum()
}
