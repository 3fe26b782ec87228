//! Limits on a policy's own calls: how many run at once, and how many begin in a span of time.

mod bulkhead;
mod queue;
mod rate;

pub use bulkhead::{Bulkhead, BulkheadConfig, Slot};
pub use queue::Queue;
pub use rate::{RateLimit, RateLimitConfig};
