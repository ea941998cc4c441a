//! The relaxation of one region: mixtures of any number of normals from the boxes of the components.
//!
//! The weights of the atoms are optimised, the derivative is bounded over the boxes, and points where it is too high
//! become atoms; this repeats until the bound is good enough or the relaxation itself is too high.

use super::ceiling::Verdict;
use super::coupling::{Coupling, Divisor};
use super::derivative::WeighedMixture;
use super::points::Points;
use super::region::{Cell, Region};
use super::weights::{LIGHT, MixingAtom, Workspace};
use crate::numeric::portable::ln;

/// The largest number of rounds.
const ROUNDS: usize = 40;

/// A round stalls if it gains less than this share of the room that is left; after so many in a row the region is
/// split. What is still above the level is then the allowance for nodes in place of points, which no atom reduces.
const STALLED: f64 = 0.01;
/// See [`STALLED`].
const PATIENCE: usize = 2;

/// An atom is added where the derivative over the nodes reaches this share of the level; where it is lower, most of the
/// excess is the allowance for nodes in place of points. Measured on 100,000 points (Model B, ratio 10): values from
/// 0.4 to 0.7 give a fifth fewer regions than 1.
const WORTH: f64 = 0.5;

/// The largest number of atoms.
const ATOMS: usize = 300;

/// Initial atoms of one component that are closer than this, in standard deviations and in log v, are merged.
const SAME: f64 = 0.02;

/// How far the weights of atoms may be from optimal, as a share of the room that makes a bound useful.
const SLACKNESS: f64 = 0.1;

/// The initial weight of a new atom.
const NEW: f64 = 0.01;

/// The smallest divisor: it must be positive, and near zero nothing can be proven.
const LEAST_DIVISOR: f64 = 1e-3;

/// The question put to a relaxation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// Whether the maximum is below the threshold. Gives up if it is above the threshold less `margin`.
    Below { threshold: f64, margin: f64 },
    /// The maximum, to the tolerance. Gives up if it is above `highest`.
    Within { tolerance: f64, highest: f64 },
}

/// The answer.
pub(super) struct Relaxed {
    /// No mixture in the region is above this; `None`: not proven.
    pub(super) bound: Option<f64>,
    /// Whether the allowance for nodes in place of points prevented a proof: narrower bins may help.
    pub(super) blurred: bool,
    /// The atoms of the last mixture.
    pub(super) atoms: Vec<MixingAtom>,
}

/// Bounds the relaxation, with the coupling's T added to the likelihood. `clip`: nothing depends on means outside the
/// data, so they are moved inside.
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
    // The optimisation of weights stops early only below a threshold; a background may use the room that is then left.
    let (stop, highest, tolerance) = match goal {
        Goal::Below { threshold, margin } => {
            (threshold - margin, threshold - margin, SLACKNESS * margin + 1e-10 * total)
        }
        Goal::Within { tolerance, highest } => (f64::INFINITY, highest, 0.05 * tolerance),
    };
    let mut bonus = Vec::new();
    let (mut before, mut idle_rounds) = (f64::NEG_INFINITY, 0);
    for _ in 0..ROUNDS {
        bonus.clear();
        bonus.extend(atoms.iter().map(|atom| coupling.at(atom.group, atom.mean, atom.variance)));
        let reached = workspace.optimise(points, &mut atoms, &bonus, stop, tolerance);
        let value = reached.log_likelihood + reached.bonus;
        // A larger T̄ would exceed the allowance for the rounding of N.
        if value.is_nan() || value > highest || reached.bonus.abs() > total || workspace.stop.is_due() {
            break;
        }
        let room = match goal {
            Goal::Below { threshold, .. } => threshold - value,
            Goal::Within { tolerance, .. } => tolerance,
        };
        idle_rounds = if value - before < STALLED * room { idle_rounds + 1 } else { 0 };
        if idle_rounds == PATIENCE {
            break;
        }
        before = value;
        let level = room / total * (1.0 - 1e-12);
        let (mut above, mut genuine, mut clear) = (Vec::new(), false, true);
        let divisors: Vec<Divisor> =
            cells.iter().enumerate().map(|(k, cell)| coupling.divisor(k, cell, reached.bonus, total)).collect();
        for (k, cell) in cells.iter().enumerate() {
            let divisor = &divisors[k];
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
            if divisor.least(cell) < LEAST_DIVISOR {
                return Relaxed { bound: None, blurred: false, atoms };
            }
            for row in points.rows_of(cell) {
                let mut mixture = WeighedMixture::new(points, workspace, row.least, level);
                if mixture.is_hopeless(row.most, level) {
                    clear = false;
                    mixture.forget_quadrature();
                    if mixture.is_hopeless(row.most, level) {
                        return Relaxed { bound: None, blurred: false, atoms };
                    }
                }
                let Verdict::Above(found) = mixture.bound(&row, divisor, level) else { continue };
                let worth = |&(mean, variance): &(f64, f64)| mixture.reaches(divisor, mean, variance, WORTH * level);
                genuine |= found.iter().any(worth);
                above.extend(found.into_iter().map(|(mean, variance)| MixingAtom {
                    mean,
                    variance,
                    weight: NEW,
                    group: k,
                }));
            }
        }
        if above.is_empty() && clear {
            return Relaxed { bound: Some(value + room), blurred: false, atoms };
        }
        if !genuine {
            return Relaxed { bound: None, blurred: true, atoms };
        }
        // Only now: light atoms are part of the mixture that a bound uses, and support points far from all others.
        let mut idle = (0..atoms.len()).map(|j| workspace.is_idle(j, total));
        atoms.retain(|_| !idle.next().unwrap_or(false));
        atoms.extend(above);
        if atoms.len() > ATOMS {
            break;
        }
    }
    Relaxed { bound: None, blurred: false, atoms }
}

/// Moves the atoms into their cells; each cell has at least one.
fn seed(cells: &[Cell], start: &[MixingAtom]) -> Vec<MixingAtom> {
    let mut atoms: Vec<MixingAtom> = Vec::new();
    for (group, cell) in cells.iter().enumerate() {
        let before = atoms.len();
        for atom in start.iter().filter(|atom| atom.group == group && atom.weight > LIGHT) {
            let (mean, variance) = (atom.mean.clamp(cell.low, cell.high), atom.variance.clamp(cell.least, cell.most));
            let same = atoms[before..].iter().position(|other| {
                (other.mean - mean).abs() <= SAME * variance.sqrt() && ln(other.variance / variance).abs() <= SAME
            });
            if let Some(same) = same {
                atoms[before + same].weight += atom.weight;
            } else if atoms.len() < ATOMS {
                atoms.push(MixingAtom { mean, variance, ..*atom });
            }
        }
        if atoms.len() == before {
            let (mean, variance) = (0.5 * (cell.low + cell.high), (cell.least * cell.most).sqrt());
            atoms.push(MixingAtom { mean, variance: variance.clamp(cell.least, cell.most), weight: NEW, group });
        }
    }
    atoms
}
