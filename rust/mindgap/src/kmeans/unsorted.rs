//! K-means on many points without a sort: O(N) in a few passes over memory.
//!
//! The first pass assigns the points to cells, whose sums are exact. [`refine`](super::refine) solves the problem on
//! the cells and finds the few that a boundary can lie in. A second pass gathers the points of those, which alone are
//! sorted, and a last one writes the labels. If the cells do not separate the points (far outliers, crowded values) or
//! the search ends without a proof, the points are sorted after all. This choice depends on the points, not on their
//! order.

use super::fit::{KMeansFit, PROVEN, boundary};
use super::labelling::labels;
use super::{Centers, KMeans, KMeansMethod, free};
use crate::constraint::{Rows, resolve_centers};
use crate::data::cells::{DealtCells, GatheredPoint, UnsortedPoints};
use crate::data::sample::{Atom, MANY_POINTS, Sample, borrowed};
use crate::error::{BoxError, Error, KMeansError};
use crate::memory::product;
use crate::monitor::{Halt, Monitor};
use crate::numeric::double::Double;
use crate::numeric::first_false;
use crate::parallel::Workers;
use std::ops::Range;

/// The most cells for few clusters; there are at least half as many.
const CELLS: usize = 1 << 13;

/// Cells per cluster, if that gives more.
const CELLS_A_CLUSTER: usize = 1 << 9;

/// The most cells for many clusters: their sums stay in cache.
const MOST_CELLS: usize = 1 << 15;

/// From this many points on there are [`FINER`] times as many cells: gathering points, up to a tenth of all, takes more
/// time and memory than the cells.
const VERY_MANY_POINTS: usize = 1 << 22;

/// The factor of [`VERY_MANY_POINTS`].
const FINER: usize = 4;

/// The least points per cell beyond [`LEAST_CELLS`]: smaller cells save the solver little. Measured at 1e5 points, k =
/// 2 to 50.
const POINTS_A_CELL: usize = 32;

/// The least cells: with fewer, a dozen clusters have too many points in cells with a boundary.
const LEAST_CELLS: usize = 1 << 12;

/// The fewest cells per cluster: with fewer, a boundary may be nearly anywhere, even in uniform points.
const LEAST_A_CLUSTER: usize = 64;

/// The least occupied cells per cluster: with fewer, sorting is as fast.
const OCCUPIED_A_CLUSTER: usize = 4;

/// A cell of several values, or all gathered cells, may have at most one in this many points: sorting more would take
/// as long as sorting all.
const MOST_GATHERED: usize = 2;

/// Up to this many points of a window are returned one by one, more in finer cells.
const SHOWN_SINGLY: usize = 1 << 13;

/// Finer cells of a window: more would cost the solver as much as the rounds that they save.
const PARTS: usize = 4;

/// A pass takes about a nanosecond a point, so threads pay only from this many times as many points as elsewhere.
const POINTS_FOR_ONE: usize = 2;

/// The most windows of one pass. Points in memory are gathered at no cost per window; with fewer windows many clusters
/// take many rounds.
const WINDOWS: usize = 1 << 16;

/// The least root mean square of a cluster, in cells: rounding of points within cells then does not matter.
const WIDE: f64 = 2.0;

/// The memory of a label; that of cells and gathered points is small in comparison.
const BYTES_A_LABEL: usize = 4;

/// The reason why a fit of borrowed data starts again with a copy.
const CHANGED: &str = "the data change during the fit";

/// Solves the problem for points in any order; `None` if they have to be sorted.
pub(super) fn fit(
    kmeans: &KMeans,
    sample: &Sample,
    monitor: &mut Monitor<'_>,
) -> Result<Option<KMeansFit>, KMeansError> {
    let Some(data) = sample.in_any_order().filter(|_| applies(kmeans, sample.len())) else { return Ok(None) };
    Ok(fit_any(kmeans, data.points(), monitor)?.map(|(mut fit, _)| {
        fit.labels = data.in_input_order(fit.take_labels());
        fit
    }))
}

