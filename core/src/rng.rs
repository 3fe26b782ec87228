//! SplitMix64: one small generator for each call, seeded by `(seed, call)`.
//!
//! Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (OOPSLA 2014),
//! <https://doi.org/10.1145/2660193.2660195>. Integers only, so that native and wasm draw the same numbers.

/// A SplitMix64 generator.
///
/// ```
/// use halfopen::rng::SplitMix64;
/// let mut a = SplitMix64::for_call(7, 1);
/// let mut b = SplitMix64::for_call(7, 1);
/// assert_eq!(a.next_u64(), b.next_u64());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl SplitMix64 {
    /// A generator whose stream is fixed by `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one call: calls of one policy draw independently of each other's order.
    #[must_use]
    pub const fn for_call(seed: u64, call: u64) -> Self {
        Self(mix(seed ^ mix(call.wrapping_mul(GOLDEN_GAMMA))))
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        mix(self.0)
    }

    /// An integer in `[low, high]`, both ends included; `low` when the bounds are crossed.
    ///
    /// By multiplication (Lemire, <https://arxiv.org/abs/1805.10941>) without the rejection step: the bias is
    /// below 2⁻³² for any span of milliseconds a policy can name.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = match high.checked_sub(low) {
            None | Some(0) => return low,
            Some(span) => u128::from(span) + 1,
        };
        let scaled = (u128::from(self.next_u64()) * span) >> 64;
        low + u64::try_from(scaled).unwrap_or(u64::MAX - low)
    }
}

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn matches_the_published_sequence() {
        // The reference implementation's first outputs for seed 1234567 (https://prng.di.unimi.it/splitmix64.c).
        let mut rng = SplitMix64::new(1_234_567);
        let first = [rng.next_u64(), rng.next_u64(), rng.next_u64()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    proptest! {
        #[test]
        fn between_stays_within_its_bounds(seed: u64, a: u64, b: u64) {
            let (low, high) = (a.min(b), a.max(b));
            let drawn = SplitMix64::new(seed).between(low, high);
            prop_assert!(low <= drawn && drawn <= high);
        }
    }
}
