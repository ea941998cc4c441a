//! The bounds of states, charges and multipliers against every cluster that they are about.

use super::super::bound::{CenterRange, Sides, state};
use super::super::cells::BoundaryCell;
use super::super::lagrangian::{Lagrangian, multipliers};
use super::super::window::Window;
use super::*;
use crate::data::sample::Atom;
use crate::partition::Partition;

fn sample(noise: &mut impl FnMut() -> f64, n: usize) -> Sample {
    let x: Vec<f64> = (0..n).map(|_| noise().powi(2)).collect();
    let w: Vec<f64> = (0..n).map(|_| 0.1 + 2.0 * noise()).collect();
    Sample::weighted(&x, &w).unwrap()
}

/// The distance of `z` from the places where a centre may be.
fn away(centers: &CenterRange, z: f64) -> f64 {
    (centers.low - z).max(z - centers.high).max(0.0)
}

/// Whatever cluster starts in one cell and ends in another, its mean is where the state says, and it costs no less than
/// the state and its own points of the two cells; a state of single positions is exact.
#[test]
fn no_cluster_of_a_state_costs_less() {
    let mut noise = noise(21);
    let (mut tight, mut clusters) = (0, 0);
    for _ in 0..300 {
        let sample = sample(&mut noise, 24);
        let prefixes = Prefixes::new(&sample);
        let mut cuts: Vec<usize> = (0..4).map(|_| (noise() * 25.0) as usize).collect();
        cuts.sort_unstable();
        let cell = |low: usize, high: usize| BoundaryCell::new(&prefixes, low, high, (0, sample.len()));
        let (start, end) = (cell(cuts[0], cuts[1]), cell(cuts[2], cuts[3]));
        let kappa = [0.0, 3.0, -3.0][(noise() * 3.0) as usize] * noise();
        let bound = state(&prefixes, &start, &end, kappa);
        for first in start.low..=start.high {
            for last in (end.low..=end.high).filter(|&last| last > first) {
                let block = prefixes.block(first, last);
                let cost = block.cost + kappa * block.mean;
                assert!(bound.low - 1e-12 <= block.mean && block.mean <= bound.high + 1e-12);
                clusters += 1;
                let Some(centers) = &bound.centers else {
                    assert!(bound.cost <= cost + 1e-12, "{} above {cost}", bound.cost);
                    continue;
                };
                let own = (first..start.high).chain(end.low..last);
                let charged: f64 =
                    own.map(|i| sample.weight(i) * (away(centers, sample.framed(i)).powi(2) - centers.excess)).sum();
                assert!(bound.cost + charged <= cost + 1e-12, "{} and {charged} above {cost}", bound.cost);
                tight += usize::from(bound.cost + charged > cost - 0.1 * cost.abs());
                if start.is_single() && end.is_single() {
                    assert!((bound.cost - cost).abs() < 1e-12 && (bound.low - bound.high).abs() < 1e-12);
                }
            }
        }
    }
    assert!(clusters > 5000 && 30 * tight > clusters, "{tight} of {clusters} within a tenth");
}

