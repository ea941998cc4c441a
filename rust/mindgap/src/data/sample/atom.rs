//! Atoms: runs of neighbouring points, given by weight, mean and sum of squares. A point is an atom without width.
//!
//! The cost of a run of atoms is that of their means plus the squares within them. So a partition of atoms has the same
//! cost as on the points, and solvers see weighted points. Widths take 33 bytes per atom.

use super::Sample;
use crate::data::frame::Frame;
use crate::error::{BoxError, SampleError};
use crate::numeric::double::Double;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A run of points that are neighbours in value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Atom {
    pub(crate) mean: f64,
    /// The exact mean minus `mean`: means of data far from zero lie between two doubles.
    pub(crate) rest: f64,
    pub(crate) weight: f64,
    /// Σw(x - mean)², in squared units of the data.
    pub(crate) within: f64,
    /// The smallest and the largest value.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The number of points of positive weight.
    pub(crate) count: u64,
    /// Whether all its points are known to weigh the same.
    pub(crate) even: bool,
}

impl Atom {
    /// Whether all its points have one value.
    pub(crate) fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// Joins ascending atoms, at least one, into one.
    pub(crate) fn joined(atoms: &[Atom]) -> Self {
        let (first, last) = (atoms[0], atoms[atoms.len() - 1]);
        if atoms.len() == 1 {
            return first;
        }
        let low = first.low;
        let total = |term: &dyn Fn(&Atom) -> f64| {
            let mut sum = Double::ZERO;
            atoms.iter().for_each(|atom| sum.gather(Double::from(term(atom))));
            sum.whole()
        };
        let offset = |atom: &Atom| atom.mean - low + atom.rest;
        let weight = total(&|atom| atom.weight);
        let rough = total(&|atom| atom.weight * offset(atom)) / weight;
        // Corrects the rounding of the first sum.
        let mean = rough + total(&|atom| atom.weight * (offset(atom) - rough)) / weight;
        let within = total(&|atom| atom.within + atom.weight * (offset(atom) - mean).powi(2));
        let place = Double::sum(low, mean);
        let each = first.weight / first.count as f64;
        Self {
            mean: place.value(),
            rest: place.minus(Double::from(place.value())),
            weight,
            within,
            low,
            high: last.high,
            count: atoms.iter().fold(0, |count, atom| count.saturating_add(atom.count)),
            even: atoms.iter().all(|atom| atom.even && is_same_weight(atom.weight / atom.count as f64, each)),
        }
    }

    /// Restores the inequalities that rounding may have broken: the mean within the extent, the spread within its
    /// limit.
    fn without_rounding(mut self) -> Self {
        // Adding zero turns -0.0 into 0.0.
        (self.low, self.high) = (self.low + 0.0, self.high + 0.0);
        let mean = (self.mean + 0.0).max(self.low).min(self.high);
        self.rest = if mean == self.mean && self.rest.is_finite() { self.rest } else { 0.0 };
        self.mean = mean;
        // The spread is largest with half the weight at either end; NaN becomes that, too.
        let most = 0.25 * self.weight * (self.high - self.low).powi(2);
        self.within = if self.within < most { self.within.max(0.0) } else { most };
        self
    }
}

/// Whether two weights are equal up to the rounding of sums.
fn is_same_weight(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b
}

/// Groups of ascending atoms, one after the other in one piece of memory.
#[derive(Debug, Default)]
pub(crate) struct AtomGroups {
    pub(crate) atoms: Vec<Atom>,
    /// The end of each group in `atoms`.
    ends: Vec<usize>,
}

impl AtomGroups {
    /// Appends a group.
    pub(crate) fn push(&mut self, group: impl IntoIterator<Item = Atom>) {
        self.atoms.extend(group);
        self.ends.push(self.atoms.len());
    }

    /// The place of each group in `atoms`.
    pub(crate) fn places(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        let start = |group: usize| if group == 0 { 0 } else { self.ends[group - 1] };
        (0..self.ends.len()).map(move |group| start(group)..self.ends[group])
    }

    /// The groups.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[Atom]> {
        self.places().map(|place| &self.atoms[place])
    }
}

