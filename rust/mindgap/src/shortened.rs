//! [`Shortened`]: shortens long lists in messages and debug output.

use std::fmt;

/// Lists of more entries than this show their first three and their last.
const MOST: usize = 12;

/// A list that prints only a few entries if it is long.
pub(crate) struct Shortened<'a, T>(pub(crate) &'a [T]);

impl<T: fmt::Debug> fmt::Debug for Shortened<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [first, second, third, .., last] if self.0.len() > MOST => {
                write!(f, "[{first:?}, {second:?}, {third:?}, … {last:?}] ({} of them)", self.0.len())
            }
            few => write!(f, "{few:?}"),
        }
    }
}
