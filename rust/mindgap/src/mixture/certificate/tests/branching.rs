//! Where regions are cut: a cut separates what the relaxation mixes.

use super::*;
use crate::mixture::certificate::branching;
use crate::mixture::certificate::region::{Axis, Cut};

/// The cut where there are no multipliers.
fn choose(constraints: &Constraints, region: &Vec<Cell>, atoms: &[MixingAtom]) -> Cut {
    branching::choose(constraints, region, atoms, &Coupling::none(region.len()), 1.0, None)
}

fn constraints(k: usize, [lower, upper]: [f64; 2], ratio: f64) -> Constraints {
    Constraints { lower: vec![lower; k - 1], upper: vec![upper; k - 1], ratio, least: 0.0 }
}

/// Cells about means 0, 3, 6 …, of the same width in units of likelihood.
fn cells(k: usize) -> Vec<Cell> {
    let cell = |c: usize| Cell { low: 3.0 * c as f64 - 1.0, high: 3.0 * c as f64 + 1.0, least: 0.5, most: 2.0 };
    (0..k).map(cell).collect()
}

fn atom(group: usize, mean: f64, variance: f64) -> MixingAtom {
    MixingAtom { mean, variance, weight: 0.3, group }
}

fn middles(k: usize) -> Vec<MixingAtom> {
    (0..k).map(|c| atom(c, 3.0 * c as f64, 1.0)).collect()
}

const FREE: [f64; 2] = [0.0, f64::INFINITY];

/// Where nothing spreads, the widest side is halved.
#[test]
fn the_widest_side_is_halved_where_nothing_spreads() {
    for wide in 0..3 {
        let mut region = cells(3);
        (region[wide].low, region[wide].high) = (3.0 * wide as f64 - 1.4, 3.0 * wide as f64 + 1.4);
        let cut = choose(&constraints(3, FREE, 100.0), &region, &middles(3));
        assert_eq!((cut.component, cut.axis), (wide, Axis::Mean));
        assert!((cut.at - 3.0 * wide as f64).abs() < 1e-12);
        let mut region = cells(3);
        (region[wide].least, region[wide].most) = (0.01, 100.0);
        let cut = choose(&constraints(3, FREE, 1e5), &region, &middles(3));
        assert_eq!((cut.component, cut.axis), (wide, Axis::Variance));
        assert!((cut.at - 1.0).abs() < 1e-12);
        // A width counts in units of the component's own spread, and by its weight.
        let mut atoms = middles(3);
        atoms[wide].variance = 0.6;
        let narrow = cells(3).into_iter().map(|cell| Cell { least: 0.9 * cell.least, most: cell.least * 1.3, ..cell });
        let narrow: Vec<Cell> = narrow.collect();
        let others = atoms.iter_mut().filter(|atom| atom.group != wide);
        others.for_each(|atom| (atom.variance, atom.weight) = (0.6, 0.1));
        assert_eq!(choose(&constraints(3, FREE, 100.0), &narrow, &atoms).component, wide);
    }
}

/// The square of a width counts as many times as the component weighs.
#[test]
fn the_widest_side_is_that_of_most_likelihood() {
    let cell = |low: f64, width: f64| Cell { low, high: low + width, least: 0.99, most: 1.01 };
    for (widths, weights, wide) in
        [([1.2, 0.5], [0.1, 0.9], 1), ([0.5, 1.2], [0.9, 0.1], 0), ([1.8, 0.5], [0.1, 0.9], 0)]
    {
        let region = vec![cell(0.0, widths[0]), cell(5.0, widths[1])];
        let atom = |group: usize, mean: f64| MixingAtom { mean, variance: 1.0, weight: weights[group], group };
        let atoms = [atom(0, 0.5 * widths[0]), atom(1, 5.0 + 0.5 * widths[1])];
        let cut = choose(&constraints(2, FREE, 1.0), &region, &atoms);
        assert_eq!((cut.component, cut.axis), (wide, Axis::Mean), "{widths:?}");
    }
    // The square of a change of the logarithm of a variance counts half as much as that of a mean in its deviations.
    for (width, axis) in [(0.8, Axis::Mean), (0.6, Axis::Variance)] {
        let region = vec![Cell { low: 0.0, high: width, least: (-0.5_f64).exp(), most: 0.5_f64.exp() }];
        let atoms = [MixingAtom { mean: 0.5 * width, variance: 1.0, weight: 1.0, group: 0 }];
        assert_eq!(choose(&constraints(1, FREE, 1.0), &region, &atoms).axis, axis, "{width}");
    }
}

