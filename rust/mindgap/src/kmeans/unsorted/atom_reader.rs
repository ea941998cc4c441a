//! [`AtomReader`]: reads the points of atoms again, in passes over the data, as finer atoms.
//!
//! The points of the atoms are gathered if they are few, and all later questions about them are answered from memory.
//! Otherwise a pass divides the atoms into finer cells. So memory is bounded: a small part of the data is gathered, and
//! there are few cells for each open atom.

use super::super::fit::{KMeansFit, boundary};
use crate::data::cells::{CellWindows, EqualCells, GatheredPoint, UnsortedPoints};
use crate::data::sample::{Atom, AtomGroups, Sample, low_and_high};
use crate::error::BoxError;
use crate::numeric::double::Double;
use crate::numeric::first_false;
use crate::parallel::Workers;
use std::ops::Range;

/// Points are gathered if they are at most one in this many of the data; otherwise their atoms are divided first.
const POINTS_A_GATHERED: usize = 32;

/// So many points are gathered in any case: another pass would take longer (measured at 1e6 points, k = 16 and 50).
const FEW_GATHERED: usize = 1 << 16;

/// A pass halves atoms twice or more if there is then at most one cell for this many points.
const POINTS_A_PART: usize = 512;

/// A pass halves atoms if there is then at most one cell for this many points: a cell takes about 200 bytes in the
/// solver.
const POINTS_A_HALF: usize = 64;

/// The most halvings of a cell in one pass. More would leave most of the finer cells closed.
const MOST_HALVINGS: u32 = 3;

/// At most one in this many points is gathered: sorting more would take as long as sorting all.
const MOST_GATHERED: usize = 2;

/// Finer cells of a window: more would cost the solver as much as the rounds that they save.
const PARTS: usize = 4;

/// The reason why a fit of borrowed data starts again with a copy.
const CHANGED: &str = "the data change during the fit";

#[cfg(test)]
thread_local! {
    /// [`FEW_GATHERED`] for fits of this thread, so that cells of few points are divided too.
    pub(super) static FEW: std::cell::Cell<usize> = const { std::cell::Cell::new(FEW_GATHERED) };
}

/// Reads the points of cells; each point is gathered at most once.
pub(super) struct AtomReader<'a, P> {
    points: UnsortedPoints<'a>,
    cells: EqualCells,
    /// Up to this many gathered points are returned one by one, more in finer cells.
    singly: usize,
    workers: Workers,
    /// How often cells have been halved.
    halvings: u32,
    /// The points that were gathered, those of one window together.
    found: Vec<P>,
    /// The windows whose points were gathered, ascending, each with the place of its points in `found`.
    gathered: Vec<GatheredWindow>,
}

struct GatheredWindow {
    low: f64,
    high: f64,
    place: Range<usize>,
}

impl<'a, P: GatheredPoint> AtomReader<'a, P> {
    pub(super) fn new(points: UnsortedPoints<'a>, cells: EqualCells, singly: usize, workers: Workers) -> Self {
        Self { points, cells, singly, workers, halvings: 0, found: Vec::new(), gathered: Vec::new() }
    }

    /// Drops the gathered points and returns the threads.
    pub(super) fn into_workers(self) -> Workers {
        self.workers
    }

    /// Returns the points of each atom, one by one or in finer cells.
    pub(super) fn zoom(&mut self, atoms: &[Atom]) -> Result<AtomGroups, BoxError> {
        let unread: Vec<&Atom> = atoms.iter().filter(|atom| self.window_of(atom.low).is_none()).collect();
        let mut divided = AtomGroups::default();
        if !unread.is_empty() {
            let windows: Vec<(f64, f64)> = unread.iter().map(|atom| (atom.low, atom.high)).collect();
            let counts: Vec<usize> = unread.iter().map(|atom| atom.count as usize).collect();
            let apart = if self.is_small(counts.iter().sum()) { None } else { self.divide(&windows) };
            match apart {
                Some(groups) if unread.len() == atoms.len() => return Ok(groups),
                Some(groups) => divided = groups,
                None => self.gather(&windows, &counts)?,
            }
        }
        let inside = |atom: &&Atom| self.window_of(atom.low).is_some();
        let singly = atoms.iter().filter(inside).map(|atom| atom.count as usize).sum::<usize>() <= self.singly;
        let mut divided = divided.iter();
        let mut shown = AtomGroups::default();
        for atom in atoms {
            match self.window_of(atom.low) {
                Some(_) if singly || atom.count as usize <= PARTS => shown.push(self.singly(self.inside(atom))),
                Some(_) => shown.push(self.in_parts(&self.inside(atom))),
                None => shown.push(divided.next().unwrap_or_default().iter().copied()),
            }
        }
        Ok(shown)
    }

    /// Whether this many more points may be gathered.
    fn is_small(&self, more: usize) -> bool {
        #[cfg(not(test))]
        let few = FEW_GATHERED;
        #[cfg(test)]
        let few = FEW.get();
        self.found.len() + more <= few.max(self.points.values.len() / POINTS_A_GATHERED)
    }

    /// Sums the points of these windows in finer cells; `None` if there would be too many cells.
    fn divide(&mut self, windows: &[(f64, f64)]) -> Option<AtomGroups> {
        let n = self.points.values.len();
        let parts = |halvings: u32| self.cells.number_of_finer(self.halvings + halvings, windows);
        let few = |halvings: &u32| parts(*halvings).is_some_and(|parts| parts <= n / POINTS_A_PART);
        let halvings = (2..=MOST_HALVINGS).rev().find(few).unwrap_or(1);
        if parts(halvings)? > n / POINTS_A_HALF {
            return None;
        }
        let Self { points, cells, workers, .. } = self;
        let atoms = cells.atoms_of_windows(points, self.halvings + halvings, windows, workers)?;
        self.halvings += halvings;
        Some(atoms)
    }

