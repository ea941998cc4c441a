//! Repeats rounds: atoms that an optimum may divide are read again as finer atoms, until none is left.

use super::super::KMeans;
use super::super::fit::KMeansFit;
use super::super::rounding::CLEAR;
use super::{check, checked, prepared, round, unsolved};
use crate::constraint::resolve_centers;
use crate::data::sample::{Atom, AtomGroups, Sample};
use crate::error::{BoxError, Cause, KMeansError};
use crate::monitor::Monitor;
use crate::proof::Proof;
use std::borrow::Cow;
use std::ops::Range;

/// Returns the points in each window as atoms, several per window if possible.
pub(crate) type Zoom<'a> = &'a mut dyn FnMut(&[(f64, f64)]) -> Result<Vec<Vec<Atom>>, BoxError>;

/// As [`Zoom`], for the points of atoms, with the best known boundaries.
pub(crate) type AtomZoom<'a> = &'a mut dyn FnMut(&[Atom], &[f64]) -> Result<AtomGroups, BoxError>;

/// The most passes over the data. Each makes cells 16 times finer, or halves them where there are very many: 256
/// clusters of ten million points take seven passes.
const PASSES: usize = 24;

/// The most rounds: those that only divide equal points need no pass.
const ROUNDS: usize = 48;

/// The most rounds that exhaust their steps: after that, finer atoms do not help the proof either.
const EXHAUSTED: usize = 2;

/// The most atoms, so that memory stays bounded.
const MOST_ATOMS: usize = 1 << 20;

/// The tolerance of weights and means of the same points, as a fraction of the weight and of the width of their cell.
const SAME: f64 = 1e-9;

/// The number of parts that equal points are divided into.
const PARTS: u64 = 16;

/// The current atoms.
struct KnownAtoms {
    sample: Sample,
    /// Whether an optimum may cut each atom.
    open: Vec<bool>,
    /// Whether each atom cannot be made finer.
    stuck: Vec<bool>,
}

pub(super) fn fit(
    kmeans: &KMeans,
    sample: Sample,
    zoom: AtomZoom<'_>,
    most_windows: usize,
    monitor: &mut Monitor<'_>,
) -> Result<(KMeansFit, Sample), KMeansError> {
    check(kmeans, &sample, monitor)?;
    let rows = resolve_centers(&*kmeans.constraint, kmeans.k)?;
    let joined = match prepared(kmeans, &sample) {
        Cow::Owned(joined) => Some(joined),
        Cow::Borrowed(_) => None,
    };
    let sample = joined.unwrap_or(sample);
    let open = round::may_be_cut(kmeans, &sample, &rows);
    let mut atoms = KnownAtoms { stuck: vec![false; open.len()], sample, open };
    let mut monitor = monitor.part();
    let mut best: Option<KMeansFit> = None;
    let mut proof = Proof::AtLeast(0.0);
    let (mut passes, mut exhausted, mut penalty) = (0, 0, None);
    for _ in 0..ROUNDS {
        let sample = &atoms.sample;
        // The frame's origin moves with the atoms.
        let round = match round::run(kmeans, sample, &rows, &mut atoms.open, &mut penalty, &mut monitor) {
            Err(KMeansError::TimeLimit) if best.is_some() => break,
            round => round?,
        };
        proof = proof.and(round.proof.scaled(sample.frame().leave_square(1.0), 0.0));
        if let Some(solution) = round.solution {
            let found = checked(KMeansFit::new(sample, &rows, &solution))?;
            // Of fits equal up to rounding, the last one, on the finest atoms.
            let better = |best: &KMeansFit| best.inertia() < found.inertia() * (1.0 - CLEAR);
            best = Some(best.take().filter(better).unwrap_or(found));
        }
        if let Some(best) = &best {
            monitor.found(best.inertia());
            monitor.proved(proof.lower_bound(best.inertia()));
        }
        exhausted += usize::from(round.exhausted);
        if exhausted == EXHAUSTED || (best.is_some() && monitor.is_proven()) {
            break;
        }
        match monitor.report().map_err(KMeansError::from) {
            Err(KMeansError::TimeLimit) if best.is_some() => break,
            ended => ended?,
        }
        let windows = if passes < PASSES { most_windows } else { 0 };
        let boundaries = best.as_ref().map_or(&[][..], |best| best.boundaries());
        let mut zoom_near = |atoms: &[Atom]| zoom(atoms, boundaries);
        match atoms.finer(round.wanted, &round.before, &mut zoom_near, windows)? {
            Some(asked) => passes += usize::from(asked),
            None => break,
        }
        check(kmeans, &atoms.sample, &monitor)?;
        let may = round::may_be_cut(kmeans, &atoms.sample, &rows);
        atoms.open.iter_mut().zip(may).for_each(|(open, may)| *open &= may);
    }
    let fit = best.ok_or_else(|| unsolved(kmeans, &atoms.sample))?;
    Ok((fit.with_proof(proof, &atoms.sample), atoms.sample))
}

