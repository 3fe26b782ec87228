//! The wasm-bindgen surface of the npm package: one file for each area, no decisions in it.
//!
//! The package compiles six wasm modules from it, one for each of the features below; they share no state. Nothing here
//! may use a file of another module's feature: numbers and texts cross from one to the other in TypeScript.

#[cfg(feature = "policy")]
pub mod breaker;
#[cfg(feature = "policy")]
pub mod budget;
#[cfg(feature = "policy")]
pub mod event;
#[cfg(feature = "policy")]
mod numbers;
#[cfg(feature = "policy")]
mod options;
#[cfg(feature = "policy")]
pub mod policy;
#[cfg(feature = "policy")]
mod rows;
#[cfg(feature = "policy")]
pub mod shared;
#[cfg(feature = "policy")]
pub mod world;

pub mod wire;

#[cfg(feature = "errors")]
pub mod classify;
#[cfg(feature = "errors")]
pub mod message;

#[cfg(feature = "fleet")]
pub mod fleet;

#[cfg(feature = "run")]
pub mod run;
#[cfg(any(feature = "run", feature = "lab"))]
mod run_numbers;

#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "lab")]
pub mod replay;

#[cfg(feature = "agent")]
mod object;
#[cfg(feature = "agent")]
pub mod recovery;
#[cfg(feature = "agent")]
pub mod response;
#[cfg(feature = "agent")]
mod value;

/// Takes 7 kB less of each module than the allocator of std; constant time.
#[cfg(all(feature = "glue", target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
