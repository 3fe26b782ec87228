//! The wasm-bindgen surface of the npm package: one file for each area, no decisions in it.
//!
//! The package compiles six wasm modules from it, one for each of the features below; they share no state. Nothing here
//! may use a file of another module's feature: numbers and texts cross from one to the other in TypeScript.

#[cfg(feature = "js-policy")]
pub mod backoff;
#[cfg(feature = "js-policy")]
pub mod breaker;
#[cfg(feature = "js-policy")]
pub mod budget;
#[cfg(feature = "js-policy")]
pub mod event;
#[cfg(feature = "js-policy")]
mod numbers;
#[cfg(feature = "js-policy")]
mod options;
#[cfg(feature = "js-policy")]
pub mod policy;
#[cfg(feature = "js-policy")]
mod rows;
#[cfg(feature = "js-policy")]
pub mod shared;
#[cfg(feature = "js-policy")]
pub mod world;

#[cfg(feature = "js-errors")]
pub mod classify;
#[cfg(feature = "js-errors")]
pub mod message;

#[cfg(feature = "js-fleet")]
pub mod fleet;

#[cfg(feature = "js-run")]
pub mod run;

#[cfg(feature = "js-lab")]
pub mod lab;
#[cfg(feature = "js-lab")]
pub mod replay;

#[cfg(feature = "js-agent")]
mod object;
#[cfg(feature = "js-agent")]
pub mod recovery;
#[cfg(feature = "js-agent")]
pub mod response;
#[cfg(feature = "js-agent")]
mod value;

/// Takes 7 kB less of each module than the allocator of std; constant time.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
