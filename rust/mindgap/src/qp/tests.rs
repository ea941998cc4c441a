//! The program against the obvious oracle: try every set of rows at every side, in doubled precision.

mod chain;
mod clashes;
mod dense;
mod equality;
mod failing;
mod gap_chain;
mod log_program;
mod pairs;
mod row_matrix;
mod stopping;

use super::*;
use crate::constraint::{GapBounds, LinearRows};
use crate::data::frame::Frame;
use crate::dice::Dice;

/// A sum of two doubles, by Dekker's and Knuth's error-free operations.
#[derive(Clone, Copy)]
struct Twofold(f64, f64);

impl Twofold {
    fn of(x: f64) -> Self {
        Self(x, 0.0)
    }

    fn add(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        let part = sum - self.0;
        let error = (self.0 - (sum - part)) + (other.0 - part) + self.1 + other.1;
        Self(sum + error, error - ((sum + error) - sum))
    }

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }

    fn mul(self, other: Self) -> Self {
        let split = |x: f64| {
            let c = x * 134_217_729.0;
            let high = c - (c - x);
            (high, x - high)
        };
        let product = self.0 * other.0;
        let ((a, b), (c, d)) = (split(self.0), split(other.0));
        let error = ((a * c - product) + a * d + b * c) + b * d + self.0 * other.1 + self.1 * other.0;
        Self(product + error, error - ((product + error) - product))
    }

    fn div(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self.add(other.mul(Self::of(first)).neg());
        Self::of(first).add(Self::of(rest.0 / other.0))
    }
}

/// Means that meet `bounds` with equality, by the normal equations; `None` if the bounds depend on each other.
fn on_bounds(rows: &RowMatrix, m: &[f64], g: &[f64], bounds: &[Bound]) -> Option<Vec<Twofold>> {
    let n = bounds.len();
    let k = rows.k();
    let dot = |a: &dyn Fn(usize) -> Twofold, b: &dyn Fn(usize) -> Twofold| {
        (0..k).fold(Twofold::of(0.0), |sum, i| sum.add(a(i).mul(b(i))))
    };
    let row = |b: usize| move |i: usize| Twofold::of(rows.row(bounds[b].row)[i]);
    let soft = |i: usize| Twofold::of(1.0).div(Twofold::of(g[i]));
    let mut table: Vec<Vec<Twofold>> = (0..n)
        .map(|r| {
            let mut line: Vec<Twofold> = (0..n).map(|c| dot(&row(r), &|i| row(c)(i).mul(soft(i)))).collect();
            line.push(Twofold::of(rows.level(bounds[r])).add(dot(&row(r), &|i| Twofold::of(m[i])).neg()));
            line
        })
        .collect();
    let sizes: Vec<f64> = (0..n).map(|r| table[r][r].0).collect();
    for p in 0..n {
        if table[p][p].0 <= 1e-24 * sizes[p] {
            return None;
        }
        for r in 0..n {
            if r != p {
                let pivot = table[p].clone();
                let factor = table[r][p].div(pivot[p]);
                for (to, from) in table[r].iter_mut().zip(&pivot).skip(p) {
                    *to = to.add(factor.mul(*from).neg());
                }
            }
        }
    }
    let multipliers: Vec<Twofold> = (0..n).map(|p| table[p][n].div(table[p][p])).collect();
    Some(
        (0..k)
            .map(|i| {
                let force = (0..n).fold(Twofold::of(0.0), |sum, b| sum.add(row(b)(i).mul(multipliers[b])));
                Twofold::of(m[i]).add(force.mul(soft(i)))
            })
            .collect(),
    )
}

