//! Curves for each number of clusters against the exact program on the whole problem.

use super::super::tests::points;
use super::*;
use crate::constraint::Rows;
use crate::data::Sample;
use crate::data::sample::Prefixes;
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
        search.run_levels(f64::INFINITY, &mut budget).unwrap();
        let (cost, floor) = (search.best.cost, search.floor);
        assert!((cost - truth).abs() <= 1e-9 * truth + 1e-24, "{cost} is not {truth}: {}", facts());
        assert!(floor <= truth * (1.0 + 1e-10) + 1e-24, "{floor} is above {truth}: {}", facts());
        assert!(floor >= truth * (1.0 - 1e-9) - 1e-24, "{floor} does not prove {truth}: {}", facts());
    }
}

/// The minimum cost of the outer points of the clusters `range` over centres on a fine grid, and its error at most.
/// `v` is a centre minus its number of lower bounds, which never falls from one centre to the next.
fn on_grid(outer: &OuterPoints<'_>, range: Range<usize>) -> (f64, f64) {
    const PLACES: usize = 4000;
    let (problem, k) = (outer.problem, outer.problem.k);
    let (sample, shift) = (problem.prefixes.sample(), problem.len() - k);
    let (from, to) = problem.reach[0];
    let step = (to - from) / PLACES as f64;
    let mut best = vec![0.0; PLACES + 1];
    for i in range.clone() {
        let mut least = f64::INFINITY;
        for (place, cost) in best.iter_mut().enumerate() {
            let center = from + step * place as f64 + i as f64 * outer.lower;
            least = least.min(*cost);
            *cost = least;
            if i < outer.counts.0 {
                *cost += sample.weight(i) * (sample.framed(i) - center).max(0.0).powi(2);
            }
            if i + outer.counts.1 >= k {
                *cost += sample.weight(shift + i) * (center - sample.framed(shift + i)).max(0.0).powi(2);
            }
        }
    }
    let least = best.into_iter().fold(f64::INFINITY, f64::min);
    (least, problem.weight(0, problem.len()) * step * step)
}

/// The bound on the outer points is the minimum over all centres, or zero; it is the minimum if one grid with gaps at
/// the lower bound has it.
#[test]
fn outer_points_cost_no_less_than_their_bound() {
    let mut random = random(31);
    let (mut exact, mut tried) = (0, 0);
    for round in 0..150 {
        let n = 6 + (14.0 * random()) as usize;
        let k = 2 + ((n - 3).min(8) as f64 * random()) as usize;
        let (x, w) = points(&mut random, n, round);
        let sample = Sample::weighted(&x, &w).unwrap();
        let range = x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min);
        let lower = (0.2 + 2.0 * random()) * range / k as f64;
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![f64::INFINITY; k - 1]));
        let outer = OuterPoints::new(&problem, problem.gaps.lower[0]);
        let weight = |range: Range<usize>| range.map(|i| sample.weight(i)).sum::<f64>();
        let all = weight(0..outer.counts.0) + weight(n - outer.counts.1..n);
        assert!((outer.weight() - all).abs() <= 1e-12 * all, "{} is not {all}", outer.weight());
        let start = (k as f64 * random()) as usize;
        for range in [0..k, start..k, 0..start + 1] {
            let (least, error) = on_grid(&outer, range.clone());
            let bound = outer.least(range.clone());
            let facts = || format!("{range:?} k {k} lower {lower} x {x:?} w {w:?}: {bound} for {least}");
            assert!(bound <= least * (1.0 + 1e-9), "{}", facts());
            assert!(bound == 0.0 || bound >= least - error - 1e-9 * least, "{}", facts());
            tried += usize::from(least > error);
            exact += usize::from(bound > 0.0);
        }
    }
    assert!(2 * exact > tried, "{exact} of {tried} bounded");
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
