//! Nodes in place of many points: what they are off by is allowed for, and bounds from them are bounds for the points.

use super::super::points::NEGLIGIBLE;
use super::super::quadrature::{fill_shapes, likelihood_error, quadrature_error};
use super::*;

/// The bound of a rule's error is that of its largest one: wide bins make it count.
#[test]
fn what_rules_are_off_by_is_allowed_for() {
    let mut off = 0;
    for seed in 0..40 {
        let mut random = Draws(seed * 17 + 3);
        // Most of each bin's weight at its ends: the error of the rule is then largest.
        let values: Vec<f64> = (0..400).map(|i| f64::from(i / 20) + 0.9 * random.next().powi(4)).collect();
        let mut values: Vec<f64> = values.into_iter().chain([-1e-9, 20.0]).collect();
        values.sort_by(f64::total_cmp);
        let weights = vec![1.0; values.len()];
        let nodes = Points::compressed(compress(&values, &weights, 1.0), 0.0, &anything());
        assert!(nodes.values().len() < 100);
        let (mut logs, mut shapes) = (vec![0.0; nodes.padded()], Vec::new());
        nodes.fix(&mut logs, &mut shapes);
        // Bins have a radius of 0.45: from flat to steep, with shares from small to large.
        let least = 30.0 * (1.0 + random.next()) / if seed % 2 == 0 { 1.0 } else { 25.0 };
        let (relative, amount) = nodes.quadrature_error(&shapes, least, if seed % 2 == 0 { 1e-3 } else { 0.1 }, 0.0);
        for _ in 0..50 {
            let (mean, variance) = (20.0 * random.next(), least * (1.0 + random.next()));
            let term = |x: f64| (-0.5 * (x - mean) * (x - mean) / variance).exp();
            let of_points: f64 = values.iter().map(|&x| term(x)).sum();
            let of_nodes: f64 = nodes.values().iter().zip(nodes.weights()).map(|(&x, w)| w * term(x)).sum();
            assert!(of_points <= of_nodes * (1.0 + relative) + amount, "seed {seed}: {of_points} {of_nodes}");
            off += usize::from(of_points > of_nodes * (1.0 + 1e-13) + amount);
        }
    }
    assert!(off > 100, "only {off} sums were larger than those over the nodes");
}

/// What a likelihood may be off by, for one bin and a parabola: no less than moments that are off by the whole defect
/// make of it, and that much if the parabola is flat.
#[test]
fn likelihoods_are_off_by_what_moments_are() {
    let mut random = Draws(97);
    for case in 0..200 {
        let radius = 10_f64.powf(4.0 * random.next() - 2.0);
        let values = [-1.0, -0.4 * random.next(), 0.5, 0.6 + 0.4 * random.next(), 1.0].repeat(10);
        let mut values: Vec<f64> = values.iter().map(|t| 3.0 + radius * t).collect();
        values.sort_by(f64::total_cmp);
        let weights: Vec<f64> = values.iter().map(|_| 0.5 + random.next()).collect();
        let (low, high) = (values[0] - radius, values[values.len() - 1] + radius);
        values.splice(0..0, [low]);
        values.push(high);
        let weights = [&[1.0], &weights[..], &[1.0]].concat();
        let compressed = compress(&values, &weights, 1e3 * radius);
        assert_eq!(compressed.bins.len(), 1);
        let total: f64 = weights[1..weights.len() - 1].iter().sum();
        let defect = 2.0 * f64::EPSILON * (values.len() as f64 + 30.0);
        // The coefficients about the middle, in units of the radius.
        let kind = case % 3;
        let coefficients = [
            10.0 * random.normal(),
            if kind > 0 { random.normal() } else { 0.0 },
            if kind > 1 { random.normal() } else { 0.0 },
        ];
        let log_f = |x: f64| {
            let t = (x - 3.0) / radius;
            coefficients[0] + coefficients[1] * t + coefficients[2] * t * t
        };
        let logs: Vec<f64> = compressed.values.iter().map(|&x| -log_f(x) * std::f64::consts::LOG2_E).collect();
        let mut shapes = Vec::new();
        fill_shapes(&compressed.bins, &compressed.values, &logs, &vec![0.0; logs.len()], &mut shapes);
        let error = likelihood_error(&compressed.bins, &shapes);
        let least = total * defect * coefficients.iter().map(|coefficient| coefficient.abs()).sum::<f64>();
        let most = if kind == 0 { 2.0 * least } else { 30.0 * least };
        let slack = 1e-5 * total * defect;
        assert!(least <= error && error <= most + slack, "{case}: {error} is not between {least} and {most}");
        // Slopes and curvatures of nothing at all still have the error of differences: 3·(2 + 1) + 1 times 1e-6.
        fill_shapes(&compressed.bins, &compressed.values, &vec![0.0; logs.len()], &vec![0.0; logs.len()], &mut shapes);
        let of_nothing = likelihood_error(&compressed.bins, &shapes) / (total * defect);
        assert!((0.999e-5..2e-5).contains(&of_nothing), "{case}: {of_nothing}");
        fill_shapes(&compressed.bins, &compressed.values, &logs, &vec![0.0; logs.len()], &mut shapes);
        // Where the rule itself is as good as exact, the defect is all: eight times, and once more for each unit of level.
        let share =
            |level: f64| quadrature_error(&compressed.bins, &shapes, 1e6 * radius * radius, 1e-24, level).0 / defect;
        let (flat, high) = (share(0.0), share(5.0));
        assert!((8.0..16.0).contains(&flat) && (high / flat - 13.0 / 8.0).abs() < 1e-4, "{case}: {flat} {high}");
    }
}

