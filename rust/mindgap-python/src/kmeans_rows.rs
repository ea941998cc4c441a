//! `kmeans_rows`: the k-means of each row of a matrix.

use mindgap::{KMeans, KMeansRows, Monitor, Numbers, RowLabels, Table};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::choice::choose;
use crate::constraint::Bounds;
use crate::errors::IntoPyErr;
use crate::kmeans::centers_of;
use crate::snapshot::snapshot;
use crate::watch::Watcher;

/// A row-major matrix in single or double precision.
#[derive(FromPyObject)]
pub(crate) enum Matrix<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
}

/// A copy of the numbers of a matrix.
enum Copied {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Matrix<'_> {
    fn copied(&self, py: Python<'_>) -> PyResult<Copied> {
        Ok(match self {
            Self::Single(matrix) => Copied::Single(snapshot(py, matrix)?),
            Self::Double(matrix) => Copied::Double(snapshot(py, matrix)?),
        })
    }

    fn columns(&self) -> usize {
        match self {
            Self::Single(matrix) => matrix.shape()[1],
            Self::Double(matrix) => matrix.shape()[1],
        }
    }
}

impl Copied {
    fn numbers(&self) -> Numbers<'_> {
        match self {
            Self::Single(numbers) => Numbers::Single(numbers),
            Self::Double(numbers) => Numbers::Double(numbers),
        }
    }
}

/// Labels, centres, inertia, lower bound, and whether optimal, for each row.
type Fits<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
);

/// Fits k-means to each row of a matrix; the weights are one row for all, or one per row.
#[pyfunction]
#[pyo3(signature = (values, k, bounds=None, weights=None, *, centers="free", ties="split"))]
pub(crate) fn kmeans_rows<'py>(
    py: Python<'py>,
    values: Matrix<'py>,
    k: usize,
    bounds: Option<Bounds<'py>>,
    weights: Option<Matrix<'py>>,
    centers: &str,
    ties: &str,
) -> PyResult<Fits<'py>> {
    let ties = choose(py, "ties", ties, &[("split", mindgap::Ties::Split), ("together", mindgap::Ties::Together)])?;
    let mut problem = KMeans::new(k).centers(centers_of(py, centers)?).ties(ties);
    if let Some(bounds) = bounds {
        problem = problem.constraint(bounds.rows(py, k)?);
    }
    let columns = values.columns();
    let values = values.copied(py)?;
    let weights = weights.map(|weights| weights.copied(py)).transpose()?;
    let mut table = Table::new(values.numbers(), columns).map_err(|error| error.into_py_err(py))?;
    if let Some(weights) = &weights {
        table = table.weighted(weights.numbers()).map_err(|error| error.into_py_err(py))?;
    }
    let mut watcher = Watcher::new(None);
    let fitted =
        py.detach(|| problem.fit_rows_with(&table, &mut Monitor::stopping(|progress| watcher.observe(progress))));
    converted(py, watcher.finish(py, fitted)?, [table.rows(), columns, k])
}

fn converted<'py>(py: Python<'py>, fits: KMeansRows, [rows, columns, k]: [usize; 3]) -> PyResult<Fits<'py>> {
    let labels = match fits.labels {
        RowLabels::U8(labels) => labels.into_pyarray(py).reshape([rows, columns])?.into_any(),
        RowLabels::U32(labels) => labels.into_pyarray(py).reshape([rows, columns])?.into_any(),
    };
    let centers = fits.centers.into_pyarray(py).reshape([rows, k])?;
    let (inertia, lower_bound) = (fits.inertia.into_pyarray(py), fits.lower_bound.into_pyarray(py));
    Ok((labels, centers, inertia, lower_bound, fits.optimal.into_pyarray(py)))
}
