//! Random numbers for tests, the same in every run.

/// Xorshift: small, and random enough for test cases. The seed must not be zero.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An integer below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// A positive number, log-uniform over `decades` decades about one.
    pub(crate) fn size(&mut self, decades: f64) -> f64 {
        10f64.powf(decades * (self.unit() - 0.5))
    }
}
