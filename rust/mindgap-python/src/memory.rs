//! Checks that memory is available before a large array is made.

use pyo3::prelude::*;

use crate::errors::out_of_memory;

/// Raises an error if an allocation of this size would fail, because a failed allocation aborts the process.
#[pyfunction]
pub(crate) fn check_memory(py: Python<'_>, what: &str, n_bytes: usize) -> PyResult<()> {
    // The compiler may remove an allocation that is never used, and then it never fails.
    match std::hint::black_box(Vec::<u8>::new()).try_reserve_exact(n_bytes) {
        Ok(()) => Ok(()),
        Err(_) => Err(out_of_memory(py, what, n_bytes)),
    }
}
