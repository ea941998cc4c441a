//! Bounds the directional derivative D of the likelihood over a cell of (μ, v): proves D ≤ e^level·divisor in all of it,
//! or returns points where that fails.
//!
//! Coarse cells are bounded from their corners by convexity: log D + A is convex in the natural parameters. Small cells
//! are bounded by an expansion in Hermite polynomials, which takes one pass over the data. Both bounds are rounded up.
//! The derivations are in docs/mathematics.md.

use super::coupling::Divisor;
use super::derivative::Derivative;
use super::expansion::{Expanded, Expansion};
use super::region::Cell;
use crate::numeric::portable::{exp2, ln};
use std::f64::consts::LOG2_E;

/// The largest width of a coarse cell, in standard deviations: in most cells of this size D is well below its bound.
const COARSE_WIDTH: f64 = 2.5;

/// The largest height of a coarse cell, in log v.
const COARSE_LOG_VARIANCE: f64 = 1.1;

/// The largest number of rows of coarse cells, and of columns of a row.
const MAX_LINES: f64 = 128.0;

/// The largest number of parts of a cell. If it needs more, its region is split.
const MAX_CELLS: usize = 4096;

/// The largest number of new atoms from one cell.
const MAX_NEW_ATOMS: usize = 6;

/// The largest number of Newton steps from a point above the level towards a maximum; the largest cells need them all.
const MAX_NEWTON_STEPS: usize = 8;

/// The result for a cell.
pub(super) enum Verdict {
    /// The bound holds everywhere.
    Below,
    /// The bound fails at these points, the highest first.
    Above(Vec<(f64, f64)>),
}

/// A part of a cell, and D/divisor at its corners.
#[derive(Clone, Copy)]
struct Corners {
    cell: Cell,
    /// ln(D/divisor), rounded up, at (low, least), (high, least), (low, most), (high, most).
    logs: [f64; 4],
}

impl Corners {
    fn points(&self) -> [(f64, f64, f64); 4] {
        let Cell { low, high, least, most } = self.cell;
        let [a, b, c, d] = self.logs;
        [(low, least, a), (high, least, b), (low, most, c), (high, most, d)]
    }

    /// How far D may exceed its interpolation between corners: along the mean (four times that) and along the variance.
    fn excess(&self) -> (f64, f64) {
        let Cell { low, high, least, most } = self.cell;
        let (width, spread) = (high - low, most - least);
        ((0.5 * width * width / least) * (1.0 + 1e-15), (spread * spread / (16.0 * least * most)) * (1.0 + 1e-15))
    }

    /// Bounds ln(D/divisor) over the cell.
    fn bound(&self) -> f64 {
        let (by_mean, by_variance) = self.excess();
        let [a, b, c, d] = self.logs;
        let size = self.logs.iter().fold(by_mean + by_variance, |size, log| size + log.abs());
        edge(a, b, by_mean).max(edge(c, d, by_mean)) + by_variance + 4.0 * f64::EPSILON * size
    }
}

/// The maximum of (1-s)·a + s·b + s(1-s)·h over s in [0, 1].
fn edge(a: f64, b: f64, h: f64) -> f64 {
    let slope = b - a;
    if slope.abs() < h { 0.5 * (a + b) + 0.25 * h + slope * slope / (4.0 * h) } else { a.max(b) }
}

