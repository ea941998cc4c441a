//! `mixture` and its fit.

use mindgap::{Mixture, MixtureError, Status, ToleranceScale, VarianceModel};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::choice::choose;
use crate::constraint::{Asked, Bounds, RowArrays};
use crate::engine::PythonEngine;
use crate::errors::IntoPyErr;
use crate::kmeans::words;
use crate::sample::Sample;
use crate::watch::Watcher;

/// Weights, means and variances, as they arrive.
#[derive(FromPyObject)]
pub(crate) struct ParameterArrays<'py>(
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
);

impl ParameterArrays<'_> {
    pub(crate) fn start(&self, py: Python<'_>) -> PyResult<mindgap::Parameters> {
        mindgap::Parameters::new(self.0.as_slice()?, self.1.as_slice()?, self.2.as_slice()?)
            .map_err(|error| error.into_py_err(py))
    }
}

/// A fitted mixture.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct MixtureFit {
    pub(crate) inner: mindgap::MixtureFit,
    /// What was fitted, to be certified.
    pub(crate) problem: Mixture,
}

/// Fits a mixture to a sample, or to the data that an engine answers for.
#[pyfunction]
#[pyo3(signature = (sample, start, bounds=None, *, tol, tol_scale, max_iter, variances, min_variance=None, weight_rows=None, precision_rows=None, spread_ratio=None, engine=None, watch=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn mixture(
    py: Python<'_>,
    sample: &Sample,
    start: ParameterArrays<'_>,
    bounds: Option<Bounds<'_>>,
    tol: f64,
    tol_scale: &str,
    max_iter: usize,
    variances: &str,
    min_variance: Option<f64>,
    weight_rows: Option<RowArrays<'_>>,
    precision_rows: Option<RowArrays<'_>>,
    spread_ratio: Option<f64>,
    engine: Option<Py<PyAny>>,
    watch: Option<Py<PyAny>>,
) -> PyResult<MixtureFit> {
    let start = start.start(py)?;
    let scales = [("data", ToleranceScale::Data), ("absolute", ToleranceScale::Absolute)];
    let models = [("free", VarianceModel::Free), ("equal", VarianceModel::Equal)];
    let asked = Asked::new(py, start.k(), bounds, [weight_rows, precision_rows], spread_ratio)?;
    let problem = Mixture::new(start.k())
        .constraint(asked)
        .tol(tol)
        .tol_scale(choose(py, "tol_scale", tol_scale, &scales)?)
        .max_iter(max_iter)
        .variances(choose(py, "variances", variances, &models)?)
        .min_variance(min_variance);
    let mut watcher = Watcher::new(watch);
    let (fitted, engine_raised) = py.detach(|| run(problem.clone(), sample, start, engine, &mut watcher));
    match watcher.raised.or(engine_raised) {
        Some(raised) => Err(raised),
        None => fitted.map(|inner| MixtureFit { inner, problem }).map_err(|error| error.into_py_err(py)),
    }
}

/// Runs the fit, detached, on the sample or on the engine; also what the engine raised.
fn run(
    problem: Mixture,
    sample: &Sample,
    start: mindgap::Parameters,
    engine: Option<Py<PyAny>>,
    watcher: &mut Watcher,
) -> (Result<mindgap::MixtureFit, MixtureError>, Option<PyErr>) {
    let mut watch = |progress: &mindgap::Progress| watcher.observe(progress);
    let problem = problem.init(start);
    match engine {
        None => (problem.fit_with(&*sample.inner, Some(&mut watch)), None),
        Some(callable) => {
            let mut engine = PythonEngine::new(callable, &sample.inner);
            let fitted = problem.fit_with(&mut engine, Some(&mut watch));
            (fitted, engine.raised)
        }
    }
}

#[pymethods]
impl MixtureFit {
    /// The weights, which sum to one.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.weights())
    }

    /// The means, ascending.
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.means())
    }

    /// The variances.
    #[getter]
    fn variances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.variances())
    }

    /// For each component, which one of the start it grew from.
    #[getter]
    fn origins<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.inner.origins().iter().map(|&component| component as i64))
    }

    /// The most likely component of each input point; empty if the data lie with an engine.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_iter(py, self.inner.labels().iter().map(|&label| label as i32))
    }

    /// The log-likelihood.
    #[getter]
    fn log_likelihood(&self) -> f64 {
        self.inner.log_likelihood()
    }

    /// The log-likelihood of the start and of each iterate.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.history())
    }

    /// The number of iterations.
    #[getter]
    fn n_iter(&self) -> usize {
        self.inner.n_iter()
    }

    /// How the fit ended, in one word.
    #[getter]
    fn status(&self) -> &'static str {
        match self.inner.status() {
            Status::Converged => "converged",
            Status::Collapsed { .. } => "collapsed",
            Status::LostWeight { .. } => "lost-weight",
            _ => "max-iterations",
        }
    }

    /// How the fit ended, in a sentence.
    #[getter]
    fn message(&self) -> String {
        self.inner.status().to_string()
    }

    /// The distances between neighbouring means.
    #[getter]
    fn gaps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.gaps())
    }

    /// Which bound each gap, or each row, is at: "free", "lower", "upper" or "both".
    #[getter]
    fn active(&self) -> Vec<&'static str> {
        words(self.inner.active())
    }

    /// The number of free parameters.
    #[getter]
    fn n_parameters(&self) -> usize {
        self.inner.parameter_count()
    }

    /// The sum of the weights of the points.
    #[getter]
    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    /// What the integrated completed likelihood adds to BIC; None if the engine does not tell.
    #[getter]
    fn entropy(&self) -> Option<f64> {
        self.inner.icl().map(|icl| icl - self.inner.bic())
    }
}
