//! The data as a search sees them: at most so many weighted positions, in frame units.

use crate::data::sample::Sample;
use crate::error::BoxError;
use crate::mixture::e_step::{SortedPasses, add_unseen, sum_intervals};
use crate::mixture::engine::{Engine, Moments};
use crate::mixture::observed::Observed;
use crate::mixture::parameters::Parameters;
use std::borrow::Cow;

/// Sorted positions and their weights.
pub(super) struct Cells {
    pub(super) positions: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) total: f64,
    pub(super) variance: f64,
    /// How the points were observed; one interval a cell, where there are any.
    observed: Observed,
    /// The last point of each cell.
    lasts: Vec<f64>,
    passes: SortedPasses,
}

impl Cells {
    /// The points of `sample` in about `most` cells.
    pub(super) fn of(sample: &Sample, most: usize, observed: &Observed) -> Self {
        let frame = sample.frame();
        let weights = sample.weights();
        let points = sample.values().iter().enumerate();
        let cells =
            Self::gather(points.map(|(i, &x)| (frame.enter(x), weights.map_or(1.0, |w| w[i]))), sample.len(), most);
        let positions: Vec<f64> = sample.values().iter().map(|&x| frame.enter(x)).collect();
        cells.observed_as(&positions, observed)
    }

    /// The same data in about `most` cells.
    pub(super) fn merged(&self, most: usize) -> Self {
        let points = self.positions.iter().copied().zip(self.weights.iter().copied());
        Self::gather(points, self.positions.len(), most).observed_as(&self.positions, &self.observed)
    }

    /// With the intervals of the points at `positions` that each cell took in.
    fn observed_as(mut self, positions: &[f64], observed: &Observed) -> Self {
        self.observed.support = observed.support;
        if let Some(intervals) = &observed.intervals {
            let mut hulls = Vec::with_capacity(self.len());
            let mut from = 0;
            for cell in 0..self.len() {
                let to = positions.partition_point(|&x| x <= self.lasts[cell]);
                let own = &intervals[from..to];
                let low = own.iter().map(|interval| interval[0]).fold(f64::INFINITY, f64::min);
                let high = own.iter().map(|interval| interval[1]).fold(f64::NEG_INFINITY, f64::max);
                hulls.push([low, high]);
                from = to;
            }
            self.observed.intervals = Some(hulls);
        }
        self
    }

    fn sum(&mut self, parameters: &Parameters, curved: bool) -> Moments {
        let mut moments = match &self.observed.intervals {
            Some(intervals) => sum_intervals(intervals, &self.weights, parameters, [false, curved]),
            None => self.passes.sum(&self.positions, &self.weights, parameters, curved),
        };
        if let Some(support) = self.observed.support {
            add_unseen(parameters, support, self.total, &mut moments);
        }
        moments
    }

    /// Cells no wider than a share of the range and no heavier than twice a share of the weight: narrow where the data
    /// are dense and where they are not.
    fn gather(points: impl Iterator<Item = (f64, f64)> + Clone, count: usize, most: usize) -> Self {
        let total: f64 = points.clone().map(|(_, weight)| weight).sum();
        let first = points.clone().next().map_or(0.0, |(x, _)| x);
        let last = points.clone().last().map_or(0.0, |(x, _)| x);
        let (width, heaviest) = match count <= most {
            true => (0.0, 0.0),
            false => ((last - first) / most as f64, 2.0 * total / most as f64),
        };
        let (mut positions, mut weights) = (Vec::with_capacity(count.min(4 * most)), Vec::new());
        let (mut lasts, mut before) = (Vec::new(), first);
        let (mut edge, mut sum, mut weight) = (first, 0.0, 0.0);
        for (x, w) in points {
            if weight > 0.0 && (x - edge > width || weight >= heaviest && x > edge) {
                positions.push(edge + sum / weight);
                weights.push(weight);
                lasts.push(before);
                (edge, sum, weight) = (x, 0.0, 0.0);
            }
            if weight == 0.0 {
                edge = x;
            }
            sum += w * (x - edge);
            weight += w;
            before = x;
        }
        if weight > 0.0 {
            positions.push(edge + sum / weight);
            weights.push(weight);
            lasts.push(last);
        }
        let average =
            |f: &dyn Fn(f64) -> f64| positions.iter().zip(&weights).map(|(&x, w)| w * f(x)).sum::<f64>() / total;
        let mean = average(&|x| x);
        let variance = average(&|x| (x - mean) * (x - mean));
        let variance = if variance > 0.0 { variance } else { 1.0 };
        Self {
            positions,
            weights,
            total,
            variance,
            observed: Observed::default(),
            lasts,
            passes: SortedPasses::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn ends(&self) -> [f64; 2] {
        [self.positions[0], self.positions[self.len() - 1]]
    }

    /// The position below which a share of the weight lies.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let mut below = 0.0;
        for (&x, w) in self.positions.iter().zip(&self.weights) {
            below += w;
            if below >= share * self.total {
                return x;
            }
        }
        self.positions[self.len() - 1]
    }

    /// Sums of weight, position and square over the first cells, about the middle one.
    pub(super) fn prefix(&self) -> CellPrefix {
        let origin = self.positions[self.len() / 2];
        let mut sums = vec![[0.0; 3]];
        let mut now = [0.0; 3];
        for (&x, &w) in self.positions.iter().zip(&self.weights) {
            let d = x - origin;
            now = [now[0] + w, now[1] + w * d, now[2] + w * d * d];
            sums.push(now);
        }
        CellPrefix { origin, sums }
    }
}

impl Engine for Cells {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        Err("cells are made from a sample".into())
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.sum(parameters, false))
    }

    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        Ok(self.sum(parameters, true))
    }
}

/// Sums over the first cells.
pub(super) struct CellPrefix {
    pub(super) origin: f64,
    sums: Vec<[f64; 3]>,
}

impl CellPrefix {
    /// Weight, sum and sum of squares about the origin of cells `from..to`.
    #[inline(always)]
    pub(super) fn over(&self, from: usize, to: usize) -> [f64; 3] {
        let (a, b) = (self.sums[from], self.sums[to]);
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
    }

    /// Weight, and sum of squares about the mean.
    #[inline(always)]
    pub(super) fn within(&self, from: usize, to: usize) -> [f64; 2] {
        let [weight, sum, squares] = self.over(from, to);
        [weight, (squares - sum * sum / weight).max(0.0)]
    }

    /// The sum of squares about `center`.
    pub(super) fn about(&self, from: usize, to: usize, center: f64) -> f64 {
        let ([weight, sum, squares], u) = (self.over(from, to), center - self.origin);
        (squares - 2.0 * u * sum + u * u * weight).max(0.0)
    }
}