    /// Gathers the points of these windows, of which there are `counts`.
    fn gather(&mut self, windows: &[(f64, f64)], counts: &[usize]) -> Result<(), BoxError> {
        let first = self.found.len();
        let mut start = first;
        let place = |&count: &usize| {
            start += count;
            start - count..start
        };
        let places: Vec<Range<usize>> = counts.iter().map(place).collect();
        if start > self.points.values.len() / MOST_GATHERED {
            return Err("too many points lie where a boundary may be".into());
        }
        self.found.reserve_exact(start - first);
        self.found.resize(start, P::new(0.0, 0.0));
        let Self { points, workers, found, .. } = self;
        let slots = CellWindows::new(&self.cells, self.halvings, windows).ok_or("cells are too fine")?;
        let mut next: Vec<usize> = places.iter().map(|place| place.start).collect();
        let put = |gathered: Vec<P>| {
            for point in gathered {
                // Borrowed data may change between two reads of a value.
                let window = slots.of(point.value()).filter(|_| points.contain(point.value(), point.weight()));
                let window = window.filter(|&window| next[window] < places[window].end).ok_or(CHANGED)?;
                found[next[window]] = point;
                next[window] += 1;
            }
            Ok::<(), &str>(())
        };
        workers.run(|| slots.gather(points, put))?;
        if next.iter().zip(&places).any(|(&next, place)| next != place.end) {
            return Err(CHANGED.into());
        }
        let window = |(&(low, high), place)| GatheredWindow { low, high, place };
        self.gathered.extend(windows.iter().zip(places).map(window));
        self.gathered.sort_unstable_by(|a, b| a.low.total_cmp(&b.low));
        Ok(())
    }

    /// The gathered window that has the value `x`.
    fn window_of(&self, x: f64) -> Option<&GatheredWindow> {
        let after = self.gathered.partition_point(|window| window.low <= x);
        self.gathered[..after].last().filter(|window| x <= window.high)
    }

    /// The gathered points of an atom.
    fn inside(&self, atom: &Atom) -> Vec<P> {
        let place = self.window_of(atom.low).map_or(0..0, |window| window.place.clone());
        let points = self.found[place].iter().copied();
        points.filter(|point| (atom.low..=atom.high).contains(&point.value())).collect()
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

    /// Makes atoms of points in a few cells between the first and the last of them.
    fn in_parts(&self, points: &[P]) -> Vec<Atom> {
        let values: Vec<f64> = points.iter().map(P::value).collect();
        let weights: Option<Vec<f64>> = self.points.weights.map(|_| points.iter().map(P::weight).collect());
        let extent = low_and_high(&values);
        let number = points.len();
        let points = UnsortedPoints { values: &values, weights: weights.as_deref(), number, extent, ..self.points };
        EqualCells::new(extent, PARTS).atoms(&points, &Workers::none())
    }

    /// The boundaries of a fit to `atoms`; `None` if equal points are in different clusters, which boundaries cannot
    /// express.
    pub(super) fn boundaries(&self, fit: &KMeansFit, atoms: &Sample) -> Option<Vec<f64>> {
        let mut gaps = Vec::with_capacity(fit.boundaries.len());
        for (gap, &near) in fit.boundaries.iter().enumerate() {
            let middle = fit.centers[gap] * 0.5 + fit.centers[gap + 1] * 0.5;
            let right = first_false(0, atoms.len(), |i| atoms.highest(i) <= near);
            // No atom is to the right if points equal to the largest are in different clusters.
            if right == atoms.len() || atoms.highest(right - 1) == atoms.lowest(right) {
                return None;
            }
            let (left, right) = (atoms.atom(right - 1), atoms.atom(right));
            let clear = left.high <= middle && middle < right.low;
            let known = clear || left.is_point() && right.is_point();
            let (last, first) = if known { (left.high, right.low) } else { (f64::NEG_INFINITY, f64::INFINITY) };
            gaps.push(ClusterGap { middle, left: left.high, right: right.low, last, first });
        }
        self.find_ends(&mut gaps)?;
        Some(gaps.iter().map(|gap| boundary(gap.middle, gap.last, gap.first)).collect())
    }

    /// Finds the points at the ends of gaps that are not known yet; `None` if there are none, in data that change.
    fn find_ends(&self, gaps: &mut [ClusterGap]) -> Option<()> {
        // An atom may span cells; those at its ends have points.
        let ends = |gap: &ClusterGap| [gap.left, gap.right].map(|x| self.cells.extent(self.cells.of(x)));
        let windows: Vec<(f64, f64)> = gaps.iter().filter(|gap| gap.first.is_infinite()).flat_map(ends).collect();
        if windows.is_empty() {
            return Some(());
        }
        let slots = CellWindows::new(&self.cells, 0, &windows)?;
        let look = |points: Vec<P>| {
            for x in points.iter().map(P::value) {
                let after = gaps.partition_point(|gap| gap.left < x);
                gaps[after..].iter_mut().take(1).for_each(|gap| gap.last = gap.last.max(x));
                gaps[..after].iter_mut().last().into_iter().for_each(|gap| gap.first = gap.first.min(x));
            }
            Ok::<(), ()>(())
        };
        self.workers.run(|| slots.gather(&self.points, look)).ok()?;
        gaps.iter().all(|gap| gap.last.is_finite() && gap.first.is_finite()).then_some(())
    }
}

/// The gap between two clusters: no point is between `left` and `right`.
struct ClusterGap {
    /// The middle between the centres.
    middle: f64,
    left: f64,
    right: f64,
    /// The last point up to `left` and the first from `right` on, or other limits on the boundary.
    last: f64,
    first: f64,
}
