//! `recovery.json`: where to go after an error, what a context is made of, what a report and a prompt say.

use crate::cases;
use halfopen::Severity;
use halfopen::message::Audience;
use halfopen::recovery::{
    Cause, ErrorContext, Next, RetryPolicy, State, Step, explanation_prompt, labels, report, route,
};
use serde::Deserialize;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    route: Option<Route>,
    goes: Option<Value>,
    context: Option<Value>,
    #[expect(dead_code, reason = "the package classifies; here a context has its classification")]
    code: Option<String>,
    comes: Option<Value>,
    report: Option<Value>,
    now: Option<i64>,
    locale: Option<String>,
    reads: Option<Vec<String>>,
    prompt: Option<Value>,
    capabilities: Option<String>,
    says: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Route {
    severity: Severity,
    #[serde(default)]
    retry_count: f64,
    #[serde(default)]
    retry_policy: Value,
    #[serde(default)]
    retry_after_ms: Option<f64>,
    /// Default: `search`; null means none.
    #[serde(default = "search")]
    capability_name: Option<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "serde's default has the field's type")]
fn search() -> Option<String> {
    Some("search".to_owned())
}

fn goes(asked: &Route) -> Value {
    let defaults = RetryPolicy::default();
    let number = |name: &str, default| asked.retry_policy[name].as_f64().unwrap_or(default);
    let policy = RetryPolicy {
        max_attempts: number("maxAttempts", defaults.max_attempts),
        delay_seconds: number("delaySeconds", defaults.delay_seconds),
        backoff_factor: number("backoffFactor", defaults.backoff_factor),
        max_retry_after_ms: number("maxRetryAfterMs", defaults.max_retry_after_ms),
    };
    let capability = asked.capability_name.as_deref();
    let next = route(asked.severity, policy, asked.retry_count, capability, asked.retry_after_ms);
    match next {
        Next::Retry { delay_ms, attempt } => {
            json!({ "next": "retry", "delayMs": delay_ms, "attempt": attempt })
        }
        next => json!({ "next": next.as_str() }),
    }
}

/// The package's state, as the core takes it.
fn state(given: &Value) -> State {
    let info = &given["errorInfo"];
    let mut facts = given.clone();
    for (name, at) in [
        ("capabilityName", "capabilityName"),
        ("nodeName", "nodeName"),
        ("errorMessage", "error"),
        ("executionTime", "executionTime"),
    ] {
        facts[name] = info[at].clone();
    }
    let mut state: State = serde_json::from_value(facts).unwrap();
    let steps = given["stepResults"].as_object().into_iter().flat_map(|steps| steps.values());
    state.steps = steps.map(|step| serde_json::from_value::<Step>(step.clone()).unwrap()).collect();
    state
}

/// The context of a case, whose metadata is an object there and its JSON here.
fn context(given: &Value) -> ErrorContext {
    let mut given = given.clone();
    let metadata = &mut given["classification"]["metadata"];
    let fields = metadata.as_object().filter(|fields| !fields.is_empty());
    *metadata = fields.map(|fields| serde_json::to_string_pretty(fields).unwrap()).unwrap_or_default().into();
    serde_json::from_value(given).unwrap()
}

/// Numbers as JavaScript has them: 1 and 1.0 are the same.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

#[test]
fn recovery_is_what_the_vectors_say() {
    for case in cases::<Case>(include_str!("../../../tests/vectors/recovery.json")) {
        let name = &case.name;
        if let (Some(asked), Some(expected)) = (&case.route, &case.goes) {
            assert!(same(&goes(asked), expected), "{name}: {}", goes(asked));
        }
        if let (Some(given), Some(expected)) = (&case.context, &case.comes) {
            let mut found = serde_json::to_value(ErrorContext::new(Cause::default(), state(given))).unwrap();
            found.as_object_mut().unwrap().remove("classification");
            assert!(same(&found, expected), "{name}: {found}");
        }
        if let (Some(given), Some(expected)) = (&case.report, &case.reads) {
            let labels = labels(case.locale.as_deref().unwrap_or("en"));
            let text = report(&context(given), case.now.unwrap(), labels);
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let expected: Vec<&str> = expected.iter().map(|line| line.trim_end()).collect();
            assert_eq!(lines, expected, "{name}");
        }
        if let (Some(given), Some(expected)) = (&case.prompt, &case.says) {
            let text = explanation_prompt(&context(given), case.capabilities.as_deref(), Audience::Owner);
            for part in expected {
                assert!(text.contains(part), "{name}: {part:?} in {text}");
            }
        }
    }
}
