//! K-means on many points without sorting them: O(N) in a few passes over memory, whatever the order of the points.
//!
//! One pass deals the points into cells, whose sums are exact; [`refine`](super::refine) solves the problem on the cells and says
//! in which few of them a boundary can lie; another pass gathers the points of those, which alone are sorted; a last one writes the
//! labels. Where cells do not tell points apart (outliers far from all others, values that crowd) or the search does not end with a
//! proof, the points are sorted after all. What is taken depends on the points, not on their order.

use super::fit::KMeansFit;
use super::labelling::labels;
use super::{Centers, KMeans, KMeansMethod};
use crate::constraint::resolve_centers;
use crate::data::cells::{Cells, Points};
use crate::data::sample::{Atom, Sample};
use crate::error::{BoxError, KMeansError};
use crate::memory::product;
use crate::monitor::Monitor;
use crate::numeric::double::Double;
use crate::numeric::first_false;
use crate::parallel::Workers;

/// Cells that points are dealt into at most, but for many clusters.
const CELLS: usize = 1 << 13;

/// Cells for each cluster.
const CELLS_A_CLUSTER: usize = 1 << 8;

/// The most cells of all: their sums stay within reach of the caches.
const MOST_CELLS: usize = 1 << 15;

/// Cells must hold so many times as many clusters: with fewer, sorting is no more work.
const OCCUPIED_A_CLUSTER: usize = 4;

/// A cell of several values, or cells that are looked into, must not hold more than this part of the points: sorting these would
/// take as long as sorting all.
const MOST_GATHERED: usize = 2;

/// Points that are shown one by one; more are shown in finer atoms.
const SHOWN_SINGLY: usize = 1 << 15;

/// Finer atoms of a window.
const PARTS: usize = 16;

/// Clusters must be so many cells wide, as root mean squares go, that the rounding of points within cells does not show.
const WIDE: f64 = 2.0;

/// Labels, and the cells of each thread.
const BYTES_A_POINT: usize = 4;

/// Solves the problem for points in any order; nothing where they have to be sorted.
pub(super) fn fit(
    kmeans: &KMeans,
    sample: &Sample,
    monitor: &mut Monitor<'_>,
) -> Result<Option<KMeansFit>, KMeansError> {
    let Some(points) = sample.in_any_order().filter(|_| applies(kmeans)) else { return Ok(None) };
    monitor.check_memory("k-means", product(&[points.values.len(), BYTES_A_POINT]))?;
    let workers = Workers::for_points(points.values.len());
    let most = (CELLS_A_CLUSTER.saturating_mul(kmeans.k)).clamp(CELLS, MOST_CELLS);
    let cells = Cells::new(points.extent, most);
    let atoms: Vec<Atom> = workers.run(|| cells.atoms(&points)).into_iter().flatten().collect();
    let few = points.values.len() / MOST_GATHERED;
    let crowded = atoms.iter().any(|atom| !atom.is_point() && atom.count as usize > few);
    if crowded || kmeans.k > atoms.len() / OCCUPIED_A_CLUSTER {
        return Ok(None);
    }
    let mut closer = CloserLook { points, cells, workers, seen: vec![false; cells.len()], found: Vec::new(), few };
    let cells_of = Sample::of_atoms(atoms).map_err(|_| KMeansError::OutOfRange)?;
    let (fit, atoms) = match kmeans.fit_refining(cells_of, &mut |windows| closer.zoom(windows), monitor) {
        Ok(found) => found,
        Err(KMeansError::Interrupted) => return Err(KMeansError::Interrupted),
        Err(_) => return Ok(None),
    };
    let proven = fit.is_optimal() || monitor.report().is_err();
    if !proven || closer.is_too_coarse_for(&fit) {
        return Ok(None);
    }
    closer.finished(fit, &atoms)
}

/// Whether this is a problem that cells can solve.
fn applies(kmeans: &KMeans) -> bool {
    let gaps = resolve_centers(&*kmeans.constraint, kmeans.k)
        .is_ok_and(|rows| rows.linear().is_none() && (rows.are_trivial() || kmeans.centers == Centers::Free));
    gaps && kmeans.k > 0 && kmeans.method == KMeansMethod::Exact && kmeans.sizes().is_ok_and(|sizes| sizes.are_any())
}

/// Shows the points of some cells; each is gathered once.
struct CloserLook<'a> {
    points: Points<'a>,
    cells: Cells,
    workers: Workers,
    /// The cells whose points were gathered.
    seen: Vec<bool>,
    /// Their points with their weights, ascending.
    found: Vec<(f64, f64)>,
    /// More than so many are not gathered.
    few: usize,
}

