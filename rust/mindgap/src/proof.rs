//! [`Proof`]: a lower bound on the cost of every solution, or optimality.

/// What is proven about the solution of a minimisation problem.
///
/// ```
/// use mindgap::Proof;
///
/// assert_eq!(Proof::AtLeast(2.9).lower_bound(3.0), 2.9);
/// assert!(Proof::Optimal.is_optimal(3.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Proof {
    /// No solution costs less.
    Optimal,
    /// No solution costs less than this.
    AtLeast(f64),
}

impl Proof {
    /// Returns a lower bound on the cost of every solution, given that this one costs `cost`.
    pub fn lower_bound(self, cost: f64) -> f64 {
        match self {
            Self::Optimal => cost,
            Self::AtLeast(bound) => bound.min(cost),
        }
    }

    /// Returns whether `cost` exceeds the optimum by at most `tol · cost`.
    pub fn is_optimal(self, cost: f64, tol: f64) -> bool {
        cost - self.lower_bound(cost) <= tol * cost
    }

    /// Returns the same proof for costs `times · cost + offset`.
    #[must_use]
    pub(crate) fn scaled(self, times: f64, offset: f64) -> Self {
        match self {
            Self::Optimal => Self::Optimal,
            Self::AtLeast(bound) => Self::AtLeast(bound * times + offset),
        }
    }

    /// The stronger of two proofs.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::AtLeast(a), Self::AtLeast(b)) => Self::AtLeast(a.max(b)),
            _ => Self::Optimal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_above_the_cost_is_the_cost() {
        assert_eq!(Proof::Optimal.lower_bound(3.0), 3.0);
        assert_eq!(Proof::AtLeast(2.0).lower_bound(3.0), 2.0);
        assert_eq!(Proof::AtLeast(4.0).lower_bound(3.0), 3.0);
        assert!(Proof::AtLeast(2.7).is_optimal(3.0, 0.11) && !Proof::AtLeast(2.7).is_optimal(3.0, 0.09));
    }

    #[test]
    fn proofs_combine_and_change_units() {
        assert_eq!(Proof::AtLeast(2.0).and(Proof::AtLeast(3.0)), Proof::AtLeast(3.0));
        assert_eq!(Proof::AtLeast(2.0).and(Proof::Optimal), Proof::Optimal);
        assert_eq!(Proof::AtLeast(2.0).scaled(4.0, 1.0), Proof::AtLeast(9.0));
    }
}
