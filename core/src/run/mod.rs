//! A run: one task of an agent, from its first step to its end. Calls that succeed can still lead nowhere: a run counts what they
//! spend, notices when they repeat themselves, and says what to do, at last to stop.
//!
//! A driver calls [`step`](Run::step) before each step of the model, [`tool_call`](Run::tool_call) before a tool runs and
//! [`tool_result`](Run::tool_result) after it, and does what the [`Advice`] says. The machine has no clock: the driver says how many
//! milliseconds of the run have passed. It sees no contents: the driver makes hashes of calls, results and texts.
//!
//! ```
//! use halfopen::run::{Advice, Call, LoopKind, Outcome, Reason, Run, RunConfig};
//!
//! let mut run = Run::new(RunConfig::default());
//! let read = Call { tool: 1, key: 11, counts: true };
//! for _ in 0..3 {
//!     assert_eq!(run.step(0.0), Advice::Go);
//!     assert_eq!(run.tool_call(&read, 0.0), Advice::Go);
//!     run.tool_result(&read, Outcome::Ok(111));
//! }
//! // The same outcome for the third time: the model gets a hint.
//! let because = Reason::Loop { kind: LoopKind::Repeats, tool: Some(1), count: 3, code: None };
//! assert_eq!(run.step(0.0), Advice::Steer(because));
//! ```
//!
//! # Rows
//!
//! The unit is the step: the set of its outcomes, each once. Each result judges the step again, from the state before
//! it, so a later result can withdraw the effect of an earlier one. Steps without tool calls interrupt no row.
//!
//! A step makes progress if it brings an outcome that is new to the run (not among its last 2,000) and no part of the
//! loop. A failure makes progress only if its tool has not failed with that code. Progress resets the ladder.
//!
//! # Why results count
//!
//! OpenRouter's agent SDK and opencode compare the arguments of calls (`doomLoop`, `doom_loop`), and so mistake polling
//! for a loop. Here a call whose result changes is no loop, and a call whose arguments change is one if it fails with
//! the same code each time.

mod advice;
mod climb;
mod config;
mod machine;
mod rows;
mod seen;
mod state;

pub use advice::{Advice, Call, LoopKind, Outcome, Reason, Spent};
pub use config::{Ladder, Limit, Limits, Loops, RunConfig, Rung};
pub use machine::Run;
pub use state::StateError;
