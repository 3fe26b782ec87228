//! The default retries of AWS's SDKs before and after 10 November 2026, side by side.
//!
//! <https://aws.amazon.com/blogs/developer/updated-default-retry-behavior-for-aws-sdks-and-tools>: three attempts and a bucket of 500
//! tokens in both. Before, a retry took 5 tokens (10 after a timeout), which come back when it succeeds, and backoff began at
//! 100 ms (full jitter, at most 20 s). After, a retry of a transient error takes 14 and one of a throttled request 5, and backoff begins at 50 ms
//! for transient errors and at 1000 ms for throttling.
//!
//! A policy of the lab cannot express tokens by the kind of error (a budget counts retries), a base delay by the kind
//! of error, or a bucket that only successes refill. So the bucket is a reserve over 10 s: 500 tokens are 100 retries
//! at 5 tokens, 35 at 14; and a success refills only a hundredth. There are no published figures. The tests hold the
//! announcement's claims: fewer retries in an outage, the same number for few errors.

use super::bands::{band, runs};
use super::{SEEDS, run, scenario};
use halfopen_lab::{PolicyResult, Scenario, Totals};
use serde_json::{Value, json};

/// The bucket of 500 tokens, at `cost` tokens a retry.
fn bucket(cost: f64) -> Value {
    json!({ "ratio": 0.01, "minPerSecond": (500.0 / cost).floor() / 10.0 })
}

fn defaults(rate: f64) -> Scenario {
    let policy = |base_ms: u64, cost: f64| {
        json!({
            "retry": { "maxRetries": 2, "baseDelayMs": base_ms, "maxDelayMs": 20_000, "jitter": "full", "budget": bucket(cost) },
            "breaker": false,
        })
    };
    scenario(json!({
        "version": 1, "durationMs": 120_000,
        "clients": { "count": 100, "processes": 1, "arrivals": { "kind": "open", "perSecond": 100 } },
        "policies": { "before": policy(100, 5.0), "after": policy(50, 14.0) },
        "provider": { "servers": 1000, "service": { "kind": "constant", "mean": 20 } },
        "faults": [{ "kind": "errors", "atMs": 0, "forMs": 120_000, "code": "SERVER_ERROR", "rate": rate }],
    }))
}

fn totals(rate: f64, policy: &str, seed: u64) -> Totals {
    run(&defaults(rate), policy, seed).totals
}

#[test]
fn an_outage_gets_about_a_third_of_the_retries() {
    for seed in SEEDS {
        let retries = |policy: &str| totals(1.0, policy, seed).amplification - 1.0;
        // 35 in 10 s and a hundredth of the calls, instead of 100: (3.5 + 1) / (10 + 1).
        let share = retries("after") / retries("before");
        assert!((share - 4.5 / 11.0).abs() < 0.06, "{share}");
    }
}

#[test]
fn few_errors_are_retried_as_before() {
    for seed in SEEDS {
        // Both are within three standard errors of 1 - f^3.
        let f = 0.02_f64;
        for policy in ["before", "after"] {
            let totals = totals(f, policy, seed);
            let expected = 1.0 - f.powi(3);
            let error = (expected * (1.0 - expected) / totals.offered as f64).sqrt();
            assert!(
                (totals.success_rate - expected).abs() <= 3.0 * error + 1e-4,
                "{policy}: {}",
                totals.success_rate
            );
        }
    }
}

#[test]
fn with_many_errors_fewer_succeed_and_the_provider_has_less_to_do() {
    for rate in [0.1, 0.3, 0.5] {
        let scenario = defaults(rate);
        let (before, after) = (runs(&scenario, "before"), runs(&scenario, "after"));
        let load = |runs: &[PolicyResult]| {
            band(&format!("load at {rate} errors"), runs, |result| result.totals.amplification)
        };
        let success = |runs: &[PolicyResult]| {
            band(&format!("success at {rate} errors"), runs, |result| result.totals.success_rate)
        };
        assert!(load(&after).high < load(&before).low);
        assert!(success(&after).high < success(&before).low);
    }
}
