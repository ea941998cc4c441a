//! Gaussian mixtures whose neighbouring means keep a gap, fitted by EM.

mod density;
mod elementary;
mod engine;
mod estep;
mod local;
mod qp;
mod start;

pub use engine::{Engine, Moments, Summary};
pub use local::LocalEngine;
pub use start::Start;
