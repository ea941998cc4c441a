//! Fits: checks the problem, chooses the solver and measures its solution.

use super::fit::KMeansFit;
use super::problem::{Centers, KMeans, KMeansMethod};
use super::{free, means, paper, refine, rows, sized, unconstrained, unsorted};
use crate::constraint::{Rows, resolve_centers};
use crate::data::frame::FARTHEST;
use crate::data::sample::{Prefixes, Sample};
use crate::error::{Error, KMeansError, SampleError};
use crate::memory::{check_memory, product};
use crate::monitor::{DEFAULT_TOL, Monitor};
use crate::partition::Solution;
use std::cell::Cell;

/// The smallest weight, as a fraction of the total: a smaller one vanishes in sums over all points.
pub(super) const LEAST_SHARE: f64 = 1e-18;

/// The memory of a fit per point: its label and sums.
const BYTES_A_POINT: usize = 24;

/// The memory of a distinct value, or of a candidate for a boundary (most points are one if clusters are many).
const BYTES_A_CANDIDATE: usize = 96;

/// The part of a time limit for the search for free centres. What is left is for separated means, if it proves nothing.
const FREE_SHARE: f64 = 0.75;

/// The work on separated means that no time limit cuts off: some tens of milliseconds.
const MEANS_WORK: u64 = 1 << 22;

impl KMeans {
    /// Solves the problem.
    ///
    /// # Errors
    /// Settings that are invalid for this sample, and bounds or rows that no partition satisfies.
    pub fn fit(&self, sample: &Sample) -> Result<KMeansFit, KMeansError> {
        self.fit_with(sample, &mut Monitor::default())
    }

