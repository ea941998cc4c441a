//! K-means on many points without a sort: O(N) in a few passes over memory.
//!
//! The first pass assigns the points to cells, whose sums are exact. [`refine`](super::refine) solves the problem on
//! the cells and finds those that a boundary can lie in. Further passes divide these into finer cells, the finer the
//! nearer they are to the best known boundaries, until their points are few; those are gathered, and the last ones sorted
//! ([`AtomReader`]). The number of cells that stay open grows with K², not with N. A last pass writes the labels. If the cells do not separate the points (far outliers,
//! crowded values), or there are too many of them, or the search ends without a proof, the points are sorted after all.
//! This choice depends on the points, not on their order.
//!
//! Bounds on the gaps between many free centres are solved on sorted points, unless the optimum without bounds
//! satisfies them.

mod atom_reader;

use super::fit::{KMeansFit, cluster_of};
use super::fitting::LEAST_SHARE;
use super::labelling::labels;
use super::{Centers, KMeans, KMeansMethod, free};
use crate::constraint::{AT_BOUND, Rows, Unconstrained, resolve_centers};
use crate::data::cells::{EqualCells, GatheredPoint, UnsortedPoints};
use crate::data::sample::{MANY_POINTS, Sample, borrowed};
use crate::error::{Error, KMeansError};
use crate::memory::product;
use crate::monitor::{DEFAULT_TOL, Halt, Monitor};
use crate::parallel::Workers;
use atom_reader::AtomReader;

/// How finely the points are read.
struct Fineness {
    /// The most cells for few clusters; there are at least half as many.
    cells: usize,
    /// Up to this many gathered points are shown one by one, more in finer cells.
    singly: usize,
}

/// Without bounds a round takes little longer than its atoms do, so few atoms are best. Measured at 1e5 and 1e6 points,
/// k = 2 and 5.
const WITHOUT_BOUNDS: Fineness = Fineness { cells: 1 << 11, singly: 1 << 11 };

/// Under bounds a round takes long, so few rounds are best. Measured at 1e6 points, k = 5.
const UNDER_BOUNDS: Fineness = Fineness { cells: 1 << 12, singly: 1 << 13 };

/// The most cells per cluster, if that gives more.
const CELLS_A_CLUSTER: usize = 1 << 9;

/// The most cells for many clusters: their sums stay in cache.
const MOST_CELLS: usize = 1 << 15;

/// Cells for the square of the number of clusters: in fewer, too many points lie where a boundary can be, since those
/// cells grow with the square. More save the later passes little and take memory (measured at 1e6 points, k = 50).
const CELLS_A_SQUARE: usize = 6;

/// There is a cell for this many points in any case: then reading points again takes longer than solving (measured at
/// 1e7 points, k = 50).
const POINTS_A_CELL: usize = 1 << 9;

/// The least points per cell beyond [`LEAST_CELLS`]: smaller cells save the solver little and take memory. Measured at
/// 1e5 and 1e6 points, k = 2 to 50.
const LEAST_POINTS: usize = 32;

/// The least cells: with fewer, a dozen clusters have too many points in cells with a boundary.
const LEAST_CELLS: usize = 1 << 12;

/// The fewest cells per cluster: with fewer, a boundary may be nearly anywhere, even in uniform points.
const LEAST_A_CLUSTER: usize = 96;

/// The least occupied cells per cluster: with fewer, sorting is as fast.
const OCCUPIED_A_CLUSTER: usize = 4;

/// A cell of several values may have at most one in this many points: dividing it would take as long as sorting all.
const MOST_CROWDED: usize = 2;

/// A pass takes about a nanosecond a point, so threads pay only from this many times as many points as elsewhere.
const POINTS_FOR_ONE: usize = 2;

/// The most windows of one pass. Points in memory are gathered at no cost per window; with fewer windows many clusters
/// take many rounds.
const WINDOWS: usize = 1 << 16;

/// The least root mean square of a cluster, in cells: rounding of points within cells then does not matter.
const WIDE: f64 = 2.0;

/// The memory of a label; that of cells and gathered points is small in comparison.
const BYTES_A_LABEL: usize = 4;

