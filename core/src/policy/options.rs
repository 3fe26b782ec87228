//! Options as people write them (the names of the TypeScript contract), made into settings.
//!
//! Durations are milliseconds as real numbers; a fraction is rounded up, for a wait is never cut short. What is
//! out of range is clamped: the TypeScript facade refuses it by name before it comes here.

use super::backoff::{Backoff, Factor, Jitter, Proportion};
use super::breaker::BreakerConfig;
use super::breaker::{Rate, Rates, SlowCalls, Trip};
use super::budget::BudgetConfig;
use super::limit::{BulkheadConfig, RateLimitConfig};
use super::retry::{RetryConfig, RetryOn};
use super::step::{BreakerScope, CallConfig, PolicyConfig, Shared};
use crate::time::Millis;
use serde::Deserialize;

/// An option that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// A name that is no code, type, jitter or preset.
    #[error("{option}: unknown name '{got}'")]
    Name {
        /// Which option.
        option: &'static str,
        /// What stood there.
        got: String,
    },
}

/// A named set of retry options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// 3 × 1000 ms, doubled up to 10 s, ±20 %.
    #[default]
    Agent,
    /// 3 × 1000 ms, × 1.5 without a cap, no jitter.
    Capability,
    /// 3 × 1000 ms, doubled up to 30 s, no jitter; model, network and timeout errors only.
    Service,
}

impl Preset {
    /// The settings.
    #[must_use]
    pub fn retry(self) -> RetryConfig {
        let agent = RetryConfig::default();
        match self {
            Self::Agent => agent,
            Self::Capability => RetryConfig {
                backoff: Backoff {
                    factor: Factor::from_f64(1.5),
                    cap: Millis::MAX,
                    jitter: Jitter::None,
                    ..agent.backoff
                },
                ..agent
            },
            Self::Service => RetryConfig {
                backoff: Backoff { cap: Millis(30_000), jitter: Jitter::None, ..agent.backoff },
                retry_on: RetryOn::from_names(["llm_failed", "network", "timeout"]).unwrap_or_default(),
                ..agent
            },
        }
    }
}

/// `jitter`: a share, or a name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum JitterOption {
    /// The share of the delay to either side.
    Proportion(f64),
    /// 'full', 'equal' or 'decorrelated'.
    Named(String),
}

/// `retry`. What is left out is the preset's.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct RetryOptions {
    pub enabled: Option<bool>,
    pub max_retries: Option<f64>,
    pub base_delay_ms: Option<f64>,
    pub max_delay_ms: Option<f64>,
    pub backoff_factor: Option<f64>,
    pub enable_jitter: Option<bool>,
    pub jitter: Option<JitterOption>,
    pub retry_on: Option<Vec<String>>,
    pub retry_nested: Option<bool>,
    pub max_retry_after_ms: Option<f64>,
}

impl RetryOptions {
    /// These options over `base`.
    ///
    /// # Errors
    /// [`OptionError`] on a name that is none.
    pub fn over(&self, base: RetryConfig) -> Result<RetryConfig, OptionError> {
        let mut retry = base;
        let millis = |ms: Option<f64>, otherwise| ms.map_or(otherwise, duration);
        retry.max_retries = self.max_retries.map_or(retry.max_retries, whole);
        if self.enabled == Some(false) {
            retry.max_retries = 0;
        }
        retry.backoff.base = millis(self.base_delay_ms, retry.backoff.base);
        retry.backoff.cap = millis(self.max_delay_ms, retry.backoff.cap);
        retry.backoff.factor = self.backoff_factor.map_or(retry.backoff.factor, Factor::from_f64);
        retry.backoff.jitter = match &self.jitter {
            Some(JitterOption::Proportion(share)) => Jitter::Proportion(Proportion::from_f64(*share)),
            Some(JitterOption::Named(name)) => match name.as_str() {
                "full" => Jitter::Full,
                "equal" => Jitter::Equal,
                "decorrelated" => Jitter::Decorrelated,
                _ => return Err(OptionError::Name { option: "retry.jitter", got: name.clone() }),
            },
            // Asked for by `enableJitter` alone where the preset has none: the usual share.
            None if self.enable_jitter == Some(true) && retry.backoff.jitter == Jitter::None => {
                Backoff::default().jitter
            }
            None => retry.backoff.jitter,
        };
        if self.enable_jitter == Some(false) {
            retry.backoff.jitter = Jitter::None;
        }
        if let Some(names) = &self.retry_on {
            retry.retry_on = RetryOn::from_names(names.iter().map(String::as_str))
                .map_err(|got| OptionError::Name { option: "retry.retryOn", got: got.to_owned() })?;
        }
        retry.retry_nested = self.retry_nested.unwrap_or(retry.retry_nested);
        retry.max_retry_after = millis(self.max_retry_after_ms, retry.max_retry_after);
        Ok(retry)
    }
}

