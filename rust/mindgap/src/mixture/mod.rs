//! Gaussian mixtures whose neighbouring means keep a gap, fitted by EM.
//!
//! An iteration is one pass over the data, O(N·K), and a small quadratic program for the means. Nothing of the size
//! N×K is ever stored. A fit goes through these modules in this order: [`Mixture`] (`problem`) asks an [`Initializer`] (`search`)
//! for [`Parameters`] and climbs from there (`climb`) on the log-likelihood (`surface`), alternating E steps (`e_step`, or an
//! [`Engine`] elsewhere) and M steps (`m_step`); the [`MixtureFit`] carries what was found and its criteria (`inference`).

mod certificate;
mod climb;
mod curvature;
mod e_step;
mod engine;
mod findings;
mod fit;
mod fitting;
mod inference;
mod m_step;
mod observed;
mod parameters;
mod predict;
mod problem;
mod search;
#[cfg(feature = "serde")]
mod serde_form;
mod spread_defaults;
mod status;
mod surface;

pub use certificate::{Certificate, CertifyOptions};
pub use curvature::Curvature;
pub use e_step::{LocalEngine, MomentSums};
pub use engine::{Data, Engine, Moments};
pub use findings::Finding;
pub use fit::MixtureFit;
pub use inference::StandardErrors;
pub use m_step::VarianceModel;
pub use parameters::Parameters;
pub use problem::{Mixture, MixtureMethod, ToleranceScale};
pub use search::{Ckmeans, ConstrainedKMeans, Initializer, InitializerFn, PaperStart, Search, from_fn};
pub use status::Status;
