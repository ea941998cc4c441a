//! The search for a penalty against the exact program on the whole problem, which knows no penalty.

mod forced;
mod pieces;
mod remaining;

use super::super::budget::MOST_STEPS;
use super::super::tests::{random, whole};
use super::nodes::Meaning;
use super::sweep::Sweep;
use super::*;
use crate::constraint::Rows;
use crate::data::Sample;
use crate::data::sample::Prefixes;
use crate::monitor::Monitor;

/// Whether the floor proves the best, and whether the best is the optimum. Nothing may be on the wrong side of the
/// truth.
fn judge(x: &[f64], w: &[f64], k: usize, (lower, upper): (f64, f64)) -> (bool, bool) {
    let sample = Sample::weighted(x, w).unwrap();
    let prefixes = Prefixes::new(&sample);
    let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![upper; k - 1]));
    let truth = whole(&problem);
    // What is not proven by then is not worth the wait.
    let mut budget = Budget::new(1 << 19, Monitor::default());
    let (best, floor) = solve(&problem, FreeSolution::even(&problem), 0.0, &mut budget).unwrap();
    let facts = || format!("k {k} lower {lower} upper {upper} x {x:?} w {w:?}");
    assert!(floor <= truth * (1.0 + 1e-9) + 1e-24, "{floor} is above {truth}: {}", facts());
    assert!(best.cost >= truth * (1.0 - 1e-9) - 1e-24, "{} is below {truth}: {}", best.cost, facts());
    (floor >= best.cost * (1.0 - 1e-9) - 1e-24, best.cost <= truth * (1.0 + 1e-9) + 1e-24)
}

pub(super) fn points(random: &mut impl FnMut() -> f64, n: usize, kind: usize) -> (Vec<f64>, Vec<f64>) {
    let x = (0..n)
        .map(|_| match kind % 7 {
            0 => random(),
            1 => (8.0 * random()).floor() / 8.0,
            2 => random().powi(5),
            3 => (0..4).map(|_| random()).sum(),
            4 => random() * 0.2 + (3.0 * random()).floor() * 0.4,
            5 => 10_f64.powf(-4.0 * random()),
            _ => (3.0 * random()).floor() * 0.4 + 1e-3 * (4.0 * random()).floor() + 1e-5 * random(),
        })
        .collect();
    let w = (0..n)
        .map(|_| match kind % 4 {
            0 | 2 => 1.0,
            1 => 0.2 + 2.0 * random(),
            _ => 10_f64.powf(4.0 * random()),
        })
        .collect();
    (x, w)
}

fn tally(rounds: usize, sizes: (usize, usize), clusters: usize, seed: u64) -> (usize, usize, usize) {
    let mut random = random(seed);
    let (mut proven, mut optimal) = (0, 0);
    for round in 0..rounds {
        let n = sizes.0 + ((sizes.1 - sizes.0) as f64 * random()) as usize;
        let k = 2 + (clusters as f64 * random()) as usize % (n / 2);
        let (x, w) = points(&mut random, n, round);
        let lower = 1.2 * random() / k as f64;
        let upper = if round.is_multiple_of(3) { lower * (1.0 + 2.0 * random()) } else { f64::INFINITY };
        let judged = judge(&x, &w, k, (lower, upper));
        proven += usize::from(judged.0);
        optimal += usize::from(judged.1);
    }
    (proven, optimal, rounds)
}

#[test]
fn few_points_are_proven() {
    let (proven, _, rounds) = tally(1500, (6, 26), 5, 1);
    assert!(10 * proven > 9 * rounds, "{proven} of {rounds} proven");
}

