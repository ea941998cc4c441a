//! From coarse runs to fine ones: which boundaries, and which centres, solutions no worse than the best can have.
//!
//! A pass with rebates from the left and one from the right bound every solution in which a run belongs to a cluster with a
//! given centre, and every solution with a given boundary. Runs beside no such boundary are never cut again.

use super::PathSearch;
use super::pass::PathPass;
use super::runs::{Reach, Runs};
use super::{CLEARLY, PARTS, PRUNED, Stop};
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::piecewise::{Curve, Quadratic};
use crate::kmeans::rounding::{CLEAR, of_addition};

/// The curves of the pass from the right, where a run is next.
struct Suffix {
    origin: f64,
    base: f64,
    open: Curve,
}

impl PathSearch<'_> {
    /// The runs without those boundaries and centres that no solution better than the best has, the others cut finer; and
    /// how far the bound is from the best. One more centre saves solutions that matter no more than the penalty and `slack`.
    /// `None` if nothing better than the best is left.
    pub(super) fn refine(
        &mut self,
        runs: &Runs,
        penalty: f64,
        slack: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<(Runs, f64)>, Stop> {
        let penalties = penalty * self.problem.k as f64;
        let most = CLEARLY * penalty + slack;
        self.trial(runs, penalty, most, budget)?;
        let reach = Reach::new(self.problem, runs, self.bounds, most);
        let (suffixes, rounding) = self.suffixes(runs, &reach, penalty, budget)?;
        let within = runs.within();
        let mut hulls = vec![None; runs.len()];
        let mut boundary = vec![false; runs.len() + 1];
        let limit = (self.best.cost + penalties) * (1.0 + CLEAR) + 4.0 * rounding - within;
        let pass = PathPass {
            runs: &runs.runs,
            reach: &reach,
            lower: self.bounds.0,
            upper: self.bounds.1,
            penalty,
            rebates: true,
            only_best: false,
        };
        let optimum = pass.run(budget, |step| {
            let suffix = &suffixes[runs.len() - 1 - step.j];
            let run = &runs.runs[step.j];
            let sum = CurveSum {
                suffix: &suffix.open,
                shift: step.origin + suffix.origin,
                // The cluster's penalty is in both.
                level: step.base + suffix.base - penalty - limit,
                run: (run.mean - step.origin, run.weight),
            };
            hulls[step.j] = sum.hull(step.open).map(|(from, to)| (from + step.origin, to + step.origin));
            boundary[step.j] = sum.hull(step.begun).is_some();
            Ok(())
        })?;
        let Some(optimum) = optimum else { return Ok(None) };
        self.raise_floor(self.bound(&optimum, runs, penalty));
        let gap = self.best.cost + penalties - optimum.value - within;
        let Some(hulls) = hulls.into_iter().collect::<Option<Vec<(f64, f64)>>>() else {
            // Some run belongs to no cluster: no path through these windows costs less than the best.
            self.raise_floor(self.best.cost * (1.0 - PRUNED));
            return Ok(None);
        };
        let margin = |(from, to): (f64, f64)| {
            let margin = 1e-9 * (to - from) + of_addition(from.abs() + to.abs());
            (from - margin, to + margin)
        };
        let hulls: Vec<(f64, f64)> = hulls.into_iter().map(margin).collect();
        let cut = |j: usize| runs.runs[j].is_open() && (boundary[j] || boundary[j + 1]);
        Ok(Some((runs.refined(self.problem.prefixes, &hulls, cut, |j| boundary[j], PARTS), gap)))
    }

    /// The curves of a pass from the right, and what rounding may have added to them.
    fn suffixes(
        &self,
        runs: &Runs,
        reach: &Reach,
        penalty: f64,
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<Suffix>, f64), Stop> {
        let (mirrored, reach) = (runs.mirrored(), reach.mirrored());
        let pass = PathPass {
            runs: &mirrored.runs,
            reach: &reach,
            lower: self.bounds.0,
            upper: self.bounds.1,
            penalty,
            rebates: true,
            only_best: false,
        };
        let mut suffixes = Vec::with_capacity(runs.len());
        let (mut pieces, most) = (0, budget.memory() / size_of::<Quadratic>());
        let optimum = pass.run(budget, |step| {
            pieces += step.open.len();
            if pieces > most {
                return Err(Stop::Exhausted);
            }
            suffixes.push(Suffix { origin: step.origin, base: step.base, open: step.open.to_vec() });
            Ok(())
        })?;
        // Without a path there is nothing to see; callers meet the same in the pass from the left.
        suffixes.resize_with(runs.len(), || Suffix { origin: 0.0, base: f64::INFINITY, open: Curve::new() });
        Ok((suffixes, optimum.map_or(0.0, |optimum| optimum.rounding)))
    }
}

/// The cost of a whole solution as a function of the centre of a run's cluster, less the limit.
struct CurveSum<'a> {
    suffix: &'a [Quadratic],
    /// A place `t` in the prefix's coordinate is `-t - shift` in that of the suffix.
    shift: f64,
    level: f64,
    /// The run's place in the prefix's coordinate, and its weight.
    run: (f64, f64),
}

impl CurveSum<'_> {
    /// The smallest interval that has all centres with a sum of zero or less.
    fn hull(&self, prefix: &[Quadratic]) -> Option<(f64, f64)> {
        let mut hull: Option<(f64, f64)> = None;
        let mut next = self.suffix.len();
        for piece in prefix {
            // Mirrored pieces ascend as their index falls.
            while next > 0 && -self.suffix[next - 1].start - self.shift < piece.start {
                next -= 1;
            }
            let reached = self.suffix[..next].iter().rev().take_while(|other| -other.end - self.shift <= piece.end);
            for other in reached {
                if let Some((from, to)) = self.below(piece, other) {
                    hull = Some(hull.map_or((from, to), |(low, high)| (low.min(from), high.max(to))));
                }
            }
        }
        hull
    }

    /// Where the sum over two pieces is zero or less.
    fn below(&self, piece: &Quadratic, other: &Quadratic) -> Option<(f64, f64)> {
        let start = piece.start.max(-other.end - self.shift);
        let end = piece.end.min(-other.start - self.shift);
        let (z, weight) = self.run;
        let bend = piece.bend + other.bend + weight;
        let slope = piece.slope - other.slope + 2.0 * other.bend * self.shift - 2.0 * weight * z;
        let other_level = other.level - self.shift * (other.slope - self.shift * other.bend);
        let level = piece.level + other_level + weight * z * z + self.level;
        let inside = slope * slope - 4.0 * bend * level;
        if inside < 0.0 || start > end {
            return None;
        }
        let (middle, half) = (-0.5 * slope / bend, 0.5 * inside.sqrt() / bend);
        let (from, to) = ((middle - half).max(start), (middle + half).min(end));
        (from <= to).then_some((from, to))
    }
}

#[cfg(test)]
mod tests;
