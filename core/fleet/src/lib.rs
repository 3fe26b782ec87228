//! What the processes of a fleet share about one resource: a breaker with its probes, limits, a cool-down, isolation.
//!
//! A store keeps a [`State`] for each key, as bytes. A process sends a [`Delta`], numbered; [`merge`] makes the next state of
//! the two, and the process reads from it what it is granted: its [`View`]. The time is the store's, given as a number; one
//! that goes back counts as the latest. All of it is pure, so that a Redis script, a Durable Object, a test and a simulation run
//! the same protocol.
//!
//! What holds, whatever comes in which order (the property tests in `tests.rs` are the list):
//!
//! - A delta that comes twice, or after a newer one of the same process, changes nothing. Nothing is lost by that: counts
//!   are totals since the process began, so the newer delta has what the older one had.
//! - What is *counted* (results, failures in a row, cool-down, names, processes) comes out the same in any order. What is
//!   *scarce* (a probe, a share of a limit) goes to who comes first.
//! - The sum of what is granted of a limit, and of what was used under grants that ended within its window, never exceeds it.
//! - At no instant are more than `half_open_max_calls` probe leases valid; results under an ended lease, and counts under an
//!   older generation, change nothing.
//!
//! # Sources
//!
//! - Limits are *capacities with a lease*, as in Google's Doorman (<https://github.com/youtube/doorman/blob/master/doc/design.md>):
//!   the store grants each process a part of the limit by what it wants, max-min fair, and the lease ends by itself. Envoy's
//!   rate limit quota service has the same shape
//!   (<https://www.envoyproxy.io/docs/envoy/latest/api-v3/service/rate_limit_quota/v3/rlqs.proto>). A process checks its
//!   part by its own sliding window, so that no call waits for the store. What was used under a part that is given back counts
//!   for one window more: without that, a part that changes hands would be used twice.
//! - The breaker is fenced by a generation of the store's time, as effect 4.1's. sony/gobreaker's distributed breaker holds a
//!   mutex while the request runs and reads the state before it takes the mutex
//!   (<https://github.com/sony/gobreaker>): here nothing is held, and a probe is a lease that ends by itself.
//! - That one bad process must not open the breaker of all is the objection of Polly (<https://github.com/App-vNext/Polly/issues/287>)
//!   and resilience4j (<https://github.com/resilience4j/resilience4j/issues/419>): hence evidence of two.
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
//! // Three failures in a row here and three there: five are enough, and two processes have seen them.
//! let second = merge(Some(&first), &report(2, 1, 3).to_bytes(), 1100).unwrap();
//! assert_eq!(View::read(&second, 2, 1100).unwrap().state, BreakerState::Open);
//! ```

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
