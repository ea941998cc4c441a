//! [`Mixture::certify`]: prepares the problem for the tree and returns its result in data units.

use super::points::Points;
use super::region::{Cell, Constraints};
use super::tree::{Task, TreeProgress, TreeResult};
use crate::constraint::Rows;
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

/// A large tree is closed for these multiples of the requested ε in turn, so that one that is stopped early still proves
/// a bound. Measured on the paper's models: 30 adds a tenth to the nodes; 10 and 3 between them doubled the nodes.
const EPSILON_MULTIPLES: [f64; 2] = [30.0, 1.0];

/// Nodes spent on the requested ε before the larger ones are tried: a few seconds. Measured: of 40 trees with five
/// components, gaps and 500 points, two in three are smaller.
const FIRST_TRY_NODES: usize = 10_000;

/// The largest number of iterations of a climb from a node of the tree. Measured: climbs that end above the best known
/// log-likelihood have passed it by then.
const MAX_CLIMB_ITERATIONS: usize = 200;

/// The relative error of the lower bound on the cost of k-means. The rounding of its sums of squares is already
/// subtracted (docs/mathematics.md, "Precision"). Partitions that it cannot tell apart differ by 1e-11; the sum over
/// clusters and the frame's scale add a few roundings.
const KMEANS_COST_ERROR: f64 = 1e-10;

/// The smallest allowance for rounding, for each unit of weight: see `Derivative::new`.
const MIN_ROUNDING: f64 = 2048.0 * f64::EPSILON;

/// The relative error to which fits hold a variance, or a ratio of two, at its bound.
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
    /// The proven bound: no mixture that satisfies the constraint has a higher log-likelihood. `None` if the search
    /// stopped before it proved any.
    pub fn upper_bound(&self) -> Option<f64> {
        self.upper_bound
    }

    /// The best known mixture: the fit, or a better one that the search found.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The log-likelihood of [`parameters`](Self::parameters).
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The number of regions of the parameter space that were examined.
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
    /// The bound is at most [`epsilon`](CertifyOptions::epsilon) above the best known mixture, which may be better than
    /// the fit. The search can take long: seconds for three components, minutes for five. If `monitor` stops it, the
    /// bound is the best one proven so far. The result does not depend on the number of threads.
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
    /// [`MixtureError::NotCertifiable`] if the likelihood has no maximum or the constraint is not one on gaps; and every
    /// error of a fit.
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
        if MIN_ROUNDING * sample.total_weight() > options.epsilon {
            return Err(MixtureError::NotCertifiable { reason: LARGE_WEIGHTS });
        }
        let (distinct, _) = sample.collapsed();
        let kmeans_cost = match self.kmeans_cost(&distinct, monitor)? {
            Ok(cost) => cost,
            Err(halt) => return Ok(Certificate::stopped(fit, halt)),
        };
        let known = fit.parameters().enter(&frame);
        let values: Vec<f64> = distinct.values().iter().map(|&x| frame.enter(x)).collect();
        let weights: Vec<f64> = (0..values.len()).map(|i| distinct.weight(i)).collect();
        // A recorded proof uses the points themselves, so that a checker need not trust the quadrature.
        let mut points =
            if options.record { Vec::new() } else { Points::in_bins(&values, &weights, &known, spreads.ratio) };
        let nodes = points.first().and_then(|finest| {
            let in_data_units: Vec<f64> = finest.values().iter().map(|&x| frame.leave(x)).collect();
            Sample::weighted(&in_data_units, finest.weights()).ok()
        });
        if points.is_empty() {
            points.push(Points::new(&values, &weights));
        }
        let epsilons = EPSILON_MULTIPLES.map(|multiple| multiple * options.epsilon);
        let stop = StopFlag::at(monitor.deadline());
        let problem = self.clone().max_iter(MAX_CLIMB_ITERATIONS);
        let climb = |start: &Parameters| {
            let mut monitor = Monitor::new(|_| match stop.is_due() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
            let problem = problem.clone().init(start.leave(&frame));
            let fit = problem.fit_with(nodes.as_ref().unwrap_or(&distinct), &mut monitor).ok()?;
            Some(fit.parameters().enter(&frame))
        };
        let task = Task {
            points,
            constraints: Constraints::new(rows.lower, rows.upper, &spreads, self.k),
            kmeans_cost,
            epsilons: &epsilons,
            first_try: FIRST_TRY_NODES,
            record: options.record,
            stop: stop.clone(),
            climb: &climb,
        };
        let units = frame.log_density(distinct.total_weight());
        let (tree, halted) = task.run_for(monitor, known, units);
        let summed = sample.weights().map_or(0, <[f64]>::len) as f64;
        let upper_bound =
            tree.closed.map(|(_, bound)| bound + units + task.unit_allowance(&tree.root, bound, units, summed));
        // The log-likelihood over nodes only approximates that over the points.
        let log_likelihood = match nodes {
            Some(_) => Points::new(&values, &weights).log_likelihood(&tree.best),
            None => tree.log_likelihood,
        };
        let proof = match (&tree.proof, tree.closed, upper_bound) {
            (Some(proof), Some((_, threshold)), Some(bound)) => {
                Some(task.proof_text(proof, bound, threshold, tree.root[0].least, distinct.values(), &frame))
            }
            _ => None,
        };
        Ok(Certificate {
            upper_bound,
            parameters: tree.best.leave(&frame),
            log_likelihood: log_likelihood + units,
            nodes: tree.nodes,
            halted,
            proof,
        })
    }

    /// Returns a lower bound on the cost of k-means, in frame units; or why it was stopped.
    fn kmeans_cost(&self, sample: &Sample, monitor: &mut Monitor<'_>) -> Result<Result<f64, Halt>, MixtureError> {
        let fit = match KMeans::new(self.k).fit_with(sample, &mut monitor.silent()) {
            Err(KMeansError::Interrupted) => return Ok(Err(Halt::Interrupted)),
            Err(KMeansError::TimeLimit) => return Ok(Err(Halt::TimeLimit)),
            fitted => fitted.map_err(MixtureError::KMeansStart)?,
        };
        let cost = sample.frame().enter_square(fit.lower_bound()) * (1.0 - KMEANS_COST_ERROR);
        if cost > 0.0 { Ok(Ok(cost)) } else { Err(MixtureError::NotCertifiable { reason: TOO_MANY_COMPONENTS }) }
    }

    /// Returns the bounds of the gaps (in frame units) and of the variances, widened by the tolerance to which fits
    /// satisfy them; or why no certificate is possible.
    fn certifiable(&self, sample: &Sample) -> Result<(Rows, SpreadBounds), MixtureError> {
        let refuse = |reason| Err(MixtureError::NotCertifiable { reason });
        let Some((rows, SpreadBounds { ratio, least })) = self.gaps_and_spreads(sample)? else {
            return refuse(HAS_LINEAR_ROWS);
        };
        if sample.has_widths() {
            return refuse(HAS_CELLS);
        }
        if ratio == f64::INFINITY {
            return refuse(FREE_VARIANCES);
        }
        if self.k >= sample.distinct() {
            return refuse(TOO_MANY_COMPONENTS);
        }
        let frame = sample.frame();
        let range = frame.enter_length(sample.highest(sample.len() - 1) - sample.lowest(0));
        let ratio = if ratio == 1.0 { 1.0 } else { ratio * (1.0 + RATIO_ERROR) };
        Ok((rows.enter(frame).loosened(range), SpreadBounds { ratio, least: least * (1.0 - RATIO_ERROR) }))
    }
}

