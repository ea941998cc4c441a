//! `kmeans` and its fit.

use std::sync::Arc;

use mindgap::{Centers, Error, KMeans, KMeansMethod, Monitor, Progress, Side, Ties};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::choice::choose;
use crate::constraint::Bounds;
use crate::sample::Sample;
use crate::watch::{Watcher, duration};

/// Clusters, their centres, and a lower bound on the optimal cost.
#[pyclass(frozen, module = "mindgap._core")]
pub(crate) struct KMeansFit {
    /// Without its labels.
    inner: mindgap::KMeansFit,
    labels: Py<PyArray1<i32>>,
    /// The data of a fit of an array: all points, or the means and weights of narrow cells.
    sample: Option<Arc<mindgap::Sample>>,
}

/// A sample, or an array in any order.
#[derive(FromPyObject)]
pub(crate) enum Points<'py> {
    Sample(Bound<'py, Sample>),
    /// Read without a copy where possible. Python may write to it at any time, even during the fit.
    Array(PyReadonlyArray1<'py, f64>),
}

/// Fits k-means to a sample, or to an array that may have `weights`.
#[pyfunction]
#[pyo3(signature = (data, k, bounds=None, *, weights=None, centers="free", method="exact", ties="split", min_size=None,
    max_size=None, time_limit=None, tol=1e-9, memory_limit=None, labels=true, watch=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn kmeans(
    py: Python<'_>,
    data: Points<'_>,
    k: usize,
    bounds: Option<Bounds<'_>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    centers: &str,
    method: &str,
    ties: &str,
    min_size: Option<f64>,
    max_size: Option<f64>,
    time_limit: Option<f64>,
    tol: f64,
    memory_limit: Option<usize>,
    labels: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<KMeansFit> {
    let mut problem = KMeans::new(k)
        .centers(centers_of(py, centers)?)
        .method(method_of(py, method)?)
        .ties(choose(py, "ties", ties, &[("split", Ties::Split), ("together", Ties::Together)])?)
        .min_size(min_size)
        .max_size(max_size)
        .tol(tol)
        .time_limit(duration(time_limit))
        .memory_limit(memory_limit)
        .labels(labels);
    if let Some(bounds) = bounds {
        problem = problem.constraint(bounds.rows(py, k)?);
    }
    let mut watcher = Watcher::new(watch);
    let mut observe = |progress: &Progress| watcher.observe(progress);
    let fitted = match &data {
        Points::Sample(sample) => {
            let sample = &sample.get().inner;
            let fitted = py.detach(|| problem.fit_with(sample, &mut Monitor::stopping(&mut observe)));
            fitted.map(|fit| (fit, None)).map_err(Error::from)
        }
        Points::Array(array) => {
            let values = array.as_slice()?;
            let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
            let fitted = py.detach(|| {
                let mut monitor = Monitor::stopping(&mut observe);
                match weights {
                    None => problem.fit_values(values, &mut monitor),
                    Some(weights) => problem.fit_weighted(values, weights, &mut monitor),
                }
            });
            fitted.map(|(fit, sample)| (fit, Some(sample)))
        }
    };
    watcher.finish(py, fitted).map(|(inner, sample)| KMeansFit::new(py, inner, sample))
}

impl KMeansFit {
    /// Hands the labels over to numpy, without a copy.
    fn new(py: Python<'_>, mut inner: mindgap::KMeansFit, sample: Option<mindgap::Sample>) -> Self {
        let labels: Vec<i32> = inner.take_labels().into_iter().map(|label| label as i32).collect();
        Self { inner, labels: labels.into_pyarray(py).unbind(), sample: sample.map(Arc::new) }
    }
}

/// The kind of centres by name.
pub(crate) fn centers_of(py: Python<'_>, name: &str) -> PyResult<Centers> {
    choose(py, "centers", name, &[("free", Centers::Free), ("means", Centers::Means)])
}

/// The method by name.
pub(crate) fn method_of(py: Python<'_>, name: &str) -> PyResult<KMeansMethod> {
    choose(py, "method", name, &[("exact", KMeansMethod::Exact), ("paper", KMeansMethod::Paper)])
}

/// The names of active bounds.
pub(crate) fn side_names(active: &[Option<Side>]) -> Vec<&'static str> {
    let word = |side: &Option<Side>| match side {
        None => "free",
        Some(Side::Lower) => "lower",
        Some(Side::Upper) => "upper",
        Some(Side::Both) => "both",
    };
    active.iter().map(word).collect()
}

#[pymethods]
impl KMeansFit {
    /// The data of a fit of an array: all points, or the means and weights of narrow cells.
    #[getter]
    fn sample(&self) -> Option<Sample> {
        self.sample.clone().map(|inner| Sample { inner })
    }

    /// The attributes of a result by name. One call, because a call for each would take as long as a fit of few points.
    fn measured<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fit = &self.inner;
        let numbers = |numbers: &[f64]| PyArray1::from_slice(py, numbers);
        let sizes = PyArray1::from_iter(py, fit.sizes().iter().map(|&size| size as i64));
        let measured = PyDict::new(py);
        measured.set_item(intern!(py, "labels"), &self.labels)?;
        measured.set_item(intern!(py, "centers"), numbers(fit.centers()))?;
        measured.set_item(intern!(py, "boundaries"), numbers(fit.boundaries()))?;
        measured.set_item(intern!(py, "sizes"), sizes)?;
        measured.set_item(intern!(py, "weights"), numbers(fit.weights()))?;
        measured.set_item(intern!(py, "within"), numbers(fit.within()))?;
        measured.set_item(intern!(py, "inertia"), fit.inertia())?;
        measured.set_item(intern!(py, "gaps"), numbers(fit.gaps()))?;
        measured.set_item(intern!(py, "active"), PyTuple::new(py, side_names(fit.active()))?)?;
        measured.set_item(intern!(py, "lower_bound"), fit.lower_bound())?;
        measured.set_item(intern!(py, "optimal"), fit.is_optimal())?;
        Ok(measured)
    }

    /// The smallest of the data, then the largest in each cluster.
    fn limits<'py>(&self, py: Python<'py>, data: Points<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let limits = match &data {
            Points::Sample(sample) => {
                let sample = &sample.get().inner;
                py.detach(|| self.inner.limits_of(sample))
            }
            Points::Array(array) => {
                let values = array.as_slice()?;
                py.detach(|| self.inner.limits(values))
            }
        };
        Ok(limits.into_pyarray(py))
    }
}
