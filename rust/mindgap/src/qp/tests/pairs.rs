//! Bounds on every pair of means: at most of their corners more rows meet than there are means.

use super::*;

/// Lower bounds on all differences, about half of them met at a common point.
fn pair_rows(dice: &mut Dice, k: usize) -> RowMatrix {
    let mut point: Vec<f64> = (0..k).map(|_| dice.unit()).collect();
    point.sort_by(f64::total_cmp);
    let (mut matrix, mut lower) = (Vec::new(), Vec::new());
    for (high, low) in (1..k).flat_map(|high| (0..high).map(move |low| (high, low))) {
        matrix.extend((0..k).map(|i| f64::from(i == high) - f64::from(i == low)));
        let slack = if dice.below(2) == 0 { 0.0 } else { 0.2 * dice.unit() };
        lower.push(point[high] - point[low] - slack);
    }
    let upper = vec![f64::INFINITY; lower.len()];
    linear_matrix(&LinearRows::new(k, &matrix, &lower, &upper).unwrap(), &frame())
}

#[test]
fn the_optimum_does_not_depend_on_the_guess() {
    let mut dice = Dice(0x5851_f42d_4c95_7f2d);
    for case in 0..400 {
        let k = 3 + dice.below(2);
        let rows = pair_rows(&mut dice, k);
        let m: Vec<f64> = (0..k).map(|_| 2.0 * dice.unit() - 1.0).collect();
        let g: Vec<f64> = (0..k).map(|_| 0.1 + dice.unit()).collect();
        let objective = Objective { targets: &m, stiffness: &g };
        for guess in [Vec::new(), everything(&rows)] {
            let optimum = optimise(&rows, objective, &guess, &mut Monitor::default())
                .unwrap_or_else(|e| panic!("case {case}: {e:?}"));
            are_best(&optimum.means, &rows, &m, &g, case);
        }
    }
}

#[test]
fn the_memory_of_a_program_holds_its_rows_twice() {
    for (k, rows) in [(1, 1), (5, 4), (40, 80), (1000, 3)] {
        let twice = 2 * k * rows * size_of::<f64>();
        assert!((twice..20 * twice * (1 + rows / k)).contains(&RowMatrix::bytes(k, rows)), "{k} means, {rows} rows");
    }
}
