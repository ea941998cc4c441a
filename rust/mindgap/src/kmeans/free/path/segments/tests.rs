//! Bounds by groups of points against the exact program on all of them.

use super::*;
use crate::constraint::Rows;
use crate::kmeans::free::Problem;
use crate::kmeans::free::incumbent::FreeSolution;
use crate::kmeans::free::tests::{random, whole};
use crate::monitor::Monitor;
use crate::{GapBounds, KMeans};

/// Groups of points at steps of one, as wide as `width`.
fn groups(random: &mut impl FnMut() -> f64, groups: usize, n: usize, width: f64) -> Vec<f64> {
    (0..n).map(|i| (i % groups) as f64 + width * random()).collect()
}

/// Bounds of random penalties, and of those that were found. Says how often there are segments, and how often they prove
/// the optimum.
fn compare(rounds: usize, seed: u64) -> (usize, usize) {
    let mut random = random(seed);
    let (mut applied, mut exact) = (0, 0);
    for round in 0..rounds {
        let n = 4 + (14.0 * random()) as usize;
        let k = 2 + ((n - 2) as f64 * random()) as usize;
        let width = 10_f64.powf(-1.0 - 4.0 * random());
        let x = groups(&mut random, 2 + round % 3, n, width);
        let w: Vec<f64> = (0..n).map(|_| if round % 2 == 0 { 1.0 } else { 0.3 + 2.0 * random() }).collect();
        let sample = Sample::weighted(&x, &w).unwrap();
        let prefixes = Prefixes::new(&sample);
        let lower = (1.5 * random().powi(2) / k as f64).min(0.5 * (x[1] - x[0]).abs() * random());
        let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![f64::INFINITY; k - 1]));
        let bounds = problem.gaps.shared_bounds().unwrap();
        let mut search = PathSearch { bounds, ..PathSearch::new(&problem, FreeSolution::even(&problem)) };
        let mut budget = Budget::new(u64::MAX, Monitor::default());
        let guess = search.best.cost / k as f64;
        match round % 3 {
            0 => search.penalty = guess * random(),
            _ => drop(search.find_penalty(&PathNodes::all(&prefixes, true), guess, &mut budget).unwrap()),
        }
        search.floor = 0.0;
        search.bound_segments(&mut budget).unwrap();
        let truth = whole(&problem);
        let facts = || format!("k {k} lower {lower} x {x:?} w {w:?}");
        assert!(search.floor <= truth * (1.0 + 1e-12) + 1e-28, "{} is above {truth}: {}", search.floor, facts());
        applied += usize::from(search.floor > 0.0);
        exact += usize::from(search.floor >= truth * (1.0 - 1e-9));
    }
    (applied, exact)
}

#[test]
fn groups_far_apart_give_a_valid_bound() {
    let (applied, exact) = compare(600, 71);
    assert!(applied > 150 && exact > 50, "{applied} applied, {exact} exact");
}

#[test]
#[ignore = "slow"]
fn groups_far_apart_give_a_valid_bound_many_times() {
    let (applied, exact) = compare(20_000, 72);
    assert!(applied > 5000 && exact > 1500, "{applied} applied, {exact} exact");
}

/// Groups that are independent have the same optimum at any distance. In the units of all points the bound is lower by
/// 5e-6.
#[test]
fn the_distance_of_groups_costs_little_precision() {
    let mut random = random(73);
    let normal = |random: &mut dyn FnMut() -> f64| (0..12).map(|_| random()).sum::<f64>() - 6.0;
    // Multiples of 2⁻¹⁶, which no distance rounds.
    let x: Vec<f64> = (0..1000).map(|_| (normal(&mut random) * 65_536.0).round() / 65_536.0).collect();
    let fit = |apart: f64, lower: f64| {
        let x: Vec<f64> = x.iter().enumerate().map(|(i, x)| (i % 10) as f64 * apart + x).collect();
        KMeans::new(300).constraint(GapBounds::lower(lower)).fit(&Sample::new(&x).unwrap()).unwrap()
    };
    let mut gaps = fit(1024.0, 0.0).gaps().to_vec();
    gaps.sort_unstable_by(f64::total_cmp);
    let (near, far) = (fit(1024.0, gaps[60]), fit(4_194_304.0, gaps[60]));
    assert!(near.is_optimal(), "{} of {}", near.lower_bound(), near.inertia());
    let (optimum, bound) = (near.inertia(), far.lower_bound());
    assert!(bound <= optimum * (1.0 + 1e-12) && bound >= optimum * (1.0 - 4e-9), "{bound} for {optimum}");
}
