//! Limits on a policy's own calls: how many run at once, and how many begin in a span of time.

mod adaptive;
mod bulkhead;
mod plan;
mod queue;
mod rate;
mod rates;

pub use adaptive::{AdaptiveConfig, AdaptiveLimit, Because, LimitChange};
pub use bulkhead::{Bulkhead, BulkheadConfig, Slot};
pub use plan::Turn;
pub use queue::{Place, Queue};
pub use rate::{Cost, RateLimitConfig};
pub use rates::RateLimits;
