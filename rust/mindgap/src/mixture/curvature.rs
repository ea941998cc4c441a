//! [`Curvature`]: mergeable sums for the second derivatives of the log-likelihood (Louis' identity).

/// Sums over the points for the second derivatives, in standardised residuals `z_k = (x - μ_k)/σ_k`, which have no
/// units.
///
/// A point of weight `w` adds `w` times the outer product of its vector `s = (r_1, r_1 z_1, r_1 z_1², r_2, …)` with
/// itself, `(3K)²` numbers. It costs about twice as much as its moments.
///
/// ```
/// use mindgap::{Engine, LocalEngine, Parameters, Sample};
///
/// let sample = Sample::new(&[-1.0, 0.0, 1.0])?;
/// let standard = Parameters::new(&[1.0], &[0.0], &[1.0])?;
/// let moments = LocalEngine::new(&sample).curved(&standard)?;
/// let curvature = moments.curvature.expect("a local engine returns it");
/// assert_eq!((curvature.third[0], curvature.fourth[0], curvature.outer[0]), (0.0, 2.0, 3.0));
/// # Ok::<(), mindgap::BoxError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Curvature {
    /// `Σ w r_k z_k³`, one entry per component.
    pub third: Vec<f64>,
    /// `Σ w r_k z_k⁴`.
    pub fourth: Vec<f64>,
    /// `Σ w s sᵀ`, row-major, `3K`×`3K`; only the entries on and above the diagonal are read.
    pub outer: Vec<f64>,
}

impl Curvature {
    /// The sums over no points, for `k` components.
    pub fn zero(k: usize) -> Self {
        Self { third: vec![0.0; k], fourth: vec![0.0; k], outer: vec![0.0; 9 * k * k] }
    }

    /// The memory of the sums for `k` components.
    pub(super) fn bytes(k: usize) -> usize {
        size_of::<f64>().saturating_mul(k.saturating_mul(2).saturating_add(k.saturating_mul(k).saturating_mul(9)))
    }

    /// Adds the sums over other points, taken at the same parameters.
    pub fn add(&mut self, other: &Curvature) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.third, &other.third);
        add(&mut self.fourth, &other.fourth);
        add(&mut self.outer, &other.outer);
    }

    /// Resets to the sums over no points.
    pub(super) fn clear(&mut self) {
        [&mut self.third, &mut self.fourth, &mut self.outer].into_iter().for_each(|sums| sums.fill(0.0));
    }

    /// Returns why these are not the sums of `k` components, if they are not.
    pub(super) fn fault(&self, k: usize) -> Option<String> {
        let parts = [("third", &self.third, k), ("fourth", &self.fourth, k), ("outer", &self.outer, 9 * k * k)];
        for (name, values, wanted) in parts {
            if values.len() != wanted {
                return Some(format!(
                    "{} entries of `{name}` for {k} components; there must be {wanted}",
                    values.len()
                ));
            }
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                return Some(format!("an entry of `{name}` is {value}"));
            }
        }
        None
    }
}
