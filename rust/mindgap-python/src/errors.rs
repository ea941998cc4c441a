//! From each error variant to its exception class; a new variant does not compile until it has one.

use mindgap::{ConstraintError, KMeansError, MixtureError, SampleError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What an error becomes in Python.
pub(crate) trait IntoPyErr {
    fn into_py_err(self, py: Python<'_>) -> PyErr;
}

impl IntoPyErr for SampleError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        match self {
            SampleError::OutOfMemory(_) => raise(py, "OutOfMemoryError", &self, &[]),
            _ => raise(py, "InvalidInputError", &self, &[]),
        }
    }
}

impl IntoPyErr for ConstraintError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        match self {
            ConstraintError::OutOfMemory(_) => raise(py, "OutOfMemoryError", &self, &[]),
            _ => raise(py, "InvalidInputError", &self, &[]),
        }
    }
}

impl IntoPyErr for KMeansError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        match &self {
            KMeansError::Infeasible { k, lower, upper, largest } => {
                let facts: Facts = &[("k", k), ("lower", lower), ("upper", upper), ("largest", largest)];
                raise(py, "InfeasibleError", &self, facts)
            }
            KMeansError::PaperFailed { k, delta } => raise(py, "InfeasibleError", &self, &[("k", k), ("delta", delta)]),
            KMeansError::InfeasibleRows { rows, .. } => raise(py, "InfeasibleError", &self, &[("rows", rows)]),
            KMeansError::Source(_) => raise(py, "UnusableLookError", &self, &[]),
            KMeansError::OutOfMemory(_) | KMeansError::Constraint(ConstraintError::OutOfMemory(_)) => {
                raise(py, "OutOfMemoryError", &self, &[])
            }
            KMeansError::Undecided | KMeansError::Solver(_) => raise(py, "SolverError", &self, &[]),
            KMeansError::Interrupted => PyKeyboardInterrupt::new_err(self.to_string()),
            _ => raise(py, "InvalidInputError", &self, &[]),
        }
    }
}

impl IntoPyErr for MixtureError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        match &self {
            MixtureError::Infeasible { rows, .. }
            | MixtureError::KMeansStart(KMeansError::InfeasibleRows { rows, .. }) => {
                raise(py, "InfeasibleError", &self, &[("rows", rows)])
            }
            MixtureError::KMeansStart(KMeansError::Infeasible { k, lower, upper, largest }) => {
                let facts: Facts = &[("k", k), ("lower", lower), ("upper", upper), ("largest", largest)];
                raise(py, "InfeasibleError", &self, facts)
            }
            MixtureError::KMeansStart(KMeansError::PaperFailed { k, delta }) => {
                raise(py, "InfeasibleError", &self, &[("k", k), ("delta", delta)])
            }
            MixtureError::KMeansStart(KMeansError::Source(_)) => raise(py, "UnusableLookError", &self, &[]),
            MixtureError::ParametersOffScale { .. } => raise(py, "UnusableValueError", &self, &[]),
            MixtureError::OutOfMemory(_) | MixtureError::Constraint(ConstraintError::OutOfMemory(_)) => {
                raise(py, "OutOfMemoryError", &self, &[])
            }
            MixtureError::KMeansStart(KMeansError::Undecided | KMeansError::Solver(_))
            | MixtureError::Solver { .. }
            | MixtureError::Engine(_) => raise(py, "SolverError", &self, &[]),
            MixtureError::Interrupted => PyKeyboardInterrupt::new_err(self.to_string()),
            _ => raise(py, "InvalidInputError", &self, &[]),
        }
    }
}

/// A setting that makes no sense.
pub(crate) fn invalid(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InvalidInputError", &message, &[])
}

/// What is known to be too large for the memory that there is.
pub(crate) fn out_of_memory(py: Python<'_>, what: &str, bytes: usize) -> PyErr {
    let size = bytes as f64 / 1e9;
    let message =
        format!("{what} would take {size:.1} GB of memory, more than there is to be had; ask for fewer at a time");
    raise(py, "OutOfMemoryError", &message, &[])
}

/// What an exception carries beside its message, by attribute name.
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

/// An exception of class `mindgap.errors.<class>`, or whatever kept it from being made.
fn raise(py: Python<'_>, class: &str, message: &dyn std::fmt::Display, facts: Facts) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let attributes = PyDict::new(py);
        for (name, fact) in facts {
            fact.set(&attributes, name)?;
        }
        let class = py.import("mindgap.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call((message.to_string(),), Some(&attributes))?))
    };
    build().unwrap_or_else(|error| error)
}
