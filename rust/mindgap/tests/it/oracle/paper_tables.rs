//! The paper's two tables as it prints them, loop for loop, with all of D, I, B, U, C and W in memory: O(N³K).

/// The 1-based first point of each cluster, or nothing where the paper's program says "not possible".
pub fn starts(x: &[f64], k: usize, delta: f64) -> Option<Vec<usize>> {
    let n = x.len();
    let mean = |j: usize, i: usize| x[j - 1..i].iter().sum::<f64>() / (i + 1 - j) as f64;
    let cost = |j: usize, i: usize| x[j - 1..i].iter().map(|v| (v - mean(j, i)).powi(2)).sum::<f64>();
    let table = |f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..=n).map(|j| (0..=n).map(|i| if 1 <= j && j <= i { f(j, i) } else { 0.0 }).collect()).collect()
    };
    let (c, w) = (table(&mean), table(&cost));
    let beta = w[1][n] + 1.0;
    let mut d = vec![vec![beta; k + 1]; n + 1];
    let mut first = vec![vec![0; k + 1]; n + 1];
    let mut smallest = first.clone();
    let mut u = vec![vec![vec![beta; k + 1]; n + 1]; n + 1];
    for i in 1..=n {
        (d[i][1], first[i][1], smallest[i][1], u[1][i][1]) = (w[1][i], 1, 1, 0.0);
    }
    let walk = |from: usize, to: usize, last: usize, i: usize| {
        (to..=from).rev().find(|&t| c[last + 1][i] - c[t][last] >= delta)
    };
    for m in 2..=k {
        for i in m..=n {
            if d[i - 1][m - 1] >= beta {
                continue;
            }
            for j in m..=i {
                let (from, to) = (first[j - 1][m - 1], smallest[j - 1][m - 1]);
                if to == 0 {
                    continue;
                }
                let before = match walk(from, to, j - 1, i) {
                    Some(t) if t == from => d[j - 1][m - 1],
                    Some(t) => u[t][j - 1][m - 1] + w[t][j - 1],
                    None => continue,
                };
                u[j][i][m] = before;
                let p = before + w[j][i];
                if p < d[i][m] {
                    (d[i][m], first[i][m]) = (p, j);
                }
                if p < beta && smallest[i][m] == 0 {
                    smallest[i][m] = j;
                }
            }
        }
    }
    if d[n][k] >= beta {
        return None;
    }
    let mut starts = vec![first[n][k]];
    let mut end = n;
    for m in (1..k).rev() {
        let last = starts[starts.len() - 1] - 1;
        if smallest[last][m] == 0 {
            return None;
        }
        starts.push(walk(first[last][m], smallest[last][m], last, end)?);
        end = last;
    }
    starts.reverse();
    Some(starts)
}
