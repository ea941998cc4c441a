//! What a k-means solver hands back, in frame units and sorted positions.

/// A partition with its proof.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// One past the last sorted point of each cluster; the last is the number of points.
    pub(crate) ends: Vec<usize>,
    /// The centres in frame units where they are not the cluster means.
    pub(crate) centers: Option<Vec<f64>>,
    /// What no solution can cost less than, in frame units; infinity says: the solution is optimal.
    pub(crate) lower_bound: f64,
}

impl Solution {
    /// A partition that is optimal.
    pub(crate) fn optimal(ends: Vec<usize>) -> Self {
        Self { ends, centers: None, lower_bound: f64::INFINITY }
    }

    /// A partition of distinct values as one of the points: value `i` has its points end at `ends[i]`.
    pub(crate) fn expanded(mut self, ends: &[usize]) -> Self {
        for end in &mut self.ends {
            *end = ends[*end - 1];
        }
        self
    }
}
