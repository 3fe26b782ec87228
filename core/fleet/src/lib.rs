//! The state that the processes of a fleet share about one resource: a breaker with its probes, limits, a cool-down, isolation.
//!
//! Two processes call the same provider, and each sees it fail three times in a row. A breaker opens at five failures, so
//! neither process would open its own. Both report to the store, and the shared breaker opens for both:
//!
//! ```
//! use halfopen_fleet::{BreakerReport, BreakerState, Counts, Delta, Terms, View, merge};
//!
//! let report = |node, number, failed| Delta {
//!     node,
//!     number,
//!     breaker: Some(BreakerReport {
//!         terms: Terms::default(),
//!         totals: Counts { total: failed, failed, slow: 0 },
//!         streak: failed as u32,
//!         ..BreakerReport::default()
//!     }),
//!     ..Delta::default()
//! };
//! let first = merge(None, &report(1, 1, 3).to_bytes(), 1000).unwrap();
//! assert_eq!(View::read(&first, 1, 1000).unwrap().state, BreakerState::Closed);
//! // Three failures in a row in each process: together they pass the threshold of five, and two processes saw them.
//! let second = merge(Some(&first), &report(2, 1, 3).to_bytes(), 1100).unwrap();
//! assert_eq!(View::read(&second, 2, 1100).unwrap().state, BreakerState::Open);
//! ```
//!
//! A store keeps one [`State`] for each key, as bytes. A process sends a numbered [`Delta`]. [`merge`] makes the next state from
//! the two, and the process reads its [`View`] from that state: the breaker, and what the process may use. The caller passes
//! the store's time as a number; a time that goes back counts as the latest one. Everything here is pure, so a Redis script, a
//! Durable Object, a test and a simulation run the same protocol.
//!
//! # Rules
//!
//! These hold for any order of deltas. The property tests in `tests.rs` check each of them.
//!
//! - A delta that arrives twice, or after a newer one of the same process, changes nothing. No count is lost by that: counts are
//!   totals since the process began, so the newer delta includes the older one.
//! - *Counts* (results, failures in a row, cool-down, names, processes) are the same in any order. *Scarce things* (a probe, a
//!   share of a limit) go to the first process that requests them.
//! - For each limit, the sum of all grants, plus the use under grants that ended within its window, never exceeds the limit.
//! - At most `half_open_max_calls` probe leases are valid at any instant. Results under an ended lease change nothing, and
//!   neither do counts under an older generation.
//!
//! # Reasons
//!
//! - **A limit is a capacity with a lease**, as in Google's Doorman
//!   (<https://github.com/youtube/doorman/blob/master/doc/design.md>) and Envoy's rate limit quota service
//!   (<https://www.envoyproxy.io/docs/envoy/latest/api-v3/service/rate_limit_quota/v3/rlqs.proto>). The store grants each process
//!   a part of the limit, max-min fair by demand, and the lease ends by itself. A process checks its part against its own sliding
//!   window, so no call waits for the store. Use under a returned part counts for one more window. Otherwise two processes could
//!   use the same part within one window.
//! - **A generation of the store's time fences the breaker**, as in effect 4.1. sony/gobreaker's distributed breaker holds a mutex
//!   while the request runs, and reads the state before it takes the mutex (<https://github.com/sony/gobreaker>). Here no process
//!   holds a lock, and a probe is a lease that ends by itself.
//! - **Two processes must see the failures**, because one bad process must not open the breaker for all. Polly
//!   (<https://github.com/App-vNext/Polly/issues/287>) and resilience4j (<https://github.com/resilience4j/resilience4j/issues/419>)
//!   raised that objection to shared breakers.

mod breaker;
mod bytes;
mod delta;
mod limit;
mod living;
mod state;
mod view;

#[cfg(test)]
mod tests;

pub use breaker::{BreakerReport, Counts, ProbeResult, Terms, Trip};
pub use bytes::{Misfit, SCHEMA};
pub use delta::{Delta, Kind};
pub use halfopen::policy::BreakerState;
pub use limit::LimitReport;
pub use state::{State, merge};
pub use view::{LimitUse, View};
