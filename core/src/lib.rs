//! Halfopen's core: what went wrong, what to do now, what the user reads, what happened.
//!
//! The core knows no clock, no randomness and no I/O: time enters as an argument, randomness from a seed.
//! The same machine therefore runs in an agent, in the dashboard, under a virtual clock and over a log.
//!
//! # Driving a policy
//!
//! [`policy::Engine`] takes one input and returns one [`policy::Step`]. It never waits, never calls anything and
//! never reads a clock: the driver does. The TypeScript executor is a driver, so is [`policy::blocking`], so is a
//! test. The driver's work:
//!
//! 1. **Lend what is shared.** Every input takes a [`policy::Context`]: the breaker and the budget of the call at
//!    hand (other policies may have them too), and the ring that records go to.
//! 2. **Tell the time.** `now` is a reading of one monotonic clock. `None` means that it was not read; the answer
//!    is [`NeedTime`](policy::Step::NeedTime) where that matters, and nothing has happened: read it and give the
//!    same input again.
//! 3. **Begin** a call with [`begin`](policy::Engine::begin), and from then on do what the step says:
//!    - [`Attempt`](policy::Step::Attempt): call the operation, then
//!      [`succeed`](policy::Engine::succeed) or [`fail`](policy::Engine::fail) with what it failed with.
//!    - [`Wait`](policy::Step::Wait): wait until `plan.due`, then [`resume`](policy::Engine::resume). A timer that
//!      fires early does no harm: the time is taken to be at least when it was due.
//!    - [`Queued`](policy::Step::Queued): do nothing until [`next_ready`](policy::Engine::next_ready) names the
//!      call, then [`dequeue`](policy::Engine::dequeue) it.
//!    - [`Rejected`](policy::Step::Rejected), [`GiveUp`](policy::Step::GiveUp), [`Done`](policy::Step::Done): the
//!      call is over. A fallback is the driver's business.
//! 4. **After each input, call [`has_ready`](policy::Engine::has_ready)**: a call that ended may have made room for
//!    one that waits. Where time alone brings one forward, [`poll_timeout`](policy::Engine::poll_timeout) says when
//!    to call it again.
//! 5. **Cancel** each call that is no longer needed, whatever its state: [`cancel`](policy::Engine::cancel). A call
//!    that is dropped without it keeps its slot.
//! 6. **Drain the ring** ([`policy::Ring::pop`]) as often as you like; what does not fit is counted, never waited for.
//!
//! ```
//! use halfopen::Code;
//! use halfopen::policy::{Breaker, BreakerConfig, Context, Engine, Failure, PolicyConfig, Ring, Step};
//! use halfopen::time::Timestamp;
//!
//! let mut engine = Engine::new(PolicyConfig::default(), 7);
//! let mut breaker = Breaker::new(BreakerConfig::default());
//! let mut events = Ring::new();
//! let mut ctx =
//!     Context { breaker: Some(&mut breaker), budget: None, events: &mut events, policy_id: 1, breaker_id: 1 };
//!
//! // An operation that fails twice, on a clock that jumps to wherever it is waited for.
//! let mut operation = |attempt| if attempt < 3 { Err(Code::ServerError) } else { Ok("hello") };
//! let (mut now, mut answer) = (Timestamp(0), None);
//! let mut step = engine.begin(&mut ctx, Some(now));
//! loop {
//!     step = match step {
//!         Step::Attempt { call, attempt, .. } => match operation(attempt) {
//!             Ok(value) => {
//!                 answer = Some(value);
//!                 engine.succeed(&mut ctx, call, Some(now), None)
//!             }
//!             Err(code) => engine.fail(&mut ctx, call, Some(now), &Failure::of(code)),
//!         },
//!         Step::Wait { call, plan, .. } => {
//!             now = plan.due;
//!             engine.resume(&mut ctx, call, Some(now))
//!         }
//!         Step::Done { attempts } => {
//!             assert_eq!(attempts, 3);
//!             break;
//!         }
//!         over => panic!("{over:?}"),
//!     };
//! }
//! assert_eq!(answer, Some("hello"));
//! // 1000 ms and 2000 ms, each within ±20 %, and the same at every run: the seed is 7.
//! assert!((2400..=3600).contains(&now.0));
//! ```
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod calendar;
pub mod classify;
pub mod code;
#[doc(hidden)]
pub mod invariant;
pub mod limit;
pub mod message;
#[doc(hidden)]
pub mod number;
#[doc(hidden)]
pub mod numbered;
pub mod once;
pub mod policy;
pub mod recovery;
pub mod response;
pub mod rng;
pub mod run;
#[doc(hidden)]
pub mod slab;
mod text;
pub mod time;
#[doc(hidden)]
pub mod unescape;

pub use code::{Code, ErrorType, Severity};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
