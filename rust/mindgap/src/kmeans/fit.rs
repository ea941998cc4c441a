//! [`KMeansFit`]: the result in the units and the order of the data, measured in two passes over the points, O(n).

use super::labelling;
use super::rounding::{of_place, of_prefix_sums};
use super::solution::Solution;
use crate::constraint::{Rows, Side};
use crate::data::frame::Frame;
use crate::data::sample::{Sample, low_and_high};
use crate::numeric::double::Double;
use crate::parallel::Workers;
use crate::partition::Partition;
use crate::proof::Proof;
use crate::shortened::Shortened;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// The relative gap between cost and bound up to which a solution counts as optimal: the default of
/// [`KMeans::tol`](crate::KMeans::tol).
pub(super) const PROVEN: f64 = 1e-9;

/// The result of k-means: clusters, their centres, and a lower bound on the optimal cost.
///
/// ```
/// use mindgap::{KMeans, Sample};
///
/// let fit = KMeans::new(2).fit(&Sample::new(&[8.0, 1.0, 2.0, 9.0])?)?;
/// assert_eq!((fit.labels(), fit.centers()), (&[1, 0, 0, 1][..], &[1.5, 8.5][..]));
/// assert_eq!((fit.inertia(), fit.is_optimal()), (1.0, true));
/// assert_eq!((fit.gaps(), fit.active()), (&[7.0][..], &[None][..]));
/// assert!((fit.inertia() - fit.lower_bound()).abs() < 1e-9);
/// assert_eq!(fit.predict(&[0.0, 6.0]), [0, 1]);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct KMeansFit {
    pub(super) labels: Vec<u32>,
    pub(super) centers: Vec<f64>,
    pub(super) boundaries: Vec<f64>,
    pub(super) sizes: Vec<usize>,
    pub(super) weights: Vec<f64>,
    pub(super) within: Vec<f64>,
    pub(super) gaps: Vec<f64>,
    pub(super) active: Vec<Option<Side>>,
    pub(super) inertia: f64,
    pub(super) lower_bound: f64,
}

impl KMeansFit {
    /// Measures a solution; it has no labels yet.
    pub(super) fn new(sample: &Sample, rows: &Rows, solution: &Solution) -> Self {
        let frame = sample.frame();
        let measured: Vec<Cluster> = solution
            .partition
            .clusters()
            .enumerate()
            .map(|(c, points)| Cluster::new(sample, points, solution.centers.as_ref().map(|centers| centers[c])))
            .collect();
        // Each centre is relative to a point of its own cluster: rounding must not make a gap negative.
        let gaps: Vec<f64> = measured.windows(2).map(|pair| pair[0].until(&pair[1], frame).max(0.0)).collect();
        let framed: Vec<f64> = measured.iter().map(|cluster| cluster.framed(frame)).collect();
        let active = rows.active(&framed, frame, sample.framed_range());
        let mut centers: Vec<f64> = measured.iter().map(|cluster| cluster.center(frame)).collect();
        (1..centers.len()).for_each(|c| centers[c] = centers[c].max(centers[c - 1]));
        let within: Vec<f64> = measured.iter().map(|cluster| cluster.cost(frame)).collect();
        let inertia: f64 = within.iter().sum();
        let boundaries = boundaries(sample, &solution.partition, &centers);
        Self {
            labels: Vec::new(),
            centers,
            sizes: solution.partition.clusters().map(|points| size(sample, points)).collect(),
            weights: measured.iter().map(Cluster::weight).collect(),
            active,
            boundaries,
            within,
            gaps,
            inertia,
            lower_bound: 0.0,
        }
        .with_proof(solution.proof.scaled(frame.leave_square(1.0), 0.0), sample)
    }

    /// Sets the labels from a partition of points.
    pub(super) fn labelled(mut self, sample: &Sample, partition: &Partition) -> Self {
        self.labels = labels(sample, partition, &self.boundaries);
        self
    }

