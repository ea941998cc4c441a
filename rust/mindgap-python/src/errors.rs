//! Converts errors to exceptions; an exhaustive match gives each kind of error its class.

use mindgap::error::ErrorKind;
use mindgap::{Cause, ConstraintError, Error, KMeansError, MixtureError, SampleError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::error::Error as StdError;

/// Conversion of an error to an exception.
pub(crate) trait IntoPyErr {
    fn into_py_err(self, py: Python<'_>) -> PyErr;
}

impl IntoPyErr for SampleError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        of_kind(py, self.kind(), &self, &[])
    }
}

impl IntoPyErr for ConstraintError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        of_kind(py, self.kind(), &self, &[])
    }
}

impl IntoPyErr for KMeansError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        of_kind(py, self.kind(), &self, &facts_of(&self))
    }
}

impl IntoPyErr for MixtureError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        if let MixtureError::Infeasible { rows, .. } = &self {
            return of_kind(py, self.kind(), &self, &[("rows", rows)]);
        }
        if let MixtureError::KMeansStart(error) = &self {
            return of_kind(py, self.kind(), &self, &facts_of(error));
        }
        of_kind(py, self.kind(), &self, &[])
    }
}

impl IntoPyErr for Error {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        let cause = match &self {
            Self::InRow { fault, .. } => fault,
            other => other,
        };
        let facts = if let Self::KMeans(error) = cause { facts_of(error) } else { Vec::new() };
        of_kind(py, self.kind(), &self, &facts)
    }
}

/// The attributes of the exception of an infeasible problem.
fn facts_of(error: &KMeansError) -> Vec<(&'static str, &dyn Fact)> {
    if let KMeansError::Infeasible { k, lower, upper, largest } = error {
        return vec![("k", k), ("lower", lower), ("upper", upper), ("largest", largest)];
    }
    if let KMeansError::InfeasibleSizes { k, largest_min, smallest_max, .. } = error {
        return vec![("k", k), ("largest_min_size", largest_min), ("smallest_max_size", smallest_max)];
    }
    if let KMeansError::PaperFailed { k, delta } = error {
        return vec![("k", k), ("delta", delta)];
    }
    if let KMeansError::InfeasibleRows { rows, .. } = error {
        return vec![("rows", rows)];
    }
    Vec::new()
}

/// The exception of an error of this kind; if Python code raised, its own exception.
fn of_kind(py: Python<'_>, kind: ErrorKind, error: &(dyn StdError + 'static), facts: Facts) -> PyErr {
    if let Some(raised) = raised(py, error) {
        return raised;
    }
    let class = match kind {
        ErrorKind::InvalidInput => "InvalidInputError",
        ErrorKind::UnusableStart => "UnusableValueError",
        ErrorKind::Infeasible => "InfeasibleError",
        ErrorKind::Unsolved | ErrorKind::Engine | ErrorKind::TimeLimit => "SolverError",
        ErrorKind::Source => "UnusableLookError",
        ErrorKind::OutOfMemory => "OutOfMemoryError",
        ErrorKind::Interrupted => return PyKeyboardInterrupt::new_err(error.to_string()),
    };
    raise(py, class, &error, facts)
}

/// The exception that Python code raised, if it is a source of `error`.
fn raised(py: Python<'_>, error: &(dyn StdError + 'static)) -> Option<PyErr> {
    let mut sources = std::iter::successors(Some(error), |&error| error.source());
    sources.find_map(|source| Some(source.downcast_ref::<Cause>()?.error().downcast_ref::<PyErr>()?.clone_ref(py)))
}

/// The exception of an invalid setting.
pub(crate) fn invalid(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InvalidInputError", &message, &[])
}

/// The exception of an array that does not fit into memory.
pub(crate) fn out_of_memory(py: Python<'_>, what: &str, bytes: usize) -> PyErr {
    let size = bytes as f64 / 1e9;
    let message = format!("{what} would take {size:.1} GB of memory, more than is available; ask for fewer at a time");
    raise(py, "OutOfMemoryError", &message, &[])
}

/// The attributes of an exception, by name.
type Facts<'a> = &'a [(&'a str, &'a dyn Fact)];

/// A value that can be an attribute of an exception.
trait Fact {
    fn set(&self, facts: &Bound<'_, PyDict>, name: &str) -> PyResult<()>;
}

impl<T> Fact for T
where
    T: Clone + for<'py> IntoPyObject<'py>,
{
    fn set(&self, facts: &Bound<'_, PyDict>, name: &str) -> PyResult<()> {
        facts.set_item(name, self.clone())
    }
}

/// Makes an exception of class `mindgap.foundation.errors.<class>`, or returns the error of making it.
fn raise(py: Python<'_>, class: &str, message: &dyn std::fmt::Display, facts: Facts) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let attributes = PyDict::new(py);
        for (name, fact) in facts {
            fact.set(&attributes, name)?;
        }
        let class = py.import("mindgap.foundation.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call((in_python(&message.to_string()),), Some(&attributes))?))
    };
    build().unwrap_or_else(|error| error)
}

/// Rust names in the crate's messages, and their Python names.
const PYTHON_NAMES: [(&str, &str); 2] =
    [("KMeansMethod::Exact", "method=\"exact\""), ("Centers::Means", "centers=\"means\"")];

fn in_python(message: &str) -> String {
    PYTHON_NAMES.iter().fold(message.to_owned(), |message, (rust, python)| message.replace(rust, python))
}
