//! Retries at each layer multiply: the innermost of k layers with r retries each is called (r + 1)^k times.
//!
//! "Site Reliability Engineering" (2016), chapter 22, "Addressing Cascading Failures": three layers with three retries each
//! make 64 attempts of one action. Exact: nothing is drawn.

use super::{run, scenario};
use halfopen_lab::Scenario;
use serde_json::json;

fn chain(layers: u32, retries: u32, retry_nested: bool) -> Scenario {
    let layer = json!({
        "retry": { "maxRetries": retries, "baseDelayMs": 10, "retryNested": retry_nested, "budget": false }, "breaker": false
    });
    let around: Vec<_> = (1..layers).map(|_| layer.clone()).collect();
    scenario(json!({
        "version": 1, "durationMs": 1000,
        "clients": { "count": 3, "arrivals": { "kind": "once" }, "nested": around },
        "policies": { "innermost": layer },
        "provider": { "servers": 1, "service": { "kind": "constant", "mean": 1 } },
        "faults": [{ "kind": "outage", "atMs": 0, "forMs": 86_400_000 }],
    }))
}

#[test]
fn without_protection_layers_multiply() {
    for (layers, retries) in [(1, 3), (2, 3), (3, 3), (5, 2)] {
        let totals = run(&chain(layers, retries, true), "innermost", 1).totals;
        assert_eq!(totals.attempts, 3 * u64::from(retries + 1).pow(layers));
        assert_eq!(totals.failed, 3);
    }
}

#[test]
fn with_protection_only_the_innermost_layer_retries() {
    for layers in 1..=5 {
        let totals = run(&chain(layers, 3, false), "innermost", 1).totals;
        assert_eq!((totals.attempts, totals.failed), (3 * 4, 3));
    }
}