    /// Strengthens the lower bound by `proof` (in data units), minus the rounding error of its sums.
    pub(super) fn with_proof(mut self, proof: Proof, sample: &Sample) -> Self {
        let lost = sample.frame().leave_square(of_prefix_sums(sample, self.centers.len()));
        self.lower_bound = self.lower_bound.max(proof.lower_bound(self.inertia) - lost);
        self
    }

    /// The cluster of each input point, `0..k` by ascending centre; empty for a fit of a summary or [without
    /// labels](crate::KMeans::labels).
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Takes the labels out of the fit, which then has none.
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let mut fit = KMeans::new(2).fit(&Sample::new(&[8.0, 1.0])?)?;
    /// assert_eq!((fit.take_labels(), fit.labels()), (vec![1, 0], &[][..]));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn take_labels(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.labels)
    }

    /// The centres, ascending.
    pub fn centers(&self) -> &[f64] {
        &self.centers
    }

    /// The boundaries between clusters: midway between two neighbouring centres, or as near to that as the labels
    /// allow.
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let fit = KMeans::new(2).fit(&Sample::new(&[1.0, 2.0, 8.0, 9.0])?)?;
    /// assert_eq!((fit.boundaries(), fit.sizes(), fit.within()), (&[5.0][..], &[2, 2][..], &[0.5, 0.5][..]));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn boundaries(&self) -> &[f64] {
        &self.boundaries
    }

    /// The number of points of positive weight in each cluster.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The sum of the weights in each cluster: its size if there are none.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weighted sum of squares about the centre, for each cluster.
    pub fn within(&self) -> &[f64] {
        &self.within
    }

    /// The weighted sum of squares about the centres.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// The distances between neighbouring centres.
    pub fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// The active bound of each gap; for linear rows, of each row.
    pub fn active(&self) -> &[Option<Side>] {
        &self.active
    }

    /// A lower bound on the cost of every solution.
    pub fn lower_bound(&self) -> f64 {
        self.lower_bound
    }

    /// Whether the inertia is proven optimal (to one part in 10⁹).
    pub fn is_optimal(&self) -> bool {
        self.inertia - self.lower_bound <= PROVEN * self.inertia
    }

    /// Returns the cluster of each of `values`, by the [`boundaries`](Self::boundaries): that of the nearest centre,
    /// unless the labels of the data require otherwise. A value on a boundary belongs to the left cluster, NaN to the
    /// first.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        labelling::labels(values, &self.boundaries)
    }

    /// Returns the smallest of `values`, then the largest in each cluster according to [`predict`](Self::predict); for
    /// the fitted values, the natural breaks. One pass. An empty cluster repeats the previous limit.
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let x = [4.0, 1.0, 2.0, 10.0, 5.0, 9.0];
    /// let fit = KMeans::new(3).fit(&Sample::new(&x)?)?;
    /// assert_eq!(fit.limits(&x), [1.0, 2.0, 5.0, 10.0]);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn limits(&self, values: &[f64]) -> Vec<f64> {
        let (low, _) = low_and_high(values);
        let largest = Workers::for_points(values.len()).run(|| labelling::largest(values, &self.boundaries));
        let limits = largest.into_iter().scan(low, |limit, largest| {
            *limit = limit.max(largest);
            Some(*limit)
        });
        // Adding zero turns -0.0 into 0.0.
        [low].into_iter().chain(limits).map(|limit| limit + 0.0).collect()
    }

    /// As [`limits`](Self::limits), for the points of positive weight of a sample, without sorting it.
    ///
    /// ```
    /// use mindgap::{KMeans, Sample};
    ///
    /// let sample = Sample::weighted(&[4.0, 1.0, 2.0, 10.0], &[1.0, 1.0, 1.0, 0.0])?;
    /// assert_eq!(KMeans::new(2).fit(&sample)?.limits_of(&sample), [1.0, 2.0, 4.0]);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn limits_of(&self, sample: &Sample) -> Vec<f64> {
        match sample.in_any_order() {
            Some(data) => self.limits(data.points().values),
            None => self.limits(sample.values()),
        }
    }
}

