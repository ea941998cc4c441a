//! What data must satisfy to be a sample.

use crate::error::{OutOfMemory, SampleError};
use crate::memory::{check_memory, product};

/// What a point takes at most: sorted, with its place in the input, and either its weight or what an ordinary sort of all
/// of them needs beside it.
const BYTES_A_POINT: usize = 28;

/// Checks that there are points, and not too many.
pub(super) fn check_number(values: &[f64]) -> Result<(), SampleError> {
    match values.len() {
        0 => Err(SampleError::Empty),
        len if len > u32::MAX as usize => Err(SampleError::TooMany { len }),
        _ => Ok(()),
    }
}

/// Checks that there is memory to sort so many points.
pub(super) fn check_sort(points: usize) -> Result<(), OutOfMemory> {
    check_memory("a sorted copy of the data", product(&[points, BYTES_A_POINT]))
}

/// Checks that sums of squares do not overflow.
pub(super) fn check_total(total: f64, range: f64) -> Result<(), SampleError> {
    if (total * (1.0 + range * range)).is_finite() { Ok(()) } else { Err(SampleError::WeightOverflow { total }) }
}

/// Whether all values are finite; there may be none.
pub(crate) fn check_finite(values: &[f64]) -> Result<(), SampleError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(SampleError::NotFinite { index, value: values[index] }),
        None => Ok(()),
    }
}

/// The sum of the weights, if they are sound; they may all be zero.
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
