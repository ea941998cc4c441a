//! One round: the best partition of the atoms, a lower bound for their points, and the atoms to make finer.

use super::super::{Centers, KMeans, free, means, unconstrained};
use super::{apart, is_divisible};
use crate::constraint::Rows;
use crate::data::sample::{Prefixes, Sample};
use crate::error::KMeansError;
use crate::monitor::DEFAULT_TOL;
use crate::monitor::Monitor;
use crate::partition::Solution;
use crate::proof::Proof;

/// If free centres would leave a cluster empty, every atom may matter; up to this many points all are read.
const FEW_POINTS: u64 = 1 << 20;

/// The result of a round.
pub(super) struct RoundResult {
    /// The best partition of the atoms, if one is known; its proof is valid for their points.
    pub(super) solution: Option<Solution>,
    /// The proof for partitions of the points, in frame units.
    pub(super) proof: Proof,
    /// The atoms to make finer.
    pub(super) wanted: Vec<usize>,
    /// Whether an optimum may have a boundary before each atom; empty if unknown.
    pub(super) before: Vec<bool>,
    /// Whether the search exhausted its steps, so that even the best partition of the atoms is unproven.
    pub(super) exhausted: bool,
}

impl RoundResult {
    fn new(solution: Option<Solution>, proof: Proof, wanted: Vec<usize>) -> Self {
        Self { solution, proof, wanted, before: Vec::new(), exhausted: false }
    }

    /// A solution whose own proof is valid for the points.
    fn of(solution: Solution, wanted: Vec<usize>) -> Self {
        let proof = solution.proof;
        Self::new(Some(solution), proof, wanted)
    }
}

