//! A long program reports at every step and can be stopped at each.

use super::*;
use crate::monitor::Progress;
use std::ops::ControlFlow;

/// A program of `rows` rows on twelve means, and what it is to minimise.
fn long(rows: usize) -> (MeanProgram, Vec<f64>, Vec<f64>) {
    let mut dice = Dice(0xb1ea);
    let rows = linear_matrix(&linear_rows(&mut dice, 12, rows), &frame());
    let (m, g) = random_objective(&mut dice, 12);
    (MeanProgram::new(rows, &mut Monitor::default()).unwrap(), m, g)
}

/// How many steps a program takes from a guess.
fn steps(program: &mut MeanProgram, objective: Objective<'_>, guess: Result<Vec<Bound>, Refusal>) -> usize {
    let mut steps = 0;
    let mut count = |_: &Progress| {
        steps += 1;
        ControlFlow::Continue(())
    };
    program.solve_from(objective, &mut Monitor::new(&mut count), |_| guess).unwrap();
    steps
}

#[test]
fn a_long_search_can_be_stopped_at_each_step() {
    let (mut program, m, g) = long(10);
    let objective = Objective { targets: &m, stiffness: &g };
    let steps = steps(&mut program, objective, Err(Refusal));
    assert!(steps > 5, "{steps} steps");
    for last in 1..=steps {
        let mut left = last;
        let mut stop = |progress: &Progress| {
            assert_eq!(*progress, Progress::Working);
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        program.last.clear();
        let stopped = program.solve_from(objective, &mut Monitor::new(&mut stop), |_| Err(Refusal));
        assert_eq!(stopped, Err(Failure::Halted(Halt::Interrupted)));
    }
}

#[test]
fn a_guess_of_too_many_rows_can_be_stopped_as_it_is_taken_back() {
    let (mut program, m, g) = long(30);
    let guess = everything(&program.rows);
    // No more rows than means can be active: the others go one by one.
    let least = guess.len() - m.len();
    let steps = steps(&mut program, Objective { targets: &m, stiffness: &g }, Ok(guess));
    assert!(steps >= least, "{steps} steps, not {least}");
}

/// A search that weighs its rows wrongly takes other steps, and in the end more of them. At most as many as were
/// counted.
#[test]
fn searches_take_no_more_steps_than_counted() {
    let mut dice = Dice(0x57e9);
    let mut taken = 0;
    for case in 0..300 {
        let k = 3 + dice.below(8);
        let rows = match case % 3 {
            0 => gap_rows(&mut dice, k),
            _ => linear_matrix(&linear_rows(&mut dice, k, 2 + case % k), &frame()),
        };
        let mut program = MeanProgram::new(rows, &mut Monitor::default()).unwrap();
        let guess = if case % 2 == 0 { Vec::new() } else { everything(&program.rows) };
        let (m, g) = random_objective(&mut dice, k);
        taken += steps(&mut program, Objective { targets: &m, stiffness: &g }, Ok(guess));
    }
    assert!(taken <= 2559, "{taken} steps");
}
