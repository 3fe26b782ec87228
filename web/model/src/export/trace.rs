//! The log as a trace that Perfetto and `chrome://tracing` open: the Trace Event Format, its JSON object form.
//!
//! `X` (complete) is for calls, their attempts and waits, and a breaker's states; `i` (instant) for events of one moment;
//! `M` (metadata) for the names of rows. `ts` and `dur` in whole microseconds, from the log's beginning.
//!
//! Events of a row must nest, and Perfetto nests an event into one without length that begins at the same time. So no span
//! is shorter than a microsecond, and two events of one millisecond are a microsecond apart.
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>

use super::report::Incident;
use halfopen_answers::plain::json_line;
use halfopen_store::breaker::{Breaker, BreakerId};
use halfopen_store::call::{Call, MarkKind, Outcome};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fmt::Write;
use std::sync::Arc;

/// A row of the picture. Overlapping calls get rows of their own, because events of one thread must nest.
struct Row {
    source: Name,
    name: String,
    free_from: f64,
}

/// Builds a trace of an incident's calls, in steps, and of its breakers.
pub struct Trace {
    calls: Arc<Vec<CallNumber>>,
    breakers: Vec<BreakerId>,
    /// How many of the calls were read.
    read: usize,
    begins: Moment,
    ends: Moment,
    out: String,
    /// The processes, in the order of their first calls.
    sources: Vec<Name>,
    rows: Vec<Row>,
    first: bool,
}

impl Trace {
    /// Begins a trace of an incident.
    pub fn begin(log: &Log, incident: Incident) -> Self {
        let (begins, ends) = log.bounds().unwrap_or_default();
        let breakers: Vec<_> = incident.scope().breakers(log).iter().map(|row| row.0.id).collect();
        let calls = incident.calls;
        let of_calls = calls.iter().filter_map(|&number| log.call(number)).map(|call| call.source);
        let mut sources = Vec::new();
        for source in of_calls.chain(breakers.iter().map(|breaker| breaker.source)) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        let out = String::from("{\"traceEvents\":[\n");
        Self { calls, breakers, read: 0, begins, ends, out, sources, rows: Vec::new(), first: true }
    }

    /// Reads up to `calls` more calls. Returns `true` if some are left.
    pub fn step(&mut self, log: &Log, calls: usize) -> bool {
        let end = self.calls.len().min(self.read.saturating_add(calls));
        for place in self.read..end {
            if let Some(call) = self.calls.get(place).and_then(|&number| log.call(number)) {
                self.call(log, call);
            }
        }
        self.read = end;
        end < self.calls.len()
    }

    /// Returns the trace.
    pub fn write(mut self, log: &Log) -> String {
        for id in std::mem::take(&mut self.breakers) {
            log.breakers.get(id).into_iter().for_each(|breaker| self.breaker(log, breaker));
        }
        self.names(log);
        let mut out = self.out;
        out.push_str(
            "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"writtenBy\":\"halfopen\",\"startedAtMs\":",
        );
        put(&mut out, self.begins.ms());
        out.push_str("}}\n");
        out
    }

    /// Adds an event; `more` are further fields as JSON, each after a comma.
    fn push(&mut self, row: usize, phase: char, name: &str, at: f64, more: &str) {
        // Rows are numbered after all processes, because Perfetto takes a thread with its process's number for the main one.
        let source = self.rows.get(row).map(|row| row.source);
        let pid = self.sources.iter().position(|&one| Some(one) == source).map_or(0, |place| place + 1);
        let tid = self.sources.len() + row + 1;
        self.out.push_str(if std::mem::take(&mut self.first) { "" } else { ",\n" });
        self.out.push_str("{\"ph\":\"");
        self.out.push(phase);
        self.out.push_str("\",\"name\":");
        json_line(&mut self.out, name);
        self.out.push_str(",\"pid\":");
        put(&mut self.out, pid);
        self.out.push_str(",\"tid\":");
        put(&mut self.out, tid);
        self.out.push_str(",\"ts\":");
        put(&mut self.out, at);
        self.out.push_str(more);
        self.out.push('}');
    }

    /// Microseconds since the log's beginning.
    fn micros(&self, moment: Moment) -> f64 {
        ((moment - self.begins).max(0.0) * 1e3).round()
    }

    fn span(&mut self, row: usize, name: &str, (from, to): (f64, f64), args: &Args) {
        let mut more = String::from(",\"dur\":");
        put(&mut more, to - from);
        more.push_str(&args.written());
        self.push(row, 'X', name, from, &more);
    }

    fn moment(&mut self, row: usize, name: &str, at: f64) {
        self.push(row, 'i', name, at, ",\"s\":\"t\"");
    }

    /// The first row of that name that is free at the moment (± 1 ms, the clock's resolution), and from when to use it.
    fn row(&mut self, source: Name, name: &str, from: f64) -> (usize, f64) {
        let is_free = |row: &Row| row.source == source && row.name == name && row.free_from < from + 1e3;
        let known = self.rows.iter().enumerate().find(|(_, row)| is_free(row));
        known.map(|(index, row)| (index, from.max(row.free_from))).unwrap_or_else(|| {
            self.rows.push(Row { source, name: name.to_owned(), free_from: 0.0 });
            (self.rows.len() - 1, from)
        })
    }

