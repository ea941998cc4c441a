//! Thread pools, one per fit or per [`Chunked`](crate::Chunked).
//!
//! The pool is made when a fit is large enough to gain from it and dropped afterwards, so a process may fork between
//! two fits. The number of threads never changes a result: work is cut into pieces by the data alone. A caller that
//! runs in a rayon pool keeps its own.

/// Fits of fewer points run on the calling thread: they cost about as much as making a pool.
#[cfg(feature = "rayon")]
const WORTH_A_POOL: usize = 1 << 16;

/// How often a thread that waits for others asks its monitor whether to go on: well below what a user notices.
#[cfg(feature = "rayon")]
const ASK_EVERY: std::time::Duration = std::time::Duration::from_millis(20);

/// The threads of one fit; clones share them.
#[derive(Clone)]
pub(crate) struct Workers {
    #[cfg(feature = "rayon")]
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
}

impl Workers {
    /// Threads for work on `n` points: none for small work, the caller's own pool inside one, else one per core.
    pub(crate) fn for_points(n: usize) -> Self {
        #[cfg(feature = "rayon")]
        {
            let wanted = n >= WORTH_A_POOL && rayon::current_thread_index().is_none();
            // If the system refuses threads, the fit runs on the calling one.
            let pool = wanted.then(|| rayon::ThreadPoolBuilder::new().build().ok().map(Into::into)).flatten();
            Self { pool }
        }
        #[cfg(not(feature = "rayon"))]
        {
            let _ = n;
            Self {}
        }
    }

    /// The calling thread alone, or the caller's own pool.
    pub(crate) fn none() -> Self {
        Self::for_points(0)
    }

    /// Threads for a search whose steps are each worth a thread for any number of points.
    pub(crate) fn for_search() -> Self {
        #[cfg(feature = "rayon")]
        return Self::for_points(WORTH_A_POOL);
        #[cfg(not(feature = "rayon"))]
        Self::for_points(0)
    }

    /// Returns whether there are threads besides the calling one.
    pub(crate) fn are_others(&self) -> bool {
        #[cfg(feature = "rayon")]
        return self.pool.is_some();
        #[cfg(not(feature = "rayon"))]
        false
    }

    /// Runs `helper` on every other thread while the calling one runs `own`; returns when all have ended.
    pub(crate) fn beside(&self, helper: impl Fn() + Sync, own: impl FnOnce()) {
        #[cfg(feature = "rayon")]
        {
            let helper = &helper;
            match &self.pool {
                Some(pool) => pool.in_place_scope(|scope| {
                    (0..pool.current_num_threads()).for_each(|_| scope.spawn(move |_| helper()));
                    own();
                }),
                None if threads() > 1 => rayon::in_place_scope(|scope| {
                    (1..threads()).for_each(|_| scope.spawn(move |_| helper()));
                    own();
                }),
                None => own(),
            }
        }
        #[cfg(not(feature = "rayon"))]
        {
            let _ = helper;
            own();
        }
    }

    /// Maps like [`map_in_order`] on these threads while the calling one runs `ask` every [`ASK_EVERY`]. Without
    /// threads `ask` runs before each item.
    pub(crate) fn map_asking<T: Send, S: Default, R: Send>(
        &self,
        items: Vec<T>,
        map: impl Fn(&mut S, T) -> R + Sync,
        ask: &mut dyn FnMut(),
    ) -> Vec<R> {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            use std::sync::mpsc::{RecvTimeoutError, channel};
            let (map, (sender, mapped)) = (&map, channel());
            return pool.in_place_scope(|scope| {
                // The receiver lives as long as the scope.
                scope.spawn(move |_| sender.send(map_in_order(items, map)).unwrap_or_default());
                loop {
                    match mapped.recv_timeout(ASK_EVERY) {
                        Ok(mapped) => return mapped,
                        Err(RecvTimeoutError::Timeout) => ask(),
                        // The work panicked, and so will the scope.
                        Err(RecvTimeoutError::Disconnected) => return Vec::new(),
                    }
                }
            });
        }
        if threads() > 1 {
            return map_in_order(items, map);
        }
        let mut memory = S::default();
        let mut map_one = |item| {
            ask();
            map(&mut memory, item)
        };
        items.into_iter().map(&mut map_one).collect()
    }

    /// Runs `work`, whose parallel iterators then use these threads.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }
}

/// Returns the most threads that work on `n` points may use.
pub(crate) fn threads_for(n: usize) -> usize {
    #[cfg(feature = "rayon")]
    if n >= WORTH_A_POOL {
        // Asking rayon outside a pool would start its global one.
        return std::thread::available_parallelism().map_or(1, |cores| cores.get().max(threads()));
    }
    let _ = n;
    1
}

/// Returns the number of threads that the caller may use.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    1
}

/// Runs both, in parallel if the caller runs on [`Workers`] with several threads.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        return rayon::join(a, b);
    }
    (a(), b())
}

/// Maps `items` on the threads of the caller, each with its own scratch memory; the results are in order.
pub(crate) fn map_in_order<T: Send, S: Default, R: Send>(items: Vec<T>, map: impl Fn(&mut S, T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().map_init(S::default, &map).collect();
    }
    let mut memory = S::default();
    items.into_iter().map(|item| map(&mut memory, item)).collect()
}