/// Why linear rows are refused.
const HAS_LINEAR_ROWS: &str = "it holds linear rows; only bounds on gaps and on the ratio of spreads can be certified";
/// Why a summary is refused.
const HAS_CELLS: &str = "its data are cells of a summary; certify the points";
/// Why free variances are refused.
const FREE_VARIANCES: &str =
    "with free variances the likelihood has no maximum; ask for equal variances or bound the ratio of spreads";
/// Why large weights are refused.
const LARGE_WEIGHTS: &str =
    "its weights are so large that rounding alone is more than epsilon; scale the weights or epsilon";
/// Why as many components as values are refused.
const TOO_MANY_COMPONENTS: &str = "as many components as distinct values: the likelihood has no maximum; ask for fewer";

impl Task<'_> {
    /// Runs the tree from the `known` mixture and reports its progress to the monitor; `units` turns log-likelihoods of
    /// the tree into those of the data.
    fn run_for(&self, monitor: &mut Monitor<'_>, known: Parameters, units: f64) -> (TreeResult, Option<Halt>) {
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
        // Reports are made on this thread; only batches of nodes go to others.
        let tree = self.run(&[known], &Workers::for_search(), &mut report);
        (tree, halted)
    }

    /// Returns how far rounding may have put the bound too low in data units. Subtracting the frame's shift rounded each
    /// value by some δ, which changes the log-density of a component at distance d by at most d·δ/v. N and the weights
    /// of equal values are rounded sums of `summed` weights, and no log-density is above -½ ln(2πv).
    fn unit_allowance(&self, root: &[Cell], bound: f64, units: f64, summed: f64) -> f64 {
        let (first, last, total) = (self.finest().first(), self.finest().last(), self.finest().total());
        let reach = root.iter().map(|cell| (last - cell.low).max(cell.high - first)).fold(0.0, f64::max);
        let least = root.iter().map(|cell| cell.least).fold(f64::INFINITY, f64::min);
        let delta = f64::EPSILON * first.abs().max(last.abs());
        let of_weights = bound.abs() + 2.0 * total * (-0.5 * ln(TAU * least)).max(0.0);
        let rounding = 8.0 * of_weights + (summed + 8.0) * units.abs();
        1.001 * total * (reach + delta) * delta / least + f64::EPSILON * rounding
    }
}

#[cfg(test)]
mod tests;
