//! K-means on a summary: sums over atoms, some of which can be read again as finer atoms.
//!
//! A partition of atoms is a partition of their points with the same cost, so a solution on atoms as points is an upper
//! bound on the optimum of the points. A [`round`] adds a lower bound and finds the atoms that an optimum may divide;
//! [`passes`] over the data replace those by finer atoms. The cost is that of the solvers on as many points as atoms.

mod passes;
mod round;

use super::fit::KMeansFit;
use super::{KMeans, KMeansMethod, paper};
use crate::constraint::resolve_centers;
use crate::data::sample::{Atom, AtomGroups, Sample};
use crate::error::KMeansError;
use crate::memory::product;
use crate::monitor::Monitor;
use std::borrow::Cow;

use passes::AtomZoom;
pub(crate) use passes::Zoom;

/// The memory of an atom in a fit: copies of it, sums, and the state of a boundary beside it.
const BYTES_AN_ATOM: usize = 256;

/// The most windows of one pass, so that a source's answer stays small.
const WINDOWS: usize = 1 << 12;

impl KMeans {
    /// Solves the problem on the points of atoms, which `zoom` reads as ever finer atoms: its windows are the smallest
    /// and the largest value of atoms. Ends when no optimum can cut an atom, when atoms cannot be made finer, or at the
    /// limit of passes; the fit's bound is valid for the points in any case. Also returns the final atoms.
    ///
    /// # Errors
    /// As [`KMeans::fit_with`]; also [`KMeansError::Source`] if `zoom` fails or returns other points than before.
    pub(crate) fn fit_refining(
        &self,
        sample: Sample,
        zoom: Zoom<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<(KMeansFit, Sample), KMeansError> {
        let window = |atom: &Atom| (atom.low, atom.high);
        let mut zoom = |atoms: &[Atom], _: &[f64]| {
            let mut groups = AtomGroups::default();
            zoom(&atoms.iter().map(window).collect::<Vec<_>>())?.into_iter().for_each(|group| groups.push(group));
            Ok(groups)
        };
        self.fit_in_windows(sample, &mut zoom, WINDOWS, monitor)
    }

    /// As [`fit_refining`](Self::fit_refining), with at most `most_windows` in each pass.
    pub(super) fn fit_in_windows(
        &self,
        sample: Sample,
        zoom: AtomZoom<'_>,
        most_windows: usize,
        monitor: &mut Monitor<'_>,
    ) -> Result<(KMeansFit, Sample), KMeansError> {
        passes::fit(self, sample, zoom, most_windows, monitor)
    }
}

/// Solves the problem on atoms, with a bound that is valid for their points; refines the atoms if there is a source.
pub(super) fn fit(kmeans: &KMeans, sample: &Sample, monitor: &mut Monitor<'_>) -> Result<KMeansFit, KMeansError> {
    if let Some(zoom) = sample.zoom() {
        return Ok(kmeans.fit_refining(sample.clone(), &mut |windows| zoom(windows), monitor)?.0);
    }
    check(kmeans, sample, monitor)?;
    let sample = prepared(kmeans, sample);
    let rows = resolve_centers(&*kmeans.constraint, kmeans.k)?;
    let mut open = round::may_be_cut(kmeans, &sample, &rows);
    let round = round::run(kmeans, &sample, &rows, &mut open, &mut None, monitor)?;
    let solution = round.solution.ok_or_else(|| unsolved(kmeans, &sample))?;
    checked(KMeansFit::new(&sample, &rows, &solution))
}

/// Joins atoms of one value that must stay together.
fn prepared<'a>(kmeans: &KMeans, sample: &'a Sample) -> Cow<'a, Sample> {
    match kmeans.divides_ties(sample) {
        false => Cow::Owned(sample.collapsed().0),
        true => Cow::Borrowed(sample),
    }
}

/// The error of atoms without a solution, whose points may have one.
fn unsolved(kmeans: &KMeans, sample: &Sample) -> KMeansError {
    match (kmeans.k, apart(sample)) {
        (k, cells) if k > cells => KMeansError::TooCoarse { k, cells },
        _ => KMeansError::Undecided,
    }
}

fn checked(fit: KMeansFit) -> Result<KMeansFit, KMeansError> {
    if fit.inertia().is_finite() { Ok(fit) } else { Err(KMeansError::OutOfRange) }
}

/// Whether the points of an atom can be in different clusters; `are_divided`: equal points can.
fn is_divisible(are_divided: bool, atom: &Atom) -> bool {
    !atom.is_point() || (atom.count > 1 && are_divided)
}

/// Refuses settings that need every point.
fn check(kmeans: &KMeans, sample: &Sample, monitor: &Monitor<'_>) -> Result<(), KMeansError> {
    if kmeans.method == KMeansMethod::Paper {
        return Err(paper::unsupported("needs every point, not a summary"));
    }
    if !kmeans.sizes()?.are_any() {
        return Err(KMeansError::Unsupported(
            "bounds on sizes need every point; fit data in memory, not a summary or chunks".to_owned(),
        ));
    }
    let k = kmeans.k;
    let points = sample.points();
    if k as u64 > points {
        return Err(KMeansError::TooManyClusters { k, points: points as usize });
    }
    let inside = sample.atoms().filter(|atom| !atom.is_point()).map(|atom| atom.count - 1);
    let most = inside.fold(apart(sample) as u64, u64::saturating_add);
    if k as u64 > most {
        return Err(KMeansError::TooFewDistinct { k, distinct: most as usize });
    }
    let (smallest, total) = (sample.smallest_weight(), sample.total_weight());
    if smallest < super::fitting::LEAST_SHARE * total {
        return Err(KMeansError::WeightsTooUneven { smallest, total });
    }
    Ok(monitor.check_memory("k-means", product(&[sample.len(), BYTES_AN_ATOM]))?)
}

/// The number of atoms, counting those of one value once.
fn apart(sample: &Sample) -> usize {
    sample.values().chunk_by(|a, b| a == b).count()
}

#[cfg(test)]
mod tests;
