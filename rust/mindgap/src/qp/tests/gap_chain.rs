//! The guess of the active gaps is right, unless stiffnesses are far apart.

use super::*;
use crate::qp::gap_chain::active;

#[test]
fn the_guess_is_the_optimum() {
    let mut dice = Dice(0x06a9_09a7);
    let (mut held, mut far) = (0, 0);
    for case in 0..2000 {
        let k = 1 + dice.below(12);
        let rows = gap_rows(&mut dice, k);
        let (m, wide) = random_objective(&mut dice, k);
        let g: Vec<f64> = (0..k).map(|_| 1.0 + 99.0 * dice.unit()).collect();
        let objective = Objective { targets: &m, stiffness: &g };
        let guess = active(&rows, objective).unwrap();
        held += guess.len();
        assert!(check(&rows, objective, &guess).is_some(), "case {case}: {guess:?}");
        let objective = Objective { targets: &m, stiffness: &wide };
        far += usize::from(check(&rows, objective, &active(&rows, objective).unwrap()).is_some());
    }
    assert!(held > 5000 && far > 1900, "{held} {far}");
}

#[test]
fn only_gaps_have_a_path() {
    let rows = LinearRows::new(3, &[1.0, 1.0, 0.0], &[0.0], &[1.0]).unwrap();
    let (m, g) = ([0.0, 1.0, 2.0], [1.0; 3]);
    assert_eq!(active(&linear_matrix(&rows, &frame()), Objective { targets: &m, stiffness: &g }), None);
}
