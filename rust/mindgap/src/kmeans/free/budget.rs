//! How much work and memory a search for free centres may take.

use super::Stop;
use crate::monitor::Monitor;

/// What the bounds of a level, or the curves of the exact finish, may take. Without such a limit the work alone would
/// allow them several gigabytes.
const MOST_BYTES: usize = 1 << 29;

#[cfg(test)]
thread_local! {
    /// How many steps a search of this thread may take at most, so that tests need not wait for one that spends them
    /// all.
    pub(in crate::kmeans) static MOST_STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(u64::MAX) };
}

/// Work that remains, in steps of some ten nanoseconds, and the monitor of the search.
pub(super) struct Budget<'a> {
    left: u64,
    /// How large a table may be, in bytes.
    memory: usize,
    pub(super) monitor: Monitor<'a>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(steps: u64, monitor: Monitor<'a>) -> Self {
        #[cfg(test)]
        let steps = steps.min(MOST_STEPS.get());
        Self { left: steps, memory: MOST_BYTES, monitor }
    }

    /// The same with less memory.
    #[cfg(test)]
    pub(super) fn cramped(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Whether a table of `bytes` is small enough.
    pub(super) fn holds(&self, bytes: usize) -> Result<(), Stop> {
        if bytes <= self.memory { Ok(()) } else { Err(Stop::Exhausted) }
    }

    /// Whether the bounds of a level of `bytes` are small enough, and there is memory for them.
    pub(super) fn has_memory(&self, bytes: usize) -> Result<(), Stop> {
        self.holds(bytes)?;
        Ok(self.monitor.check_memory("the search for free centres", bytes)?)
    }

    /// Whether `steps` can still be done.
    pub(super) fn allows(&self, steps: u64) -> bool {
        self.left >= steps
    }

    /// Takes `steps` off, and reports now and then.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        self.left = self.left.checked_sub(steps).ok_or(Stop::Exhausted)?;
        Ok(self.monitor.spend(steps)?)
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
}
