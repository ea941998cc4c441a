//! Custom constraints, initializers, engines, chunks and sources: chosen at run time, with their errors as sources.

use mindgap::{
    BoxError, Cause, Chunk, Chunked, Chunks, Ckmeans, Constraint, Engine, GapBounds, Initializer, KMeans, LocalEngine,
    Mixture, MixtureFit, Moments, Parameters, Rows, Sample, Source, Summary, Unconstrained, constraint, mixture,
};
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Two groups, about 8 apart.
const X: [f64; 8] = [0.0, 0.5, 1.0, 1.2, 8.0, 8.3, 8.4, 9.0];

fn sample() -> Sample {
    Sample::new(&X).unwrap()
}

#[test]
fn parts_are_chosen_at_run_time() {
    let wide = GapBounds::lower(9.0);
    let constraints: [Box<dyn Constraint>; 4] = [
        Box::new(wide.clone()),
        Box::new(Arc::new(wide.clone()) as Arc<dyn Constraint>),
        Box::new(constraint::from_fn(|k| GapBounds::lower(9.0).rows(k))),
        Box::new(Unconstrained & wide.clone()),
    ];
    let start = || Parameters::new(&[0.5, 0.5], &[1.0, 8.0], &[1.0, 1.0]);
    let initializers: [Arc<dyn Initializer>; 3] =
        [Arc::new(Ckmeans), Arc::new(start().unwrap()), Arc::new(mixture::from_fn(move |_, _, _| start()))];
    let sample = sample();
    let expected = KMeans::new(2).constraint(wide.clone()).fit(&sample).unwrap();
    assert!((expected.gaps()[0] - 9.0).abs() < 1e-9);
    let top = Mixture::new(2).constraint(wide).fit(&sample).unwrap();
    let same = |fit: MixtureFit| (fit.log_likelihood() - top.log_likelihood()).abs() < 1e-6;
    for constraint in constraints {
        let shared: Arc<dyn Constraint> = Arc::from(constraint);
        assert_eq!(KMeans::new(2).constraint(Arc::clone(&shared)).fit(&sample).unwrap(), expected);
        for init in &initializers {
            let problem = Mixture::new(2).constraint(Arc::clone(&shared)).init(Arc::clone(init));
            let engines: [Box<dyn Engine>; 2] =
                [Box::new(LocalEngine::new(&sample)), Box::new(Chunked::new(pieces).unwrap())];
            assert!(same(problem.fit(&sample).unwrap()), "{problem:?}");
            for mut engine in engines {
                assert!(same(problem.fit(&mut engine).unwrap()), "{problem:?}");
                assert!(same(problem.fit(&mut *engine).unwrap()), "{problem:?}");
            }
        }
    }
}

/// The data in two chunks.
fn pieces() -> impl Iterator<Item = Result<Chunk, BoxError>> {
    X.chunks(5).map(|piece| Ok(Chunk::from(piece.to_vec())))
}

/// The data in two chunks.
struct Pieces;

impl Chunks for Pieces {
    fn read(&self) -> Box<dyn Iterator<Item = Result<Chunk, BoxError>> + '_> {
        Box::new(pieces())
    }
}

#[test]
fn readers_are_chosen_at_run_time() {
    let readers: [Box<dyn Chunks>; 3] =
        [Box::new(pieces), Box::new(Pieces), Box::new(Arc::new(Pieces) as Arc<dyn Chunks>)];
    for reader in readers {
        assert_eq!(Chunked::new(reader).unwrap().summary().count(), 8);
    }
    let zoom = |windows: &[(f64, f64)]| -> Result<Vec<Summary>, BoxError> {
        Ok(Summary::of_windows(&X, None, windows, Summary::cells_of_windows(windows.len()))?)
    };
    let source: Arc<dyn Source> = Arc::new(zoom);
    let mut coarse = Summary::with_cells(2);
    coarse.add(&X).unwrap();
    let fit = KMeans::new(2).fit(&coarse.sample_of(source).unwrap()).unwrap();
    assert_eq!(fit.centers(), KMeans::new(2).fit(&sample()).unwrap().centers());
}

