//! [`Monitor`]: reports, interruption and the limits on time and memory of a running fit.
//!
//! A monitor lives on the calling thread. A sub-search gets a child of its monitor ([`Monitor::part`],
//! [`Monitor::relaxed`]), which passes on the costs and bounds that are valid for the whole problem.

mod progress;
mod stop;

pub use progress::{Halt, Progress};
pub(crate) use stop::{Deadline, StopFlag};

use std::cell::Cell;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::data::frame::Frame;
use crate::error::OutOfMemory;
use crate::memory;

/// Units of work between two reports of [`Monitor::spend`]: a report every few tens of milliseconds (measured on the
/// searches for k-means).
const REPORT_EVERY: u64 = 1 << 20;

/// The default relative gap at which a solution counts as proven: the inertia of a million points is right to about
/// this.
pub(crate) const DEFAULT_TOL: f64 = 1e-9;

#[cfg(test)]
thread_local! {
    /// Units of work and reports of the fits on this thread, and what else counts itself as one of them.
    pub(crate) static COUNTED: std::cell::Cell<[u64; 2]> = const { std::cell::Cell::new([0; 2]) };
}

#[cfg(test)]
pub(crate) fn count(work: u64, reports: u64) {
    let [before, sent] = COUNTED.get();
    COUNTED.set([before + work, sent + reports]);
}

/// Progress, interruption, budgets of time and memory, and the best cost and bound of one fit.
///
/// ```
/// use mindgap::{Monitor, Progress};
/// use std::ops::ControlFlow;
/// use std::time::Duration;
///
/// let mut reports = 0;
/// let monitor = Monitor::new(|progress: &Progress| {
///     reports += 1;
///     ControlFlow::Continue(())
/// });
/// let monitor = monitor.time_limit(Duration::from_secs(60)).memory_limit(1 << 30);
/// # drop(monitor);
/// ```
#[derive(Debug)]
pub struct Monitor<'a> {
    sink: Sink<'a>,
    deadline: Option<Deadline>,
    memory_limit: Option<usize>,
    tol: f64,
    /// Work since the last report.
    spent: u64,
    /// One unit of cost, in squared data units.
    unit: f64,
    /// The costs of the parent's problem minus those of this one, in squared data units.
    offset: f64,
    /// How the problem relates to the parent's.
    relation: Relation,
    /// Whether the time limit does not apply.
    untimed: bool,
    /// The work, of this part and its own parts, that is done even after the time limit.
    assured: Option<&'a Cell<u64>>,
    /// If reports are counted instead of passed on: the work that each counts as.
    work: Option<u64>,
    /// The cost of the best solution so far, in the units of the search; infinite while there is none.
    pub(crate) cost: f64,
    /// A lower bound on the cost of every solution, in the units of the search.
    pub(crate) lower_bound: f64,
}

/// The limits that a builder sets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpendingLimits {
    /// Time, from when the fit begins.
    pub(crate) time: Option<Duration>,
    /// Bytes of memory at a time, besides the data.
    pub(crate) memory: Option<usize>,
}

/// How the problem of a child relates to that of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// Costs and bounds are valid for both.
    Same,
    /// Fewer constraints: only bounds are valid for the parent.
    Relaxed,
    /// Fewer solutions: only costs are valid for the parent.
    Restricted,
}

/// Receives reports and decides whether to go on.
type Callback<'a> = Box<dyn FnMut(&Progress) -> ControlFlow<Halt> + 'a>;

/// The receiver of reports.
enum Sink<'a> {
    None,
    Callback(Callback<'a>),
    Parent(&'a mut dyn Relay),
}

impl fmt::Debug for Sink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Callback(_) => "Callback",
            Self::Parent(_) => "Parent",
        })
    }
}

/// A monitor that receives its children's reports, in data units.
trait Relay {
    fn relay(&mut self, progress: &Progress) -> Result<(), Halt>;
}

impl Default for Monitor<'_> {
    fn default() -> Self {
        Self {
            sink: Sink::None,
            deadline: None,
            memory_limit: None,
            tol: DEFAULT_TOL,
            spent: 0,
            unit: 1.0,
            offset: 0.0,
            relation: Relation::Same,
            untimed: false,
            assured: None,
            work: None,
            cost: f64::INFINITY,
            lower_bound: 0.0,
        }
    }
}