impl CloserLook<'_> {
    /// The points of each window, one by one or as several atoms.
    fn zoom(&mut self, windows: &[(f64, f64)]) -> Result<Vec<Vec<Atom>>, BoxError> {
        self.gather(windows)?;
        let ranges: Vec<_> = windows.iter().map(|window| self.range(window)).collect();
        let singly = ranges.iter().map(ExactSizeIterator::len).sum::<usize>() <= SHOWN_SINGLY;
        let shown = |range: std::ops::Range<usize>| {
            let points = &self.found[range];
            let distinct = points.chunk_by(|a, b| a.0 == b.0).map(|tied| self.atom(tied));
            if singly || points.len() <= PARTS {
                return distinct.collect();
            }
            points.chunks(points.len().div_ceil(PARTS)).map(|run| self.atom(run)).collect()
        };
        Ok(ranges.into_iter().map(shown).collect())
    }

    /// Gathers the points of the cells of these windows, unless they are known.
    fn gather(&mut self, windows: &[(f64, f64)]) -> Result<(), BoxError> {
        let mut wanted = vec![false; self.cells.len()];
        for &(low, _) in windows {
            let cell = self.cells.of(low);
            wanted[cell] = !self.seen[cell];
        }
        if !wanted.contains(&true) {
            return Ok(());
        }
        self.found.extend(self.workers.run(|| self.cells.gather(&self.points, &wanted)));
        if self.found.len() > self.few {
            return Err("too many points lie where a boundary may be".into());
        }
        // By value, then weight: equal points stand in one order whatever the input's.
        self.found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.seen.iter_mut().zip(wanted).for_each(|(seen, wanted)| *seen |= wanted);
        Ok(())
    }

    /// The gathered points of a window.
    fn range(&self, &(low, high): &(f64, f64)) -> std::ops::Range<usize> {
        self.found.partition_point(|point| point.0 < low)..self.found.partition_point(|point| point.0 <= high)
    }

    /// Points, ascending, as one atom.
    fn atom(&self, points: &[(f64, f64)]) -> Atom {
        let (low, high) = (points[0].0, points[points.len() - 1].0);
        let total = |term: &dyn Fn(f64) -> f64| {
            let mut sum = Double::ZERO;
            points.iter().for_each(|&(x, weight)| sum.gather(Double::from(weight * term(x - low))));
            sum.whole()
        };
        let weight = total(&|_| 1.0);
        let offset = if low == high { 0.0 } else { total(&|x| x) / weight };
        let within = if low == high { 0.0 } else { total(&|x| (x - offset).powi(2)) };
        let even = self.points.lightest == self.points.heaviest || points.len() == 1;
        let mean = low + offset;
        let rest = offset - (mean - low);
        Atom { mean, rest, weight, within, low, high, count: points.len() as u64, even }
    }

    /// Whether a cluster is so narrow that the rounding of points within cells may show in its cost.
    fn is_too_coarse_for(&self, fit: &KMeansFit) -> bool {
        let least = (WIDE * self.cells.width()).powi(2);
        self.cells.blur() > 0.0
            && fit.within().iter().zip(fit.weights()).any(|(within, weight)| within / weight < least)
    }

    /// The fit with its labels; nothing if equal points are in different clusters, which boundaries cannot tell.
    fn finished(mut self, mut fit: KMeansFit, atoms: &Sample) -> Result<Option<KMeansFit>, KMeansError> {
        fit.lower_bound = less_blur(fit.lower_bound, self.cells.blur(), atoms.total_weight());
        for gap in 0..fit.boundaries.len() {
            let middle = fit.centers[gap] * 0.5 + fit.centers[gap + 1] * 0.5;
            let right = first_false(0, atoms.len(), |i| atoms.highest(i) <= fit.boundaries[gap]);
            let (left, right) = (atoms.atom(right - 1), atoms.atom(right));
            if left.high == right.low {
                return Ok(None);
            }
            if fit.boundaries[gap] != middle && !(left.is_point() && right.is_point()) {
                // Atoms may be wider than their points.
                let windows = [(left.low, left.high), (right.low, right.high)];
                if self.gather(&windows).is_err() {
                    return Ok(None);
                }
                let [left, right] = windows.map(|window| self.range(&window));
                let (left, right) = (self.found[left.end - 1].0, self.found[right.start].0);
                fit.boundaries[gap] = super::fit::boundary(middle, left, right);
            }
        }
        fit.labels = self.workers.run(|| labels(self.points.values, &fit.boundaries));
        Ok(Some(fit))
    }
}

/// A lower bound on costs of points that may each be wrong by `blur`: for any centres the root of the cost, a norm, changes by no
/// more than `blur` times the root of the weight.
fn less_blur(bound: f64, blur: f64, weight: f64) -> f64 {
    (bound.sqrt() - blur * weight.sqrt()).max(0.0).powi(2).min(bound)
}
