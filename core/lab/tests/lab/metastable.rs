//! Metastable failure: what began it is over, and the system stays down, because the work that it does is in vain.
//!
//! Bronson et al., "Metastable Failures in Distributed Systems" (HotOS 2021),
//! <https://doi.org/10.1145/3458336.3465286>, and Huang et al., "Metastable Failures in the Wild" (OSDI 2022): a
//! trigger (here ten seconds at a tenth of the capacity) fills an unbounded queue. Requests time out there but are
//! served all the same, and their retries keep the load above the provider's capacity. Jitter spreads the retries but
//! does not reduce their number. Fewer retries cure it, or a bounded queue.
//!
//! Tolerance: goodput of the last 30 s is below 10 % of that before, or above 95 %.

use super::bands::{band, runs};
use super::{SEEDS, run, scenario};
use halfopen_lab::{PolicyResult, Scenario};
use serde_json::{Value, json};

fn triggered(queue: Value) -> Scenario {
    let retry =
        |jitter: Value| json!({ "maxRetries": 4, "baseDelayMs": 200, "jitter": jitter, "budget": false });
    let mut with_budget = retry(json!(0.2));
    with_budget["budget"] = json!({ "ratio": 0.1, "minPerSecond": 0 });
    let timeout = json!({ "attemptMs": 1000 });
    let policy =
        |retry: Value, breaker: Value| json!({ "retry": retry, "breaker": breaker, "timeout": timeout });
    let window = json!({ "kind": "time", "durationMs": 10_000, "failureRate": 0.5 });
    scenario(json!({
        "version": 1, "durationMs": 180_000,
        "clients": { "count": 200, "processes": 4, "arrivals": { "kind": "open", "perSecond": 75 } },
        "policies": {
            "retries": policy(retry(json!(0)), json!(false)),
            "jitter": policy(retry(json!("full")), json!(false)),
            "budget": policy(with_budget, json!(false)),
            "breaker": policy(retry(json!(0.2)), json!({ "window": window, "resetTimeoutMs": 10_000 })),
        },
        "provider": { "servers": 10, "service": { "kind": "exponential", "mean": 100 }, "queue": queue },
        "faults": [{ "kind": "capacity", "atMs": 40_000, "forMs": 10_000, "factor": 0.1 }],
    }))
}

/// Goodput of the last 30 s, as a share of that of the 30 s before the trigger.
fn recovered(policy: &str, queue: Value, seed: u64) -> f64 {
    let result = run(&triggered(queue), policy, seed);
    result.mean_goodput(1000.0, 150_000.0, 180_000.0) / result.mean_goodput(1000.0, 10_000.0, 40_000.0)
}

#[test]
fn retries_into_an_unbounded_queue_stay_down_with_and_without_jitter() {
    for (policy, seed) in
        ["retries", "jitter"].into_iter().flat_map(|policy| SEEDS.map(|seed| (policy, seed)))
    {
        let share = recovered(policy, json!("unbounded"), seed);
        assert!(share < 0.1, "{policy}: {share}");
    }
}

#[test]
fn a_budget_a_breaker_or_a_bounded_queue_cures_it() {
    for seed in SEEDS {
        for (policy, queue) in
            [("budget", json!("unbounded")), ("breaker", json!("unbounded")), ("retries", json!(50))]
        {
            let share = recovered(policy, queue, seed);
            assert!(share > 0.95, "{policy}: {share}");
        }
    }
}

/// The same with clients that think for half a minute and call again: 75 calls a second for each 2250 of them, of which the
/// provider can serve 100.
fn crowd(clients: u32) -> Scenario {
    let mut scenario = triggered(json!("unbounded"));
    let servers = f64::from(clients) * 10.0 / 2250.0;
    (scenario.clients.count, scenario.clients.processes) = (clients, 4);
    scenario.clients.arrivals =
        halfopen_lab::Arrivals::Closed { think: halfopen_lab::Distribution::Exponential { mean: 30_000.0 } };
    scenario.provider.servers = servers as u32;
    scenario
}

fn share(result: &PolicyResult) -> f64 {
    result.mean_goodput(1000.0, 150_000.0, 180_000.0) / result.mean_goodput(1000.0, 10_000.0, 40_000.0)
}

#[test]
fn a_crowd_stays_down_on_all_seeds_and_a_budget_or_a_breaker_brings_it_back() {
    let what = "goodput that came back, of 2250 clients";
    for policy in ["retries", "jitter"] {
        let band = band(what, &runs(&crowd(2250), policy), share);
        assert!(band.high < 0.2, "{policy}: {band:?}");
    }
    for policy in ["budget", "breaker"] {
        let band = band(what, &runs(&crowd(2250), policy), share);
        assert!(band.low > 0.9, "{policy}: {band:?}");
    }
}

#[test]
fn a_larger_crowd_does_the_same() {
    let down = share(&run(&crowd(22_500), "jitter", 1));
    let back = share(&run(&crowd(22_500), "budget", 1));
    assert!(down < 0.1 && back > 0.95, "{down} and {back}");
}
