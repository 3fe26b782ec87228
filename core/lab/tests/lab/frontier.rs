//! How large a trigger the system survives depends on its load.
//!
//! Huang et al., "Metastable Failures in the Wild" (OSDI 2022), with the artefact's `Retry_Metastability` (MongoDB behind a client
//! that retries, client timeout 3 s; <https://github.com/lexiangh/Metastability>): ten seconds with 78 % of the processor
//! taken away recover, ten seconds with 80 % stay dead, nine seconds with 80 % recover, and so do ten seconds with 80 % at 30 %
//! less load.
//!
//! Assumed: one queue without an end and ten servers of 10 ms each for the database; load at 57 % of what they serve; one
//! retry after a timeout of 3 s, which the server does not notice; arrivals are Poisson. The artefact's machine is another one, so the
//! tolerance is the shape: a frontier lies between what recovers and what does not, it falls with the load, and with the
//! published load of 70 % even the published trigger is survived. Recovered: goodput of the last 30 s is at least 95 % of that before.
//!
//! The four published outcomes themselves come out too, of a hundred servers, so that 78 and 80 % of them differ. Two inputs are
//! fitted. The load is 37.6 % of what the servers can do: the artefact states the pause between its requests (75 µs), and not what
//! its machines serve; its README says to tune the pause until the outcomes show. And calls are retried twice, where the
//! artefact's client sends four times again. The outcomes hold 1.5 % below and above that load. That all four come out of one
//! load is the test; where the frontier lies is not predicted.

use super::bands::{band, runs};
use super::{SEEDS, run, scenario};
use halfopen_lab::{Distribution, PolicyResult, Scenario};
use serde_json::json;

const LOAD: f64 = 570.0;

/// `taken` of the capacity goes for `for_ms`, at `load` calls a second.
fn triggered(load: f64, taken: f64, for_ms: f64) -> Scenario {
    scenario(json!({
        "version": 1, "durationMs": 120_000,
        "clients": { "count": 100, "processes": 1, "arrivals": { "kind": "open", "perSecond": load } },
        "policies": { "retries": {
            "retry": { "maxRetries": 1, "baseDelayMs": 1, "enableJitter": false, "budget": false }, "breaker": false, "timeout": { "attemptMs": 3000 },
        } },
        "provider": { "servers": 10, "service": { "kind": "constant", "mean": 10 } },
        "faults": [{ "kind": "capacity", "atMs": 30_000, "forMs": for_ms, "factor": 1.0 - taken }],
    }))
}

fn recovered(result: &PolicyResult) -> f64 {
    result.mean_goodput(1000.0, 90_000.0, 120_000.0) / result.mean_goodput(1000.0, 10_000.0, 30_000.0)
}

fn survives(load: f64, taken: f64, for_ms: f64, seed: u64) -> bool {
    recovered(&run(&triggered(load, taken, for_ms), "retries", seed)) >= 0.95
}

#[test]
fn a_longer_or_larger_trigger_kills_and_less_load_survives() {
    for seed in SEEDS {
        let longest = |load: f64, taken: f64| {
            (1..=20)
                .map(f64::from)
                .take_while(|&seconds| survives(load, taken, seconds * 2000.0, seed))
                .count()
                * 2
        };
        let map = [1.0, 0.7].map(|share| [0.6, 0.8, 1.0].map(|taken| longest(share * LOAD, taken)));
        println!(
            "seed {seed}: seconds survived with 60, 80, 100 % taken, at 100 and 70 % of the load: {map:?}"
        );
        for row in map {
            assert!(row.is_sorted_by(|a, b| a >= b), "a larger trigger kills sooner: {row:?}");
        }
        for column in 0..3 {
            assert!(map.map(|row| row[column]).is_sorted(), "less load survives longer: {map:?}");
        }
        assert!(map[0][1] < 20 && map[0][1] >= 2, "{map:?}");
        assert!(map[1][1] > map[0][1], "{map:?}");
    }
}

#[test]
fn the_four_published_outcomes_come_out() {
    let mut outcomes = Vec::new();
    for load in [370.0, 376.0, 382.0] {
        for seed in SEEDS {
            let survives = |load, taken, seconds: f64| {
                let mut scenario = triggered(load, taken, seconds * 1000.0);
                scenario.provider.servers = 100;
                scenario.provider.service = Distribution::Constant { mean: 100.0 };
                scenario.policies[0].1.config.call.retry.max_retries = 2;
                recovered(&run(&scenario, "retries", seed)) >= 0.95
            };
            let outcome = [
                survives(load, 0.78, 10.0),
                survives(load, 0.8, 10.0),
                survives(load, 0.8, 9.0),
                survives(0.7 * load, 0.8, 10.0),
            ];
            outcomes.push((load, seed, outcome));
        }
    }
    assert!(outcomes.iter().all(|(_, _, outcome)| *outcome == [true, false, true, true]), "{outcomes:?}");
}

#[test]
fn beyond_the_frontier_all_seeds_die_and_before_it_all_live() {
    let dead = band(
        "goodput that came back after 30 s",
        &runs(&triggered(LOAD, 0.8, 30_000.0), "retries"),
        recovered,
    );
    assert!(dead.high < 0.2, "{dead:?}");
    let alive =
        band("goodput that came back after 2 s", &runs(&triggered(LOAD, 0.8, 2000.0), "retries"), recovered);
    assert!(alive.low > 0.9, "{alive:?}");
}

/// Near the frontier luck decides: the result names the seed, and the run of that seed is the same again.
#[test]
fn the_seed_in_which_a_policy_dies_can_be_replayed() {
    let scenario = triggered(LOAD, 0.8, 13_000.0);
    let results = (1..=30).map(|seed| run(&scenario, "retries", seed));
    let dead = results.min_by(|a, b| recovered(a).total_cmp(&recovered(b))).unwrap();
    assert!(recovered(&dead) < 0.95, "{}", recovered(&dead));
    assert_eq!(run(&scenario, "retries", dead.seed), dead);
}
