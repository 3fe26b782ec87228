//! Halfopen's core: what went wrong, what to do now, what to tell the person, what happened.
//!
//! The core knows no clock, no randomness and no I/O: time enters as an argument, randomness from a seed.
//! The same machine therefore runs in an agent, in the dashboard, under a virtual clock and over a log.
#![cfg_attr(not(feature = "js"), forbid(unsafe_code))]

pub mod classify;
pub mod code;
pub mod event;
#[cfg(feature = "js")]
#[doc(hidden)]
pub mod js;
pub mod log;
pub mod message;
pub mod policy;
pub mod recovery;
pub mod response;
pub mod rng;
pub mod time;

pub use code::{Code, ErrorType, Severity};