/// As [`fit`], for borrowed values and weights. If another thread changes them meanwhile, the fit is of values that
/// were there at some time, or `None`. Also returns the means of the cells as weighted points.
pub(super) fn fit_borrowed(
    kmeans: &KMeans,
    values: &[f64],
    weights: Option<&[f64]>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<(KMeansFit, Sample)>, Error> {
    if values.len() < MANY_POINTS || !applies(kmeans, values.len()) {
        return Ok(None);
    }
    let Some(points) = borrowed(values, weights)? else { return Ok(None) };
    Ok(fit_any(kmeans, points, monitor)?)
}

/// Fits points with or without weights.
fn fit_any(
    kmeans: &KMeans,
    points: UnsortedPoints<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<(KMeansFit, Sample)>, KMeansError> {
    match points.weights {
        None => fit_points::<f64>(kmeans, points, monitor),
        Some(_) => fit_points::<(f64, f64)>(kmeans, points, monitor),
    }
}

/// Returns the fit and the means of the cells as weighted points.
fn fit_points<P: GatheredPoint>(
    kmeans: &KMeans,
    points: UnsortedPoints<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<(KMeansFit, Sample)>, KMeansError> {
    let n = points.values.len();
    if kmeans.labels {
        monitor.check_memory("k-means", product(&[n, BYTES_A_LABEL]))?;
    }
    let finer = if n >= VERY_MANY_POINTS { FINER } else { 1 };
    let most = (finer * CELLS_A_CLUSTER).saturating_mul(kmeans.k).clamp(CELLS, finer * MOST_CELLS);
    let cells = DealtCells::new(points.extent, most.min(LEAST_CELLS.max(n / POINTS_A_CELL)));
    if kmeans.k > cells.len() / LEAST_A_CLUSTER {
        return Ok(None);
    }
    let workers = Workers::for_points(n / POINTS_FOR_ONE);
    let atoms = workers.run(|| cells.atoms(&points));
    let mut counts = vec![0; cells.len()];
    atoms.iter().for_each(|atom| counts[cells.of(atom.low)] = atom.count as usize);
    let crowded = atoms.iter().any(|atom| !atom.is_point() && atom.count as usize > n / MOST_GATHERED);
    if crowded || kmeans.k > atoms.len() / OCCUPIED_A_CLUSTER {
        return Ok(None);
    }
    let mut closer = CloserLook::<P>::new(points, cells, counts, workers);
    let sample = Sample::of_atoms(atoms).map_err(|_| KMeansError::OutOfRange)?;
    let means = sample.means();
    let (fit, atoms) = match kmeans.fit_in_windows(sample, &mut |windows| closer.zoom(windows), WINDOWS, monitor) {
        Ok(found) => found,
        Err(KMeansError::Interrupted) => return Err(KMeansError::Interrupted),
        Err(_) => return Ok(None),
    };
    let proven = fit.inertia() - fit.lower_bound() <= kmeans.tol.max(PROVEN) * fit.inertia();
    let ended = match monitor.report() {
        Err(Halt::Interrupted) => return Err(KMeansError::Interrupted),
        report => proven || report.is_err(),
    };
    if !ended || closer.is_too_coarse_for(&fit) {
        return Ok(None);
    }
    let Some(mut fit) = closer.finished(fit, &atoms) else { return Ok(None) };
    if kmeans.labels {
        let workers = closer.into_workers();
        fit.labels = workers.run(|| labels(points.values, &fit.boundaries));
    }
    Ok(Some((fit, means)))
}

/// Whether cells can solve this problem, and no other way is faster.
fn applies(kmeans: &KMeans, points: usize) -> bool {
    let free = |rows: &Rows| kmeans.centers == Centers::Free && !free::has_path(rows);
    let gaps = resolve_centers(&*kmeans.constraint, kmeans.k)
        .is_ok_and(|rows| rows.linear().is_none() && (rows.are_trivial() || free(&rows)));
    let few = (1..=points / OCCUPIED_A_CLUSTER).contains(&kmeans.k);
    few && gaps && kmeans.method == KMeansMethod::Exact && kmeans.sizes().is_ok_and(|sizes| sizes.are_any())
}

/// Reads the points of cells; each cell is gathered once.
struct CloserLook<'a, P> {
    points: UnsortedPoints<'a>,
    cells: DealtCells,
    workers: Workers,
    /// The number of points in each cell.
    counts: Vec<usize>,
    /// The points that were gathered, those of one cell together.
    found: Vec<P>,
    /// The place of each cell's points in `found`.
    places: Vec<Range<usize>>,
}

impl<'a, P: GatheredPoint> CloserLook<'a, P> {
    fn new(points: UnsortedPoints<'a>, cells: DealtCells, counts: Vec<usize>, workers: Workers) -> Self {
        Self { points, cells, workers, counts, found: Vec::new(), places: vec![0..0; cells.len()] }
    }

    /// Drops the gathered points and returns the threads.
    fn into_workers(self) -> Workers {
        self.workers
    }

    /// Returns the points of each window, one by one or in finer cells.
    fn zoom(&mut self, windows: &[(f64, f64)]) -> Result<Vec<Vec<Atom>>, BoxError> {
        self.gather(windows)?;
        let inside: Vec<Vec<P>> = windows.iter().map(|window| self.inside(window)).collect();
        let singly = inside.iter().map(Vec::len).sum::<usize>() <= SHOWN_SINGLY;
        let shown = |(points, window): (Vec<P>, &(f64, f64))| match singly || points.len() <= PARTS {
            true => self.singly(points),
            false => self.in_parts(&points, *window),
        };
        Ok(inside.into_iter().zip(windows).map(shown).collect())
    }

    /// Gathers the points of these windows' cells, unless they have been gathered.
    fn gather(&mut self, windows: &[(f64, f64)]) -> Result<(), BoxError> {
        let mut wanted = vec![false; self.cells.len()];
        for &(low, _) in windows {
            let cell = self.cells.of(low);
            wanted[cell] = self.places[cell].is_empty();
        }
        if !wanted.contains(&true) {
            return Ok(());
        }
        let mut start = self.found.len();
        let mut next = vec![0; self.cells.len()];
        for cell in (0..wanted.len()).filter(|&cell| wanted[cell]) {
            next[cell] = start;
            self.places[cell] = start..start + self.counts[cell];
            start += self.counts[cell];
        }
        if start > self.points.values.len() / MOST_GATHERED {
            return Err("too many points lie where a boundary may be".into());
        }
        self.found.reserve_exact(start - self.found.len());
        self.found.resize(start, P::new(0.0, 0.0));
        let Self { points, cells, workers, found, places, .. } = self;
        let put = |gathered: Vec<P>| {
            for point in gathered {
                // Borrowed data may change between two reads of a value.
                let inside = (points.extent.0..=points.extent.1).contains(&point.value())
                    && (points.lightest..=points.heaviest).contains(&point.weight());
                let cell = if inside { cells.of(point.value()) } else { usize::MAX };
                let place = next.get_mut(cell).filter(|place| places[cell].contains(place)).ok_or(CHANGED)?;
                found[*place] = point;
                *place += 1;
            }
            Ok::<(), &str>(())
        };
        workers.run(|| cells.gather(points, &wanted, put))?;
        let full = (0..wanted.len()).all(|cell| !wanted[cell] || next[cell] == places[cell].end);
        if full { Ok(()) } else { Err(CHANGED.into()) }
    }

    /// The gathered points of a window, which lies in one cell.
    fn inside(&self, &(low, high): &(f64, f64)) -> Vec<P> {
        let points = &self.found[self.places[self.cells.of(low)].clone()];
        points.iter().copied().filter(|point| (low..=high).contains(&point.value())).collect()
    }

    /// Makes an atom of each distinct value.
    fn singly(&self, mut points: Vec<P>) -> Vec<Atom> {
        // By value, then weight, so that the order does not depend on the input's.
        points.sort_unstable_by(|a, b| a.value().total_cmp(&b.value()).then(a.weight().total_cmp(&b.weight())));
        let atom = |tied: &[P]| {
            let mut weight = Double::ZERO;
            tied.iter().for_each(|point| weight.gather(Double::from(point.weight())));
            let (x, count) = (tied[0].value(), tied.len() as u64);
            let even = count == 1 || self.points.lightest == self.points.heaviest;
            Atom { mean: x, rest: 0.0, weight: weight.whole(), within: 0.0, low: x, high: x, count, even }
        };
        points.chunk_by(|a, b| a.value() == b.value()).map(atom).collect()
    }

    /// Makes atoms of the points of a window in a few cells.
    fn in_parts(&self, points: &[P], window: (f64, f64)) -> Vec<Atom> {
        let values: Vec<f64> = points.iter().map(P::value).collect();
        let weights: Option<Vec<f64>> = self.points.weights.map(|_| points.iter().map(P::weight).collect());
        let points = UnsortedPoints { values: &values, weights: weights.as_deref(), extent: window, ..self.points };
        DealtCells::new(window, PARTS).atoms(&points)
    }

    /// Whether a cluster is so narrow that the rounding of points within cells may change its cost.
    fn is_too_coarse_for(&self, fit: &KMeansFit) -> bool {
        let least = (WIDE * self.cells.width()).powi(2);
        self.cells.blur() > 0.0
            && fit.within().iter().zip(fit.weights()).any(|(within, weight)| within / weight < least)
    }

    /// Completes the fit with its boundaries; `None` if equal points are in different clusters, which boundaries cannot
    /// express.
    fn finished(&mut self, mut fit: KMeansFit, atoms: &Sample) -> Option<KMeansFit> {
        fit.lower_bound = less_blur(fit.lower_bound, self.cells.blur(), atoms.total_weight());
        for gap in 0..fit.boundaries.len() {
            let middle = fit.centers[gap] * 0.5 + fit.centers[gap + 1] * 0.5;
            let right = first_false(0, atoms.len(), |i| atoms.highest(i) <= fit.boundaries[gap]);
            let (left, right) = (atoms.atom(right - 1), atoms.atom(right));
            if left.high == right.low {
                return None;
            }
            fit.boundaries[gap] =
                match left.is_point() && right.is_point() || (left.high <= middle && middle < right.low) {
                    true => boundary(middle, left.high, right.low),
                    false => self.boundary(middle, &left, &right)?,
                };
        }
        Some(fit)
    }

    /// The boundary between two atoms, from the points in the cells at their ends, because atoms may be wider than
    /// their points.
    fn boundary(&mut self, middle: f64, left: &Atom, right: &Atom) -> Option<f64> {
        let ends = [left.high, right.low].map(|end| self.cells.extent(self.cells.of(end)));
        self.gather(&ends).ok()?;
        let last = self.inside(&(ends[0].0, left.high)).iter().map(P::value).reduce(f64::max)?;
        let first = self.inside(&(right.low, ends[1].1)).iter().map(P::value).reduce(f64::min)?;
        Some(boundary(middle, last, first))
    }
}

/// Lowers a bound on the cost of points that each have an error up to `blur`: for any centres the root of the cost, a
/// norm, changes by at most `blur` times the root of the weight.
fn less_blur(bound: f64, blur: f64, weight: f64) -> f64 {
    (bound.sqrt() - blur * weight.sqrt()).max(0.0).powi(2).min(bound)
}

#[cfg(test)]
mod tests;
