//! Bounds the relaxation of one region: mixtures of any number of normals from the boxes of the components.
//!
//! Each round optimises the weights of the atoms and bounds the derivative over the boxes. Points where it is too high
//! become atoms of the next round, until the bound is good enough or the relaxation itself is too high.

use super::ceiling::Verdict;
use super::coupling::{Coupling, Divisor};
use super::derivative::Derivative;
use super::points::Points;
use super::region::{Cell, Region};
use super::weights::{MixingAtom, NEGLIGIBLE_WEIGHT, Workspace};
use crate::numeric::portable::ln;

/// The largest number of rounds.
const MAX_ROUNDS: usize = 40;

/// A round is idle if it gains less than this share of the headroom. What is still above the level is then mostly the
/// quadrature error, which no atom reduces.
const MIN_GAIN: f64 = 0.01;
/// After this many idle rounds in a row the region is split.
const MAX_IDLE_ROUNDS: usize = 2;

/// Another round is worth while if the derivative over the nodes reaches this share of the level at a new atom. Where it is
/// lower, most of the excess is the quadrature error. Measured on 100,000 points (Model B, ratio 10): values from 0.4 to
/// 0.7 give a fifth fewer regions than 1.
const MIN_ATOM_LEVEL: f64 = 0.5;

/// The largest number of atoms.
const MAX_ATOMS: usize = 300;

/// Initial atoms of one component that are closer than this, in standard deviations and in log v, are merged.
const MERGE_DISTANCE: f64 = 0.02;

/// How far the weights of atoms may be from optimal, as a share of the smallest useful headroom.
const WEIGHT_TOLERANCE: f64 = 0.1;

/// The initial weight of a new atom.
const NEW_WEIGHT: f64 = 0.01;

/// The smallest divisor that is used: it must be positive, and near zero nothing can be proven.
const MIN_DIVISOR: f64 = 1e-3;

/// What a relaxation is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// A proof that the maximum is below the threshold. Gives up if it is above `threshold - margin`.
    Below { threshold: f64, margin: f64 },
    /// An upper bound on the maximum, at most the tolerance above it. Gives up if the maximum is above `highest`.
    Within { tolerance: f64, highest: f64 },
}

/// What a relaxation proved.
pub(super) struct Relaxed {
    /// No mixture in the region is above this; `None` if nothing is proven.
    pub(super) bound: Option<f64>,
    /// Whether the quadrature error prevented a proof: narrower bins may help.
    pub(super) blurred: bool,
    /// The atoms of the last mixture.
    pub(super) atoms: Vec<MixingAtom>,
}

/// Bounds the relaxation, with the coupling's T added to the likelihood. `clip` moves means inside the data, which is
/// valid if T does not depend on them.
pub(super) fn relax(
    points: &Points,
    region: &Region,
    start: &[MixingAtom],
    coupling: &Coupling,
    clip: bool,
    goal: Goal,
    workspace: &mut Workspace,
) -> Relaxed {
    let cells: Vec<Cell> =
        region.iter().map(|cell| if clip { cell.within(points.first(), points.last()) } else { *cell }).collect();
    let mut atoms = seed(&cells, start);
    let total = points.total();
    // The weights stop early only for a threshold; a background may then use the headroom that is left.
    let (stop, highest, tolerance) = match goal {
        Goal::Below { threshold, margin } => {
            (threshold - margin, threshold - margin, WEIGHT_TOLERANCE * margin + 1e-10 * total)
        }
        Goal::Within { tolerance, highest } => (f64::INFINITY, highest, 0.05 * tolerance),
    };
    let mut bonus = Vec::new();
    let (mut before, mut idle_rounds) = (f64::NEG_INFINITY, 0);
    for _ in 0..MAX_ROUNDS {
        bonus.clear();
        bonus.extend(atoms.iter().map(|atom| coupling.at(atom.group, atom.mean, atom.variance)));
        let reached = workspace.optimise(points, &mut atoms, &bonus, stop, tolerance);
        let value = reached.log_likelihood + reached.bonus;
        // A larger T̄ would exceed the allowance for the rounding of N.
        if value.is_nan() || value > highest || reached.bonus.abs() > total || workspace.stop.is_due() {
            break;
        }
        let headroom = match goal {
            Goal::Below { threshold, .. } => threshold - value,
            Goal::Within { tolerance, .. } => tolerance,
        };
        idle_rounds = if value - before < MIN_GAIN * headroom { idle_rounds + 1 } else { 0 };
        if idle_rounds == MAX_IDLE_ROUNDS {
            break;
        }
        before = value;
        let level = headroom / total * (1.0 - 1e-12);
        let divisors: Vec<Divisor> =
            cells.iter().enumerate().map(|(k, cell)| coupling.divisor(k, cell, reached.bonus, total)).collect();
        let Some(Violations { atoms: above, genuine, clear }) = violations(points, &cells, &divisors, level, workspace)
        else {
            break;
        };
        if above.is_empty() && clear {
            return Relaxed { bound: Some(value + headroom), blurred: false, atoms };
        }
        if !genuine {
            return Relaxed { bound: None, blurred: true, atoms };
        }
        // Only now: light atoms are part of the mixture that a bound uses, and support points far from all others.
        let mut idle = (0..atoms.len()).map(|j| workspace.is_idle(j, total));
        atoms.retain(|_| !idle.next().unwrap_or(false));
        atoms.extend(above);
        if atoms.len() > MAX_ATOMS {
            break;
        }
    }
    Relaxed { bound: None, blurred: false, atoms }
}