    fn free_from(&mut self, row: usize, at: f64) {
        if let Some(row) = self.rows.get_mut(row) {
            row.free_from = at;
        }
    }

    fn call(&mut self, log: &Log, call: &Call) {
        let text = |name: Name| log.names.text(name);
        let title = text(call.title());
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
        // An attempt or a wait without an end lasts until the call's end, or the log's.
        let ended = call.ended.unwrap_or(self.ends);
        let mut parts: Vec<(Moment, Moment, String, Args)> = Vec::new();
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
            parts.push((
                attempt.started,
                attempt.ended.unwrap_or(ended),
                format!("attempt {}", attempt.number),
                args,
            ));
        }
        for wait in &call.waits {
            let mut args = Args::default();
            args.put("plannedMs", &wait.planned_ms().map_or_else(String::new, |ms| ms.to_string()));
            parts.push((wait.from, wait.ended.unwrap_or(ended), wait.reason.word().to_owned(), args));
        }
        let (row, from) = self.row(call.source, text(call.policy), self.micros(call.started));
        let mut track = Track::from(from);
        // Parts follow each other, even if their clocks differ by a fraction of a millisecond.
        let mut spans = Vec::new();
        order::sort_by(&mut parts, |a, b| a.0.total_cmp(&b.0));
        for (from, to, name, args) in parts {
            spans.push((track.span(self.micros(from), self.micros(to)), name, args));
        }
        let marks: Vec<f64> = call.marks.iter().map(|mark| self.micros(mark.at)).collect();
        let end = track.end(self.micros(ended), u32::try_from(marks.len()).unwrap_or(0));
        self.free_from(row, end);
        self.span(row, title, (track.began, end), &args);
        for (span, name, args) in spans {
            self.span(row, &name, span, &args);
        }
        for (at, mark) in track.moments(&marks, end).into_iter().zip(&call.marks) {
            let name = match mark.kind {
                MarkKind::Fallback => "fallback",
                MarkKind::FallbackFailed => "fallback failed",
                MarkKind::Failover => "failover",
                MarkKind::StreamBroken => "stream broken",
                MarkKind::Rejected => "refused",
                MarkKind::Repaired => "repaired",
            };
            self.moment(row, name, at);
        }
    }

    fn breaker(&mut self, log: &Log, breaker: &Breaker) {
        let name = format!("breaker {}", log.names.text(breaker.id.name));
        let (row, _) = self.row(breaker.id.source, &name, 0.0);
        self.free_from(row, f64::INFINITY);
        let mut track = Track::from(0.0);
        for span in breaker.spans(self.begins, self.ends) {
            let place = track.span(self.micros(span.from), self.micros(span.to));
            self.span(row, span.state.word(), place, &Args::default());
        }
        let changes: Vec<f64> = breaker.changes.iter().map(|change| self.micros(change.at)).collect();
        for (at, change) in track.moments(&changes, f64::INFINITY).into_iter().zip(&breaker.changes) {
            self.moment(row, &format!("{}: {}", change.to.word(), change.reason), at);
        }
    }

    /// The names of processes, each with its first row, and of rows.
    fn names(&mut self, log: &Log) {
        let mut last = None;
        let mut by_source: Vec<_> = (0..self.rows.len()).collect();
        order::sort_by_key(&mut by_source, |&index| self.rows.get(index).map(|row| row.source));
        for index in by_source {
            let Some(row) = self.rows.get(index) else { continue };
            let (source, name) = (row.source, row.name.clone());
            if last.replace(source) != Some(source) {
                let process = format!("agent {}", log.names.text(source));
                self.name(index, "process_name", &process);
            }
            self.name(index, "thread_name", &name);
            self.push(index, 'M', "thread_sort_index", 0.0, &format!(",\"args\":{{\"sort_index\":{index}}}"));
        }
    }

    fn name(&mut self, row: usize, what: &str, name: &str) {
        let mut args = Args::default();
        args.put("name", name);
        self.push(row, 'M', what, 0.0, &args.written());
    }
}

/// The arguments of an event beside its name, without empty texts and without secrets.
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

    /// The arguments as a field of an event.
    fn written(&self) -> String {
        format!(",\"args\":{{{}}}", self.0)
    }
}

fn put(out: &mut String, what: impl std::fmt::Display) {
    // Writing to a String does not fail.
    let _ = write!(out, "{what}");
}

/// Positions on a row, in microseconds.
struct Track {
    began: f64,
    free: f64,
}

impl Track {
    fn from(began: f64) -> Self {
        Self { began, free: began }
    }

    /// Adds a span after the previous one.
    fn span(&mut self, from: f64, to: f64) -> (f64, f64) {
        let from = from.max(self.free);
        self.free = to.max(from + 1.0);
        (from, self.free)
    }

    /// The end of the row, with room for that number of moments.
    fn end(&self, at: f64, moments: u32) -> f64 {
        at.max(self.free).max(self.began + f64::from(moments.max(1)))
    }

    /// Places moments, one after the other, before the end.
    fn moments(&self, at: &[f64], end: f64) -> Vec<f64> {
        let count = f64::from(u32::try_from(at.len()).unwrap_or(u32::MAX));
        let (mut free, mut latest) = (self.began, end - count);
        let place = |at: &f64| {
            let at = at.max(free).min(latest);
            (free, latest) = (at + 1.0, latest + 1.0);
            at
        };
        at.iter().map(place).collect()
    }
}
