//! `Mixture::certify`: from data units to the tree and back.

use super::points::Points;
use super::proof::ProofTree;
use super::quadrature::{NODES, compress};
use super::region::{Cell, Constraints};
use super::tree::{Task, TreeProgress};
use crate::constraint::Rows;
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::error::{KMeansError, MixtureError};
use crate::kmeans::KMeans;
use crate::mixture::fit::MixtureFit;
use crate::mixture::parameters::Parameters;
use crate::mixture::problem::Mixture;
use crate::mixture::spread_defaults::SpreadBounds;
use crate::monitor::{Halt, Monitor, Progress, StopFlag};
use crate::numeric::portable::ln;
use crate::parallel::Workers;
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// Multiples of the requested ε that are tried first: a tree that is stopped early keeps the last one that closed.
/// Measured on the paper's models: 30 adds a tenth to the nodes; 10 and 3 between them doubled the nodes.
const LADDER: [f64; 2] = [30.0, 1.0];

/// Nodes spent on the requested ε before the larger ones are tried: a few seconds. Two in three of 40 trees with five
/// components, gaps and 500 points are smaller.
const FIRST_TRY: usize = 10_000;

/// Iterations at most of a climb from a node of the tree. Measured: climbs that end above the best known log-likelihood
/// pass it by then.
const CLIMB: usize = 200;

/// The relative error of the lower bound that k-means gives. The rounding of its sums of squares is already subtracted
/// (docs/mathematics.md, "Precision"); partitions that it cannot tell apart differ by 1e-11, and the sum over clusters
/// and the frame's scale add a few roundings.
const COST_ERROR: f64 = 1e-10;

/// The width of the bins in which points are replaced by nodes, in standard deviations of the fit's narrowest component
/// divided by the largest ratio of two. Measured on 100,000 points: with bins four times as wide, boxes of small
/// variances do not close; narrower bins cost more.
const BIN: f64 = 0.05;

/// The same for variances that are equal or nearly so.
const WIDEST_BIN: f64 = 0.03;

/// Bounds on weights and relaxations with multipliers use the widest bins whose width is at most this many times the
/// smallest standard deviation of the region. A choice, not measured.
const WIDE_BIN: f64 = 0.025;

/// Number of widths of bins; each is twice the one before.
const WIDTHS: i32 = 6;

/// The largest number of nodes of the finest bins. Measured on 100,000 points (three components, ratio 10, one of them
/// narrow): with 25,000 the tree takes twice as long, with 6,000 it has twice as many regions.
const MOST_NODES: f64 = 10_000.0;

/// Points are kept where nodes would be more than this share of them.
const FEWER: f64 = 0.5;

/// The smallest allowance for rounding, for each unit of weight: see `WeighedMixture::new`.
const LEAST_ROUNDING: f64 = 2048.0 * f64::EPSILON;

/// The relative error of a variance, or of a ratio of two, that is held at its bound.
const RATIO_ERROR: f64 = 1e-12;

/// How a mixture is certified.
///
/// ```
/// use mindgap::CertifyOptions;
///
/// let closer = CertifyOptions { epsilon: 0.01, ..CertifyOptions::default() };
/// assert!(!closer.record);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CertifyOptions {
    /// How far the bound may be above the best known log-likelihood. The default, 0.1, is too small to matter to any
    /// statistical decision.
    pub epsilon: f64,
    /// Whether to keep the proof, so that it can be written out and checked independently.
    pub record: bool,
}

impl Default for CertifyOptions {
    fn default() -> Self {
        Self { epsilon: 0.1, record: false }
    }
}

/// What is proven about the maximum of a mixture's likelihood.
///
/// ```
/// use mindgap::{CertifyOptions, Mixture, Monitor, Sample};
///
/// let sample = Sample::new(&[0.0, 1.0, 2.0, 4.0])?;
/// let mixture = Mixture::new(1);
/// let fit = mixture.fit(&sample)?;
/// let options = CertifyOptions { record: true, ..CertifyOptions::default() };
/// let certificate = mixture.certify(&sample, &fit, options, &mut Monitor::default())?;
/// assert_eq!((certificate.halted(), certificate.parameters().k()), (None, 1));
/// assert!(certificate.upper_bound() >= Some(fit.log_likelihood()));
/// assert!(certificate.proof().is_some() && certificate.nodes() > 0);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    upper_bound: Option<f64>,
    parameters: Parameters,
    log_likelihood: f64,
    nodes: usize,
    halted: Option<Halt>,
    proof: Option<String>,
}

