//! Engines: the local one for Python to build on, and Python's own for the EM loop to ask.

use std::sync::Arc;

use mindgap::{Engine, LocalEngine, Moments, Overview, Parameters};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::invalid;
use crate::mixture::ParameterArrays;
use crate::sample::Sample;

pub(crate) type Sums<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64, f64);

/// The moments of a sample at some parameters: weight, first, second, log-likelihood, classification.
#[pyfunction]
pub(crate) fn moments<'py>(py: Python<'py>, sample: &Sample, parameters: ParameterArrays<'py>) -> PyResult<Sums<'py>> {
    let start = parameters.start(py)?;
    let moments = py.detach(|| LocalEngine::new(&sample.inner).finish(&start)).map_err(|what| invalid(py, &what))?;
    Ok(as_arrays(py, &moments))
}

/// The moments as Python sees them.
pub(crate) fn as_arrays<'py>(py: Python<'py>, moments: &Moments) -> Sums<'py> {
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    let (weight, first, second) = (array(&moments.weight), array(&moments.first), array(&moments.second));
    (weight, first, second, moments.log_likelihood, moments.classification)
}

/// A Python callable that answers for data that only it sees.
pub(crate) struct PythonEngine {
    callable: Py<PyAny>,
    sample: Arc<mindgap::Sample>,
    pub(crate) raised: Option<PyErr>,
}

/// What the callable answers: weight, first, second, log-likelihood, classification.
#[derive(FromPyObject)]
struct Answer<'py>(
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    f64,
    Option<f64>,
);

impl PythonEngine {
    /// `sample` stands for the data as far as their total weight and variance go.
    pub(crate) fn new(callable: Py<PyAny>, sample: &Arc<mindgap::Sample>) -> Self {
        Self { callable, sample: Arc::clone(sample), raised: None }
    }

    fn ask(&self, py: Python<'_>, parameters: &Parameters, last: bool) -> PyResult<Moments> {
        let array = |values: &[f64]| PyArray1::from_slice(py, values);
        let given = (array(parameters.weights()), array(parameters.means()), array(parameters.variances()), last);
        let answer: Answer<'_> = self.callable.bind(py).call1(given)?.extract()?;
        Ok(Moments {
            weight: answer.0.as_slice()?.to_vec(),
            first: answer.1.as_slice()?.to_vec(),
            second: answer.2.as_slice()?.to_vec(),
            log_likelihood: answer.3,
            classification: answer.4.unwrap_or(f64::NAN),
        })
    }

    fn answer(&mut self, parameters: &Parameters, last: bool) -> Result<Moments, String> {
        Python::attach(|py| self.ask(py, parameters, last)).map_err(|error| {
            let what = error.to_string();
            self.raised = Some(error);
            what
        })
    }
}

impl Engine for PythonEngine {
    fn overview(&mut self) -> Result<Overview, String> {
        LocalEngine::new(&self.sample).overview()
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, String> {
        self.answer(parameters, false)
    }

    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, String> {
        self.answer(parameters, true)
    }
}
