//! Information criteria: the smaller, the better.

use super::fit::MixtureFit;
use crate::numeric::portable::ln;

impl MixtureFit {
    /// The number of free parameters: `k - 1` weights, `k` means, and `k` variances or one. Constraints are not
    /// counted: which of them bind is known only after the fit.
    pub fn parameter_count(&self) -> usize {
        2 * self.means().len() - 1 + self.variance_count()
    }

    /// The Bayesian information criterion; the total weight counts as the number of points.
    pub fn bic(&self) -> f64 {
        self.parameter_count() as f64 * ln(self.total_weight()) - 2.0 * self.log_likelihood()
    }

    /// Akaike's information criterion.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameter_count() as f64 - 2.0 * self.log_likelihood()
    }

    /// The integrated completed likelihood: [`bic`](Self::bic) plus twice the cost, in nats, of giving each point to its
    /// most probable component. `None` if the engine does not tell.
    pub fn icl(&self) -> Option<f64> {
        self.entropy().map(|entropy| self.bic() + entropy)
    }

    /// What [`icl`](Self::icl) adds to [`bic`](Self::bic): the less, the surer the points belong to their components. `None` if
    /// the engine does not tell.
    pub fn entropy(&self) -> Option<f64> {
        self.classification().map(|classification| -2.0 * classification)
    }
}