    /// Solves the problem, reporting to `monitor`, which may stop it.
    ///
    /// ```
    /// use mindgap::{KMeans, KMeansError, Monitor, Sample};
    /// use std::ops::ControlFlow;
    ///
    /// let x: Vec<f64> = (0..9000).map(|i| f64::from(i * 7919 % 9001)).collect();
    /// let mut monitor = Monitor::new(|_| ControlFlow::Break(()));
    /// let stopped = KMeans::new(5).fit_with(&Sample::new(&x)?, &mut monitor);
    /// assert_eq!(stopped, Err(KMeansError::Interrupted));
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`KMeans::fit`]; also [`KMeansError::Interrupted`].
    pub fn fit_with(&self, sample: &Sample, monitor: &mut Monitor<'_>) -> Result<KMeansFit, KMeansError> {
        let mut monitor = self.limited(monitor)?;
        if sample.has_widths() {
            return refine::fit(self, sample, &mut monitor);
        }
        match unsorted::fit(self, sample, &mut monitor)? {
            Some(fit) => Ok(fit),
            None => self.fit_sorted(sample, &mut monitor),
        }
    }

    /// Solves the problem for borrowed values in any order, reporting to `monitor`, which may stop it.
    ///
    /// If there are many values, and no bounds or free centres, the values are read in place, without a copy. The
    /// returned sample then has the means of narrow cells, a thousandth of the range or less, weighted by their number of
    /// points: enough for a histogram. Otherwise the values are copied and sorted, and the sample has them all.
    ///
    /// ```
    /// use mindgap::{KMeans, Monitor};
    ///
    /// let x: Vec<f64> = (0..100_000).map(|i| f64::from(i * 7919 % 100_003)).collect();
    /// let (fit, cells) = KMeans::new(3).fit_values(&x, &mut Monitor::default())?;
    /// assert_eq!((fit.labels().len(), fit.is_optimal()), (100_000, true));
    /// assert!(cells.len() < 10_000 && cells.total_weight() == 1e5);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sample::new`] and [`KMeans::fit_with`].
    pub fn fit_values(&self, values: &[f64], monitor: &mut Monitor<'_>) -> Result<(KMeansFit, Sample), Error> {
        self.fit_borrowed(values, None, monitor)
    }

    /// As [`fit_values`](Self::fit_values), with a weight for each value.
    ///
    /// ```
    /// use mindgap::{KMeans, Monitor};
    ///
    /// let (fit, _) = KMeans::new(2).fit_weighted(&[8.0, 1.0, 3.0], &[1.0, 3.0, 1.0], &mut Monitor::default())?;
    /// assert_eq!((fit.labels(), fit.centers()), (&[1, 0, 0][..], &[1.5, 8.0][..]));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sample::weighted`] and [`KMeans::fit_with`].
    pub fn fit_weighted(
        &self,
        values: &[f64],
        weights: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<(KMeansFit, Sample), Error> {
        self.fit_borrowed(values, Some(weights), monitor)
    }

    fn fit_borrowed(
        &self,
        values: &[f64],
        weights: Option<&[f64]>,
        monitor: &mut Monitor<'_>,
    ) -> Result<(KMeansFit, Sample), Error> {
        let mut limited = self.limited(monitor)?;
        if let Some(found) = unsorted::fit_borrowed(self, values, weights, &mut limited)? {
            return Ok(found);
        }
        // A copy, because sorting relies on values that do not change.
        let bytes = size_of_val(values) + weights.map_or(0, size_of_val);
        check_memory("a copy of the data", bytes).map_err(SampleError::from)?;
        let sample = match weights {
            None => Sample::from_vec(values.to_vec())?,
            Some(weights) => Sample::weighted_from_vec(values.to_vec(), weights.to_vec())?,
        };
        Ok((self.fit_sorted(&sample, &mut limited)?, sample))
    }

    /// Checks the settings and returns a monitor with the limits.
    fn limited<'m>(&self, monitor: &'m mut Monitor<'_>) -> Result<Monitor<'m>, KMeansError> {
        self.check_settings()?;
        Ok(monitor.within(&self.limits).tol(if self.tol > DEFAULT_TOL { self.tol } else { 0.0 }))
    }

    /// Solves the problem on sorted points.
    pub(super) fn fit_sorted(&self, sample: &Sample, monitor: &mut Monitor<'_>) -> Result<KMeansFit, KMeansError> {
        monitor.check_memory("a sorted copy of the data", sample.sort_bytes())?;
        self.check(sample, monitor)?;
        let rows = resolve_centers(&*self.constraint, self.k)?;
        let solution = match self.divides_ties(sample) || sample.distinct() == sample.len() {
            true => self.solve(sample, &rows, monitor)?,
            false => {
                let (distinct, ends) = sample.collapsed();
                self.solve(&distinct, &rows, monitor)?.expanded(&ends)
            }
        };
        let fit = KMeansFit::new(sample, &rows, &solution);
        if !fit.inertia().is_finite() {
            return Err(KMeansError::OutOfRange);
        }
        Ok(if self.labels { fit.labelled(sample, &solution.partition) } else { fit })
    }

    fn check(&self, sample: &Sample, monitor: &Monitor<'_>) -> Result<(), KMeansError> {
        let (k, points, distinct) = (self.k, sample.len(), sample.distinct());
        if k > points {
            return Err(KMeansError::TooManyClusters { k, points });
        }
        if k > distinct {
            return Err(KMeansError::TooFewDistinct { k, distinct });
        }
        let (smallest, total) = (sample.smallest_weight(), sample.total_weight());
        if smallest < LEAST_SHARE * total {
            return Err(KMeansError::WeightsTooUneven { smallest, total });
        }
        let candidates = !self.divides_ties(sample) || product(&[64, k, k]) >= points;
        let bytes = if candidates { BYTES_A_CANDIDATE } else { BYTES_A_POINT };
        Ok(monitor.check_memory("k-means", product(&[points, bytes]))?)
    }

    pub(super) fn solve(
        &self,
        sample: &Sample,
        rows: &Rows,
        monitor: &mut Monitor<'_>,
    ) -> Result<Solution, KMeansError> {
        let sizes = self.sizes()?;
        match (rows.linear(), self.method) {
            (None, KMeansMethod::Exact) if !sizes.are_any() => sized::solve(sample, rows, self.centers, sizes, monitor),
            (Some(_), _) if !sizes.are_any() => {
                Err(KMeansError::Unsupported("linear rows do not combine with bounds on sizes".to_owned()))
            }
            (None, KMeansMethod::Paper) if !sizes.are_any() => Err(paper::unsupported("takes no bounds on sizes")),
            (None, _) => self.solve_gaps(sample, rows, monitor),
            (Some(_), KMeansMethod::Exact) => rows::solve(sample, rows, monitor),
            (Some(_), KMeansMethod::Paper) => Err(paper::unsupported("takes bounds on gaps, not linear rows")),
        }
    }

    fn solve_gaps(&self, sample: &Sample, gaps: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
        match self.method {
            KMeansMethod::Paper if self.centers == Centers::Free => {
                Err(paper::unsupported("makes every centre its cluster's mean and needs Centers::Means"))
            }
            KMeansMethod::Paper => paper::solve(sample, gaps, monitor),
            KMeansMethod::Exact if gaps.are_trivial() => unconstrained::solve(sample, self.k, monitor),
            KMeansMethod::Exact if self.centers == Centers::Free => {
                gaps.check_gap_scale(sample.frame(), FARTHEST)?;
                solve_free(sample, gaps, monitor)
            }
            KMeansMethod::Exact => means::solve(sample, gaps, monitor),
        }
    }
}

/// Finds the best free centres. If they are not proven, separated means, which are also feasible, may have a lower
/// cost.
fn solve_free(sample: &Sample, gaps: &Rows, monitor: &mut Monitor<'_>) -> Result<Solution, KMeansError> {
    if !free::is_compared(gaps.lower.len() + 1) {
        return free::solve(sample, gaps, monitor);
    }
    let found = free::solve(sample, gaps, &mut monitor.share(FREE_SHARE))?;
    if found.proof.is_optimal(found.cost(&Prefixes::new(sample)), monitor.tolerance()) {
        return Ok(found);
    }
    match means::solve(sample, gaps, &mut monitor.silent().assured(&Cell::new(MEANS_WORK))) {
        Ok(means) => Ok(free::or_better(sample, gaps, found, means.partition)),
        Err(KMeansError::Interrupted) => Err(KMeansError::Interrupted),
        // No means satisfy the bounds, or time or memory ran out.
        Err(_) => Ok(found),
    }
}
