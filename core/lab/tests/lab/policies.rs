//! The parts of a policy do in the simulator what they do in the package: each once, with numbers that follow by hand.

use super::{run, scenario};
use halfopen::policy::{BreakerConfig, Throttle, Trip};
use halfopen::time::Millis;
use halfopen_lab::{LabPolicy, PolicyResult, Scenario};
use serde_json::{Value, json};

fn once(clients: u32, policy: Value, provider: Value) -> Scenario {
    scenario(json!({
        "version": 1, "durationMs": 1000,
        "clients": { "count": clients, "processes": 1, "arrivals": { "kind": "once" } },
        "policies": { "it": policy },
        "provider": provider,
    }))
}

fn of(scenario: &Scenario) -> PolicyResult {
    run(scenario, "it", 1)
}

fn plain(servers: u32) -> Value {
    json!({ "servers": servers, "service": { "kind": "constant", "mean": 100 } })
}

#[test]
fn a_bulkhead_runs_some_calls_queues_some_and_refuses_the_rest() {
    let policy = json!({ "bulkhead": { "maxConcurrent": 2, "maxQueued": 3 } });
    let totals = of(&once(10, policy, plain(100))).totals;
    assert_eq!((totals.succeeded, totals.rejected, totals.user_ms.max), (5, 5, 300.0));
}

#[test]
fn a_rate_limit_spreads_calls_over_its_windows() {
    let policy = json!({ "rateLimit": { "limit": 2, "windowMs": 1000, "maxWaitMs": 1500 } });
    let totals = of(&once(6, policy, plain(100))).totals;
    assert_eq!((totals.succeeded, totals.rejected), (4, 2));
    assert!((1100.0..=1102.0).contains(&totals.user_ms.max), "{}", totals.user_ms.max);
}

#[test]
fn of_several_limits_the_tightest_holds_and_tokens_are_those_of_an_attempt() {
    let requests = json!({ "limit": 5, "windowMs": 1000 });
    let tokens = json!({ "limit": 700, "windowMs": 1000, "unit": "tokens" });
    let run = |policy: Value| {
        let mut text = json!({
            "version": 1, "durationMs": 1000,
            "clients": { "count": 6, "processes": 1, "arrivals": { "kind": "once" } },
            "policies": { "it": policy }, "provider": plain(100),
        });
        text["cost"] = json!({ "tokensPerAttempt": 200 });
        let totals = of(&scenario(text)).totals;
        (totals.succeeded, totals.rejected)
    };
    assert_eq!(run(json!({ "rateLimit": [requests] })), (5, 1));
    assert_eq!(run(json!({ "rateLimit": [requests, tokens] })), (3, 3));
}

#[test]
fn the_total_deadline_ends_waits_in_a_queue_and_attempts() {
    let policy = json!({ "bulkhead": { "maxConcurrent": 1, "maxQueued": 9 }, "timeout": { "totalMs": 250 }, "retry": false });
    let totals = of(&once(4, policy, plain(100))).totals;
    assert_eq!((totals.succeeded, totals.failed, totals.user_ms.max), (2, 2, 250.0));
}

#[test]
fn a_breaker_opens_for_its_process_and_refuses() {
    let mut scenario = once(1, json!({ "retry": false, "breaker": { "resetTimeoutMs": 60_000 } }), plain(1));
    scenario.faults = super::scenario(json!({
        "version": 1, "durationMs": 1,
        "clients": { "count": 1, "arrivals": { "kind": "once" } }, "policies": { "it": {} }, "provider": plain(1),
        "faults": [{ "kind": "outage", "atMs": 0, "forMs": 10_000 }],
    }))
    .faults;
    scenario.duration_ms = 30_000.0;
    scenario.clients.arrivals = halfopen_lab::Arrivals::Open { per_second: 1.0, constant: true };
    let result = of(&scenario);
    assert_eq!((result.totals.failed, result.totals.rejected), (5, 24));
    let states: Vec<u32> = result.series.breaker.iter().map(|counts| counts.open).collect();
    assert_eq!((states[3], states[6], states[20]), (0, 1, 1));
    // A shared breaker is one, whatever the number of processes.
    (scenario.clients.count, scenario.clients.processes, scenario.clients.shared) = (7, 7, true);
    assert_eq!(of(&scenario).totals.rejected, 24);
    // With state of their own, each process would have to fail five times.
    scenario.clients.shared = false;
    assert_eq!(of(&scenario).totals.rejected, 0);
}

/// The policy that these options make.
fn made(options: Value) -> LabPolicy {
    once(1, options, plain(1)).policies.remove(0).1
}

#[test]
fn an_option_that_is_given_replaces_only_itself() {
    let default = made(json!({}));
    let usual = LabPolicy::default();
    assert_eq!((default.breaker, default.budget), (usual.breaker, usual.budget));
    assert_eq!(made(json!({ "retry": {}, "breaker": { "name": "db" } })), default);
    assert_eq!(made(json!({ "retry": { "budget": "default" } })), default);
    let one = made(json!({ "retry": { "maxRetries": 2 }, "breaker": { "resetTimeoutMs": 500 } }));
    assert_eq!((one.config.call.retry.max_retries, one.budget), (2, default.budget));
    let default_breaker = default.breaker.unwrap();
    let short =
        BreakerConfig { reset_timeout: Millis(500), max_reset_timeout: Millis(5000), ..default_breaker };
    assert_eq!(one.breaker.unwrap(), short);
    let throttles = made(json!({ "breaker": { "throttle": {} } })).breaker.unwrap();
    assert_eq!(throttles, BreakerConfig { trip: Trip::Throttle(Throttle::default()), ..default_breaker });
    assert_eq!(made(json!({ "retry": { "budget": false } })).budget, None);
    assert_eq!(made(json!({ "retry": false })).budget, None);
}

