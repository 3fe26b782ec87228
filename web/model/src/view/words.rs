//! Calls and their parts in words: for those who listen, and for the tip under the pointer.

use crate::format::{number_of, span};
use crate::layout::timeline::Bar;
use halfopen_store::call::{Call, MarkKind, Reason, Status, Wait};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fmt::Write;

/// The title of a call, and its policy if that has another name: its task, its operation, its policy, or its id.
pub fn names(log: &Log, call: &Call) -> (String, String) {
    let text = |name| log.names.text(name).to_owned();
    if call.title().is_none() {
        return (call.id.to_string(), String::new());
    }
    let policy = if call.title() == call.policy { String::new() } else { text(call.policy) };
    (text(call.title()), policy)
}

/// A call in one sentence.
pub fn call(log: &Log, call: &Call, now: Moment) -> String {
    let text = |name| log.names.text(name);
    let mut out = String::new();
    let (name, policy) = names(log, call);
    for part in [policy, name].iter().filter(|part| !part.is_empty()) {
        let _ = write!(out, "{part}: ");
    }
    let code = if call.code.is_none() { String::new() } else { format!(", {}", text(call.code)) };
    let attempts = match call.tries() {
        1 => "1 attempt".to_owned(),
        count => format!("{count} attempts"),
    };
    let _ = match call.status {
        Status::Succeeded if call.closed_early => {
            write!(out, "closed by its consumer before the end of the stream, after {attempts}")
        }
        Status::Succeeded => write!(out, "succeeded after {attempts}"),
        Status::Degraded => write!(out, "answered by its fallback after {attempts}{code}"),
        Status::Failed => write!(out, "failed after {attempts}{code}"),
        Status::Rejected if call.tries() == 0 => write!(out, "refused without an attempt{code}"),
        Status::Rejected => write!(out, "refused after {attempts}{code}"),
        Status::Cancelled => write!(out, "cancelled after {attempts}"),
        Status::Running => write!(out, "running, attempt {}", call.tries()),
        Status::Queued => write!(out, "queued"),
        Status::Waiting => write!(out, "waiting to retry{code}"),
        Status::Silent => write!(out, "not ended after {attempts}{code}: its process stopped reporting"),
    };
    for wait in &call.waits {
        let _ = write!(out, "; {}", self::wait(wait));
    }
    if call.status == Status::Silent {
        let _ = write!(out, "; last event after {}", span(call.end_or(now) - call.started));
    } else if !call.status.is_open() {
        let _ = write!(out, "; {} in total", span(call.end_or(now) - call.started));
    }
    out
}

/// A wait: its plan, its layer, and its outcome.
pub fn wait(wait: &Wait) -> String {
    let planned = wait.planned_ms().map(span).unwrap_or_default();
    let mut out = match wait.reason {
        Reason::Queue => "queued".to_owned(),
        Reason::Backoff => match wait.band.filter(|&(earliest, latest)| latest - earliest > 0.5) {
            Some((earliest, latest)) => {
                let (least, most) = (span(earliest - wait.from), span(latest - wait.from));
                format!("backoff {planned}, drawn from {least} to {most}")
            }
            None => format!("backoff {planned}"),
        },
        Reason::RetryAfter => format!("Retry-After {planned}"),
    };
    if let Some(waited) = wait.lasted_ms() {
        let _ = write!(out, ", waited {}", span(waited));
    }
    out
}

/// A piece of the waterfall.
pub fn piece(log: &Log, call: &Call, bar: Bar, moment: Moment, now: Moment) -> String {
    let text = |name| log.names.text(name);
    let near =
        |from: Moment, to: Option<Moment>| moment >= from - 1.0 && to.is_none_or(|to| moment <= to + 1.0);
    let mark = |kind: MarkKind| {
        call.marks
            .iter()
            .filter(|mark| mark.kind == kind)
            .min_by(|a, b| (a.at - moment).abs().total_cmp(&(b.at - moment).abs()))
    };
    match bar {
        Bar::Backoff | Bar::RetryAfter | Bar::Queue | Bar::Band | Bar::Planned => {
            let ends = |wait: &Wait| {
                let ends = [wait.ended, wait.due, wait.band.map(|band| band.1)];
                ends.into_iter().flatten().max_by(Moment::total_cmp)
            };
            let found = call.waits.iter().find(|wait| near(wait.from, ends(wait)));
            found.or(call.waits.last()).map(self::wait).unwrap_or_default()
        }
        Bar::Succeeded | Bar::Failed | Bar::Running | Bar::FirstChunk | Bar::Probe => {
            let found = call.attempts.iter().rev().find(|attempt| near(attempt.started, attempt.ended));
            let Some(attempt) = found.or(call.attempts.last()) else { return String::new() };
            let mut out = format!("Attempt {}", attempt.number);
            if attempt.probe {
                out.push_str(", the breaker's probe");
            }
            if !attempt.provider.is_none() {
                let _ = write!(out, " · {} {}", text(attempt.provider), text(attempt.model));
            }
            let end = attempt.ended.unwrap_or_else(|| call.end_or(now));
            let _ = write!(out, " · {}", span(end - attempt.started));
            if !attempt.code.is_none() {
                let _ = write!(out, " · {} by {}", text(attempt.code), text(attempt.rule));
            }
            if attempt.chunks > 0 {
                let first = attempt.first_chunk_ms.map_or_else(|| "–".into(), span);
                let _ = write!(out, " · {}, first after {first}", number_of(attempt.chunks, "chunk"));
            }
            out
        }
        Bar::Rejected => format!("Refused by the {}: {}", text(call.why), text(call.code)),
        Bar::Fallback => format!(
            "The fallback answered after {}",
            mark(MarkKind::Fallback).map_or("", |mark| text(mark.code))
        ),
        Bar::FallbackFailed => "The fallback failed as well".into(),
        Bar::Failover => mark(MarkKind::Failover)
            .map(|mark| {
                format!(
                    "Failover from {} to {} because of {}",
                    text(mark.from),
                    text(mark.to),
                    text(mark.code)
                )
            })
            .unwrap_or_default(),
        Bar::Broken => "The stream broke".into(),
        Bar::Repaired => mark(MarkKind::Repaired).map_or_else(String::new, |mark| {
            format!("The request was repaired after {}: {}", text(mark.code), text(mark.from))
        }),
        Bar::Deadline => call.deadline.map_or_else(String::new, |deadline| {
            format!("Deadline: {} after the call began", span(deadline - call.started))
        }),
        Bar::GaveUp => format!("Gave up: {} ({})", text(call.code), text(call.why)),
        Bar::Cancelled => "Cancelled by the caller".into(),
        Bar::Whole => self::call(log, call, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen_store::numbers::CallNumber;

    #[test]
    fn a_call_is_called_by_its_task_its_operation_its_policy_or_its_id() {
        for (fields, expected) in [
            (r#","policy":"chat","task":"plan""#, ("plan", "chat")),
            (r#","policy":"chat","operation":"searchFlights""#, ("searchFlights", "chat")),
            (r#","policy":"chat""#, ("chat", "")),
            (r#","policy":"chat","task":"chat""#, ("chat", "")),
            ("", ("c1", "")),
        ] {
            let mut log = Log::default();
            let line = format!(
                r#"{{"v":1,"source":"s","seq":1,"time":1,"call":"c1","type":"call.started"{fields}}}"#
            );
            assert!(log.take(&line), "{:?}", log.losses);
            let (name, second) = names(&log, log.call(CallNumber(0)).unwrap());
            assert_eq!((name.as_str(), second.as_str()), expected, "{fields}");
        }
    }
}
