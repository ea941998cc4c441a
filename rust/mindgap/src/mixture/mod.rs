//! Gaussian mixtures whose neighbouring means keep a gap, fitted by EM.
//!
//! An iteration is one pass over the data, O(N·K), and a small quadratic program for the means. Nothing of size N×K is
//! stored. A [`Mixture`] (`problem`) gets its start from an [`Initializer`] or a search (`search`) and climbs (`climb`)
//! on the log-likelihood (`surface`) by E steps (`e_step`, or another [`Engine`]), M steps (`m_step`) and Newton steps.
//! The [`MixtureFit`] has the parameters, criteria and standard errors (`inference`).

mod certificate;
mod climb;
mod e_step;
mod engine;
mod findings;
mod fit;
mod fitting;
mod inference;
mod m_step;
mod observed;
mod parameters;
mod problem;
mod search;
#[cfg(feature = "serde")]
mod serde_form;
mod spread_defaults;
mod status;
mod surface;

pub use certificate::{Certificate, CertifyOptions};
pub use e_step::{LocalEngine, MomentSums};
pub use engine::{Curvature, Data, Engine, Moments};
pub use findings::Finding;
pub use fit::MixtureFit;
pub use inference::StandardErrors;
pub use m_step::VarianceModel;
pub use parameters::Parameters;
pub use problem::{Mixture, MixtureMethod, ToleranceScale};
pub use search::{Ckmeans, ConstrainedKMeans, Initializer, InitializerFn, PaperStart, Search, from_fn};
pub use status::Status;
