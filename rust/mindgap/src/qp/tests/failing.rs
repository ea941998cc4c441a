//! If Clarabel stops early, is inaccurate, refuses or returns garbage, the means are still optimal.

use super::*;
use ::clarabel::solver::DefaultSettings;

/// Random programs of gaps and of rows, each solved from what `propose` says, against the oracle.
fn never_wrong(
    seed: u64,
    mut propose: impl FnMut(&RowMatrix, Objective<'_>, &mut Dice) -> Result<Vec<Bound>, Refusal>,
) {
    let mut dice = Dice(seed);
    let mut asked = 0;
    for case in 0..400 {
        let k = 2 + dice.below(3);
        let rows = match case % 2 {
            0 => gap_rows(&mut dice, k),
            _ => linear_matrix(&linear_rows(&mut dice, k, 2), &frame()),
        };
        let mut program = MeanProgram::new(rows, &mut Monitor::default()).unwrap();
        for _ in 0..3 {
            let (m, g) = random_objective(&mut dice, k);
            let objective = Objective { targets: &m, stiffness: &g };
            let means = program.solve_from(objective, &mut Monitor::default(), |program| {
                asked += 1;
                propose(&program.rows, objective, &mut dice)
            });
            are_best(&means.unwrap_or_else(|e| panic!("case {case}: {e}")), program.rows(), &m, &g, case);
        }
    }
    assert!(asked > 300, "the solver was asked only {asked} times");
}

fn clarabel(rows: &RowMatrix, objective: Objective<'_>, settings: DefaultSettings<f64>) -> Result<Vec<Bound>, Refusal> {
    InteriorPoint::with_settings(rows, objective, settings)?.active(objective)
}

#[test]
fn clarabel_that_is_sound_names_the_active_rows() {
    let mut dice = Dice(0xc1a2);
    let mut right = 0;
    for _ in 0..300 {
        let k = 2 + dice.below(4);
        let rows = linear_matrix(&linear_rows(&mut dice, k, 3), &frame());
        let rows = MeanProgram::new(rows, &mut Monitor::default()).unwrap().rows;
        let m: Vec<f64> = (0..k).map(|_| 4.0 * dice.unit() - 2.0).collect();
        let g: Vec<f64> = (0..k).map(|_| dice.size(2.0)).collect();
        let objective = Objective { targets: &m, stiffness: &g };
        let guess = clarabel(&rows, objective, DefaultSettings::default()).unwrap();
        right += usize::from(check(&rows, objective, &guess).is_some());
    }
    assert!(right >= 295, "{right} of 300");
}

#[test]
fn clarabel_that_stops_after_no_or_one_iteration() {
    for max_iter in [0, 1, 2] {
        let settings = DefaultSettings { max_iter, ..DefaultSettings::default() };
        never_wrong(u64::from(max_iter) + 1, |rows, objective, _| clarabel(rows, objective, settings.clone()));
    }
}

#[test]
fn clarabel_that_is_out_of_time_or_content_with_anything() {
    let hurried = DefaultSettings { time_limit: 0.0, ..DefaultSettings::default() };
    never_wrong(11, |rows, objective, _| clarabel(rows, objective, hurried.clone()));
    let sloppy = DefaultSettings {
        tol_gap_abs: 1e3,
        tol_gap_rel: 1e3,
        tol_feas: 1e3,
        tol_infeas_abs: 1e3,
        tol_infeas_rel: 1e3,
        ..DefaultSettings::default()
    };
    never_wrong(12, |rows, objective, _| clarabel(rows, objective, sloppy.clone()));
}

#[test]
fn clarabel_that_refuses() {
    never_wrong(21, |_, _, _| Err(Refusal));
}

#[test]
fn clarabel_that_names_no_row_or_every_row_at_every_bound() {
    never_wrong(31, |_, _, _| Ok(Vec::new()));
    never_wrong(32, |rows, _, _| Ok(everything(rows)));
}

#[test]
fn clarabel_that_names_rows_by_chance() {
    for seed in 41..44 {
        never_wrong(seed, |rows, _, dice| {
            let mut bounds = everything(rows);
            bounds.retain(|_| dice.below(2) == 0);
            // In any order, some twice.
            for index in 0..bounds.len() {
                let other = dice.below(bounds.len());
                bounds.swap(index, other);
                if dice.below(5) == 0 {
                    bounds.push(bounds[index]);
                }
            }
            Ok(bounds)
        });
    }
}

#[test]
fn what_is_no_number_never_becomes_one() {
    let rows = matrix(&GapBounds::lower(1.0).rows(3).unwrap(), &frame());
    let cases = [
        ([0.0, f64::NAN, 1.0], [1.0; 3]),
        ([0.0, f64::INFINITY, 1.0], [1.0; 3]),
        ([0.0, 0.1, 0.2], [1.0, f64::NAN, 1.0]),
    ];
    for (targets, stiffness) in cases {
        let mut program = MeanProgram::new(rows.clone(), &mut Monitor::default()).unwrap();
        let means = program.solve(Objective { targets: &targets, stiffness: &stiffness }, &mut Monitor::default());
        assert!(
            means.as_ref().map_or(true, |means| means.iter().any(|mean| !mean.is_finite())),
            "{means:?} look like means, of {targets:?} and {stiffness:?}"
        );
    }
}
