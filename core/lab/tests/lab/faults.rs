//! The effect of each fault, with numbers that can be checked by hand.

use super::{assert_near, run, scenario};
use halfopen_lab::{PolicyResult, Scenario};
use serde_json::{Value, json};

/// Ten calls a second, evenly spaced, each served in 50 ms by one of a hundred servers; no retries.
fn with_fault(fault: Value) -> Scenario {
    scenario(json!({
        "version": 1, "durationMs": 30_000,
        "clients": { "count": 1, "arrivals": { "kind": "open", "perSecond": 10, "process": "constant" } },
        "policies": { "plain": { "retry": false, "breaker": false, "timeout": { "attemptMs": 5000 } } },
        "provider": { "servers": 100, "service": { "kind": "constant", "mean": 50 } },
        "faults": [fault],
    }))
}

fn run_with(fault: Value) -> PolicyResult {
    run(&with_fault(fault), "plain", 1)
}

#[test]
fn an_outage_fails_the_requests_that_begin_in_it_and_no_others() {
    let result = run_with(json!({ "kind": "outage", "atMs": 10_050, "forMs": 5000 }));
    assert_eq!((result.totals.failed, result.totals.offered), (50, 299));
    assert_eq!(result.totals.user_ms.max, 50.0);
}

#[test]
fn a_black_hole_never_answers() {
    let result = run_with(json!({ "kind": "blackhole", "atMs": 10_050, "forMs": 5000 }));
    assert_eq!((result.totals.failed, result.totals.user_ms.max), (50, 5000.0));
}

#[test]
fn a_call_without_a_timeout_is_never_cut_off() {
    let mut endless = with_fault(json!({ "kind": "blackhole", "atMs": 10_050, "forMs": 5000 }));
    endless.policies[0].1.attempt_ms = None;
    let result = run(&endless, "plain", 1);
    assert_eq!((result.totals.failed, result.totals.user_ms.max), (50, 50.0));
}

#[test]
fn after_a_pause_everybody_is_served() {
    let result = run_with(json!({ "kind": "pause", "atMs": 10_025, "forMs": 3000 }));
    assert_eq!(result.totals.failed, 0);
    // The call of 10.0 s is halfway through; that of 10.1 s waits for 2.925 s.
    assert_eq!(result.totals.user_ms.max, 3050.0);
}

#[test]
fn a_storm_of_429s_hits_its_share() {
    let result = run_with(
        json!({ "kind": "errors", "atMs": 0, "forMs": 30_000, "code": "RATE_LIMITED", "rate": 0.4 }),
    );
    assert_near("failed", result.totals.failed as f64, 0.4 * 299.0, 0.2);
}

#[test]
fn slow_service_is_slower_and_ramps_up() {
    let result =
        run_with(json!({ "kind": "slow", "atMs": 10_000, "forMs": 10_000, "factor": 5, "rampMs": 5000 }));
    let p95 = &result.series.user_p95_ms;
    assert_eq!((p95[5], p95[25], result.totals.user_ms.max), (50.0, 50.0, 250.0));
    assert!(p95[10..15].is_sorted(), "{:?}", &p95[10..15]);
}

#[test]
fn capacity_goes_and_comes_back() {
    let mut scenario = with_fault(json!({ "kind": "capacity", "atMs": 10_000, "forMs": 1500, "factor": 0 }));
    scenario.provider.servers = 1;
    let result = run(&scenario, "plain", 1);
    assert_eq!((result.totals.succeeded, result.series.queued[10]), (299, 10));
    assert_eq!(result.series.queued[15], 0);
}

#[test]
fn load_multiplies_arrivals_while_it_lasts() {
    let result = run_with(json!({ "kind": "load", "atMs": 10_000, "forMs": 10_000, "factor": 3 }));
    let offered = &result.series.offered;
    assert_eq!((offered[5], offered[15], offered[25]), (10, 30, 10));
}

#[test]
fn work_for_those_who_have_left_is_wasted_unless_the_provider_abandons_it() {
    let mut scenario = with_fault(json!({ "kind": "slow", "atMs": 0, "forMs": 60_000, "factor": 200 }));
    let totals = run(&scenario, "plain", 1).totals;
    assert_eq!((totals.failed, totals.succeeded), (299, 0));
    scenario.provider.abandons = true;
    let abandoning = run(&scenario, "plain", 1).totals;
    assert_eq!(abandoning.wasted_service_ms, 299.0 * 5000.0);
}
