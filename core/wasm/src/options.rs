//! Options as they come from JavaScript: checked there, and one number for each, NaN for an absent one.

use crate::wire::{RETRY_ON_TYPES, breaker_option, policy_option, rate_limit_option, retry_option};
use halfopen::limit::Unit;
use halfopen::policy::{
    AdaptiveLimitOptions, BreakerOptions, BreakerScope, BulkheadOptions, JitterKind, JitterOption,
    PolicyOptions, RateLimitOptions, RetryOn, RetryOptions, SlowCallOptions, ThrottleOptions, TimeoutOptions,
    WindowOptions,
};

/// Returns the number at that index, if it is given.
fn given(numbers: &[f64], place: usize) -> Option<f64> {
    numbers.get(place).copied().filter(|number| !number.is_nan())
}

fn flag(numbers: &[f64], place: usize) -> Option<bool> {
    given(numbers, place).map(|number| number != 0.0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn jitter(number: f64) -> JitterOption {
    if number < 0.0 {
        JitterOption::Named(JitterKind::from_index(-number as u8))
    } else {
        JitterOption::Proportion(number)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn retry_on(bits: f64) -> RetryOn {
    let bits = bits as u64;
    RetryOn::List { codes: bits as u32, types: (bits >> RETRY_ON_TYPES) as u8 }
}

pub(super) fn retry_options(numbers: &[f64]) -> RetryOptions {
    use retry_option as at;
    RetryOptions {
        enabled: flag(numbers, at::ENABLED),
        max_retries: given(numbers, at::MAX_RETRIES),
        base_delay_ms: given(numbers, at::BASE_DELAY),
        max_delay_ms: given(numbers, at::MAX_DELAY),
        backoff_factor: given(numbers, at::FACTOR),
        enable_jitter: flag(numbers, at::ENABLE_JITTER),
        jitter: given(numbers, at::JITTER).map(jitter),
        retry_on: given(numbers, at::RETRY_ON).map(retry_on),
        retry_nested: flag(numbers, at::RETRY_NESTED),
        max_retry_after_ms: given(numbers, at::MAX_RETRY_AFTER),
        switch_after_ms: given(numbers, at::SWITCH_AFTER),
    }
}

/// Those of retries come first, the rate limits last.
pub(super) fn policy_options(numbers: &[f64]) -> PolicyOptions {
    use policy_option as at;
    let (retry, numbers) = numbers.split_at_checked(retry_option::NAMES.len()).unwrap_or((numbers, &[]));
    let (numbers, limits) = numbers.split_at_checked(at::NAMES.len()).unwrap_or((numbers, &[]));
    PolicyOptions {
        retry: retry_options(retry),
        breaker_scope: match flag(numbers, at::BREAKER_SCOPE) {
            Some(true) => BreakerScope::Attempt,
            _ => BreakerScope::Call,
        },
        timeout: TimeoutOptions { total_ms: given(numbers, at::TOTAL) },
        bulkhead: given(numbers, at::MAX_CONCURRENT).map(|max_concurrent| BulkheadOptions {
            max_concurrent,
            max_queued: given(numbers, at::MAX_QUEUED),
        }),
        adaptive: (flag(numbers, at::ADAPTIVE) == Some(true)).then(|| AdaptiveLimitOptions {
            min: given(numbers, at::LIMIT_MIN),
            max: given(numbers, at::LIMIT_MAX),
            initial: given(numbers, at::LIMIT_INITIAL),
            decrease: given(numbers, at::LIMIT_DECREASE),
        }),
        estimated_tokens: given(numbers, at::ESTIMATED_TOKENS),
        rate_limit: limits.chunks_exact(rate_limit_option::NAMES.len()).map(rate_limit).collect(),
    }
}

fn rate_limit(numbers: &[f64]) -> RateLimitOptions {
    use rate_limit_option as at;
    RateLimitOptions {
        limit: given(numbers, at::LIMIT).unwrap_or_default(),
        window_ms: given(numbers, at::WINDOW).unwrap_or_default(),
        max_wait_ms: given(numbers, at::MAX_WAIT),
        unit: if flag(numbers, at::OF_TOKENS) == Some(true) { Unit::Tokens } else { Unit::Requests },
    }
}

pub(super) fn breaker_options(numbers: &[f64]) -> BreakerOptions {
    use breaker_option as at;
    let minimum_calls = given(numbers, at::MINIMUM_CALLS);
    let window = given(numbers, at::FAILURE_RATE).and_then(|failure_rate| {
        match (given(numbers, at::WINDOW_SIZE), given(numbers, at::WINDOW_LENGTH)) {
            (Some(size), _) => Some(WindowOptions::Count { size, failure_rate, minimum_calls }),
            (None, Some(duration_ms)) => {
                Some(WindowOptions::Time { duration_ms, failure_rate, minimum_calls })
            }
            (None, None) => None,
        }
    });
    let slow = given(numbers, at::SLOW_DURATION).zip(given(numbers, at::SLOW_RATE));
    BreakerOptions {
        failure_threshold: given(numbers, at::FAILURE_THRESHOLD),
        reset_timeout_ms: given(numbers, at::RESET_TIMEOUT),
        reset_backoff_factor: given(numbers, at::RESET_BACKOFF),
        max_reset_timeout_ms: given(numbers, at::MAX_RESET_TIMEOUT),
        half_open_max_calls: given(numbers, at::HALF_OPEN_MAX_CALLS),
        success_threshold: given(numbers, at::SUCCESS_THRESHOLD),
        probe_timeout_ms: given(numbers, at::PROBE_TIMEOUT),
        window,
        slow_call: slow.map(|(duration_ms, rate)| SlowCallOptions { duration_ms, rate }),
        throttle: given(numbers, at::THROTTLE).map(|_| ThrottleOptions {
            k: given(numbers, at::THROTTLE_K),
            window_ms: given(numbers, at::THROTTLE_WINDOW),
            minimum_calls: given(numbers, at::THROTTLE_MINIMUM_CALLS),
        }),
        ramp_ms: given(numbers, at::RAMP),
        seed: given(numbers, at::SEED),
    }
}
