//! `breaker.json` and `window.json`: a breaker's answers, step by step.

use crate::cases;
use halfopen::policy::{Breaker, BreakerOptions, BreakerState, Outcome, Permit};
use halfopen::time::{Millis, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
struct Case {
    name: String,
    options: BreakerOptions,
    steps: Vec<(u64, String, Value)>,
}

#[test]
fn a_breaker_answers_as_written() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/breaker.json"));
    for case in cases {
        let mut breaker = Breaker::new(case.options.config());
        let mut permits: HashMap<String, Permit> = HashMap::new();
        for (number, (at, action, expected)) in case.steps.iter().enumerate() {
            let now = Timestamp(*at);
            let (verb, name) = action.split_once(' ').unwrap_or((action, ""));
            let mut settle = |outcome| {
                breaker.settle(permits[name], outcome, None, now);
                Value::Null
            };
            let answer = match verb {
                "success" => settle(Outcome::Success),
                // "failure NAME" or "failure NAME HINT".
                "failure" => {
                    let (name, hint) = name.split_once(' ').unwrap_or((name, ""));
                    let hint = hint.parse().ok().map(Millis);
                    breaker.settle(permits[name], Outcome::failure(hint), None, now);
                    Value::Null
                }
                "release" => settle(Outcome::Neutral),
                "state" => json!(breaker.state(now).as_str()),
                "retryAfter" => json!(breaker.retry_after(now).map(|wait| wait.0)),
                "can" => json!(breaker.can_execute(now)),
                "rate" => json!(breaker.refusal_rate(now).as_f64()),
                "acquire" => match breaker.admit(now) {
                    Ok(permit) => {
                        permits.insert(name.to_owned(), permit);
                        json!(true)
                    }
                    Err(_) => json!(false),
                },
                other => {
                    match other {
                        "recordSuccess" => breaker.record(Outcome::Success, None, now),
                        "recordFailure" => breaker.record(Outcome::Failure, None, now),
                        "isolate" => breaker.isolate(now),
                        "lift" => breaker.lift_isolation(now),
                        "disable" => breaker.disable(now),
                        "reset" => breaker.reset(now),
                        other => panic!("no such action: {other}"),
                    }
                    Value::Null
                }
            };
            assert_eq!(&answer, expected, "{}: step {number}, {action} at {at}", case.name);
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WindowCase {
    name: String,
    options: BreakerOptions,
    results: Vec<(u64, String, u64)>,
    opens_after: Option<usize>,
}

#[test]
fn a_window_trips_when_written() {
    let cases: Vec<WindowCase> = cases(include_str!("../../../tests/vectors/window.json"));
    for case in cases {
        let mut breaker = Breaker::new(case.options.config());
        let opens_after = case.results.iter().position(|(at, result, took)| {
            let outcome = if result == "ok" { Outcome::Success } else { Outcome::Failure };
            breaker.record(outcome, Some(Millis(*took)), Timestamp(*at));
            breaker.state(Timestamp(*at)) == BreakerState::Open
        });
        assert_eq!(opens_after.map(|index| index + 1), case.opens_after, "{}", case.name);
    }
}
