//! K-means whose neighbouring centres keep a gap, solved exactly; under other linear rows, by alternation.
//!
//! [`KMeans`] (`problem`) resolves the constraint and chooses a solver (`fitting`). Each solver is a module that opens
//! with its cost: `unconstrained`, `free` (free centres), `means` (centres are cluster means), `sized` (bounds on
//! sizes), `rows` (linear rows), `paper` (the published program, for comparison), and `refine` (summaries). Solvers
//! work in frame units on sorted points and return a `Solution`, a partition with a proof; [`KMeansFit`] measures it on
//! the data.

mod alternation;
mod cluster;
mod each_row;
mod fit;
mod fitting;
mod free;
mod labelling;
mod means;
mod paper;
mod problem;
mod refine;
mod rounding;
mod rows;
#[cfg(feature = "serde")]
mod serde_form;
mod sized;
mod sizes;
mod unconstrained;
mod unsorted;

pub use each_row::{KMeansRows, RowLabels};
pub use fit::KMeansFit;
pub use problem::{Centers, KMeans, KMeansMethod, Ties};
