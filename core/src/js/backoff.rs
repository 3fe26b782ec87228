//! The delay before a retry, for JavaScript: on its own, in real numbers.

use crate::policy::{JitterKind, exponential_backoff};
use wasm_bindgen::prelude::*;

/// The delay before retry `attempt`, in milliseconds. `jitter` is the number of a `JitterKind`, `random` is in [0, 1).
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
    exponential_backoff(
        attempt,
        base,
        cap,
        factor,
        JitterKind::from_index(jitter),
        proportion,
        random,
        previous,
    )
}
