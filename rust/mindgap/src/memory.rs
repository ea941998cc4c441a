//! Checks that memory is available before a large table is made, because a failed allocation aborts the process.

use crate::error::OutOfMemory;

/// Checks that `bytes` of memory can be allocated for `what`. Nothing is written to them, so the check is cheap.
///
/// # Errors
/// If the allocation exceeds the memory of the machine or the limit of the process.
pub(crate) fn check_memory(what: &'static str, bytes: usize) -> Result<(), OutOfMemory> {
    let mut table: Vec<u8> = Vec::new();
    let answer = table.try_reserve_exact(bytes);
    // The compiler may remove an allocation that is never used, and then it never fails.
    std::hint::black_box(&mut table);
    answer.map_err(|_| OutOfMemory { what, bytes })
}

/// Returns the product, saturated at `usize::MAX`.
pub(crate) fn product(factors: &[usize]) -> usize {
    factors.iter().fold(1, |product: usize, &factor| product.saturating_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_too_large_for_any_machine_are_refused() {
        assert_eq!(check_memory("a table", 1 << 20), Ok(()));
        assert_eq!(check_memory("a table", usize::MAX), Err(OutOfMemory { what: "a table", bytes: usize::MAX }));
        let refused = check_memory("a table", 1 << 62).unwrap_err();
        assert!(refused.to_string().contains("a table would take 4611686018.4 GB"), "{refused}");
        assert_eq!(product(&[3, 4]), 12);
        assert_eq!(product(&[usize::MAX, 2]), usize::MAX);
    }
}