/// Points are charged the lesser of their costs on the two sides, to rounding; without centres on a side, the excess
/// alone.
#[test]
fn charges_are_the_lesser_costs_of_the_points() {
    let mut noise = noise(22);
    for _ in 0..500 {
        let sample = sample(&mut noise, 20);
        let prefixes = Prefixes::new(&sample);
        let (low, more) = ((noise() * 15.0) as usize, (noise() * 5.0) as usize);
        let cell = BoundaryCell::new(&prefixes, low, low + more, (0, sample.len()));
        let range = |noise: &mut dyn FnMut() -> f64| {
            let z = 1.4 * noise() - 0.7;
            CenterRange { low: z, high: z + 0.2 * noise(), excess: 0.01 * noise() }
        };
        let (left, right) = ([range(&mut noise), range(&mut noise)], [range(&mut noise), range(&mut noise)]);
        let mut sides = Sides::NONE;
        left.iter().for_each(|centers| sides.add_left(centers));
        let excess = |of: &[CenterRange]| of.iter().map(|centers| centers.excess).fold(0.0, f64::max);
        let weight: f64 = (low..low + more).map(|i| sample.weight(i)).sum();
        let alone = sides.charge(&prefixes, &cell);
        assert!((alone.both + weight * excess(&left)).abs() < 1e-12, "{alone:?}");
        right.iter().for_each(|centers| sides.add_right(centers));
        let charge = sides.charge(&prefixes, &cell);
        // The centre on the left that is farthest right, and the one on the right that is farthest left.
        let (nearest, other) = (left.iter().map(|c| c.high).fold(f64::MIN, f64::max), right.iter().map(|c| c.low));
        let other = other.fold(f64::MAX, f64::min);
        let lesser = |i: usize| {
            let z = sample.framed(i);
            let (a, b) = ((z - nearest).max(0.0).powi(2), (other - z).max(0.0).powi(2));
            sample.weight(i) * (a - excess(&left)).min(b - excess(&right))
        };
        let expected: f64 = (low..low + more).map(lesser).sum();
        assert!((charge.both - expected).abs() < 1e-12, "{charge:?} for {expected}");
        let without = -weight * excess(&left).max(excess(&right)) - charge.both.max(0.0);
        if more > 0 {
            assert!((charge.without - without).abs() < 1e-12, "{charge:?} for {without}");
        } else {
            assert_eq!((charge.both, charge.without), (0.0, 0.0), "a single position has no points");
        }
    }
}

/// The charge of cells of atoms is never above the lesser costs of their points, and near them where atoms are narrow.
#[test]
fn charges_of_atoms_are_below_the_lesser_costs_of_their_points() {
    let mut noise = noise(24);
    let mut near = 0;
    for _ in 0..2000 {
        let point =
            |x: f64| Atom { mean: x, rest: 0.0, weight: 1.0, within: 0.0, low: x, high: x, count: 1, even: true };
        let mut points: Vec<Atom> = (0..24).map(|_| point(noise())).collect();
        points.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        let atoms: Vec<Atom> = points.chunks(4).map(Atom::joined).collect();
        let sample = Sample::of_atoms(atoms).unwrap();
        let prefixes = Prefixes::new(&sample);
        let cell = BoundaryCell::new(&prefixes, 0, sample.len(), (0, sample.len()));
        // Between the two centres lies every point, or most.
        let (left, right) = (sample.framed(0) - 0.3 * noise(), sample.framed(5) + 0.3 * noise());
        let excess = [0.05 * noise(), 0.05 * noise()];
        let mut sides = Sides::NONE;
        sides.add_left(&CenterRange { low: left, high: left, excess: excess[0] });
        sides.add_right(&CenterRange { low: right, high: right, excess: excess[1] });
        let charge = sides.charge(&prefixes, &cell).both;
        let lesser = |atom: &Atom| {
            let z = sample.frame().enter(atom.mean);
            ((z - left).max(0.0).powi(2) - excess[0]).min((right - z).max(0.0).powi(2) - excess[1])
        };
        let truth: f64 = points.iter().map(lesser).sum();
        assert!(charge <= truth + 1e-12, "{charge} above {truth}");
        near += usize::from(charge > truth - 0.02 * truth.abs());
    }
    assert!(near > 500, "{near} within a fiftieth");
}

