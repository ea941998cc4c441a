//! The parts against each other: the search by cells, the exact program on the whole problem, and the levels' bounds.

mod problem;
mod rounding;

use super::budget::MOST_STEPS;
use super::functional::SearchRegion;
use super::incumbent::FreeSolution;
use super::*;
use crate::constraint::GapBounds;
use crate::kmeans::alternation::nearest;
use crate::kmeans::{Centers, KMeans};
use crate::partition::Partition;

/// A linear congruential generator: numbers from 0 to 1.
pub(super) fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The optimum by the exact program alone.
pub(super) fn whole(problem: &Problem<'_>) -> f64 {
    let mut budget = Budget::new(u64::MAX, Monitor::default());
    let found = functional::solve(problem, &SearchRegion::whole(problem), f64::INFINITY, &mut budget);
    FreeSolution::of_partition(problem, Partition::new(found.unwrap().unwrap().ends)).cost
}

/// The optimum by cells, whatever the number of points.
fn cells(problem: &Problem<'_>) -> (f64, f64) {
    let budget = Budget::new(STEPS, Monitor::default().tol(0.0));
    let (best, proof) = search::run_by_cells(problem, budget).unwrap();
    (best.cost, proof.lower_bound(best.cost))
}

fn compare(x: &[f64], gaps: &Rows) {
    let sample = Sample::new(x).unwrap();
    let prefixes = Prefixes::new(&sample);
    let problem = Problem::new(&prefixes, gaps);
    let ((cost, floor), truth) = (cells(&problem), whole(&problem));
    let facts = || format!("x {x:?} {gaps:?}");
    assert!((cost - truth).abs() <= 1e-9 * truth + 1e-24, "{cost} is not {truth}: {}", facts());
    assert!(floor <= truth * (1.0 + 1e-9) + 1e-24, "{floor} is above {truth}: {}", facts());
    assert!(floor >= cost * (1.0 - 1e-9), "{floor} does not prove {cost}: {}", facts());
}

fn bounds(random: &mut impl FnMut() -> f64, k: usize, scale: f64) -> Rows {
    let kind = (5.0 * random()) as usize;
    let one = scale * random();
    let lower: Vec<f64> =
        (1..k).map(|_| if kind < 3 { one } else { (2.0 * random()).floor() * scale * random() }).collect();
    let upper = lower
        .iter()
        .map(|lower| match kind {
            0 => f64::INFINITY,
            1 => *lower,
            2 => lower + 0.2 * one,
            _ => [f64::INFINITY, *lower, lower + scale * random()][(3.0 * random()) as usize],
        })
        .collect();
    Rows::of_gaps(lower, upper)
}

fn assert_cells_agree_on_few_points(rounds: usize) {
    let mut random = random(1);
    for round in 0..rounds {
        let n = 5 + (20.0 * random()) as usize;
        let k = 2 + (4.0 * random()) as usize;
        let x: Vec<f64> = (0..n)
            .map(|_| match round % 4 {
                0 => random(),
                1 => (8.0 * random()).floor() / 8.0,
                2 => random().powi(5),
                _ => random() * 0.2 + (3.0 * random()).floor() * 0.4,
            })
            .collect();
        let gaps = bounds(&mut random, k, 0.8);
        compare(&x, &gaps);
    }
}

#[test]
fn cells_agree_with_the_exact_finish_on_few_points() {
    assert_cells_agree_on_few_points(200);
}

#[test]
#[ignore = "slow"]
fn cells_agree_with_the_exact_finish_on_few_points_many_times() {
    assert_cells_agree_on_few_points(1500);
}

fn assert_cells_agree_on_more_points(rounds: usize) {
    let mut random = random(2);
    for round in 0..rounds {
        let n = 50 + (250.0 * random()) as usize;
        let k = 2 + (5.0 * random()) as usize;
        let x: Vec<f64> = (0..n).map(|_| (0..1 + round % 4).map(|_| random()).sum()).collect();
        let gaps = bounds(&mut random, k, 1.0);
        compare(&x, &gaps);
    }
}

#[test]
fn cells_agree_with_the_exact_finish_on_more_points() {
    assert_cells_agree_on_more_points(12);
}

#[test]
#[ignore = "slow"]
fn cells_agree_with_the_exact_finish_on_more_points_many_times() {
    assert_cells_agree_on_more_points(60);
}