/// Solves the problem for points in any order; `None` if they have to be sorted.
pub(super) fn fit(
    kmeans: &KMeans,
    sample: &Sample,
    monitor: &mut Monitor<'_>,
) -> Result<Option<KMeansFit>, KMeansError> {
    let Some(data) = sample.in_any_order().filter(|_| applies(kmeans, sample.len())) else { return Ok(None) };
    let points = data.points();
    if !points.have_exact_sums() {
        return Ok(None);
    }
    Ok(fit_any(kmeans, points, monitor)?.map(|(mut fit, _)| {
        if kmeans.labels {
            let labels = fit.take_labels();
            fit.labels = data.in_input_order(labels, |x| cluster_of(&fit.boundaries, x));
        }
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
    let points = borrowed(values, weights)?.filter(|points| applies(kmeans, points.number));
    let Some(points) = points else { return Ok(None) };
    Ok(fit_any(kmeans, points, monitor)?)
}

/// Fits points with or without weights. Also returns the means of the cells as weighted points.
fn fit_any(
    kmeans: &KMeans,
    points: UnsortedPoints<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<(KMeansFit, Sample)>, KMeansError> {
    if kmeans.labels {
        monitor.check_memory("k-means", product(&[points.values.len(), BYTES_A_LABEL]))?;
    }
    let rows = resolve_centers(&*kmeans.constraint, kmeans.k)?;
    let found = match !rows.are_trivial() && free::has_path(&rows) {
        false => fit_points(kmeans, points, monitor)?,
        true => {
            let relaxed = kmeans.clone().constraint(Unconstrained);
            let range = points.extent.1 - points.extent.0;
            fit_points(&relaxed, points, &mut monitor.relaxed())?
                .filter(|found| clearly_satisfies(&found.fit, &rows, range))
        }
    };
    Ok(found.map(|FitInCells { mut fit, means, workers }| {
        if kmeans.labels {
            fit.labels = labels(points.values, &fit.boundaries, &workers);
        }
        (fit, means)
    }))
}

/// Whether no bound on a gap is active or violated.
fn clearly_satisfies(fit: &KMeansFit, rows: &Rows, range: f64) -> bool {
    let margin = 2.0 * AT_BOUND * range;
    let bounds = rows.lower.iter().zip(&rows.upper);
    fit.gaps().iter().zip(bounds).all(|(gap, (lower, upper))| lower + margin < *gap && *gap < upper - margin)
}

/// A fit without labels.
struct FitInCells {
    fit: KMeansFit,
    /// The means of the cells as weighted points.
    means: Sample,
    workers: Workers,
}

fn fit_points(
    kmeans: &KMeans,
    points: UnsortedPoints<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<FitInCells>, KMeansError> {
    match points.weights {
        None => fit_in_cells::<f64>(kmeans, points, monitor),
        Some(_) => fit_in_cells::<(f64, f64)>(kmeans, points, monitor),
    }
}

fn fit_in_cells<P: GatheredPoint>(
    kmeans: &KMeans,
    points: UnsortedPoints<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Option<FitInCells>, KMeansError> {
    let n = points.number;
    let bounded = !resolve_centers(&*kmeans.constraint, kmeans.k)?.are_trivial();
    let fineness = if bounded { UNDER_BOUNDS } else { WITHOUT_BOUNDS };
    let cells = EqualCells::new(points.extent, most_cells(kmeans.k, n, fineness.cells));
    if kmeans.k > cells.len() / LEAST_A_CLUSTER {
        return Ok(None);
    }
    let workers = Workers::for_points(n / POINTS_FOR_ONE);
    let atoms = cells.atoms(&points, &workers);
    let crowded = atoms.iter().any(|atom| !atom.is_point() && atom.count as usize > n / MOST_CROWDED);
    if crowded || kmeans.k > atoms.len() / OCCUPIED_A_CLUSTER {
        return Ok(None);
    }
    let mut reader = AtomReader::<P>::new(points, cells, fineness.singly, workers);
    let sample = Sample::of_atoms(atoms).map_err(|_| KMeansError::OutOfRange)?;
    if points.lightest < LEAST_SHARE * sample.total_weight() {
        return Ok(None);
    }
    let means = sample.means();
    let (mut fit, atoms) =
        match kmeans.fit_in_windows(sample, &mut |atoms, near| reader.zoom(atoms, near), WINDOWS, monitor) {
            Ok(found) => found,
            Err(KMeansError::Interrupted) => return Err(KMeansError::Interrupted),
            Err(_) => return Ok(None),
        };
    let proven = fit.inertia() - fit.lower_bound() <= kmeans.tol.max(DEFAULT_TOL) * fit.inertia();
    let ended = match monitor.report() {
        Err(Halt::Interrupted) => return Err(KMeansError::Interrupted),
        report => proven || report.is_err(),
    };
    if !ended || is_too_coarse(&cells, &fit) {
        return Ok(None);
    }
    fit.lower_bound = less_blur(fit.lower_bound, cells.blur(), atoms.total_weight());
    let Some(boundaries) = reader.boundaries(&fit, &atoms) else { return Ok(None) };
    fit.boundaries = boundaries;
    Ok(Some(FitInCells { fit, means, workers: reader.into_workers() }))
}

/// The most cells for `k` clusters of `n` points, given those for few clusters.
fn most_cells(k: usize, n: usize, for_few: usize) -> usize {
    let wanted = LEAST_CELLS.max(n / POINTS_A_CELL).max(CELLS_A_SQUARE.saturating_mul(k).saturating_mul(k));
    let most = CELLS_A_CLUSTER.saturating_mul(k).clamp(for_few, MOST_CELLS);
    wanted.min(most).min(LEAST_CELLS.max(n / LEAST_POINTS))
}

/// Whether cells can solve this problem, and no other way is faster.
fn applies(kmeans: &KMeans, points: usize) -> bool {
    let gaps = resolve_centers(&*kmeans.constraint, kmeans.k)
        .is_ok_and(|rows| rows.linear().is_none() && (rows.are_trivial() || kmeans.centers == Centers::Free));
    let few = (1..=points / OCCUPIED_A_CLUSTER).contains(&kmeans.k);
    few && gaps && kmeans.method == KMeansMethod::Exact && kmeans.sizes().is_ok_and(|sizes| sizes.are_any())
}

/// Whether a cluster is so narrow that the rounding of points within cells may change its cost.
fn is_too_coarse(cells: &EqualCells, fit: &KMeansFit) -> bool {
    let least = (WIDE * cells.width()).powi(2);
    cells.blur() > 0.0 && fit.within().iter().zip(fit.weights()).any(|(within, weight)| within / weight < least)
}

/// Lowers a bound on the cost of points that each have an error up to `blur`: for any centres the root of the cost, a
/// norm, changes by at most `blur` times the root of the weight.
fn less_blur(bound: f64, blur: f64, weight: f64) -> f64 {
    (bound.sqrt() - blur * weight.sqrt()).max(0.0).powi(2).min(bound)
}

#[cfg(test)]
mod tests;
