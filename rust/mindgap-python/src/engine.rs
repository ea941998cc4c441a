//! Engines: the local one for Python, and Python's own for the core.

use std::borrow::Cow;
use std::sync::Arc;

use mindgap::{BoxError, Engine, LocalEngine, Moments, Parameters};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::invalid;
use crate::mixture::{ParameterArrays, to_arrays};
use crate::sample::Sample;

/// Moments as arrays: weight, first, second; then the log-likelihood and the classification.
pub(crate) type MomentArrays<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64, Option<f64>);

/// The moments of a sample at some parameters.
#[pyfunction]
pub(crate) fn moments<'py>(
    py: Python<'py>,
    sample: &Sample,
    parameters: ParameterArrays<'py>,
) -> PyResult<MomentArrays<'py>> {
    let parameters = parameters.parameters(py)?;
    let moments = py
        .detach(|| LocalEngine::new(&sample.inner).finish(&parameters))
        .map_err(|error| invalid(py, &error.to_string()))?;
    Ok(as_arrays(py, &moments))
}

/// Converts moments to arrays.
pub(crate) fn as_arrays<'py>(py: Python<'py>, moments: &Moments) -> MomentArrays<'py> {
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    let (weight, first, second) = (array(&moments.weight), array(&moments.first), array(&moments.second));
    (weight, first, second, moments.log_likelihood, moments.classification)
}

/// An engine that calls Python for its moments. An exception there becomes the source of the fit's error.
pub(crate) struct PythonEngine {
    callable: Py<PyAny>,
    sample: Arc<mindgap::Sample>,
}

/// The callable's result: weight, first, second, log-likelihood, classification.
#[derive(FromPyObject)]
struct Answer<'py>(
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    f64,
    Option<f64>,
);

impl PythonEngine {
    /// Makes an engine; `sample` is the data or a summary of them, for their total weight and scale.
    pub(crate) fn new(callable: Py<PyAny>, sample: &Arc<mindgap::Sample>) -> Self {
        Self { callable, sample: Arc::clone(sample) }
    }

    fn ask(&self, py: Python<'_>, parameters: &Parameters, last: bool) -> PyResult<Moments> {
        let (weights, means, variances) = to_arrays(py, parameters);
        let answer: Answer<'_> = self.callable.bind(py).call1((weights, means, variances, last))?.extract()?;
        let [weight, first, second] =
            [&answer.0, &answer.1, &answer.2].map(|sums| sums.as_slice().map(<[f64]>::to_vec));
        let mut moments = Moments::new(weight?, first?, second?, answer.3);
        moments.classification = answer.4;
        Ok(moments)
    }

    fn answer(&self, parameters: &Parameters, last: bool) -> Result<Moments, BoxError> {
        Ok(Python::attach(|py| self.ask(py, parameters, last))?)
    }
}

impl Engine for PythonEngine {
    fn load(&mut self) -> Result<Cow<'_, mindgap::Sample>, BoxError> {
        Ok(Cow::Borrowed(&self.sample))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.answer(parameters, false)
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.answer(parameters, true)
    }
}
