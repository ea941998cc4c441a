//! What the stored forms of all fits share. The Python package reads and writes the same documents: an object with the kind
//! of result, the version of its form, and its fields. Fields that only the package knows are skipped.

use crate::constraint::Side;
use serde::{Deserialize, Serialize};

/// The version of the form that is written; every version up to it is read.
const VERSION: u32 = 1;

/// The version of a document, one that can be read.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) struct FormVersion;

impl TryFrom<u32> for FormVersion {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        match version {
            1..=VERSION => Ok(Self),
            _ => Err(format!("the fit was stored in version {version}; this mindgap reads up to version {VERSION}")),
        }
    }
}

impl From<FormVersion> for u32 {
    fn from(_: FormVersion) -> Self {
        VERSION
    }
}

/// The bound that a gap or row is at, as a word.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SideWord {
    Free,
    Lower,
    Upper,
    Both,
}

pub(crate) fn side_words(active: &[Option<Side>]) -> Vec<SideWord> {
    let word = |side: &Option<Side>| match side {
        None => SideWord::Free,
        Some(Side::Lower) => SideWord::Lower,
        Some(Side::Upper) => SideWord::Upper,
        Some(Side::Both) => SideWord::Both,
    };
    active.iter().map(word).collect()
}

pub(crate) fn sides(words: &[SideWord]) -> Vec<Option<Side>> {
    let side = |word: &SideWord| match word {
        SideWord::Free => None,
        SideWord::Lower => Some(Side::Lower),
        SideWord::Upper => Some(Side::Upper),
        SideWord::Both => Some(Side::Both),
    };
    words.iter().map(side).collect()
}

/// The labels below `k`; `None` if some is out of range. The package labels points without a value -1: there are no labels
/// then, because here every point has one.
pub(crate) fn labels(stored: &[i64], k: usize) -> Option<Vec<u32>> {
    if stored.iter().any(|&label| label < -1 || label >= k as i64) {
        return None;
    }
    let labels: Result<Vec<u32>, _> = stored.iter().map(|&label| u32::try_from(label)).collect();
    Some(labels.unwrap_or_default())
}
