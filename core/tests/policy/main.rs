//! The policy core, scenario by scenario: the engine with its breaker, budget and limits on a clock that the test
//! moves.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unused_must_use, reason = "a scenario looks at the steps that it is about")]

mod adaptive;
mod answers;
mod asked;
mod breaker;
mod breaker_model;
mod events;
mod half_open;
mod harness;
mod hedge;
mod interleavings;
mod limits;
mod plain;
mod repair;
mod retry;
mod threads;
mod throttle;
