//! The dense program against its optimality conditions.

use crate::qp::dense::*;

/// The program of a matrix, if it has a factor.
fn program_of(matrix: &[f64], n: usize, least: f64) -> Option<DenseProgram> {
    let mut program = DenseProgram::default();
    program.factor(matrix, n, 0.0, least).then_some(program)
}

/// A number in (-1, 1), the same for one seed.
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// `H = BBᵀ + I/2` of `n` variables, and a gradient.
fn drawn(n: usize, state: &mut u64) -> (Vec<f64>, Vec<f64>) {
    let b: Vec<f64> = (0..n * n).map(|_| draw(state)).collect();
    let entry = |i: usize, j: usize| dot(&b[i * n..(i + 1) * n], &b[j * n..(j + 1) * n]);
    let half = |i, j| if i == j { 0.5 } else { 0.0 };
    let matrix = (0..n * n).map(|at| entry(at / n, at % n) + half(at / n, at % n)).collect();
    (matrix, (0..n).map(|_| draw(state)).collect())
}

#[test]
fn the_optimum_holds_the_rows_and_its_multipliers_balance_the_gradient() {
    let mut state = 7;
    for round in 0..300 {
        let n = 2 + round % 7;
        let (matrix, gradient) = drawn(n, &mut state);
        let mut program = program_of(&matrix, n, 1e-14).unwrap();
        let mut rows = SparseRows::default();
        rows.push((0..n).map(|i| (i, 1.0)), 0.1 * draw(&mut state), true);
        for i in 0..n {
            // Zero satisfies them all, but for the equality, which small steps reach.
            rows.push([(i, draw(&mut state)), ((i + 1) % n, 1.0)], -0.3 * draw(&mut state).abs() - 0.2, false);
        }
        let point = program.minimise(&gradient, &rows).unwrap().to_vec();
        let (active, multipliers) = program.active();
        for row in 0..rows.len() {
            let off = rows.value(row, &point) - rows.level(row);
            assert!(if rows.is_equality(row) { off.abs() < 1e-10 } else { off > -1e-10 }, "row {row}: {off}");
        }
        for i in 0..n {
            let pull: f64 = (0..n).map(|j| matrix[i * n + j] * point[j]).sum::<f64>() - gradient[i];
            let pushed: f64 = active
                .iter()
                .zip(&multipliers)
                .flat_map(|(&row, m)| rows.terms(row).iter().map(move |&(v, a)| (v, a * m)))
                .filter(|&(variable, _)| variable == i)
                .map(|(_, force)| force)
                .sum();
            assert!((pull - pushed).abs() < 1e-9, "{pull} {pushed}");
        }
        for (&row, &multiplier) in active.iter().zip(&multipliers) {
            assert!(rows.is_equality(row) || multiplier >= -1e-12);
        }
    }
}

/// Rows of which many are redundant: copies, multiples, sums, and both sides of one level. Zero satisfies them all.
fn dependent_rows(n: usize, state: &mut u64) -> SparseRows {
    let mut rows = SparseRows::default();
    let mut normals: Vec<Vec<f64>> = Vec::new();
    for row in 0..2 * n {
        let normal: Vec<f64> = match row % 4 {
            3 => normals[row - 1].iter().zip(&normals[row - 2]).map(|(a, b)| a + b).collect(),
            2 => normals[row - 2].iter().map(|a| 2.0 * a).collect(),
            _ => (0..n).map(|_| draw(state)).collect(),
        };
        let level = if row % 3 == 0 { 0.0 } else { -0.05 * draw(state).abs() };
        rows.push(normal.iter().copied().enumerate(), level, row % 7 == 0 && level == 0.0);
        normals.push(normal);
    }
    rows
}

/// The largest gain to first order from `point` towards other points that satisfy the rows: at an optimum there is
/// none.
#[test]
fn no_admissible_direction_gains_where_rows_depend_on_each_other() {
    let mut state = 11;
    for round in 0..200 {
        let n = 2 + round % 5;
        let (matrix, gradient) = drawn(n, &mut state);
        let mut program = program_of(&matrix, n, 1e-14).unwrap();
        let rows = dependent_rows(n, &mut state);
        let point = program.minimise(&gradient, &rows).unwrap_or_else(|| panic!("round {round}")).to_vec();
        for row in 0..rows.len() {
            let off = rows.value(row, &point) - rows.level(row);
            assert!(if rows.is_equality(row) { off.abs() < 1e-10 } else { off > -1e-10 }, "round {round}: {off}");
        }
        let slope: Vec<f64> =
            (0..n).map(|i| gradient[i] - (0..n).map(|j| matrix[i * n + j] * point[j]).sum::<f64>()).collect();
        for _ in 0..20 {
            let elsewhere: Vec<f64> = (0..n).map(|_| 3.0 * draw(&mut state)).collect();
            let Some(other) = program.minimise(&elsewhere, &rows) else { panic!("round {round}") };
            let gain: f64 = (0..n).map(|i| slope[i] * (other[i] - point[i])).sum();
            assert!(gain <= 1e-9, "round {round}: {gain} to gain");
        }
    }
}

