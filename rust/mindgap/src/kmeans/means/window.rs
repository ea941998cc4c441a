//! [`Window`]: the least value in a window that only moves right (a monotone deque), in O(1) amortised.

use std::collections::VecDeque;

/// The indices of items in the window, with ascending values from the front.
#[derive(Default)]
pub(super) struct Window {
    queue: VecDeque<(usize, f64)>,
    entered: usize,
}

impl Window {
    /// Empties the window and starts again before item 0.
    pub(super) fn restart(&mut self) {
        self.queue.clear();
        self.entered = 0;
    }

    /// The index of the next item to enter.
    #[inline]
    pub(super) fn next(&self) -> usize {
        self.entered
    }

    /// Adds the next item.
    #[inline]
    pub(super) fn enter(&mut self, value: f64) {
        while self.queue.back().is_some_and(|last| last.1 > value) {
            self.queue.pop_back();
        }
        self.queue.push_back((self.entered, value));
        self.entered += 1;
    }

    /// Drops items from the front while `left` is true.
    #[inline]
    pub(super) fn drop_while(&mut self, left: impl Fn(usize) -> bool) {
        while self.queue.front().is_some_and(|first| left(first.0)) {
            self.queue.pop_front();
        }
    }

    /// The least value in the window; infinity if it is empty.
    #[inline]
    pub(super) fn least(&self) -> f64 {
        self.queue.front().map_or(f64::INFINITY, |first| first.1)
    }

    /// The item of least value, the first of equal ones.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        self.queue.front().map(|first| first.0)
    }
}