fn assert_no_level_is_bounded_above_the_optimum(rounds: usize) {
    let mut random = random(5);
    for _ in 0..rounds {
        let k = 2 + (3.0 * random()) as usize;
        // Clusters of all widths: where one has nearly all of the cost, the bounds of the others are about nothing.
        let (centers, widths): (Vec<f64>, Vec<f64>) = (0..k).map(|_| (random(), 0.5 * random().powi(6))).unzip();
        let x: Vec<f64> = (0..30).map(|i| centers[i % k] + widths[i % k] * random()).collect();
        let sample = Sample::new(&x).unwrap();
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &bounds(&mut random, k, 0.8));
        let truth = whole(&problem);
        let threshold = truth * (1.0 + 1e-6) + 1e-20;
        let mut budget = Budget::new(STEPS, Monitor::default());
        let incumbent = FreeSolution::even(&problem);
        let mut level = search::first_level(&problem, &Monitor::default()).unwrap();
        for _ in 0..10 {
            let bounds = level.bound(&problem, threshold, &mut budget).unwrap();
            assert!(bounds.least <= truth * (1.0 + 1e-9) + 1e-24, "{} is above {truth}: {x:?}", bounds.least);
            let Some(next) = level.halved(&problem, &bounds, threshold, &incumbent) else {
                panic!("the optimum is in no cell: {x:?}");
            };
            level = next;
        }
    }
}

#[test]
fn no_level_is_bounded_above_the_optimum() {
    assert_no_level_is_bounded_above_the_optimum(20);
}

#[test]
#[ignore = "slow"]
fn no_level_is_bounded_above_the_optimum_many_times() {
    assert_no_level_is_bounded_above_the_optimum(300);
}

#[test]
fn a_search_without_room_ends_with_a_bound_that_is_true() {
    let mut random = random(3);
    let (mut proven, mut unproven) = (0, 0);
    for _ in 0..40 {
        let x: Vec<f64> = (0..60 + (100.0 * random()) as usize).map(|_| random() + random()).collect();
        let sample = Sample::new(&x).unwrap();
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &bounds(&mut random, 5, 1.0));
        let truth = whole(&problem);
        for room in [0, 1 << 10, 1 << 14] {
            let budget = Budget::new(STEPS, Monitor::default().tol(0.0)).cramped(room);
            let (best, proof) = search::run_by_cells(&problem, budget).unwrap();
            let floor = proof.lower_bound(best.cost);
            assert!(best.cost >= truth * (1.0 - 1e-9) && floor <= truth * (1.0 + 1e-9), "{floor} {truth}");
            if floor >= best.cost * (1.0 - 1e-9) { proven += 1 } else { unproven += 1 }
        }
    }
    assert!(proven > 0 && unproven > 0, "{proven} proven, {unproven} not");
}

#[test]
fn upper_bounds_beyond_everything_are_none() {
    let mut random = random(4);
    let x: Vec<f64> = (0..300).map(|i| random() + random() + f64::from(i % 3 / 2) * 9.0).collect();
    let sample = Sample::new(&x).unwrap();
    let fit = |upper: f64| {
        let gaps = Rows::of_gaps(vec![5.0; 2], vec![upper; 2]);
        let solution = solve(&sample, &gaps, &mut Monitor::default()).unwrap();
        (solution.partition, solution.centers)
    };
    assert_eq!(fit(f64::MAX), fit(f64::INFINITY));
    assert_eq!(fit(1e307), fit(f64::INFINITY));
}

#[test]
fn a_time_limit_that_has_passed_leaves_a_solution() {
    let mut random = random(6);
    let x: Vec<f64> = (0..3000).map(|_| random() + random()).collect();
    let fit = KMeans::new(40).constraint(GapBounds::between(0.05, 0.06).unwrap());
    let mut monitor = Monitor::stopping(|_| std::ops::ControlFlow::Break(Halt::TimeLimit));
    let fit = fit.fit_with(&Sample::new(&x).unwrap(), &mut monitor).unwrap();
    assert!(fit.inertia() < 2.0 && !fit.is_optimal(), "{}", fit.inertia());
}

/// The best of the even grids of `k` centres as tight as `lower` allows, and over all the data: its clusters with their
/// best centres.
fn best_even_grid(problem: &Problem<'_>, (lower, upper): (f64, f64)) -> FreeSolution {
    let (k, sample) = (problem.k, problem.prefixes.sample());
    let (first, last) = (sample.framed(0), sample.framed(problem.len() - 1));
    let grid = |step: f64, shift: f64| {
        let slack = (last - first) - step * (k - 1) as f64;
        let centers: Vec<f64> = (0..k).map(|c| first + shift * slack + step * c as f64).collect();
        FreeSolution::of_partition(problem, nearest(sample, &centers))
    };
    let steps = [lower, ((last - first) / k as f64).clamp(lower, upper)].into_iter();
    let all = steps.flat_map(|step| (0..=16).map(move |shift| grid(step, f64::from(shift) / 16.0)));
    all.reduce(FreeSolution::or_better).unwrap()
}

