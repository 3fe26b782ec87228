//! Breakers, by the names and with the defaults of the package's options.
#![allow(clippy::needless_update, reason = "policies gain options")]

use super::at::{At, Read};
use halfopen::policy::{BreakerOptions, SlowCallOptions, ThrottleOptions, WindowOptions};

pub(super) fn breaker(at: &At<'_>) -> Read<Option<BreakerOptions>> {
    if at.is_false() {
        return Ok(None);
    }
    let keys = [&["name"][..], &BreakerOptions::NAMES].concat();
    let object = at.object(&keys)?;
    let count = |at: &At<'_>| at.whole_from(1.0);
    Ok(Some(BreakerOptions {
        failure_threshold: object.maybe("failureThreshold", count)?,
        reset_timeout_ms: object.maybe("resetTimeoutMs", At::millis)?,
        reset_backoff_factor: object.maybe("resetBackoffFactor", At::at_least_zero)?,
        max_reset_timeout_ms: object.maybe("maxResetTimeoutMs", At::millis)?,
        half_open_max_calls: object.maybe("halfOpenMaxCalls", count)?,
        success_threshold: object.maybe("successThreshold", count)?,
        probe_timeout_ms: object.maybe("probeTimeoutMs", At::positive_millis)?,
        window: object.maybe("window", window)?,
        slow_call: object.maybe("slowCall", |at| {
            let object = at.object(&["durationMs", "rate"])?;
            Ok(SlowCallOptions {
                duration_ms: object
                    .need("durationMs", "a number of milliseconds above 0")?
                    .positive_millis()?,
                rate: object.need("rate", "a number from 0 to 1")?.share()?,
            })
        })?,
        throttle: object.maybe("throttle", throttle)?,
        ramp_ms: object.maybe("rampMs", At::millis)?,
        ..BreakerOptions::default()
    }))
}

fn throttle(at: &At<'_>) -> Read<ThrottleOptions> {
    let object = at.object(&["k", "windowMs", "minimumCalls"])?;
    Ok(ThrottleOptions {
        k: object.maybe("k", |at| at.number("a number from 1", 1.0..=1e6))?,
        window_ms: object.maybe("windowMs", At::positive_millis)?,
        minimum_calls: object.maybe("minimumCalls", |at| at.whole_from(1.0))?,
    })
}

fn window(at: &At<'_>) -> Read<WindowOptions> {
    let object = at.object(&["kind", "size", "durationMs", "failureRate", "minimumCalls"])?;
    let is_count = object.need("kind", "'count' or 'time'")?.one_of(&[("count", true), ("time", false)])?;
    let failure_rate = object.need("failureRate", "a number from 0 to 1")?.share()?;
    let minimum_calls = object.maybe("minimumCalls", |at| at.whole_from(1.0))?;
    if is_count {
        let object = at.object(&["kind", "size", "failureRate", "minimumCalls"])?;
        let size = object.need("size", "a whole number from 1")?.whole_from(1.0)?;
        Ok(WindowOptions::Count { size, failure_rate, minimum_calls })
    } else {
        let object = at.object(&["kind", "durationMs", "failureRate", "minimumCalls"])?;
        let duration_ms = object.need("durationMs", "a number of milliseconds above 0")?.positive_millis()?;
        Ok(WindowOptions::Time { duration_ms, failure_rate, minimum_calls })
    }
}
