//! The built-in initializers.

use mindgap::{Ckmeans, ConstrainedKMeans, Initializer, MixtureError, Monitor, PaperStart, Rows};
use pyo3::prelude::*;

use crate::constraint::Bounds;
use crate::kmeans::{centers_of, method_of};
use crate::mixture::{Triple, to_arrays};
use crate::sample::Sample;
use crate::watch::Watcher;

/// The start by the paper's rule: weights, means, variances.
#[pyfunction]
#[pyo3(signature = (sample, k, bounds=None))]
pub(crate) fn paper_start<'py>(
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
    Ok(to_arrays(py, &watcher.finish(py, found.map_err(MixtureError::from))?))
}
