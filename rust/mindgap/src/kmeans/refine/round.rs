//! One look at the blobs: the best partition of them, a bound for their points, and which of them to look into.

use super::super::fit::PROVEN;
use super::super::solution::Solution;
use super::super::{Centers, KMeans, free, means, rows, unconstrained};
use super::{apart, is_divisible, undivided};
use crate::constraint::{Gaps, Rows};
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::Watch;

/// Where clusters must not be empty but would be, every blob may matter; so many points can all be looked at.
const FEW_POINTS: u64 = 1 << 20;

/// What a round finds.
pub(super) struct Round {
    /// The best partition of the blobs, if one is known; its bound is one for their points.
    pub(super) solution: Option<Solution>,
    /// What no partition of the points costs less than, in frame units; infinity: the solution is optimal.
    pub(super) lower_bound: f64,
    /// The blobs to look into.
    pub(super) wanted: Vec<usize>,
    /// Whether the search ran out of steps: not even the best partition of the blobs is known to be that.
    pub(super) exhausted: bool,
}

impl Round {
    fn new(solution: Option<Solution>, lower_bound: f64, wanted: Vec<usize>) -> Self {
        Self { solution, lower_bound, wanted, exhausted: false }
    }

    /// A solution whose own bound is one for the points.
    fn of(solution: Solution, wanted: Vec<usize>) -> Self {
        let lower_bound = solution.lower_bound;
        Self::new(Some(solution), lower_bound, wanted)
    }
}

/// The solvers that have something to say of points in blobs.
enum SolverKind<'a> {
    Unconstrained,
    Separated(&'a Gaps),
    Free(&'a Gaps),
    Rows,
}

impl<'a> SolverKind<'a> {
    fn of(kmeans: &KMeans, rows: &'a Rows) -> Result<Self, KMeansError> {
        Ok(match rows {
            _ if kmeans.k == 1 => Self::Rows,
            rows if rows.are_trivial() => Self::Unconstrained,
            rows if rows.linear().is_some() => Self::Rows,
            rows if kmeans.centers == Centers::Free => Self::Free(rows),
            rows => Self::Separated(rows),
        })
    }
}

/// Which blobs an optimum may cut, as long as nothing is known of it: those of several values; where means must hold
/// bounds, also those of several points.
pub(super) fn may_be_cut(kmeans: &KMeans, sample: &Sample, rows: &Rows) -> Vec<bool> {
    let separated = matches!(SolverKind::of(kmeans, rows), Ok(SolverKind::Separated(_)));
    sample.all_blobs().map(|blob| if separated { is_divisible(kmeans, &blob) } else { !blob.is_point() }).collect()
}

/// Solves the problem on the blobs. Of those that an optimum of the points may cut, `open`, some are closed.
pub(super) fn run(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    open: &mut [bool],
    watch: Option<Watch<'_>>,
) -> Result<Round, KMeansError> {
    let mut round = if kmeans.k > apart(sample) {
        let wanted = (0..sample.len()).filter(|&i| !sample.blob(i).is_point()).collect();
        Round::new(None, 0.0, wanted)
    } else {
        match SolverKind::of(kmeans, rows)? {
            SolverKind::Unconstrained => {
                let solution = unconstrained::atoms::solve(sample, kmeans.k, open, watch)?;
                Round::of(solution, indices(open))
            }
            SolverKind::Separated(gaps) => {
                let atoms = means::atoms::solve(sample, gaps, open, watch)?;
                Round::new(atoms.solution, atoms.lower_bound, indices(open))
            }
            SolverKind::Free(gaps) => free(kmeans, sample, rows, gaps, open, watch)?,
            SolverKind::Rows => under_rows(kmeans, sample, rows, open, watch)?,
        }
    };
    round.lower_bound = round.lower_bound.max(0.0);
    if let Some(solution) = &mut round.solution {
        solution.lower_bound = round.lower_bound;
    }
    Ok(round)
}

fn indices(open: &[bool]) -> Vec<usize> {
    (0..open.len()).filter(|&i| open[i]).collect()
}

/// Free centres. Where the bound, which knows nothing of clusters that must not be empty, does not prove the solution,
/// the blobs beside its boundaries may hide a better one; and if it is none of those, any blob, if there are few points.
fn free(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    gaps: &Gaps,
    open: &mut [bool],
    mut watch: Option<Watch<'_>>,
) -> Result<Round, KMeansError> {
    let solution = undivided::solve(kmeans, sample, rows, &mut watch)?;
    if !sample.all_blobs().any(|blob| is_divisible(kmeans, &blob)) {
        return Ok(Round::of(solution, Vec::new()));
    }
    let lower_bound = undivided::told(sample, &mut watch, |watch| {
        free::atoms::lower_bound(sample, gaps, &solution, open, Some(watch))
    })?;
    let mut wanted = indices(open);
    let cost = rows::cost(&Prefixes::new(sample), &solution);
    if wanted.is_empty() && lower_bound < cost * (1.0 - PROVEN) {
        wanted = beside(kmeans, sample, &solution);
        if wanted.is_empty() && sample.points() <= FEW_POINTS {
            wanted = (0..sample.len()).filter(|&i| is_divisible(kmeans, &sample.blob(i))).collect();
        }
    }
    let exhausted = solution.lower_bound < cost * (1.0 - PROVEN);
    Ok(Round { exhausted, ..Round::new(Some(solution), lower_bound, wanted) })
}

/// Linear rows: the bound is that without them.
fn under_rows(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    open: &mut [bool],
    mut watch: Option<Watch<'_>>,
) -> Result<Round, KMeansError> {
    let solution = undivided::solve(kmeans, sample, rows, &mut watch)?;
    if kmeans.k == 1 {
        // There is but one partition, which cuts no blob.
        return Ok(Round::of(solution, Vec::new()));
    }
    let unbound = unconstrained::atoms::solve(sample, kmeans.k, open, None)?;
    let cost = rows::cost(&Prefixes::new(sample), &unbound);
    let mut wanted = beside(kmeans, sample, &solution);
    wanted.extend(indices(open));
    wanted.sort_unstable();
    wanted.dedup();
    Ok(Round::new(Some(solution), unbound.lower_bound.min(cost), wanted))
}

/// The blobs beside the boundaries of a partition that can be divided.
fn beside(kmeans: &KMeans, sample: &Sample, solution: &Solution) -> Vec<usize> {
    let inner = &solution.ends[..solution.ends.len() - 1];
    let mut blobs: Vec<usize> = inner.iter().flat_map(|&end| [end - 1, end]).collect();
    blobs.dedup();
    blobs.retain(|&i| is_divisible(kmeans, &sample.blob(i)));
    blobs
}
