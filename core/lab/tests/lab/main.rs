//! The policy lab against what others have published, at three seeds each: every test cites its source and states its tolerance.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::cast_precision_loss)]

mod adaptive;
mod aws;
mod bad_input;
mod bands;
mod contention;
mod defaults;
mod faults;
mod frontier;
mod metastable;
mod nested;
mod pause;
mod policies;
mod queueing;
mod replay;
mod replay_runs;
mod retries;
mod same_again;
mod semian;
mod staleness;
mod throttle;

use halfopen_lab::{PolicyResult, Run, Scenario};
use serde_json::Value;

/// Every result is shown at these.
pub const SEEDS: [u64; 3] = [1, 2, 3];

/// Runs a policy of a scenario. Little's law is asserted in every run.
#[track_caller]
pub fn run(scenario: &Scenario, policy: &str, seed: u64) -> PolicyResult {
    let result = Run::with_seed(scenario, policy, seed).unwrap().to_end();
    assert!(result.queueing.littles_law, "Little's law");
    let totals = &result.totals;
    let ended = totals.succeeded + totals.failed + totals.rejected + totals.abandoned + totals.fallbacks;
    assert_eq!(ended, totals.offered, "each call ends once");
    result
}

/// A scenario from its JSON.
#[track_caller]
pub fn scenario(value: Value) -> Scenario {
    Scenario::from_json(&value.to_string()).unwrap()
}

/// Asserts that a number is as expected, up to a share of it.
#[track_caller]
pub fn assert_near(what: &str, value: f64, expected: f64, tolerance: f64) {
    let off = value / expected - 1.0;
    assert!(off.abs() <= tolerance, "{what}: {value} instead of {expected}, {:.2} % off", off * 100.0);
}