/// `timeout`. The attempt's is the driver's business.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct TimeoutOptions {
    pub total_ms: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BulkheadOptions {
    max_concurrent: f64,
    max_queued: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RateLimitOptions {
    limit: f64,
    window_ms: f64,
    max_wait_ms: Option<f64>,
}

/// What the engine knows of a policy's options. `retry` and `breaker` given as `false` are for the driver:
/// no retries is `{enabled: false}`, no breaker is none lent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyOptions {
    /// The named set that `retry` stands over.
    pub preset: Option<Preset>,
    /// Retries.
    pub retry: Option<RetryOptions>,
    /// 'call' or 'attempt'.
    pub breaker_scope: Option<String>,
    /// Deadlines.
    pub timeout: Option<TimeoutOptions>,
    bulkhead: Option<BulkheadOptions>,
    rate_limit: Option<RateLimitOptions>,
}

impl PolicyOptions {
    /// The settings; `shared` are the driver's numbers.
    ///
    /// # Errors
    /// [`OptionError`] on a name that is none.
    pub fn config(&self, shared: Shared) -> Result<PolicyConfig, OptionError> {
        let scope = match self.breaker_scope.as_deref() {
            None | Some("call") => BreakerScope::Call,
            Some("attempt") => BreakerScope::Attempt,
            Some(got) => return Err(OptionError::Name { option: "breakerScope", got: got.to_owned() }),
        };
        let call = CallConfig { retry: self.preset.unwrap_or_default().retry(), total: None, scope, shared };
        Ok(PolicyConfig {
            call: over(call, self.retry.as_ref(), self.timeout.as_ref())?,
            bulkhead: self.bulkhead.as_ref().map(|options| BulkheadConfig {
                max_concurrent: whole(options.max_concurrent),
                max_queued: whole(options.max_queued.unwrap_or(0.0)),
            }),
            rate_limit: self.rate_limit.as_ref().map(|options| RateLimitConfig {
                limit: whole(options.limit),
                window: duration(options.window_ms),
                max_wait: duration(options.max_wait_ms.unwrap_or(0.0)),
            }),
        })
    }

    /// One call's own `retry` and `timeout` over the policy's settings.
    ///
    /// # Errors
    /// [`OptionError`] on a name that is none.
    pub fn call_config(&self, policy: CallConfig, shared: Shared) -> Result<CallConfig, OptionError> {
        let call = CallConfig { shared, ..policy };
        over(call, self.retry.as_ref(), self.timeout.as_ref())
    }
}

fn over(
    call: CallConfig,
    retry: Option<&RetryOptions>,
    timeout: Option<&TimeoutOptions>,
) -> Result<CallConfig, OptionError> {
    Ok(CallConfig {
        retry: retry.map_or(Ok(call.retry), |retry| retry.over(call.retry))?,
        // No deadline is an endless one.
        total: timeout
            .and_then(|timeout| timeout.total_ms)
            .map_or(call.total, |ms| ms.is_finite().then(|| duration(ms))),
        ..call
    })
}