#[test]
fn a_fallback_answers_failed_calls() {
    let mut provider = plain(1);
    provider["errors"] = json!([{ "code": "AUTHENTICATION_ERROR", "rate": 1 }]);
    let totals = of(&once(3, json!({ "fallback": true }), provider)).totals;
    assert_eq!((totals.fallbacks, totals.succeeded, totals.attempts), (3, 0, 3));
}

#[test]
fn retry_after_is_kept() {
    let mut provider = plain(100);
    provider["rateLimit"] = json!({ "limit": 1, "windowMs": 5000, "retryAfter": "exact" });
    let totals = of(&once(2, json!({}), provider)).totals;
    assert_eq!((totals.succeeded, totals.attempts, totals.user_ms.max), (2, 3, 5100.0));
}

#[test]
fn a_provider_limit_on_tokens_refuses_large_requests_and_states_the_wait() {
    let run = |tokens: f64| {
        let mut provider = plain(100);
        provider["tokenLimit"] = json!({ "limit": 1000, "windowMs": 5000, "retryAfter": "seconds" });
        let mut scenario = json!({
            "version": 1, "durationMs": 1000,
            "clients": { "count": 3, "processes": 1, "arrivals": { "kind": "once" } },
            "policies": { "it": { "breaker": false } },
            "provider": provider,
        });
        scenario["cost"] = json!({ "tokensPerAttempt": tokens });
        let totals = of(&super::scenario(scenario)).totals;
        (totals.succeeded, totals.attempts, totals.user_ms.max, totals.tokens)
    };
    assert_eq!(run(333.0), (3, 3, 100.0, 999.0));
    // One of three comes back after 5 s, when there is room again.
    assert_eq!(run(400.0), (3, 4, 5100.0, 1200.0));
    // Two come back, of which one has to come back once more.
    assert_eq!(run(1000.0), (3, 6, 10100.0, 3000.0));
}

#[test]
fn a_hedge_overtakes_a_slow_attempt() {
    let policy = json!({ "hedge": { "afterMs": 50 }, "retry": false });
    let service = json!({ "kind": "empirical", "values": [10, 10, 10, 10, 10, 10, 10, 10, 10, 1000] });
    let provider = |abandons| json!({ "servers": 1000, "service": service, "abandons": abandons });
    let plain = of(&once(400, json!({ "retry": false }), provider(true))).totals;
    let hedged = of(&once(400, policy, provider(true))).totals;
    assert!(plain.success_rate == 1.0 && hedged.success_rate == 1.0);
    assert_eq!(plain.user_ms.p95, 1000.0);
    super::assert_near("p95", hedged.user_ms.p95, 60.0, 0.004);
    // Every slow one has a hedge, which ends it.
    assert!((20..80).contains(&(hedged.attempts - 400)), "{}", hedged.attempts);
    assert!(hedged.wasted_service_ms > 0.0 && hedged.wasted_service_ms < 80.0 * 1000.0);
}

#[test]
fn a_user_who_leaves_is_abandoned_and_the_call_goes_on() {
    let mut scenario = once(3, json!({}), plain(1));
    scenario.clients.patience_ms = Some(150.0);
    let result = of(&scenario);
    assert_eq!((result.totals.succeeded, result.totals.abandoned, result.totals.attempts), (1, 2, 3));
    assert_eq!((result.totals.user_ms.max, result.queueing.served), (150.0, 3));
}

#[test]
fn a_closed_client_calls_again_when_it_has_thought() {
    let mut scenario = once(1, json!({}), plain(1));
    let think = halfopen_lab::Distribution::Constant { mean: 400.0 };
    scenario.clients.arrivals = halfopen_lab::Arrivals::Closed { think };
    scenario.duration_ms = 5000.0;
    // At 400, 900, … 4900 ms.
    assert_eq!(of(&scenario).totals.succeeded, 10);
}

#[test]
fn tokens_money_and_expectations() {
    let scenario = super::scenario(json!({
        "version": 1, "durationMs": 1000,
        "clients": { "count": 4, "arrivals": { "kind": "once" } }, "policies": { "it": { "retry": false } },
        "provider": { "servers": 2, "service": { "kind": "constant", "mean": 100 }, "queue": 1 },
        "cost": { "perAttempt": 1, "perToken": 0.5, "tokensPerAttempt": 10 },
        "expect": { "minSuccessRate": 0.75, "maxCost": 18, "maxUserP95Ms": 200, "minRecoveredGoodput": 1 },
    }));
    let result = of(&scenario);
    assert_eq!((result.totals.tokens, result.totals.cost), (30.0, 19.0));
    let held: Vec<_> =
        result.expectations.iter().map(|expectation| (expectation.name, expectation.holds)).collect();
    let expected =
        [("minSuccessRate", true), ("maxUserP95Ms", true), ("maxCost", false), ("minRecoveredGoodput", true)];
    assert_eq!(held, expected);
}