/// Where a bin is too steep for its rule, its whole mass counts as it is for the nearest mean that is so: it falls as ln
/// f rises, and by what a slope of ln f makes of both.
#[test]
fn the_mass_of_steep_bins_counts_as_a_whole() {
    let values: Vec<f64> =
        [-130.0].into_iter().chain((0..40).map(|i| f64::from(i) / 19.5 - 1.0)).chain([100.0]).collect();
    let compressed = compress(&values, &vec![3.0; 42], 50.0);
    assert_eq!(compressed.bins.len(), 1);
    let radius = 0.5 * (values[40] - values[1]);
    let least = 20.0 * radius * radius;
    let log_amount = |level: f64, slope: f64| {
        let first = compressed.values[compressed.bins[0].start];
        let log_f = |x: f64| level + slope * (x - first);
        let logs: Vec<f64> = compressed.values.iter().map(|&x| -log_f(x) * std::f64::consts::LOG2_E).collect();
        let mut shapes = Vec::new();
        fill_shapes(&compressed.bins, &compressed.values, &logs, &vec![0.0; logs.len()], &mut shapes);
        quadrature_error(&compressed.bins, &shapes, least, 0.1, 0.0).1.ln()
    };
    let weight = 120.0_f64;
    let flat = log_amount(0.0, 0.0);
    let far = (2.0 / least * (weight.ln() - flat)).sqrt();
    assert!(weight.ln() - flat > 1.0, "{flat}");
    for (level, slope) in [(4.0, 0.0), (-3.0, 0.0), (0.0, 0.01), (0.0, -0.02), (1.0, 0.03)] {
        let slope = slope / radius;
        let left = (far - slope.abs()).max(0.0);
        let expected = weight.ln() - level + 2.0 * radius * slope.abs() - 0.5 * least * left * left;
        let found = log_amount(level, slope);
        assert!((found - expected).abs() < 1e-3, "{level} {slope}: {found} is not {expected}");
    }
}

/// Sums over nodes are off by no more than is allowed for.
#[test]
fn nodes_stand_for_their_points() {
    let mut tight = 0;
    for seed in 0..40 {
        let mut random = Draws(seed * 31 + 5);
        let mut values: Vec<f64> = (0..3000).map(|_| 2.0 * random.normal() + 6.0 * random.next().round()).collect();
        values.sort_by(f64::total_cmp);
        let weights: Vec<f64> = values.iter().map(|_| if seed % 2 == 0 { 1.0 } else { 0.1 + random.next() }).collect();
        let compressed = compress(&values, &weights, 0.05 + 0.2 * random.next());
        assert!(compressed.values.len() < 1500 && !compressed.bins.is_empty());
        let nodes = Points::compressed(compressed, 0.0, &anything());
        // ln f is a parabola all over, so that it is the same function for points and nodes.
        let (middle, spread) = (6.0 * random.next(), 2.0 + 8.0 * random.next());
        let log_f = |x: f64| -(x - middle) * (x - middle) / spread - 2.0;
        let mut logs: Vec<f64> = nodes.values().iter().map(|&x| log_f(x) * std::f64::consts::LOG2_E).collect();
        logs.resize(nodes.padded(), 0.0);
        let mut shapes = Vec::new();
        let (likelihood, _) = nodes.fix(&mut logs, &mut shapes);
        let exact: f64 = values.iter().zip(&weights).map(|(&x, w)| w * log_f(x)).sum();
        assert!(exact <= likelihood + 1e-9 * exact.abs() && likelihood <= exact + 1e-6 * exact.abs(), "seed {seed}");
        let least = 0.2 + random.next();
        let (relative, amount) = nodes.quadrature_error(&shapes, least, 1e-7, 0.0);
        for _ in 0..50 {
            let (mean, variance) = (12.0 * random.next() - 3.0, least * (1.0 + 4.0 * random.next()));
            let term = |x: f64| (-0.5 * (x - mean) * (x - mean) / variance - log_f(x)).exp();
            let of_points: f64 = values.iter().zip(&weights).map(|(&x, w)| w * term(x)).sum();
            let of_nodes: f64 = nodes.values().iter().zip(nodes.weights()).map(|(&x, w)| w * term(x)).sum();
            assert!(
                of_points <= (of_nodes * (1.0 + relative) + amount) * (1.0 + 1e-12),
                "seed {seed} {mean} {variance}"
            );
            tight += usize::from((of_points - of_nodes).abs() < 1e-6 * of_points);
        }
    }
    assert!(tight > 1800, "only {tight}");
}

