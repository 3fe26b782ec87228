//! The policy lab: simulates the effect of a policy on users, on the bill and on the provider when the provider fails.
//!
//! A discrete-event simulator. It drives the shipped [`Engine`](halfopen::policy::Engine), through the steps of the
//! crate's documentation, with a clock of its own. Clients, their processes and the provider are simulated; the policy
//! is the real one. The same scenario, policy and seed give the same result, natively and as WebAssembly.
//!
//! # Assumptions
//!
//! - The network takes no time. A provider is a row of equal servers with one queue, first in, first out.
//! - A request that the provider refuses or fails (rate limit, error mix, full queue, outage) occupies no server.
//!   Errors of the mix take their `latencyMs`, all others no time.
//! - The provider's rate limit counts in fixed spans that begin at multiples of `windowMs`. Refused requests do not
//!   count.
//! - A request in service keeps the speed at which it began. A pause stops it, and it continues afterwards.
//! - `rampMs` is how long a factor takes to grow from 1 to its full size. When the fault ends, it is 1 at once.
//! - More load divides the think time of closed clients. It has no effect on clients that arrive once.
//! - If a black hole swallows a call and no timeout ends it, the call counts as failed when the run ends.
//! - Tokens count for requests that a server began to serve, `perAttempt` for every request.
//!
//! # Common random numbers
//!
//! Arrivals are drawn from the seed and the number of the arrival, think times from the client and its call, service
//! times and errors from the call and its attempt. Compared policies therefore face the same users and the same luck,
//! and differ only by their decisions. Jitter is the engine's own.
//!
//! ```
//! use halfopen_lab::{Run, Scenario};
//! let scenario = Scenario::from_json(r#"{
//!     "version": 1, "durationMs": 10000,
//!     "clients": { "count": 5, "arrivals": { "kind": "open", "perSecond": 20 } },
//!     "policies": { "none": { "retry": false, "breaker": false } },
//!     "provider": { "servers": 4, "service": { "kind": "exponential", "mean": 100 } }
//! }"#).unwrap();
//! let result = Run::new(&scenario, "none").unwrap().to_end();
//! assert_eq!(result.totals.succeeded, result.totals.offered);
//! ```

mod draw;
mod estimate;
mod event;
mod fleet;
mod histogram;
mod measure;
mod misfit;
mod news;
mod pool;
mod provider;
mod random;
mod read;
mod replay;
mod result;
mod run;
mod scenario;
mod timeline;
mod written;

pub use draw::{Drawn, KINDS};
pub use misfit::Misfit;
pub use random::Distribution;
pub use replay::{
    Censored, Changed, CutBy, Ended, How, NAMES, ROW, Recorder, Replay, ReplayedRun, RunRecorder, Stop, Sums,
    Unknown, call_ended, failed, row, row_control, run_row,
};
pub use result::{BreakerCounts, Expectation, Latency, PolicyResult, Queueing, Series, Totals};
pub use run::{NoSuchPolicy, Run};
pub use scenario::{
    Arrivals, Clients, Cost, Expect, Factor, Fault, FaultKind, LabPolicy, Limit, MixedError, Provider,
    RetryAfter, Scenario,
};
