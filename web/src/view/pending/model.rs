//! What the Pending view shows: planned retries, probes of open breakers, queued calls.

use crate::session::call::{Reason, Status};
use crate::session::store::Log;
use crate::ui::format::span;

#[derive(Clone, PartialEq)]
pub(super) struct Pending {
    pub(super) key: String,
    pub(super) kind: &'static str,
    pub(super) sign: &'static str,
    pub(super) class: &'static str,
    pub(super) owner: String,
    pub(super) second: String,
    pub(super) code: String,
    pub(super) says: String,
    pub(super) from: f64,
    pub(super) due: f64,
    pub(super) call: Option<u32>,
}

/// Everything that waits at `now`, the next first.
pub(super) fn collect(log: &Log, now: f64) -> Vec<Pending> {
    let text = |name| log.names.text(name).to_owned();
    let mut all = Vec::new();
    for (number, call) in log.open_calls() {
        let Some(wait) = call.waits.last().filter(|wait| wait.ended.is_nan()) else { continue };
        let (kind, sign, class) = match (call.status, wait.reason) {
            (Status::Queued, _) | (_, Reason::Queue) => ("queued", "≡", "queue"),
            (_, Reason::RetryAfter) => ("retry", "↻", "hint"),
            (_, Reason::Backoff) => ("retry", "↻", "backoff"),
        };
        let says = match wait.reason {
            Reason::Queue => format!("waits for the {}", text(wait.by)),
            Reason::RetryAfter => {
                format!("attempt {} after Retry-After {}", wait.attempt, span(wait.planned_ms()))
            }
            Reason::Backoff => {
                format!("attempt {} after a backoff of {}", wait.attempt, span(wait.planned_ms()))
            }
        };
        let (policy, task) = (text(call.policy), text(call.task));
        let (owner, second) = if task.is_empty() { (policy, String::new()) } else { (task, policy) };
        let code = text(call.code);
        all.push(Pending {
            key: format!("c{number}"),
            kind,
            sign,
            class,
            owner,
            second,
            code,
            says,
            from: wait.from,
            due: wait.due,
            call: Some(number),
        });
    }
    for (index, breaker) in log.breakers.iter().enumerate() {
        let Some(due) = breaker.probe_due(now) else { continue };
        let from = breaker.changes.last().map_or(now, |change| change.at);
        all.push(Pending {
            key: format!("b{index}"),
            kind: "probe",
            sign: "◐",
            class: "probe",
            owner: text(breaker.name),
            second: "breaker".into(),
            code: String::new(),
            says: "open: its next call may be a probe".into(),
            from,
            due,
            call: None,
        });
    }
    all.sort_by(|a, b| a.due.total_cmp(&b.due).then_with(|| a.key.cmp(&b.key)));
    all
}
