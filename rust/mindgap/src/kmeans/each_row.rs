//! K-means of each row of a [`Table`], on all threads.
//!
//! One thread solves a row in the same way as a single fit, with the same bits. The calling thread reports every few
//! milliseconds and stops the others when its monitor does.

use super::{KMeans, KMeansFit};
use crate::data::{Sample, Table};
use crate::error::{Error, KMeansError};
use crate::memory::product;
use crate::monitor::{Halt, Monitor, Progress};
use crate::parallel::Workers;
use crate::shortened::Shortened;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The interval between reports of the calling thread: short for a person who waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The most clusters whose labels fit into a byte.
const BYTE: usize = 256;

/// Labels in the narrowest integers for `k` clusters.
///
/// ```
/// use mindgap::{KMeans, RowLabels, Table};
///
/// let table = Table::new(&[1.0, 2.0, 9.0][..], 3)?;
/// match KMeans::new(2).fit_rows(&table)?.labels {
///     RowLabels::U8(labels) => assert_eq!(labels, [0, 0, 1]),
///     RowLabels::U32(_) => unreachable!("two clusters"),
/// }
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum RowLabels {
    /// At most 256 clusters.
    U8(Vec<u8>),
    /// More clusters.
    U32(Vec<u32>),
}

/// The k-means fits of the rows of a [`Table`].
///
/// ```
/// use mindgap::{KMeans, Table};
///
/// let fits = KMeans::new(1).fit_rows(&Table::new(&[1.0, 3.0, 4.0, 4.0][..], 2)?)?;
/// assert_eq!((fits.centers, fits.inertia, fits.optimal), (vec![2.0, 4.0], vec![2.0, 0.0], vec![true, true]));
/// # Ok::<(), mindgap::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct KMeansRows {
    /// The cluster of each value, row after row; empty [without labels](KMeans::labels).
    pub labels: RowLabels,
    /// The centres, `k` per row, ascending within each.
    pub centers: Vec<f64>,
    /// The cost of each row.
    pub inertia: Vec<f64>,
    /// A lower bound on the optimal cost of each row.
    pub lower_bound: Vec<f64>,
    /// Whether each row is proven optimal.
    pub optimal: Vec<bool>,
}

impl fmt::Debug for RowLabels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U8(labels) => f.debug_tuple("U8").field(&Shortened(labels)).finish(),
            Self::U32(labels) => f.debug_tuple("U32").field(&Shortened(labels)).finish(),
        }
    }
}

impl fmt::Debug for KMeansRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KMeansRows")
            .field("labels", &self.labels)
            .field("centers", &Shortened(&self.centers))
            .field("inertia", &Shortened(&self.inertia))
            .field("lower_bound", &Shortened(&self.lower_bound))
            .field("optimal", &Shortened(&self.optimal))
            .finish()
    }
}

impl KMeans {
    /// Solves the problem for each row of a table, on all cores.
    ///
    /// ```
    /// use mindgap::{KMeans, RowLabels, Table};
    ///
    /// let table = Table::new(&[1.0f32, 2.0, 9.0, 5.0, 4.0, 0.0][..], 3)?;
    /// let fits = KMeans::new(2).fit_rows(&table)?;
    /// assert_eq!(fits.centers, [1.5, 9.0, 0.0, 4.5]);
    /// assert_eq!(fits.labels, RowLabels::U8(vec![0, 0, 1, 1, 1, 0]));
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error of the first row that cannot be solved, as [`Error::InRow`].
    pub fn fit_rows(&self, table: &Table<'_>) -> Result<KMeansRows, Error> {
        self.fit_rows_with(table, &mut Monitor::default())
    }

    /// As [`KMeans::fit_rows`], reporting to `monitor`, which may stop it.
    ///
    /// ```
    /// use mindgap::{Error, KMeans, KMeansError, Monitor, Table};
    /// use std::ops::ControlFlow;
    ///
    /// let x: Vec<f64> = (0..9000).map(|i| f64::from(i * 7919 % 9001)).collect();
    /// let mut monitor = Monitor::new(|_| ControlFlow::Break(()));
    /// let stopped = KMeans::new(5).fit_rows_with(&Table::new(&x[..], 3000)?, &mut monitor);
    /// assert_eq!(stopped, Err(Error::KMeans(KMeansError::Interrupted)));
    /// # Ok::<(), mindgap::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`KMeans::fit_rows`]; also [`KMeansError::Interrupted`].
    pub fn fit_rows_with(&self, table: &Table<'_>, monitor: &mut Monitor<'_>) -> Result<KMeansRows, Error> {
        self.check_settings()?;
        let (rows, k) = (table.rows(), self.k.min(table.columns()));
        let bytes = product(&[rows, table.columns() * if k <= BYTE { 1 } else { 4 } + 8 * k]);
        monitor.check_memory("the labels of all rows", bytes).map_err(KMeansError::from)?;
        let points = if self.labels { rows * table.columns() } else { 0 };
        let fits = KMeansRows {
            labels: if k <= BYTE { RowLabels::U8(vec![0; points]) } else { RowLabels::U32(vec![0; points]) },
            centers: vec![0.0; rows * k],
            inertia: vec![0.0; rows],
            lower_bound: vec![0.0; rows],
            optimal: vec![false; rows],
        };
        let state = Mutex::new(QueueState { fits, waiting: 0..rows, running: 0, failed: None });
        Queue { problem: self, table, state, idle: Condvar::new(), halted: false.into() }.work_off(monitor)
    }
}

