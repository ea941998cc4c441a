//! Sorting with the order to undo it, ties resolved so that the input's order cannot show in a result.

/// Values in ascending order with their input indices; equal values keep their order.
pub(super) fn by_value(values: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let mut keyed: Vec<(f64, u32)> = keyed(values).collect();
    keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keyed.into_iter().unzip()
}

/// Weighted values in ascending order.
pub(super) struct Weighted {
    pub(super) values: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) order: Vec<u32>,
    pub(super) weightless: Vec<(u32, f64)>,
}

/// Sorts by value, then weight, so that equal values of unequal weight stand in one order whatever the input's.
pub(super) fn by_value_and_weight(values: &[f64], weights: &[f64]) -> Weighted {
    let (mut heavy, weightless): (Vec<_>, Vec<_>) = keyed(values).partition(|&(_, i)| weights[i as usize] > 0.0);
    heavy.sort_unstable_by(|a, b| {
        let weight = |i: u32| weights[i as usize];
        a.0.total_cmp(&b.0).then(weight(a.1).total_cmp(&weight(b.1))).then(a.1.cmp(&b.1))
    });
    Weighted {
        values: heavy.iter().map(|&(x, _)| x).collect(),
        weights: heavy.iter().map(|&(_, i)| weights[i as usize]).collect(),
        order: heavy.iter().map(|&(_, i)| i).collect(),
        weightless: weightless.into_iter().map(|(x, i)| (i, x)).collect(),
    }
}

/// Adding zero turns -0.0 into 0.0, so that the two are one value.
fn keyed(values: &[f64]) -> impl Iterator<Item = (f64, u32)> {
    values.iter().zip(0u32..).map(|(&x, i)| (x + 0.0, i))
}
