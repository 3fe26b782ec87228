//! The effect of retries on success and load when a share f of requests fails, within three standard errors.
//!
//! Marc Brooker, "Fixing retries with token buckets and circuit breakers" (2022),
//! <https://brooker.co.za/blog/2022/02/28/retries.html>: with n retries success is 1 - f^(n+1) and load
//! (1 - f^(n+1)) / (1 - f); with a token bucket the load stays near 1 however large f is.

use super::{SEEDS, run, scenario};
use halfopen_lab::{Scenario, Totals};
use serde_json::{Value, json};

const CALLS: f64 = 40_000.0;
const RETRIES: i32 = 3;

fn failing(rate: f64, budget: Option<Value>) -> Scenario {
    let mut retry = json!({ "maxRetries": RETRIES, "baseDelayMs": 100 });
    retry["budget"] = budget.unwrap_or(json!(false));
    scenario(json!({
        "version": 1, "durationMs": CALLS / 200.0 * 1000.0,
        "clients": { "count": 100, "processes": 1, "arrivals": { "kind": "open", "perSecond": 200 } },
        "policies": { "retries": { "retry": retry, "breaker": false } },
        "provider": {
            "servers": 1000, "service": { "kind": "constant", "mean": 1 },
            "errors": [{ "code": "SERVER_ERROR", "rate": rate }],
        },
    }))
}

#[track_caller]
fn within_three_errors(what: &str, value: f64, expected: f64, error: f64) {
    assert!((value - expected).abs() <= 3.0 * error, "{what}: {value} instead of {expected} ± {error}");
}

fn totals(rate: f64, budget: Option<Value>, seed: u64) -> Totals {
    run(&failing(rate, budget), "retries", seed).totals
}

#[test]
fn retries_alone() {
    for (f, seed) in [0.1_f64, 0.5].into_iter().flat_map(|f| SEEDS.map(|seed| (f, seed))) {
        let totals = totals(f, None, seed);
        let n = totals.offered as f64;
        let success = 1.0 - f.powi(RETRIES + 1);
        within_three_errors("success", totals.success_rate, success, (success * (1.0 - success) / n).sqrt());
        // The number of attempts is geometric, cut off: P(more than k) = f^k.
        let load = (1.0 - f.powi(RETRIES + 1)) / (1.0 - f);
        let square: f64 = (0..=RETRIES).map(|k| f64::from(2 * k + 1) * f.powi(k)).sum();
        within_three_errors("load", totals.amplification, load, ((square - load * load) / n).sqrt());
    }
}

#[test]
fn retries_with_a_token_bucket() {
    let budget = || Some(json!({ "ratio": 0.1, "minPerSecond": 0 }));
    for (f, seed) in [0.1, 0.5].into_iter().flat_map(|f| SEEDS.map(|seed| (f, seed))) {
        let totals = totals(f, budget(), seed);
        let n = totals.offered as f64;
        // Load is never above what the bucket earns, and an attempt succeeds as often as without one.
        assert!(totals.amplification <= 1.1, "{}", totals.amplification);
        let success = (1.0 - f) * totals.amplification;
        within_three_errors(
            "success",
            totals.success_rate,
            success,
            (f * (1.0 - f) * totals.amplification / n).sqrt(),
        );
        if f == 0.5 {
            // Every call in two asks for a retry: the bucket is used up, to the hundredth that leaves its window early.
            assert!(totals.amplification > 1.097, "{}", totals.amplification);
        }
    }
}