#[test]
fn more_points_are_proven() {
    let (proven, optimal, rounds) = tally(100, (60, 250), 4, 2);
    assert!(10 * proven > 9 * rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
}

/// Heavy and light points at the same places: a cluster whose best centre lies within a strip of tight gaps goes on to
/// the next one.
#[test]
fn uneven_weights_of_equal_points_are_proven_rightly() {
    let points = [
        (0.0, 829.28),
        (0.125, 4911.69),
        (0.25, 199.44),
        (0.375, 6694.87),
        (0.625, 26.3),
        (0.75, 2259.76),
        (0.875, 9.89),
    ];
    for round in 0..40 {
        let parts = |(x, w): (f64, f64)| (0..1 + round % 4).map(move |i| (x, w * 0.5_f64.powi(i)));
        let (x, w): (Vec<f64>, Vec<f64>) = points.into_iter().flat_map(parts).unzip();
        for k in 2..=5 {
            judge(&x, &w, k, (0.05 + 0.005 * f64::from(round), f64::INFINITY));
        }
    }
    let x =
        [0.125, 0.25, 0.125, 0.0, 0.375, 0.375, 0.75, 0.375, 0.25, 0.875, 0.0, 0.25, 0.125, 0.625, 0.75, 0.375, 0.625];
    let w = [
        2.9795136702331733,
        113.54525137921921,
        4874.283785398194,
        4.28564962570734,
        6.6737065146493455,
        344.69648153793867,
        2.9983041686844465,
        5802.7649503392195,
        82.5646624621759,
        9.89295928302996,
        825.0387948681605,
        3.329416531126536,
        34.4263634132606,
        1.0100506566188363,
        2256.761100839688,
        539.3106102850596,
        25.28592251322197,
    ];
    judge(&x, &w, 5, (0.21582970926014283, f64::INFINITY));
}

#[test]
#[ignore = "slow"]
fn nothing_is_proven_wrongly_in_twenty_thousand_problems() {
    let (proven, optimal, rounds) = tally(17_000, (4, 24), 10, 3);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
    let (proven, optimal, rounds) = tally(300, (60, 250), 4, 2);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
    let (proven, optimal, rounds) = tally(3_000, (40, 160), 8, 4);
    assert!(2 * proven > rounds && 2 * optimal > rounds, "{proven} of {rounds} proven, {optimal} found");
}

/// The cost of the best centres on a grid, polished: no less than the optimum, and close to it where the grid is fine.
fn on_fine_grid(problem: &Problem<'_>, (lower, upper): (f64, f64), count: usize) -> Option<f64> {
    let sample = problem.prefixes.sample();
    let (first, last) = (sample.framed(0), sample.framed(problem.len() - 1));
    let step = (last - first) / (count - 1) as f64;
    let at = |i: usize| first + step * i as f64;
    let cost = |from: f64, to: f64, center: f64| {
        let range = |z: f64| problem.points_until(z, 0..problem.len());
        problem.quadratic(range(from), range(to), center).0
    };
    // What the points left of a centre cost up to the midpoint with the one before it, and right of it.
    let left = |a: usize, b: usize| cost(0.5 * (at(a) + at(b)), at(b), at(b));
    let right = |a: usize, b: usize| cost(at(a), 0.5 * (at(a) + at(b)), at(a));
    let nearest = ((lower / step).ceil() as usize).max(1);
    let farthest = if upper.is_finite() { (upper / step) as usize } else { count };
    let mut values: Vec<f64> = (0..count).map(|i| cost(f64::NEG_INFINITY, at(i), at(i))).collect();
    let mut origins: Vec<Vec<usize>> = Vec::new();
    for _ in 1..problem.k {
        let best = (0..count).map(|b| {
            let before = b.saturating_sub(farthest)..(b + 1).saturating_sub(nearest);
            let values = before.map(|a| (values[a] + right(a, b) + left(a, b), a));
            values.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0))
        });
        let (next, origin): (Vec<f64>, Vec<usize>) = best.unzip();
        values = next;
        origins.push(origin);
    }
    let ended = (0..count).map(|i| (values[i] + cost(at(i), f64::INFINITY, at(i)), i));
    let (value, mut place) = ended.min_by(|a, b| a.0.total_cmp(&b.0))?;
    if value == f64::INFINITY {
        return None;
    }
    let mut centers = vec![at(place)];
    for origin in origins.iter().rev() {
        place = origin[place];
        centers.push(at(place));
    }
    centers.reverse();
    Some(FreeSolution::from_centers(problem, &centers).cost)
}

