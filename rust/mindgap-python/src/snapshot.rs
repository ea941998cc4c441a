//! Copies of arrays that another thread may write to.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::errors::no_room_for_a_copy;

/// The numbers of an array as they are now. What the core has checked must not change before it is used, and only Rust
/// knows that the array is borrowed: Python can write to it at any time.
pub(crate) fn snapshot(py: Python<'_>, array: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
    let values = array.as_slice()?;
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len()).map_err(|_| no_room_for_a_copy(py, values.len()))?;
    py.detach(|| copy.extend_from_slice(values));
    Ok(copy)
}
