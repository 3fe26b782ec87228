//! The wasm-bindgen surface of the npm package: one file for each area, no decisions in it.

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod classify;
pub mod code;
pub mod event;
pub mod message;
mod numbers;
pub mod policy;
pub mod recovery;
pub mod response;
mod rows;
mod value;
pub mod world;