impl Derivative<'_> {
    /// Proves D ≤ e^level·divisor in the whole cell, or finds where it fails. The divisor must be positive in the cell.
    pub(super) fn bound(&self, cell: &Cell, divisor: &Divisor, level: f64) -> Verdict {
        let mut cells = self.grid(cell, divisor);
        let mut next = Vec::new();
        let mut seen = cells.len();
        loop {
            // An interrupted grid may be incomplete.
            if self.stop.is_due() {
                return Verdict::Above(vec![(cell.low, cell.least)]);
            }
            let above = self.violations(&cells, cell, divisor, level);
            if !above.is_empty() {
                return Verdict::Above(above);
            }
            for corners in &cells {
                if corners.bound() <= level {
                    continue;
                }
                seen += 2;
                if seen > MAX_CELLS || self.stop.is_due() {
                    return Verdict::Above(vec![(corners.cell.low, corners.cell.least)]);
                }
                match Expansion::of(self, &corners.cell).map(|expansion| expansion.bound(divisor, level)) {
                    Some(Expanded::Below) => {}
                    Some(Expanded::Above(mean, variance)) => {
                        return Verdict::Above(vec![self.polish(mean, variance, cell, divisor)]);
                    }
                    Some(Expanded::Unclear) | None => self.halve(corners, divisor, &mut next),
                }
            }
            if next.is_empty() {
                return Verdict::Below;
            }
            std::mem::swap(&mut cells, &mut next);
            next.clear();
        }
    }

    /// Covers the cell with coarse ones: rows of about the same ratio of variances, each divided into columns.
    fn grid(&self, cell: &Cell, divisor: &Divisor) -> Vec<Corners> {
        let Cell { low, high, least, most } = *cell;
        let span = ln(most / least);
        let rows = (span / COARSE_LOG_VARIANCE).ceil().clamp(1.0, MAX_LINES) as usize;
        let mut cells = Vec::new();
        let mut from = least;
        for row in 1..=rows {
            let to = if row == rows { most } else { least * exp2(span * LOG2_E * (row as f64 / rows as f64)) };
            let to = to.clamp(from, most);
            let columns = ((high - low) / (COARSE_WIDTH * from.sqrt())).ceil().clamp(1.0, MAX_LINES) as usize;
            let corners = |mean: f64| {
                let at_least = self.log_ratio(divisor, mean, from);
                [at_least, if to > from { self.log_ratio(divisor, mean, to) } else { at_least }]
            };
            let (mut mean, mut here) = (low, corners(low));
            for column in (1..=columns).take_while(|_| !self.stop.is_due()) {
                let next = if column == columns { high } else { low + (high - low) * (column as f64 / columns as f64) };
                let there = if next > mean { corners(next) } else { here };
                let logs = [here[0], there[0], here[1], there[1]];
                cells.push(Corners { cell: Cell { low: mean, high: next, least: from, most: to }, logs });
                (mean, here) = (next, there);
            }
            from = to;
        }
        cells
    }

    /// Returns the highest corners above the level that are apart from one another, each improved by [`Self::polish`].
    fn violations(&self, cells: &[Corners], whole: &Cell, divisor: &Divisor, level: f64) -> Vec<(f64, f64)> {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        while taken.len() < MAX_NEW_ATOMS {
            let mut best = (f64::NEG_INFINITY, 0.0, 0.0);
            for corners in cells {
                for (mean, variance, log) in corners.points() {
                    let near = |&(m, v): &(f64, f64)| {
                        (m - mean).abs() < 0.5 * variance.sqrt() && v < 2.0 * variance && variance < 2.0 * v
                    };
                    if log > level && log > best.0 && !taken.iter().any(near) {
                        best = (log, mean, variance);
                    }
                }
            }
            if best.0 == f64::NEG_INFINITY {
                break;
            }
            taken.push((best.1, best.2));
        }
        taken.into_iter().map(|(mean, variance)| self.polish(mean, variance, whole, divisor)).collect()
    }

    /// Moves from a point to one with a higher D/divisor, by a few Newton steps on D.
    fn polish(&self, mut mean: f64, mut variance: f64, cell: &Cell, divisor: &Divisor) -> (f64, f64) {
        mean = mean.clamp(cell.low, cell.high);
        variance = variance.clamp(cell.least, cell.most);
        let mut value = self.log_ratio(divisor, mean, variance);
        for _ in 0..MAX_NEWTON_STEPS {
            let root = 1.0 / variance.sqrt();
            let (m, _) = self.points.moments(self.logs, mean, root, self.reach(root));
            let step = |slope: f64, curvature: f64| match (curvature < 0.0, slope == 0.0) {
                (true, _) => (-slope / curvature).clamp(-0.5, 0.5),
                (false, true) => 0.0,
                (false, false) => 0.3_f64.copysign(slope),
            };
            let to_mean = (mean + step(m[1], m[2]) / root).clamp(cell.low, cell.high);
            let factor = exp2(step(0.5 * m[2], 0.25 * m[4] + 0.5 * m[2]) * LOG2_E);
            let to_variance = (variance * factor).clamp(cell.least, cell.most);
            if (to_mean, to_variance) == (mean, variance) {
                break;
            }
            let reached = self.log_ratio(divisor, to_mean, to_variance);
            if reached <= value {
                break;
            }
            let gain = reached - value;
            (mean, variance, value) = (to_mean, to_variance, reached);
            if self.points.total() * gain < 1e-3 {
                break;
            }
        }
        (mean, variance)
    }

    /// Halves a cell in the direction in which its bound is less tight.
    fn halve(&self, corners: &Corners, divisor: &Divisor, out: &mut Vec<Corners>) {
        let (by_mean, by_variance) = corners.excess();
        let cell = corners.cell;
        let [a, b, c, d] = corners.logs;
        if 0.25 * by_mean >= by_variance {
            let middle = 0.5 * (cell.low + cell.high);
            let p = self.log_ratio(divisor, middle, cell.least);
            let q = if cell.most > cell.least { self.log_ratio(divisor, middle, cell.most) } else { p };
            out.push(Corners { cell: Cell { high: middle, ..cell }, logs: [a, p, c, q] });
            out.push(Corners { cell: Cell { low: middle, ..cell }, logs: [p, b, q, d] });
        } else {
            let middle = (cell.least * cell.most).sqrt().clamp(cell.least, cell.most);
            let p = self.log_ratio(divisor, cell.low, middle);
            let q = if cell.high > cell.low { self.log_ratio(divisor, cell.high, middle) } else { p };
            out.push(Corners { cell: Cell { most: middle, ..cell }, logs: [a, b, p, q] });
            out.push(Corners { cell: Cell { least: middle, ..cell }, logs: [p, q, c, d] });
        }
    }
}