impl KMeansRows {
    /// Stores the fit of a row.
    fn store(&mut self, row: usize, fit: &KMeansFit) {
        let (columns, k) = (fit.labels().len(), fit.centers().len());
        let points = row * columns..(row + 1) * columns;
        match &mut self.labels {
            RowLabels::U8(labels) => {
                labels[points].iter_mut().zip(fit.labels()).for_each(|(out, &label)| *out = label as u8);
            }
            RowLabels::U32(labels) => labels[points].copy_from_slice(fit.labels()),
        }
        self.centers[row * k..(row + 1) * k].copy_from_slice(fit.centers());
        self.inertia[row] = fit.inertia();
        self.lower_bound[row] = fit.lower_bound();
        self.optimal[row] = fit.is_optimal();
    }
}

/// The rows that threads take one by one.
struct Queue<'a> {
    problem: &'a KMeans,
    table: &'a Table<'a>,
    state: Mutex<QueueState>,
    /// Signalled when the last row is done.
    idle: Condvar,
    /// Whether to abandon the rows being solved.
    halted: AtomicBool,
}

struct QueueState {
    fits: KMeansRows,
    /// Rows that no thread has taken.
    waiting: Range<usize>,
    /// The number of rows being solved.
    running: usize,
    /// The first row that failed.
    failed: Option<(usize, Error)>,
}

impl Queue<'_> {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No thread panics while it has the lock, and a panic is propagated to the caller.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work_off(self, monitor: &mut Monitor<'_>) -> Result<KMeansRows, Error> {
        let workers = Workers::for_points(self.table.rows() * self.table.columns());
        let stop = |_: &_| match self.halted.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let mut halt = Ok(());
        let own = || {
            halt = if workers.are_others() { self.watch(monitor) } else { self.take_rows(monitor) };
            self.halted.store(halt.is_err(), Ordering::Relaxed);
        };
        // The calling thread reports; the others poll the flag.
        workers.beside(|| _ = self.take_rows(&mut Monitor::new(stop)), own);
        halt.map_err(KMeansError::from)?;
        let QueueState { fits, failed, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failed {
            Some((row, error)) => Err(error.in_row(row)),
            None => Ok(fits),
        }
    }

    /// Solves one row after the other until none is left or one has failed.
    fn take_rows(&self, monitor: &mut Monitor<'_>) -> Result<(), Halt> {
        while let Some(row) = self.take() {
            let running = Running(self);
            match self.solve(row, monitor) {
                Err(Error::KMeans(KMeansError::Interrupted)) => return Err(Halt::Interrupted),
                Err(error) => self.fail(row, error),
                Ok(fit) => self.lock().fits.store(row, &fit),
            }
            drop(running);
        }
        Ok(())
    }

    fn take(&self) -> Option<usize> {
        let mut state = self.lock();
        if self.halted.load(Ordering::Relaxed) {
            state.waiting = 0..0;
        }
        let row = state.waiting.next()?;
        state.running += 1;
        Some(row)
    }

    /// Records the error of the first row that failed and drops the waiting rows, all of which come later.
    fn fail(&self, row: usize, error: Error) {
        let mut state = self.lock();
        state.waiting = 0..0;
        if state.failed.as_ref().is_none_or(|(first, _)| row < *first) {
            state.failed = Some((row, error));
        }
    }

    fn solve(&self, row: usize, monitor: &mut Monitor<'_>) -> Result<KMeansFit, Error> {
        let values = self.table.values(row);
        let sample = match self.table.weights(row) {
            Some(weights) => Sample::weighted(&values, &weights)?,
            None => Sample::new(&values)?,
        };
        drop(values);
        Ok(self.problem.fit_with(&sample, monitor)?)
    }

    /// Reports until all rows are done.
    fn watch(&self, monitor: &mut Monitor<'_>) -> Result<(), Halt> {
        loop {
            monitor.send(&Progress::Working)?;
            let state = self.lock();
            if state.waiting.is_empty() && state.running == 0 {
                return Ok(());
            }
            drop(self.idle.wait_timeout(state, LOOK_EVERY));
        }
    }
}

/// Counts a row as being solved until dropped, even by a panic.
struct Running<'q>(&'q Queue<'q>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        if state.running == 0 && state.waiting.is_empty() {
            self.0.idle.notify_all();
        }
    }
}
