use super::*;
use crate::data::Sample;
use crate::kmeans::unconstrained::grid::EdgeGrid;
use crate::kmeans::unconstrained::tests::random;

/// The largest difference between the cost of a run and the next point, and that of the run that holds both.
struct OnePointMore<'a>(&'a Sample);

impl CostTask for OnePointMore<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<C: Costs>(self, costs: &C) -> f64 {
        let runs = (1..costs.last()).flat_map(|end| (0..end).map(move |start| (start, end)));
        let difference = |(start, end): (usize, usize)| {
            let with = costs.cost_with(start, end, self.0.framed(end), self.0.weight(end));
            (with - costs.cost(start, end + 1)).abs()
        };
        runs.map(difference).fold(0.0, f64::max)
    }
}

#[test]
fn the_cost_of_one_point_more_is_that_of_the_longer_run() {
    let x: Vec<f64> = (0..50).map(random).collect();
    let weights: Vec<f64> = (50..100).map(|i| 0.1 + random(i)).collect();
    for sample in [Sample::new(&x).unwrap(), Sample::weighted(&x, &weights).unwrap()] {
        let prefixes = Prefixes::new(&sample);
        let grid = EdgeGrid::finest(&prefixes);
        let wrong = Candidates::gather(&prefixes, grid.edges()).with_costs(OnePointMore(&sample));
        assert!(wrong < 1e-12, "{wrong}");
    }
}

#[test]
fn edges_never_part_equal_points() {
    for pieces in 2..30 {
        let x: Vec<f64> = (0..200).map(|i| (12.0 * random(i + pieces)).floor()).collect();
        let sample = Sample::new(&x).unwrap();
        let prefixes = Prefixes::new(&sample);
        let grid = EdgeGrid::even(&prefixes, pieces);
        let inner = &grid.edges()[1..grid.edges().len() - 1];
        let parts = |&&edge: &&u32| sample.values()[edge as usize - 1] == sample.values()[edge as usize];
        assert_eq!(inner.iter().find(parts), None, "{pieces} pieces");
    }
}
