//! Numbers that cross: times and spans in milliseconds, counts; NaN stands for none. Cold options come as objects.

use crate::time::{Millis, Timestamp};
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

pub(super) fn time(now: f64) -> Option<Timestamp> {
    (!now.is_nan()).then(|| Timestamp::from_f64(now))
}

/// Rounded up: a wait is never cut short.
pub(super) fn millis(ms: f64) -> Option<Millis> {
    (!ms.is_nan()).then(|| Millis::from_f64(ms.ceil()))
}

pub(super) fn span(ms: Option<Millis>) -> f64 {
    ms.map_or(f64::NAN, Millis::as_f64)
}

pub(super) fn number(count: u64) -> f64 {
    Millis(count).as_f64()
}

pub(super) fn read<T: DeserializeOwned + Default>(options: JsValue) -> Result<T, JsError> {
    if options.is_undefined() || options.is_null() {
        return Ok(T::default());
    }
    serde_wasm_bindgen::from_value(options).map_err(|error| JsError::new(&error.to_string()))
}

/// A breaker's clock that was not read stands still.
pub(super) fn moment(now: f64) -> Timestamp {
    time(now).unwrap_or_default()
}
