//! The `recovery` area for JavaScript. States and contexts cross as JavaScript objects, read and made by serde.

use crate::Severity;
use crate::recovery::{
    Cause, EXPLANATION_TOKENS, ErrorContext, Next, RetryPolicy, State, explanation_prompt, labels::labels,
    report, route,
};
use serde::Serialize;
use serde_json::{Number, Value};
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
    capability: Option<String>,
) -> Vec<JsValue> {
    let severity = serde_json::from_value::<Severity>(severity.into()).unwrap_or(Severity::Critical);
    let policy = RetryPolicy { max_attempts, delay_seconds, backoff_factor };
    match route(severity, policy, retries, capability.as_deref()) {
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

/// The context of an error, from the facts of the state. What is not known is absent from it.
#[wasm_bindgen(js_name = recoveryContext)]
pub fn recovery_context(state: JsValue) -> Result<JsValue, JsError> {
    let state = serde_wasm_bindgen::from_value::<State>(state).unwrap_or_default();
    let context = ErrorContext::new(Cause::default(), state);
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    context.serialize(&serializer).map_err(|error| JsError::new(&error.to_string()))
}

/// The report of a context, as Markdown. `now` is in milliseconds since the Unix epoch.
#[wasm_bindgen(js_name = recoveryReport)]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, NaN is 0")]
pub fn recovery_report(context: JsValue, now: f64, locale: &str) -> String {
    report(&read(context), now as i64, locale)
}

/// The prompt that asks for an explanation.
#[wasm_bindgen(js_name = recoveryPrompt)]
pub fn recovery_prompt(context: JsValue, capabilities: Option<String>) -> String {
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

fn read(context: JsValue) -> ErrorContext {
    let mut context = serde_wasm_bindgen::from_value::<ErrorContext>(context)
        .unwrap_or_else(|_| ErrorContext::new(Cause::default(), State::default()));
    whole(&mut context.classification.metadata);
    context
}

/// Whole numbers above 2⁵³, which serde takes for fractions, as JavaScript writes them: without `.0` or an exponent.
fn whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let fraction = number.as_f64().filter(|n| number.is_f64() && n.fract() == 0.0);
            // `as` saturates, and `from_i128` refuses what neither an i64 nor a u64 holds.
            #[expect(clippy::cast_possible_truncation, reason = "see above")]
            if let Some(whole) = fraction.and_then(|n| Number::from_i128(n as i128)) {
                *number = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        _ => {}
    }
}
