//! The defaults of a policy: one table. An option that is given replaces only itself.
//!
//! Each row names the experiment that chose it: a scenario of `core/lab/tests/lab/defaults.rs`, or those that
//! the policy lab draws, 40 draws of 60 with only that number changed. The parts that the source documents describe
//! ([`BreakerConfig::default`](super::BreakerConfig), [`Preset`](super::Preset)) keep their own numbers.

use super::budget::BudgetConfig;
use super::options::BreakerOptions;
use super::quota::QuotaConfig;
use crate::time::Millis;

/// The quota that retries are taken from.
///
/// | | | chosen by |
/// |---|---|---|
/// | `first_reserve` | 9 | `quiet`: after the first call, three more calls of a process have their three retries; at 4 the worst of the drawn scenarios lose a fifth less |
/// | `reserve` | 12 | `quiet`: an agent that makes a call every few seconds has its three retries some times in a row |
/// | `regained` | 0.3 | `quiet`: less leaves an agent without retries after a bad minute; more is load without answers |
/// | `share` | 0.4 of a minute's answers | drawn scenarios: 0.2 answers 0.2 points less, 1 answers 0.2 more and loads the provider by 2.5 times at worst |
/// | `timeout` | 4, a tenth of the answers | drawn scenarios: with a fifth, the worst are worse by half again; with a twentieth, a quiet agent has no retries after timeouts |
/// | `timeout_back` | 12 | `quiet`: an agent of which a fifth of the requests time out has 97 % of its calls answered; with what they took given back, 90 % |
/// | `first_timeouts` | 4 | `modest`: a process retries one timeout in its first minute, before it has seen any result. If it kept that retry for later, a sixth of the calls of 321 processes would be answered; without it 68 % are, as without a policy, with it 60 % over 240 seeds. With the quota the share of answered calls of 321 processes is the same as without a policy; with three retries a call it is a tenth |
/// | the first call | costs nothing in the first `window`, if nothing was answered before it | drawn scenarios: the same share of answers. With the first failing call free whatever came before it, seed 101 loses 0.6 points and the worst scenario 29 instead of 11. `modest`, over 240 seeds: 54 % instead of 60 % |
/// | `hinted` | 2 | drawn scenarios: at 1 more of them lose by over 10 points, at 4 fewer; at 4 a new process could wait for one `Retry-After` alone |
pub const QUOTA: QuotaConfig = QuotaConfig {
    reserve: 12_000,
    first_reserve: 9000,
    regained: 300,
    share: 400,
    window: Millis(60_000),
    first_timeouts: 4000,
    timeout: 4000,
    timeout_back: 12_000,
    hinted: 2000,
    long_hint: Millis(2000),
};

/// [`QUOTA`] as a budget.
pub const BUDGET: BudgetConfig = BudgetConfig::quota(QUOTA);

/// The breaker; its other options are those of one that is made on its own.
///
/// | | | chosen by |
/// |---|---|---|
/// | opens after | 5 failed calls in a row | drawn scenarios: 10 and 15 have the same share of answers; five is the default of a breaker that is made on its own |
/// | for | 1 s, each time | drawn scenarios: at 5 s three times more of them are worse than without a policy, at 60 s eleven times more; the quota bounds the retries anyway |
/// | a probe makes room after | 3 s | drawn scenarios: 1 s and 10 s have the same share of answers; a model that answers after 10 s gets a call a second until its first answer |
/// | probes | 3 | drawn scenarios: with one, a probe that fails by chance costs another second of a provider that answers half of the time |
pub const BREAKER: BreakerOptions = BreakerOptions {
    failure_threshold: Some(5.0),
    reset_timeout_ms: Some(1000.0),
    half_open_max_calls: Some(3.0),
    probe_timeout_ms: Some(3000.0),
    ..BreakerOptions::NONE
};

/// The breaker that the source documents describe: that of the preset 'service', and one that is made on its own.
pub const SOURCES_BREAKER: BreakerOptions = BreakerOptions {
    failure_threshold: Some(5.0),
    reset_timeout_ms: Some(60_000.0),
    half_open_max_calls: Some(1.0),
    ..BreakerOptions::NONE
};
