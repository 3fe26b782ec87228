//! An incident as Markdown: what failed, when, why breakers opened, what people read, who was concerned, what to change.
//!
//! The calls are read in steps, which an incident of hundreds of thousands needs; the rest is few.

mod calls;
mod course;
mod incident;
mod text;

pub use incident::Incident;

use crate::breaker_window;
use crate::check::{Finding, Setting, grouped};
use crate::format::{number_of, span, times};
use calls::{Failures, Messages, Targets};
use course::Course;
use halfopen::message::redact;
use halfopen_store::breaker::State;
use halfopen_store::call::Status;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fmt::Write;
use text::{MOST, code, more, text};

/// A report in the making.
pub struct Report {
    incident: Incident,
    /// How many of the calls were read.
    read: usize,
    /// How many calls came to what.
    failed: u64,
    refused: u64,
    degraded: u64,
    failures: Failures,
    course: Course,
    messages: Messages,
    targets: Targets,
}

impl Report {
    pub fn begin(incident: Incident) -> Self {
        Self {
            incident,
            read: 0,
            failed: 0,
            refused: 0,
            degraded: 0,
            failures: Failures::default(),
            course: Course::default(),
            messages: Messages::default(),
            targets: Targets::default(),
        }
    }

    /// Reads up to that number of further calls. Returns `true` if there are others yet.
    pub fn step(&mut self, log: &Log, calls: usize) -> bool {
        let end = self.incident.calls.len().min(self.read.saturating_add(calls));
        for &number in self.incident.calls.get(self.read..end).unwrap_or_default() {
            let Some(call) = log.call(number) else { continue };
            match call.status {
                Status::Failed => self.failed += 1,
                Status::Rejected => self.refused += 1,
                Status::Degraded => self.degraded += 1,
                _ => {}
            }
            self.failures.read(call);
            self.course.read(log, call);
            self.messages.read(log, call);
            self.targets.read(call);
        }
        self.read = end;
        end < self.incident.calls.len()
    }

    /// The report. `clock` writes a moment as the reader's clock shows it.
    pub fn write(self, log: &Log, advice: &[Finding], clock: &dyn Fn(Moment) -> String) -> String {
        let mut out = String::new();
        let Self { incident, failed, refused, degraded, failures, course, messages, targets, .. } = self;
        let _ = writeln!(
            out,
            "# Incident of {}\n\n{} to {} ({}): {}, of which {failed} failed, {refused} were refused and {degraded} were answered by a fallback.",
            clock(incident.from),
            clock(incident.from),
            clock(incident.to),
            span(incident.to - incident.from),
            number_of(incident.calls.len() as u64, "call"),
        );
        if incident.is_filtered() {
            let _ = writeln!(out, "\nOnly calls that match {}.", code(&incident.filter));
        }
        if let Some(swimlane) = &incident.swimlane {
            let _ = writeln!(out, "\nOnly calls of the swimlane {}.", code(swimlane));
        }
        failures.write(&mut out, log);
        course.write(&mut out, log, &incident, clock);
        breakers(&mut out, log, &incident, clock);
        messages.write(&mut out);
        targets.write(&mut out, log);
        settings_to_change(&mut out, log, advice);
        out
    }
}

/// The findings of the checks, one heading a check.
fn settings_to_change(out: &mut String, log: &Log, advice: &[Finding]) {
    out.push_str("\n## Settings to change\n\n");
    if advice.is_empty() {
        out.push_str("Nothing in the settings stands out.\n");
    }
    for group in grouped(advice) {
        let _ = writeln!(out, "### {}\n", text(&group.title(log)));
        if let Some(fix) = group.fix() {
            let _ = writeln!(out, "{}\n", text(fix));
        }
        for one in &group.findings {
            if group.findings.len() > 1 {
                let _ = writeln!(out, "#### {}\n", text(&one.title));
            }
            let _ = writeln!(out, "{}\n", text(&one.what));
            if group.fix().is_none() {
                let _ = writeln!(out, "{}\n", text(&one.fix));
            }
            change(out, one);
        }
    }
}

/// The settings of one finding, and its code.
fn change(out: &mut String, one: &Finding) {
    for Setting { path, now, to } in &one.settings {
        let now = now.as_deref().unwrap_or("not in this log");
        let _ = writeln!(out, "- {}: {} → {}", code(path), code(now), code(to));
    }
    if !one.settings.is_empty() {
        out.push('\n');
    }
    if !one.code.is_empty() {
        // Four marks: the code itself may have a fence of three.
        let _ = writeln!(out, "````ts\n{}\n````\n", redact(&one.code).replace("````", "'''"));
    }
}

/// Why each breaker opened, and what its policy was set to.
fn breakers(out: &mut String, log: &Log, incident: &Incident, clock: &dyn Fn(Moment) -> String) {
    out.push_str("\n## Breakers\n\n");
    let mut none = true;
    for (breaker, refused) in incident.scope().breakers(log) {
        let changes = breaker.changes_within(incident.from, incident.to);
        let opened: Vec<_> = changes.filter(|change| change.to == State::Open).collect();
        if opened.is_empty() {
            continue;
        }
        none = false;
        let open = breaker.time_open_within(incident.from, incident.to);
        let _ = writeln!(
            out,
            "**{}** opened {}, was open for {} in total and refused {}.\n",
            text(log.names.text(breaker.id.name)),
            times(opened.len() as u64),
            span(open),
            number_of(refused, "call")
        );
        for change in opened.iter().take(MOST) {
            let _ = write!(out, "- {}: {}", clock(change.at), text(&change.reason));
            if let Some(window) = &change.window {
                let last: String = window.last.iter().map(|&result| breaker_window::sign(result)).collect();
                let _ = write!(out, ". {}", breaker_window::words(window));
                if !last.is_empty() {
                    let _ = write!(out, " The last results: {last} (✓ ok, ✕ failed, ◷ slow).");
                }
            }
            out.push('\n');
        }
        more(out, opened.len());
        if let Some(settings) = settings(log, log.policy_of(breaker.id)) {
            let _ = writeln!(out, "\nIts settings: {}", code(&settings));
        }
        out.push('\n');
    }
    if none {
        out.push_str("No breaker opened.\n");
    }
}

fn settings(log: &Log, policy: PolicyId) -> Option<String> {
    log.options_of(policy)?.at(&["breaker"]).map(|breaker| breaker.to_string())
}
