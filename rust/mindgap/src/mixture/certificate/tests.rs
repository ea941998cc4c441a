//! The certificate against random problems.

mod branching;
mod case;
mod cells;
mod nodes;
mod regions;
mod relaxation;
mod trees;
mod weight_bounds;

use case::{Case, Draws};

use super::ceiling::Verdict;
use super::coupling::{Coupling, Divisor, Multipliers};
use super::derivative::Derivative;
use super::expansion::{Expanded, Expansion};
use super::node::widest_side;
use super::points::Points;
use super::quadrature::compress;
use super::region::{Cell, Constraints};
use super::relaxation::{Goal, relax};
use super::tree::{Task, TreeProgress, TreeResult};
use super::weights::{MixingAtom, Workspace};
use crate::constraint::GapBounds;
use crate::data::frame::Frame;
use crate::data::sample::Sample;
use crate::kmeans::KMeans;
use crate::mixture::parameters::Parameters;
use crate::mixture::problem::Mixture;
use crate::monitor::{COUNTED, Deadline, StopFlag};
use crate::parallel::Workers;
use std::ops::ControlFlow;
use std::time::Duration;

/// Any mixture, for a test that does not depend on it.
fn anything() -> Parameters {
    Parameters::sound(vec![1.0], vec![0.0], vec![1.0])
}

/// A workspace with a mixture given by log₂(ω/f), without bins.
fn of_logs(logs: Vec<f64>, largest_log: f64) -> Workspace {
    let mut workspace = Workspace::default();
    (workspace.logs, workspace.largest_log) = (logs, largest_log);
    workspace
}
