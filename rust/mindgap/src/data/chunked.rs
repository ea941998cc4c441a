//! [`Chunked`]: data that do not fit into memory, read chunk by chunk.
//!
//! The first pass makes a summary. K-means needs a few more, for the points near its boundaries; a mixture needs one
//! per iteration. One chunk per thread is in memory at a time.

use crate::data::sample::Sample;
use crate::data::summary::{Source, Summary};
use crate::error::{BoxError, Cause, SampleError};
use crate::parallel::Workers;
#[cfg(feature = "rayon")]
use rayon::prelude::*;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A part of the data. If all chunks have a multiple of [`MomentSums::RUN`](crate::MomentSums::RUN) values, the
/// division of the data changes no bit of a fit.
///
/// ```
/// use mindgap::Chunk;
///
/// assert_eq!(Chunk::from(vec![3.0, 1.0]).weights, None);
/// let weighted = Chunk::weighted(vec![3.0, 1.0], vec![0.5, 2.0]);
/// assert_eq!(weighted.values.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Chunk {
    /// The values, in any order; there may be none.
    pub values: Vec<f64>,
    /// One weight per value; `None` if all are one.
    pub weights: Option<Vec<f64>>,
}

impl Chunk {
    /// Values with one weight each.
    pub fn weighted(values: Vec<f64>, weights: Vec<f64>) -> Self {
        Self { values, weights: Some(weights) }
    }
}

impl From<Vec<f64>> for Chunk {
    fn from(values: Vec<f64>) -> Self {
        Self { values, weights: None }
    }
}

/// Reads data in chunks: the same chunks in the same order every time. Implemented for functions that return an
/// iterator, `Box<dyn Chunks>` and `Arc<dyn Chunks>`.
///
/// ```
/// use mindgap::{BoxError, Chunk, Chunked, Chunks};
///
/// /// Text files with one number per line.
/// struct Files(Vec<std::path::PathBuf>);
///
/// impl Chunks for Files {
///     fn read(&self) -> Box<dyn Iterator<Item = Result<Chunk, BoxError>> + '_> {
///         Box::new(self.0.iter().map(|path| {
///             let text = std::fs::read_to_string(path)?;
///             let values: Result<Vec<f64>, _> = text.lines().map(str::parse).collect();
///             Ok(Chunk::from(values?))
///         }))
///     }
/// }
///
/// let missing = Chunked::new(Files(vec!["no such file".into()]));
/// assert!(missing.unwrap_err().to_string().starts_with("chunk 0 of the data could not be read"));
/// ```
pub trait Chunks: Send + Sync {
    /// Returns all chunks, from the first; an error for a chunk that cannot be read.
    fn read(&self) -> Box<dyn Iterator<Item = Result<Chunk, BoxError>> + '_>;
}

impl Chunks for Box<dyn Chunks> {
    fn read(&self) -> Box<dyn Iterator<Item = Result<Chunk, BoxError>> + '_> {
        (**self).read()
    }
}

impl Chunks for Arc<dyn Chunks> {
    fn read(&self) -> Box<dyn Iterator<Item = Result<Chunk, BoxError>> + '_> {
        (**self).read()
    }
}

impl<F, I> Chunks for F
where
    F: Fn() -> I + Send + Sync,
    I: Iterator<Item = Result<Chunk, BoxError>> + 'static,
{
    fn read(&self) -> Box<dyn Iterator<Item = Result<Chunk, BoxError>> + '_> {
        Box::new(self())
    }
}

/// Data read in chunks: an engine for mixtures and, through [`sample`](Self::sample), data for k-means.
///
/// ```
/// use mindgap::{Chunk, Chunked, GapBounds, KMeans, Mixture};
///
/// let pieces = || (0..4).map(|c| Ok(Chunk::from((0..250).map(|i| f64::from(9 * c + i % 7)).collect::<Vec<_>>())));
/// let mut data = Chunked::new(pieces)?;
/// let fit = KMeans::new(4).constraint(GapBounds::lower(8.5)).fit(&data.sample()?)?;
/// assert!(fit.is_optimal());
/// let fit = Mixture::new(4).fit(&mut data)?;
/// assert!(fit.means()[0] < 7.0);
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chunked {
    reader: Arc<Reader>,
    summary: Summary,
}