/// Returns the points of each window as atoms, several per window where possible.
pub(crate) type ZoomFn = dyn Fn(&[(f64, f64)]) -> Result<Vec<Vec<Atom>>, BoxError> + Send + Sync;

/// Reads the points behind the atoms of a sample.
#[derive(Clone)]
pub(crate) struct SharedZoom(pub(crate) Arc<ZoomFn>);

impl fmt::Debug for SharedZoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedZoom")
    }
}

/// The fields of atoms with a width besides mean and weight, one entry per atom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Widths {
    within: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    count: Vec<u64>,
    even: Vec<bool>,
    /// Reads the points behind the atoms.
    zoom: Option<SharedZoom>,
}

impl Widths {
    fn of(atoms: &[Atom]) -> Self {
        Self {
            within: atoms.iter().map(|atom| atom.within).collect(),
            low: atoms.iter().map(|atom| atom.low).collect(),
            high: atoms.iter().map(|atom| atom.high).collect(),
            count: atoms.iter().map(|atom| atom.count).collect(),
            even: atoms.iter().map(|atom| atom.even).collect(),
            zoom: None,
        }
    }

    /// Joins runs of neighbours, which end before `ends`; the atoms of a longer run all have one value.
    pub(super) fn collapsed(&self, ends: &[usize]) -> Self {
        let mut start = 0;
        let mut joined = Self::default();
        for &end in ends {
            joined.within.push(self.within[start]);
            joined.low.push(self.low[start]);
            joined.high.push(self.high[start]);
            joined.count.push(self.count[start..end].iter().fold(0, |sum: u64, &count| sum.saturating_add(count)));
            joined.even.push(end - start == 1 && self.even[start]);
            start = end;
        }
        joined
    }
}

impl Sample {
    /// Makes a sample of atoms: of positive weight and finite values, ascending, and disjoint unless each has one
    /// value.
    ///
    /// # Errors
    /// No atoms, too many atoms, and ranges and weights as for [`Sample::weighted`].
    pub(crate) fn of_atoms(mut atoms: Vec<Atom>) -> Result<Self, SampleError> {
        if atoms.len() > u32::MAX as usize {
            return Err(SampleError::TooMany { len: atoms.len() });
        }
        atoms.iter_mut().for_each(|atom| *atom = atom.without_rounding());
        let (Some(first), Some(last)) = (atoms.first(), atoms.last()) else {
            return Err(SampleError::Empty);
        };
        let ascend = |a: &Atom, b: &Atom| a.high < b.low || (a.low == b.high && a.is_point() && b.is_point());
        debug_assert!(atoms.windows(2).all(|pair| ascend(&pair[0], &pair[1])), "atoms overlap or do not ascend");
        // The scale of the frame comes from the range of the points.
        let range = last.high - first.low;
        let middle = atoms[atoms.len() / 2].mean;
        let frame =
            Frame::of_sorted(&[first.low, middle, last.high]).ok_or(SampleError::RangeNotSquarable { range })?;
        let total_weight: f64 = atoms.iter().map(|atom| atom.weight).sum();
        if !(total_weight * (1.0 + range * range)).is_finite() {
            return Err(SampleError::WeightOverflow { total: total_weight });
        }
        let groups = atoms.chunk_by(|a, b| a.mean == b.mean);
        let distinct = groups.map(|group| if group[0].is_point() { 1 } else { 2 }).sum();
        Ok(Self {
            values: atoms.iter().map(|atom| atom.mean).collect(),
            weights: Some(atoms.iter().map(|atom| atom.weight).collect()),
            rests: atoms.iter().map(|atom| atom.rest).collect(),
            order: Vec::new(),
            weightless: Vec::new(),
            frame,
            distinct,
            total_weight,
            widths: Some(Widths::of(&atoms)),
            unsorted: None,
        })
    }

    /// Sets the function that reads the points behind the atoms.
    pub(crate) fn with_zoom(mut self, zoom: SharedZoom) -> Self {
        if let Some(widths) = &mut self.widths {
            widths.zoom = Some(zoom);
        }
        self
    }

