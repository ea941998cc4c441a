//! The bound on the outer points against centres on a fine grid.

use super::super::tests::points;
use super::*;
use crate::constraint::Rows;
use crate::data::Sample;
use crate::data::sample::Prefixes;
use crate::kmeans::free::tests::random;

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
