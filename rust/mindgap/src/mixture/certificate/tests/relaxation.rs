//! Relaxations against mixing distributions that are improved atom by atom.

use super::*;

/// The log-likelihood of a mixing distribution, and T on average.
fn objective(case: &Case, coupling: &Coupling, atoms: &[MixingAtom]) -> f64 {
    let density = |x: f64, atom: &MixingAtom| {
        let off = x - atom.mean;
        (-0.5 * off * off / atom.variance).exp() / (std::f64::consts::TAU * atom.variance).sqrt()
    };
    let at = |x: f64| atoms.iter().map(|atom| atom.weight * density(x, atom)).sum::<f64>().ln();
    let likelihood: f64 = case.values.iter().zip(&case.weights).map(|(&x, w)| w * at(x)).sum();
    likelihood + atoms.iter().map(|atom| atom.weight * coupling.at(atom.group, atom.mean, atom.variance)).sum::<f64>()
}

/// No distribution over the cells is above the bound, which is that of the distribution found and the tolerance, whether
/// cells overlap, contain each other or are the same.
#[test]
fn no_mixing_distribution_is_above_its_relaxation() {
    const TOLERANCE: f64 = 0.05;
    let mut found = 0;
    for seed in 0..40 {
        let (case, mut random) = Case::random(seed);
        let (points, range) = (Points::new(&case.values, &case.weights), case.range());
        let least = range * range * (0.02 + 0.1 * random.next());
        let whole = Cell { low: case.values[0], high: case.values[0] + range, least, most: 3.0 * least };
        let part = Cell { low: whole.low + 0.4 * range * random.next(), high: whole.high, most: 2.0 * least, ..whole };
        let region = match seed % 3 {
            0 => vec![whole, part],
            1 => vec![part, whole],
            _ => vec![whole, whole],
        };
        let mut coupling = Coupling::none(2);
        // With a slope for either or both of the components.
        for c in (0..2).filter(|c| seed % 4 == 3 || seed as usize % 2 == *c) {
            let slope = points.total() * (random.next() - 0.5);
            coupling.terms[c] = [slope / range, 0.3 * slope * least, slope * (0.5 + case.values[0] / range)];
            coupling.scales[c] = [1.5, 0.7];
        }
        let goal = Goal::Within { tolerance: TOLERANCE, highest: f64::INFINITY };
        let relaxed = relax(&points, &region, &[], &coupling, false, goal, &mut Workspace::default());
        let Some(bound) = relaxed.bound else { continue };
        found += 1;
        let mut atoms = relaxed.atoms;
        let sum: f64 = atoms.iter().map(|atom| atom.weight).sum();
        atoms.iter_mut().for_each(|atom| atom.weight /= sum);
        let mut value = objective(&case, &coupling, &atoms);
        assert!((value..value + 1.1 * TOLERANCE).contains(&bound), "seed {seed}: {bound} for {value}");
        for _ in 0..150 {
            let group = random.below(2);
            let Cell { low, high, least, most } = region[group];
            let mean = [low, high, low + (high - low) * random.next()][random.below(3)];
            let variance = [least, most, least + (most - least) * random.next()][random.below(3)];
            let weight = 10_f64.powf(-0.3 - 2.0 * random.next());
            let mut other = atoms.clone();
            other.iter_mut().for_each(|atom| atom.weight *= 1.0 - weight);
            other.push(MixingAtom { mean, variance, weight, group });
            let improved = objective(&case, &coupling, &other);
            if improved > value {
                (atoms, value) = (other, improved);
            }
            assert!(value <= bound + 1e-9, "seed {seed}: {value} is above {bound}");
        }
    }
    assert!(found > 30, "only {found} are bounded");
}

/// A relaxation without time left gives no bound.
#[test]
fn a_relaxation_that_is_late_bounds_nothing() {
    let points = Points::new(&[0.0, 0.4, 1.0], &[1.0; 3]);
    let region = vec![Cell { low: 0.0, high: 1.0, least: 0.1, most: 0.2 }];
    let goal = Goal::Within { tolerance: 0.1, highest: f64::INFINITY };
    let bound = |deadline: Option<Deadline>| {
        let mut workspace = Workspace::default();
        workspace.stop = StopFlag::at(deadline);
        relax(&points, &region, &[], &Coupling::none(1), true, goal, &mut workspace).bound
    };
    assert!(bound(None).is_some() && bound(Deadline::after(Duration::from_secs(3600))).is_some());
    assert_eq!(bound(Deadline::after(Duration::ZERO)), None);
}
