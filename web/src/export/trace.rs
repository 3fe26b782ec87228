//! The log as a trace that Perfetto and `chrome://tracing` open: the Trace Event Format, its JSON object form.
//!
//! `X` (complete) for calls, their attempts and waits, and a breaker's states; `i` (instant) for what happened at one
//! moment; `M` (metadata) for the names of rows. `ts` and `dur` in microseconds, from the log's beginning.
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>

use super::order;
use crate::session::breaker::Breaker;
use crate::session::call::{Call, MarkKind, Outcome};
use crate::session::names::Name;
use crate::session::store::Log;
use halfopen_answers::plain::json_line;
use std::fmt::Write;

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
    out.push_str("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"writtenBy\":\"halfopen\",\"startedAtMs\":");
    put(&mut out, begins);
    out.push_str("}}\n");
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
    /// An event; `more` are further fields as they are written, each with its comma before it.
    fn push(&mut self, row: usize, phase: char, name: &str, at: f64, more: &str) {
        let pid = self.rows.get(row).map_or(0, |row| row.source.0 + 1);
        self.out.push_str(if std::mem::take(&mut self.first) { "" } else { ",\n" });
        self.out.push_str("{\"ph\":\"");
        self.out.push(phase);
        self.out.push_str("\",\"name\":");
        json_line(&mut self.out, name);
        self.out.push_str(",\"pid\":");
        put(&mut self.out, pid);
        self.out.push_str(",\"tid\":");
        put(&mut self.out, row + 1);
        self.out.push_str(",\"ts\":");
        put(&mut self.out, micros(at - self.begins));
        self.out.push_str(more);
        self.out.push('}');
    }

    /// A span; what goes on lasts until the log's end.
    fn span(&mut self, row: usize, name: &str, from: f64, to: f64, args: &Args) {
        let to = if to.is_nan() { self.ends } else { to };
        let mut more = String::from(",\"dur\":");
        put(&mut more, micros((to - from).max(0.0)));
        more.push_str(&args.written());
        self.push(row, 'X', name, from, &more);
    }

    fn moment(&mut self, row: usize, name: &str, at: f64) {
        self.push(row, 'i', name, at, ",\"s\":\"t\"");
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
        self.span(row, title, call.started, end, &args);
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
            self.span(row, name, from, free, args);
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
            self.span(row, span.state.word(), span.from, span.to, &Args::default());
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
            let (source, name) = (row.source, row.name.clone());
            let mut args = Args::default();
            if !sources.contains(&source) {
                sources.push(source);
                args.put("name", &format!("agent {}", self.log.names.text(source)));
                self.push(index, 'M', "process_name", self.begins, &args.written());
            }
            let mut args = Args::default();
            args.put("name", &name);
            self.push(index, 'M', "thread_name", self.begins, &args.written());
            self.push(
                index,
                'M',
                "thread_sort_index",
                self.begins,
                &format!(",\"args\":{{\"sort_index\":{index}}}"),
            );
        }
    }
}

/// What is told beside an event; empty texts are left out, secrets taken out.
#[derive(Default)]
struct Args(String);

impl Args {
    fn put(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.0.push_str(if self.0.is_empty() { "" } else { "," });
            json_line(&mut self.0, name);
            self.0.push(':');
            json_line(&mut self.0, text);
        }
    }

    /// As a field of an event.
    fn written(&self) -> String {
        format!(",\"args\":{{{}}}", self.0)
    }
}

fn put(out: &mut String, what: impl std::fmt::Display) {
    // Writing to a String does not fail.
    let _ = write!(out, "{what}");
}

/// Whole microseconds.
fn micros(ms: f64) -> f64 {
    (ms.max(0.0) * 1e3).round()
}
