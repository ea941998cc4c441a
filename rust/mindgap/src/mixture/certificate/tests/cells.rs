//! The derivative over a cell against its plain sum on a grid.

use super::*;

/// Nothing is proven where powers of two are clamped.
#[test]
fn weights_beyond_the_largest_power_are_hopeless() {
    let values: Vec<f64> = (0..32).map(f64::from).collect();
    for (weight, hopeless) in [(1.0, false), (1e100, false), (1e280, true)] {
        let points = Points::new(&values, &vec![weight; 32]);
        let largest_log = f64::log2(weight) + 5.0;
        let workspace = of_logs(vec![largest_log; 32], largest_log);
        let mixture = Derivative::new(&points, &workspace, 1.0, 1e-6);
        assert_eq!(mixture.is_hopeless(4.0, 0.1), hopeless, "{weight}");
    }
}

/// A mixture over a case's points, a divisor with slopes in both parameters, and a cell `narrow` times as wide.
struct Bounded {
    case: Case,
    points: Points,
    workspace: Workspace,
    coupling: Coupling,
    cell: Cell,
    /// The density at the points.
    f: Vec<f64>,
}

impl Bounded {
    fn new(seed: u64, narrow: f64) -> Self {
        let (case, mut random) = Case::random(seed);
        let points = Points::new(&case.values, &case.weights);
        let mixture = case.draw(&mut random);
        let triples: Vec<(f64, f64, f64)> =
            (0..mixture.k()).map(|c| (mixture.weights()[c], mixture.means()[c], mixture.variances()[c])).collect();
        let density = |x: f64| -> f64 {
            let terms = triples
                .iter()
                .map(|&(w, m, v)| w * (-0.5 * (x - m) * (x - m) / v).exp() / (std::f64::consts::TAU * v).sqrt());
            terms.sum::<f64>().max(1e-200)
        };
        let f: Vec<f64> = case.values.iter().map(|&x| density(x)).collect();
        let mut logs: Vec<f64> = f.iter().zip(&case.weights).map(|(f, w)| (w / f).log2()).collect();
        let largest = logs.iter().map(|log| log.abs()).fold(0.0, f64::max);
        logs.resize(points.padded(), -2000.0);
        let low = case.values[0] + case.range() * random.next();
        let least = case.range().powi(2) * (-6.0 * random.next()).exp();
        let widest = if narrow < 1.0 { 4.0 * least.sqrt() } else { 0.3 * case.range() };
        let cell = Cell {
            low,
            high: low + narrow * widest * random.next(),
            least,
            most: least * (1.0 + narrow * 2.0 * random.next()),
        };
        let mut coupling = Coupling::none(1);
        let slope = 0.05 * points.total() * (random.next() - 0.5);
        coupling.terms[0] = [slope / case.range(), slope * cell.least, slope * 0.5];
        coupling.scales[0] = [1.5, 0.7];
        Self { case, points, workspace: of_logs(logs, largest), coupling, cell, f }
    }

    fn divisor(&self) -> Divisor {
        self.coupling.divisor(0, &self.cell, 0.0, self.points.total())
    }

    fn mixture(&self) -> Derivative<'_> {
        Derivative::new(&self.points, &self.workspace, self.cell.least, 1e-6)
    }

    /// ln(D/divisor) by plain sums.
    fn ratio(&self, mean: f64, variance: f64) -> f64 {
        let sum: f64 = self
            .case
            .values
            .iter()
            .zip(&self.f)
            .zip(&self.case.weights)
            .map(|((&x, f), w)| w / f * (-0.5 * (x - mean) * (x - mean) / variance).exp())
            .sum();
        let derivative = sum / (self.points.total() * (std::f64::consts::TAU * variance).sqrt());
        (derivative / (1.0 - self.coupling.at(0, mean, variance) / self.points.total())).ln()
    }

    /// The highest ratio on a grid of the cell.
    fn highest(&self) -> f64 {
        let Cell { low, high, least, most } = self.cell;
        let at = |i: i32, j: i32| {
            let (s, t) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
            self.ratio(low + s * (high - low), least + t * (most - least))
        };
        (0..=40).flat_map(|i| (0..=40).map(move |j| (i, j))).map(|(i, j)| at(i, j)).fold(f64::NEG_INFINITY, f64::max)
    }
}

#[test]
fn a_cell_that_is_called_below_is_below_everywhere() {
    let (mut below, mut work) = (0, 0);
    for seed in 0..60 {
        let bounded = Bounded::new(seed, 1.0);
        let (divisor, mixture, highest) = (bounded.divisor(), bounded.mixture(), bounded.highest());
        COUNTED.set([0; 2]);
        for margin in [1e-9, 1e-6, 1e-3] {
            // No proof below the highest point, which is found.
            let Verdict::Above(found) = mixture.bound(&bounded.cell, &divisor, highest - margin) else {
                panic!("seed {seed} {margin}")
            };
            let best = found.iter().map(|&(mean, variance)| bounded.ratio(mean, variance)).fold(f64::MIN, f64::max);
            assert!(best > highest - 2.0 * margin - 1e-8, "seed {seed}: {best} for {highest} - {margin}");
        }
        // The grid nearly reaches the maximum, so a level slightly above it is proven.
        below += usize::from(matches!(mixture.bound(&bounded.cell, &divisor, highest + 0.005), Verdict::Below));
        work += COUNTED.get()[0];
    }
    assert!(below >= 60, "only {below}");
    // A hundredth more than was counted.
    assert!(work <= 2034, "{work} values of the derivative and expansions");
}

/// An expansion proves only what holds for the plain derivative in the whole cell.
#[test]
fn an_expansion_is_below_where_the_derivative_is() {
    let (mut tried, mut below, mut above) = (0, 0, 0);
    for seed in 0..150 {
        let bounded = Bounded::new(seed, 0.15);
        let (divisor, mixture, highest) = (bounded.divisor(), bounded.mixture(), bounded.highest());
        let Some(expansion) = Expansion::of(&mixture, &bounded.cell) else { continue };
        tried += 1;
        for margin in [1e-8, 1e-5, 1e-3, 0.1] {
            match expansion.bound(&divisor, highest - margin) {
                Expanded::Below => panic!("seed {seed} {margin}"),
                Expanded::Unclear => {}
                Expanded::Above(mean, variance) => {
                    above += 1;
                    let Cell { low, high, least, most } = bounded.cell;
                    let inside = (low - 1e-9..=high + 1e-9).contains(&mean)
                        && (least * (1.0 - 1e-9)..=most * (1.0 + 1e-9)).contains(&variance);
                    let ratio = bounded.ratio(mean, variance);
                    assert!(inside && ratio > highest - margin - 1e-9, "seed {seed} {margin}: {ratio} {highest}");
                }
            }
        }
        below += usize::from(matches!(expansion.bound(&divisor, highest + 1e-4), Expanded::Below));
    }
    assert!(tried > 100 && 50 * below > 48 * tried && above > 3 * tried, "{tried} tried, {below} below, {above} above");
}
