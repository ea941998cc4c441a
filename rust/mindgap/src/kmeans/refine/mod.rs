//! K-means on blobs: data of which only the sums over cells are known.
//!
//! A partition of blobs is one of their points and costs the same, so solvers that see blobs as points give an upper bound
//! on the optimum of the points. A [`round`] adds a lower bound, and says which blobs an optimum may cut; [`passes`] into
//! those, and those only, brings the two together. The work is that of the solvers on as many points as there are blobs.

mod passes;
mod round;
mod undivided;

use super::fit::KMeansFit;
use super::{KMeans, Method, Ties};
use crate::constraint::resolve;
use crate::data::sample::{Blob, Sample};
use crate::data::summary::Summary;
use crate::error::KMeansError;
use crate::memory::{check_memory, product};
use crate::monitor::Watch;
use std::borrow::Cow;

pub(crate) use passes::Zoom;

/// What a fit needs for a blob: copies of it, sums, and what is known of a boundary beside it.
const BYTES_A_BLOB: usize = 256;

impl KMeans {
    /// Solves the problem on the points of blobs, which `zoom` shows in ever finer blobs: for each window, the smallest and
    /// largest value of a blob, those of the points in it. Ends when no optimum can cut a blob, when blobs cannot be made
    /// finer, or at a limit of passes; the fit's bound holds for the points in any case. Also gives the blobs at the end.
    ///
    /// # Errors
    /// As [`KMeans::fit_watched`]; also [`KMeansError::Source`] where `zoom` fails, or shows other points than before.
    pub(crate) fn fit_zooming(
        &self,
        sample: Sample,
        zoom: Zoom<'_>,
        watch: Option<Watch<'_>>,
    ) -> Result<(KMeansFit, Sample), KMeansError> {
        passes::fit(self, sample, zoom, watch)
    }
}

/// Solves the problem on blobs, with a bound that holds for their points; where there is a source, zooming into it.
pub(super) fn fit(kmeans: &KMeans, sample: &Sample, watch: Option<Watch<'_>>) -> Result<KMeansFit, KMeansError> {
    if let Some(source) = sample.source() {
        let mut zoom = |windows: &[(f64, f64)]| Ok(source.zoom(windows)?.iter().map(Summary::blobs).collect());
        return Ok(kmeans.fit_zooming(sample.clone(), &mut zoom, watch)?.0);
    }
    check(kmeans, sample)?;
    let sample = prepared(kmeans, sample);
    let rows = resolve(&*kmeans.constraint, kmeans.k)?;
    let mut open = round::may_be_cut(kmeans, &sample, &rows);
    let round = round::run(kmeans, &sample, &rows, &mut open, watch)?;
    let solution = round.solution.ok_or_else(|| unsolved(kmeans, &sample))?;
    checked(KMeansFit::new(&sample, &rows, solution))
}

/// The sample, blobs of one value that must stay together joined.
fn prepared<'a>(kmeans: &KMeans, sample: &'a Sample) -> Cow<'a, Sample> {
    match kmeans.ties {
        Ties::Together => Cow::Owned(sample.collapsed().0),
        Ties::Split => Cow::Borrowed(sample),
    }
}

/// Why blobs have no solution where their points may have one.
fn unsolved(kmeans: &KMeans, sample: &Sample) -> KMeansError {
    match (kmeans.k, apart(sample)) {
        (k, cells) if k > cells => KMeansError::TooCoarse { k, cells },
        _ => KMeansError::Undecided,
    }
}

fn checked(fit: KMeansFit) -> Result<KMeansFit, KMeansError> {
    if fit.inertia().is_finite() { Ok(fit) } else { Err(KMeansError::OutOfRange) }
}

/// Whether points of a blob can be in different clusters.
fn is_divisible(kmeans: &KMeans, blob: &Blob) -> bool {
    !blob.is_point() || (blob.count > 1 && kmeans.ties == Ties::Split)
}

/// Refuses what cannot be asked of the points.
fn check(kmeans: &KMeans, sample: &Sample) -> Result<(), KMeansError> {
    if kmeans.method == Method::Paper {
        return Err(KMeansError::Unsupported(
            "the paper's program needs every point; data known as a summary need method \"exact\"".to_owned(),
        ));
    }
    let k = kmeans.k;
    if k == 0 {
        return Err(KMeansError::NoClusters);
    }
    let points = sample.points();
    if k as u64 > points {
        return Err(KMeansError::TooManyClusters { k, points: points as usize });
    }
    let inside = sample.all_blobs().filter(|blob| !blob.is_point()).map(|blob| blob.count - 1);
    let most = inside.fold(apart(sample) as u64, u64::saturating_add);
    if k as u64 > most {
        return Err(KMeansError::TooFewDistinct { k, distinct: most as usize });
    }
    let (smallest, total) = (sample.smallest_weight(), sample.total_weight());
    if smallest < super::LEAST_SHARE * total {
        return Err(KMeansError::WeightsTooUneven { smallest, total });
    }
    Ok(check_memory("k-means", product(&[sample.len(), BYTES_A_BLOB]))?)
}

/// The number of blobs, those of one value counted once.
fn apart(sample: &Sample) -> usize {
    sample.values().chunk_by(|a, b| a == b).count()
}

#[cfg(test)]
mod tests;