impl Certificate {
    /// No mixture that satisfies the constraint has a higher log-likelihood. `None` if the search stopped before it
    /// proved any bound.
    pub fn upper_bound(&self) -> Option<f64> {
        self.upper_bound
    }

    /// The best mixture known: the fit's, or a better one found by the search.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The log-likelihood of [`parameters`](Self::parameters).
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// How many regions of the parameter space were examined.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Why the search ended early, if it did.
    pub fn halted(&self) -> Option<Halt> {
        self.halted
    }

    /// The result of a search that was stopped before it began.
    fn stopped(fit: &MixtureFit, halt: Halt) -> Self {
        Self {
            upper_bound: None,
            parameters: fit.parameters().clone(),
            log_likelihood: fit.log_likelihood(),
            nodes: 0,
            halted: Some(halt),
            proof: None,
        }
    }

    /// The proof as JSON, if it was recorded and complete: the problem and the tree in preorder, in data units.
    pub fn proof(&self) -> Option<&str> {
        self.proof.as_deref()
    }
}

impl Mixture {
    /// Bounds the log-likelihood of every mixture that satisfies the constraint, starting from a `fit` to the same
    /// sample.
    ///
    /// The bound is at most [`epsilon`](CertifyOptions::epsilon) above the best mixture known, which may be better than
    /// the fit. The search can take long: seconds for three components, minutes for five. If `monitor` stops it, the
    /// bound is the best proven so far. The result does not depend on the number of threads.
    ///
    /// ```
    /// use mindgap::{CertifyOptions, Mixture, Monitor, Sample, VarianceModel};
    ///
    /// let x: Vec<f64> = (0..60).map(|i| f64::from(i % 2) * 4.0 + f64::from(i % 10) * 0.1).collect();
    /// let sample = Sample::new(&x)?;
    /// let mixture = Mixture::new(2).variances(VarianceModel::Equal);
    /// let fit = mixture.fit(&sample)?;
    /// let certificate = mixture.certify(&sample, &fit, CertifyOptions::default(), &mut Monitor::default())?;
    /// let bound = certificate.upper_bound().expect("nothing stopped it");
    /// assert!(fit.log_likelihood() <= bound && bound <= certificate.log_likelihood() + 0.101);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`MixtureError::NotCertifiable`] if the likelihood has no maximum or the constraint is none on gaps; and what a
    /// fit may fail with.
    pub fn certify(
        &self,
        sample: &Sample,
        fit: &MixtureFit,
        options: CertifyOptions,
        monitor: &mut Monitor<'_>,
    ) -> Result<Certificate, MixtureError> {
        if !(options.epsilon > 0.0 && options.epsilon.is_finite()) {
            let expected = "it must be finite and positive";
            return Err(MixtureError::BadSetting { name: "epsilon", value: options.epsilon, expected });
        }
        fit.parameters().check_count(self.k)?;
        let monitor = &mut monitor.within(&self.limits);
        let frame = *sample.frame();
        let (rows, spreads) = self.certifiable(sample)?;
        if LEAST_ROUNDING * sample.total_weight() > options.epsilon {
            return Err(MixtureError::NotCertifiable { reason: HEAVY });
        }
        let (distinct, _) = sample.collapsed();
        let kmeans = match KMeans::new(self.k).fit_with(&distinct, &mut monitor.silent()) {
            Err(KMeansError::Interrupted) => return Ok(Certificate::stopped(fit, Halt::Interrupted)),
            Err(KMeansError::TimeLimit) => return Ok(Certificate::stopped(fit, Halt::TimeLimit)),
            fitted => fitted.map_err(MixtureError::KMeansStart)?,
        };
        let kmeans_cost = frame.enter_square(kmeans.lower_bound()) * (1.0 - COST_ERROR);
        if kmeans_cost <= 0.0 {
            return Err(MixtureError::NotCertifiable { reason: UNBOUNDED_ON_POINTS });
        }
        let known = fit.parameters().enter(&frame);
        let values: Vec<f64> = distinct.values().iter().map(|&x| frame.enter(x)).collect();
        let weights: Vec<f64> = (0..values.len()).map(|i| distinct.weight(i)).collect();
        // A recorded proof uses the points themselves, so that a checker need not trust the nodes.
        let mut points =
            if options.record { Vec::new() } else { in_place_of(&values, &weights, &known, spreads.ratio) };
        let light = points.first().and_then(|nodes| {
            let leave: Vec<f64> = nodes.values().iter().map(|&x| frame.leave(x)).collect();
            Sample::weighted(&leave, nodes.weights()).ok()
        });
        if points.is_empty() {
            points.push(Points::new(&values, &weights));
        }
        let climbed_on = light.as_ref().unwrap_or(&distinct);
        let epsilons = LADDER.map(|multiple| multiple * options.epsilon);
        let problem = self.clone().max_iter(CLIMB);
        let stop = StopFlag::at(monitor.deadline());
        let climb = |start: &Parameters| {
            let mut monitor = Monitor::new(|_| match stop.is_due() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
            let fit = problem.clone().init(start.leave(&frame)).fit_with(climbed_on, &mut monitor).ok()?;
            Some(fit.parameters().enter(&frame))
        };
        let task = Task {
            points,
            constraints: Constraints::new(rows.lower, rows.upper, &spreads, self.k),
            kmeans_cost,
            epsilons: &epsilons,
            first_try: FIRST_TRY,
            record: options.record,
            stop: stop.clone(),
            climb: &climb,
        };
        let units = frame.log_density(distinct.total_weight());
        let mut halted = None;
        let mut report = |progress: Option<&TreeProgress>| {
            let progress = progress.map_or(Progress::Working, |progress| Progress::Certificate {
                nodes: progress.nodes,
                open: progress.open,
                epsilon: progress.epsilon,
                log_likelihood: progress.log_likelihood + units,
            });
            match monitor.send(&progress) {
                Ok(()) => ControlFlow::Continue(()),
                Err(halt) => {
                    halted = Some(halt);
                    ControlFlow::Break(())
                }
            }
        };
        // The tree's monitor lives on this thread; only batches of nodes go to others.
        let workers = Workers::for_search();
        let shown = task.run(&[known], &workers, &mut report);
        let summed = sample.weights().map_or(0, <[f64]>::len) as f64;
        let in_units = |bound: f64| bound + units + task.unit_allowance(&shown.root, bound, units, summed);
        let upper_bound = shown.closed.map(|(_, bound)| in_units(bound));
        // The log-likelihood over nodes only approximates that over the points.
        let log_likelihood = match &light {
            Some(_) => Points::new(&values, &weights).log_likelihood(&shown.best),
            None => shown.log_likelihood,
        };
        let proof = match (&shown.proof, shown.closed, upper_bound) {
            (Some(proof), Some((_, threshold)), Some(bound)) => {
                Some(task.proof_text(proof, bound, threshold, shown.root[0].least, distinct.values(), &frame))
            }
            _ => None,
        };
        Ok(Certificate {
            upper_bound,
            parameters: shown.best.leave(&frame),
            log_likelihood: log_likelihood + units,
            nodes: shown.nodes,
            halted,
            proof,
        })
    }

    /// The bounds of the gaps, in frame units, and of the variances, widened by the tolerance to which fits satisfy
    /// them; or why no certificate is possible.
    fn certifiable(&self, sample: &Sample) -> Result<(Rows, SpreadBounds), MixtureError> {
        let refuse = |reason| Err(MixtureError::NotCertifiable { reason });
        let Some((rows, SpreadBounds { ratio, least })) = self.gaps_and_spreads(sample)? else {
            return refuse(ROWS);
        };
        if sample.has_widths() {
            return refuse(CELLS);
        }
        if ratio == f64::INFINITY {
            return refuse(UNBOUNDED);
        }
        if self.k >= sample.distinct() {
            return refuse(UNBOUNDED_ON_POINTS);
        }
        let frame = sample.frame();
        let range = frame.enter_length(sample.highest(sample.len() - 1) - sample.lowest(0));
        let ratio = if ratio == 1.0 { 1.0 } else { ratio * (1.0 + RATIO_ERROR) };
        Ok((rows.enter(frame).loosened(range), SpreadBounds { ratio, least: least * (1.0 - RATIO_ERROR) }))
    }
}

/// Replaces many points by nodes where nodes are far fewer: bins for the smallest variances, and wider ones for larger.
fn in_place_of(values: &[f64], weights: &[f64], known: &Parameters, ratio: f64) -> Vec<Points> {
    let range = values[values.len() - 1] - values[0];
    let least = known.variances().iter().copied().fold(f64::INFINITY, f64::min);
    let finest = (least.sqrt() * WIDEST_BIN.min(BIN / ratio.sqrt())).max(NODES as f64 * range / MOST_NODES);
    if NODES as f64 * range / finest > FEWER * values.len() as f64 {
        return Vec::new();
    }
    let of_width = |width: f64| {
        let least_variance = if width > finest { (width / WIDE_BIN) * (width / WIDE_BIN) } else { 0.0 };
        Points::compressed(compress(values, weights, width), least_variance, known)
    };
    (0..WIDTHS).map(|doublings| of_width(finest * f64::from(1 << doublings))).collect()
}

/// Why rows on the centres are not certified.
const ROWS: &str = "it holds linear rows; only bounds on gaps and on the ratio of spreads can be certified";
/// Why a summary is not certified.
const CELLS: &str = "its data are cells of a summary; certify the points";
/// Why free variances are not certified.
const UNBOUNDED: &str =
    "with free variances the likelihood has no maximum; ask for equal variances or bound the ratio of spreads";
/// Why large weights are not certified.
const HEAVY: &str = "its weights are so large that rounding alone is more than epsilon; scale the weights or epsilon";
/// Why so many components are not certified.
const UNBOUNDED_ON_POINTS: &str = "as many components as distinct values: the likelihood has no maximum; ask for fewer";

impl Task<'_> {
    /// What the bound may be too low by in data units. Subtracting the frame's shift rounded each value by some δ,
    /// which changes the log-density of a component at distance d by at most d·δ/v. The weights of equal values, and N,
    /// are rounded sums (N of that many weights), and no log-density is above -½ ln(2πv).
    fn unit_allowance(&self, root: &[Cell], bound: f64, units: f64, summed: f64) -> f64 {
        let (first, last, total) = (self.finest().first(), self.finest().last(), self.finest().total());
        let reach = root.iter().map(|cell| (last - cell.low).max(cell.high - first)).fold(0.0, f64::max);
        let least = root.iter().map(|cell| cell.least).fold(f64::INFINITY, f64::min);
        let delta = f64::EPSILON * first.abs().max(last.abs());
        let of_weights = bound.abs() + 2.0 * total * (-0.5 * ln(TAU * least)).max(0.0);
        let rounding = 8.0 * of_weights + (summed + 8.0) * units.abs();
        1.001 * total * (reach + delta) * delta / least + f64::EPSILON * rounding
    }

