//! Processes that share breaker, budget and limits, and see each other's state late.
//!
//! Each has a state of its own: what it does to it it sees at once, the others after the staleness. So 0 is one state for
//! all, and infinity is one for each.

use super::{SEEDS, assert_near, run, scenario};
use halfopen_lab::{PolicyResult, Scenario};
use serde_json::{Value, json};

/// One call a second, of seven processes by turns, into an outage of ten seconds.
fn by_turns(shared: Option<Value>) -> Scenario {
    let mut value = json!({
        "version": 1, "durationMs": 30_000,
        "clients": { "count": 7, "arrivals": { "kind": "open", "perSecond": 1, "process": "constant" } },
        "policies": { "it": { "retry": false, "breaker": { "resetTimeoutMs": 60_000 } } },
        "provider": { "servers": 9, "service": { "kind": "constant", "mean": 10 } },
        "faults": [{ "kind": "outage", "atMs": 0, "forMs": 10_500 }],
    });
    if let Some(staleness) = shared {
        value["clients"]["shared"] = json!({ "stalenessMs": staleness });
    }
    scenario(value)
}

#[test]
fn a_breaker_opens_as_late_as_its_process_learns_of_failures() {
    let failed = |staleness_ms: f64| run(&by_turns(Some(json!(staleness_ms))), "it", 1).totals.failed;
    // The fifth failure, that of 5 s, opens it: the call of 6 s is refused, or that of 7 s, whose process has learned of five.
    assert_eq!((failed(0.0), failed(500.0)), (5, 5));
    assert_eq!((failed(1500.0), failed(2500.0)), (6, 7));
}

/// Everything that may be shared, into a storm of errors.
fn storm(staleness: Option<Value>) -> Scenario {
    let policy = json!({
        "retry": { "baseDelayMs": 50, "budget": { "ratio": 0.1, "minPerSecond": 1 } }, "breakerScope": "attempt",
        "breaker": { "window": { "kind": "time", "durationMs": 5000, "failureRate": 0.5, "minimumCalls": 40 }, "resetTimeoutMs": 2000 },
        "rateLimit": { "limit": 300, "windowMs": 1000, "maxWaitMs": 500 },
    });
    let mut value = json!({
        "version": 1, "durationMs": 60_000,
        "clients": { "count": 100, "processes": 10, "arrivals": { "kind": "open", "perSecond": 200 } },
        "policies": { "it": policy },
        "provider": { "servers": 100, "service": { "kind": "exponential", "mean": 50 } },
        "faults": [{ "kind": "errors", "atMs": 10_000, "forMs": 20_000, "code": "SERVER_ERROR", "rate": 0.9 }],
    });
    if let Some(staleness) = staleness {
        value["clients"]["shared"] = json!({ "stalenessMs": staleness });
    }
    scenario(value)
}

fn of(staleness: Option<Value>, seed: u64) -> PolicyResult {
    run(&storm(staleness), "it", seed)
}

#[test]
fn news_that_never_arrives_is_not_shared() {
    for seed in SEEDS {
        let own = of(None, seed);
        assert_eq!(of(Some(json!("Infinity")), seed), own);
        assert_eq!(of(Some(json!(10_000_000)), seed), own);
    }
}

#[test]
fn news_without_delay_is_one_state() {
    let mut one_process = storm(None);
    one_process.clients.processes = 1;
    for seed in SEEDS {
        assert_eq!(of(Some(json!(0)), seed), run(&one_process, "it", seed));
    }
}

/// Tolerance: a tenth of the attempts, for each process probes by itself.
#[test]
fn a_little_late_is_nearly_at_once() {
    for seed in SEEDS {
        let (at_once, late) = (of(Some(json!(0)), seed).totals, of(Some(json!(1)), seed).totals);
        assert_near("attempts", late.attempts as f64, at_once.attempts as f64, 0.1);
        assert_near("succeeded", late.succeeded as f64, at_once.succeeded as f64, 0.1);
    }
}

#[test]
fn a_bulkhead_cannot_be_shared_late() {
    let mut value = json!({
        "version": 1, "durationMs": 1000,
        "clients": { "count": 2, "arrivals": { "kind": "once" }, "shared": { "stalenessMs": 5 } },
        "policies": { "it": { "bulkhead": { "maxConcurrent": 1 } } },
        "provider": { "servers": 1, "service": { "kind": "constant", "mean": 1 } },
    });
    let misfit = Scenario::from_json(&value.to_string()).unwrap_err().to_string();
    assert_eq!(
        misfit,
        "clients.shared.stalenessMs: expected 0 or Infinity, for a policy has a bulkhead or an adaptive limit, got 5"
    );
    value["clients"]["shared"]["stalenessMs"] = json!(0);
    assert!(Scenario::from_json(&value.to_string()).is_ok());
}
