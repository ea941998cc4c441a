//! Proves that no admissible mixture has a log-likelihood above a bound.
//!
//! Branch and bound over boxes of means and variances. A box is relaxed to mixtures of any number of normals from it,
//! whose maximum a directional derivative bounds; where constraints tie components together, multipliers bring the tie
//! back. The cost is linear in the number of distinct values; the number of nodes does not grow with it. For up to
//! about five components. Everything is rounded outward: the derivation is in docs/mathematics.md, "A certificate for
//! mixtures".
//!
//! From the inside out: `quadrature` (nodes in place of many points), `kernels` and `points` (loops over the data),
//! `weights` (the best weights of given atoms), `coupling` (the lagrangian), `derivative` (at one point), `expansion`
//! and `ceiling` (over one cell), `relaxation` (the bound of one region), `branching`, `maxima`, `node`, `tree`,
//! `proof`, `certify`.

mod branching;
mod ceiling;
mod certify;
mod coupling;
mod derivative;
mod expansion;
mod kernels;
mod maxima;
mod node;
mod points;
mod proof;
mod quadrature;
mod region;
mod relaxation;
#[cfg(test)]
mod tests;
mod tree;
mod weights;

pub use certify::{Certificate, CertifyOptions};
