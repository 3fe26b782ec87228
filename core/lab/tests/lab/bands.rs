//! Bands over many seeds: between which values 95 % of the runs lie.

use super::run;
use halfopen_lab::{PolicyResult, Scenario};

/// How many seeds a band has.
pub(super) const SEEDS_OF_A_BAND: u64 = 30;

/// The range of a number over many seeds.
#[derive(Debug)]
pub(super) struct Band {
    pub(super) low: f64,
    pub(super) mean: f64,
    pub(super) high: f64,
}

/// The runs of a policy with each seed.
pub(super) fn runs(scenario: &Scenario, policy: &str) -> Vec<PolicyResult> {
    (1..=SEEDS_OF_A_BAND).map(|seed| run(scenario, policy, seed)).collect()
}

/// The band of a number, printed with how many runs it is of (`cargo test -p halfopen-lab --test lab -- --nocapture`). Of 30 runs,
/// 95 % are all of them but one at most.
pub(super) fn band(what: &str, runs: &[PolicyResult], number: impl Fn(&PolicyResult) -> f64) -> Band {
    let values: Vec<f64> = runs.iter().map(number).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    println!("{what}: mean {mean:.3}, from {low:.3} to {high:.3} (n = {})", values.len());
    Band { low, mean, high }
}