impl<'a> Monitor<'a> {
    /// Makes a monitor that reports to `callback`, on the calling thread. Returning `ControlFlow::Break` stops the fit.
    /// [`Monitor::default`] has no callback.
    pub fn new(mut callback: impl FnMut(&Progress) -> ControlFlow<()> + 'a) -> Self {
        Self::stopping(move |progress| match callback(progress) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(Halt::Interrupted),
        })
    }

    /// Makes a monitor whose callback decides how to stop: [`Halt::Interrupted`] abandons the fit, [`Halt::TimeLimit`]
    /// ends it with the best result so far.
    ///
    /// ```
    /// use mindgap::{Halt, Mixture, Monitor, Parameters, Progress, Sample, Status};
    /// use std::ops::ControlFlow;
    ///
    /// let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) + if i < 100 { 0.0 } else { 15.0 }).collect();
    /// let mut monitor = Monitor::stopping(|progress: &Progress| match progress {
    ///     Progress::Iteration { iteration: 1.., .. } => ControlFlow::Break(Halt::TimeLimit),
    ///     _ => ControlFlow::Continue(()),
    /// });
    /// let start = Parameters::new(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 1.0])?;
    /// let fit = Mixture::new(2).init(start).fit_with(&Sample::new(&x)?, &mut monitor)?;
    /// assert_eq!(*fit.status(), Status::TimeLimit);
    /// # Ok::<(), mindgap::Error>(())
    /// ```
    pub fn stopping(callback: impl FnMut(&Progress) -> ControlFlow<Halt> + 'a) -> Self {
        Self { sink: Sink::Callback(Box::new(callback)), ..Self::default() }
    }

    /// Stops the search `limit` from now; the earlier of two limits counts. On `wasm32-unknown-unknown`, which has no
    /// clock, limits do nothing.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.deadline = match (self.deadline, Deadline::after(limit)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self
    }

    /// Refuses work that is known to need more than `bytes` of memory at a time; the smaller of two limits counts.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = Some(self.memory_limit.map_or(bytes, |limit| limit.min(bytes)));
        self
    }

    /// A solution counts as proven if its cost exceeds the lower bound by at most `tol · cost`.
    #[must_use]
    pub(crate) fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// A monitor for a part of the work on the same problem, in data units.
    pub(crate) fn part(&mut self) -> Monitor<'_> {
        let (deadline, memory_limit, tol, assured) = (self.deadline, self.memory_limit, self.tol, self.assured);
        Monitor { sink: Sink::Parent(self), deadline, memory_limit, tol, assured, ..Monitor::default() }
    }

    /// A monitor for work within the caller's limits.
    pub(crate) fn within(&mut self, limits: &SpendingLimits) -> Monitor<'_> {
        let mut part = self.part();
        if let Some(limit) = limits.time {
            part = part.time_limit(limit);
        }
        if let Some(bytes) = limits.memory {
            part = part.memory_limit(bytes);
        }
        part
    }

    /// A monitor for a part that has this share of the time that is left.
    pub(crate) fn share(&mut self, share: f64) -> Monitor<'_> {
        let deadline = self.deadline.map(|deadline| deadline.share(share));
        Monitor { deadline, ..self.part() }
    }

    /// A monitor for a part that is finished even after the time limit; only an interruption stops it.
    pub(crate) fn untimed(&mut self) -> Monitor<'_> {
        Monitor { untimed: true, deadline: None, ..self.part() }
    }

    /// A monitor for a part that is stopped by a time limit only after this much work, counted by [`Monitor::spend`].
    pub(crate) fn assured<'b>(&'b mut self, work: &'b Cell<u64>) -> Monitor<'b> {
        Monitor { assured: Some(work), ..self.part() }
    }

    /// A monitor for a problem with fewer constraints: its bounds are valid here, its costs are not.
    pub(crate) fn relaxed(&mut self) -> Monitor<'_> {
        Monitor { relation: Relation::Relaxed, ..self.part() }
    }

    /// A monitor for a problem with fewer solutions: its costs are valid here, its bounds are not.
    pub(crate) fn restricted(&mut self) -> Monitor<'_> {
        Monitor { relation: Relation::Restricted, ..self.part() }
    }

    /// A monitor for a part whose costs and bounds are not valid here: each report counts as `work`.
    pub(crate) fn counting(&mut self, work: u64) -> Monitor<'_> {
        Monitor { work: Some(work), ..self.part() }
    }

    /// The relative gap at which a solution counts as proven, at least the default one.
    pub(crate) fn tolerance(&self) -> f64 {
        self.tol.max(DEFAULT_TOL)
    }

    /// Whether reports count as work alone, so that callers need not compose them.
    pub(crate) fn counts(&self) -> bool {
        self.work.is_some()
    }

    /// A monitor for a part that reports [`Progress::Working`] alone.
    pub(crate) fn silent(&mut self) -> Monitor<'_> {
        self.counting(REPORT_EVERY)
    }

    /// The same monitor for costs in the units of `frame`.
    #[must_use]
    pub(crate) fn in_frame(mut self, frame: &Frame) -> Self {
        self.unit = frame.leave_square(1.0);
        self
    }

    /// The same monitor for costs that lack `offset` (in squared data units).
    #[must_use]
    pub(crate) fn plus(mut self, offset: f64) -> Self {
        self.offset += offset;
        self
    }

    /// Records the cost of a solution.
    pub(crate) fn found(&mut self, cost: f64) {
        self.cost = self.cost.min(cost);
    }

    /// Records that no solution costs less than `bound`.
    pub(crate) fn proved(&mut self, bound: f64) {
        self.lower_bound = self.lower_bound.max(bound);
    }

    /// Whether the best solution is proven to the tolerance.
    pub(crate) fn is_proven(&self) -> bool {
        self.cost.is_finite() && self.cost - self.lower_bound <= self.tol * self.cost
    }

    /// Counts work and reports every [`REPORT_EVERY`] units.
    #[inline]
    pub(crate) fn spend(&mut self, work: u64) -> Result<(), Halt> {
        #[cfg(test)]
        count(work, 0);
        self.spent = self.spent.saturating_add(work);
        if let Some(assured) = self.assured {
            assured.set(assured.get().saturating_sub(work));
        }
        if self.spent >= REPORT_EVERY { self.report() } else { Ok(()) }
    }

    /// Reports the best cost and bound.
    pub(crate) fn report(&mut self) -> Result<(), Halt> {
        self.send(&Progress::Search { cost: None, lower_bound: 0.0 })
    }

    /// Sends a report of this search, or of one of its parts, in data units; an error stops the search.
    pub(crate) fn send(&mut self, progress: &Progress) -> Result<(), Halt> {
        #[cfg(test)]
        count(0, 1);
        if let Some(work) = self.work {
            self.spent = self.spent.saturating_add(work);
            if self.spent < REPORT_EVERY {
                return self.check_time();
            }
        }
        self.spent = 0;
        let seen_outside = match *progress {
            _ if self.work.is_some() => Some(Progress::Working),
            Progress::Search { cost, lower_bound } => Some(self.outward(cost, lower_bound)),
            _ => None,
        };
        let progress = seen_outside.as_ref().unwrap_or(progress);
        match &mut self.sink {
            Sink::None => {}
            Sink::Callback(callback) => {
                if let ControlFlow::Break(halt) = callback(progress) {
                    return Err(halt);
                }
            }
            Sink::Parent(parent) => {
                return match parent.relay(progress) {
                    Err(Halt::TimeLimit) if self.ignores_time() => Ok(()),
                    answer => answer.and_then(|()| self.check_time()),
                };
            }
        }
        self.check_time()
    }

    /// The time at which the work ends, for threads that have no monitor.
    pub(crate) fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Whether time limits do not apply, or not yet.
    fn ignores_time(&self) -> bool {
        self.untimed || self.assured.is_some_and(|work| work.get() > 0)
    }

    fn check_time(&self) -> Result<(), Halt> {
        match &self.deadline {
            Some(deadline) if !self.ignores_time() && deadline.has_passed() => Err(Halt::TimeLimit),
            _ => Ok(()),
        }
    }

    /// Combines a part's cost and bound (in data units) with this search's, for the parent.
    fn outward(&self, cost: Option<f64>, lower_bound: f64) -> Progress {
        let cost = cost.unwrap_or(f64::INFINITY).min(self.cost * self.unit);
        let lower_bound = lower_bound.max(self.lower_bound * self.unit).min(cost);
        let known = cost.is_finite().then_some(cost + self.offset);
        match self.relation {
            Relation::Same => Progress::Search { cost: known, lower_bound: lower_bound + self.offset },
            Relation::Relaxed => Progress::Search { cost: None, lower_bound: lower_bound + self.offset },
            Relation::Restricted => Progress::Search { cost: known, lower_bound: 0.0 },
        }
    }

    /// Checks that a table is within the memory limit and can be allocated.
    ///
    /// # Errors
    /// A table that is too large.
    pub(crate) fn check_memory(&self, what: &'static str, bytes: usize) -> Result<(), OutOfMemory> {
        match self.memory_limit {
            Some(limit) if bytes > limit => Err(OutOfMemory { what, bytes }),
            _ => memory::check_memory(what, bytes),
        }
    }
}

impl Relay for Monitor<'_> {
    fn relay(&mut self, progress: &Progress) -> Result<(), Halt> {
        self.send(progress)
    }
}

#[cfg(test)]
mod tests;