/// `window` of a breaker.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub enum WindowOptions {
    Count { size: f64, failure_rate: f64, minimum_calls: Option<f64> },
    Time { duration_ms: f64, failure_rate: f64, minimum_calls: Option<f64> },
}

/// `slowCall` of a breaker.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct SlowCallOptions {
    pub duration_ms: f64,
    pub rate: f64,
}

/// `breaker`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct BreakerOptions {
    pub failure_threshold: Option<f64>,
    pub reset_timeout_ms: Option<f64>,
    pub reset_backoff_factor: Option<f64>,
    pub max_reset_timeout_ms: Option<f64>,
    pub half_open_max_calls: Option<f64>,
    pub success_threshold: Option<f64>,
    pub probe_timeout_ms: Option<f64>,
    pub window: Option<WindowOptions>,
    pub slow_call: Option<SlowCallOptions>,
}

impl BreakerOptions {
    /// The settings.
    ///
    /// ```
    /// use halfopen::policy::{BreakerConfig, BreakerOptions};
    /// assert_eq!(BreakerOptions::default().config(), BreakerConfig::default());
    /// ```
    #[must_use]
    pub fn config(&self) -> BreakerConfig {
        let default = BreakerConfig::default();
        let reset_timeout = self.reset_timeout_ms.map_or(default.reset_timeout, duration);
        let slow = self
            .slow_call
            .as_ref()
            .map(|slow| SlowCalls { duration: duration(slow.duration_ms), rate: Rate::from_f64(slow.rate) });
        let rates = |failure_rate: f64, minimum_calls| Rates {
            failure: Rate::from_f64(failure_rate),
            minimum_calls: whole(minimum_calls),
            slow,
        };
        let trip = match &self.window {
            None => Trip::Consecutive(self.failure_threshold.map_or(5, whole)),
            Some(WindowOptions::Count { size, failure_rate, minimum_calls }) => Trip::Count {
                size: whole(*size),
                rates: rates(*failure_rate, minimum_calls.unwrap_or(*size)),
            },
            Some(WindowOptions::Time { duration_ms, failure_rate, minimum_calls }) => Trip::Time {
                duration: duration(*duration_ms),
                rates: rates(*failure_rate, minimum_calls.unwrap_or(10.0)),
            },
        };
        BreakerConfig {
            trip,
            reset_timeout,
            reset_backoff: self.reset_backoff_factor.map_or(default.reset_backoff, Factor::from_f64),
            max_reset_timeout: self
                .max_reset_timeout_ms
                .map_or(Millis(reset_timeout.0.saturating_mul(10)), duration),
            half_open_max_calls: self.half_open_max_calls.map_or(default.half_open_max_calls, whole),
            success_threshold: self.success_threshold.map_or(default.success_threshold, whole),
            probe_timeout: self.probe_timeout_ms.map_or(reset_timeout, duration),
        }
    }
}

/// Options of a retry budget.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct BudgetOptions {
    pub ratio: Option<f64>,
    pub min_per_second: Option<f64>,
    pub window_ms: Option<f64>,
}

impl BudgetOptions {
    /// The settings.
    #[must_use]
    pub fn config(&self) -> BudgetConfig {
        let window = self.window_ms.map_or(Millis(10_000), duration);
        BudgetConfig::new(self.ratio.unwrap_or(0.1), self.min_per_second.unwrap_or(1.0), window)
    }
}

/// The seed that a JavaScript number stands for: a whole number is itself, any other its bits.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "only where it is exact"
)]
pub fn seed_from_f64(seed: f64) -> u64 {
    let whole = seed as u64;
    if whole as f64 == seed { whole } else { seed.to_bits() }
}

fn duration(ms: f64) -> Millis {
    Millis::from_f64(ms.ceil())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
fn whole(count: f64) -> u32 {
    count.ceil() as u32
}
