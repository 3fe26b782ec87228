//! The delay before a retry, for JavaScript: on its own, in real numbers.

use super::options::retry_options;
use wasm_bindgen::prelude::*;

/// The delay before retry `attempt`, in milliseconds, by options as for `policyNew`. `random` is in [0, 1); `previous` is the
/// delay before, NaN where there was none.
#[wasm_bindgen(js_name = backoffDelay)]
pub fn backoff_delay(retry: &[f64], attempt: f64, random: f64, previous: f64) -> f64 {
    let previous = Some(previous).filter(|previous| !previous.is_nan());
    retry_options(retry).real_backoff().delay(attempt, random, previous)
}
