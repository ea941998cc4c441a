//! Rows that depend on each other, and the multipliers of those that do not.

use super::*;
use crate::qp::active_set::check;
use crate::qp::equality::{Objective, equality_rank, solve};

/// Equalities that some means meet; the last is a sum of multiples of the others, but for roundings.
fn dependent(dice: &mut Dice, k: usize, count: usize) -> Vec<(Vec<f64>, f64, f64)> {
    let at: Vec<f64> = (0..k).map(|_| dice.unit()).collect();
    let factors: Vec<f64> = (0..count).map(|_| dice.size(1.0)).collect();
    let mut rows: Vec<Vec<f64>> = (0..count).map(|_| (0..k).map(|_| dice.unit() - 0.5).collect()).collect();
    rows.push((0..k).map(|i| rows.iter().zip(&factors).map(|(row, factor)| factor * row[i]).sum()).collect());
    let level = |row: &[f64]| -> f64 { row.iter().zip(&at).map(|(a, x)| a * x).sum() };
    rows.into_iter().map(|row| (row.clone(), level(&row), level(&row))).collect()
}

fn equalities(count: usize) -> Vec<Bound> {
    (0..count).map(|row| Bound { row, side: Side::Both }).collect()
}

/// The rank does not count what rounding leaves of a dependent row, and the dependency adds up to nothing.
#[test]
fn rows_that_depend_up_to_rounding_are_named_with_their_factors() {
    let mut dice = Dice(0xe9a1);
    for case in 0..60 {
        let (k, count) = (4 + case % 3, 2 + case % 2);
        let rows = RowMatrix::plain(k, dependent(&mut dice, k, count));
        assert_eq!(equality_rank(&rows), count, "case {case}");
        let (targets, stiffness) = random_objective(&mut dice, k);
        let objective = Objective { targets: &targets, stiffness: &stiffness };
        let found = solve(&rows, objective, &equalities(count + 1));
        let [(_, combination)] = &found.dependencies[..] else { panic!("case {case}: {:?}", found.dependencies) };
        assert!(combination.iter().all(|c| c.abs() > 1e-9), "case {case}: {combination:?}");
        for i in 0..k {
            let sum: f64 = (0..=count).map(|row| combination[row] * rows.row(row)[i]).sum();
            assert!(
                sum.abs() < 1e-9 * (0..=count).map(|row| combination[row].abs()).sum::<f64>(),
                "case {case}: {sum}"
            );
        }
        assert!(check(&rows, objective, &equalities(count)).is_some(), "case {case}");
        // A row that depends on the others is not active beside them.
        if let Some(optimum) = check(&rows, objective, &equalities(count + 1)) {
            let dependent = found.dependencies[0].0;
            let others = equalities(count + 1).into_iter().enumerate().filter(|&(index, _)| index != dependent);
            assert_eq!(optimum.active, others.map(|(_, bound)| bound).collect::<Vec<_>>(), "case {case}");
        }
    }
}

/// Where the best means without rows are exactly at a bound, it does not matter whether that counts as active.
#[test]
fn a_bound_that_does_not_press_may_be_active() {
    let mut dice = Dice(0x51de);
    for case in 0..100 {
        let (at, lower) = (dice.unit(), 0.1 + dice.unit());
        let rows = RowMatrix::plain(2, vec![(vec![-1.0, 1.0], lower, f64::INFINITY)]);
        let stiffness = [dice.size(3.0), dice.size(3.0)];
        let objective = Objective { targets: &[at, at + lower], stiffness: &stiffness };
        let optimum = check(&rows, objective, &[Bound { row: 0, side: Side::Lower }]).expect("an optimum");
        assert!((optimum.means[0] - at).abs() < 1e-12 && (optimum.means[1] - at - lower).abs() < 1e-12, "case {case}");
        // One that holds the means apart from where they are is not.
        let pulled = Objective { targets: &[at, at + 1.01 * lower], stiffness: &stiffness };
        assert!(check(&rows, pulled, &[Bound { row: 0, side: Side::Lower }]).is_none(), "case {case}");
    }
}

/// Multipliers balance the forces on every mean, up to their noise, which is small.
#[test]
fn multipliers_balance_the_forces_within_their_noise() {
    let mut dice = Dice(0x77aa);
    for case in 0..100 {
        let (k, count) = (3 + case % 4, 1 + case % 3);
        let mut rows = dependent(&mut dice, k, count);
        rows.pop();
        let rows = RowMatrix::plain(k, rows);
        let (targets, stiffness) = random_objective(&mut dice, k);
        let found = solve(&rows, Objective { targets: &targets, stiffness: &stiffness }, &equalities(count));
        for i in 0..k {
            let pull = stiffness[i] * (found.means[i] - targets[i]);
            let pushed: f64 = (0..count).map(|row| rows.row(row)[i] * found.multipliers[row]).sum();
            let noise: f64 = (0..count).map(|row| rows.row(row)[i].abs() * found.noise[row]).sum();
            let size = stiffness[i] * (found.means[i].abs() + targets[i].abs());
            assert!((pull - pushed).abs() <= noise + 1e-11 * size, "case {case}: {pull} {pushed} {noise}");
        }
        let largest = found.multipliers.iter().fold(0.0, |largest: f64, m| largest.max(m.abs()));
        assert!(found.noise.iter().all(|noise| *noise >= 0.0 && *noise <= 1e-6 * largest), "case {case}: {found:?}");
    }
}
