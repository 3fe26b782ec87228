//! The error that a call ended with, as a question to recovery, and what recovery answers.

use super::failure::LONGEST;
use crate::format::{cut, span};
use halfopen::log::{Event, Kind};
use halfopen_answers::{Recover, Recovered};
use halfopen_store::call::{Call, Outcome, Status};
use halfopen_store::store::Log;

/// The error that a call ended with, as a question to recovery.
#[derive(Clone, PartialEq)]
pub struct Recovery {
    pub question: Recover,
    pub ended: &'static str,
    pub attempts: usize,
}

/// From what the log has of a call that failed, was refused, or was answered by its fallback; `shown` is what the user
/// read. A log does not say which capability of a plan a call was for: what failed is the policy.
pub fn recovery(log: &Log, call: &Call, shown: &str) -> Option<Recovery> {
    let ended = match call.status {
        Status::Failed => "failed",
        Status::Rejected => "refused without an attempt",
        Status::Degraded => "answered by its fallback",
        _ => return None,
    };
    let at = call.ended.filter(|_| !call.code.is_none())?;
    let text = |name| log.names.text(name).to_owned();
    let mut question = Recover {
        code: text(call.code),
        shown: shown.to_owned(),
        task: text(call.task),
        operation: text(call.policy),
        #[expect(clippy::cast_precision_loss, reason = "a number of retries")]
        retries: call.retries() as f64,
        took_ms: at - call.started,
        ended: at.ms(),
        ..Recover::default()
    };
    let notes = &mut question.notes;
    let mut note = |key: &str, value: String| {
        if !value.is_empty() {
            notes.push((key.to_owned(), value));
        }
    };
    // A call that the breaker or a full queue refused at last did not end by what its attempts said.
    let failed = call.attempts.iter().rfind(|one| one.outcome == Outcome::Failed && one.code == call.code);
    if let Some(attempt) = failed {
        note("provider", text(attempt.provider));
        note("model", text(attempt.model));
        note("rule", text(attempt.rule));
        if attempt.status_code > 0 {
            note("statusCode", attempt.status_code.to_string());
        }
        if let Some(hint) = attempt.retry_after_ms {
            note("retryAfter", span(hint));
        }
        let line = attempt.ended_by.map_or("", |number| log.line(number));
        if let Ok(Event { kind: Kind::AttemptFailed(failed), .. }) = Event::parse(line) {
            note("requestId", cut(failed.request_id.unwrap_or_default().as_str(), 120));
            question.details = cut(failed.technical_details.as_str(), LONGEST);
            question.severity = failed.severity.as_str().to_owned();
        }
    } else {
        note("why", text(call.why));
    }
    Some(Recovery { question, ended, attempts: call.tries() })
}

/// Where a graph with the default retry policy goes, in the package's word and in a sentence.
pub fn route(found: &Recovered) -> String {
    let what = match &found.wait {
        Some((delay_ms, retry)) => format!("the same step after {}, retry {retry}", span(*delay_ms)),
        None => found.leads.clone(),
    };
    format!("{} – {what}", found.next)
}
