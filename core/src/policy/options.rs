//! Options as people write them (the names of the TypeScript contract), made into settings.
//!
//! Durations are milliseconds as real numbers. A fraction is rounded up, because a wait must never be cut short. Values
//! out of range are clamped; the TypeScript facade rejects them by name before they arrive here.

use super::backoff::{Backoff, Factor, Jitter, JitterKind, RealBackoff};
use super::breaker::BreakerConfig;
use super::breaker::{Rate, Rates, SlowCalls, Throttle, Trip};
use super::budget::BudgetConfig;
use super::limit::{AdaptiveConfig, BulkheadConfig, RateLimitConfig};
use super::retry::{RetryConfig, RetryOn};
use super::step::{BreakerScope, CallConfig, PolicyConfig, Shared};
use crate::code::ErrorType;
use crate::limit::Unit;
use crate::time::Millis;
use serde::{Deserialize, Deserializer};

/// A named set of retry options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Every preset.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Capability, Self::Service];

    /// The name in options.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Capability => "capability",
            Self::Service => "service",
        }
    }

    /// The options that it stands for.
    #[must_use]
    pub fn options(self) -> RetryOptions {
        let common =
            RetryOptions { max_retries: Some(3.0), base_delay_ms: Some(1000.0), ..RetryOptions::default() };
        match self {
            Self::Agent => RetryOptions {
                max_delay_ms: Some(10_000.0),
                backoff_factor: Some(2.0),
                enable_jitter: Some(true),
                jitter: Some(JitterOption::Proportion(0.2)),
                ..common
            },
            Self::Capability => RetryOptions {
                max_delay_ms: Some(f64::INFINITY),
                backoff_factor: Some(1.5),
                enable_jitter: Some(false),
                ..common
            },
            Self::Service => RetryOptions {
                max_delay_ms: Some(30_000.0),
                backoff_factor: Some(2.0),
                enable_jitter: Some(false),
                retry_on: Some(RetryOn::types(&[
                    ErrorType::LlmFailed,
                    ErrorType::Network,
                    ErrorType::Timeout,
                ])),
                ..common
            },
        }
    }

    /// The settings.
    #[must_use]
    pub fn retry(self) -> RetryConfig {
        self.options().over(RetryConfig::default())
    }
}

/// `jitter`: a share, or a name.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum JitterOption {
    /// The share of the delay to either side.
    Proportion(f64),
    /// 'full', 'equal' or 'decorrelated'.
    Named(JitterKind),
}

/// `retry`. Absent fields have their defaults.
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
    pub retry_on: Option<RetryOn>,
    pub retry_nested: Option<bool>,
    pub max_retry_after_ms: Option<f64>,
    pub switch_after_ms: Option<f64>,
}

impl RetryOptions {
    /// These options over `base`.
    #[must_use]
    pub fn over(&self, base: RetryConfig) -> RetryConfig {
        let mut retry = base;
        let millis = |ms: Option<f64>, otherwise| ms.map_or(otherwise, duration);
        retry.max_retries = self.max_retries.map_or(retry.max_retries, whole);
        if self.enabled == Some(false) {
            retry.max_retries = 0;
        }
        retry.backoff.base = millis(self.base_delay_ms, retry.backoff.base);
        retry.backoff.cap = millis(self.max_delay_ms, retry.backoff.cap);
        retry.backoff.factor = self.backoff_factor.map_or(retry.backoff.factor, Factor::from_f64);
        let (kind, share) = self.jitter(base.backoff.jitter);
        retry.backoff.jitter = Jitter::from_parts(kind, share);
        retry.retry_on = self.retry_on.unwrap_or(retry.retry_on);
        retry.retry_nested = self.retry_nested.unwrap_or(retry.retry_nested);
        retry.max_retry_after = millis(self.max_retry_after_ms, retry.max_retry_after);
        retry.switch_after = self.switch_after_ms.map(duration).or(retry.switch_after);
        retry
    }

    /// The backoff of these options over the default, in real numbers.
    #[must_use]
    pub fn real_backoff(&self) -> RealBackoff {
        let default = RealBackoff::default();
        let (jitter, share) = self.jitter(Backoff::default().jitter);
        RealBackoff {
            base: self.base_delay_ms.unwrap_or(default.base),
            cap: self.max_delay_ms.unwrap_or(default.cap),
            factor: self.backoff_factor.unwrap_or(default.factor),
            jitter,
            share,
        }
    }

