//! K-means by the plain dynamic program over all prefixes and all last clusters: O(k n²), for a few thousand points.

/// The least cost of the ascending points `x` (weights `w`) in `k` runs, for every `k` from 1 to `most`.
pub fn least_costs(x: &[f64], w: &[f64], most: usize) -> Vec<f64> {
    let n = x.len();
    let mut best = first_row(x, w);
    let mut answer = vec![best[n]];
    for k in 2..=most {
        let mut next = vec![f64::INFINITY; n + 1];
        for start in (k - 1..n).filter(|&start| best[start] < f64::INFINITY) {
            let mut run = Run::default();
            for end in start + 1..=n {
                run.push(x[end - 1], w[end - 1]);
                next[end] = next[end].min(best[start] + run.cost);
            }
        }
        best = next;
        answer.push(best[n]);
    }
    answer
}

/// One run for every prefix; the empty one has none.
fn first_row(x: &[f64], w: &[f64]) -> Vec<f64> {
    let mut run = Run::default();
    let mut row = vec![f64::INFINITY];
    for (&x, &w) in x.iter().zip(w) {
        run.push(x, w);
        row.push(run.cost);
    }
    row
}

/// Weight, mean and sum of squares of a growing run, by Welford's update.
#[derive(Default)]
struct Run {
    weight: f64,
    mean: f64,
    cost: f64,
}

impl Run {
    fn push(&mut self, x: f64, w: f64) {
        self.weight += w;
        let off = x - self.mean;
        self.mean += off * w / self.weight;
        self.cost += w * off * (x - self.mean);
    }
}
