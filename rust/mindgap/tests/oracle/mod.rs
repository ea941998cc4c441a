//! Slow, obvious solvers that the fast ones are held against.

#![allow(dead_code, reason = "each test file uses its own part of the oracles")]

pub mod em;
pub mod free;
pub mod paper_tables;
pub mod partitions;
pub mod random;
pub mod rows;
pub mod tables;
