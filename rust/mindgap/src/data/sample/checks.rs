//! Checks of values and weights.

use crate::error::{OutOfMemory, SampleError};
use crate::memory::{check_memory, product};

/// The most memory of a point: value (8), input index (4), and either its weight or the scratch memory of a comparison
/// sort (16).
const BYTES_A_POINT: usize = 28;

/// Checks that the number of points is positive and fits an index.
pub(super) fn check_number(values: &[f64]) -> Result<(), SampleError> {
    match values.len() {
        0 => Err(SampleError::Empty),
        len if len > u32::MAX as usize => Err(SampleError::TooMany { len }),
        _ => Ok(()),
    }
}

/// The most memory that sorting this many points takes, in bytes.
pub(super) fn sort_bytes(points: usize) -> usize {
    product(&[points, BYTES_A_POINT])
}

/// Checks that there is memory to sort this many points.
pub(super) fn check_sort(points: usize) -> Result<(), OutOfMemory> {
    check_memory("a sorted copy of the data", sort_bytes(points))
}

/// Checks that sums of squares do not overflow.
pub(super) fn check_total(total: f64, range: f64) -> Result<(), SampleError> {
    if (total * (1.0 + range * range)).is_finite() { Ok(()) } else { Err(SampleError::WeightOverflow { total }) }
}

/// Checks that all values are finite; there may be none.
pub(crate) fn check_finite(values: &[f64]) -> Result<(), SampleError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(SampleError::NotFinite { index, value: values[index] }),
        None => Ok(()),
    }
}

/// Returns the sum of the weights after checking them; they may all be zero.
pub(crate) fn check_weights(points: usize, weights: &[f64]) -> Result<f64, SampleError> {
    if weights.len() != points {
        return Err(SampleError::WeightCount { points, weights: weights.len() });
    }
    if let Some(index) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(SampleError::BadWeight { index, value: weights[index] });
    }
    let total: f64 = weights.iter().sum();
    if !total.is_finite() {
        return Err(SampleError::WeightOverflow { total });
    }
    Ok(total)
}
