//! Room for large tables, asked for before they are made: an allocation that fails ends the process, and cannot be turned
//! into an error afterwards.

use crate::error::OutOfMemory;

/// Whether `bytes` of memory are to be had for `what`. Nothing is written there, so it costs no more than the question.
///
/// # Errors
/// What is too large: for a limit on the process, or for the machine.
pub(crate) fn check_memory(what: &'static str, bytes: usize) -> Result<(), OutOfMemory> {
    let mut room: Vec<u8> = Vec::new();
    let answer = room.try_reserve_exact(bytes);
    // An allocation that nobody looks at may be left out, and then it never fails.
    std::hint::black_box(&mut room);
    answer.map_err(|_| OutOfMemory { what, bytes })
}

/// The product of some numbers, or more than there is of anything.
pub(crate) fn product(factors: &[usize]) -> usize {
    factors.iter().fold(1, |product: usize, &factor| product.saturating_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_and_what_every_machine_has_is_not() {
        assert_eq!(check_memory("a table", 1 << 20), Ok(()));
        assert_eq!(check_memory("a table", usize::MAX), Err(OutOfMemory { what: "a table", bytes: usize::MAX }));
        let refused = check_memory("a table", 1 << 62).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a table would take 4611686018.4 GB of memory, more than there is to be had; ask for fewer clusters, or give fewer points"
        );
        assert_eq!(product(&[3, 4]), 12);
        assert_eq!(product(&[usize::MAX, 2]), usize::MAX);
    }
}
