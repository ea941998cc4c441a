//! `mixture` and its fit.

use mindgap::mixture::{Data, MixtureMethod};
use mindgap::{Binned, Mixture, MixtureError, Monitor, Search, ToleranceScale, VarianceModel};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::choice::choose;
use crate::constraint::{Bounds, MixtureRows, RowArrays};
use crate::engine::PythonEngine;
use crate::errors::IntoPyErr;
use crate::kmeans::side_names;
use crate::sample::Sample;
use crate::watch::{Watcher, duration};

/// Weights, means and variances as arrays.
#[derive(FromPyObject)]
pub(crate) struct ParameterArrays<'py>(
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
);

impl ParameterArrays<'_> {
    pub(crate) fn parameters(&self, py: Python<'_>) -> PyResult<mindgap::Parameters> {
        mindgap::Parameters::new(self.0.as_slice()?, self.1.as_slice()?, self.2.as_slice()?)
            .map_err(|error| error.into_py_err(py))
    }
}

/// New arrays with weights, means and variances.
pub(crate) type Triple<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Copies parameters to arrays.
pub(crate) fn to_arrays<'py>(py: Python<'py>, parameters: &mindgap::Parameters) -> Triple<'py> {
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    (array(parameters.weights()), array(parameters.means()), array(parameters.variances()))
}

/// Edges and counts as arrays.
#[derive(FromPyObject)]
pub(crate) struct BinArrays<'py>(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

impl BinArrays<'_> {
    fn binned(&self, py: Python<'_>) -> PyResult<Binned> {
        Binned::new(self.0.as_slice()?, self.1.as_slice()?).map_err(|error| error.into_py_err(py))
    }
}

/// A fitted mixture.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct MixtureFit {
    pub(crate) inner: mindgap::MixtureFit,
    /// The problem, for `certify`.
    pub(crate) problem: Mixture,
}

/// Fits a mixture to a sample or to the data of an engine; without a start the core searches for one.
#[pyfunction]
#[pyo3(signature = (sample, k, start=None, bounds=None, *, method, tol, tol_scale, max_iter, variances, min_variance, starts, rng,
    weight_rows=None, precision_rows=None, spread_ratio=None, variation=None, resolution=None, support=None, bins=None,
    engine=None, time_limit=None, memory_limit=None, watch=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn mixture(
    py: Python<'_>,
    sample: &Sample,
    k: usize,
    start: Option<ParameterArrays<'_>>,
    bounds: Option<Bounds<'_>>,
    method: &str,
    tol: Option<f64>,
    tol_scale: &str,
    max_iter: usize,
    variances: &str,
    min_variance: Option<f64>,
    starts: usize,
    rng: u64,
    weight_rows: Option<RowArrays<'_>>,
    precision_rows: Option<RowArrays<'_>>,
    spread_ratio: Option<f64>,
    variation: Option<f64>,
    resolution: Option<f64>,
    support: Option<[f64; 2]>,
    bins: Option<BinArrays<'_>>,
    engine: Option<Py<PyAny>>,
    time_limit: Option<f64>,
    memory_limit: Option<usize>,
    watch: Option<Py<PyAny>>,
) -> PyResult<MixtureFit> {
    let methods = [("best", MixtureMethod::Best), ("paper", MixtureMethod::Paper)];
    let scales = [("data", ToleranceScale::Data), ("absolute", ToleranceScale::Absolute)];
    let models = [("free", VarianceModel::Free), ("equal", VarianceModel::Equal)];
    let rows = MixtureRows::new(py, k, bounds, [weight_rows, precision_rows], [spread_ratio, variation])?;
    let mut problem = Mixture::new(k)
        .constraint(rows)
        .method(choose(py, "method", method, &methods)?)
        .search(Search::new().random_starts(starts).seed(rng))
        .tol(tol)
        .tol_scale(choose(py, "tol_scale", tol_scale, &scales)?)
        .max_iter(max_iter)
        .variances(choose(py, "variances", variances, &models)?)
        .min_variance(min_variance)
        .resolution(resolution)
        .support(support)
        .time_limit(duration(time_limit))
        .memory_limit(memory_limit);
    if let Some(start) = start {
        problem = problem.init(start.parameters(py)?);
    }
    let bins = bins.map(|bins| bins.binned(py)).transpose()?;
    let mut watcher = Watcher::new(watch);
    let fitted = py.detach(|| run(&problem, sample, bins.as_ref(), engine, &mut watcher));
    watcher.finish(py, fitted).map(|inner| MixtureFit { inner, problem })
}

