//! The event log of a dashboard: every line as it arrived, and the indexes that views read, updated with each event.
//!
//! It is a crate of its own because a file of a million events, or five thousand events a second, pass through it. It is
//! compiled for speed, and the rest of the dashboard for size. Functions that are `inline(never)` save size: they have
//! several callers, or few events need them.
#![allow(missing_docs, reason = "read by the dashboard alone: what the names do not say stands beside them")]

pub mod actions;
pub mod adaptive;
mod apply;
pub mod breaker;
pub mod breakers;
pub mod call;
mod calls;
pub mod durations;
pub mod effects;
pub mod fleet;
pub mod fold;
pub mod group;
mod hash;
mod ids;
mod lines;
pub mod names;
pub mod numbers;
pub mod order;
pub mod policy;
pub mod process;
pub mod provider;
pub mod query;
pub mod restart;
pub mod rows;
pub mod run;
pub mod scope;
mod seen;
mod silence;
mod spans;
#[cfg(test)]
mod stage;
pub mod store;
pub mod strip;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod time;

#[cfg(target_arch = "wasm32")]
pub use hash::set_seed;