/// Where the derivative is above its bound.
struct Violations {
    /// New atoms there.
    atoms: Vec<MixingAtom>,
    /// Whether one of them is not due to the quadrature error alone.
    genuine: bool,
    /// Whether the quadrature error left the level provable in every cell.
    clear: bool,
}

/// Finds where the derivative over the cells is above its bound; `None` if no bound can be proven.
fn violations(
    points: &Points,
    cells: &[Cell],
    divisors: &[Divisor],
    level: f64,
    workspace: &Workspace,
) -> Option<Violations> {
    let mut found = Violations { atoms: Vec::new(), genuine: false, clear: true };
    for (k, (cell, divisor)) in cells.iter().zip(divisors).enumerate() {
        // A bound for a wider cell holds in this one.
        let covered = (0..cells.len()).any(|q| {
            cells[q].contains(cell)
                && (q < k || !cell.contains(&cells[q]))
                && divisors[q].is_constant()
                && divisor.is_constant()
                && divisors[q].pieces[0][0] <= divisor.pieces[0][0]
        });
        if covered {
            continue;
        }
        if divisor.least(cell) < MIN_DIVISOR {
            return None;
        }
        for row in points.rows_of(cell) {
            let mut derivative = Derivative::new(points, workspace, row.least, level);
            if derivative.is_hopeless(row.most, level) {
                found.clear = false;
                derivative.drop_quadrature_error();
                if derivative.is_hopeless(row.most, level) {
                    return None;
                }
            }
            let Verdict::Above(places) = derivative.bound(&row, divisor, level) else { continue };
            let is_genuine =
                |&(mean, variance): &(f64, f64)| derivative.reaches(divisor, mean, variance, MIN_ATOM_LEVEL * level);
            found.genuine |= places.iter().any(is_genuine);
            let atom = |(mean, variance)| MixingAtom { mean, variance, weight: NEW_WEIGHT, group: k };
            found.atoms.extend(places.into_iter().map(atom));
        }
    }
    Some(found)
}

/// Moves the atoms into their cells, merges those that are nearly equal, and gives each cell at least one.
fn seed(cells: &[Cell], start: &[MixingAtom]) -> Vec<MixingAtom> {
    let mut atoms: Vec<MixingAtom> = Vec::new();
    for (group, cell) in cells.iter().enumerate() {
        let before = atoms.len();
        for atom in start.iter().filter(|atom| atom.group == group && atom.weight > NEGLIGIBLE_WEIGHT) {
            let (mean, variance) = (atom.mean.clamp(cell.low, cell.high), atom.variance.clamp(cell.least, cell.most));
            let same = atoms[before..].iter().position(|other| {
                (other.mean - mean).abs() <= MERGE_DISTANCE * variance.sqrt()
                    && ln(other.variance / variance).abs() <= MERGE_DISTANCE
            });
            if let Some(same) = same {
                atoms[before + same].weight += atom.weight;
            } else if atoms.len() < MAX_ATOMS {
                atoms.push(MixingAtom { mean, variance, ..*atom });
            }
        }
        if atoms.len() == before {
            let (mean, variance) = (0.5 * (cell.low + cell.high), (cell.least * cell.most).sqrt());
            atoms.push(MixingAtom { mean, variance: variance.clamp(cell.least, cell.most), weight: NEW_WEIGHT, group });
        }
    }
    atoms
}
