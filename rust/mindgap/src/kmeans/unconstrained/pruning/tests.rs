//! The test of edges against an optimum that knows no cells.

use super::*;
use crate::data::sample::Prefixes;
use crate::kmeans::unconstrained::penalty;
use crate::kmeans::unconstrained::tests::{random, shape, without_levels};
use crate::partition::Partition;

/// Whatever the weights' unit: the bound is not above the optimum, and every boundary of the optimum is at an edge that
/// survives or within a cell that has one.
#[test]
fn no_optimum_is_pruned() {
    for case in 0..400 {
        let (n, k) = (60 + case % 300, 2 + case % 7);
        let x: Vec<f64> = (0..n).map(|i| shape(random(case * 1000 + i), case)).collect();
        let unit = [1.0, 1e9, 1e-9][case % 3];
        let weights: Vec<f64> = (0..n).map(|i| unit * (0.1 + random(i + case))).collect();
        let sample = Sample::weighted(&x, &weights).unwrap();
        let ends = without_levels(&sample, k);
        let prefixes = Prefixes::new(&sample);
        let optimum = Partition::new(ends.clone()).cost(&prefixes);
        let grid = EdgeGrid::even(&prefixes, 4 * k);
        let candidates = Candidates::gather(&prefixes, grid.edges());
        if candidates.cells() < k {
            continue;
        }
        let found = penalty::search(&candidates, k, 1.0, || Ok::<(), ()>(())).unwrap();
        let pruned = prune(&sample, &grid, &candidates, &found, k);
        assert!(
            pruned.lower_bound <= optimum * (1.0 + 1e-12),
            "case {case}: {} is above {optimum}",
            pruned.lower_bound
        );
        for &end in &ends[..k - 1] {
            let after = grid.edges().partition_point(|&edge| (edge as usize) < end);
            let at_edge = grid.edges()[after] as usize == end;
            let alive = pruned.alive[after] || !at_edge && pruned.alive[after - 1];
            assert!(alive, "case {case}: the boundary {end} of the optimum is pruned");
        }
    }
}
