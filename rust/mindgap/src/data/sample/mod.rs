//! [`Sample`]: finite values with weights, sorted on first use, and the order that undoes the sort.
//!
//! Solvers rely on the checks of [`Sample`] and do not repeat them.

mod atom;
mod checks;
mod constructors;
mod prefix;
mod rounding;
mod sort;
mod unsorted;

pub(crate) use atom::{Atom, AtomGroups, SharedZoom};
pub(crate) use checks::{check_finite, check_weights};
pub(crate) use prefix::{Block, Prefix, Prefixes};
pub(crate) use unsorted::{InAnyOrder, MANY_POINTS, borrowed, low_and_high};

use crate::data::frame::Frame;
use crate::error::OutOfMemory;
use crate::memory::check_memory;
use crate::numeric::double::Double;
use atom::Widths;
use checks::sort_bytes;
use std::fmt;
use std::sync::Arc;
use unsorted::Unsorted;

/// One-dimensional data, ready for every solver.
///
/// Points of weight zero keep their place in the input and get labels, but do not affect a fit.
///
/// ```
/// use mindgap::Sample;
///
/// let sample = Sample::weighted(&[3.0, 1.0, 2.0], &[1.0, 0.0, 5.0])?;
/// assert_eq!((sample.values(), sample.order()), (&[2.0, 3.0][..], &[2, 0][..]));
/// assert_eq!((sample.len(), sample.input_len(), sample.total_weight()), (2, 3, 6.0));
/// # Ok::<(), mindgap::SampleError>(())
/// ```
#[derive(Clone)]
pub struct Sample {
    values: Vec<f64>,
    weights: Option<Vec<f64>>,
    /// The exact values minus the rounded ones, if they are means; else empty.
    rests: Vec<f64>,
    /// `order[i]` is the input index of sorted point `i`.
    order: Vec<u32>,
    /// Input index and value of the points of weight zero.
    weightless: Vec<(u32, f64)>,
    frame: Frame,
    distinct: usize,
    total_weight: f64,
    /// The widths of atoms; `None` if all are points.
    widths: Option<Widths>,
    /// Points that are sorted on first use; all other fields but the frame and the total are then empty.
    unsorted: Option<Arc<Unsorted>>,
}

impl Sample {
    /// This sample with its points in order.
    #[inline(always)]
    fn sorted(&self) -> &Self {
        match &self.unsorted {
            None => self,
            Some(unsorted) => unsorted.sorted(),
        }
    }

    /// Checks that there is memory to sort the points, if they are not sorted yet. [`values`](Self::values) and
    /// everything that uses it sort without this check.
    ///
    /// ```
    /// assert!(mindgap::Sample::new(&[2.0, 1.0])?.check_sortable().is_ok());
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// The memory that is missing.
    pub fn check_sortable(&self) -> Result<(), OutOfMemory> {
        check_memory("a sorted copy of the data", self.sort_bytes())
    }

    /// The most memory that sorting the points takes, in bytes; 0 if they are sorted.
    pub(crate) fn sort_bytes(&self) -> usize {
        match &self.unsorted {
            Some(unsorted) if !unsorted.are_sorted() => sort_bytes(unsorted.len),
            _ => 0,
        }
    }