    fn jitter(&self, base: Jitter) -> (JitterKind, f64) {
        let usual = Backoff::default().jitter.to_parts();
        match (self.enable_jitter, self.jitter) {
            (Some(false), _) => (JitterKind::None, 0.0),
            (_, Some(JitterOption::Proportion(share))) => (JitterKind::Proportion, share),
            (_, Some(JitterOption::Named(JitterKind::Proportion))) => usual,
            (_, Some(JitterOption::Named(kind))) => (kind, 0.0),
            // `enableJitter` requests jitter and no share is given, so the usual one applies.
            (Some(true), None) if base == Jitter::None => usual,
            (_, None) => base.to_parts(),
        }
    }
}

/// `timeout`. The attempt's is the driver's business.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct TimeoutOptions {
    pub total_ms: Option<f64>,
}

/// `bulkhead`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct BulkheadOptions {
    pub max_concurrent: f64,
    pub max_queued: Option<f64>,
}

/// `adaptive`. Absent fields have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct AdaptiveLimitOptions {
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub initial: Option<f64>,
    pub decrease: Option<f64>,
}

impl AdaptiveLimitOptions {
    /// The settings.
    ///
    /// ```
    /// use halfopen::policy::{AdaptiveConfig, AdaptiveLimitOptions};
    /// assert_eq!(AdaptiveLimitOptions::default().config(), AdaptiveConfig::default());
    /// ```
    #[must_use]
    pub fn config(&self) -> AdaptiveConfig {
        let default = AdaptiveConfig::default();
        AdaptiveConfig {
            min: self.min.map_or(default.min, whole),
            max: self.max.map_or(default.max, whole),
            initial: self.initial.map_or(default.initial, whole),
            decrease: self.decrease.map_or(default.decrease, Factor::from_f64),
        }
    }
}

/// `adaptive`: with the defaults, off, or as given.
fn on_or_off<'de, D: Deserializer<'de>>(given: D) -> Result<Option<AdaptiveLimitOptions>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Switch(bool),
        Options(AdaptiveLimitOptions),
    }
    Ok(match Given::deserialize(given)? {
        Given::Switch(on) => on.then(AdaptiveLimitOptions::default),
        Given::Options(options) => Some(options),
    })
}

/// `rateLimit`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct RateLimitOptions {
    pub limit: f64,
    pub window_ms: f64,
    pub max_wait_ms: Option<f64>,
    #[serde(default)]
    pub unit: Unit,
}

/// `rateLimit`: one, or several in a list.
fn one_or_several<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<RateLimitOptions>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(RateLimitOptions),
        Several(Vec<RateLimitOptions>),
    }
    Ok(match Given::deserialize(given)? {
        Given::One(limit) => vec![limit],
        Given::Several(limits) => limits,
    })
}

/// The part of a policy's options that the engine needs. The driver handles `false` for `retry` and `breaker`: no
/// retries is `{enabled: false}`, and without a breaker it lends none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyOptions {
    /// Retries.
    pub retry: RetryOptions,
    /// The unit that the breaker counts as one result.
    pub breaker_scope: BreakerScope,
    /// Deadlines.
    pub timeout: TimeoutOptions,
    /// How many attempts run at once.
    pub bulkhead: Option<BulkheadOptions>,
    /// The number of concurrent attempts, as far as the provider can handle them.
    #[serde(deserialize_with = "on_or_off")]
    pub adaptive: Option<AdaptiveLimitOptions>,
    /// The number of attempts that begin in a span of time, or of their tokens: one limit or several.
    #[serde(deserialize_with = "one_or_several")]
    pub rate_limit: Vec<RateLimitOptions>,
    /// For one call: the estimated tokens of each attempt, for a limit on tokens.
    pub estimated_tokens: Option<f64>,
}

impl RateLimitOptions {
    fn config(&self) -> RateLimitConfig {
        RateLimitConfig {
            limit: whole(self.limit),
            window: duration(self.window_ms),
            max_wait: duration(self.max_wait_ms.unwrap_or(0.0)),
            unit: self.unit,
        }
    }
}

