//! The heartbeat of a search: what it has found so far, and whether its watcher wants it to stop.

use crate::data::frame::Frame;
use crate::error::KMeansError;
use crate::monitor::{Progress, Watch, relaxed, report};

/// States between two looks at the watcher: some tens of milliseconds.
const BEAT: usize = 1 << 20;

/// What a search reports, in frame units.
pub(super) struct SearchMonitor<'p, 'w> {
    watch: &'p mut Option<Watch<'w>>,
    frame: Frame,
    spent: usize,
    /// The cost of the best solution so far.
    pub(super) cost: f64,
    /// What no solution can cost less than.
    pub(super) lower_bound: f64,
}

impl<'p, 'w> SearchMonitor<'p, 'w> {
    pub(super) fn new(watch: &'p mut Option<Watch<'w>>, frame: Frame) -> Self {
        Self { watch, frame, spent: 0, cost: f64::INFINITY, lower_bound: 0.0 }
    }

    /// Does a part of the work whose problem is an easier one, and which reports by itself.
    pub(super) fn relaxed<T>(
        &mut self,
        solve: impl FnOnce(Watch<'_>) -> Result<T, KMeansError>,
    ) -> Result<T, KMeansError> {
        relaxed(self.watch, self.frame.leave_square(self.lower_bound), solve)
    }

    /// Counts work and reports now and then.
    #[inline]
    pub(super) fn spend(&mut self, states: usize) -> Result<(), KMeansError> {
        self.spent += states;
        if self.spent >= BEAT { self.report() } else { Ok(()) }
    }

    /// Reports now.
    pub(super) fn report(&mut self) -> Result<(), KMeansError> {
        self.spent = 0;
        let square = |cost: f64| self.frame.leave_square(cost);
        let progress = Progress::Search { cost: square(self.cost), lower_bound: square(self.lower_bound) };
        report(self.watch, progress).map_err(|_| KMeansError::Interrupted)
    }
}
