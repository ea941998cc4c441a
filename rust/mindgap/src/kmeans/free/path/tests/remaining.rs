//! Bounds on the cost of the nodes that a sweep has not reached yet: they are what a plain search finds, not less and not
//! more.

use super::super::remaining::RemainingCosts;
use super::*;
use crate::kmeans::rounding::of_place;

/// `Σ w·(x - z)²` over the nodes from `j` on that lie beyond `z`.
fn beyond(points: &[(f64, f64)], j: usize, z: f64) -> f64 {
    points[j..].iter().map(|&(x, w)| w * (x - z).max(0.0).powi(2)).sum()
}

/// The least of a convex function.
fn least(mut from: f64, mut to: f64, value: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let (a, b) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
        if value(a) > value(b) { from = a } else { to = b }
    }
    value(0.5 * (from + to))
}

/// The largest cost of the nodes before that is not too much.
fn limit(mut enough: f64, is_too_much: impl Fn(f64) -> bool) -> f64 {
    let mut low = -1e12;
    assert!(!is_too_much(low) && is_too_much(enough + 1e-9));
    for _ in 0..100 {
        let middle = 0.5 * (low + enough);
        *(if is_too_much(middle) { &mut enough } else { &mut low }) = middle;
    }
    low
}

#[test]
fn the_rest_of_a_path_costs_what_a_plain_search_says() {
    let mut random = random(41);
    for round in 0..200 {
        let n = 4 + (30.0 * random()) as usize;
        let (x, w) = points(&mut random, n, round);
        let sample = Sample::weighted(&x, &w).unwrap();
        let prefixes = Prefixes::new(&sample);
        let nodes = PathNodes::all(&prefixes, false);
        let n = nodes.len();
        let points: Vec<(f64, f64)> = (0..n).map(|i| (nodes.x[i], nodes.block(i, i + 1).weight)).collect();
        let total: f64 = points.iter().map(|point| point.1).sum();
        let (upper, penalty, enough) = (0.02 + random(), total * 10_f64.powf(-4.0 * random()), total * random());
        let mut unbounded: Vec<f64> = (0..=n).map(|_| 0.3 * enough * random()).collect();
        unbounded.sort_by(|a, b| b.total_cmp(a));
        unbounded[n] = 0.0;
        let rules = (upper, penalty);
        // Far places are known to `blur` only: what lies within it of a place may cost nothing.
        let far = if round % 2 == 0 { 1.0 } else { 1e9 };
        let blur = of_place(far);
        let (plain, known) = (
            RemainingCosts::new(&nodes, &[], rules, enough, far),
            RemainingCosts::new(&nodes, &unbounded, rules, enough, far),
        );
        for _ in 0..20 {
            let j = ((n as f64 * random()) as usize).min(n - 1);
            let place = nodes.x[0] + 1.2 * (nodes.x[n - 1] - nodes.x[0]) * random() - 0.1;
            let far = nodes.x[n - 1];
            let rest = |place: f64| {
                let place = place + blur;
                least(place, far.max(place), |z| penalty / upper * (z - place) + beyond(&points, j, z))
            };
            let same = |limit: f64, expected: f64| {
                let facts = || format!("{limit} is not {expected}: j {j} place {place} x {x:?} w {w:?} {rules:?}");
                assert!((limit - expected).abs() <= 1e-9 * (total + penalty / upper), "{}", facts());
            };
            same(limit(enough, |cost| plain.are_too_far(j, cost, place)), enough - rest(place));
            same(limit(enough, |cost| plain.are_too_much(j, cost, place)), enough - rest(place));
            let most = enough - unbounded[j].max(rest(place));
            same(limit(enough, |cost| known.are_too_much(j, cost, place)), most);

            // The nodes up to `from` are left behind; those beyond `to`, one upper bound farther for each, are ahead.
            let (from, to) = (place, place + 0.3 * random());
            assert!(!plain.are_too_much_within(j, f64::MAX, (from, to)));
            let behind = points[j..].iter().take_while(|point| point.0 < from);
            let (left, cost): (usize, f64) =
                behind.fold((j, 0.0), |(count, sum), &(x, w)| (count + 1, sum + w * (from - x).powi(2)));
            let (mut right, mut lag) = (j, 0.0);
            while right < n && points[right].0 > to + (right - j) as f64 * upper {
                lag += points[right].1 * (points[right].0 - to - (right - j) as f64 * upper).powi(2);
                right += 1;
            }
            let by_reach = rest(to) + penalty;
            let most = enough - by_reach.max(cost + unbounded[left]).max(lag + unbounded[right]);
            same(limit(enough, |cost| known.are_too_much_within(j, cost, (from, to))), most);
        }
    }
}

/// Without a limit on the cost, on gaps, or a penalty, nothing is known of the rest.
#[test]
fn nothing_is_known_of_the_rest_without_limits() {
    let sample = Sample::new(&[0.0, 0.3, 1.0]).unwrap();
    let prefixes = Prefixes::new(&sample);
    let nodes = PathNodes::all(&prefixes, false);
    for (upper, penalty, enough) in [(f64::INFINITY, 1.0, 1.0), (0.1, 0.0, 1.0), (0.1, 1.0, f64::INFINITY)] {
        let costs = RemainingCosts::new(&nodes, &[], (upper, penalty), enough, 1.0);
        let cost = enough.min(1.0);
        assert!(!costs.are_too_far(0, cost, -1.0) && !costs.are_too_much(0, cost, -1.0), "{upper} {penalty} {enough}");
    }
}