/// The lagrangian adds `Σ μ·(bound - gap)`, which is never positive where the bounds are satisfied.
#[test]
fn a_lagrangian_adds_what_the_multipliers_make_of_the_bounds() {
    let mut noise = noise(23);
    let mut negative = 0;
    for _ in 0..300 {
        let sample = sample(&mut noise, 30);
        let prefixes = Prefixes::new(&sample);
        let mut ends: Vec<usize> = vec![5 + (noise() * 5.0) as usize, 12 + (noise() * 6.0) as usize, 30];
        ends.dedup();
        let partition = Partition::new(ends);
        let means = partition.means(&prefixes);
        let gap = |g: usize| means[g + 1] - means[g];
        // Bounds that the partition satisfies, some of them tight.
        let lower: Vec<f64> = (0..2).map(|g| gap(g) * if noise() < 0.5 { 1.0 } else { noise() }).collect();
        let upper: Vec<f64> = (0..2).map(|g| gap(g) * if noise() < 0.5 { 1.0 } else { 1.0 + noise() }).collect();
        let gaps = GapBounds::per_gap(&lower, &upper).unwrap().rows(3).unwrap();
        for active in [0.0, 0.1, 1.0] {
            let mu = multipliers(&prefixes, &gaps, &partition, active);
            let lagrangian = Lagrangian::by(&mu, &gaps);
            let added: f64 =
                lagrangian.constant + lagrangian.kappa.iter().zip(&means).map(|(k, mean)| k * mean).sum::<f64>();
            let term = |g: usize| mu[g] * (if mu[g] > 0.0 { lower[g] } else { upper[g] } - gap(g));
            let expected: f64 = (0..2).map(term).sum();
            assert!((added - expected).abs() < 1e-9 * lagrangian.magnitude().max(1e-9), "{added} for {expected}");
            assert!(added <= 1e-9 * lagrangian.magnitude(), "{added}");
            for g in 0..2 {
                let near = [gap(g) <= lower[g] * (1.0 + active), gap(g) >= upper[g] * (1.0 - active)];
                assert!(mu[g] <= 0.0 || near[0], "a multiplier of a bound that is far off");
                assert!(mu[g] >= 0.0 || near[1], "a multiplier of a bound that is far off");
                negative += usize::from(mu[g] < 0.0);
            }
        }
    }
    assert!(negative > 20, "{negative} multipliers of upper bounds");
    let none = Lagrangian::none(3);
    assert_eq!((none.kappa.len(), none.constant, none.magnitude()), (3, 0.0, 0.0));
    let gaps = GapBounds::per_gap(&[1.0, 2.0], &[3.0, 4.0]).unwrap().rows(3).unwrap();
    let by = Lagrangian::by(&[0.5, -0.25], &gaps);
    assert_eq!((&by.kappa[..], by.constant), (&[0.5, -0.75, 0.25][..], 0.5 - 1.0));
    assert_eq!(by.magnitude(), 0.5 + 1.5);
}

#[test]
fn a_window_knows_its_least_value() {
    let mut noise = noise(24);
    let mut window = Window::default();
    for _ in 0..20 {
        window.restart();
        let values: Vec<f64> = (0..50).map(|_| (6.0 * noise()).floor()).collect();
        let mut first = 0;
        for last in 0..50 {
            assert_eq!(window.next(), last);
            window.enter(values[last]);
            first = (first + (2.5 * noise()) as usize).min(last + 1);
            window.drop_while(|item| item < first);
            let least = values[first..=last].iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(window.least(), least);
        }
    }
}

/// A start that costs no more than what is proven ends the search; one that is only the best known does not.
#[test]
fn a_start_is_optimal_where_that_is_proven_and_only_there() {
    let mut noise = noise(7);
    let x: Vec<f64> = (0..3000).map(|_| noise().powi(2)).collect();
    let sample = Sample::new(&x).unwrap();
    let prefixes = Prefixes::new(&sample);
    let gaps = GapBounds::lower(0.12).rows(6).unwrap();
    let optimum = solve_within(&sample, &gaps, &mut [], &LIMITS, &mut Monitor::default().tol(0.0)).unwrap();
    let optimum = optimum.partition.unwrap();
    let best = optimum.cost(&prefixes);
    // Too few states for a proof of the search's own.
    let short = MeansLimits { first_cells: 64, direct: 0, states: 50, many: 64 };
    let proof = |proven: f64| {
        let mut monitor = Monitor::default().tol(0.0);
        monitor.proved(proven);
        let start = Some(optimum.boundaries().to_vec());
        search_from(start, &prefixes, &gaps, Sizes::ANY, &mut [], &short, &mut monitor).unwrap().unwrap().proof
    };
    assert!(matches!(proof(0.0), Proof::AtLeast(bound) if bound < best * (1.0 - 1e-9)));
    assert!(matches!(proof(best * (1.0 - 1e-6)), Proof::AtLeast(bound) if bound < best));
    assert_eq!(proof(best), Proof::Optimal);
}
