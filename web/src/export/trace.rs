//! The log as a trace that Perfetto and `chrome://tracing` open: the Trace Event Format, its JSON object form.
//!
//! `X` (complete) for calls, their attempts and waits, and a breaker's states; `i` (instant) for what happened at one
//! moment; `M` (metadata) for the names of rows. `ts` and `dur` in microseconds, from the log's beginning.
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>

use super::literal::line;
use super::order;
use crate::session::breaker::Breaker;
use crate::session::call::{Call, MarkKind, Outcome};
use crate::session::names::Name;
use crate::session::store::Log;
use serde_json::{Map, Value, json};

/// The trace of the calls that are chosen, and of all breakers.
pub(crate) fn trace(log: &Log, chosen: impl Fn(u32) -> bool) -> String {
    let (begins, ends) = log.bounds().unwrap_or_default();
    let mut trace =
        Trace { log, begins, ends, out: String::from("{\"traceEvents\":[\n"), rows: Vec::new(), first: true };
    for (number, call) in log.calls() {
        if chosen(number) {
            trace.call(call);
        }
    }
    for breaker in &log.breakers {
        trace.breaker(breaker);
    }
    trace.names();
    let Trace { mut out, .. } = trace;
    out.push_str("\n],\"displayTimeUnit\":\"ms\",\"otherData\":");
    out.push_str(&json!({ "writtenBy": "halfopen", "startedAtMs": begins }).to_string());
    out.push_str("}\n");
    out
}

/// A row of the picture: calls that overlap stand on rows of their own, as events of one thread must nest.
struct Row {
    source: Name,
    name: String,
    free_from: f64,
}

struct Trace<'a> {
    log: &'a Log,
    begins: f64,
    ends: f64,
    out: String,
    rows: Vec<Row>,
    first: bool,
}

impl Trace<'_> {
    fn push(&mut self, row: usize, phase: &str, name: &str, at: f64, more: Value) {
        let pid = self.rows.get(row).map_or(0, |row| row.source.0 + 1);
        let mut event = json!({ "ph": phase, "name": line(name), "pid": pid, "tid": row + 1, "ts": micros(at - self.begins) });
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        if !std::mem::take(&mut self.first) {
            self.out.push_str(",\n");
        }
        self.out.push_str(&event.to_string());
    }

    /// A span; what goes on lasts until the log's end.
    fn span(&mut self, row: usize, name: &str, from: f64, to: f64, args: Value) {
        let to = if to.is_nan() { self.ends } else { to };
        self.push(row, "X", name, from, json!({ "dur": micros((to - from).max(0.0)), "args": args }));
    }

    fn moment(&mut self, row: usize, name: &str, at: f64) {
        self.push(row, "i", name, at, json!({ "s": "t" }));
    }

    /// The first row of that name that is free.
    fn row(&mut self, source: Name, name: &str, from: f64, to: f64) -> usize {
        let of_name = |row: &&Row| row.source == source && row.name == name;
        let free = self.rows.iter().position(|row| of_name(&row) && row.free_from <= from);
        match free.and_then(|index| Some((index, self.rows.get_mut(index)?))) {
            Some((index, row)) => {
                row.free_from = to;
                index
            }
            None => {
                self.rows.push(Row { source, name: name.to_owned(), free_from: to });
                self.rows.len() - 1
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let log = self.log;
        let text = |name: Name| log.names.text(name);
        let end = call.end_or(self.ends);
        let row = self.row(call.source, text(call.policy), call.started, end);
        let title = if call.task.is_none() { text(call.policy) } else { text(call.task) };
        let mut args = Args::default();
        args.put("call", &call.id);
        args.put("policy", text(call.policy));
        args.put("outcome", call.status.word());
        args.put("code", text(call.code));
        args.put("why", text(call.why));
        args.put("trace", text(call.trace));
        if let Some(parent) = call.parent.and_then(|parent| log.call(parent)) {
            args.put("within", &parent.id);
        }
        self.span(row, title, call.started, end, args.into());
        let mut parts: Vec<(f64, f64, String, Args)> = Vec::new();
        for attempt in &call.attempts {
            let mut args = Args::default();
            args.put("provider", text(attempt.provider));
            args.put("model", text(attempt.model));
            args.put("code", text(attempt.code));
            args.put("rule", text(attempt.rule));
            let outcome = match attempt.outcome {
                Outcome::Running => "running",
                Outcome::Succeeded => "succeeded",
                Outcome::Failed => "failed",
            };
            args.put("outcome", outcome);
            if attempt.status_code > 0 {
                args.put("status", &attempt.status_code.to_string());
            }
            parts.push((attempt.started, attempt.ended, format!("attempt {}", attempt.number), args));
        }
        for wait in &call.waits {
            let mut args = Args::default();
            args.put("plannedMs", &wait.planned_ms().to_string());
            parts.push((wait.from, wait.ended, wait.reason.word().to_owned(), args));
        }
        let begins: Vec<f64> = parts.iter().map(|part| part.0).collect();
        // One comes after the other: what clocks say differently by a part of a millisecond must not cross.
        let mut free = call.started;
        for place in order(&begins) {
            let Some((from, to, name, args)) = parts.get_mut(place) else { continue };
            let from = from.max(free).min(end);
            free = if to.is_nan() { end } else { to.clamp(from, end) };
            self.span(row, name, from, free, std::mem::take(args).into());
        }
        for mark in &call.marks {
            let name = match mark.kind {
                MarkKind::Fallback => "fallback",
                MarkKind::FallbackFailed => "fallback failed",
                MarkKind::Failover => "failover",
                MarkKind::StreamBroken => "stream broken",
                MarkKind::Rejected => "refused",
            };
            self.moment(row, name, mark.at.clamp(call.started, end.max(call.started)));
        }
    }

    fn breaker(&mut self, breaker: &Breaker) {
        let name = format!("breaker {}", self.log.names.text(breaker.name));
        let row = self.row(breaker.source, &name, self.begins, f64::INFINITY);
        for span in breaker.spans(self.begins, self.ends) {
            self.span(row, span.state.word(), span.from, span.to, json!({}));
        }
        for change in &breaker.changes {
            self.moment(row, &format!("{}: {}", change.to.word(), change.reason), change.at.max(self.begins));
        }
    }

    /// The names of processes and rows, in the order in which they came.
    fn names(&mut self) {
        let mut sources: Vec<Name> = Vec::new();
        for index in 0..self.rows.len() {
            let Some(row) = self.rows.get(index) else { continue };
            let (source, name) = (row.source, line(&row.name));
            if !sources.contains(&source) {
                sources.push(source);
                let process = format!("agent {}", self.log.names.text(source));
                self.push(index, "M", "process_name", self.begins, json!({ "args": { "name": process } }));
            }
            self.push(index, "M", "thread_name", self.begins, json!({ "args": { "name": name } }));
            self.push(
                index,
                "M",
                "thread_sort_index",
                self.begins,
                json!({ "args": { "sort_index": index } }),
            );
        }
    }
}

/// What is told beside an event; empty texts are left out, secrets taken out.
#[derive(Default)]
struct Args(Map<String, Value>);

impl Args {
    fn put(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.0.insert(name.to_owned(), Value::String(line(text)));
        }
    }
}

impl From<Args> for Value {
    fn from(args: Args) -> Self {
        Self::Object(args.0)
    }
}

/// Whole microseconds.
fn micros(ms: f64) -> f64 {
    (ms.max(0.0) * 1e3).round()
}
