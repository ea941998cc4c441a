//! All public types may be sent to and shared between threads.

use mindgap::*;

const fn shared<T: Send + Sync>() {}
const fn lasting<T: Send + Sync + Unpin + 'static>() {}

// Checked when this file is compiled.
const _: () = {
    lasting::<Sample>();
    lasting::<GapBounds>();
    lasting::<LinearRows>();
    lasting::<Rows>();
    lasting::<Unconstrained>();
    lasting::<KMeans>();
    lasting::<KMeansFit>();
    lasting::<Mixture>();
    lasting::<MixtureFit>();
    lasting::<Parameters>();
    lasting::<Moments>();
    lasting::<Status>();
    lasting::<Side>();
    lasting::<Progress>();
    lasting::<PaperStart>();
    lasting::<Ckmeans>();
    lasting::<ConstrainedKMeans>();
    lasting::<Error>();
    lasting::<SampleError>();
    lasting::<ConstraintError>();
    lasting::<KMeansError>();
    lasting::<MixtureError>();
    lasting::<Box<dyn Constraint>>();
    lasting::<Box<dyn Initializer>>();
    shared::<LocalEngine<'_>>();
};

#[test]
fn one_problem_serves_many_threads() {
    let sample = Sample::new(&[-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0]).unwrap();
    let problem = KMeans::new(5).centers(Centers::Means).constraint(GapBounds::lower(1.75));
    let inertia = || problem.fit(&sample).unwrap().inertia();
    let all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(inertia)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(all, [3.0; 4]);
}