/// Problems of up to half as many clusters as points: how many are proven, and how many are as good as the grid.
fn against_grids(rounds: usize, points_most: usize, count: usize, seed: u64) -> (usize, usize) {
    // What is not proven by then is not worth the wait.
    MOST_STEPS.set(1 << 22);
    let mut random = random(seed);
    let (mut proven, mut compared) = (0, 0);
    for round in 0..rounds {
        let n = 24 + ((points_most - 24) as f64 * random()) as usize;
        let k = 2 + ((n / 2 - 2) as f64 * random()) as usize;
        let (x, w) = points(&mut random, n, round);
        let sample = Sample::weighted(&x, &w).unwrap();
        if sample.distinct() < k {
            continue;
        }
        let range = x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min);
        let lower = 1.5 * random() * range / k as f64;
        let upper = if round.is_multiple_of(4) { lower * (1.5 + 2.0 * random()) } else { f64::INFINITY };
        let rows = Rows::of_gaps(vec![lower; k - 1], vec![upper; k - 1]);
        let solution = super::super::solve(&sample, &rows, &mut Monitor::default()).unwrap();
        let prefixes = Prefixes::new(&sample);
        let problem = Problem::new(&prefixes, &rows);
        let found = FreeSolution::of_partition(&problem, solution.partition.clone()).cost;
        let bound = solution.proof.lower_bound(found);
        let optimal = solution.proof.is_optimal(found, 1e-9);
        proven += usize::from(optimal);
        let framed = (sample.frame().enter_length(lower), sample.frame().enter_length(upper));
        let facts = || format!("k {k} lower {lower} upper {upper} x {x:?} w {w:?}");
        assert!(bound <= found * (1.0 + 1e-9), "{bound} is above {found}: {}", facts());
        if let Some(grid) = on_fine_grid(&problem, framed, count) {
            compared += 1;
            assert!(bound <= grid * (1.0 + 1e-9) + 1e-24, "{bound} is above {grid}: {}", facts());
            assert!(!optimal || found <= grid * (1.0 + 1e-9) + 1e-24, "{found} is above {grid}: {}", facts());
        }
    }
    (proven, compared)
}

#[test]
fn no_centres_on_a_grid_are_better_than_those_proven_best() {
    let (proven, compared) = against_grids(24, 60, 300, 11);
    assert!(proven > 12 && compared > 6, "{proven} proven, {compared} compared");
}

#[test]
#[ignore = "slow"]
fn no_centres_on_a_grid_are_better_than_those_proven_best_many_times() {
    let (proven, compared) = against_grids(300, 80, 300, 12);
    assert!(proven > 240 && compared > 60, "{proven} proven, {compared} compared");
}

/// Runs of points at random.
fn runs(random: &mut impl FnMut() -> f64, prefixes: &Prefixes<'_>, count: usize) -> Runs {
    let n = prefixes.len();
    let ends = (0..count).map(|_| 1 + (random() * (n - 1) as f64) as usize).chain([n]);
    Runs::ending_at(prefixes, ends.collect())
}

