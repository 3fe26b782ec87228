//! The hash of names and ids. The standard library's takes longer than all else that is done with a line.

use foldhash::fast::{FixedState, FoldHasher};
use std::hash::BuildHasher;

/// Makes the hashers of one map.
///
/// The seed is random, so that nobody can write a log whose names all collide. foldhash's own random state takes its
/// seed from addresses and the time, which say nothing on wasm32.
#[derive(Clone)]
pub(crate) struct Seeded(FixedState);

impl Default for Seeded {
    fn default() -> Self {
        Self(FixedState::with_seed(seed()))
    }
}

#[cfg(target_arch = "wasm32")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "any 53 bits will do")]
fn seed() -> u64 {
    (js_sys::Math::random() * 2f64.powi(53)) as u64
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
