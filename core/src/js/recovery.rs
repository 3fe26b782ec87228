//! The `recovery` area for JavaScript. Contexts cross as JSON: they are cold, and the reader is the same as for a log.

use crate::Severity;
use crate::recovery::{
    Cause, EXPLANATION_TOKENS, ErrorContext, Next, RetryPolicy, State, explanation_prompt, labels::labels,
    report, route,
};
use wasm_bindgen::prelude::*;

/// Where to go: `[next]`, or `['retry', delayMs, attempt]`; `['exhausted']` is the error step after the last retry.
/// Without a severity of that name: the error step.
#[wasm_bindgen(js_name = recoveryRoute)]
pub fn recovery_route(
    severity: &str,
    max_attempts: f64,
    delay_seconds: f64,
    backoff_factor: f64,
    retries: f64,
) -> Vec<JsValue> {
    let severity = serde_json::from_value::<Severity>(severity.into()).unwrap_or(Severity::Critical);
    let policy = RetryPolicy { max_attempts, delay_seconds, backoff_factor };
    match route(severity, policy, retries) {
        next @ Next::Retry { delay_ms, attempt } => {
            vec![next.as_str().into(), delay_ms.into(), attempt.into()]
        }
        Next::Exhausted => vec!["exhausted".into()],
        next => vec![next.as_str().into()],
    }
}

/// The numbers of a retry policy that are not given: `[maxAttempts, delaySeconds, backoffFactor]`.
#[wasm_bindgen(js_name = recoveryDefaults)]
pub fn recovery_defaults() -> Vec<f64> {
    let policy = RetryPolicy::default();
    vec![policy.max_attempts, policy.delay_seconds, policy.backoff_factor]
}

/// The context of an error, as JSON, from the facts of the state as JSON.
#[wasm_bindgen(js_name = recoveryContext)]
pub fn recovery_context(state: &str) -> String {
    let state = serde_json::from_str::<State>(state).unwrap_or_default();
    serde_json::to_string(&ErrorContext::new(Cause::default(), state)).unwrap_or_default()
}

/// The report of a context, both as texts. `now` is in milliseconds since the Unix epoch.
#[wasm_bindgen(js_name = recoveryReport)]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, NaN is 0")]
pub fn recovery_report(context: &str, now: f64, locale: &str) -> String {
    report(&read(context), now as i64, locale)
}

/// The prompt that asks for an explanation.
#[wasm_bindgen(js_name = recoveryPrompt)]
pub fn recovery_prompt(context: &str, capabilities: Option<String>) -> String {
    explanation_prompt(&read(context), capabilities.as_deref())
}

/// `[analysis, noAnalysis, stepFailed]` in that language.
#[wasm_bindgen(js_name = recoveryLabels)]
pub fn recovery_labels(locale: &str) -> Vec<String> {
    let words = labels(locale);
    [words.analysis, words.no_analysis, words.step_failed].map(str::to_owned).to_vec()
}

/// How long an explanation may be, in tokens.
#[wasm_bindgen(js_name = recoveryExplanationTokens)]
pub fn recovery_explanation_tokens() -> u32 {
    EXPLANATION_TOKENS
}

fn read(context: &str) -> ErrorContext {
    serde_json::from_str(context).unwrap_or_else(|_| ErrorContext::new(Cause::default(), State::default()))
}
