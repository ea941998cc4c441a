//! EM for mixtures as the paper writes it: every responsibility stored, every sum in plain order.

/// Weights, means and variances.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub weights: Vec<f64>,
    pub means: Vec<f64>,
    pub variances: Vec<f64>,
}

/// Responsibilities (a row a point) and the log-likelihood.
pub fn e_step(x: &[f64], w: &[f64], p: &Parameters) -> (Vec<Vec<f64>>, f64) {
    let mut likelihood = 0.0;
    let rows = x.iter().zip(w).map(|(&x, &w)| {
        let log_density = |k: usize| {
            let (mean, v) = (p.means[k], p.variances[k]);
            p.weights[k].ln() - 0.5 * (2.0 * std::f64::consts::PI * v).ln() - (x - mean).powi(2) / (2.0 * v)
        };
        let logs: Vec<f64> = (0..p.means.len()).map(log_density).collect();
        let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|l| (l - peak).exp()).sum();
        likelihood += w * (peak + total.ln());
        logs.iter().map(|l| (l - peak).exp() / total).collect()
    });
    (rows.collect(), likelihood)
}

/// One iteration under bounds on the gaps; the log-likelihood is that of the parameters given.
pub fn iterate(x: &[f64], w: &[f64], p: &Parameters, lower: &[f64], upper: &[f64]) -> (Parameters, f64) {
    let (r, likelihood) = e_step(x, w, p);
    let k = p.means.len();
    let sum = |k: usize, f: &dyn Fn(f64) -> f64| -> f64 {
        x.iter().zip(w).zip(&r).map(|((&x, &w), r)| w * r[k] * f(x)).sum()
    };
    let n: Vec<f64> = (0..k).map(|k| sum(k, &|_| 1.0)).collect();
    let total: f64 = w.iter().sum();
    let targets: Vec<f64> = (0..k).map(|k| sum(k, &|x| x) / n[k]).collect();
    let stiffness: Vec<f64> = (0..k).map(|k| n[k] / p.variances[k]).collect();
    let means = project(&targets, &stiffness, lower, upper);
    let variances = (0..k).map(|k| sum(k, &|x| (x - means[k]).powi(2)) / n[k]).collect();
    (Parameters { weights: n.iter().map(|n| n / total).collect(), means, variances }, likelihood)
}

/// `min Σ g (μ - m)²` under bounds on the gaps, by Hildreth's method: one multiplier a gap, each in turn, until
/// nothing moves.
fn project(m: &[f64], g: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let mut multipliers = vec![0.0; lower.len()];
    let mut means = m.to_vec();
    for _ in 0..200_000 {
        let mut moved = 0.0_f64;
        for gap in 0..lower.len() {
            let soft = 1.0 / g[gap] + 1.0 / g[gap + 1];
            // The gap as it would be without this multiplier, and the nearest that the bounds allow.
            let bare = means[gap + 1] - means[gap] - multipliers[gap] * soft;
            let wanted = bare.clamp(lower[gap], upper[gap]);
            let change = (wanted - bare) / soft - multipliers[gap];
            multipliers[gap] += change;
            means[gap] -= change / g[gap];
            means[gap + 1] += change / g[gap + 1];
            moved = moved.max(change.abs() * soft);
        }
        if moved < 1e-15 {
            break;
        }
    }
    means
}