/// The feasible candidate of least cost among all sets of rows; `None` if none is feasible.
fn oracle(rows: &RowMatrix, m: &[f64], g: &[f64]) -> Option<Vec<f64>> {
    let mut best: Option<(Twofold, Vec<f64>)> = None;
    for code in 0..3usize.pow(rows.len() as u32) {
        let digit = |row: usize| code / 3usize.pow(row as u32) % 3;
        let side = |row: usize| match digit(row) {
            1 if rows.is_equality(row) => Some(Side::Both),
            1 => Some(Side::Lower),
            2 => Some(Side::Upper),
            _ => None,
        };
        let bounds: Vec<Bound> = (0..rows.len()).filter_map(|row| side(row).map(|side| Bound { row, side })).collect();
        if bounds.len() > rows.k() || bounds.iter().any(|b| !rows.level(*b).is_finite()) {
            continue;
        }
        let Some(means) = on_bounds(rows, m, g, &bounds) else { continue };
        let satisfies = |row: usize| {
            let value =
                (0..rows.k()).fold(Twofold::of(0.0), |sum, i| sum.add(Twofold::of(rows.row(row)[i]).mul(means[i])));
            let (lower, upper) = rows.bounds(row);
            (lower == f64::NEG_INFINITY || value.add(Twofold::of(-lower)).0 >= -1e-12)
                && (upper == f64::INFINITY || value.add(Twofold::of(-upper)).0 <= 1e-12)
        };
        if !(0..rows.len()).all(satisfies) {
            continue;
        }
        let cost = (0..rows.k()).fold(Twofold::of(0.0), |sum, i| {
            let d = means[i].add(Twofold::of(-m[i]));
            sum.add(d.mul(d).mul(Twofold::of(g[i])))
        });
        if best.as_ref().is_none_or(|(least, _)| cost.add(least.neg()).0 < 0.0) {
            best = Some((cost, means.iter().map(|mean| mean.0).collect()));
        }
    }
    best.map(|(_, means)| means)
}

/// Targets about one apart and stiffnesses from 1e-6 to 1e12.
fn random_objective(dice: &mut Dice, k: usize) -> (Vec<f64>, Vec<f64>) {
    let m = (0..k).map(|_| 4.0 * dice.unit() - 2.0).collect();
    let g = (0..k).map(|_| 10f64.powf(18.0 * dice.unit() - 6.0)).collect();
    (m, g)
}

fn frame() -> Frame {
    Frame::of_sorted(&[0.0, 0.0]).unwrap()
}

fn gap_rows(dice: &mut Dice, k: usize) -> RowMatrix {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for _ in 1..k {
        let low = if dice.below(3) == 0 { 0.0 } else { dice.unit() };
        lower.push(low);
        upper.push(match dice.below(3) {
            0 => low,
            1 => low + dice.unit(),
            _ => f64::INFINITY,
        });
    }
    matrix(&GapBounds::per_gap(&lower, &upper).unwrap().rows(k).unwrap(), &frame())
}

/// Rows through a common point, so that they are feasible; some repeated, some summed, some equalities.
fn linear_rows(dice: &mut Dice, k: usize, count: usize) -> LinearRows {
    let mut point: Vec<f64> = (0..k).map(|_| dice.unit()).collect();
    point.sort_by(f64::total_cmp);
    let (mut matrix, mut lower, mut upper) = (Vec::<f64>::new(), Vec::new(), Vec::new());
    for row in 0..count {
        let copied = row > 0 && dice.below(4) == 0;
        let coefficients: Vec<f64> = if copied {
            let from = dice.below(row) * k;
            matrix[from..from + k].iter().map(|a| 2.0 * a).collect()
        } else {
            (0..k).map(|i| if i == row % k { 1.0 } else { (dice.below(9) as f64 - 4.0) / 4.0 }).collect()
        };
        let value: f64 = coefficients.iter().zip(&point).map(|(a, x)| a * x).sum();
        let (low, high) = match dice.below(4) {
            0 => (value, value),
            1 => (value - dice.unit() * 0.3, f64::INFINITY),
            2 => (f64::NEG_INFINITY, value + dice.unit() * 0.3),
            _ => (value - dice.unit() * 0.1, value + dice.unit() * 0.1),
        };
        matrix.extend(coefficients);
        lower.push(low);
        upper.push(high);
    }
    LinearRows::new(k, &matrix, &lower, &upper).unwrap()
}

/// Each finite bound of each row.
fn everything(rows: &RowMatrix) -> Vec<Bound> {
    let sides = |row: usize| match rows.is_equality(row) {
        true => vec![Side::Both],
        false => vec![Side::Lower, Side::Upper],
    };
    let bounds = (0..rows.len()).flat_map(|row| sides(row).into_iter().map(move |side| Bound { row, side }));
    bounds.filter(|bound| rows.level(*bound).is_finite()).collect()
}

fn agree(program: &mut MeanProgram, m: &[f64], g: &[f64], case: usize) {
    let means = program
        .solve(Objective { targets: m, stiffness: g }, &mut Monitor::default())
        .unwrap_or_else(|e| panic!("case {case}: {e}"));
    are_best(&means, program.rows(), m, g, case);
}

fn are_best(means: &[f64], rows: &RowMatrix, m: &[f64], g: &[f64], case: usize) {
    let expected = oracle(rows, m, g).unwrap_or_else(|| panic!("case {case} has no solution"));
    for (mean, expected) in means.iter().zip(&expected) {
        assert!((mean - expected).abs() <= 1e-9, "case {case}: {means:?} for {expected:?} of {m:?} {g:?}");
    }
}

