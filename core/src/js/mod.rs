//! The wasm-bindgen surface of the npm package: one file for each area, no decisions in it.

pub mod breaker;
pub mod classify;
pub mod code;
pub mod event;
pub mod message;
pub mod policy;
pub mod recovery;
pub mod response;
mod value;
