//! [`KMeansFit`]: the result in the units and the order of the data, measured in two passes over the points, O(n).

use super::cluster::Cluster;
use super::labelling;
use super::rounding::of_prefix_sums;
use crate::constraint::{Rows, Side};
use crate::data::sample::{Sample, low_and_high};
use crate::monitor::DEFAULT_TOL;
use crate::parallel::Workers;
use crate::partition::{Partition, Solution};
use crate::proof::Proof;
use crate::shortened::Shortened;
use std::fmt;
use std::ops::Range;

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
        self.inertia - self.lower_bound <= DEFAULT_TOL * self.inertia
    }

    /// Returns the cluster of each of `values`, by the [`boundaries`](Self::boundaries): that of the nearest centre,
    /// unless the labels of the data require otherwise. A value on a boundary belongs to the left cluster, NaN to the
    /// first.
    pub fn predict(&self, values: &[f64]) -> Vec<u32> {
        labelling::labels(values, &self.boundaries, &Workers::none())
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

pub(super) fn cluster_of(boundaries: &[f64], x: f64) -> u32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A boundary is the midpoint wherever that gives back the labels: not below the last point of the left cluster, and
    /// below the first of the right one.
    #[test]
    fn a_boundary_is_as_near_to_the_middle_as_the_labels_allow() {
        assert_eq!(boundary(5.0, 2.0, 8.0), 5.0);
        assert_eq!(boundary(2.0, 2.0, 8.0), 2.0);
        assert_eq!(boundary(1.0, 2.0, 8.0), 2.0);
        assert_eq!(boundary(8.0, 2.0, 8.0), 8.0_f64.next_down());
        assert_eq!(boundary(9.0, 2.0, 8.0), 8.0_f64.next_down());
        assert_eq!(boundary(5.0, 3.0, 3.0), 3.0);
        for (middle, left, right) in [(5.0, 2.0, 8.0), (1.0, 2.0, 8.0), (9.0, 2.0, 8.0)] {
            let boundaries = [boundary(middle, left, right)];
            assert_eq!((cluster_of(&boundaries, left), cluster_of(&boundaries, right)), (0, 1));
        }
        assert_eq!([-1.0, 1.0, 1.5, 2.0, 2.5].map(|x| cluster_of(&[1.0, 2.0], x)), [0, 0, 1, 1, 2]);
    }
}
