//! The built-in initializers.

use mindgap::{Ckmeans, ConstrainedKMeans, Initializer, MixtureError, Monitor, PaperStart, Rows};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::constraint::Bounds;
use crate::errors::IntoPyErr;
use crate::kmeans::{centers_of, method_of};
use crate::sample::Sample;
use crate::watch::Watcher;

type Triple<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// The start by the paper's rule: weights, means, variances.
#[pyfunction]
#[pyo3(signature = (sample, k, bounds=None))]
pub(crate) fn auto_start<'py>(
    py: Python<'py>,
    sample: &Sample,
    k: usize,
    bounds: Option<Bounds<'_>>,
) -> PyResult<Triple<'py>> {
    start(py, &PaperStart, sample, k, rows_of(py, bounds, k)?)
}

/// The start at the clusters of k-means without a constraint: weights, means, variances.
#[pyfunction]
pub(crate) fn ckmeans_start<'py>(py: Python<'py>, sample: &Sample, k: usize) -> PyResult<Triple<'py>> {
    start(py, &Ckmeans, sample, k, Rows::none(k))
}

/// The start at the clusters of k-means under the lower bounds of a constraint, or under `delta`.
#[pyfunction]
#[pyo3(signature = (sample, k, bounds=None, *, delta=None, method="exact", centers="means"))]
pub(crate) fn constrained_kmeans_start<'py>(
    py: Python<'py>,
    sample: &Sample,
    k: usize,
    bounds: Option<Bounds<'_>>,
    delta: Option<f64>,
    method: &str,
    centers: &str,
) -> PyResult<Triple<'py>> {
    let mut initializer = ConstrainedKMeans::new().method(method_of(py, method)?).centers(centers_of(py, centers)?);
    if let Some(delta) = delta {
        initializer = initializer.delta(delta);
    }
    start(py, &initializer, sample, k, rows_of(py, bounds, k)?)
}

fn rows_of(py: Python<'_>, bounds: Option<Bounds<'_>>, k: usize) -> PyResult<Rows> {
    bounds.map_or_else(|| Ok(Rows::none(k)), |bounds| bounds.rows(py, k))
}

fn start<'py>(
    py: Python<'py>,
    initializer: &dyn Initializer,
    sample: &Sample,
    k: usize,
    rows: Rows,
) -> PyResult<Triple<'py>> {
    let mut watcher = Watcher::new(None);
    let found = py.detach(|| {
        initializer.start(&sample.inner, k, &rows, &mut Monitor::stopping(|progress| watcher.observe(progress)))
    });
    if let Some(raised) = watcher.raised {
        return Err(raised);
    }
    let start = found.map_err(|error| MixtureError::from(error).into_py_err(py))?;
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    Ok((array(start.weights()), array(start.means()), array(start.variances())))
}
