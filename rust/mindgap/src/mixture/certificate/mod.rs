//! Proves that no admissible mixture has a log-likelihood above a bound.
//!
//! Branch and bound over boxes of means and variances. In each box the problem is relaxed to mixtures of any number of
//! normals from the box; the directional derivative bounds the maximum of the relaxation. Where constraints couple the
//! components, Lagrange multipliers restore the coupling. The cost is linear in the number of distinct values; the
//! number of nodes hardly depends on it. Practical for up to about five components. All rounding is outward; the
//! derivations are in docs/mathematics.md, "A certificate for mixtures".
//!
//! From the inside out: `quadrature` (a few nodes replace many points), `kernels` and `points` (loops over the data),
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