/// The variance of a combination along active rows is what the best step along them gains for it.
#[test]
fn variances_along_rows_are_those_of_the_restricted_program() {
    let mut state = 23;
    for round in 0..100 {
        let n = 2 + round % 5;
        let (matrix, combination) = drawn(n, &mut state);
        let mut program = program_of(&matrix, n, 1e-14).unwrap();
        let mut rows = SparseRows::default();
        let count = round % n;
        for _ in 0..count {
            rows.push((0..n).map(|i| (i, draw(&mut state))).collect::<Vec<_>>(), 0.0, true);
        }
        // A row given twice changes nothing.
        let active: Vec<usize> = (0..count).chain((0..count).take(1)).collect();
        let found = program.variances_along(&rows, &active, [combination.clone()])[0];
        let step = program.minimise(&combination, &rows).unwrap();
        assert!((found - dot(&combination, step)).abs() < 1e-10, "round {round}: {found}");
        let through: f64 = (0..n).map(|i| step[i] * (0..n).map(|j| matrix[i * n + j] * step[j]).sum::<f64>()).sum();
        assert!((found - through).abs() < 1e-10, "round {round}: {found} {through}");
    }
}

#[test]
fn rows_change_units_with_their_variables() {
    let mut rows = SparseRows::default();
    rows.push([(0, 4.0), (1, -2.0)], 3.0, false);
    rows.push([(1, 1.0)], 0.5, true);
    rows.scale(&[0.5, 10.0]);
    assert_eq!((rows.terms(0), rows.terms(1)), (&[(0, 2.0), (1, -20.0)][..], &[(1, 10.0)][..]));
    assert_eq!((rows.value(0, &[1.0, 0.1]), rows.level(0), rows.len()), (0.0, 3.0, 2));
    rows.clear();
    assert_eq!(rows.len(), 0);
    rows.push([(1, 1.0)], 0.5, true);
    assert!(rows.terms(0) == [(1, 1.0)] && rows.is_equality(0));
}

#[test]
fn rows_that_clash_have_no_optimum_and_indefinite_matrices_no_factor() {
    let mut program = program_of(&[1.0, 0.0, 0.0, 1.0], 2, 1e-14).unwrap();
    let mut rows = SparseRows::default();
    rows.push([(0, 1.0)], 1.0, false);
    rows.push([(0, -1.0)], 1.0, false);
    assert!(program.minimise(&[0.0, 0.0], &rows).is_none());
    assert!(program_of(&[1.0, 2.0, 2.0, 1.0], 2, 1e-14).is_none());
}

#[test]
fn equalities_may_say_the_same_twice() {
    let (mut program, gradient) = (program_of(&[2.0, 0.0, 0.0, 1.0], 2, 1e-12).unwrap(), vec![3.0, 1.0]);
    let mut rows = SparseRows::default();
    rows.push([(0, 1.0)], 0.25, true);
    rows.push([(1, 1.0)], 0.75, true);
    // The sum, but for a rounding.
    rows.push([(0, 1.0), (1, 1.0)], 1.0 + 1e-15, true);
    let found = program.minimise(&gradient, &rows).unwrap();
    assert!((found[0] - 0.25).abs() < 1e-12 && (found[1] - 0.75).abs() < 1e-12, "{found:?}");
    // What a step of Newton's may leave of it.
    rows.push([(0, 2.0), (1, 1.0)], 1.25 + 1e-10, true);
    assert!(program.minimise(&gradient, &rows).is_some());
    rows.push([(0, 1.0), (1, 1.0)], 1.1, true);
    assert!(program.minimise(&gradient, &rows).is_none());
}

/// A row says the same in any units, and twice.
#[test]
fn variances_along_rows_do_not_depend_on_their_units() {
    let mut state = 29;
    for round in 0..40 {
        let n = 3 + round % 4;
        let (matrix, combination) = drawn(n, &mut state);
        let mut program = program_of(&matrix, n, 1e-14).unwrap();
        let rows = |scale: f64, times: usize, state: &mut u64| {
            let mut rows = SparseRows::default();
            let normals: Vec<Vec<f64>> = (0..2).map(|_| (0..n).map(|_| draw(state)).collect()).collect();
            for _ in 0..times {
                for normal in &normals {
                    rows.push(normal.iter().map(|a| scale * a).enumerate(), 0.0, true);
                }
            }
            rows
        };
        let mut variance = |scale: f64, times: usize| {
            let rows = rows(scale, times, &mut state.clone());
            program.variances_along(&rows, &(0..2 * times).collect::<Vec<_>>(), [combination.clone()])[0]
        };
        let plain = variance(1.0, 1);
        for (scale, times) in [(1e-12, 1), (1e12, 1), (1.0, 2), (1e-12, 2), (1e12, 2)] {
            let other = variance(scale, times);
            assert!((other - plain).abs() <= 1e-9 * plain, "{scale} {times}: {other} is not {plain}");
        }
        draw(&mut state);
    }
}
