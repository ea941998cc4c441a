//! Rows that contradict each other: those that are named do, and without any one of them the others do not.

use super::*;

/// Rows on `k` numbers at random, most sets of which contradict each other, each about more than one number.
fn random_rows(dice: &mut Dice, k: usize, count: usize) -> Vec<(Vec<f64>, f64, f64)> {
    let row = |dice: &mut Dice| -> (Vec<f64>, f64, f64) {
        let coefficients: Vec<f64> = (0..k).map(|_| dice.below(5) as f64 - 2.0).collect();
        let level = 2.0 * dice.unit() - 1.0;
        match dice.below(4) {
            0 => (coefficients, level, level),
            1 => (coefficients, level, f64::INFINITY),
            2 => (coefficients, f64::NEG_INFINITY, level),
            _ => (coefficients, level, level + 0.2 * dice.unit()),
        }
    };
    (0..count).map(|_| row(dice)).filter(|(coefficients, ..)| coefficients.iter().any(|&a| a != 0.0)).collect()
}

fn named(rows: &[(Vec<f64>, f64, f64)], k: usize) -> Option<Vec<usize>> {
    match MeanProgram::new(RowMatrix::plain(k, rows.iter().cloned()), &mut Monitor::default()) {
        Ok(_) => None,
        Err(Failure::Clash(named)) => Some(named),
        Err(other) => panic!("{other:?} for {rows:?}"),
    }
}

#[test]
fn the_named_rows_contradict_each_other_and_none_of_them_is_spare() {
    let mut dice = Dice(0xc1a5_4e5d);
    let mut clashes = 0;
    for case in 0..600 {
        let k = 1 + dice.below(3);
        let count = k + 1 + dice.below(3);
        let rows = random_rows(&mut dice, k, count);
        let Some(clash) = named(&rows, k) else { continue };
        clashes += 1;
        assert!(clash.is_sorted() && !clash.is_empty(), "case {case}: {clash:?}");
        let only = |spared: Option<usize>| -> Vec<_> {
            clash.iter().filter(|&&row| Some(row) != spared).map(|&row| rows[row].clone()).collect()
        };
        assert!(named(&only(None), k).is_some(), "case {case}: {clash:?} of {rows:?} do not clash");
        for &row in &clash {
            assert_eq!(named(&only(Some(row)), k), None, "case {case}: {clash:?} of {rows:?} clash without {row}");
        }
    }
    assert!(clashes > 200, "{clashes} clashes");
}
