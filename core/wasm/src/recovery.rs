//! The `recovery` area for JavaScript. States, contexts and labels cross as objects that `pkg/src/recovery` makes.

use super::object::Object;
use halfopen::message::Audience;
use halfopen::recovery::{
    Cause, EXPLANATION_TOKENS, ErrorContext, Labels, Next, RetryPolicy, State, Step, explanation_prompt,
    report, route,
};
use halfopen::{Code, Severity};
use js_sys::Array;
use wasm_bindgen::prelude::*;

/// The severity of that name; without one, the one that leads to the error step.
fn severity(name: &str) -> Severity {
    Severity::ALL.into_iter().find(|severity| severity.as_str() == name).unwrap_or(Severity::Critical)
}

/// Where to go: `[next]`, or `['retry', delayMs, attempt]`; `['exhausted']` is the error step after the last retry.
/// Without a severity of that name: the error step. NaN is a number of the retry policy that is not given, and no wait that
/// the provider asked for.
#[wasm_bindgen(js_name = recoveryRoute)]
#[expect(clippy::too_many_arguments, reason = "an object would have to be made for it")]
pub fn recovery_route(
    severity_name: &str,
    max_attempts: f64,
    delay_seconds: f64,
    backoff_factor: f64,
    max_retry_after_ms: f64,
    retries: f64,
    capability: Option<String>,
    retry_after_ms: f64,
) -> Vec<JsValue> {
    let or = |given: f64, default: f64| if given.is_nan() { default } else { given };
    let default = RetryPolicy::default();
    let policy = RetryPolicy {
        max_attempts: or(max_attempts, default.max_attempts),
        delay_seconds: or(delay_seconds, default.delay_seconds),
        backoff_factor: or(backoff_factor, default.backoff_factor),
        max_retry_after_ms: or(max_retry_after_ms, default.max_retry_after_ms),
    };
    let requested = (!retry_after_ms.is_nan()).then_some(retry_after_ms);
    match route(severity(severity_name), policy, retries, capability.as_deref(), requested) {
        next @ Next::Retry { delay_ms, attempt } => {
            vec![next.as_str().into(), delay_ms.into(), attempt.into()]
        }
        Next::Exhausted => vec!["exhausted".into()],
        next => vec![next.as_str().into()],
    }
}

/// Returns the context of an error, from the facts of the state. Unknown facts are absent from it.
#[wasm_bindgen(js_name = recoveryContext)]
#[must_use]
pub fn recovery_context(facts: JsValue) -> JsValue {
    let facts = facts.unchecked_into::<Object>();
    let state = State {
        current_task: facts.text("currentTask"),
        retry_count: facts.number("retryCount"),
        step_index: facts.number("stepIndex"),
        steps: facts.list("steps").map(|step| read_step(&step.unchecked_into())).collect(),
        capability_name: facts.text("capabilityName"),
        node_name: facts.text("nodeName"),
        error_message: facts.text("errorMessage"),
        execution_time: facts.number("executionTime"),
    };
    let context = ErrorContext::new(Cause::default(), state);
    let made = Object::new();
    made.set("errorMessage", &context.error_message.into());
    made.set("currentTask", &context.current_task.into());
    made.set("failedOperation", &context.failed_operation.into());
    if let Some(name) = context.capability_name {
        made.set("capabilityName", &name.into());
    }
    made.set("totalOperations", &context.total_operations.into());
    made.set("executionTime", &context.execution_time.into());
    made.set("retryCount", &context.retry_count.into());
    made.set("successfulSteps", &list(context.successful_steps));
    made.set("failedSteps", &list(context.failed_steps));
    made.into()
}

/// The report of a context, as Markdown. `now` is in milliseconds since the Unix epoch.
#[wasm_bindgen(js_name = recoveryReport)]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, NaN is 0")]
pub fn recovery_report(context: JsValue, now: f64, labels: JsValue) -> String {
    let labels = labels.unchecked_into::<Object>();
    let label = |name| labels.text(name).unwrap_or_default();
    let texts = [
        label("heading"),
        label("kind"),
        label("task"),
        label("operation"),
        label("message"),
        label("capability"),
        label("metadata"),
        label("stats"),
        label("operations"),
        label("time"),
        label("retries"),
    ];
    let [heading, kind, task, operation, message, capability, metadata, stats, operations, time, retries] =
        texts.each_ref().map(String::as_str);
    let labels = Labels {
        heading,
        kind,
        task,
        operation,
        message,
        capability,
        metadata,
        stats,
        operations,
        time,
        retries,
        // JavaScript adds these around a report.
        analysis: "",
        no_analysis: "",
        step_failed: "",
    };
    report(&read(&context.unchecked_into()), now as i64, &labels)
}

/// The prompt that asks for an explanation. `audience` is the number of an [`Audience`].
#[wasm_bindgen(js_name = recoveryPrompt)]
#[must_use]
pub fn recovery_prompt(context: JsValue, capabilities: Option<String>, audience: u8) -> String {
    let context = read(&context.unchecked_into());
    explanation_prompt(&context, capabilities.as_deref(), Audience::from_index(audience))
}

/// How long an explanation may be, in tokens.
#[wasm_bindgen(js_name = recoveryExplanationTokens)]
#[must_use]
pub fn recovery_explanation_tokens() -> u32 {
    EXPLANATION_TOKENS
}

fn read_step(step: &Object) -> Step {
    Step {
        step_index: step.number("stepIndex"),
        capability: step.text("capability"),
        task_objective: step.text("taskObjective"),
        success: Some(step.is_true("success")),
    }
}

fn read(context: &Object) -> ErrorContext {
    let text = |field| context.text(field).unwrap_or_default();
    let number = |field| context.number(field).unwrap_or_default();
    let texts = |field| context.list(field).filter_map(|text| text.as_string()).collect();
    ErrorContext {
        classification: Cause {
            code: Code::from_name(&text("code")).unwrap_or(Code::Unknown),
            severity: severity(&text("severity")),
            user_message: text("userMessage"),
            metadata: text("metadata"),
        },
        error_message: text("errorMessage"),
        current_task: text("currentTask"),
        failed_operation: text("failedOperation"),
        capability_name: context.text("capabilityName"),
        total_operations: number("totalOperations"),
        execution_time: context.number("executionTime"),
        retry_count: number("retryCount"),
        successful_steps: texts("successfulSteps"),
        failed_steps: texts("failedSteps"),
    }
}

fn list(texts: Vec<String>) -> JsValue {
    texts.into_iter().map(JsValue::from).collect::<Array>().into()
}
