//! Random problems, their admissible mixtures, and plain ways to climb and to bound them.

use super::*;

/// Random numbers from 0 to 1, the same in every run.
pub(super) struct Draws(pub(super) u64);

impl Draws {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn normal(&mut self) -> f64 {
        (-2.0 * self.next().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos()
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

/// Data and constraints.
pub(super) struct Case {
    pub(super) values: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) constraints: Constraints,
}

impl Case {
    /// Up to fifty points in three clumps, some rounded, some weighted; gaps free, bounded below, on both sides, or nearly
    /// fixed.
    pub(super) fn random(seed: u64) -> (Self, Draws) {
        let mut random = Draws(seed * 7919 + 13);
        let (k, n) = (1 + random.below(3), 10 + random.below(40));
        let mut values: Vec<f64> = (0..n)
            .map(|_| {
                let clump = random.below(3) as f64;
                3.0 * clump * random.next().round() + random.normal() * (0.3 + clump)
            })
            .collect();
        if seed.is_multiple_of(3) {
            values.iter_mut().for_each(|x| *x = (*x * 2.0).round() / 2.0);
        }
        values.sort_by(f64::total_cmp);
        let mut weights = vec![1.0; values.len()];
        if seed.is_multiple_of(5) {
            weights.iter_mut().for_each(|weight| *weight = 0.2 + 2.0 * random.next());
        }
        let range = values[n - 1] - values[0];
        let lower: Vec<f64> =
            (1..k).map(|_| if random.next() < 0.3 { 0.0 } else { 0.6 * range * random.next() }).collect();
        let upper = lower
            .iter()
            .map(|lower| [f64::INFINITY, lower + 0.3 * range * random.next(), lower + 0.05 * range][random.below(3)])
            .collect();
        let ratio = [1.0, 4.0, 25.0][random.below(3)];
        (Self { values, weights, constraints: Constraints { lower, upper, ratio, least: 0.0 } }, random)
    }

    /// Thousands of points of two or three normals with different spreads, some weighted, without bounds on gaps.
    pub(super) fn many(seed: u64) -> (Self, Draws) {
        let mut random = Draws(seed * 104_729 + 7);
        let (k, n) = (2 + random.below(2), 2000 + random.below(3000));
        let spreads: Vec<f64> = (0..k).map(|_| 0.4 + random.next()).collect();
        let mut values: Vec<f64> = (0..n)
            .map(|_| {
                let c = random.below(k);
                2.5 * c as f64 + spreads[c] * random.normal()
            })
            .collect();
        values.sort_by(f64::total_cmp);
        let weighted = seed.is_multiple_of(2);
        let weights = (0..n).map(|_| if weighted { 0.2 + random.next() } else { 1.0 }).collect();
        let constraints =
            Constraints { lower: vec![0.0; k - 1], upper: vec![f64::INFINITY; k - 1], ratio: 9.0, least: 0.0 };
        (Self { values, weights, constraints }, random)
    }

    /// The data in bins of this width, twice and four times it.
    pub(super) fn in_bins(&self, width: f64, known: &Parameters) -> Vec<Points> {
        let of_width =
            |width: f64| Points::compressed(compress(&self.values, &self.weights, width), 4.0 * width * width, known);
        [1.0, 2.0, 4.0].map(|multiple| of_width(multiple * width)).into()
    }

    pub(super) fn frame(&self) -> Frame {
        Frame::of_sorted(&self.values).expect("a range")
    }

    pub(super) fn range(&self) -> f64 {
        self.values[self.values.len() - 1] - self.values[0]
    }

    /// Admissible parameters, often at a bound.
    pub(super) fn draw(&self, random: &mut Draws) -> Parameters {
        let (range, k) = (self.range(), self.constraints.lower.len() + 1);
        let shares: Vec<f64> = (0..k).map(|_| -random.next().max(1e-12).ln()).collect();
        let sum: f64 = shares.iter().sum();
        let mut means = vec![self.values[0] + range * (1.8 * random.next() - 0.8)];
        for g in 0..k - 1 {
            let lower = self.constraints.lower[g];
            let top = self.constraints.upper[g].min(lower + range);
            let gap = [lower, top, lower + (top - lower) * random.next()][random.below(3)];
            means.push(means[g] + gap);
        }
        let base = range * range * (-9.0 * random.next()).exp();
        let variances = (0..k).map(|_| base * self.constraints.ratio.powf(random.next())).collect();
        Parameters::sound(shares.iter().map(|share| share / sum).collect(), means, variances)
    }

