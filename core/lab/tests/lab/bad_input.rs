//! A scenario that does not fit is refused before anything runs. The error has the path, the expected form and the
//! actual value.

use halfopen_lab::Scenario;
use serde_json::{Value, json};

fn fitting() -> Value {
    json!({
        "version": 1, "durationMs": 60_000,
        "clients": { "count": 10, "arrivals": { "kind": "open", "perSecond": 5 } },
        "policies": { "default": {} },
        "provider": { "servers": 1, "service": { "kind": "exponential", "mean": 100 } },
    })
}

/// The error after one value of a valid scenario is replaced or added.
fn said(path: &str, value: Value) -> String {
    said_of([(path, value)])
}

/// As [`said`], of several values.
fn said_of<const N: usize>(values: [(&str, Value); N]) -> String {
    let mut scenario = fitting();
    for (path, value) in values {
        let (parent, key) = path.rsplit_once('/').unwrap();
        scenario.pointer_mut(parent).unwrap()[key] = value;
    }
    Scenario::from_json(&scenario.to_string()).unwrap_err().to_string()
}

#[test]
fn every_misfit_names_its_path() {
    let cases = [
        ("/version", json!(2), "version: expected 1, got 2"),
        ("/durationMs", json!("NaN"), "durationMs: expected a number of milliseconds above 0, got 'NaN'"),
        (
            "/provider/service/mean",
            json!(-3),
            "provider.service.mean: expected a number of milliseconds above 0, got -3",
        ),
        (
            "/provider/serviceMs",
            json!(1),
            "provider.serviceMs: expected one of the keys servers, service, queue, abandons, rateLimit, tokenLimit, errors, got the \
             unknown key 'serviceMs'",
        ),
        ("/clients/count", json!(2.5), "clients.count: expected a whole number from 1 to 100000000, got 2.5"),
        (
            "/clients/shared",
            json!({ "stalenessMs": -5 }),
            "clients.shared.stalenessMs: expected a number of milliseconds from 0, got -5",
        ),
        (
            "/clients/arrivals",
            json!({ "kind": "often" }),
            "clients.arrivals.kind: expected 'once' or 'closed' or 'open', got 'often'",
        ),
        (
            "/clients/arrivals",
            json!({ "kind": "closed" }),
            "clients.arrivals.think: expected an object, got nothing",
        ),
        (
            "/clients/nested",
            json!([{}, { "retries": 3 }]),
            "clients.nested[1].retries: expected one of the keys retry, breaker, breakerScope, timeout, bulkhead, \
                adaptive, rateLimit, fallback, hedge, got the unknown key 'retries'",
        ),
        ("/policies", json!({}), "policies: expected an object with 1 to 100 policies, got an object"),
        (
            "/policies/default/retry",
            json!({ "maxRetries": -1 }),
            "policies.default.retry.maxRetries: expected a whole number from 0 to 100000000, got -1",
        ),
        (
            "/policies/default/retry",
            json!({ "retryOn": ["timeout", "unknown"] }),
            "policies.default.retry.retryOn[1]: expected an error code, or 'timeout', 'tool_failed', 'llm_failed' or 'network', got 'unknown'",
        ),
        (
            "/policies/default/retry",
            json!({ "jitter": 2 }),
            "policies.default.retry.jitter: expected a number from 0 to 1, 'full', 'equal' or 'decorrelated', got 2",
        ),
        (
            "/provider/queue",
            json!("endless"),
            "provider.queue: expected a whole number from 0, or 'unbounded', got 'endless'",
        ),
        (
            "/provider/errors",
            json!([{ "code": "NO", "rate": 0.1 }]),
            "provider.errors[0].code: expected an error code, got 'NO'",
        ),
        (
            "/faults",
            json!([{ "kind": "outage", "atMs": 0, "forMs": 5, "factor": 2 }]),
            "faults[0].factor: expected one of the keys kind, atMs, forMs, got the unknown key 'factor'",
        ),
        (
            "/expect",
            json!({ "minSuccessRate": 95 }),
            "expect.minSuccessRate: expected a number from 0 to 1, got 95",
        ),
    ];
    for (path, value, expected) in cases {
        assert_eq!(said(path, value), expected);
    }
    let tokens = |limit: Value, cost: Value| said_of([("/provider/tokenLimit", limit), ("/cost", cost)]);
    let minute = json!({ "limit": 500, "windowMs": 60_000 });
    let expected =
        "cost.tokensPerAttempt: expected a number above 0, and at most provider.tokenLimit.limit (500), got ";
    assert_eq!(said("/provider/tokenLimit", minute.clone()), format!("{expected}0"));
    assert_eq!(tokens(minute, json!({ "tokensPerAttempt": 800 })), format!("{expected}800"));
    assert_eq!(
        tokens(json!({ "limit": 500 }), json!({ "tokensPerAttempt": 1 })),
        "provider.tokenLimit.windowMs: expected a number of milliseconds above 0, got nothing"
    );
    assert!(Scenario::from_json("{").unwrap_err().to_string().starts_with("scenario: expected JSON, got "));
    assert!(Scenario::from_json(&fitting().to_string()).is_ok());
}

#[test]
fn a_run_that_would_take_too_long_names_the_value_and_the_duration() {
    let open = |per_second: f64| json!({ "kind": "open", "perSecond": per_second });
    let closed = |ms: f64| json!({ "kind": "closed", "think": { "kind": "constant", "mean": ms } });
    let load = |factor: f64| json!({ "kind": "load", "atMs": 0, "forMs": 1, "factor": factor });
    assert_eq!(
        said("/clients/arrivals", open(1e9)),
        "clients.arrivals.perSecond: expected what needs 1e10 events at most, got 1000000000, with which the run has up to 6e11 \
         and takes 33 hours",
    );
    let year = json!(31_536_000_000_u64);
    assert_eq!(
        said_of([("/durationMs", year), ("/clients/arrivals", open(1000.0))]),
        "durationMs: expected what needs 1e10 events at most, got 31536000000, with which the run has up to 3e11 and takes 18 \
         hours",
    );
    let of_many = [("/clients/count", json!(100_000_000)), ("/clients/arrivals", closed(100.0))];
    let retries = json!({ "retry": { "maxRetries": 100_000_000 } });
    let said = [
        ("clients.count: expected ", said_of(of_many)),
        ("clients.arrivals.think: expected ", said_of([("/clients/arrivals", closed(1e-4))])),
        ("policies.default.retry.maxRetries: expected ", said("/policies/default", retries.clone())),
        ("clients.nested[1].retry.maxRetries: expected ", said("/clients/nested", json!([{}, retries]))),
        ("faults[1].factor: expected ", said("/faults", json!([load(1e5), load(1e6)]))),
    ];
    for (begins, said) in said {
        assert!(said.starts_with(begins), "{said}");
    }
}