/// An error of the caller's own, with a source.
#[derive(Debug)]
struct Broken(std::num::ParseIntError);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it broke")
    }
}

impl Error for Broken {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn broken() -> BoxError {
    Box::new(Broken("x".parse::<i32>().unwrap_err()))
}

/// Checks that the chain of sources of `error` has a [`Cause`] that is `Broken`, followed by what broke it.
fn keeps_its_chain(error: impl Error + 'static) {
    let chain: Vec<&(dyn Error + 'static)> =
        std::iter::successors(Some(&error as &(dyn Error + 'static)), |&error| error.source()).collect();
    let place = chain.iter().position(|error| error.downcast_ref::<Cause>().is_some());
    let place = place.unwrap_or_else(|| panic!("{error:?} has no cause"));
    let cause = chain[place].downcast_ref::<Cause>().unwrap();
    assert!(cause.error().is::<Broken>(), "{cause:?}");
    assert!(chain[place + 1].is::<std::num::ParseIntError>(), "{chain:?}");
    assert!(error.to_string().contains("it broke"), "{error}");
}

/// An engine that fails in one of its methods.
struct Failing<'a> {
    engine: LocalEngine<'a>,
    loads: bool,
    finishes: bool,
}

impl Engine for Failing<'_> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        if self.loads { self.engine.load() } else { Err(broken()) }
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        if self.finishes { self.engine.moments(parameters) } else { Err(broken()) }
    }

    fn finish(&mut self, _: &Parameters) -> Result<Moments, BoxError> {
        Err(broken())
    }
}

#[test]
fn every_boundary_keeps_the_chain_of_sources() {
    let sample = sample();
    let refusing = || constraint::from_fn(|_| Err::<Rows, _>(broken()));
    keeps_its_chain(KMeans::new(2).constraint(refusing()).fit(&sample).unwrap_err());
    keeps_its_chain(Mixture::new(2).constraint(refusing()).fit(&sample).unwrap_err());
    let starting = mixture::from_fn(|_, _, _| Err::<Parameters, _>(broken()));
    keeps_its_chain(Mixture::new(2).init(starting).fit(&sample).unwrap_err());
    for (loads, finishes) in [(false, false), (true, false), (true, true)] {
        let mut engine = Failing { engine: LocalEngine::new(&sample), loads, finishes };
        keeps_its_chain(Mixture::new(2).fit(&mut engine).unwrap_err());
    }
    keeps_its_chain(Chunked::new(|| std::iter::once(Err(broken()))).unwrap_err());
    let mut coarse = Summary::with_cells(2);
    coarse.add(&X).unwrap();
    let blind: Arc<dyn Source> = Arc::new(|_: &[(f64, f64)]| Err(broken()));
    keeps_its_chain(KMeans::new(3).fit(&coarse.sample_of(blind).unwrap()).unwrap_err());
}

/// Counts the passes that a fit asks for.
struct Counting<'a> {
    engine: LocalEngine<'a>,
    passes: usize,
}

impl Engine for Counting<'_> {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        self.engine.load()
    }
    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.passes += 1;
        self.engine.moments(parameters)
    }
    fn curved(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.passes += 1;
        self.engine.curved(parameters)
    }
    fn finish(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        self.passes += 1;
        self.engine.finish(parameters)
    }
}

#[test]
fn a_fit_says_how_many_passes_it_took() {
    let sample = sample();
    let start = Parameters::new(&[0.5, 0.5], &[1.0, 8.0], &[1.0, 1.0]).unwrap();
    let wide = Mixture::new(2).constraint(GapBounds::lower(9.0));
    for mixture in [Mixture::new(2), wide.clone(), Mixture::new(2).init(start.clone()), wide.init(start)] {
        let mut counting = Counting { engine: LocalEngine::new(&sample), passes: 0 };
        let fit = mixture.fit(&mut counting).unwrap();
        assert_eq!(fit.passes(), counting.passes, "{mixture:?}");
    }
}
