//! [`Binned`]: a histogram, the number of points between neighbouring edges.

use super::sample::Sample;
use crate::error::SampleError;
use crate::shortened::Shortened;
use std::cmp::Ordering;
use std::fmt;

/// Counts in bins between ascending edges; the first edge may be minus infinity and the last infinity.
///
/// ```
/// use mindgap::{Binned, Mixture};
///
/// let edges = [f64::NEG_INFINITY, 0.0, 1.0, 2.0, 3.0, 4.0, f64::INFINITY];
/// let heights = Binned::new(&edges, &[3.0, 20.0, 9.0, 11.0, 25.0, 4.0])?;
/// let fit = Mixture::new(2).fit(&heights)?;
/// assert!(fit.means()[0] < 1.5 && fit.means()[1] > 2.5);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone)]
pub struct Binned {
    edges: Vec<f64>,
    sample: Sample,
    /// The bins that have points.
    occupied: Vec<usize>,
}

impl Binned {
    /// Makes bins between neighbouring `edges`, with the weight of the points in each.
    ///
    /// # Errors
    /// Edges that do not ascend, are NaN or all infinite; counts that are negative, not finite or all zero; a number of
    /// counts other than the number of edges minus one.
    pub fn new(edges: &[f64], counts: &[f64]) -> Result<Self, SampleError> {
        let bad = |what: String| Err(SampleError::BadBins { what });
        if edges.len() != counts.len() + 1 || counts.is_empty() {
            return bad(format!("{} edges and {} counts; give one edge more than counts", edges.len(), counts.len()));
        }
        if let Some(index) = (1..edges.len()).find(|&i| edges[i - 1].partial_cmp(&edges[i]) != Some(Ordering::Less)) {
            return bad(format!("edge {index} is {:?} after {:?}; edges must ascend", edges[index], edges[index - 1]));
        }
        if !edges.iter().any(|edge| edge.is_finite()) {
            return bad("no edge is finite; give a bin that ends somewhere".to_owned());
        }
        let sample = Sample::weighted(&places(edges), counts)?;
        let occupied = (0..counts.len()).filter(|&bin| counts[bin] > 0.0).collect();
        Ok(Self { edges: edges.to_vec(), sample, occupied })
    }

    /// The edges.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// A sample with each point in the middle of its bin; in an open bin, half a neighbour's width from its edge.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// The ends of each bin that has points, ascending.
    pub(crate) fn intervals(&self) -> impl Iterator<Item = [f64; 2]> {
        self.occupied.iter().map(|&bin| [self.edges[bin], self.edges[bin + 1]])
    }
}

impl fmt::Debug for Binned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binned")
            .field("edges", &Shortened(&self.edges))
            .field("sample", &self.sample)
            .finish_non_exhaustive()
    }
}

/// A point within each bin: its middle if it has two finite edges.
fn places(edges: &[f64]) -> Vec<f64> {
    let width = |bin: usize| edges.get(bin + 1).map_or(f64::INFINITY, |high| high - edges[bin]);
    let usual = |bin: usize| if width(bin).is_finite() { width(bin) } else { 2.0 };
    let place = |bin: usize| match (edges[bin].is_finite(), edges[bin + 1].is_finite()) {
        (true, true) => 0.5 * edges[bin] + 0.5 * edges[bin + 1],
        (true, false) => edges[bin] + 0.5 * usual(bin.saturating_sub(1)),
        _ => edges[bin + 1] - 0.5 * usual(bin + 1),
    };
    (0..edges.len() - 1).map(place).collect()
}
