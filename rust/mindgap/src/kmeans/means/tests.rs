mod bounds;
mod penalty;

use super::bound::{CenterRange, Sides};
use super::cells::BoundaryCell;
use super::*;
use crate::constraint::GapBounds;
use crate::data::sample::Atom;

/// Numbers that look random and are the same on every run.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The cost of the solution, or `None` if no partition satisfies the bounds.
fn cost(sample: &Sample, gaps: &Rows, limits: &MeansLimits) -> Option<f64> {
    match solve_within(sample, gaps, &mut [], limits, &mut Monitor::default().tol(0.0)) {
        Ok(best) => {
            assert_eq!(best.proof, Proof::Optimal);
            Some(best.partition.unwrap().cost(&Prefixes::new(sample)))
        }
        Err(KMeansError::Infeasible { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The cost of the solution whose clusters have admissible sizes, or `None` if there is none.
fn sized_cost(sample: &Sample, gaps: &Rows, sizes: Sizes, limits: &MeansLimits) -> Option<f64> {
    let prefixes = Prefixes::new(sample);
    let mut monitor = Monitor::default().tol(0.0);
    let best = search_from(None, &prefixes, gaps, sizes, &mut [], limits, &mut monitor).unwrap()?;
    assert_eq!(best.proof, Proof::Optimal);
    let partition = best.partition.unwrap();
    assert!(sizes.allow(&partition, &prefixes));
    Some(partition.cost(&prefixes))
}

/// The same where sizes are bounded, with and without bounds on gaps.
#[test]
fn coarse_cells_of_sized_clusters_lead_to_the_same_optimum() {
    let mut found = 0;
    for seed in 0..600 {
        let mut noise = noise(seed + 1);
        let n = 4 + (noise() * 60.0) as usize;
        let k = 2 + (noise() * 5.0) as usize % (n - 2);
        let lattice = if noise() < 0.4 { 6.0 } else { 1e6 };
        let x: Vec<f64> = (0..n).map(|_| (noise().powi(2) * lattice).floor()).collect();
        let weighted = noise() < 0.5;
        let w: Vec<f64> = (0..n).map(|_| if weighted { 0.1 + 5.0 * noise() } else { 1.0 }).collect();
        let sample = Sample::weighted(&x, &w).unwrap();
        let lower = if noise() < 0.4 { 0.0 } else { lattice / k as f64 * noise() };
        let gaps = GapBounds::lower(lower).rows(k).unwrap();
        let even = sample.total_weight() / k as f64;
        let sizes = Sizes::new(Some(even * noise()), Some(even * (1.0 + noise()))).unwrap();
        let fine = MeansLimits { first_cells: n, direct: usize::MAX, states: usize::MAX, many: usize::MAX };
        let truth = sized_cost(&sample, &gaps, sizes, &fine);
        found += usize::from(truth.is_some());
        for (first_cells, direct) in [(1, 0), (2, 0), (3, 100), (7, 0), (5, 1000)] {
            let coarse = MeansLimits { first_cells, direct, states: usize::MAX, many: usize::MAX };
            match (sized_cost(&sample, &gaps, sizes, &coarse), truth) {
                (Some(found), Some(truth)) => {
                    assert!((found - truth).abs() <= 1e-10 * (truth + 1e-12), "seed {seed}: {found} not {truth}");
                }
                (found, truth) => assert_eq!(found, truth, "seed {seed}"),
            }
        }
    }
    assert!((200..590).contains(&found), "{found} feasible");
}

/// Cells of all sizes lead where single positions, which are tested against every partition elsewhere, lead.
#[test]
fn coarse_cells_lead_to_the_same_optimum() {
    let mut found = 0;
    for seed in 0..1000 {
        let mut noise = noise(seed + 1);
        let n = 4 + (noise() * 60.0) as usize;
        let k = 2 + (noise() * 5.0) as usize % (n - 2);
        let lattice = if noise() < 0.4 { 6.0 } else { 1e6 };
        let skew = if noise() < 0.5 { 1 } else { 3 };
        let x: Vec<f64> = (0..n).map(|_| (noise().powi(skew) * lattice).floor()).collect();
        let w: Vec<f64> = (0..n).map(|_| if noise() < 0.5 { 1.0 } else { 0.1 + 5.0 * noise() }).collect();
        let sample = Sample::weighted(&x, &w).unwrap();
        let lower = lattice / k as f64 * noise() * 1.3;
        let upper = if noise() < 0.5 { f64::INFINITY } else { lower + lattice / k as f64 * noise() };
        let gaps = GapBounds::between(lower, upper).unwrap().rows(k).unwrap();
        let fine = MeansLimits { first_cells: n, direct: usize::MAX, states: usize::MAX, many: usize::MAX };
        let truth = cost(&sample, &gaps, &fine);
        found += usize::from(truth.is_some());
        for (first_cells, direct) in [(1, 0), (2, 0), (3, 100), (7, 0), (5, 1000)] {
            let coarse = MeansLimits { first_cells, direct, states: usize::MAX, many: usize::MAX };
            match (cost(&sample, &gaps, &coarse), truth) {
                (Some(found), Some(truth)) => {
                    assert!((found - truth).abs() <= 1e-10 * (truth + 1e-12), "seed {seed}: {found} not {truth}");
                }
                (found, truth) => assert_eq!(found, truth, "seed {seed}"),
            }
        }
    }
    assert!((300..950).contains(&found), "{found} feasible");
}

/// When the states run out, the bound is valid and the partition satisfies the bounds.
#[test]
fn a_search_cut_short_leaves_a_certificate() {
    let mut noise = noise(7);
    let x: Vec<f64> = (0..3000).map(|_| noise().powi(2)).collect();
    let sample = Sample::new(&x).unwrap();
    let gaps = GapBounds::lower(0.12).rows(6).unwrap();
    let best = cost(&sample, &gaps, &LIMITS).unwrap();
    let mut monitor = Monitor::default();
    let short = MeansLimits { first_cells: 64, direct: 0, states: 50, many: 64 };
    let solution = solve_within(&sample, &gaps, &mut [], &short, &mut monitor).unwrap();
    let bound = solution.proof.lower_bound(f64::INFINITY);
    assert!(bound <= best && bound > 0.5 * best);
    let tight = MeansLimits { first_cells: 2, direct: 0, states: 4, many: 64 };
    let narrow = GapBounds::between(0.15, 0.15).unwrap().rows(6).unwrap();
    assert_eq!(solve_within(&sample, &narrow, &mut [], &tight, &mut monitor).unwrap().partition, None);
}

/// An atom whose mean lies between two doubles is charged no more than its points cost, each on its better side.
#[test]
fn an_atom_far_from_zero_is_not_charged_too_much() {
    let far = (1u64 << 52) as f64;
    let point = |x: f64| Atom {
        mean: far + x,
        rest: 0.0,
        weight: 1.0,
        within: 0.0,
        low: far + x,
        high: far + x,
        count: 1,
        even: true,
    };
    // The points 10, 11 and 11, whose mean is 11 less a third.
    let rest = -1.0 / 3.0;
    let cut = Atom { rest, weight: 3.0, within: 2.0 / 3.0, low: far + 10.0, count: 3, ..point(11.0) };
    let sample = Sample::of_atoms(vec![point(0.0), cut, point(20.0)]).unwrap();
    let prefixes = Prefixes::new(&sample);
    let centers = |x: f64| {
        let z = sample.frame().enter(far + x);
        CenterRange { low: z, high: z, excess: 0.0 }
    };
    let mut sides = Sides::NONE;
    sides.add_left(&centers(4.0));
    sides.add_right(&centers(17.0));
    let charge = sides.charge(&prefixes, &BoundaryCell::new(&prefixes, 1, 2, (0, 3))).both;
    let charge = sample.frame().leave_square(charge);
    assert!(charge <= 3.0 * 36.0 && charge > 107.9, "{charge}");
}

/// An atom with points on both sides of a boundary is charged no more than they cost, each on its better side, whatever
/// it weighs.
#[test]
fn a_divided_atom_is_not_charged_too_much() {
    let mut noise = noise(3);
    let point = |x: f64| Atom { mean: x, rest: 0.0, weight: 1.0, within: 0.0, low: x, high: x, count: 1, even: true };
    let mut close = 0;
    for _ in 0..2000 {
        let x: Vec<f64> = (0..2 + (4.0 * noise()) as usize).map(|_| 8.0 + 6.0 * noise()).collect();
        let each = 2f64.powi((12.0 * noise()) as i32 - 6);
        let (weight, mean) = (each * x.len() as f64, x.iter().sum::<f64>() / x.len() as f64);
        let within = each * x.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let (low, high) = (x.iter().copied().fold(mean, f64::min), x.iter().copied().fold(mean, f64::max));
        let divided = Atom { weight, within, low, high, count: x.len() as u64, ..point(mean) };
        let sample = Sample::of_atoms(vec![point(0.0), divided, point(20.0)]).unwrap();
        let prefixes = Prefixes::new(&sample);
        let (left, right) = (8.0 * noise(), 14.0 + 6.0 * noise());
        let at = |x: f64| {
            let z = sample.frame().enter(x);
            CenterRange { low: z, high: z, excess: 0.0 }
        };
        let mut sides = Sides::NONE;
        sides.add_left(&at(left));
        sides.add_right(&at(right));
        let charge = sides.charge(&prefixes, &BoundaryCell::new(&prefixes, 1, 2, (0, 3))).both;
        let charge = sample.frame().leave_square(charge);
        let cost = each * x.iter().map(|x| (x - left).powi(2).min((x - right).powi(2))).sum::<f64>();
        assert!(charge <= cost * (1.0 + 1e-9), "{charge} {cost}: {x:?} {each}");
        close += usize::from(charge > 0.5 * cost);
    }
    assert!(close > 500, "{close}");
}
