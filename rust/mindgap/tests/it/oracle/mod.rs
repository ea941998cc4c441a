//! Slow, obvious solvers that the fast ones are held against.

pub mod binned;
pub mod em;
pub mod free;
pub mod paper_tables;
pub mod partitions;
pub mod random;
pub mod rows;
pub mod tables;
