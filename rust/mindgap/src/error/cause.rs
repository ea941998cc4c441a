//! Errors that come from a caller's own parts.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What a caller's own engine, initializer or constraint fails with: any error, or a message.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The error of a caller's own part, with its chain of sources. Two are equal if they say the same.
#[derive(Clone, Debug)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// Wraps an error or a message.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(Arc::from(error.into()))
    }

    /// The error itself, to be downcast.
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
