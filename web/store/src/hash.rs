//! The hash of names and ids. The standard library's takes longer than everything else that a line needs.

use foldhash::fast::{FixedState, FoldHasher};
use std::hash::BuildHasher;

/// Makes the hashers of one map.
///
/// The seed is random, so a hostile log cannot make all names collide. foldhash's own random state draws its seed from
/// addresses and the time, which are predictable on wasm32.
#[derive(Clone)]
pub(crate) struct Seeded(FixedState);

impl Default for Seeded {
    fn default() -> Self {
        Self(FixedState::with_seed(seed()))
    }
}

#[cfg(target_arch = "wasm32")]
static SEED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// Sets the seed of all later hashes. wasm32 has no randomness, so its host passes a number before the first log.
#[cfg(target_arch = "wasm32")]
pub fn set_seed(random: u64) {
    SEED.store(random, std::sync::atomic::Ordering::Relaxed);
}

#[cfg(target_arch = "wasm32")]
fn seed() -> u64 {
    SEED.load(std::sync::atomic::Ordering::Relaxed)
}

#[cfg(not(target_arch = "wasm32"))]
fn seed() -> u64 {
    std::hash::RandomState::new().hash_one(0)
}

impl BuildHasher for Seeded {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}
