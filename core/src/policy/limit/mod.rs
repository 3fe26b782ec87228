//! Limits on a policy's own calls: how many run at once, and how many begin in a span of time.

mod adaptive;
mod bulkhead;
mod queue;
mod rate;
mod rates;

pub use adaptive::{AdaptiveConfig, AdaptiveLimit, Admission, Because, LimitChange};
pub use bulkhead::{Bulkhead, BulkheadConfig, Slot};
pub use queue::Queue;
pub(crate) use rate::NEVER;
pub use rate::{Cost, RateLimitConfig};
pub use rates::{RateLimits, Turn};
