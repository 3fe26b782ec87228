//! The adaptive limit in the simulator: where it must help, where it must not harm.
//!
//! The metastable case is that of Bronson et al., "Metastable Failures in Distributed Systems" (HotOS 2021): a provider
//! that serves requests whose callers have left stays overloaded after the cause is gone.

use super::{SEEDS, run, scenario};
use serde_json::{Value, json};

/// 32 calls a second on a provider that serves some 44: how many of them are answered, and the load, without a limit and with it.
fn shares(processes: u32, faults: Value, retry: Value, seed: u64) -> [(f64, f64); 2] {
    let timeout = json!({ "attemptMs": 10_000, "totalMs": 30_000 });
    let policy =
        |adaptive| json!({ "retry": retry, "breaker": false, "timeout": timeout, "adaptive": adaptive });
    let scenario = scenario(json!({
        "version": 1, "durationMs": 300_000, "intervalMs": 10_000,
        "clients": {
            "count": 200, "processes": processes, "patienceMs": 30_000,
            "arrivals": { "kind": "open", "perSecond": 32 },
        },
        "policies": { "without": policy(false), "with": policy(true) },
        "provider": { "servers": 100, "service": { "kind": "lognormal", "median": 2000, "sigma": 0.5 } },
        "faults": faults,
    }));
    ["without", "with"].map(|policy| {
        let totals = run(&scenario, policy, seed).totals;
        (totals.success_rate, totals.amplification)
    })
}

#[test]
fn a_brown_out_does_not_outlive_its_cause() {
    let slow = json!([{ "kind": "slow", "atMs": 60_000, "forMs": 18_000, "factor": 6 }]);
    for seed in SEEDS {
        for processes in [1, 20, 200] {
            let [(without, _), (with, load)] =
                shares(processes, slow.clone(), json!({ "budget": false }), seed);
            assert!(without < 0.3 && with > 0.88 && load < 1.1, "{processes}: {without}, {with} at {load}");
        }
    }
}

#[test]
fn half_of_the_capacity_answers_more_with_it() {
    let half = json!([{ "kind": "capacity", "atMs": 60_000, "forMs": 90_000, "factor": 0.5 }]);
    for seed in SEEDS {
        for (processes, gain) in [(1, 0.1), (20, 0.05), (200, 0.01)] {
            let [(without, _), (with, load)] = shares(processes, half.clone(), json!(false), seed);
            assert!(with > without + gain && load < 1.0, "{processes}: {without}, {with} at {load}");
        }
    }
}

#[test]
fn a_few_timeouts_with_capacity_to_spare_cost_nothing() {
    let few = json!([{ "kind": "errors", "code": "TIMEOUT", "rate": 0.05, "atMs": 60_000, "forMs": 90_000 }]);
    for seed in SEEDS {
        for processes in [1, 20, 200] {
            for retry in [json!(false), json!({})] {
                let [(without, _), (with, _)] = shares(processes, few.clone(), retry, seed);
                assert!((with - without).abs() < 0.005, "{processes}: {without}, {with}");
            }
        }
    }
}
