//! [`Source`]: reads the data behind a summary again, in finer cells within windows; O(log windows) per point.

use super::Summary;
use crate::data::sample::{Sample, SharedZoom, check_finite, check_weights};
use crate::error::{BoxError, SampleError};
use std::sync::Arc;

/// Data that can be read again. K-means on a summary requests finer cells near possible boundaries until its result is
/// proven for the points. Implemented for functions from windows to summaries.
///
/// [`Summary::of_windows`] does this for one array; results for parts of the data merge, window by window.
///
/// ```
/// use mindgap::{BoxError, KMeans, Source, Summary};
/// use std::sync::Arc;
///
/// /// Data in memory, for example.
/// struct Readable(Vec<f64>);
///
/// impl Source for Readable {
///     fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError> {
///         let cells = Summary::cells_of_windows(windows.len());
///         Ok(Summary::of_windows(&self.0, None, windows, cells)?)
///     }
/// }
///
/// let x: Vec<f64> = (0..5000).map(|i| f64::from(i % 100) + f64::from(i) * 1e-4).collect();
/// let mut summary = Summary::with_cells(30);
/// summary.add(&x)?;
/// let fit = KMeans::new(3).fit(&summary.sample_of(Arc::new(Readable(x)))?)?;
/// assert!(fit.is_optimal());
/// # Ok::<(), mindgap::Error>(())
/// ```
pub trait Source: Send + Sync {
    /// Summarises the points in each of `windows`: closed intervals, ascending and disjoint, each of them the extent of
    /// a cell that was summarised before.
    ///
    /// # Errors
    /// If the data cannot be read. A fit returns the error as [`KMeansError::Source`](crate::KMeansError::Source).
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError>;
}

impl<F> Source for F
where
    F: Fn(&[(f64, f64)]) -> Result<Vec<Summary>, BoxError> + Send + Sync,
{
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError> {
        self(windows)
    }
}

/// The most cells of one window: enough that a few passes reach single points.
const CELLS: usize = 1 << 10;

/// The fewest cells of one window: each pass makes cells at least this many times finer.
const FEWEST_CELLS: usize = 16;

/// The most cells of all windows together, so that their summaries stay small enough to send.
const ALL_CELLS: usize = 1 << 17;

impl Summary {
    /// The summary as a sample with a source: k-means requests finer cells near its boundaries until its clusters are
    /// proven optimal for the points.
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn sample_of(&self, source: Arc<dyn Source>) -> Result<Sample, SampleError> {
        let zoom = move |windows: &[(f64, f64)]| Ok(source.zoom(windows)?.iter().map(Summary::atoms).collect());
        Ok(self.sample()?.with_zoom(SharedZoom(Arc::new(zoom))))
    }

    /// The number of cells for each of `windows` windows: fewer for many windows, so that the summaries stay small.
    pub fn cells_of_windows(windows: usize) -> usize {
        (ALL_CELLS / windows.max(1)).clamp(FEWEST_CELLS, CELLS)
    }

    /// Summarises the points in each of `windows` (closed intervals, ascending, disjoint) in at most `limit` cells
    /// each. Results for parts of the data merge to those of the whole, window by window.
    ///
    /// # Errors
    /// As [`Summary::add_weighted`]; also windows out of order.
    pub fn of_windows(
        values: &[f64],
        weights: Option<&[f64]>,
        windows: &[(f64, f64)],
        limit: usize,
    ) -> Result<Vec<Summary>, SampleError> {
        check_finite(values)?;
        weights.map(|weights| check_weights(values.len(), weights)).transpose()?;
        check_windows(windows)?;
        let mut inside: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); windows.len()];
        for (i, &x) in values.iter().enumerate() {
            let window = windows.partition_point(|&(_, high)| high < x);
            if windows.get(window).is_some_and(|&(low, _)| low <= x) {
                inside[window].0.push(x);
                inside[window].1.extend(weights.map(|weights| weights[i]));
            }
        }
        let summary = |(values, own): &(Vec<f64>, Vec<f64>)| {
            let mut summary = Summary::with_cells(limit);
            match weights {
                Some(_) => summary.add_weighted(values, own)?,
                None => summary.add(values)?,
            }
            Ok(summary)
        };
        inside.iter().map(summary).collect()
    }
}

fn check_windows(windows: &[(f64, f64)]) -> Result<(), SampleError> {
    let sound = |i: usize| windows[i].0 <= windows[i].1 && (i == 0 || windows[i - 1].1 < windows[i].0);
    match (0..windows.len()).find(|&i| !sound(i)) {
        Some(index) => Err(SampleError::BadWindow { index }),
        None => Ok(()),
    }
}
