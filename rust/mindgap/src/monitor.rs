//! Progress and cancellation, by a callback that the caller brings.

use std::ops::ControlFlow;

/// What a running fit reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A k-means search has proven `lower_bound` and found `cost` (infinite while nothing feasible is known).
    Search {
        /// The cost of the best solution so far, in squared data units.
        cost: f64,
        /// What no solution can cost less than.
        lower_bound: f64,
    },
    /// An EM iteration has ended.
    Iteration {
        /// How many iterations have ended.
        iteration: usize,
        /// The log-likelihood of the iterate.
        log_likelihood: f64,
        /// The largest movement of a parameter, on the scale of the tolerance.
        movement: f64,
    },
    /// Nothing new: a long step goes on, and this is a time to stop it.
    Working,
}

/// A callback that watches a fit and may stop it by answering `ControlFlow::Break`.
///
/// It is called on the calling thread, between steps of work.
pub type Watch<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// The fit was stopped by its watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted;

/// Reports to the watcher, if there is one.
pub(crate) fn report(watch: &mut Option<Watch<'_>>, progress: Progress) -> Result<(), Interrupted> {
    match watch.as_mut().map(|watch| watch(&progress)) {
        Some(ControlFlow::Break(())) => Err(Interrupted),
        _ => Ok(()),
    }
}

/// The watcher, lent to a part of the work.
pub(crate) fn again<'a>(watch: &'a mut Option<Watch<'_>>) -> Option<Watch<'a>> {
    watch.as_mut().map(|watch| &mut **watch as Watch<'a>)
}

/// Does work that is a part of a search: of its cost and its bound, those who watch are told what `tell` makes of them.
pub(crate) fn retold<T>(
    watch: &mut Option<Watch<'_>>,
    tell: impl Fn(f64, f64) -> (f64, f64),
    work: impl FnOnce(Watch<'_>) -> T,
) -> T {
    work(&mut |progress| match (progress, watch.as_mut()) {
        (_, None) => ControlFlow::Continue(()),
        (&Progress::Search { cost, lower_bound }, Some(watch)) => {
            let (cost, lower_bound) = tell(cost, lower_bound);
            watch(&Progress::Search { cost, lower_bound })
        }
        (other, Some(watch)) => watch(other),
    })
}

/// Solves a k-means with fewer constraints. Its costs are not those of centres that hold them all, so only its bound, where
/// it is above `floor`, is told on.
pub(crate) fn relaxed<T>(watch: &mut Option<Watch<'_>>, floor: f64, solve: impl FnOnce(Watch<'_>) -> T) -> T {
    retold(watch, |_, lower_bound| (f64::INFINITY, lower_bound.max(floor)), solve)
}
