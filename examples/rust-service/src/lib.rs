//! A service that calls a model's provider under a policy: on threads ([`on_threads`]) and on tokio ([`on_tokio`]).
//!
//! [`provider_error`] describes failures in one place: the code, whether a retry can help, the sentence for the user.

pub mod on_threads;
pub mod on_tokio;
pub mod provider_error;

use halfopen::policy::{Backoff, BreakerConfig, CallConfig, PolicyConfig, RetryConfig, Trip};
use halfopen::time::Millis;

/// Three retries, from one second on.
#[must_use]
pub fn policy_config() -> PolicyConfig {
    let backoff = Backoff { base: Millis(1000), ..Backoff::default() };
    let retry = RetryConfig { max_retries: 3, backoff, ..RetryConfig::default() };
    PolicyConfig { call: CallConfig { retry, ..CallConfig::default() }, ..PolicyConfig::default() }
}

/// Opens after five failed calls in a row, for half a minute.
#[must_use]
pub fn breaker_config() -> BreakerConfig {
    BreakerConfig { trip: Trip::Consecutive(5), reset_timeout: Millis(30_000), ..BreakerConfig::default() }
}