impl KnownAtoms {
    /// Makes the `wanted` atoms finer: divides those of one value, and reads at most `most` others through `zoom`.
    /// Returns whether it read any; `None` if no atom became finer. Joins neighbours between which no optimum has a
    /// boundary (`before` is false).
    fn finer(
        &mut self,
        wanted: Vec<usize>,
        before: &[bool],
        zoom: &mut dyn FnMut(&[Atom]) -> Result<AtomGroups, BoxError>,
        most: usize,
    ) -> Result<Option<bool>, KMeansError> {
        let (mut divided, mut looked): (Vec<usize>, Vec<usize>) =
            wanted.into_iter().filter(|&i| !self.stuck[i]).partition(|&i| {
                let atom = self.sample.atom(i);
                atom.is_point() && atom.even
            });
        let left = MOST_ATOMS.saturating_sub(self.sample.len());
        divided.truncate(left / PARTS as usize);
        let most = if left > 0 { most } else { 0 };
        if looked.len() > most {
            let spread = |&i: &usize| self.sample.framed_spread(i);
            looked.sort_by(|a, b| spread(b).total_cmp(&spread(a)));
            looked.truncate(most);
            looked.sort_unstable();
        }
        if divided.is_empty() && looked.is_empty() {
            return Ok(None);
        }
        let mut finer = AtomGroups::default();
        if !looked.is_empty() {
            let read: Vec<Atom> = looked.iter().map(|&i| self.sample.atom(i)).collect();
            finer = zoom(&read).map_err(source_error)?;
            if finer.places().len() != read.len() {
                let fault = format!("{} windows were asked for and {} given", read.len(), finer.places().len());
                return Err(source_error(fault));
            }
            read.iter().zip(finer.iter()).try_for_each(|(atom, shown)| agree(atom, shown))?;
        }
        divided.iter().for_each(|&i| finer.push(divide(&self.sample.atom(i))));
        let mut parts: Vec<(usize, Range<usize>)> =
            looked.iter().chain(&divided).copied().zip(finer.places()).collect();
        parts.sort_unstable_by_key(|part| part.0);
        self.replace(parts, finer.atoms, before)?;
        Ok(Some(!looked.is_empty()))
    }

    /// Replaces atoms by `finer` ones, of which `parts` says where they are.
    fn replace(
        &mut self,
        parts: Vec<(usize, Range<usize>)>,
        finer: Vec<Atom>,
        before: &[bool],
    ) -> Result<(), KMeansError> {
        let mut atoms = Vec::with_capacity(self.sample.len() + finer.len());
        let (mut open, mut stuck) = (Vec::with_capacity(atoms.capacity()), Vec::with_capacity(atoms.capacity()));
        let mut parts = parts.into_iter().peekable();
        // Atoms that are in the same cluster in every optimum.
        let mut together: Vec<Atom> = Vec::new();
        for (i, atom) in self.sample.atoms().enumerate() {
            let apart = self.open[i] || self.stuck[i] || before.get(i).is_none_or(|&may| may);
            if apart && !together.is_empty() {
                atoms.push(Atom::joined(&together));
                open.push(false);
                stuck.push(false);
                together.clear();
            }
            match parts.next_if(|part| part.0 == i) {
                Some((_, place)) => {
                    let finer = &finer[place];
                    // Data that lie together may need several halvings until they are apart.
                    let alone = matches!(finer, [same] if same.low <= atom.low && atom.high <= same.high);
                    for &part in finer {
                        open.push(self.open[i]);
                        stuck.push(alone);
                        atoms.push(part);
                    }
                }
                None if self.open[i] || self.stuck[i] || before.is_empty() => {
                    open.push(self.open[i]);
                    stuck.push(self.stuck[i]);
                    atoms.push(atom);
                }
                None => together.push(atom),
            }
        }
        if !together.is_empty() {
            atoms.push(Atom::joined(&together));
            open.push(false);
            stuck.push(false);
        }
        drop(finer);
        self.sample = Sample::of_atoms(atoms).map_err(source_error)?;
        (self.open, self.stuck) = (open, stuck);
        Ok(())
    }
}

fn source_error(error: impl Into<BoxError>) -> KMeansError {
    KMeansError::Source(Cause::new(error))
}

/// Checks that `shown` are the points of `atom`.
fn agree(atom: &Atom, shown: &[Atom]) -> Result<(), KMeansError> {
    let (mut count, mut weight, mut offset) = (0u64, 0.0, 0.0);
    for part in shown {
        count = count.saturating_add(part.count);
        weight += part.weight;
        offset += part.weight * (part.mean - atom.mean + (part.rest - atom.rest));
    }
    let inside = |part: Option<&Atom>| part.is_some_and(|part| atom.low <= part.low && part.high <= atom.high);
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * atom.weight;
    let same = count == atom.count
        && near(weight, atom.weight)
        && near(offset / (atom.high - atom.low).max(f64::MIN_POSITIVE), 0.0);
    if same && inside(shown.first()) && inside(shown.last()) {
        return Ok(());
    }
    let Atom { low, high, .. } = atom;
    let (before, now) = (format!("{} of weight {}", atom.count, atom.weight), format!("{count} of weight {weight}"));
    Err(source_error(format!(
        "of the points from {low:?} to {high:?} there were {before} at first, and are {now} now; data must not change during a fit"
    )))
}

/// Divides equal points of equal weight into several atoms.
fn divide(atom: &Atom) -> Vec<Atom> {
    let parts = PARTS.min(atom.count);
    let each = atom.weight / atom.count as f64;
    let until = |part: u64| (u128::from(atom.count) * u128::from(part) / u128::from(parts)) as u64;
    (0..parts)
        .map(|part| until(part + 1) - until(part))
        .map(|count| Atom { count, weight: each * count as f64, ..*atom })
        .collect()
}
