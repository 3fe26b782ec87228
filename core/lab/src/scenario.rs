//! A scenario. The names and defaults are those of the TypeScript contract (`halfopen/lab`).

use super::random::Distribution;
use halfopen::code::Code;
use halfopen::policy::{
    BreakerConfig, BreakerScope, BudgetConfig, CallConfig, PolicyConfig, RetryConfig, Shared, defaults, whole,
};

/// A scenario: the clients, their policies, the provider, and the faults. Durations are milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// A name for people.
    pub name: Option<String>,
    /// The seed of all draws.
    pub seed: u64,
    /// Arrivals end here; the run ends when every call has.
    pub duration_ms: f64,
    /// The interval of the series.
    pub interval_ms: f64,
    /// The clients.
    pub clients: Clients,
    /// The policies that are compared, by name.
    pub policies: Vec<(String, LabPolicy)>,
    /// The provider.
    pub provider: Provider,
    /// The faults of the provider or the load.
    pub faults: Vec<Fault>,
    /// The costs of requests.
    pub cost: Cost,
    /// The bounds that the results should meet.
    pub expect: Expect,
}

/// The clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Clients {
    /// How many.
    pub count: u32,
    /// The number of processes among which they are dealt out in turn. Each has its own policy state, unless it is shared.
    pub processes: u32,
    /// When they call.
    pub arrivals: Arrivals,
    /// The time after which the user leaves.
    pub patience_ms: Option<f64>,
    /// `true` if all processes share one policy state: breaker, budget and limits.
    pub shared: bool,
    /// If processes share state: how late each sees the changes of the others, in ms. 0 is at once, infinity never.
    pub staleness_ms: f64,
    /// Layers around the compared policy, outermost first.
    pub nested: Vec<LabPolicy>,
}

/// When clients call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Each client calls once, at the beginning.
    Once,
    /// Each client calls again and again, and thinks before each call.
    Closed {
        /// How long.
        think: Distribution,
    },
    /// Calls arrive even if earlier ones have not ended.
    Open {
        /// The rate of all clients together.
        per_second: f64,
        /// Evenly spaced; otherwise a Poisson process.
        constant: bool,
    },
}

/// A policy, as the engine and the simulator need it.
#[derive(Clone, Debug, PartialEq)]
pub struct LabPolicy {
    /// Retries, scope of the breaker, deadline, bulkhead, adaptive limit and rate limit.
    pub config: PolicyConfig,
    /// The breaker.
    pub breaker: Option<BreakerConfig>,
    /// The retry budget.
    pub budget: Option<BudgetConfig>,
    /// The attempt timeout.
    pub attempt_ms: Option<f64>,
    /// `true` if a fallback replaces failures.
    pub fallback: bool,
    /// The delay after which another attempt begins beside a running one, and the most of them.
    pub hedge: Option<(f64, u32)>,
}

impl Default for LabPolicy {
    /// The policy that `createPolicy()` makes: three retries under a quota, and a breaker.
    fn default() -> Self {
        let policy = Self::new(RetryConfig::default(), Some(defaults::BREAKER.config()));
        Self { budget: Some(defaults::BUDGET), ..policy }
    }
}

impl LabPolicy {
    /// A policy of these retries and this breaker alone.
    #[must_use]
    pub fn new(retry: RetryConfig, breaker: Option<BreakerConfig>) -> Self {
        let call = CallConfig {
            retry,
            total: None,
            scope: BreakerScope::Call,
            shared: Shared::default(),
            tokens: 1,
            within: false,
        };
        Self {
            config: PolicyConfig { call, bulkhead: None, adaptive: None, rate_limits: Vec::new() },
            breaker,
            budget: None,
            attempt_ms: None,
            fallback: false,
            hedge: None,
        }
    }

    /// Sets how much each attempt takes of a limit on tokens.
    pub(super) fn set_tokens(&mut self, tokens: f64) {
        self.config.call.tokens = whole(tokens);
    }
}

/// The provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Provider {
    /// The number of requests that it serves at once.
    pub servers: u32,
    /// The time to serve one.
    pub service: Distribution,
    /// The most requests that may wait; `None` for no limit. Further ones fail with `PROVIDER_OVERLOADED`.
    pub queue: Option<u32>,
    /// `true` if it drops work whose caller has left.
    pub abandons: bool,
    /// The limit on requests.
    pub rate_limit: Option<Limit>,
    /// The limit on tokens. Each request takes [`Cost::tokens_per_attempt`].
    pub token_limit: Option<Limit>,
    /// Its own errors.
    pub errors: Vec<MixedError>,
}

/// A provider's limit on requests or tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// How many.
    pub limit: u32,
    /// In which span.
    pub window_ms: f64,
    /// The form in which it says when to come back.
    pub retry_after: RetryAfter,
}

/// The form in which a provider says when to come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// To the millisecond.
    #[default]
    Exact,
    /// In whole seconds, rounded up.
    Seconds,
    /// Not at all.
    None,
}

/// A share of requests that fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedError {
    /// With this code …
    pub code: Code,
    /// … this share of requests …
    pub rate: f64,
    /// … with this wait …
    pub retry_after_ms: Option<f64>,
    /// … after this long.
    pub latency_ms: f64,
}

/// A fault, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// When it begins.
    pub at_ms: f64,
    /// How long it lasts.
    pub for_ms: f64,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// `NETWORK_ERROR` at once.
    Outage,
    /// The provider takes requests, and never answers them.
    Blackhole,
    /// Service and queue stop, and go on afterwards.
    Pause,
    /// A share of requests fails.
    Errors(MixedError),
    /// Service takes this factor longer.
    Slow(Factor),
    /// The provider has this share of its servers.
    Capacity(Factor),
    /// Clients call this factor more often.
    Load(Factor),
}

/// A factor, and how long it takes to reach its full size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// 1 changes nothing.
    pub factor: f64,
    /// From 1 to the factor, linearly.
    pub ramp_ms: f64,
}

/// The costs of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// The price of a request.
    pub per_attempt: f64,
    /// The price of a token.
    pub per_token: f64,
    /// The tokens of each request that is served.
    pub tokens_per_attempt: f64,
}

/// Limits that a run should keep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expect {
    /// Of `successRate`.
    pub min_success_rate: Option<f64>,
    /// Of `amplification`.
    pub max_amplification: Option<f64>,
    /// Of `userMs.p95`.
    pub max_user_p95_ms: Option<f64>,
    /// Of `cost`.
    pub max_cost: Option<f64>,
    /// The least goodput at the end, as a share of the goodput before the first fault.
    pub min_recovered_goodput: Option<f64>,
}
