//! K-means on blobs: data of which only the sums over cells are known.
//!
//! A partition of blobs is one of their points and costs the same, so every solver gives an upper bound on the optimum of
//! the points by seeing blobs as weighted points ([`atomic`]).

mod atomic;

use super::demand::Demand;
use super::fit::KMeansFit;
use super::{KMeans, Method};
use crate::error::KMeansError;
use crate::progress::Watch;
use crate::sample::Sample;

/// Solves the problem on blobs, with a bound that holds for their points.
pub(super) fn fit(kmeans: &KMeans, sample: &Sample, watch: Option<Watch<'_>>) -> Result<KMeansFit, KMeansError> {
    check(kmeans, sample)?;
    let demand = Demand::new(&kmeans.constraint.restriction(kmeans.k)?, kmeans.k, sample.frame())?;
    let mut solution = atomic::solve(kmeans, sample, &demand, watch)?;
    if kmeans.k > 1 {
        solution.lower_bound = 0.0;
    }
    Ok(KMeansFit::new(sample, &demand, solution))
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
    let points: u64 = (0..sample.len()).map(|i| sample.count(i)).sum();
    if k as u64 > points {
        return Err(KMeansError::TooManyClusters { k, points: points as usize });
    }
    let groups = sample.values().chunk_by(|a, b| a == b).map(<[f64]>::len);
    let most = groups.scan(0, |start, len| {
        let blob = sample.blob(*start);
        *start += len;
        Some(if blob.is_point() { 1 } else { blob.count })
    });
    let most = most.fold(0u64, u64::saturating_add);
    if k as u64 > most {
        return Err(KMeansError::TooFewDistinct { k, distinct: most as usize });
    }
    let (smallest, total) = (sample.smallest_weight(), sample.total_weight());
    if smallest < super::LEAST_SHARE * total {
        return Err(KMeansError::WeightsTooUneven { smallest, total });
    }
    Ok(())
}