/// The solvers that can bound the points of atoms.
enum SolverKind<'a> {
    Unconstrained,
    Separated(&'a Rows),
    Free(&'a Rows),
    Rows,
}

impl<'a> SolverKind<'a> {
    fn of(kmeans: &KMeans, rows: &'a Rows) -> Self {
        match rows {
            _ if kmeans.k == 1 => Self::Rows,
            rows if rows.are_trivial() => Self::Unconstrained,
            rows if rows.linear().is_some() => Self::Rows,
            rows if kmeans.centers == Centers::Free => Self::Free(rows),
            rows => Self::Separated(rows),
        }
    }
}

/// Whether an optimum may cut each atom, before any search: those of several values and, if means must satisfy bounds,
/// those of several points.
pub(super) fn may_be_cut(kmeans: &KMeans, sample: &Sample, rows: &Rows) -> Vec<bool> {
    let separated = matches!(SolverKind::of(kmeans, rows), SolverKind::Separated(_));
    let divided = kmeans.divides_ties(sample);
    sample.atoms().map(|atom| if separated { is_divisible(divided, &atom) } else { !atom.is_point() }).collect()
}

/// Solves the problem on the atoms. Clears `open` for atoms that no optimum of the points can cut. `penalty` passes the
/// penalty per cluster from one round to the next.
pub(super) fn run(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    open: &mut [bool],
    penalty: &mut Option<f64>,
    monitor: &mut Monitor<'_>,
) -> Result<RoundResult, KMeansError> {
    let mut round = if kmeans.k > apart(sample) {
        let wanted = (0..sample.len()).filter(|&i| !sample.atom(i).is_point()).collect();
        RoundResult::new(None, Proof::AtLeast(0.0), wanted)
    } else {
        match SolverKind::of(kmeans, rows) {
            SolverKind::Unconstrained => {
                let found = unconstrained::solve_atoms(sample, kmeans.k, open, *penalty, monitor)?;
                open.copy_from_slice(&found.open);
                *penalty = Some(found.penalty);
                RoundResult { before: found.before, ..RoundResult::of(found.solution, indices(open)) }
            }
            SolverKind::Separated(gaps) => {
                let best = means::solve_atoms(sample, gaps, open, monitor)?;
                let solution = best.partition.map(|partition| Solution::of_means(partition, best.proof));
                RoundResult::new(solution, best.proof, indices(open))
            }
            SolverKind::Free(gaps) => free(kmeans, sample, rows, gaps, open, monitor)?,
            SolverKind::Rows => under_rows(kmeans, sample, rows, open, monitor)?,
        }
    };
    round.proof = round.proof.and(Proof::AtLeast(0.0));
    if let Some(solution) = &mut round.solution {
        solution.proof = round.proof;
    }
    Ok(round)
}

fn indices(open: &[bool]) -> Vec<usize> {
    (0..open.len()).filter(|&i| open[i]).collect()
}

/// Solves for free centres. The bound ignores that clusters must not be empty. If it does not prove the solution, the
/// atoms beside its boundaries are wanted; if none of them can be divided and there are few points, all atoms.
fn free(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    gaps: &Rows,
    open: &mut [bool],
    monitor: &mut Monitor<'_>,
) -> Result<RoundResult, KMeansError> {
    let solution = solve_undivided(kmeans, sample, rows, monitor)?;
    let divided = kmeans.divides_ties(sample);
    if !sample.atoms().any(|atom| is_divisible(divided, &atom)) {
        return Ok(RoundResult::of(solution, Vec::new()));
    }
    let mut part = monitor.restricted().plus(sample.total_within());
    let lower_bound = free::atoms::lower_bound(sample, gaps, &solution, open, &mut part)?;
    drop(part);
    let mut wanted = indices(open);
    let cost = solution.cost(&Prefixes::new(sample));
    if wanted.is_empty() && lower_bound < cost * (1.0 - DEFAULT_TOL) {
        wanted = beside(kmeans, sample, &solution);
        if wanted.is_empty() && sample.points() <= FEW_POINTS {
            wanted = (0..sample.len()).filter(|&i| is_divisible(divided, &sample.atom(i))).collect();
        }
    }
    let exhausted = !solution.proof.is_optimal(cost, DEFAULT_TOL);
    Ok(RoundResult { exhausted, ..RoundResult::new(Some(solution), Proof::AtLeast(lower_bound), wanted) })
}

/// Solves under linear rows; the bound is that without them.
fn under_rows(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    open: &mut [bool],
    monitor: &mut Monitor<'_>,
) -> Result<RoundResult, KMeansError> {
    let solution = solve_undivided(kmeans, sample, rows, monitor)?;
    if kmeans.k == 1 {
        // There is only one partition, which cuts no atom.
        return Ok(RoundResult::of(solution, Vec::new()));
    }
    let unbound = unconstrained::solve_atoms(sample, kmeans.k, open, None, &mut monitor.relaxed())?;
    open.copy_from_slice(&unbound.open);
    let proof = Proof::AtLeast(unbound.solution.lower_bound(&Prefixes::new(sample)));
    let mut wanted = beside(kmeans, sample, &solution);
    wanted.extend(indices(open));
    wanted.sort_unstable();
    wanted.dedup();
    Ok(RoundResult::new(Some(solution), proof, wanted))
}

/// The divisible atoms beside the boundaries of a partition.
fn beside(kmeans: &KMeans, sample: &Sample, solution: &Solution) -> Vec<usize> {
    let divided = kmeans.divides_ties(sample);
    let mut atoms: Vec<usize> = solution.partition.boundaries().iter().flat_map(|&end| [end - 1, end]).collect();
    atoms.dedup();
    atoms.retain(|&i| is_divisible(divided, &sample.atom(i)));
    atoms
}

/// Finds the best partition of atoms that cannot be cut: the squares within them are the same for every partition. Its
/// proof is valid for partitions of atoms, not of their points.
fn solve_undivided(
    kmeans: &KMeans,
    sample: &Sample,
    rows: &Rows,
    monitor: &mut Monitor<'_>,
) -> Result<Solution, KMeansError> {
    let mut part = monitor.restricted().plus(sample.total_within());
    let mut solution = kmeans.solve(&sample.bare(), rows, &mut part)?;
    solution.proof = solution.proof.scaled(1.0, sample.frame().enter_square(sample.total_within()));
    Ok(solution)
}
