//! Room for large arrays, asked for before they are made.

use pyo3::prelude::*;

use crate::errors::out_of_memory;

/// Refuses what needs more bytes than are available: an allocation that fails later would end the process.
#[pyfunction]
pub(crate) fn check_memory(py: Python<'_>, what: &str, n_bytes: usize) -> PyResult<()> {
    // An allocation that nobody looks at may be left out, and then it never fails.
    match std::hint::black_box(Vec::<u8>::new()).try_reserve_exact(n_bytes) {
        Ok(()) => Ok(()),
        Err(_) => Err(out_of_memory(py, what, n_bytes)),
    }
}
