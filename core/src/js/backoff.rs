//! The delay before a retry, for JavaScript: on its own, in real numbers.

use crate::policy::{JitterKind, exponential_backoff};
use wasm_bindgen::prelude::*;

/// The delay before retry `attempt`, in milliseconds. `jitter`: 0 none, 1 proportion, 2 full, 3 equal,
/// 4 decorrelated; `random` in [0, 1).
#[wasm_bindgen(js_name = backoffDelay)]
#[expect(clippy::too_many_arguments, reason = "scalars cross the boundary cheaper than one object")]
pub fn backoff_delay(
    attempt: f64,
    base: f64,
    cap: f64,
    factor: f64,
    jitter: u8,
    proportion: f64,
    random: f64,
    previous: f64,
) -> f64 {
    let kind = match jitter {
        1 => JitterKind::Proportion,
        2 => JitterKind::Full,
        3 => JitterKind::Equal,
        4 => JitterKind::Decorrelated,
        _ => JitterKind::None,
    };
    exponential_backoff(attempt, base, cap, factor, kind, proportion, random, previous)
}
