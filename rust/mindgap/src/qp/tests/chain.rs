//! Runs of means at fixed distances against the elimination, which knows nothing of gaps.

use super::*;
use crate::qp::{chain, equality};

#[test]
fn glued_runs_rest_where_the_elimination_says() {
    let mut dice = Dice(0x0c4a_17ed);
    for case in 0..2000 {
        let k = 2 + dice.below(12);
        let rows = gap_rows(&mut dice, k);
        let mut bounds = Vec::new();
        for row in 0..rows.len() {
            let side = match (rows.is_equality(row), dice.below(3)) {
                (_, 0) => continue,
                (true, _) => Side::Both,
                (false, 1) if rows.bounds(row).1.is_finite() => Side::Upper,
                _ => Side::Lower,
            };
            bounds.insert(dice.below(bounds.len() + 1), Bound { row, side });
        }
        let (m, g) = random_objective(&mut dice, k);
        let objective = Objective { targets: &m, stiffness: &g };
        let run = chain::solve(&rows, objective, &bounds).expect("gaps, each bounded once");
        let any = equality::solve(&rows, objective, &bounds);
        for (mean, expected) in run.means.iter().zip(&any.means) {
            assert!((mean - expected).abs() <= 1e-12, "case {case}: {run:?} for {any:?}");
        }
        for index in 0..bounds.len() {
            let apart = (run.multipliers[index] - any.multipliers[index]).abs();
            assert!(apart <= run.noise[index] + any.noise[index], "case {case}, {index}: {run:?} for {any:?}");
            assert!(run.noise[index] > 0.0, "case {case}, {index}: forces are never known without rounding");
        }
    }
}

#[test]
fn other_rows_and_gaps_held_twice_are_left_to_the_elimination() {
    let linear = LinearRows::new(3, &[-2.0, 2.0, 0.0, -1.0, 0.0, 1.0], &[1.0, 2.0], &[3.0, 4.0]).unwrap();
    let rows = linear_matrix(&linear, &frame());
    let objective = Objective { targets: &[0.0, 0.1, 0.2], stiffness: &[1.0, 2.0, 3.0] };
    let solved = |bounds: &[(usize, Side)]| {
        let bounds: Vec<Bound> = bounds.iter().map(|&(row, side)| Bound { row, side }).collect();
        chain::solve(&rows, objective, &bounds).is_some()
    };
    assert!(solved(&[(0, Side::Lower), (3, Side::Lower)]), "a gap in other units, and the order of the means");
    assert!(!solved(&[(1, Side::Lower)]), "two gaps at once");
    assert!(!solved(&[(0, Side::Lower), (2, Side::Lower)]), "the same gap, by two rows");
    assert!(!solved(&[(0, Side::Lower), (0, Side::Upper)]), "the same gap, at both bounds");
}