/// At the points f is the parabola through the nodes of each bin, whatever was background_share into it: its likelihood and its
/// derivative over the points, summed plainly, are at most what is said of them from the nodes.
#[test]
fn what_is_said_of_a_blend_holds_at_the_points() {
    let (mut background_share, mut close) = (0, 0);
    for seed in 0..10 {
        let (case, mut random) = Case::many(seed);
        let known = case.em()(&case.draw(&mut random)).expect("a fit").1;
        let width = [0.05, 0.2, 0.6][seed as usize % 3];
        let compressed = compress(&case.values, &case.weights, width);
        let bins = compressed.bins.clone();
        let nodes = Points::compressed(compressed, 0.0, &known);
        let mut workspace = Workspace::default();
        workspace.background_share = 0.9;
        let mut atom = |group: usize| MixingAtom {
            mean: 2.5 * group as f64 + 0.3 * random.normal(),
            variance: (0.4 + random.next()).powi(2),
            weight: 0.3,
            group,
        };
        let mut atoms: Vec<MixingAtom> = (0..3).map(&mut atom).collect();
        let bonus = vec![0.0; atoms.len()];
        let plain = workspace.optimise(&nodes, &mut atoms, &bonus, f64::INFINITY, 1e-3).log_likelihood;
        let reached = workspace.optimise(&nodes, &mut atoms, &bonus, plain + 20.0, 1e-3).log_likelihood;
        background_share += usize::from(reached > plain + 0.1);
        // ln f at every point.
        let at_node = |i: usize| (nodes.weights()[i].log2() - workspace.logs[i]) * std::f64::consts::LN_2;
        let x = nodes.values();
        let log_f: Vec<f64> = case
            .values
            .iter()
            .map(|&point| {
                let number = |x: f64| ((x - case.values[0]) / width).floor();
                let start = match bins.iter().find(|bin| number(x[bin.start]) == number(point)) {
                    Some(bin) if !x.contains(&point) => bin.start,
                    _ => return at_node(x.iter().position(|&node| node == point).expect("a point that was kept")),
                };
                let term = |i: usize| {
                    let others = (start..start + 3).filter(|&j| j != i);
                    others.fold(at_node(i), |term, j| term * (point - x[j]) / (x[i] - x[j]))
                };
                (start..start + 3).map(term).sum()
            })
            .collect();
        let likelihood: f64 = log_f.iter().zip(&case.weights).map(|(log, w)| w * log).sum();
        assert!(likelihood <= reached + 1e-9 * likelihood.abs(), "seed {seed}: {likelihood} {reached}");
        let constant = Coupling::none(1).divisor(0, &Cell { low: 0.0, high: 0.0, least: 1.0, most: 1.0 }, 0.0, 1.0);
        for _ in 0..40 {
            let mean = case.values[0] + case.range() * random.next();
            let variance = (0.2 + random.next()).powi(2);
            let total: f64 = case.weights.iter().sum();
            let terms = case.values.iter().zip(&log_f).zip(&case.weights);
            let sum: f64 =
                terms.map(|((&x, log), w)| w * (-0.5 * (x - mean) * (x - mean) / variance - log).exp()).sum();
            let exact = (sum / (total * (std::f64::consts::TAU * variance).sqrt())).ln();
            for level in [1e-5, 1e-3, 0.1] {
                let mixture = Derivative::new(&nodes, &workspace, variance, level);
                if mixture.is_hopeless(variance, level) {
                    continue;
                }
                let said = mixture.log_ratio(&constant, mean, variance);
                assert!(exact <= said + 1e-10, "seed {seed}: {exact} {said}");
                close += usize::from(said < exact + level);
            }
        }
    }
    assert!(background_share >= 5, "only {background_share} were background_share");
    assert!(close >= 300, "only {close} were close");
}

