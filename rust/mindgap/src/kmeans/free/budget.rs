//! How much work a search may do, and its reports to the watcher while it works.

use super::Stop;
use crate::data::frame::Frame;
use crate::memory::check_memory;
use crate::monitor::{self, Progress, Watch};

/// What the bounds of a level, or the curves of the exact finish, may take. Without such a limit the work alone would allow
/// them several gigabytes.
const MOST_BYTES: usize = 1 << 29;

#[cfg(test)]
thread_local! {
    /// How many steps a search of this thread may take at most, so that tests need not wait for one that spends them all.
    pub(in crate::kmeans) static MOST_STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(u64::MAX) };
}

/// Work between two reports.
const REPORT_EVERY: u64 = 1 << 18;

/// Work that remains, in steps of some ten nanoseconds, and the state of the search.
pub(super) struct Budget<'a> {
    left: u64,
    /// How large a table may be, in bytes.
    room: usize,
    until_report: u64,
    frame: Frame,
    watch: Option<Watch<'a>>,
    /// The best cost, in frame units.
    pub(super) cost: f64,
    /// What no solution costs less than, in frame units.
    pub(super) lower_bound: f64,
}

impl<'a> Budget<'a> {
    pub(super) fn new(steps: u64, frame: Frame, watch: Option<Watch<'a>>) -> Self {
        #[cfg(test)]
        let steps = steps.min(MOST_STEPS.get());
        let (until_report, room) = (REPORT_EVERY, MOST_BYTES);
        Self { left: steps, room, until_report, frame, watch, cost: f64::INFINITY, lower_bound: 0.0 }
    }

    /// The same with less room.
    #[cfg(test)]
    pub(super) fn cramped(self, room: usize) -> Self {
        Self { room, ..self }
    }

    /// Whether a table of `bytes` is small enough.
    pub(super) fn holds(&self, bytes: usize) -> Result<(), Stop> {
        if bytes <= self.room { Ok(()) } else { Err(Stop::Exhausted) }
    }

    /// Whether the bounds of a level of `bytes` are small enough, and there is memory for them.
    pub(super) fn has_room(&self, bytes: usize) -> Result<(), Stop> {
        self.holds(bytes)?;
        Ok(check_memory("the search for free centres", bytes)?)
    }

    /// Whether `steps` can still be done.
    pub(super) fn allows(&self, steps: u64) -> bool {
        self.left >= steps
    }

    /// Takes `steps` off, and reports now and then.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        self.left = self.left.checked_sub(steps).ok_or(Stop::Exhausted)?;
        match self.until_report.checked_sub(steps) {
            Some(rest) => self.until_report = rest,
            None => self.report()?,
        }
        Ok(())
    }

    /// Does `work` with no more than `steps`; says `None` where they, but not the budget, were too few.
    pub(super) fn limited<T>(
        &mut self,
        steps: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        let reserve = self.left.saturating_sub(steps);
        self.left -= reserve;
        let result = work(self);
        self.left += reserve;
        match result {
            Err(Stop::Exhausted) if reserve > 0 => Ok(None),
            result => result.map(Some),
        }
    }

    /// Reports to the watcher.
    pub(super) fn report(&mut self) -> Result<(), Stop> {
        self.until_report = REPORT_EVERY;
        let cost = self.frame.leave_square(self.cost);
        let lower_bound = self.frame.leave_square(self.lower_bound);
        monitor::report(&mut self.watch, Progress::Search { cost, lower_bound }).map_err(|_| Stop::Interrupted)
    }
}
