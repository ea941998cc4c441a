//! Settings that are one of a few names.

use pyo3::prelude::*;

use crate::errors::invalid;

/// Returns the choice of a name, or an error that lists the choices.
pub(crate) fn choose<T: Copy>(py: Python<'_>, setting: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|(choice, _)| *choice == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(choice, _)| format!("{choice:?}")).collect();
        invalid(py, &format!("{setting} is {name:?}; it must be {}", names.join(" or ")))
    })
}
