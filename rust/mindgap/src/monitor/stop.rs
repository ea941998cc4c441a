//! [`Deadline`] and [`StopFlag`]: when threads that have no [`Monitor`](super::Monitor) end their work.

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

/// A flag that ends the work of threads: at a deadline, or when the thread that has the monitor raises it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlag {
    deadline: Option<Deadline>,
    raised: Arc<AtomicBool>,
}

impl StopFlag {
    pub(crate) fn at(deadline: Option<Deadline>) -> Self {
        Self { deadline, raised: Arc::default() }
    }

    /// Ends the work now.
    pub(crate) fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Whether the work ends; once true, it stays so.
    pub(crate) fn is_due(&self) -> bool {
        self.is_raised() || self.deadline.is_some_and(Deadline::has_passed)
    }
}
