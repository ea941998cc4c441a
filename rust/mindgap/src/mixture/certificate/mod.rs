//! Proves that no admissible mixture has a log-likelihood above a bound.
//!
//! The method is branch and bound over boxes of means and variances. In each box the problem is relaxed to mixtures of
//! any number of normals from the box, and the directional derivative of the likelihood bounds the maximum of the
//! relaxation. Lagrange multipliers restore constraints that couple components. A node costs time linear in the number
//! of distinct values; the number of nodes hardly depends on it. Practical for up to about five components. All rounding
//! is outward. The derivations are in docs/mathematics.md, "A certificate for mixtures".
//!
//! From the inside out:
//! - `quadrature` replaces many points by a few nodes; `kernels` and `points` are loops over the data.
//! - `weights` finds the best weights of given atoms; `coupling` is the Lagrangian.
//! - `derivative` bounds the derivative at one point, `expansion` and `ceiling` over one cell.
//! - `relaxation` bounds one region; `branching` chooses where to split it; `maxima` climbs from it.
//! - `node` examines one node, `tree` all of them; `proof` records them; `certify` is the entry point.

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
