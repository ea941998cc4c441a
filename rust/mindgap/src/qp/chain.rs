//! The exact solve if all active rows are gaps: O(k), because means at fixed distances move together.
//!
//! A run of means at fixed distances lies where the forces on it balance, and the multiplier of a gap is the sum of the
//! forces on one side of it. Positions are double-double, relative to the stiffest mean of the run, which hardly moves;
//! forces are summed on the side away from it.

use super::equality::{Equilibrium, FORCE_ERROR, Objective, orientation};
use super::row_matrix::{Bound, RowMatrix};
use crate::numeric::double::Double;

/// Solves on `bounds`; `None` if one of them is not a gap, or two are the same gap.
pub(super) fn solve(rows: &RowMatrix, objective: Objective<'_>, bounds: &[Bound]) -> Option<Equilibrium> {
    // The bound that fixes the gap after each mean.
    let mut fixed: Vec<Option<usize>> = vec![None; rows.k()];
    for (index, bound) in bounds.iter().enumerate() {
        if fixed[rows.gap(bound.row)?].replace(index).is_some() {
            return None;
        }
    }
    let (multipliers, noise) = (vec![0.0; bounds.len()], vec![0.0; bounds.len()]);
    let mut state = Equilibrium { means: objective.targets.to_vec(), multipliers, noise, dependencies: Vec::new() };
    let mut start = 0;
    while start < rows.k() {
        let links: Vec<usize> = fixed[start..].iter().map_while(|index| *index).collect();
        if !links.is_empty() {
            FixedRun::new(rows, objective, bounds, start, &links).solve(bounds, &mut state);
        }
        start += links.len() + 1;
    }
    Some(state)
}

/// Means from `start` on whose gaps are fixed by the bounds `links`.
struct FixedRun<'a> {
    start: usize,
    links: &'a [usize],
    targets: &'a [f64],
    stiffness: &'a [f64],
    /// The index of the stiffest mean in the run.
    stiffest: usize,
    /// The offset of each mean from the stiffest.
    offsets: Vec<Double>,
}

impl<'a> FixedRun<'a> {
    fn new(rows: &RowMatrix, objective: Objective<'a>, bounds: &[Bound], start: usize, links: &'a [usize]) -> Self {
        let members = start..start + links.len() + 1;
        let (targets, stiffness) = (&objective.targets[members.clone()], &objective.stiffness[members]);
        let stiffest = (0..stiffness.len()).fold(0, |best, i| if stiffness[i] > stiffness[best] { i } else { best });
        let mut offsets = vec![Double::ZERO];
        for (i, &link) in links.iter().enumerate() {
            offsets.push(offsets[i] + Double::from(rows.level(bounds[link])));
        }
        let origin = offsets[stiffest];
        offsets.iter_mut().for_each(|offset| *offset = *offset - origin);
        Self { start, links, targets, stiffness, stiffest, offsets }
    }

    /// Writes the means of the run and the multipliers of its gaps.
    fn solve(&self, bounds: &[Bound], state: &mut Equilibrium) {
        let origin = Double::from(self.targets[self.stiffest]);
        // The distance of each target from its mean if the stiffest mean were at its target.
        let distances: Vec<Double> = self
            .targets
            .iter()
            .zip(&self.offsets)
            .map(|(&target, &offset)| Double::from(target) - origin - offset)
            .collect();
        let pull =
            distances.iter().zip(self.stiffness).fold(Double::ZERO, |pull, (distance, &g)| pull + distance.times(g));
        let stiffness: f64 = self.stiffness.iter().sum();
        let shift = pull.value() / stiffness;
        let place = origin + Double::from(shift);
        let mut forces = Vec::with_capacity(self.targets.len());
        for (i, &g) in self.stiffness.iter().enumerate() {
            state.means[self.start + i] = (place + self.offsets[i]).value();
            let moved = shift - distances[i].value();
            let size = self.targets[i].abs() + moved.abs() + self.offsets[i].value().abs() + shift.abs();
            forces.push((g * moved, FORCE_ERROR * g * size));
        }
        let mut set = |link: usize, (force, noise): (f64, f64)| {
            let index = self.links[link];
            state.multipliers[index] = force * orientation(bounds[index].side);
            state.noise[index] = noise;
        };
        let add = |(force, noise): (f64, f64), (f, s): &(f64, f64)| (force + f, noise + s);
        let mut below = (0.0, 0.0);
        for (link, force) in forces[..self.stiffest].iter().enumerate() {
            below = add(below, force);
            set(link, (-below.0, below.1));
        }
        let mut above = (0.0, 0.0);
        for link in (self.stiffest..self.links.len()).rev() {
            above = add(above, &forces[link + 1]);
            set(link, above);
        }
    }
}
