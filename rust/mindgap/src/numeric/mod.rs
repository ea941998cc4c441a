//! Arithmetic that the solvers share: double-double numbers, exact sums, and `exp2` and `log` whose bits are the same on
//! every machine.

pub(crate) mod binary;
pub(crate) mod double;
pub(crate) mod elementary;
pub(crate) mod exact_sum;
pub(crate) mod portable;
pub(crate) mod search;