#[test]
fn gap_programs_agree_with_every_active_set() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for case in 0..600 {
        let k = 2 + dice.below(4);
        let mut program = MeanProgram::new(gap_rows(&mut dice, k), &mut Monitor::default()).unwrap();
        for _ in 0..5 {
            let (m, g) = random_objective(&mut dice, k);
            agree(&mut program, &m, &g, case);
        }
    }
}

#[test]
fn row_programs_agree_with_every_active_set() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for case in 0..500 {
        let k = 1 + dice.below(4);
        let count = 1 + dice.below(3);
        let rows = linear_matrix(&linear_rows(&mut dice, k, count), &frame());
        let mut program =
            MeanProgram::new(rows, &mut Monitor::default()).unwrap_or_else(|e| panic!("case {case}: {e:?}"));
        for _ in 0..5 {
            let (m, g) = random_objective(&mut dice, k);
            agree(&mut program, &m, &g, case);
        }
    }
}

#[test]
fn the_active_set_method_needs_no_guess() {
    let mut dice = Dice(0x0123_4567_89ab_cdef);
    for case in 0..500 {
        let k = 2 + dice.below(3);
        let rows = gap_rows(&mut dice, k);
        let (m, g) = random_objective(&mut dice, k);
        let optimum = optimise(&rows, Objective { targets: &m, stiffness: &g }, &[], &mut Monitor::default()).unwrap();
        let expected = oracle(&rows, &m, &g).unwrap();
        for (mean, expected) in optimum.means.iter().zip(&expected) {
            assert!((mean - expected).abs() <= 1e-9, "case {case}");
        }
    }
}

#[test]
fn clashing_rows_are_named_and_no_others() {
    // μ0 ≥ 1 and μ1 ≤ 0 clash with the order; row 1 has no part in it.
    let rows = LinearRows::new(
        2,
        &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0],
        &[1.0, -9.0, f64::NEG_INFINITY],
        &[f64::INFINITY, 9.0, 0.0],
    );
    let rows = linear_matrix(&rows.unwrap(), &frame());
    assert_eq!(MeanProgram::new(rows, &mut Monitor::default()).err(), Some(Failure::Clash(vec![0, 2, 3])));
    // Two equalities on one sum.
    let rows = LinearRows::new(2, &[1.0, 1.0, 2.0, 2.0], &[1.0, 3.0], &[1.0, 3.0]).unwrap();
    let rows = linear_matrix(&rows, &frame());
    assert_eq!(MeanProgram::new(rows, &mut Monitor::default()).err(), Some(Failure::Clash(vec![0, 1])));
}

#[test]
fn bounds_on_gaps_are_known_to_be_feasible_at_once() {
    // Adding one row at a time, each with its own elimination, would take hours.
    for (k, bounds) in [(3000, GapBounds::lower(0.3)), (60, GapBounds::between(0.1, 0.1).unwrap())] {
        let rows = matrix(&bounds.rows(k).unwrap(), &frame());
        assert!(rows.worst_miss(&rows.likely(), 0.0).is_none());
        assert!(MeanProgram::new(rows, &mut Monitor::default()).is_ok());
    }
}

#[test]
fn two_thousand_means_are_pooled_as_by_isotonic_regression() {
    let k = 2000;
    let mut dice = Dice(77);
    let rows = matrix(&GapBounds::lower(0.0).rows(k).unwrap(), &frame());
    let mut program = MeanProgram::new(rows, &mut Monitor::default()).unwrap();
    let m: Vec<f64> = (0..k).map(|i| i as f64 * 0.02 + dice.unit()).collect();
    let g: Vec<f64> = (0..k).map(|_| 10f64.powf(6.0 * dice.unit())).collect();
    let means = program.solve(Objective { targets: &m, stiffness: &g }, &mut Monitor::default()).unwrap();
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&m, &g) in m.iter().zip(&g) {
        blocks.push((m, g, 1));
        while let [.., (a, u, p), (b, v, q)] = blocks[..] {
            if a <= b {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push(((a * u + b * v) / (u + v), u + v, p + q));
        }
    }
    let expected = blocks.iter().flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count));
    for (mean, expected) in means.iter().zip(expected) {
        assert!((mean - expected).abs() <= 1e-9);
    }
}

