//! The stored form of constraints. A missing bound is null, because JSON has no infinity. Deserialising goes through
//! the constructors.

use super::gap_bounds::{GapBounds, PerGap};
use super::linear_rows::LinearRows;
use super::rows::Side;
use crate::error::{Cause, ConstraintError};
use crate::stored::stored_as;
use serde::{Deserialize, Serialize};

/// One bound for all gaps, or a list with one for each.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum PerGapForm {
    Same(Option<f64>),
    Each(Vec<Option<f64>>),
}

/// A missing side has no bound.
impl Default for PerGapForm {
    fn default() -> Self {
        Self::Same(None)
    }
}

/// [`GapBounds`] as serde writes it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GapBoundsForm {
    #[serde(default)]
    lower: PerGapForm,
    #[serde(default)]
    upper: PerGapForm,
}

/// [`LinearRows`] as serde writes it: the coefficients row by row.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearRowsForm {
    k: usize,
    matrix: Vec<f64>,
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
}

fn write(bound: f64) -> Option<f64> {
    bound.is_finite().then_some(bound)
}

fn write_all(bounds: &[f64]) -> Vec<Option<f64>> {
    bounds.iter().map(|&bound| write(bound)).collect()
}

fn read_all(bounds: &[Option<f64>], missing: f64) -> Vec<f64> {
    bounds.iter().map(|bound| bound.unwrap_or(missing)).collect()
}

impl From<&PerGap> for PerGapForm {
    fn from(side: &PerGap) -> Self {
        match side {
            PerGap::Same(bound) => Self::Same(write(*bound)),
            PerGap::Each(bounds) => Self::Each(write_all(bounds)),
        }
    }
}

impl From<GapBounds> for GapBoundsForm {
    fn from(bounds: GapBounds) -> Self {
        Self { lower: (&bounds.lower).into(), upper: (&bounds.upper).into() }
    }
}

impl TryFrom<GapBoundsForm> for GapBounds {
    type Error = ConstraintError;

    fn try_from(form: GapBoundsForm) -> Result<Self, ConstraintError> {
        match (form.lower, form.upper) {
            (PerGapForm::Same(lower), PerGapForm::Same(upper)) => {
                GapBounds::between(lower.unwrap_or(0.0), upper.unwrap_or(f64::INFINITY))
            }
            (PerGapForm::Each(lower), PerGapForm::Each(upper)) => {
                GapBounds::per_gap(&read_all(&lower, 0.0), &read_all(&upper, f64::INFINITY))
            }
            (PerGapForm::Each(lower), PerGapForm::Same(None)) => {
                GapBounds::per_gap(&read_all(&lower, 0.0), &vec![f64::INFINITY; lower.len()])
            }
            (PerGapForm::Same(None), PerGapForm::Each(upper)) => {
                GapBounds::per_gap(&vec![0.0; upper.len()], &read_all(&upper, f64::INFINITY))
            }
            _ => Err(ConstraintError::Refused(Cause::new(
                "one side has a bound for all gaps, the other one for each; write both sides the same way",
            ))),
        }
    }
}

impl From<LinearRows> for LinearRowsForm {
    fn from(rows: LinearRows) -> Self {
        let matrix = (0..rows.len()).flat_map(|row| rows.row(row)).copied().collect();
        Self { k: rows.k(), matrix, lower: write_all(rows.lower()), upper: write_all(rows.upper()) }
    }
}

impl TryFrom<LinearRowsForm> for LinearRows {
    type Error = ConstraintError;

    fn try_from(form: LinearRowsForm) -> Result<Self, ConstraintError> {
        let (lower, upper) = (read_all(&form.lower, f64::NEG_INFINITY), read_all(&form.upper, f64::INFINITY));
        LinearRows::new(form.k, &form.matrix, &lower, &upper)
    }
}

stored_as!(GapBounds, GapBoundsForm);
stored_as!(LinearRows, LinearRowsForm);

/// The bound that a gap or row is at, as a word.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SideWord {
    Free,
    Lower,
    Upper,
    Both,
}

pub(crate) fn side_words(active: &[Option<Side>]) -> Vec<SideWord> {
    let word = |side: &Option<Side>| match side {
        None => SideWord::Free,
        Some(Side::Lower) => SideWord::Lower,
        Some(Side::Upper) => SideWord::Upper,
        Some(Side::Both) => SideWord::Both,
    };
    active.iter().map(word).collect()
}

pub(crate) fn sides(words: &[SideWord]) -> Vec<Option<Side>> {
    let side = |word: &SideWord| match word {
        SideWord::Free => None,
        SideWord::Lower => Some(Side::Lower),
        SideWord::Upper => Some(Side::Upper),
        SideWord::Both => Some(Side::Both),
    };
    words.iter().map(side).collect()
}