    /// Returns a function that fits from given parameters and returns the result with its plain log-likelihood.
    pub(super) fn em(&self) -> impl Fn(&Parameters) -> Option<(f64, Parameters)> {
        let Constraints { lower, upper, ratio, .. } = &self.constraints;
        let sample = Sample::weighted(&self.values, &self.weights).unwrap();
        let mixture = Mixture::new(lower.len() + 1).spread_ratio(ratio.sqrt());
        let mixture = match GapBounds::per_gap(lower, upper) {
            Ok(gaps) if !lower.is_empty() => mixture.constraint(gaps),
            _ => mixture,
        };
        move |start| {
            let fit = mixture.clone().init(start.clone()).fit(&sample).ok()?;
            Some((self.log_likelihood(fit.parameters()), fit.parameters().clone()))
        }
    }

    /// Climbs by small random moves that satisfy the constraints.
    pub(super) fn climb(&self, start: &Parameters, random: &mut Draws) -> (f64, Parameters) {
        let mut best = (self.log_likelihood(start), start.clone());
        let (mut step, mut failures) = (0.3, 0);
        while step > 1e-4 {
            let (weights, means, variances) = (best.1.weights(), best.1.means(), best.1.variances());
            let k = means.len();
            let shares: Vec<f64> = weights.iter().map(|w| w * (step * random.normal()).exp()).collect();
            let sum: f64 = shares.iter().sum();
            let all = step * self.range() * 0.2 * random.normal();
            let mut moved: Vec<f64> =
                (0..k).map(|c| means[c] + all + 0.2 * step * self.range() * random.normal()).collect();
            for g in 0..k - 1 {
                moved[g + 1] =
                    moved[g + 1].clamp(moved[g] + self.constraints.lower[g], moved[g] + self.constraints.upper[g]);
            }
            let common = (step * random.normal()).exp();
            let mut spread: Vec<f64> = (0..k).map(|c| variances[c] * common * (step * random.normal()).exp()).collect();
            if self.constraints.ratio == 1.0 {
                let first = spread[0];
                spread.fill(first);
            }
            let largest = spread.iter().copied().fold(0.0, f64::max);
            spread.iter_mut().for_each(|v| *v = v.max(largest / self.constraints.ratio));
            let tried = Parameters::sound(shares.iter().map(|share| share / sum).collect(), moved, spread);
            let value = self.log_likelihood(&tried);
            if value > best.0 {
                best = (value, tried);
                failures = 0;
            } else {
                failures += 1;
                if failures > 40 {
                    (step, failures) = (0.5 * step, 0);
                }
            }
        }
        best
    }

    /// The log-likelihood by plain sums, with the standard library's functions.
    pub(super) fn log_likelihood(&self, parameters: &Parameters) -> f64 {
        let density = |x: f64| -> f64 {
            (0..parameters.k())
                .map(|c| {
                    let (d, v) = (x - parameters.means()[c], parameters.variances()[c]);
                    parameters.weights()[c] * (-0.5 * d * d / v).exp() / (std::f64::consts::TAU * v).sqrt()
                })
                .sum()
        };
        self.values.iter().zip(&self.weights).map(|(&x, w)| w * density(x).max(1e-300).ln()).sum()
    }

    /// The cost of the best k-means, by trying all partitions of sorted values.
    pub(super) fn kmeans_cost(&self) -> f64 {
        let n = self.values.len();
        let cost = |from: usize, to: usize| {
            let weight: f64 = self.weights[from..to].iter().sum();
            let mean = (from..to).map(|i| self.weights[i] * self.values[i]).sum::<f64>() / weight;
            (from..to).map(|i| self.weights[i] * (self.values[i] - mean).powi(2)).sum::<f64>()
        };
        let mut best: Vec<f64> = (0..=n).map(|end| if end == 0 { 0.0 } else { cost(0, end) }).collect();
        for _ in &self.constraints.lower {
            let next = |end: usize| (0..end).map(|from| best[from] + cost(from, end)).fold(f64::INFINITY, f64::min);
            best = (0..=n).map(|end| if end == 0 { 0.0 } else { next(end) }).collect();
        }
        best[n] * (1.0 - 1e-9)
    }

    /// Certifies without climbs, so that the threshold stays the same.
    pub(super) fn certify(&self, known: &Parameters, epsilon: f64, nodes: usize) -> TreeResult {
        self.certify_in_steps(known, &[epsilon], |progress| progress.nodes > nodes)
    }

    pub(super) fn certify_in_steps(
        &self,
        known: &Parameters,
        epsilons: &[f64],
        stop: impl Fn(&TreeProgress) -> bool,
    ) -> TreeResult {
        let task = Task {
            points: vec![Points::new(&self.values, &self.weights)],
            constraints: self.constraints.clone(),
            kmeans_cost: self.kmeans_cost(),
            epsilons,
            first_try: 0,
            record: true,
            stop: StopFlag::default(),
            climb: &|_| None,
        };
        task.run(std::slice::from_ref(known), &Workers::for_points(0), &mut |progress| {
            if progress.is_some_and(&stop) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }
}