/// Objectives that put the middle two of four means anywhere, and next to zero, where a mean's own size says nothing of
/// the rounding in it.
const BESIDE_WIDE: [([f64; 4], [f64; 4]); 3] = [
    ([-0.1, 0.0, 0.3, 0.2], [1.0, 3.0, 2.0, 5.0]),
    ([-0.1, 0.3, -0.3, 0.1], [1.0, 3.0, 3.0, 1.0]),
    ([-0.1, 0.1, -0.3, 0.7], [7.0, 3.0, 1.0, 1.0]),
];

#[test]
fn a_small_equality_between_wide_gaps_is_met() {
    // Gaps 1 and 3 move the means by a billion times what gap 2 asks, and leave their rounding on it.
    for narrow in [7.23e-10, 1e-13, 1e-16] {
        for wide in [0.666_666_67, 0.1, 3.3] {
            let bounds = GapBounds::per_gap(&[wide, narrow, wide], &[f64::INFINITY, narrow, f64::INFINITY]).unwrap();
            let rows = matrix(&bounds.rows(4).unwrap(), &frame());
            let mut program = MeanProgram::new(rows, &mut Monitor::default()).unwrap();
            BESIDE_WIDE.iter().for_each(|(m, g)| agree(&mut program, m, g, 0));
        }
    }
}

#[test]
fn a_small_equality_between_wide_rows_is_met() {
    // The same by elimination: these rows are no gaps.
    for narrow in [7.23e-10, 1e-13, 1e-16] {
        for wide in [0.666_666_67, 0.1, 3.3] {
            let matrix = [-3.0, 3.0, 0.0, 0.0, 0.0, -3.0, 3.0, 0.0, 0.0, 0.0, -3.0, 3.0];
            let (lower, upper) = ([wide, narrow, wide], [f64::INFINITY, narrow, f64::INFINITY]);
            let rows = LinearRows::new(4, &matrix, &lower, &upper).unwrap();
            let mut program = MeanProgram::new(linear_matrix(&rows, &frame()), &mut Monitor::default()).unwrap();
            BESIDE_WIDE.iter().for_each(|(m, g)| agree(&mut program, m, g, 0));
        }
    }
}

#[test]
fn equalities_that_agree_only_to_rounding_are_held() {
    // A point far from zero, every row computed from it in doubles, and one row the sum of the others.
    let mut dice = Dice(0x5eed);
    for case in 0..500 {
        let k = 2 + dice.below(3);
        let far = 10f64.powf(12.0 * dice.unit());
        let x: Vec<f64> = (0..7).map(|i| far + f64::from(i) * 2.0 + dice.unit()).collect();
        let frame = Frame::of_sorted(&x).unwrap();
        let point: Vec<f64> = (0..k).map(|i| x[i + 1]).collect();
        let mut rows: Vec<Vec<f64>> =
            (0..k).map(|_| (0..k).map(|_| (dice.unit() - 0.5) * 10f64.powf(4.0 * dice.unit())).collect()).collect();
        rows.push((0..k).map(|i| rows.iter().map(|row| row[i]).sum()).collect());
        let value = |row: &Vec<f64>| row.iter().zip(&point).map(|(a, x)| a * x).sum::<f64>();
        let bounds: Vec<f64> = rows.iter().map(value).collect();
        let linear = LinearRows::new(k, &rows.concat(), &bounds, &bounds).unwrap();
        let program = MeanProgram::new(linear_matrix(&linear, &frame), &mut Monitor::default())
            .unwrap_or_else(|error| panic!("case {case}: {error:?}"));
        // A row that was loosened is no equality any more, and is not taken for one.
        let stale = program.last.iter().find(|bound| bound.side == Side::Both && !program.rows.is_equality(bound.row));
        assert!(stale.is_none(), "case {case}: {stale:?}");
    }
}

#[test]
fn what_clashes_by_more_than_rounding_is_still_refused() {
    let frame = Frame::of_sorted(&[1e6, 1e6 + 1.0, 1e6 + 2.0]).unwrap();
    let rows = LinearRows::new(1, &[1.0, 1.0], &[1e6, 1e6 + 1e-7], &[1e6, 1e6 + 1e-7]).unwrap();
    assert_eq!(
        MeanProgram::new(linear_matrix(&rows, &frame), &mut Monitor::default()).err(),
        Some(Failure::Clash(vec![0, 1]))
    );
}

fn matrix(rows: &Rows, frame: &Frame) -> RowMatrix {
    RowMatrix::new(rows, frame, f64::INFINITY, &Monitor::default()).unwrap()
}

fn linear_matrix(rows: &LinearRows, frame: &Frame) -> RowMatrix {
    matrix(&rows.rows(rows.k()).unwrap(), frame)
}
