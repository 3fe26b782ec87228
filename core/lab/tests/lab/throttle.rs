//! A breaker that opens turns a 20 % error rate into an outage; one that throttles does not, and still spares a provider that is down.
//!
//! "Site Reliability Engineering" (2016), chapter 21, "Handling Overload": a client refuses with probability max(0,
//! (requests - K·accepts) / (requests + 1)). With K = 2 that is zero while half of the requests are accepted, and
//! nearly one when all are refused. The lesson about breakers that count errors comes from the experiments of Shopify's
//! Semian (<https://github.com/Shopify/semian>, `experiments`): at 20 % errors they reject four of five calls.
//!
//! Tolerance: three standard errors while nothing is refused; shares as stated.

use super::{SEEDS, run, scenario};
use halfopen_lab::PolicyResult;
use serde_json::json;

const FROM: usize = 30;
const TO: usize = 90;

/// Errors of this share for a minute, after half a minute without.
fn with_errors(policy: &str, rate: f64, seed: u64) -> PolicyResult {
    let window = json!({ "kind": "time", "durationMs": 20_000, "failureRate": 0.1, "minimumCalls": 12 });
    let policy_with = |breaker| json!({ "retry": false, "breaker": breaker });
    let scenario = scenario(json!({
        "version": 1, "durationMs": 300_000,
        "clients": { "count": 60, "processes": 1, "arrivals": { "kind": "open", "perSecond": 100 } },
        "policies": {
            "opens": policy_with(json!({ "window": window, "resetTimeoutMs": 15_000, "successThreshold": 2 })),
            "throttles": policy_with(json!({ "throttle": { "k": 2, "windowMs": 10_000 } })),
        },
        "provider": { "servers": 1000, "service": { "kind": "constant", "mean": 20 } },
        "faults": [{ "kind": "errors", "atMs": 30_000, "forMs": 60_000, "code": "SERVER_ERROR", "rate": rate }],
    }));
    run(&scenario, policy, seed)
}

fn share(part: &[u32], of: &[u32]) -> f64 {
    let sum = |series: &[u32]| f64::from(series[FROM..TO].iter().sum::<u32>());
    sum(part) / sum(of)
}

#[test]
fn at_a_fifth_of_errors_an_opening_breaker_refuses_most_calls_and_a_throttling_one_none() {
    for seed in SEEDS {
        let opens = with_errors("opens", 0.2, seed).series;
        assert!(share(&opens.rejected, &opens.offered) > 0.6);
        let throttles = with_errors("throttles", 0.2, seed).series;
        assert_eq!(throttles.rejected.iter().sum::<u32>(), 0);
        let error = (0.8 * 0.2 / f64::from(throttles.offered[FROM..TO].iter().sum::<u32>())).sqrt();
        assert!((share(&throttles.succeeded, &throttles.offered) - 0.8).abs() < 3.0 * error);
    }
}

#[test]
fn in_an_outage_both_spare_the_provider_and_both_come_back() {
    for (policy, seed) in
        ["opens", "throttles"].into_iter().flat_map(|policy| SEEDS.map(|seed| (policy, seed)))
    {
        let result = with_errors(policy, 1.0, seed);
        let refused = share(&result.series.rejected, &result.series.offered);
        assert!(refused > 0.8, "{policy}: {refused}");
        assert!(result.mean_goodput(1000.0, 270_000.0, 300_000.0) > 95.0, "{policy}");
    }
}
