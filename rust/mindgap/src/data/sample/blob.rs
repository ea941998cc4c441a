//! Data known only as blobs: runs of neighbouring values of which weight, mean and spread are known, but no value.
//!
//! Every sum of squares over whole blobs is exact: it is that of their means plus what lies within them. So a partition
//! of blobs costs what it costs on the points, and solvers see weighted points. 41 bytes a blob beside those.

use super::Sample;
use crate::data::frame::Frame;
use crate::data::source::{SharedSource, Source};
use crate::error::SampleError;

/// Points that neighbour each other in value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blob {
    pub(crate) mean: f64,
    /// What `mean` has lost to rounding: data far from zero have means between two doubles.
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

impl Blob {
    /// Whether all its points have one value.
    pub(crate) fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// Where the fault is that makes this no blob; with what rounding did to the mean and the spread taken back.
    fn sound(mut self, index: usize) -> Result<Self, SampleError> {
        for value in [self.low, self.high, self.mean] {
            if !value.is_finite() {
                return Err(SampleError::NotFinite { index, value });
            }
        }
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return Err(SampleError::BadWeight { index, value: self.weight });
        }
        if self.low > self.high || self.count == 0 || (self.count == 1 && self.low < self.high) {
            return Err(SampleError::Disordered { index });
        }
        // Adding zero turns -0.0 into 0.0.
        (self.low, self.high) = (self.low + 0.0, self.high + 0.0);
        let mean = (self.mean + 0.0).max(self.low).min(self.high);
        self.rest = if mean == self.mean && self.rest.is_finite() { self.rest } else { 0.0 };
        self.mean = mean;
        // No more than with half the weight at either end; NaN becomes that, too.
        let most = 0.25 * self.weight * (self.high - self.low).powi(2);
        self.within = if self.within < most { self.within.max(0.0) } else { most };
        Ok(self)
    }
}

/// What is known of blobs beside mean and weight, one entry a blob.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blobs {
    within: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    count: Vec<u64>,
    even: Vec<bool>,
    /// What can be asked for the points themselves.
    source: Option<SharedSource>,
}

impl Blobs {
    fn of(blobs: &[Blob]) -> Self {
        Self {
            within: blobs.iter().map(|blob| blob.within).collect(),
            low: blobs.iter().map(|blob| blob.low).collect(),
            high: blobs.iter().map(|blob| blob.high).collect(),
            count: blobs.iter().map(|blob| blob.count).collect(),
            even: blobs.iter().map(|blob| blob.even).collect(),
            source: None,
        }
    }

    /// Runs of neighbours, which end before `ends`, joined; all of a run of several have one value.
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
    /// A sample whose points are blobs: ascending, and disjoint in value unless they are of one value each.
    ///
    /// # Errors
    /// As [`Sample::weighted`]; also blobs that overlap, or that cannot be.
    pub(crate) fn of_blobs(mut blobs: Vec<Blob>) -> Result<Self, SampleError> {
        if blobs.len() > u32::MAX as usize {
            return Err(SampleError::TooMany { len: blobs.len() });
        }
        for (index, blob) in blobs.iter_mut().enumerate() {
            *blob = blob.sound(index)?;
        }
        let (Some(first), Some(last)) = (blobs.first(), blobs.last()) else {
            return Err(SampleError::Empty);
        };
        let ascend = |a: &Blob, b: &Blob| a.high < b.low || (a.low == b.high && a.is_point() && b.is_point());
        if let Some(index) = blobs.windows(2).position(|pair| !ascend(&pair[0], &pair[1])) {
            return Err(SampleError::Disordered { index: index + 1 });
        }
        // The frame is that of the points, as far as their range goes.
        let range = last.high - first.low;
        let middle = blobs[blobs.len() / 2].mean;
        let frame =
            Frame::of_sorted(&[first.low, middle, last.high]).ok_or(SampleError::RangeNotSquarable { range })?;
        let total_weight: f64 = blobs.iter().map(|blob| blob.weight).sum();
        if !(total_weight * (1.0 + range * range)).is_finite() {
            return Err(SampleError::WeightOverflow { total: total_weight });
        }
        let groups = blobs.chunk_by(|a, b| a.mean == b.mean);
        let distinct = groups.map(|group| if group[0].is_point() { 1 } else { 2 }).sum();
        Ok(Self {
            values: blobs.iter().map(|blob| blob.mean).collect(),
            weights: Some(blobs.iter().map(|blob| blob.weight).collect()),
            rests: blobs.iter().map(|blob| blob.rest).collect(),
            order: Vec::new(),
            weightless: Vec::new(),
            frame,
            distinct,
            total_weight,
            blobs: Some(Blobs::of(&blobs)),
        })
    }