    /// Many points in any order; `None` for few points and atoms.
    pub(crate) fn in_any_order(&self) -> Option<InAnyOrder<'_>> {
        match &self.unsorted {
            Some(unsorted) => Some(match unsorted.given() {
                Some(given) => InAnyOrder::Given(given, unsorted),
                None => InAnyOrder::Sorted(unsorted.sorted()),
            }),
            // Values that were ascending in the input, or whose weights are zero or uneven.
            None if self.len() >= MANY_POINTS && self.widths.is_none() => Some(InAnyOrder::Sorted(self)),
            None => None,
        }
    }

    /// The values of positive weight in ascending order.
    pub fn values(&self) -> &[f64] {
        &self.sorted().values
    }

    /// The weights in the order of [`values`](Self::values); `None` if every point weighs one.
    pub fn weights(&self) -> Option<&[f64]> {
        self.sorted().weights.as_deref()
    }

    /// For each of [`values`](Self::values), its index in the input.
    pub fn order(&self) -> &[u32] {
        &self.sorted().order
    }

    /// The values and weights in input order, points of weight zero included: the inverse of [`Sample::weighted`].
    ///
    /// ```
    /// let sample = mindgap::Sample::weighted(&[3.0, 1.0], &[2.0, 0.0])?;
    /// assert_eq!(sample.given(), (vec![3.0, 1.0], Some(vec![2.0, 0.0])));
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    pub fn given(&self) -> (Vec<f64>, Option<Vec<f64>>) {
        if let Some(unsorted) = &self.unsorted {
            return match unsorted.given() {
                Some(given) => (given.values.iter().map(|&x| x + 0.0).collect(), given.weights.clone()),
                None => unsorted.sorted().given(),
            };
        }
        let mut values = vec![0.0; self.input_len()];
        for (&place, &value) in self.order.iter().zip(&self.values) {
            values[place as usize] = value;
        }
        for &(place, value) in &self.weightless {
            values[place as usize] = value;
        }
        let weights = self.weights.as_ref().map(|sorted| {
            let mut weights = vec![0.0; self.input_len()];
            for (&place, &weight) in self.order.iter().zip(sorted) {
                weights[place as usize] = weight;
            }
            weights
        });
        (values, weights)
    }

    /// The number of points of positive weight.
    pub fn len(&self) -> usize {
        self.unsorted.as_ref().map_or(self.values.len(), |unsorted| unsorted.len)
    }

    /// The number of points behind them: more than [`len`](Self::len) for a sample of a [`Summary`](crate::Summary).
    pub fn points(&self) -> u64 {
        match self.has_widths() {
            true => self.atoms().fold(0, |sum, atom| sum.saturating_add(atom.count)),
            false => self.len() as u64,
        }
    }

    /// Never true: a sample has at least one point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of points of the input, those of weight zero included.
    pub fn input_len(&self) -> usize {
        self.unsorted.as_ref().map_or(self.order.len() + self.weightless.len(), |unsorted| unsorted.len)
    }

    /// The number of distinct values; for a summary, a lower bound on it.
    pub fn distinct(&self) -> usize {
        self.sorted().distinct
    }

    /// The sum of the weights: the number of points if none were given.
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// The smallest positive weight.
    pub(crate) fn smallest_weight(&self) -> f64 {
        match &self.unsorted {
            Some(unsorted) => unsorted.lightest,
            None => self.weights.as_ref().map_or(1.0, |weights| weights.iter().copied().fold(f64::INFINITY, f64::min)),
        }
    }

    /// The distinct values, each with the total weight of its points, and the end of each value's points in this
    /// sample.
    pub(crate) fn collapsed(&self) -> (Sample, Vec<usize>) {
        if self.unsorted.is_some() {
            return self.sorted().collapsed();
        }
        let mut ends = Vec::with_capacity(self.distinct);
        let (mut values, mut weights) = (Vec::with_capacity(self.distinct), Vec::with_capacity(self.distinct));
        for tied in self.values.chunk_by(|a, b| a == b) {
            let start = ends.last().copied().unwrap_or(0);
            let end = start + tied.len();
            values.push(tied[0]);
            weights.push((start..end).fold(Double::ZERO, |sum, i| sum + Double::from(self.weight(i))).whole());
            ends.push(end);
        }
        let firsts = || [0].into_iter().chain(ends.iter().copied()).take(ends.len());
        let rests = if self.rests.is_empty() { Vec::new() } else { firsts().map(|i| self.rests[i]).collect() };
        let widths = self.widths.as_ref().map(|widths| widths.collapsed(&ends));
        let order = if widths.is_some() { Vec::new() } else { (0..values.len() as u32).collect() };
        (Sample { values, weights: Some(weights), rests, order, widths, ..self.clone_facts() }, ends)
    }

    /// A sample of no points that shares this one's frame and totals.
    fn clone_facts(&self) -> Sample {
        Sample {
            values: Vec::new(),
            weights: None,
            rests: Vec::new(),
            order: Vec::new(),
            weightless: Vec::new(),
            frame: self.frame,
            distinct: self.distinct,
            total_weight: self.total_weight,
            widths: None,
            unsorted: None,
        }
    }

    /// Input index and value of the points of weight zero.
    pub(crate) fn weightless(&self) -> &[(u32, f64)] {
        &self.sorted().weightless
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.sorted().frame
    }

    /// The weight of sorted point `i`.
    #[inline(always)]
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.sorted().weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// Sorted point `i` in frame units.
    #[inline(always)]
    pub(crate) fn framed(&self, i: usize) -> f64 {
        let sorted = self.sorted();
        let z = sorted.frame.enter(sorted.values[i]);
        sorted.rests.get(i).map_or(z, |&rest| z + sorted.frame.enter_length(rest))
    }

    /// The range of the data in frame units, from the smallest value to the largest.
    pub(crate) fn framed_range(&self) -> f64 {
        self.framed_highest(self.len() - 1) - self.framed_lowest(0)
    }

    /// Sorted point `i`, a value of the data, in frame units, with all its digits.
    #[inline(always)]
    pub(crate) fn framed_exactly(&self, i: usize) -> Double {
        let sorted = self.sorted();
        sorted.frame.enter_exactly(sorted.values[i])
    }

    /// Sorted point `i`, which may be a mean, in frame units, with all its digits.
    #[inline(always)]
    pub(crate) fn framed_mean(&self, i: usize) -> Double {
        let z = self.framed_exactly(i);
        match self.rests.get(i) {
            Some(&rest) => z + Double::from(self.frame.enter_length(rest)),
            None => z,
        }
    }

    /// The exact value of sorted point `i` minus the rounded one.
    pub(crate) fn rest(&self, i: usize) -> f64 {
        self.rests.get(i).copied().unwrap_or_default()
    }
}

/// Prints the number of points, the extent and the total weight: there may be millions of points.
impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample")
            .field("points", &self.points())
            .field("distinct", &self.distinct())
            .field("low", &self.lowest(0))
            .field("high", &self.highest(self.len() - 1))
            .field("total_weight", &self.total_weight)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
