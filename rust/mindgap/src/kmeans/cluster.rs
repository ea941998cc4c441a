//! The clusters of a solution, measured on the data themselves in two passes.

use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::kmeans::rounding::of_place;
use crate::numeric::double::Double;

/// A cluster's centre and cost, in frame units from its first point: a narrow cluster keeps all its digits, however far
/// it is from the others.
pub(super) struct Cluster {
    /// The first point, in data units.
    origin: f64,
    /// How far the centre is from it.
    offset: f64,
    weight: f64,
    cost: f64,
}

impl Cluster {
    /// The cluster of `points`, whose centre is `center` (in frame units) or else its mean.
    pub(super) fn new(sample: &Sample, points: std::ops::Range<usize>, center: Option<f64>) -> Self {
        let frame = sample.frame();
        let origin = sample.values()[points.start];
        let from_origin = |i: usize| frame.enter_length(sample.values()[i] - origin + sample.rest(i));
        let sum = |term: &dyn Fn(usize) -> f64| compensated(points.clone().map(term));
        let weight = sum(&|i| sample.weight(i));
        let about = |center: f64| sum(&|i| sample.weight(i) * (from_origin(i) - center)) / weight;
        // The second pass takes back what the first lost to rounding.
        let first = about(0.0);
        let mean = first + about(first);
        // A free centre that is the mean but for rounding is meant to be the mean.
        let offset = match center.map(|center| Double::from(center).minus(frame.enter_exactly(origin))) {
            Some(offset) if (offset - mean).abs() > of_place(1.0) => offset,
            _ => mean,
        };
        let about = sum(&|i| sample.weight(i) * (from_origin(i) - offset).powi(2));
        let within = if sample.has_widths() { sum(&|i| sample.framed_within(i)) } else { 0.0 };
        Self { origin, offset, weight, cost: about + within }
    }

    /// The distance from this centre to that of `next`, in data units.
    pub(super) fn until(&self, next: &Self, frame: &Frame) -> f64 {
        frame.leave_length(frame.enter_length(next.origin - self.origin) + (next.offset - self.offset))
    }

    /// The sum of the weights.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// The centre, in data units.
    pub(super) fn center(&self, frame: &Frame) -> f64 {
        self.origin + frame.leave_length(self.offset)
    }

    /// The centre, in frame units.
    pub(super) fn framed(&self, frame: &Frame) -> f64 {
        frame.enter(self.origin) + self.offset
    }

    /// The weighted sum of squares about the centre, in data units.
    pub(super) fn cost(&self, frame: &Frame) -> f64 {
        frame.leave_square(self.cost)
    }
}

/// A sum that loses nothing to the order or the number of its terms but the last bit.
fn compensated(terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = Double::ZERO;
    terms.for_each(|term| sum.gather(Double::from(term)));
    sum.whole()
}