    /// The same blobs, whose points `source` can look at again.
    pub(crate) fn with_source(mut self, source: SharedSource) -> Self {
        if let Some(blobs) = &mut self.blobs {
            blobs.source = Some(source);
        }
        self
    }

    /// What can be asked for the points themselves.
    pub(crate) fn source(&self) -> Option<&dyn Source> {
        self.blobs.as_ref()?.source.as_ref().map(|source| &*source.0)
    }

    /// Whether the points are blobs.
    pub(crate) fn has_blobs(&self) -> bool {
        self.blobs.is_some()
    }

    /// Whether all points weigh the same: then it does not matter which of several equal ones are in which cluster.
    pub(crate) fn weighs_evenly(&self) -> bool {
        match (&self.blobs, &self.weights) {
            (_, None) => true,
            (None, Some(weights)) => weights.iter().all(|&weight| weight == weights[0]),
            (Some(blobs), Some(weights)) => {
                let each = |i: usize| weights[i] / blobs.count[i] as f64;
                // The sum of equal weights may have been rounded.
                let same = |i: usize| (each(i) - each(0)).abs() <= 1e-12 * each(0);
                (0..weights.len()).all(|i| blobs.even[i] && same(i))
            }
        }
    }

    /// What is known of sorted point `i`.
    pub(crate) fn blob(&self, i: usize) -> Blob {
        let (mean, weight) = (self.values[i], self.weight(i));
        match &self.blobs {
            None => Blob { mean, rest: 0.0, weight, within: 0.0, low: mean, high: mean, count: 1, even: true },
            Some(blobs) => Blob {
                mean,
                rest: self.rests[i],
                weight,
                within: blobs.within[i],
                low: blobs.low[i],
                high: blobs.high[i],
                count: blobs.count[i],
                even: blobs.even[i],
            },
        }
    }

    /// All blobs, ascending.
    pub(crate) fn all_blobs(&self) -> impl Iterator<Item = Blob> + '_ {
        (0..self.len()).map(|i| self.blob(i))
    }

    /// How many points sorted point `i` stands for.
    pub(crate) fn count(&self, i: usize) -> u64 {
        self.blobs.as_ref().map_or(1, |blobs| blobs.count[i])
    }

    /// The smallest value in sorted point `i`.
    pub(crate) fn lowest(&self, i: usize) -> f64 {
        self.blobs.as_ref().map_or(self.values[i], |blobs| blobs.low[i])
    }

    /// The largest value in sorted point `i`.
    pub(crate) fn highest(&self, i: usize) -> f64 {
        self.blobs.as_ref().map_or(self.values[i], |blobs| blobs.high[i])
    }

    /// The smallest value in sorted point `i`, in frame units.
    pub(crate) fn framed_lowest(&self, i: usize) -> f64 {
        self.frame.enter(self.lowest(i))
    }

    /// The largest value in sorted point `i`, in frame units.
    pub(crate) fn framed_highest(&self, i: usize) -> f64 {
        self.frame.enter(self.highest(i))
    }

    /// √(weight · squares within) of sorted point `i` in frame units; positive even where the squares have vanished.
    pub(crate) fn framed_spread(&self, i: usize) -> f64 {
        if self.lowest(i) == self.highest(i) {
            return 0.0;
        }
        (self.weight(i) * self.framed_within(i)).sqrt().max(f64::MIN_POSITIVE)
    }

    /// The sum of squares within sorted point `i`, in frame units.
    #[inline(always)]
    pub(crate) fn framed_within(&self, i: usize) -> f64 {
        self.blobs.as_ref().map_or(0.0, |blobs| self.frame.enter_square(blobs.within[i]))
    }

    /// The sum of squares within all points, in squared units of the data.
    pub(crate) fn total_within(&self) -> f64 {
        self.blobs.as_ref().map_or(0.0, |blobs| blobs.within.iter().sum())
    }

    /// The blobs as the points that solvers see: weighted, with nothing within them.
    pub(crate) fn bare(&self) -> Sample {
        let (values, weights, rests) = (self.values.clone(), self.weights.clone(), self.rests.clone());
        Sample { values, weights, rests, ..self.clone_facts() }
    }
}
