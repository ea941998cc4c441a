//! Threads that live as long as one fit, or as one [`Chunked`](crate::Chunked).
//!
//! The pool is made when a fit is large enough to gain from it and dropped afterwards, so a process may fork between two
//! fits. The number of threads never changes a result: work is cut into pieces by the data alone. A caller that runs in a
//! rayon pool keeps its own.

/// Fits with fewer points than this run on the calling thread; making a pool costs about as much as they do.
#[cfg(feature = "rayon")]
const WORTH_A_POOL: usize = 1 << 16;

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
            // A machine that refuses threads still gets its answer, on one.
            let pool = wanted.then(|| rayon::ThreadPoolBuilder::new().build().ok().map(Into::into)).flatten();
            Self { pool }
        }
        #[cfg(not(feature = "rayon"))]
        {
            let _ = n;
            Self {}
        }
    }

    /// Threads for a search whose steps are each worth a thread, whatever the number of points.
    pub(crate) fn for_search() -> Self {
        #[cfg(feature = "rayon")]
        return Self::for_points(WORTH_A_POOL);
        #[cfg(not(feature = "rayon"))]
        Self::for_points(0)
    }

    /// Whether these threads are others than the calling one.
    pub(crate) fn are_others(&self) -> bool {
        #[cfg(feature = "rayon")]
        return self.pool.is_some();
        #[cfg(not(feature = "rayon"))]
        false
    }

    /// Runs `helper` on each thread beside the calling one, which runs `own`; returns when all have ended.
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

    /// Runs `work` where the parallel iterators inside it use these threads.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }
}

/// How many threads work on `n` points may use at most.
pub(crate) fn threads_for(n: usize) -> usize {
    #[cfg(feature = "rayon")]
    if n >= WORTH_A_POOL {
        // Without asking rayon outside a pool, which would start its own.
        return std::thread::available_parallelism().map_or(1, |cores| cores.get().max(threads()));
    }
    let _ = n;
    1
}

/// How many threads the work that calls this may use.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    1
}

/// Runs both, at the same time where the caller runs on [`Workers`] with threads to spare.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        return rayon::join(a, b);
    }
    (a(), b())
}

/// Maps `items` on the threads of the caller, with working memory of each thread's own; the results are in order.
pub(crate) fn map_in_order<T: Send, S: Default, R: Send>(items: Vec<T>, map: impl Fn(&mut S, T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().map_init(S::default, &map).collect();
    }
    let mut memory = S::default();
    items.into_iter().map(|item| map(&mut memory, item)).collect()
}
