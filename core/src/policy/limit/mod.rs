//! Limits on a policy's own calls: how many run at once, and how many begin in a span of time.

mod adaptive;
mod bulkhead;
mod plan;
mod queue;
mod rate;
mod rates;

pub use adaptive::{AdaptiveConfig, AdaptiveLimit, Because, LimitChange};
pub use bulkhead::BulkheadConfig;
pub(super) use bulkhead::{Bulkhead, Slot};
pub(super) use queue::Place;
pub(super) use rate::Cost;
pub use rate::RateLimitConfig;
pub(super) use rates::RateLimits;
