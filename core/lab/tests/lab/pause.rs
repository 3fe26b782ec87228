//! A one-second pause of a provider at 70 % load.
//!
//! After happy-simulator's `examples/queuing/gc_caused_collapse.py` (<https://github.com/adamfilli/happy-simulator>): 7 calls
//! a second, evenly spaced, a server that takes 100 ms for each and keeps all that it was sent, a client that times out
//! after 500 ms and retries three times after 50 ms. The pause ends after one second; the retries never do.
//!
//! Nothing is drawn but jitter. Goodput at the end and amplification are expected as an independent program of 40 lines
//! gave them: goodput within 2 %, amplification within 3 %, the first pause that a policy does not survive within one step
//! of 0.1 s. That program's breaker counts attempts.

use super::{SEEDS, assert_near, run, scenario};
use halfopen_lab::Scenario;
use serde_json::{Value, json};

fn policies() -> Value {
    let fixed = json!({ "maxRetries": 3, "baseDelayMs": 50, "backoffFactor": 1, "enableJitter": false, "budget": false });
    let with = |key: &str, value: Value| {
        let mut retry = fixed.clone();
        retry[key] = value;
        retry
    };
    let timeout = json!({ "attemptMs": 500 });
    let policy =
        |retry: Value, breaker: Value| json!({ "retry": retry, "breaker": breaker, "timeout": timeout });
    json!({
        "none": policy(json!(false), json!(false)),
        "fixed": policy(fixed.clone(), json!(false)),
        "full jitter": policy(json!({ "baseDelayMs": 1000, "backoffFactor": 1, "jitter": "full", "budget": false }), json!(false)),
        "agent": policy(json!({ "budget": false }), json!(false)),
        "budget": policy(with("budget", json!({ "ratio": 0.1, "minPerSecond": 0 })), json!(false)),
        "breaker": {
            "retry": fixed, "timeout": timeout,
            "breaker": { "failureThreshold": 5, "resetTimeoutMs": 10_000 }, "breakerScope": "attempt",
        },
    })
}

fn paused(for_ms: f64, duration_ms: f64) -> Scenario {
    scenario(json!({
        "version": 1, "durationMs": duration_ms,
        "clients": { "count": 1, "arrivals": { "kind": "open", "perSecond": 7, "process": "constant" } },
        "policies": policies(),
        "provider": { "servers": 1, "service": { "kind": "constant", "mean": 100 } },
        "faults": [{ "kind": "pause", "atMs": 30_000, "forMs": for_ms }],
    }))
}

/// Goodput from 60 to 90 s after the pause is at least 95 % of the goodput before.
fn survives(policy: &str, for_ms: f64, seed: u64) -> bool {
    let result = run(&paused(for_ms, 120_000.0 + for_ms), policy, seed);
    let after = result.mean_goodput(1000.0, 90_000.0 + for_ms, 120_000.0 + for_ms);
    after >= 0.95 * result.mean_goodput(1000.0, 0.0, 30_000.0)
}

#[test]
fn retries_keep_a_provider_down_after_a_pause_of_a_second() {
    for seed in SEEDS {
        for (policy, goodput, amplification) in [
            ("none", 7.0, 1.0),
            ("fixed", 0.0, 3.48),
            ("full jitter", 0.0, 3.46),
            ("agent", 0.0, 3.42),
            ("budget", 7.0, 1.01),
            ("breaker", 7.0, 0.95),
        ] {
            let result = run(&paused(1000.0, 180_000.0), policy, seed);
            let end = result.mean_goodput(1000.0, 150_000.0, 180_000.0);
            assert!((end - goodput).abs() < 0.15, "{policy}: {end} at the end");
            assert_near(policy, result.totals.amplification, amplification, 0.03);
        }
    }
}

#[test]
fn the_first_pause_that_each_policy_does_not_survive() {
    for (policy, expected) in [("fixed", 600.0), ("full jitter", 600.0), ("agent", 800.0)] {
        let dies = |ms: &f64| SEEDS.iter().any(|&seed| !survives(policy, *ms, seed));
        let found = (1..200).map(|step| f64::from(step) * 100.0).find(dies).unwrap();
        assert!((found - expected).abs() <= 101.0, "{policy}: {found} ms");
    }
}

#[test]
fn a_budget_and_a_breaker_survive_twenty_seconds() {
    for (policy, seed) in
        ["none", "budget", "breaker"].into_iter().flat_map(|policy| SEEDS.map(|seed| (policy, seed)))
    {
        // The queue that built up meanwhile takes more than a minute to drain.
        let result = run(&paused(20_000.0, 240_000.0), policy, seed);
        let end = result.mean_goodput(1000.0, 210_000.0, 240_000.0);
        assert!((end - 7.0).abs() < 0.15, "{policy}: {end} at the end");
    }
}
