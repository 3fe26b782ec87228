//! The event log of a dashboard: every line as it came, and what the views read of it kept up to date as events come.
//!
//! A crate of its own, because it is what a file of a million events or five thousand events a second have to go
//! through: it is compiled for speed, where the rest of the dashboard is compiled for size. What is marked `inline(never)`
//! is so for size: its callers are several, or few events come to it.
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