    /// The problem and the proof in data units, `upper_bound` included; `threshold` is in units of the tree.
    fn proof_text(
        &self,
        proof: &ProofTree,
        upper_bound: f64,
        threshold: f64,
        smallest: f64,
        values: &[f64],
        frame: &Frame,
    ) -> String {
        let numbers = |values: &mut dyn Iterator<Item = f64>| {
            let text: Vec<String> = values.map(number).collect();
            format!("[{}]", text.join(","))
        };
        let lengths = |values: &[f64]| numbers(&mut values.iter().map(|&length| frame.leave_length(length)));
        format!(
            "{{\"values\":{},\n\"weights\":{},\n\"lower\":{},\"upper\":{},\"variance_ratio\":{},\"least_variance\":{},\"smallest_variance\":{},\"upper_bound\":{},\n\"tree\":{}}}\n",
            numbers(&mut values.iter().copied()),
            numbers(&mut self.finest().weights().iter().copied()),
            lengths(&self.constraints.lower),
            lengths(&self.constraints.upper),
            number(self.constraints.ratio),
            number(frame.leave_square(self.constraints.least)),
            number(frame.leave_square(smallest)),
            number(upper_bound),
            proof.to_json(threshold, frame)
        )
    }
}

/// A number with all its digits; JSON has no infinity.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "null".into() }
}

#[cfg(test)]
mod tests;