/// Two atoms of one group, apart in mean or variance, end up in different children.
#[test]
fn a_group_that_spreads_is_cut_between_its_atoms() {
    for spread in 0..3 {
        let mut atoms = middles(3);
        atoms[spread].mean -= 0.4;
        atoms.push(atom(spread, 3.0 * spread as f64 + 0.4, 1.0));
        let cut = choose(&constraints(3, FREE, 100.0), &cells(3), &atoms);
        assert_eq!((cut.component, cut.axis), (spread, Axis::Mean));
        assert!((cut.at - 3.0 * spread as f64).abs() < 1e-9);
        let mut atoms = middles(3);
        atoms[spread].variance = 0.6;
        atoms.push(atom(spread, 3.0 * spread as f64, 1.8));
        let cut = choose(&constraints(3, FREE, 100.0), &cells(3), &atoms);
        assert_eq!((cut.component, cut.axis), (spread, Axis::Variance));
        assert!((cut.at - (0.6_f64 * 1.8).sqrt()).abs() < 1e-9);
        // A common variance is one parameter, that of the first component.
        let cut = choose(&constraints(3, FREE, 1.0), &cells(3), &atoms);
        assert_eq!((cut.component, cut.axis), (0, Axis::Variance));
        assert!(0.6 < cut.at && cut.at < 1.8);
    }
}

/// Of two groups that spread, the one is cut whose spread the likelihood feels more: by weight, and by distance over
/// spread.
#[test]
fn the_group_whose_spread_counts_most_is_cut() {
    let spread = |weights: [f64; 2], apart: [f64; 2], variances: [f64; 2]| {
        let of = |g: usize| {
            [-0.5, 0.5].map(|side| MixingAtom {
                mean: 3.0 * g as f64 + side * apart[g],
                variance: variances[g],
                weight: 0.5 * weights[g],
                group: g,
            })
        };
        choose(&constraints(2, FREE, 100.0), &cells(2), &[of(0), of(1)].concat()).component
    };
    assert_eq!((spread([0.6, 0.4], [0.5; 2], [1.0; 2]), spread([0.4, 0.6], [0.5; 2], [1.0; 2])), (0, 1));
    assert_eq!((spread([0.5; 2], [0.7, 0.5], [1.0; 2]), spread([0.5; 2], [0.5, 0.7], [1.0; 2])), (0, 1));
    assert_eq!((spread([0.5; 2], [0.5; 2], [0.6, 1.0]), spread([0.5; 2], [0.5; 2], [1.0, 0.6])), (0, 1));
    // In the lighter group both spread more.
    assert_eq!((spread([0.4, 0.6], [0.9, 0.5], [1.0; 2]), spread([0.6, 0.4], [0.5, 0.9], [1.0; 2])), (0, 1));
}

/// A gap out of its bounds is cut so that neither child allows both means.
#[test]
fn a_gap_out_of_bounds_is_cut_midway() {
    for (bounds, bound) in [([4.0, 9.0], 4.0), ([0.0, 2.0], 2.0)] {
        let cut = choose(&constraints(2, bounds, 100.0), &cells(2), &middles(2));
        assert_eq!((cut.component, cut.axis), (0, Axis::Mean));
        // The lower mean and the upper one less the bound are as far on either side.
        assert!((cut.at - 0.5 * (0.0 + 3.0 - bound)).abs() < 1e-12, "{}", cut.at);
    }
    // The gap that is off by more.
    let three = Constraints { lower: vec![3.5, 3.9], ..constraints(3, FREE, 100.0) };
    assert_eq!(choose(&three, &cells(3), &middles(3)).component, 1);
    let three = Constraints { lower: vec![3.9, 3.5], ..three };
    assert_eq!(choose(&three, &cells(3), &middles(3)).component, 0);
}

