//! What a policy does where it was given neither `retry` nor `breaker`: one table.
//!
//! Each row names the experiment that chose it: a group of scenarios of `core/tests/lab/defaults.rs`, which fails where the row
//! no longer holds. The parts that the source documents describe ([`BreakerConfig::default`], [`Preset`](super::Preset)) keep
//! their own numbers.

use super::backoff::Factor;
use super::breaker::{BreakerConfig, Trip};
use super::budget::BudgetConfig;
use super::quota::QuotaConfig;
use crate::time::Millis;

/// The quota that retries are taken from.
///
/// | | | chosen by |
/// |---|---|---|
/// | `reserve` | 12 | `quiet`: an agent that makes a call every few seconds has its three retries, four times in a row |
/// | `regained` | 0.3 | `outage`: more is load without answers, less leaves the calls after an outage without retries |
/// | `share` | 0.2 of a minute's answers | `overload`: at 0.3 and more a slow provider stays slow; at 0.1 timeouts by chance are not retried |
/// | `first` | 1 | `modest`: at 2 an overload among 321 processes lasts three times as long, at 3 for ever |
/// | `asked_to_wait` | 4 | `storm`: three retries after a `Retry-After` that all processes were given |
pub const QUOTA: QuotaConfig = QuotaConfig {
    reserve: 12_000,
    regained: 300,
    share: 200,
    window: Millis(60_000),
    first: 1000,
    asked_to_wait: 4000,
    long_hint: Millis(2000),
};

/// [`QUOTA`] as a budget.
pub const BUDGET: BudgetConfig = BudgetConfig::quota(QUOTA);

/// The breaker.
///
/// | | | chosen by |
/// |---|---|---|
/// | opens after | 5 failed calls in a row | `overload`: at 10 and 20 fewer calls are answered, at 5 attempts good providers are refused |
/// | for | 5 s, each time | `outage`: back within 10 s of its end; at 60 s a third of what a short outage costs is the breaker's |
/// | probes | 3 | `flapping`: one probe that fails by chance costs another 5 s |
pub const BREAKER: BreakerConfig = BreakerConfig {
    trip: Trip::Consecutive(5),
    reset_timeout: Millis(5000),
    reset_backoff: Factor::ONE,
    max_reset_timeout: Millis(50_000),
    half_open_max_calls: 3,
    success_threshold: 1,
    probe_timeout: Millis(5000),
    ramp: Millis::ZERO,
    seed: 0,
};
