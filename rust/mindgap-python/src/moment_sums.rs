//! `MomentSums`: the moments of part of the data, which are added without rounding.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::engine::{MomentArrays, as_arrays};
use crate::errors::{IntoPyErr, invalid};
use crate::mixture::ParameterArrays;
use crate::snapshot::snapshots;

/// The moments of some points, which can be added to those of others.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct MomentSums {
    inner: mindgap::MomentSums,
}

#[pymethods]
impl MomentSums {
    /// Points whose sums are rounded together.
    #[classattr]
    const RUN: usize = mindgap::MomentSums::RUN;

    /// Restores sums from the result of `__getnewargs__`.
    #[new]
    fn new(py: Python<'_>, parts: Vec<Vec<f64>>) -> PyResult<Self> {
        mindgap::MomentSums::from_parts(parts.iter().map(Vec::as_slice))
            .map(|inner| Self { inner })
            .ok_or_else(|| invalid(py, "these are not the parts of the sums of a mixture"))
    }

    /// Sums over an array on this thread, detached from the interpreter, with or without the classification.
    #[staticmethod]
    fn of_chunk(
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        parameters: ParameterArrays<'_>,
        classify: bool,
    ) -> PyResult<Self> {
        let mixture = parameters.parameters(py)?;
        let (values, weights) = snapshots(py, &values, weights.as_ref())?;
        let of = if classify { mindgap::MomentSums::of_chunk } else { mindgap::MomentSums::unclassified };
        py.detach(|| of(&values, weights.as_deref(), &mixture))
            .map(|inner| Self { inner })
            .map_err(|error| error.into_py_err(py))
    }

    /// Weight, first, second, log-likelihood, classification, each rounded once.
    fn moments<'py>(&self, py: Python<'py>) -> MomentArrays<'py> {
        as_arrays(py, &self.inner.moments())
    }

    fn __add__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let (mine, theirs) = (self.inner.components(), other.inner.components());
        if mine != theirs {
            return Err(invalid(py, &format!("moments of {mine} and of {theirs} components cannot be added")));
        }
        let mut inner = self.inner.clone();
        inner.add(&other.inner);
        Ok(Self { inner })
    }

    fn __getnewargs__(&self) -> (Vec<Vec<f64>>,) {
        (self.inner.parts().map(<[f64]>::to_vec).collect(),)
    }
}