/// Prints everything, with the labels shortened: there may be millions.
impl fmt::Debug for KMeansFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KMeansFit")
            .field("labels", &Shortened(&self.labels))
            .field("centers", &self.centers)
            .field("boundaries", &self.boundaries)
            .field("sizes", &self.sizes)
            .field("weights", &self.weights)
            .field("within", &self.within)
            .field("gaps", &self.gaps)
            .field("active", &self.active)
            .field("inertia", &self.inertia)
            .field("lower_bound", &self.lower_bound)
            .finish()
    }
}

fn boundaries(sample: &Sample, partition: &Partition, centers: &[f64]) -> Vec<f64> {
    let middles = centers.windows(2).map(|pair| pair[0] * 0.5 + pair[1] * 0.5);
    let ends = partition.boundaries().iter();
    ends.zip(middles).map(|(&end, middle)| boundary(middle, sample.highest(end - 1), sample.lowest(end))).collect()
}

/// Clamps `middle` to `left..right`; returns `left` if the two are equal.
pub(super) fn boundary(middle: f64, left: f64, right: f64) -> f64 {
    if middle < right { middle.max(left) } else { right.next_down().max(left) }
}

fn size(sample: &Sample, points: Range<usize>) -> usize {
    if !sample.has_widths() {
        return points.len();
    }
    points.fold(0, |size: usize, i| size.saturating_add(sample.count(i) as usize))
}

fn cluster_of(boundaries: &[f64], x: f64) -> u32 {
    boundaries.partition_point(|&boundary| boundary < x) as u32
}

/// The label of each input point.
fn labels(sample: &Sample, partition: &Partition, boundaries: &[f64]) -> Vec<u32> {
    let mut labels = vec![0; sample.input_len()];
    for (label, points) in (0u32..).zip(partition.clusters()) {
        for &index in &sample.order()[points] {
            labels[index as usize] = label;
        }
    }
    for &(index, x) in sample.weightless() {
        labels[index as usize] = cluster_of(boundaries, x);
    }
    labels
}

/// A cluster's centre and cost, in frame units relative to its first point, so that a narrow cluster far from the
/// others keeps all its digits.
struct Cluster {
    /// The first point, in data units.
    origin: f64,
    /// The centre minus the first point.
    offset: f64,
    weight: f64,
    cost: f64,
}

impl Cluster {
    /// Measures the cluster of `points` about `center` (in frame units), or about its mean.
    fn new(sample: &Sample, points: Range<usize>, center: Option<f64>) -> Self {
        let (frame, start) = (sample.frame(), points.start);
        let values = &sample.values()[points.clone()];
        let origin = values[0];
        let weight = match sample.weights() {
            Some(weights) => compensated(&weights[points], |_, weight| weight),
            None => values.len() as f64,
        };
        // A mean in plain doubles, then a correction of its rounding error.
        let [first] = weighed::<Plain, 1>(sample, start, values, |x| [x]).map(|sum| sum / weight);
        let [rest, squares] = weighed::<Kept, 2>(sample, start, values, |x| [x - first, (x - first).powi(2)]);
        let mean = first + rest / weight;
        // A free centre that differs from the mean by rounding alone is the mean.
        let (offset, about) = match center.map(|center| Double::from(center).minus(frame.enter_exactly(origin))) {
            Some(offset) if (offset - mean).abs() > of_place(1.0) => {
                let [about] = weighed::<Kept, 1>(sample, start, values, |x| [(x - offset).powi(2)]);
                (offset, about)
            }
            _ => (mean, (squares - weight * (mean - first).powi(2)).max(0.0)),
        };
        let within = match sample.has_widths() {
            true => compensated(values, |i, _| sample.framed_within(start + i)),
            false => 0.0,
        };
        Self { origin, offset, weight, cost: about + within }
    }

    /// The distance from this centre to that of `next`, in data units.
    fn until(&self, next: &Self, frame: &Frame) -> f64 {
        frame.leave_length(frame.enter_length(next.origin - self.origin) + (next.offset - self.offset))
    }

    /// The sum of the weights.
    fn weight(&self) -> f64 {
        self.weight
    }