/// Runs the fit, detached, on the sample, its bins or the engine.
fn run(
    problem: &Mixture,
    sample: &Sample,
    bins: Option<&Binned>,
    engine: Option<Py<PyAny>>,
    watcher: &mut Watcher,
) -> Result<mindgap::MixtureFit, MixtureError> {
    let mut monitor = Monitor::stopping(|progress| watcher.observe(progress));
    match engine {
        None => {
            let data = bins.map_or_else(|| Data::from(&*sample.inner), Data::from);
            problem.fit_with(data, &mut monitor)
        }
        Some(callable) => problem.fit_with(&mut PythonEngine::new(callable, &sample.inner), &mut monitor),
    }
}

/// Several arrays, and the reasons why they are unreliable.
type ArraysWithReasons<'py> = (Vec<Bound<'py, PyArray1<f64>>>, Vec<String>);

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

    /// The component of the start that each component comes from.
    #[getter]
    fn origins<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.inner.origins().iter().map(|&component| component as i64))
    }

    /// The most likely component of each input point; empty for the data of an engine.
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
        self.inner.status().code()
    }

    /// The components that collapsed or lost their weight.
    #[getter]
    fn degenerate(&self) -> Vec<usize> {
        self.inner.status().components()
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

    /// The active bound of each gap or row: "free", "lower", "upper" or "both".
    #[getter]
    fn active(&self) -> Vec<&'static str> {
        side_names(self.inner.active())
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

    /// The difference of ICL and BIC; None if the engine returns no classification.
    #[getter]
    fn entropy(&self) -> Option<f64> {
        self.inner.entropy()
    }

    /// The predicted gain of log-likelihood of the next Newton step; None for the published EM.
    #[getter]
    fn newton_decrement(&self) -> Option<f64> {
        self.inner.newton_decrement()
    }

    /// The number of passes over the data.
    #[getter]
    fn passes(&self) -> usize {
        self.inner.passes()
    }

    /// The number of starts climbed.
    #[getter]
    fn starts(&self) -> usize {
        self.inner.starts()
    }

    /// The number of starts that reached the best maximum.
    #[getter]
    fn starts_at_best(&self) -> usize {
        self.inner.starts_at_best()
    }

    /// The second-best maximum found: weights, means, variances and its log-likelihood.
    #[getter]
    fn runner_up<'py>(&self, py: Python<'py>) -> Option<(Triple<'py>, f64)> {
        self.inner.runner_up().map(|(parameters, height)| (to_arrays(py, parameters), height))
    }

    /// Standard errors of weights, means, variances and gaps (infinite if unknown), and the reasons why they are
    /// unreliable; None if there are no second derivatives.
    #[getter]
    fn standard_errors<'py>(&self, py: Python<'py>) -> Option<ArraysWithReasons<'py>> {
        let array = |values: &Vec<Option<f64>>| {
            PyArray1::from_iter(py, values.iter().map(|value| value.unwrap_or(f64::INFINITY)))
        };
        self.inner.standard_errors().map(|errors| {
            let parts = [&errors.weights, &errors.means, &errors.variances, &errors.gaps];
            (parts.map(array).into(), errors.unreliable.clone())
        })
    }

    /// The findings: a code, the component if any, a sentence, and its number if any.
    #[getter]
    fn findings(&self) -> Vec<(&'static str, Option<usize>, String, Option<f64>)> {
        let findings = self.inner.findings().iter();
        findings.map(|finding| (finding.code(), finding.component(), finding.to_string(), finding.value())).collect()
    }
}