impl Chunked {
    /// Reads all chunks once.
    ///
    /// # Errors
    /// Chunks that cannot be read, or whose values a [`Summary`] refuses.
    pub fn new(chunks: impl Chunks + 'static) -> Result<Self, SampleError> {
        let reader = Arc::new(Reader { chunks: Box::new(chunks), number: OnceLock::new(), workers: OnceLock::new() });
        let summarise = |chunk: &Chunk| {
            let mut summary = Summary::new();
            match &chunk.weights {
                Some(weights) => summary.add_weighted(&chunk.values, weights)?,
                None => summary.add(&chunk.values)?,
            }
            Ok(summary)
        };
        let mut summary = Summary::new();
        reader.fold(summarise, |part| summary.merge(&part))?;
        Ok(Self { reader, summary })
    }

    /// The summary of the first pass.
    ///
    /// ```
    /// use mindgap::{Chunk, Chunked};
    ///
    /// let data = Chunked::new(|| (0..3).map(|c| Ok(Chunk::from(vec![f64::from(c); 10]))))?;
    /// assert_eq!((data.summary().count(), data.summary().high()), (30, Some(2.0)));
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The data as a sample. K-means, and the initializers that use it, read the chunks again near boundaries.
    ///
    /// # Errors
    /// As [`Sample::new`].
    pub fn sample(&self) -> Result<Sample, SampleError> {
        self.summary.sample_of(Arc::<Reader>::clone(&self.reader))
    }
}

impl Chunked {
    /// Applies `work` to every chunk, a few at a time, and passes the results to `take`, in order.
    pub(crate) fn fold<T: Send>(
        &self,
        work: impl Fn(&Chunk) -> Result<T, SampleError> + Sync,
        take: impl FnMut(T) -> Result<(), SampleError>,
    ) -> Result<(), SampleError> {
        self.reader.fold(work, take)
    }
}

/// The chunks, and their number in the first pass.
struct Reader {
    chunks: Box<dyn Chunks>,
    number: OnceLock<usize>,
    /// Threads for all passes, made in the first one.
    workers: OnceLock<Workers>,
}

impl Reader {
    /// Applies `work` to every chunk, a few at a time, and passes the results to `take`, in order.
    fn fold<T: Send>(
        &self,
        work: impl Fn(&Chunk) -> Result<T, SampleError> + Sync,
        mut take: impl FnMut(T) -> Result<(), SampleError>,
    ) -> Result<(), SampleError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = self.workers.get_or_init(|| Workers::for_points(usize::MAX));
        let mut rest = self.chunks.read();
        let mut number = 0;
        loop {
            let mut batch = Vec::with_capacity(threads);
            for chunk in rest.by_ref().take(threads) {
                let at = number + batch.len();
                batch.push(chunk.map_err(|error| SampleError::Unread { chunk: at, cause: Cause::new(error) })?);
            }
            if batch.is_empty() {
                return self.check_number(number);
            }
            #[cfg(feature = "rayon")]
            let done: Vec<_> = workers.run(|| batch.par_iter().map(&work).collect());
            #[cfg(not(feature = "rayon"))]
            let done: Vec<_> = workers.run(|| batch.iter().map(&work).collect());
            for result in done {
                take(result.map_err(|error| error.in_chunk(number))?)?;
                number += 1;
            }
        }
    }

    /// Checks that a pass read as many chunks as the first one.
    fn check_number(&self, number: usize) -> Result<(), SampleError> {
        let first = *self.number.get_or_init(|| number);
        if number == first {
            return Ok(());
        }
        let cause =
            Cause::new(format!("there were {first} chunks at first and are {number} now; give all of them every time"));
        Err(SampleError::Unread { chunk: number.min(first), cause })
    }
}

impl Source for Reader {
    fn zoom(&self, windows: &[(f64, f64)]) -> Result<Vec<Summary>, BoxError> {
        let cells = Summary::cells_of_windows(windows.len());
        let look = |chunk: &Chunk| Summary::of_windows(&chunk.values, chunk.weights.as_deref(), windows, cells);
        let mut whole: Vec<Summary> = windows.iter().map(|_| Summary::with_cells(cells)).collect();
        self.fold(look, |part| whole.iter_mut().zip(&part).try_for_each(|(whole, part)| whole.merge(part)))?;
        Ok(whole)
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("chunks", &self.number.get()).finish_non_exhaustive()
    }
}
