//! `traps.json`, `classify.json` and `vocabularies.json`: thrown values and what they are; `retry-after.json`: headers and the wait they ask for.

use crate::cases;
use halfopen::classify::{Context, Thrown, classify, explain, parse_retry_after};
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    name: String,
    thrown: serde_json::Value,
    #[serde(default)]
    context: Context,
    code: String,
    retryable: Option<bool>,
    retry_after_ms: Option<u64>,
    #[serde(default)]
    no_hint: bool,
    status: Option<u16>,
    request_id: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    rule: Option<String>,
}

fn check(json: &str) -> usize {
    let cases: Vec<Case> = cases(json);
    let mut wrong = Vec::new();
    for case in &cases {
        let found = classify(&Thrown::from_json(&case.thrown.to_string()), &case.context);
        let mut miss = |what: &str, got: String, want: String| {
            if got != want {
                wrong.push(format!("{}: {what} {got}, expected {want} ({})", case.name, found.rule));
            }
        };
        miss("code", found.code.as_str().to_owned(), case.code.clone());
        if let Some(retryable) = case.retryable {
            miss("retryable", found.retryable.to_string(), retryable.to_string());
        }
        if case.no_hint || case.retry_after_ms.is_some() {
            miss(
                "hint",
                format!("{:?}", found.hint.map(|hint| hint.0)),
                format!("{:?}", case.retry_after_ms),
            );
        }
        if let Some(status) = case.status {
            miss("status", format!("{:?}", found.provider.status_code), format!("{:?}", Some(status)));
        }
        for (what, got, want) in [
            ("request id", &found.provider.request_id, &case.request_id),
            ("provider", &found.provider.provider, &case.provider),
            ("model", &found.provider.model, &case.model),
        ] {
            if want.is_some() {
                miss(what, format!("{got:?}"), format!("{want:?}"));
            }
        }
        if let Some(rule) = &case.rule {
            miss("rule", found.rule.to_owned(), rule.clone());
        }
        // The explanation is of the same verdict: only its last rule held, and all of that rule.
        let explained = explain(&Thrown::from_json(&case.thrown.to_string()), &case.context);
        let whole = explained.classification == found;
        let decided: Vec<_> = explained.tried.iter().filter(|rule| rule.decided).collect();
        let last = explained.tried.last().is_some_and(|rule| {
            rule.rule == found.rule && rule.decided && rule.checks.iter().all(|check| check.held)
        });
        if !whole || !last || decided.len() != 1 {
            wrong.push(format!("{}: explained as {decided:?}, expected {}", case.name, found.rule));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    cases.len()
}

#[test]
fn structure_outranks_what_misleads() {
    assert!(check(include_str!("../../../tests/vectors/traps.json")) >= 60);
}

#[test]
fn errors_are_what_they_say() {
    check(include_str!("../../../tests/vectors/classify.json"));
}

#[test]
fn names_mean_what_their_lists_say() {
    check(include_str!("../../../tests/vectors/vocabularies.json"));
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Headers {
    headers: serde_json::Value,
    now: Option<u64>,
    retry_after_ms: Option<u64>,
}

#[test]
fn headers_ask_for_a_wait() {
    let cases: Vec<Headers> = cases(include_str!("../../../tests/vectors/retry-after.json"));
    for case in cases {
        let found = parse_retry_after(&case.headers.to_string(), case.now).map(|hint| hint.0);
        assert_eq!(found, case.retry_after_ms, "{}", case.headers);
    }
}

#[test]
fn what_applications_say_repeats_nothing() {
    #[derive(Deserialize)]
    struct Sentence {
        text: String,
    }
    let sentences: Vec<Sentence> = cases(include_str!("../../../tests/vectors/sentences.json"));
    assert!(sentences.len() >= 200);
    for Sentence { text } in &sentences {
        for thrown in [serde_json::json!(text), serde_json::json!({ "message": text })] {
            let found = classify(&Thrown::from_json(&thrown.to_string()), &Context::default());
            assert!(!found.retryable && !found.is_refusal, "{text}: {}", found.rule);
            assert_ne!(found.severity, halfopen::Severity::Retriable, "{text}");
        }
    }
}