    /// The centre, in data units.
    fn center(&self, frame: &Frame) -> f64 {
        self.origin + frame.leave_length(self.offset)
    }

    /// The centre, in frame units.
    fn framed(&self, frame: &Frame) -> f64 {
        frame.enter(self.origin) + self.offset
    }

    /// The weighted sum of squares about the centre, in data units.
    fn cost(&self, frame: &Frame) -> f64 {
        frame.leave_square(self.cost)
    }
}

/// `Σ w·term(x)` over the points from `start` on, with `x` relative to the first of `values`, in frame units.
fn weighed<L: Lanes, const M: usize>(
    sample: &Sample,
    start: usize,
    values: &[f64],
    term: impl Fn(f64) -> [f64; M],
) -> [f64; M] {
    let (frame, origin) = (sample.frame(), values[0]);
    match sample.weights() {
        // Only means have rests, and they have weights.
        None => summed::<L, M>(values, |_, x| term(frame.enter_length(x - origin))),
        Some(weights) => summed::<L, M>(values, |i, x| {
            term(frame.enter_length(x - origin + sample.rest(start + i))).map(|term| weights[start + i] * term)
        }),
    }
}

/// The compensated sum of `term` over the indices and entries of `values`.
fn compensated(values: &[f64], term: impl Fn(usize, f64) -> f64) -> f64 {
    let [sum] = summed::<Kept, 1>(values, |i, x| [term(i, x)]);
    sum
}

/// The sums of `term` over the indices and entries of `values`.
fn summed<L: Lanes, const M: usize>(values: &[f64], term: impl Fn(usize, f64) -> [f64; M]) -> [f64; M] {
    pulp::Arch::new().dispatch(SumTerms::<_, L, M> { values, term, lanes: PhantomData })
}

/// Sums that are added to in turn, so that one addition need not wait for the one before.
const LANES: usize = 8;

/// Running sums side by side, in vectors.
trait Lanes: Default {
    fn add(&mut self, lane: usize, term: f64);
    fn total(&self) -> Double;
}

/// Running sums in double-double.
#[derive(Default)]
struct Kept {
    high: [f64; LANES],
    low: [f64; LANES],
}

/// Running sums in doubles.
#[derive(Default)]
struct Plain([f64; LANES]);

impl Lanes for Kept {
    #[inline(always)]
    fn add(&mut self, lane: usize, term: f64) {
        let mut sum = Double::of_parts(self.high[lane], self.low[lane]);
        sum.gather(Double::from(term));
        (self.high[lane], self.low[lane]) = sum.parts();
    }

    #[inline(always)]
    fn total(&self) -> Double {
        (0..LANES).fold(Double::ZERO, |total, lane| total + Double::of_parts(self.high[lane], self.low[lane]))
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn add(&mut self, lane: usize, term: f64) {
        self.0[lane] += term;
    }

    #[inline(always)]
    fn total(&self) -> Double {
        Double::from(self.0.iter().sum::<f64>())
    }
}

struct SumTerms<'a, F, L, const M: usize> {
    values: &'a [f64],
    term: F,
    lanes: PhantomData<L>,
}

impl<L: Lanes, F: Fn(usize, f64) -> [f64; M], const M: usize> pulp::WithSimd for SumTerms<'_, F, L, M> {
    type Output = [f64; M];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [f64; M] {
        let Self { values, term, .. } = self;
        let mut sums: [L; M] = std::array::from_fn(|_| L::default());
        let (turns, rest) = values.as_chunks::<LANES>();
        for (turn, values) in turns.iter().enumerate() {
            for lane in 0..LANES {
                let terms = term(turn * LANES + lane, values[lane]);
                (0..M).for_each(|sum| sums[sum].add(lane, terms[sum]));
            }
        }
        let mut totals: [Double; M] = std::array::from_fn(|sum| sums[sum].total());
        for (i, &x) in rest.iter().enumerate() {
            let terms = term(turns.len() * LANES + i, x);
            (0..M).for_each(|sum| totals[sum].gather(Double::from(terms[sum])));
        }
        totals.map(Double::whole)
    }
}

#[cfg(test)]
mod tests;