/// A problem of some hundred points: the data, the number of clusters, and the bounds on every gap.
fn any_problem(round: usize, random: &mut impl FnMut() -> f64) -> (Sample, usize, (f64, f64)) {
    let n = 60 + (340.0 * random()) as usize;
    let k = 2 + (random() * (n / 3 - 2) as f64) as usize;
    let x: Vec<f64> = (0..n)
        .map(|_| match round % 4 {
            0 => random(),
            1 => random().powi(6),
            2 => (200.0 * random() * random()).floor(),
            _ => (8.0 * random()).floor() + 0.02 * random(),
        })
        .collect();
    let w: Vec<f64> = (0..n).map(|_| if round.is_multiple_of(3) { 10_f64.powf(3.0 * random()) } else { 1.0 }).collect();
    let sample = Sample::weighted(&x, &w).unwrap().collapsed().0;
    let k = k.min(sample.distinct() - 1);
    let range = sample.frame().leave_length(sample.framed_range());
    let lower = 1.2 * random().powi(2) * range / k as f64;
    let upper = if round.is_multiple_of(2) { lower * (1.2 + 4.0 * random()) } else { f64::INFINITY };
    (sample, k, (lower, upper))
}

/// Answers of searches with few steps, and every third time without any time, against what is at hand without a search.
/// Says how many were not proven, and how many of these are means.
fn no_answer_is_worse_than_those_at_hand(rounds: usize, seed: u64) -> (usize, usize) {
    let (mut random, mut unproven, mut with_means, mut at_means) = (random(seed), 0, 0, 0);
    for round in 0..rounds {
        MOST_STEPS.set(1 << (8 + 3 * (round % 5)));
        let (sample, k, (lower, upper)) = any_problem(round, &mut random);
        let bounds = GapBounds::between(lower, upper).unwrap();
        let rows = bounds.rows(k).unwrap();
        let mut timed = Monitor::stopping(|_| std::ops::ControlFlow::Break(Halt::TimeLimit));
        let fit = |centers, monitor: &mut Monitor<'_>| {
            KMeans::new(k).centers(centers).constraint(bounds.clone()).fit_with(&sample, monitor)
        };
        let free = match round % 3 {
            2 => fit(Centers::Free, &mut timed),
            _ => fit(Centers::Free, &mut Monitor::default()),
        };
        let free = free.unwrap();
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &rows);
        let found = sample.frame().enter_square(free.inertia());
        let facts = || format!("round {round}: k {k} lower {lower} upper {upper}");
        let at_most =
            |cost: f64, of: &str| assert!(found <= cost * (1.0 + 1e-9), "{found} for {cost} of {of}, {}", facts());
        if k > 1 {
            let grid = best_even_grid(&problem, (problem.gaps.lower[0], problem.gaps.upper[0]));
            at_most(grid.cost, "an even grid");
            at_most(grid.improved(&problem).cost, "an even grid, improved");
        }
        if let Ok(means) = fit(Centers::Means, &mut Monitor::default()) {
            at_most(sample.frame().enter_square(means.inertia()), "means");
            let centers: Vec<f64> = means.centers().iter().map(|&center| sample.frame().enter(center)).collect();
            at_most(FreeSolution::from_centers(&problem, &centers).cost, "means, improved");
            with_means += 1;
            let alone = solve(&sample, &rows, &mut timed).unwrap();
            at_means += usize::from(round % 3 == 2 && alone.cost(&prefixes) > found * (1.0 + 1e-9));
        }
        unproven += usize::from(!free.is_optimal());
    }
    assert!(8 * with_means > rounds, "{with_means} with means");
    (unproven, at_means)
}

#[test]
fn no_answer_is_worse_than_means_and_even_grids() {
    let (unproven, at_means) = no_answer_is_worse_than_those_at_hand(60, 51);
    assert!(unproven > 4 && at_means > 0, "{unproven} unproven, {at_means} near means");
}

#[test]
#[ignore = "slow"]
fn no_answer_is_worse_than_means_and_even_grids_many_times() {
    let (unproven, at_means) = no_answer_is_worse_than_those_at_hand(1000, 52);
    assert!(unproven > 250 && at_means > 10, "{unproven} unproven, {at_means} near means");
}
