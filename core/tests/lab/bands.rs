//! Bands over many seeds: between which values 95 % of the runs lie.

use super::run;
use halfopen::lab::{PolicyResult, Scenario};

/// How many seeds a band has.
pub(super) const SEEDS_OF_A_BAND: u64 = 30;

/// What a number of a run comes to over many seeds.
#[derive(Debug)]
pub(super) struct Band {
    pub(super) low: f64,
    pub(super) mean: f64,
    pub(super) high: f64,
}

/// The band of a number, printed with how many runs it is of (`cargo test -p halfopen --test lab -- --nocapture`).
pub(super) fn band(
    what: &str,
    scenario: &Scenario,
    policy: &str,
    number: impl Fn(&PolicyResult) -> f64,
) -> Band {
    let mut values: Vec<f64> =
        (1..=SEEDS_OF_A_BAND).map(|seed| number(&run(scenario, policy, seed))).collect();
    values.sort_by(f64::total_cmp);
    // Of 30 runs, 95 % are all of them but one at most.
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let band = Band { low: values[0], mean, high: values[values.len() - 1] };
    println!(
        "{what}, {policy}: mean {:.3}, from {:.3} to {:.3} (n = {})",
        band.mean,
        band.low,
        band.high,
        values.len()
    );
    band
}