/// The relaxed maximum of a region is the same over points and over nodes: a bound from nodes is never below that of
/// the points.
#[test]
fn a_bound_from_nodes_is_one_for_the_points() {
    let mut bounded = 0;
    for seed in 0..8 {
        let (case, mut random) = Case::many(seed);
        let known = case.em()(&case.draw(&mut random)).expect("a fit").1;
        let points = Points::new(&case.values, &case.weights);
        let factor = 1.0 + 0.2 * random.next();
        let near = |c: usize| {
            let (mean, variance) = (known.means()[c], known.variances()[c]);
            let aside = 0.1 * random.next() * variance.sqrt();
            Cell { low: mean - aside, high: mean + aside, least: variance / factor, most: variance * factor }
        };
        let region: Vec<Cell> = (0..known.k()).map(near).collect();
        let (none, tolerance) = (Coupling::none(known.k()), 1e-2);
        let bound = |points: &Points, background_share: f64| {
            let mut workspace = Workspace::default();
            workspace.background_share = background_share;
            let goal = Goal::Within { tolerance, highest: f64::INFINITY };
            relax(points, &region, &[], &none, true, goal, &mut workspace).bound
        };
        let Some(of_points) = bound(&points, 0.0) else { continue };
        let least = known.variances().iter().copied().fold(f64::INFINITY, f64::min).sqrt();
        for width in [0.02, 0.1, 0.3, 1.0, 2.0] {
            let nodes = Points::compressed(compress(&case.values, &case.weights, width * least), 0.0, &known);
            let Some(of_nodes) = bound(&nodes, 0.1) else { continue };
            bounded += 1;
            assert!(of_points - tolerance <= of_nodes, "seed {seed} {width}: {of_points} {of_nodes}");
        }
    }
    assert!(bounded >= 8, "only {bounded} were bounded");
}

/// Trees over nodes, in bins from narrow to far too wide: no climb ends above a bound, and just below the maximum
/// nothing closes.
#[test]
fn trees_over_nodes_close_above_the_maximum_alone() {
    let mut closed = 0;
    let two = |(case, _): &(Case, Draws)| case.constraints.lower.len() == 1;
    for (seed, (case, mut random)) in (0..).map(Case::many).filter(two).take(4).enumerate() {
        let climb = case.em();
        let climbed = (0..12).filter_map(|_| climb(&case.draw(&mut random)));
        let (highest, best) = climbed.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a climb");
        let sample = Sample::weighted(&case.values, &case.weights).unwrap();
        let kmeans_cost = KMeans::new(best.k()).fit(&sample).unwrap().lower_bound() * (1.0 - 1e-9);
        let least = best.variances().iter().copied().fold(f64::INFINITY, f64::min).sqrt();
        for width in [0.02, 0.2, 1.0] {
            let run = |known: &Parameters, above: f64, nodes: usize| {
                let points = case.in_bins(width * least, known);
                let epsilons = [highest + above - points[0].log_likelihood(known)];
                let task = Task {
                    points,
                    constraints: case.constraints.clone(),
                    kmeans_cost,
                    epsilons: &epsilons,
                    first_try: 0,
                    record: false,
                    stop: StopFlag::default(),
                    climb: &|_| None,
                };
                let stop =
                    |progress: Option<&TreeProgress>| match progress.is_some_and(|progress| progress.nodes > nodes) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    };
                let shown = task.run(std::slice::from_ref(known), &Workers::for_points(0), &mut { stop });
                shown.closed
            };
            if let Some((_, bound)) = run(&best, 0.5, 200) {
                closed += 1;
                let others = (0..4).filter_map(|_| climb(&case.draw(&mut random)));
                others.for_each(|(other, _)| assert!(other <= bound, "seed {seed} {width}: {other} above {bound}"));
            }
            let wider = best.variances().iter().map(|variance| 1.1 * variance).collect();
            let wider = Parameters::sound(best.weights().to_vec(), best.means().to_vec(), wider);
            for known in [wider, case.draw(&mut random)] {
                assert!(run(&known, -1e-3, 30).is_none(), "seed {seed} {width} closed below its maximum");
            }
        }
    }
    assert!(closed >= 4, "only {closed} closed");
}

/// As far away as sums of square roots of densities go, the largest term is what may be left out.
#[test]
fn points_out_of_reach_are_negligible() {
    let values: Vec<f64> = (0..32).map(f64::from).collect();
    let points = Points::new(&values, &[1.0; 32]);
    for (largest_log, deviation) in [(0.0, 1.0), (7.0, 0.1), (60.0, 30.0)] {
        let workspace = of_logs(vec![largest_log; 32], largest_log);
        let z = Derivative::new(&points, &workspace, 1.0, 1e-6).reach(1.0 / deviation) / deviation;
        let term = largest_log - 0.25 * z * z * std::f64::consts::LOG2_E;
        assert!((term + NEGLIGIBLE).abs() < 1e-9, "{term}");
    }
}
