//! Numbers that cross: times and spans in milliseconds, counts; NaN stands for none.

use halfopen::time::{Millis, Timestamp};

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

/// A breaker without a reading of the clock keeps its time.
pub(super) fn moment(now: f64) -> Timestamp {
    time(now).unwrap_or_default()
}
