//! The region against every partition of a few points.

use super::*;
use crate::data::sample::Sample;
use crate::dice::Dice;

/// Every ascending choice of `k - 1` ends before `n`, and `n`.
fn partitions(n: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 1 {
        return vec![vec![n]];
    }
    let last = |end: usize| partitions(end, k - 1).into_iter().map(move |ends| [ends, vec![n]].concat());
    (k - 1..n).flat_map(last).collect()
}

/// The least costs by trying every partition.
fn costs(prefixes: &Prefixes<'_>, k: usize, sizes: Sizes) -> SizedCosts {
    let n = prefixes.len();
    let cost = |start: usize, end: usize| {
        let block = prefixes.block(start, end);
        if sizes.least() <= block.weight && block.weight <= sizes.most() { block.cost } else { f64::INFINITY }
    };
    let least = |from: usize, to: usize, m: usize| {
        let of = |ends: Vec<usize>| {
            ends.iter().fold((from, 0.0), |(at, sum), end| (from + end, sum + cost(at, from + end))).1
        };
        if from + m > to {
            f64::INFINITY
        } else {
            partitions(to - from, m).into_iter().map(of).fold(f64::INFINITY, f64::min)
        }
    };
    let table = |of: &dyn Fn(usize, usize) -> f64| (0..k).map(|m| (0..=n).map(|j| of(m + 1, j)).collect()).collect();
    SizedCosts { before: table(&|m, j| least(0, j, m)), after: table(&|m, j| least(j, n, m)) }
}

/// No solution that costs at most as much as the region was made for is outside of it, nor is its cost below a bound.
#[test]
fn a_region_holds_every_solution_that_is_as_good() {
    let mut dice = Dice(0x51ed_0451);
    let (mut held, mut left_out) = (0, 0);
    for case in 0..60 {
        let (n, k) = (8 + case % 3, 2 + case % 2);
        let mut values: Vec<f64> = (0..n).map(|_| 10.0 * dice.unit().powi(1 + case as i32 % 4)).collect();
        values.sort_by(f64::total_cmp);
        let weights: Vec<f64> = (0..n).map(|_| if case % 4 < 2 { 1.0 } else { dice.size(2.0) }).collect();
        let sample = Sample::weighted(&values, &weights).unwrap();
        let prefixes = Prefixes::new(&sample);
        let sizes = Sizes::new(Some(1.5 * dice.unit()), Some(0.8 * sample.total_weight())).unwrap();
        let lower = 6.0 * dice.unit();
        let gaps = Rows::of_gaps(vec![lower; k - 1], vec![lower + 2.0 * dice.unit(); k - 1]);
        let problem = Problem { sizes, ..Problem::new(&prefixes, &gaps) };
        let all = partitions(sample.len(), k).into_iter().map(Partition::new).filter(|all| sizes.allow(all, &prefixes));
        let mut all: Vec<FreeSolution> = all.map(|partition| FreeSolution::of_partition(&problem, partition)).collect();
        all.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let costs = costs(&prefixes, k, sizes);
        for cutoff in [0, all.len() / 8, all.len() / 2] {
            let Some(cutoff) = all.get(cutoff).map(|solution| solution.cost) else { continue };
            let region = costs.region(&problem, cutoff);
            for solution in &all {
                let ends = solution.partition.ends().iter().zip(&region.ends).all(|(end, ends)| ends.contains(end));
                let inside = |(center, (from, to)): (&f64, &(f64, f64))| *from <= *center && *center <= *to;
                let holds = ends && solution.centers.iter().zip(&region.centers).all(inside);
                assert!(holds || solution.cost > cutoff, "case {case}: {} of {cutoff}", solution.cost);
                held += usize::from(holds);
                left_out += usize::from(!holds);
            }
        }
    }
    assert!(held > 500 && left_out > 500, "{held} held, {left_out} left out");
}
