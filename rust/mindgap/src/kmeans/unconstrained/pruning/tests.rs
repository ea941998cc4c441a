//! The test of edges against an optimum found without cells.

use super::*;
use crate::data::sample::Prefixes;
use crate::kmeans::unconstrained::chain::{Precise, Rough};
use crate::kmeans::unconstrained::penalty;
use crate::kmeans::unconstrained::tests::{random, shape, without_levels};
use crate::partition::Partition;

/// What survives of the edges of a grid, as [`prune`] says.
fn alive(x: &[f64], unit: f64, k: usize, cells: usize) -> Vec<bool> {
    let sample = Sample::weighted(x, &vec![unit; x.len()]).unwrap();
    let prefixes = Prefixes::new(&sample);
    let grid = EdgeGrid::even(&prefixes, &[], cells);
    let candidates = Candidates::gather(&prefixes, grid.edges());
    let found = penalty::search::<Precise, _>(&candidates, k, unit, || Ok::<(), ()>(())).unwrap();
    prune(&sample, &grid, &candidates, &found, k).alive
}

/// A limit in the units of the costs prunes the same edges whatever these are, and most of those of a fine grid.
#[test]
fn pruning_knows_no_units() {
    for case in 0..20 {
        let x: Vec<f64> = (0..2000).map(|i| shape(random(case * 5000 + i), case)).collect();
        let k = 2 + case % 6;
        let plain = alive(&x, 1.0, k, 100);
        for unit in [2f64.powi(-60), 2f64.powi(60)] {
            assert_eq!(alive(&x, unit, k, 100), plain, "case {case}, {unit:e}");
        }
    }
    let x: Vec<f64> = (0..20_000).map(random).collect();
    let edges = alive(&x, 1.0, 4, 1000);
    let left = edges.iter().filter(|&&alive| alive).count();
    assert!((3..edges.len() / 4).contains(&left), "{left} of {}", edges.len());
}

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
        // In the finer grid runs of open cells lie apart.
        for cells in [4 * k, n / 3] {
            let grid = EdgeGrid::even(&prefixes, &[], cells);
            let candidates = Candidates::gather(&prefixes, grid.edges());
            if candidates.cells() < k {
                continue;
            }
            let (grid, candidates, name) = (&grid, &candidates, format!("case {case}, {cells} cells"));
            no_boundary_is_pruned::<Precise>(&sample, grid, candidates, &ends, optimum, &name);
            no_boundary_is_pruned::<Rough>(&sample, grid, candidates, &ends, optimum, &format!("{name}, roughly"));
        }
    }
}

fn no_boundary_is_pruned<D: Digits>(
    sample: &Sample,
    grid: &EdgeGrid<'_>,
    candidates: &Candidates<'_>,
    ends: &[usize],
    optimum: f64,
    name: &str,
) {
    let k = ends.len();
    let found = penalty::search::<D, _>(candidates, k, 1.0, || Ok::<(), ()>(())).unwrap();
    let pruned = prune(sample, grid, candidates, &found, k);
    let bound = pruned.lower_bound;
    assert!(bound <= optimum * (1.0 + 1e-12), "{name}: {bound} is above {optimum}");
    for &end in &ends[..k - 1] {
        let after = grid.edges().partition_point(|&edge| (edge as usize) < end);
        let at_edge = grid.edges()[after] as usize == end;
        let alive = pruned.alive[after] || !at_edge && pruned.alive[after - 1];
        assert!(alive, "{name}: the boundary {end} of the optimum is pruned");
    }
}
