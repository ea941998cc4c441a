//! The common part of the stored forms of fits and summaries. A document is an object with its kind, the version of its
//! form and its fields. The Python package reads and writes the same documents; fields that only the package uses are
//! skipped.

use serde::{Deserialize, Serialize};

/// The version of the form that is written; every version up to it is read.
const VERSION: u32 = 1;

/// The version of a document that this release can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) struct FormVersion;

impl TryFrom<u32> for FormVersion {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        match version {
            1..=VERSION => Ok(Self),
            _ => Err(format!("it was stored in version {version}; this mindgap reads up to version {VERSION}")),
        }
    }
}

impl From<FormVersion> for u32 {
    fn from(_: FormVersion) -> Self {
        VERSION
    }
}

/// Converts stored labels; `None` if one is not below `k`. The package stores -1 for a missing value; labels with a -1
/// become an empty vector, because every point of a Rust fit has a label.
pub(crate) fn labels(stored: &[i64], k: usize) -> Option<Vec<u32>> {
    if stored.iter().any(|&label| label < -1 || label >= k as i64) {
        return None;
    }
    let labels: Result<Vec<u32>, _> = stored.iter().map(|&label| u32::try_from(label)).collect();
    Some(labels.unwrap_or_default())
}

/// Implements serde's traits for a type through its stored form.
macro_rules! stored_as {
    ($stored:ty, $form:ty) => {
        impl serde::Serialize for $stored {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&<$form>::from(self.clone()), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $stored {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let form = <$form as serde::Deserialize>::deserialize(deserializer)?;
                form.try_into().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use stored_as;
