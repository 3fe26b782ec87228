//! Policies: everything that keeps a call alive, and nothing that makes it worse.
//!
//! [`Engine`] decides for one policy. [`Breaker`] and [`Budget`] work alone and may be shared. Every input carries the
//! time: see the crate's documentation for the steps.

mod backoff;
mod breaker;
mod budget;
mod call;
pub mod defaults;
mod engine;
mod layer;
mod limit;
mod options;
mod quota;
mod record;
mod retry;
mod step;
#[doc(hidden)]
pub mod table;
mod threads;
mod window;

pub use backoff::{Backoff, Delay, Factor, Jitter, JitterKind, Proportion, RealBackoff};
pub use breaker::{
    Answer, Breaker, BreakerConfig, BreakerSnapshot, BreakerState, Change, Counted, DemandSnapshot,
    MAX_TICKET, Outcome, Permit, Rate, Rates, Reason, Refused, Share, SlowCalls, SnapshotError, Throttle,
    Throttled, Trip,
};
pub use budget::{Budget, BudgetConfig};
pub use engine::Engine;
pub use layer::Layer;
pub use limit::{AdaptiveConfig, AdaptiveLimit, Because, BulkheadConfig, LimitChange, RateLimitConfig};
#[doc(hidden)]
pub use options::whole;
pub use options::{
    AdaptiveLimitOptions, BreakerOptions, BudgetOptions, BulkheadOptions, JitterOption, PolicyOptions,
    Preset, RateLimitOptions, RetryOptions, SlowCallOptions, ThrottleOptions, TimeoutOptions, WindowOptions,
    seed_from_f64,
};
pub use quota::{QuotaConfig, Spent};
pub use record::{Fact, Record, Ring};
pub use retry::{DelaySource, Failure, OwnDelay, Plan, Repair, RetryConfig, RetryOn, Verdict, Why};
pub use step::{BreakerScope, CallConfig, Context, PolicyConfig, Shared, Step};
pub use threads::{CircuitBreaker, Clock, HeldPermit, Isolation, RetryBudget, blocking};
#[doc(hidden)]
pub use window::BUCKETS;
pub use window::{Recent, Sample, Tally};