    /// The function that reads the points behind the atoms, if there is one.
    pub(crate) fn zoom(&self) -> Option<&ZoomFn> {
        self.widths.as_ref()?.zoom.as_ref().map(|zoom| &*zoom.0)
    }

    /// Whether atoms may have a width, as those of a summary do.
    pub(crate) fn has_widths(&self) -> bool {
        self.widths.is_some()
    }

    /// Whether all points weigh the same, so that equal points are interchangeable.
    pub(crate) fn weighs_evenly(&self) -> bool {
        if let Some(unsorted) = &self.unsorted {
            return unsorted.lightest == unsorted.heaviest;
        }
        match (&self.widths, &self.weights) {
            (_, None) => true,
            (None, Some(weights)) => weights.iter().all(|&weight| weight == weights[0]),
            (Some(widths), Some(weights)) => {
                let each = |i: usize| weights[i] / widths.count[i] as f64;
                (0..weights.len()).all(|i| widths.even[i] && is_same_weight(each(i), each(0)))
            }
        }
    }

    /// Atom `i` of the sorted data.
    pub(crate) fn atom(&self, i: usize) -> Atom {
        let (mean, weight) = (self.values()[i], self.weight(i));
        match &self.widths {
            None => Atom { mean, rest: 0.0, weight, within: 0.0, low: mean, high: mean, count: 1, even: true },
            Some(widths) => Atom {
                mean,
                rest: self.rests[i],
                weight,
                within: widths.within[i],
                low: widths.low[i],
                high: widths.high[i],
                count: widths.count[i],
                even: widths.even[i],
            },
        }
    }

    /// All atoms, ascending.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        (0..self.len()).map(|i| self.atom(i))
    }

    /// The number of points in sorted atom `i`.
    pub(crate) fn count(&self, i: usize) -> u64 {
        self.widths.as_ref().map_or(1, |widths| widths.count[i])
    }

    /// The smallest value in sorted atom `i`.
    pub(crate) fn lowest(&self, i: usize) -> f64 {
        self.widths.as_ref().map_or_else(|| self.values()[i], |widths| widths.low[i])
    }

    /// The largest value in sorted atom `i`.
    pub(crate) fn highest(&self, i: usize) -> f64 {
        self.widths.as_ref().map_or_else(|| self.values()[i], |widths| widths.high[i])
    }

    /// The smallest value in sorted atom `i`, in frame units.
    pub(crate) fn framed_lowest(&self, i: usize) -> f64 {
        self.frame().enter(self.lowest(i))
    }

    /// The largest value in sorted atom `i`, in frame units.
    pub(crate) fn framed_highest(&self, i: usize) -> f64 {
        self.frame().enter(self.highest(i))
    }

    /// √(weight · squares within) of sorted atom `i` in frame units; positive even if the squares have underflowed.
    pub(crate) fn framed_spread(&self, i: usize) -> f64 {
        if self.lowest(i) == self.highest(i) {
            return 0.0;
        }
        (self.weight(i) * self.framed_within(i)).sqrt().max(f64::MIN_POSITIVE)
    }

    /// The sum of squares within sorted atom `i`, in frame units.
    #[inline(always)]
    pub(crate) fn framed_within(&self, i: usize) -> f64 {
        self.widths.as_ref().map_or(0.0, |widths| self.frame.enter_square(widths.within[i]))
    }

    /// The sum of squares within all atoms, in squared units of the data.
    pub(crate) fn total_within(&self) -> f64 {
        self.widths.as_ref().map_or(0.0, |widths| widths.within.iter().sum())
    }

    /// The atoms as weighted points, the form that solvers use.
    pub(crate) fn bare(&self) -> Sample {
        if self.unsorted.is_some() {
            return self.sorted().bare();
        }
        let (values, weights, rests) = (self.values.clone(), self.weights.clone(), self.rests.clone());
        Sample { values, weights, rests, ..self.clone_facts() }
    }

    /// The means of the atoms as weighted points, in this order.
    pub(crate) fn means(&self) -> Sample {
        Sample { rests: Vec::new(), order: (0..self.len() as u32).collect(), ..self.bare() }
    }
}
