//! The rows of a step: those of the weights, the means and the precisions, in scaled steps.

use super::model::{BLOCK, units};
use crate::mixture::m_step::MStep;
use crate::mixture::parameters::Parameters;
use crate::qp::RowMatrix;
use crate::qp::dense::SparseRows;

/// The least weight during a climb: an empty component keeps its place, and its responsibilities tell whether to revive
/// it. It costs the log-likelihood less than `1e-15` per point.
pub(super) const LEAST_WEIGHT: f64 = 1e-15;

/// A lower bound that is below a variance by more than this factor is left out: no step reaches it.
const FAR_FLOOR: f64 = 1e6;

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mixture) enum RowKind {
    /// The sum of the weights, or another row that bounds no single component.
    Sum,
    /// The least weight of a component.
    Weight(usize),
    /// A row on the means.
    Mean,
    /// A bound on the precisions that keeps the spread of this component from being smaller.
    Spread(usize),
}

/// Writes the rows at `parameters` and their kinds.
pub(in crate::mixture) fn write(
    m_step: &MStep,
    parameters: &Parameters,
    rows: &mut SparseRows,
    kinds: &mut Vec<RowKind>,
) {
    rows.clear();
    kinds.clear();
    let k = parameters.k();
    let unit = units(parameters);
    let total: f64 = parameters.weights().iter().sum();
    rows.push((0..k).map(|c| (BLOCK * c, unit[BLOCK * c])), 1.0 - total, true);
    kinds.push(RowKind::Sum);
    for c in 0..k {
        let weight = parameters.weights()[c];
        let [lower, upper] = m_step.weights.bounds(c);
        let fixed = lower == upper;
        let level = lower.max(LEAST_WEIGHT) / weight - 1.0;
        rows.push([(BLOCK * c, 1.0)], if fixed { level } else { level.min(0.0) }, fixed);
        kinds.push(RowKind::Weight(c));
        if upper < 1.0 && !fixed {
            rows.push([(BLOCK * c, -1.0)], (1.0 - upper / weight).min(0.0), false);
            kinds.push(RowKind::Weight(c));
        }
    }
    if let Some(given) = m_step.weights.rows() {
        push(given, parameters.weights(), &unit, 0, RowKind::Weight(0), rows, kinds);
    }
    if let Some(program) = &m_step.means.program {
        push(program.rows(), parameters.means(), &unit, 1, RowKind::Mean, rows, kinds);
    }
    let precision = |c: usize| unit[BLOCK * c + 2];
    if let Some(tie) = m_step.precisions.tie() {
        // log p + 2 log μ does not change, or by the same amount for all components.
        let pull = |c: usize| 2.0 * unit[BLOCK * c + 1] / tie.size(parameters.means()[c]);
        for c in usize::from(tie.given.is_none())..k {
            let own = [(BLOCK * c + 2, 1.0), (BLOCK * c + 1, pull(c))];
            let first = [(2, -1.0), (1, -pull(0))];
            let others = if tie.given.is_none() { &first[..] } else { &[] };
            rows.push(own.into_iter().chain(others.iter().copied()), 0.0, true);
            kinds.push(RowKind::Sum);
        }
    }
    if m_step.precisions.is_equal() {
        for c in 1..k {
            rows.push([(2, -1.0), (BLOCK * c + 2, 1.0)], 0.0, true);
            kinds.push(RowKind::Sum);
        }
    } else if let Some(ratio) = m_step.precisions.variance_ratio() {
        for (low, high) in (0..k).flat_map(|low| (0..k).map(move |high| (low, high))).filter(|(a, b)| a != b) {
            // r² p_low (1 + u_low) ≥ p_high (1 + u_high), divided by p_high.
            let share = ratio * precision(low) / precision(high);
            rows.push([(BLOCK * low + 2, share), (BLOCK * high + 2, -1.0)], 1.0 - share, false);
            kinds.push(RowKind::Spread(high));
        }
    }
    for c in 0..k {
        let [least, most] = m_step.precisions.bounds(c);
        let (highest, lowest) = (1.0 / (least * precision(c)), 1.0 / (most * precision(c)));
        let fixed = least == most;
        if highest < FAR_FLOOR || fixed {
            let level = 1.0 - highest;
            rows.push([(BLOCK * c + 2, -1.0)], if fixed { level } else { level.min(0.0) }, fixed);
            kinds.push(if fixed { RowKind::Sum } else { RowKind::Spread(c) });
        }
        if lowest > 0.0 && !fixed {
            rows.push([(BLOCK * c + 2, 1.0)], (lowest - 1.0).min(0.0), false);
            kinds.push(RowKind::Sum);
        }
    }
    if let Some(given) = m_step.precisions.rows() {
        let precisions: Vec<f64> = (0..k).map(precision).collect();
        push(given, &precisions, &unit, 2, RowKind::Sum, rows, kinds);
    }
}

/// Writes the rows of one block, whose variables have these `values`.
fn push(
    given: &RowMatrix,
    values: &[f64],
    unit: &[f64],
    block: usize,
    kind: RowKind,
    rows: &mut SparseRows,
    kinds: &mut Vec<RowKind>,
) {
    for row in 0..given.len() {
        let (lower, upper) = given.bounds(row);
        let value = given.value(row, values);
        let terms = |sign: f64| {
            let coefficients = given.row(row).iter().enumerate().filter(|(_, a)| **a != 0.0);
            coefficients.map(move |(c, a)| (BLOCK * c + block, sign * a * unit[BLOCK * c + block]))
        };
        if lower > f64::NEG_INFINITY {
            rows.push(terms(1.0), lower - value, lower == upper);
            kinds.push(kind);
        }
        if upper < f64::INFINITY && lower != upper {
            rows.push(terms(-1.0), value - upper, false);
            kinds.push(kind);
        }
    }
}
