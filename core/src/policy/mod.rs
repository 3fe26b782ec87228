//! Policies: everything that keeps a call alive, and nothing that makes it worse.
//!
//! [`Engine`] decides for one policy; [`Breaker`] and [`Budget`] stand alone and may be shared. All are driven by
//! inputs that carry the time: see the crate's documentation for the steps.

mod backoff;
pub mod blocking;
mod breaker;
mod budget;
mod engine;
mod handle;
mod limit;
mod options;
mod retry;
mod slab;
mod snapshot;
mod window;

pub use backoff::{Backoff, Delay, Factor, Jitter, JitterKind, Proportion, exponential_backoff};
pub use breaker::{
    Breaker, BreakerConfig, BreakerState, Change, MAX_TICKET, Outcome, Permit, Rate, Rates, Reason, Refused,
    SlowCalls, Trip,
};
pub use budget::{Budget, BudgetConfig};
pub use engine::{BreakerScope, CallConfig, Context, Engine, Layer, PolicyConfig, Shared, Step};
pub use handle::{CircuitBreaker, Clock, HeldPermit, Isolation, RetryBudget};
pub use limit::{Bulkhead, BulkheadConfig, Place, Queue, RateLimit, RateLimitConfig};
pub use options::{
    BreakerOptions, BudgetOptions, JitterOption, OptionError, PolicyOptions, Preset, RetryOptions,
    SlowCallOptions, TimeoutOptions, WindowOptions, seed_from_f64,
};
pub use retry::{DelaySource, Failure, Plan, RetryConfig, RetryOn, Verdict, Why};
pub use slab::Slab;
pub use snapshot::{BreakerSnapshot, SnapshotError};
pub use window::{BUCKETS, CountWindow, Recent, Sample, Tally, TimeWindow};