impl PolicyOptions {
    /// The settings; `shared` are the driver's numbers.
    #[must_use]
    pub fn config(&self, shared: Shared) -> PolicyConfig {
        let default = CallConfig { scope: self.breaker_scope, ..CallConfig::default() };
        PolicyConfig {
            call: self.call_config(default, shared),
            bulkhead: self.bulkhead.as_ref().map(|options| BulkheadConfig {
                max_concurrent: whole(options.max_concurrent),
                max_queued: whole(options.max_queued.unwrap_or(0.0)),
            }),
            adaptive: self.adaptive.as_ref().map(AdaptiveLimitOptions::config),
            rate_limits: self.rate_limit.iter().map(RateLimitOptions::config).collect(),
        }
    }

    /// One call's own `retry` and `timeout` over the policy's settings.
    #[must_use]
    pub fn call_config(&self, policy: CallConfig, shared: Shared) -> CallConfig {
        CallConfig {
            retry: self.retry.over(policy.retry),
            // No deadline is an endless one.
            total: self.timeout.total_ms.map_or(policy.total, |ms| ms.is_finite().then(|| duration(ms))),
            shared,
            tokens: self.estimated_tokens.map_or(policy.tokens, whole),
            ..policy
        }
    }
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

/// `throttle` of a breaker.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "documented where they are defined: the TypeScript contract")]
pub struct ThrottleOptions {
    pub k: Option<f64>,
    pub window_ms: Option<f64>,
    pub minimum_calls: Option<f64>,
}

impl ThrottleOptions {
    fn throttle(&self) -> Throttle {
        let default = Throttle::default();
        Throttle {
            k: self.k.map_or(default.k, Factor::from_f64),
            window: self.window_ms.map_or(default.window, duration),
            minimum_calls: self.minimum_calls.map_or(default.minimum_calls, whole),
        }
    }
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
    /// Wins over what opens a breaker.
    pub throttle: Option<ThrottleOptions>,
    pub ramp_ms: Option<f64>,
    pub seed: Option<f64>,
}

impl BreakerOptions {
    /// None given.
    pub const NONE: Self = Self {
        failure_threshold: None,
        reset_timeout_ms: None,
        reset_backoff_factor: None,
        max_reset_timeout_ms: None,
        half_open_max_calls: None,
        success_threshold: None,
        probe_timeout_ms: None,
        window: None,
        slow_call: None,
        throttle: None,
        ramp_ms: None,
        seed: None,
    };

    /// These options over `base`. `failureThreshold`, `window` and `throttle` replace one another.
    #[must_use]
    pub fn over(self, base: Self) -> Self {
        let opens =
            |it: &Self| it.failure_threshold.is_some() || it.window.is_some() || it.throttle.is_some();
        let trip = if opens(&self) { &self } else { &base };
        Self {
            failure_threshold: trip.failure_threshold,
            window: trip.window.clone(),
            throttle: trip.throttle.clone(),
            reset_timeout_ms: self.reset_timeout_ms.or(base.reset_timeout_ms),
            reset_backoff_factor: self.reset_backoff_factor.or(base.reset_backoff_factor),
            max_reset_timeout_ms: self.max_reset_timeout_ms.or(base.max_reset_timeout_ms),
            half_open_max_calls: self.half_open_max_calls.or(base.half_open_max_calls),
            success_threshold: self.success_threshold.or(base.success_threshold),
            probe_timeout_ms: self.probe_timeout_ms.or(base.probe_timeout_ms),
            slow_call: self.slow_call.or(base.slow_call),
            ramp_ms: self.ramp_ms.or(base.ramp_ms),
            seed: self.seed.or(base.seed),
        }
    }

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
        let trip = match (&self.throttle, &self.window) {
            (Some(throttle), _) => Trip::Throttle(throttle.throttle()),
            (None, None) => Trip::Consecutive(self.failure_threshold.map_or(5, whole)),
            (None, Some(WindowOptions::Count { size, failure_rate, minimum_calls })) => Trip::Count {
                size: whole(*size),
                rates: rates(*failure_rate, minimum_calls.unwrap_or(*size)),
            },
            (None, Some(WindowOptions::Time { duration_ms, failure_rate, minimum_calls })) => Trip::Time {
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
            ramp: self.ramp_ms.map_or(default.ramp, duration),
            seed: self.seed.map_or(default.seed, seed_from_f64),
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

/// Returns the seed for a JavaScript number: a whole number itself, or the bits of any other.
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

/// Returns a count: rounded up, with 0 and the largest number as bounds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
#[must_use]
pub fn whole(count: f64) -> u32 {
    count.ceil() as u32
}
