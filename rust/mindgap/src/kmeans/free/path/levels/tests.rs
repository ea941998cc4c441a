//! Curves for each number of clusters against the exact program on the whole problem.

use super::super::tests::points;
use super::*;
use crate::constraint::Rows;
use crate::data::Sample;
use crate::data::sample::Prefixes;
use crate::kmeans::free::Problem;
use crate::kmeans::free::tests::{random, whole};
use crate::monitor::Monitor;

/// Compares with the exact program on the whole problem, for bounds of which many are too wide for all clusters.
fn compare(rounds: usize, (few, many): (usize, usize), seed: u64) {
    let mut random = random(seed);
    for round in 0..rounds {
        let n = few + ((many - few) as f64 * random()) as usize;
        let k = 2 + ((n - 2).min(9) as f64 * random()) as usize;
        let (x, w) = points(&mut random, n, round);
        let sample = Sample::weighted(&x, &w).unwrap();
        let range = x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min);
        // Far above the rounding of centres, which hold bounds to the last digit of their places.
        let lower = (0.001 + 6.0 * random().powi(3)) * range / k as f64;
        let upper = if round % 3 == 0 { lower * (1.0 + random()) } else { f64::INFINITY };
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![upper; k - 1]));
        let mut search = PathSearch::new(&problem, FreeSolution::even(&problem));
        let mut budget = Budget::new(u64::MAX, Monitor::default());
        search.bounds.0 = problem.gaps.lower[0];
        // With few steps before they are limited, sweeps are so in some rounds.
        search.unaided = [0, 1 << 6, u64::MAX][round % 3];
        if round % 2 == 0 {
            let guess = 2.0 * search.best.cost / k as f64;
            search.find_penalty(&PathNodes::all(&prefixes, false), guess, &mut budget).unwrap();
        }
        search.bounds = problem.gaps.shared_bounds().unwrap();
        let truth = whole(&problem);
        let facts = || format!("n {n} k {k} lower {lower} upper {upper} x {x:?} w {w:?}");
        let outer = OuterPoints::new(&problem, search.bounds.0);
        for share in SHARES {
            search.levels_by_runs(&outer, 2 * k, share, &mut budget).unwrap();
        }
        let floor = search.floor;
        assert!(floor <= truth * (1.0 + 1e-10) + 1e-24, "by runs {floor} is above {truth}: {}", facts());
        search.floor = 0.0;
        search.run_levels(f64::INFINITY, &[LOW_SHARE], &mut budget).unwrap();
        let floor = search.floor;
        assert!(floor <= truth * (1.0 + 1e-10) + 1e-24, "low {floor} is above {truth}: {}", facts());
        search.run_levels(f64::INFINITY, &SHARES, &mut budget).unwrap();
        let (cost, floor) = (search.best.cost, search.floor);
        assert!((cost - truth).abs() <= 1e-9 * truth + 1e-24, "{cost} is not {truth}: {}", facts());
        assert!(floor <= truth * (1.0 + 1e-10) + 1e-24, "{floor} is above {truth}: {}", facts());
        assert!(floor >= truth * (1.0 - 1e-9) - 1e-24, "{floor} does not prove {truth}: {}", facts());
    }
}

#[test]
fn levels_agree_with_the_exact_finish() {
    compare(1500, (3, 15), 21);
    compare(60, (40, 200), 22);
}

#[test]
#[ignore = "slow"]
fn levels_agree_with_the_exact_finish_many_times() {
    compare(40_000, (3, 17), 23);
    compare(1000, (30, 250), 24);
}
