//! [`Deadline`] and [`Stop`]: when threads that have no [`Monitor`](super::Monitor) end their work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline {
    #[cfg(not(target_arch = "wasm32"))]
    at: std::time::Instant,
}

impl Deadline {
    /// The time after `limit`; `None` if there is no clock or the time is out of range.
    pub(crate) fn after(limit: Duration) -> Option<Self> {
        #[cfg(not(target_arch = "wasm32"))]
        return std::time::Instant::now().checked_add(limit).map(|at| Self { at });
        #[cfg(target_arch = "wasm32")]
        {
            let _ = limit;
            None
        }
    }

    /// The time after this share of what is left.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn share(self, share: f64) -> Self {
        let now = std::time::Instant::now();
        let left = self.at.saturating_duration_since(now).mul_f64(share);
        if share < 1.0 { Self { at: now + left } } else { self }
    }

    #[cfg(target_arch = "wasm32")]
    pub(super) fn share(self, _: f64) -> Self {
        self
    }

    pub(crate) fn has_passed(self) -> bool {
        #[cfg(not(target_arch = "wasm32"))]
        return std::time::Instant::now() >= self.at;
        #[cfg(target_arch = "wasm32")]
        false
    }
}

/// Ends the work of threads at a point in time, or when the thread that has the monitor says so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    deadline: Option<Deadline>,
    told: Arc<AtomicBool>,
}

impl Stop {
    pub(crate) fn at(deadline: Option<Deadline>) -> Self {
        Self { deadline, told: Arc::default() }
    }

    /// Ends the work now.
    pub(crate) fn tell(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    pub(crate) fn was_told(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }

    /// Whether the work ends; once true, it stays so.
    pub(crate) fn is_due(&self) -> bool {
        self.was_told() || self.deadline.is_some_and(Deadline::has_passed)
    }
}
