//! The limits on the work and memory of a search for free centres.

use super::Stop;
use crate::monitor::Monitor;

/// The largest memory of the bounds of a level, or of the curves of the exact program. Limited by work alone they could
/// take several gigabytes.
const MOST_BYTES: usize = 1 << 29;

#[cfg(test)]
thread_local! {
    /// The largest number of steps of a search on this thread, so that tests of an exhausted budget are fast.
    pub(in crate::kmeans) static MOST_STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(u64::MAX) };
}

/// The remaining work, in steps of some ten nanoseconds, and the monitor of the search.
pub(super) struct Budget<'a> {
    left: u64,
    /// The largest size of a table, in bytes.
    memory: usize,
    pub(super) monitor: Monitor<'a>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(steps: u64, monitor: Monitor<'a>) -> Self {
        #[cfg(test)]
        let steps = steps.min(MOST_STEPS.get());
        Self { left: steps, memory: MOST_BYTES, monitor }
    }

    /// The same budget with less memory.
    #[cfg(test)]
    pub(super) fn cramped(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Whether a table of `bytes` is small enough.
    pub(super) fn holds(&self, bytes: usize) -> Result<(), Stop> {
        if bytes <= self.memory { Ok(()) } else { Err(Stop::Exhausted) }
    }

    /// Whether the bounds of a level of this size fit the limit and the available memory.
    pub(super) fn has_memory(&self, bytes: usize) -> Result<(), Stop> {
        self.holds(bytes)?;
        Ok(self.monitor.check_memory("the search for free centres", bytes)?)
    }

    /// Whether `steps` are left.
    pub(super) fn allows(&self, steps: u64) -> bool {
        self.left >= steps
    }

    /// Uses up `steps` and reports now and then.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        self.left = self.left.checked_sub(steps).ok_or(Stop::Exhausted)?;
        Ok(self.monitor.spend(steps)?)
    }

    /// Does `work` within `steps`; `None` if these were too few while the budget itself was not.
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
}