#[test]
fn points_moved_to_the_ends_of_runs_cost_no_more_than_they_do() {
    let mut random = random(21);
    let (mut sharp, mut blunt) = (0, 0);
    for round in 0..400 {
        let (x, w) = points(&mut random, 40, round);
        let sample = Sample::weighted(&x, &w).unwrap();
        let prefixes = Prefixes::new(&sample);
        let lower = 0.3 * random();
        let penalty = prefixes.block(0, prefixes.len()).cost * 0.3 * random().powi(3);
        let reach = 1.0 + 40.0 * lower;
        let value = |nodes: &PathNodes| {
            let sweep = Sweep {
                nodes,
                lower,
                upper: f64::INFINITY,
                penalty,
                domain: (-reach, reach),
                enough: f64::INFINITY,
                unbounded: [&[]; 2],
                rewarded: false,
                windows: &[],
            };
            let optimum = sweep.run(&mut Budget::new(u64::MAX, Monitor::default())).unwrap();
            (optimum.value, optimum.starts.iter().any(|&start| nodes.cuts_run(start)))
        };
        let (truth, _) = value(&PathNodes::all(&prefixes, false));
        let nodes = PathNodes::spread(&prefixes, &runs(&mut random, &prefixes, 4 + round % 40));
        let Meaning::Bound { less, rounding } = nodes.meaning else { panic!("runs at their ends give a bound") };
        let (bound, cuts) = value(&nodes);
        let facts = || format!("penalty {penalty} lower {lower} x {x:?} w {w:?}");
        assert!(bound - less - rounding <= truth * (1.0 + 1e-14), "{} is above {truth}: {}", bound - less, facts());
        if cuts {
            blunt += 1;
        } else {
            sharp += 1;
            assert!((bound - less - truth).abs() <= 1e-9 * truth, "{} is not {truth}: {}", bound - less, facts());
        }
    }
    assert!(sharp > 20 && blunt > 20, "{sharp} cut no run, {blunt} do");
}

/// Runs against single points: what is proven, what is best.
fn compare_runs_with_points(rounds: usize, n: usize, seed: u64) -> usize {
    let mut random = random(seed);
    let mut proven = 0;
    for round in 0..rounds {
        let (x, w) = points(&mut random, n, round);
        let k = 3 + round % 4;
        let sample = Sample::weighted(&x, &w).unwrap();
        if sample.distinct() < 64 * k {
            continue;
        }
        let prefixes = Prefixes::new(&sample);
        let range = x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min);
        let lower = 1.1 * random() * range / k as f64;
        let problem = Problem::new(&prefixes, &Rows::of_gaps(vec![lower; k - 1], vec![f64::INFINITY; k - 1]));
        let bounds = problem.gaps.shared_bounds().unwrap();
        let search = || PathSearch { bounds, ..PathSearch::new(&problem, FreeSolution::even(&problem)) };
        let mut budget = Budget::new(u64::MAX, Monitor::default());
        let (mut by_points, mut by_runs) = (search(), search());
        let guess = 2.0 * by_points.best.cost / k as f64;
        by_points.find_penalty(&PathNodes::all(&prefixes, false), guess, &mut budget).unwrap();
        by_runs.find_by_runs(&Runs::coarse(&prefixes, RUNS_A_CLUSTER * k), guess, &mut budget).unwrap();
        let facts = || format!("k {k} lower {lower} x {x:?} w {w:?}");
        let truth = by_points.best.cost.min(by_runs.best.cost);
        assert!(by_runs.floor <= truth * (1.0 + 1e-12), "{} is above {truth}: {}", by_runs.floor, facts());
        assert!(by_points.floor <= truth * (1.0 + 1e-12), "{} is above {truth}: {}", by_points.floor, facts());
        proven += usize::from(by_runs.is_within(DEFAULT_TOL));
    }
    proven
}

#[test]
fn runs_of_points_prove_what_points_do() {
    let proven = compare_runs_with_points(28, 4000, 31);
    assert!(proven >= 10, "{proven} proven");
}

#[test]
fn runs_are_finer_beside_boundaries_and_do_not_part_equal_points() {
    let x: Vec<f64> = (0..1000).map(|i| f64::from(i / 3)).collect();
    let sample = Sample::new(&x).unwrap();
    let prefixes = Prefixes::new(&sample);
    let coarse = Runs::coarse(&prefixes, 10);
    let graded = Runs::ending_at(&prefixes, coarse.graded(&[501], 0.25));
    assert_eq!(graded.ends.last(), Some(&1000));
    assert!(graded.iter().all(|run| run.start < run.end && (run.end == 1000 || x[run.end - 1] < x[run.end])));
    assert!(graded.ends.len() > coarse.ends.len());
    let beside: Vec<usize> = graded.iter().filter(|run| (495..=507).contains(&run.end)).map(|run| run.len()).collect();
    assert!(beside.len() > 2 && beside.iter().all(|&points| points == 3), "{beside:?}");
}
