//! The program of weights and precisions: no admissible direction gains, and the rows are satisfied.

use super::*;

/// Rows that a positive point satisfies: equalities, bounds on one side or both, and the sum if `simplex`.
fn program(dice: &mut Dice, k: usize, simplex: bool) -> (RowMatrix, LogProgram) {
    let mut point: Vec<f64> = (0..k).map(|_| 0.05 + dice.unit()).collect();
    let total: f64 = if simplex { point.iter().sum() } else { 1.0 };
    point.iter_mut().for_each(|x| *x /= total);
    let mut rows: Vec<(Vec<f64>, f64, f64)> = Vec::new();
    for _ in 0..1 + dice.below(2) {
        let row: Vec<f64> = (0..k).map(|_| dice.unit() - 0.5).collect();
        let value: f64 = row.iter().zip(&point).map(|(a, x)| a * x).sum();
        rows.push(match dice.below(3) {
            0 => (row, value, value),
            1 => (row, f64::NEG_INFINITY, value + 0.1 * dice.unit()),
            _ => (row, value - 0.1 * dice.unit(), value + 0.1 * dice.unit()),
        });
    }
    if simplex {
        rows.push((vec![1.0; k], 1.0, 1.0));
    }
    let matrix = RowMatrix::plain(k, rows);
    (matrix.clone(), LogProgram::new(matrix, 1.0 / k as f64, &mut Monitor::default()).unwrap())
}

#[test]
fn no_admissible_direction_gains() {
    let mut dice = Dice(0x10_90a7);
    for case in 0..300 {
        let k = 2 + dice.below(4);
        let simplex = case % 2 == 0;
        let (mut rows, mut program) = program(&mut dice, k, simplex);
        for _ in 0..3 {
            let a: Vec<f64> = (0..k).map(|_| 10f64.powf(3.0 * dice.unit())).collect();
            let c: Vec<f64> = (0..k).map(|_| if simplex { 0.0 } else { 10f64.powf(3.0 * dice.unit()) }).collect();
            let x = program.solve(&a, &c, &mut Monitor::default()).unwrap();
            assert!(x.iter().all(|x| *x > 0.0), "case {case}: {x:?}");
            assert!(rows.worst_miss(&x, 1.0).is_none(), "case {case}: {x:?}");
            // Towards where other objectives have their optima, far out: the corners of what the rows allow.
            let slope: Vec<f64> = (0..k).map(|i| a[i] / x[i] - c[i]).collect();
            let size: f64 = a.iter().sum();
            rows.push_positive();
            let mut any = MeanProgram::new(rows.clone(), &mut Monitor::default()).unwrap();
            for _ in 0..20 {
                let targets: Vec<f64> = (0..k).map(|i| x[i] * (1.0 + 2.0 * (dice.unit() - 0.5))).collect();
                let corner = any
                    .solve(Objective { targets: &targets, stiffness: &vec![1.0; k] }, &mut Monitor::default())
                    .unwrap();
                let gain: f64 = (0..k).map(|i| slope[i] * (corner[i] - x[i])).sum();
                assert!(gain <= 1e-10 * size, "case {case}: {gain} to gain of {size}");
            }
        }
    }
}

#[test]
fn what_must_vanish_is_named() {
    // x₁ ≤ -x₂ leaves nothing for either.
    let rows = RowMatrix::plain(3, [(vec![1.0, 1.0, 0.0], f64::NEG_INFINITY, 0.0), (vec![1.0; 3], 1.0, 1.0)]);
    assert!(matches!(LogProgram::new(rows, 0.3, &mut Monitor::default()), Err(NoInterior::Vanishes(0))));
    let rows = RowMatrix::plain(2, [(vec![1.0, 0.0], 2.0, 3.0), (vec![1.0; 2], 1.0, 1.0)]);
    assert!(matches!(LogProgram::new(rows, 0.5, &mut Monitor::default()), Err(NoInterior::Failure(Failure::Clash(_)))));
}