/// Variances out of ratio are cut where each allows the other no longer.
#[test]
fn variances_out_of_ratio_are_cut_midway() {
    for wide in 0..2 {
        let mut atoms = middles(2);
        (atoms[wide].variance, atoms[1 - wide].variance) = (1.9, 0.55);
        let cut = choose(&constraints(2, FREE, 1.5), &cells(2), &atoms);
        assert_eq!((cut.component, cut.axis), (wide, Axis::Variance));
        assert!((cut.at - (1.9_f64 * 0.55 * 1.5).sqrt()).abs() < 1e-9, "{}", cut.at);
        // Within the ratio nothing is.
        let cut = choose(&constraints(2, FREE, 4.0), &cells(2), &atoms);
        assert!((cut.at - (1.9_f64 * 0.55 * 4.0).sqrt()).abs() > 1e-3);
    }
}

/// No child is a sliver, and both are smaller than the region.
#[test]
fn cuts_leave_a_tenth_on_either_side() {
    let mut random = Draws(99);
    for _ in 0..300 {
        let atoms: Vec<MixingAtom> = (0..4)
            .map(|i| atom(i % 2, 3.0 * (i % 2) as f64 + 2.0 * random.next() - 1.0, 0.5 + 1.5 * random.next()))
            .collect();
        let asked = constraints(2, [3.0 * random.next(), 3.0 + random.next()], [1.0, 1.5, 100.0][random.below(3)]);
        let region = cells(2);
        let cut = choose(&asked, &region, &atoms);
        let cell = region[cut.component];
        let (at, low, high) = match cut.axis {
            Axis::Mean => (cut.at, cell.low, cell.high),
            Axis::Variance => (cut.at.ln(), cell.least.ln(), cell.most.ln()),
        };
        let share = (at - low) / (high - low);
        assert!((0.1 - 1e-9..=0.9 + 1e-9).contains(&share), "{share}");
    }
}

/// A gap is slightly violated in a cell as narrow, but the weight of the other component is known to a tenth only.
#[test]
fn a_cut_is_across_the_cell_that_multipliers_lose_most_in() {
    let constraints = Constraints { lower: vec![1.0], upper: vec![1.2], ratio: 1.0, least: 0.0 };
    let cell = |low: f64, high: f64| Cell { low, high, least: 1.0, most: 1.0 };
    let region = vec![cell(0.0, 2e-5), cell(1.1, 1.2 + 2e-5)];
    let atom = |mean: f64, group: usize| MixingAtom { mean, variance: 1.0, weight: 0.5, group };
    let atoms = [atom(0.0, 0), atom(1.2 + 2e-5, 1)];
    let mut coupling = Coupling::none(2);
    let cut = branching::choose(&constraints, &region, &atoms, &coupling, 1000.0, None);
    assert_eq!((cut.component, cut.axis), (0, Axis::Mean));
    let cut = branching::choose(&constraints, &region, &atoms, &coupling, 1000.0, Some((1.0, (1, Axis::Mean, 1.15))));
    assert_eq!((cut.component, cut.axis), (1, Axis::Mean));
    coupling.terms = vec![[100.0, 0.0, 0.0], [-100.0, 0.0, -110.0]];
    coupling.scales = vec![[1.0 / 0.45, 1.0 / 0.55]; 2];
    let cut = branching::choose(&constraints, &region, &atoms, &coupling, 1000.0, None);
    assert_eq!((cut.component, cut.axis), (1, Axis::Mean));
}

/// A side that is too wide for multipliers is cut; the score is what multipliers would gain from the narrow sides.
#[test]
fn a_cut_makes_multipliers_useful() {
    let constraints = Constraints { lower: vec![1.0], upper: vec![f64::INFINITY], ratio: 1.0, least: 0.0 };
    let multipliers = Multipliers::new(&constraints, &[100.0], &[0.0; 2]).expect("one matters");
    let cell = |low: f64, high: f64| Cell { low, high, least: 1.0, most: 1.0 };
    let offer = |high: f64| widest_side(&multipliers, &vec![cell(0.0, 0.1), cell(3.0, high)], 1000.0);
    assert_eq!(offer(3.5), None);
    assert_eq!(offer(7.0), Some((0.01, (1, Axis::Mean, 5.0))));
    // Of several the widest.
    for (first, second) in [(8.0, 6.0), (6.0, 8.0)] {
        let region = vec![cell(0.0, first), cell(1.0, 1.0 + second)];
        let cut = if first > second { (0, Axis::Mean, 4.0) } else { (1, Axis::Mean, 5.0) };
        assert_eq!(widest_side(&multipliers, &region, 1000.0), Some((0.0, cut)));
    }
}
