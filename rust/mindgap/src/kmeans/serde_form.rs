//! The stored form of a k-means fit. Deserialising checks it, so that methods of a stored fit do not panic.

use super::fit::KMeansFit;
use crate::constraint::serde_form::{SideWord, side_words, sides};
use crate::error::KMeansError;
use crate::stored::{FormVersion, labels, stored_as};
use serde::{Deserialize, Serialize};

/// The kind of document.
#[derive(Serialize, Deserialize)]
enum KMeansDocument {
    KMeansResult,
}

/// The stored form of [`KMeansFit`].
#[derive(Serialize, Deserialize)]
struct KMeansFitForm {
    mindgap: KMeansDocument,
    version: FormVersion,
    #[serde(default)]
    labels: Vec<i64>,
    centers: Vec<f64>,
    boundaries: Vec<f64>,
    sizes: Vec<usize>,
    weights: Vec<f64>,
    within: Vec<f64>,
    inertia: f64,
    gaps: Vec<f64>,
    active: Vec<SideWord>,
    lower_bound: f64,
    optimal: bool,
}

impl From<KMeansFit> for KMeansFitForm {
    fn from(fit: KMeansFit) -> Self {
        Self {
            mindgap: KMeansDocument::KMeansResult,
            version: FormVersion,
            labels: fit.labels.iter().map(|&label| i64::from(label)).collect(),
            active: side_words(&fit.active),
            optimal: fit.is_optimal(),
            centers: fit.centers,
            boundaries: fit.boundaries,
            sizes: fit.sizes,
            weights: fit.weights,
            within: fit.within,
            inertia: fit.inertia,
            gaps: fit.gaps,
            lower_bound: fit.lower_bound,
        }
    }
}

impl KMeansFitForm {
    /// Returns why the fit is invalid, if it is.
    fn fault(&self) -> Option<&'static str> {
        let k = self.centers.len();
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let sums = |values: &[f64]| values.len() == k && values.iter().all(|value| value.is_finite() && *value >= 0.0);
        let ascends = |values: &[f64]| finite(values) && values.is_sorted();
        let faults = [
            (k == 0 || !ascends(&self.centers), "it must have centres, which ascend"),
            (self.boundaries.len() + 1 != k || !ascends(&self.boundaries), "it must have ascending boundaries, k - 1"),
            (self.sizes.len() != k, "it must have a size for each cluster"),
            (!sums(&self.weights), "it must have a weight for each cluster, not negative"),
            (!sums(&self.within), "it must have a sum of squares for each cluster, not negative"),
            (
                self.gaps.len() + 1 != k || !finite(&self.gaps),
                "it must have a gap between each two neighbouring centres",
            ),
            (labels(&self.labels, k).is_none(), "its labels must name its clusters"),
            (!(self.inertia.is_finite() && self.inertia >= 0.0), "its inertia must not be negative"),
            (!self.lower_bound.is_finite(), "its lower bound must be finite"),
        ];
        faults.into_iter().find(|(wrong, _)| *wrong).map(|(_, what)| what)
    }
}

impl TryFrom<KMeansFitForm> for KMeansFit {
    type Error = KMeansError;

    fn try_from(form: KMeansFitForm) -> Result<Self, KMeansError> {
        if let Some(what) = form.fault() {
            return Err(KMeansError::BadFit { what });
        }
        let fit = Self {
            labels: labels(&form.labels, form.centers.len()).unwrap_or_default(),
            active: sides(&form.active),
            centers: form.centers,
            boundaries: form.boundaries,
            sizes: form.sizes,
            weights: form.weights,
            within: form.within,
            gaps: form.gaps,
            inertia: form.inertia,
            lower_bound: form.lower_bound,
        };
        match fit.is_optimal() == form.optimal {
            true => Ok(fit),
            false => Err(KMeansError::BadFit { what: "whether it is optimal must follow from its lower bound" }),
        }
    }
}

stored_as!(KMeansFit, KMeansFitForm);
