//! What can be wrong, one enum a concern, with the facts in fields.

mod cause;
mod constraint;
mod kind;
mod kmeans;
mod mixture;
mod out_of_memory;
mod sample;

pub use cause::{BoxError, Cause};
pub use constraint::ConstraintError;
pub use kind::ErrorKind;
pub use kmeans::KMeansError;
pub use mixture::MixtureError;
pub use out_of_memory::OutOfMemory;
pub use sample::SampleError;

use thiserror::Error;

/// Anything that can go wrong in this crate, for callers that need no finer distinction.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The data.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The constraint.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A k-means fit.
    #[error(transparent)]
    KMeans(#[from] KMeansError),
    /// A mixture fit.
    #[error(transparent)]
    Mixture(#[from] MixtureError),
    /// One row of a table.
    #[error("in row {row}, {fault}")]
    InRow {
        /// Which one, from 0.
        row: usize,
        /// What is wrong with it.
        #[source]
        fault: Box<Error>,
    },
}

impl Error {
    /// The same fault, in a row of a table.
    pub(crate) fn in_row(self, row: usize) -> Self {
        Self::InRow { row, fault: Box::new(self) }
    }
}

/// The rows that cannot be held together, in words.
fn clash(rows: &[usize], ordering: bool, what: &str) -> String {
    let order = if ordering { format!(" with the {what} in ascending order") } else { String::new() };
    match rows {
        [row] => format!("row {row}{order}"),
        rows => format!("rows {rows:?} together{order}"),
    }
}
