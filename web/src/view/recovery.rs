//! What recovery makes of a failed call: the context of its error, where it leads, and the report, all by the core.

use super::details::LONGEST;
use crate::session::call::{Call, Outcome, Status};
use crate::session::store::Log;
use crate::ui::copy::{Copy, Text};
use crate::ui::format::{cut, span};
use halfopen::code::{Code, Severity};
use halfopen::log::{Event, Kind};
use halfopen::recovery::{Cause, ErrorContext, Next, RetryPolicy, State, report, route};
use leptos::prelude::*;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The error that a call ended with, as recovery sees it.
#[derive(Clone, PartialEq)]
pub(super) struct Recovery {
    context: ErrorContext,
    attempts: usize,
    took_ms: f64,
    /// Wall time of the end, which the report tells.
    ended: f64,
}

/// From what the log has of a call that failed, was refused, or was answered by its fallback; `told` is what the person
/// read. A log does not say which capability of a plan a call was for: what failed is the policy.
pub(super) fn recovery(log: &Log, call: &Call, told: &str) -> Option<Recovery> {
    if !matches!(call.status, Status::Failed | Status::Rejected | Status::Degraded) || call.code.is_none() {
        return None;
    }
    let code = Code::from_name(log.names.text(call.code)).unwrap_or(Code::Unknown);
    let mut severity = code.severity();
    let mut said = told.to_owned();
    let mut metadata = Map::new();
    let mut note = |key: &str, value: String| {
        if !value.is_empty() {
            metadata.insert(key.to_owned(), Value::String(value));
        }
    };
    let text = |name| log.names.text(name).to_owned();
    // A call that the breaker or a full queue refused at last did not end by what its attempts said.
    let failed = call.attempts.iter().rfind(|one| one.outcome == Outcome::Failed && one.code == call.code);
    if let Some(attempt) = failed {
        note("provider", text(attempt.provider));
        note("model", text(attempt.model));
        note("rule", text(attempt.rule));
        if attempt.status_code > 0 {
            note("statusCode", attempt.status_code.to_string());
        }
        if !attempt.retry_after_ms.is_nan() {
            note("retryAfter", span(attempt.retry_after_ms));
        }
        let line = attempt.ended_by.map_or("", |number| log.line(number));
        if let Ok(Event {
            kind: Kind::AttemptFailed { technical_details, severity: word, request_id, .. },
            ..
        }) = Event::parse(line)
        {
            if !technical_details.as_str().is_empty() {
                said = cut(technical_details.as_str(), LONGEST);
            }
            // A rule of the application's own may have given it another than its code has.
            severity = SEVERITIES.into_iter().find(|one| one.as_str() == word.as_str()).unwrap_or(severity);
            note("requestId", cut(request_id.unwrap_or_default().as_str(), 120));
        }
    } else {
        note("why", text(call.why));
    }
    if said.is_empty() {
        said = code.description().trim().to_owned();
    }
    let took_ms = call.ended - call.started;
    let cause = Cause { code, severity, user_message: told.to_owned(), metadata: Value::Object(metadata) };
    let state = State {
        current_task: Some(text(call.task)),
        node_name: Some(text(call.policy)),
        error_message: Some(said),
        retry_count: Some(call.retries() as f64),
        execution_time: Some(took_ms / 1e3),
        ..State::default()
    };
    let context = ErrorContext::new(cause, state);
    Some(Recovery { context, attempts: call.attempts.len(), took_ms, ended: call.ended })
}

const SEVERITIES: [Severity; 5] = [
    Severity::Critical,
    Severity::Retriable,
    Severity::Replanning,
    Severity::Reclassification,
    Severity::Fatal,
];

/// Where a graph with the default retry policy goes, in the package's word and in a sentence.
fn leads_to(severity: Severity, retries: f64) -> String {
    let policy = RetryPolicy::default();
    let next = route(severity, policy, retries);
    let what = match next {
        Next::Retry { delay_ms, attempt } => {
            format!("the same step after {}, retry {attempt} of {}", span(delay_ms), policy.max_attempts)
        }
        Next::Exhausted => "the retries are used up".into(),
        Next::Orchestrator => "for another plan".into(),
        Next::Classifier => "for another choice of capabilities".into(),
        Next::Error => "the person is told".into(),
        Next::Abort => "the run ends".into(),
    };
    format!("{} – {what}", next.as_str())
}

/// The context as facts, and the report to copy.
#[component]
pub(super) fn AfterFailure(recovery: Recovery, locale: RwSignal<String>) -> impl IntoView {
    let Recovery { context, attempts, took_ms, ended } = recovery;
    let severity = context.classification.severity;
    let facts = vec![
        ("Task", context.current_task.clone()),
        ("Operation", context.failed_operation.clone()),
        ("Severity", severity.as_str().to_owned()),
        ("Leads to", leads_to(severity, context.retry_count)),
        ("Retries", context.retry_count.to_string()),
        ("Attempts", attempts.to_string()),
        ("Execution time", span(took_ms)),
    ];
    let text: Text = Arc::new(move || report(&context, ended as i64, &locale.get()));
    let shown = text.clone();
    view! {
        <section aria-label="Context">
            <h3>"Context"</h3>
            <dl class="facts">{facts.into_iter().map(super::details::fact).collect_view()}</dl>
        </section>
        <details class="report">
            <summary>"Report"</summary>
            <div class="code">
                <pre tabindex="0" aria-label="Report" lang=move || locale.get()>{move || shown()}</pre>
                <Copy text/>
            </div>
        </details>
    }
}
