//! A quick hash for names and ids: a multiplication for eight bytes.
//!
//! The standard one takes longer than all else that is done with a line. This one is seeded at random, so that nobody
//! can write a log whose names all fall together.

use std::hash::{BuildHasher, Hasher};

/// Makes the hashers of one map, all with one seed.
#[derive(Clone, Copy)]
pub(crate) struct Quick(u64);

impl Default for Quick {
    fn default() -> Self {
        Self(seed() | 1)
    }
}

#[cfg(target_arch = "wasm32")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "any 53 bits will do")]
fn seed() -> u64 {
    ((js_sys::Math::random() * 2f64.powi(53)) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(not(target_arch = "wasm32"))]
fn seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

impl BuildHasher for Quick {
    type Hasher = Mixing;
    fn build_hasher(&self) -> Mixing {
        Mixing { state: self.0, seed: self.0 }
    }
}

/// What has been hashed so far.
pub(crate) struct Mixing {
    state: u64,
    seed: u64,
}

impl Mixing {
    fn mix(&mut self, word: u64) {
        // The seed is the factor too: which words fall together is different in every map.
        let product = (self.state ^ word).wrapping_mul(self.seed);
        // A product's high bits have a say of all bits, its low ones of few: each half has the other's.
        self.state = product.rotate_left(32);
    }
}

impl Hasher for Mixing {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            if let Ok(word) = chunk.try_into() {
                self.mix(u64::from_le_bytes(word));
            }
        }
        let rest = chunks.remainder().iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        self.mix(rest ^ (bytes.len() as u64) << 56);
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn finish(&self) -> u64 {
        (self.state ^ self.state >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// With fixed seeds, for one in many thousand is bad: a test with a random one would fail by chance.
    #[test]
    fn ids_that_differ_in_a_letter_fall_apart() {
        for seed in [1, 0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03, u64::MAX] {
            let quick = Quick(seed);
            let hashes: HashSet<u64> =
                (0..20_000).map(|number| quick.hash_one(format!("b3nch000-{number:x}"))).collect();
            assert_eq!(hashes.len(), 20_000, "{seed:x}");
            let low: HashSet<u64> = hashes.iter().map(|hash| hash & 0xFFFF).collect();
            assert!(low.len() > 16_000, "{seed:x}: {}", low.len());
        }
    }
}
