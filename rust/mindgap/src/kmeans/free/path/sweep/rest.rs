//! What the remaining nodes cost in any number of clusters, for sweeps whose number of clusters is given.

use super::{Sweep, SweepProgress};
use crate::kmeans::free::Stop;
use crate::kmeans::free::budget::Budget;
use crate::kmeans::free::path::nodes::PathNodes;
use crate::kmeans::rounding::of_path;

impl<'a> Sweep<'a> {
    /// A sweep for any number of clusters, without a penalty, whose gaps are at least `lower`.
    pub(in crate::kmeans::free::path) fn of_any_number(nodes: &'a PathNodes, lower: f64) -> Self {
        // At most one centre is beyond the points, since a second one has no nearest point, and it is within reach of
        // them, since moving it there lowers the cost.
        let reach = 2.0 * lower;
        Sweep {
            nodes,
            lower,
            upper: f64::INFINITY,
            penalty: 0.0,
            domain: (nodes.x[0] - reach, nodes.x[nodes.len() - 1] + reach),
            enough: f64::INFINITY,
            unbounded: [&[]; 2],
            rewarded: false,
            windows: &[],
        }
    }

    /// The minimum cost of the nodes before each node, without an upper bound on the gaps.
    pub(super) fn costs_before(&self, budget: &mut Budget<'_>) -> Result<Vec<f64>, Stop> {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let mut progress = SweepProgress::new(self);
                let mut costs = Vec::with_capacity(self.nodes.len() + 1);
                costs.push(0.0);
                for j in 1..self.nodes.len() {
                    costs.push(progress.least_before(j));
                    progress.advance(budget)?;
                }
                Ok(costs)
            },
        )
    }
}

impl SweepProgress<'_> {
    /// The minimum cost of the nodes before node `j`.
    #[inline(always)]
    fn least_before(&mut self, j: usize) -> f64 {
        let curve = &mut self.curves[0];
        let mut least = curve.queue.best(j).map_or(f64::INFINITY, |best| best.1);
        let mut ending = self.sweep.nodes.ending(j);
        let from = self.sweep.strip(j, self.sweep.lower).0;
        curve.over((from, f64::INFINITY), |piece, from, to| {
            if !piece.is_flat() || piece.before.level < least {
                least = least.min(piece.lowest(&mut ending, from, to).1);
            }
        });
        least
    }
}

/// Lower bounds on the cost of the nodes from each one on, and on that of the mirrored nodes, whatever the number of
/// clusters.
pub(super) fn costs(nodes: &PathNodes, lower: f64, budget: &mut Budget<'_>) -> Result<[Vec<f64>; 2], Stop> {
    let mirrored = nodes.mirrored();
    let mut rest = |nodes: &PathNodes| -> Result<Vec<f64>, Stop> {
        let sweep = Sweep::of_any_number(nodes, lower);
        let mut costs = sweep.costs_before(budget)?;
        let (size, far) = (costs[costs.len() - 1], sweep.domain.0.abs().max(sweep.domain.1.abs()));
        let links = ((sweep.domain.1 - sweep.domain.0) / lower + 2.0).min(nodes.len() as f64);
        let rounding = of_path(links as usize, size, nodes.weight(), far);
        costs.iter_mut().for_each(|cost| *cost = (*cost - rounding).max(0.0));
        // From behind the last node on there is nothing.
        costs.push(0.0);
        costs.reverse();
        Ok(costs)
    };
    let before = rest(nodes)?;
    Ok([rest(&mirrored)?, before])
}
