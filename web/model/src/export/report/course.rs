//! The course of the incident by its moments: the first failure of each kind, changes of breakers, the first fallback, the end.

use super::incident::Incident;
use super::text::{MOST, more, text};
use crate::format::span;
use halfopen_store::call::{Call, MarkKind, Outcome, Status};
use halfopen_store::names::Name;
use halfopen_store::order;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fmt::Write;

/// The moments of the calls that were read.
#[derive(Default)]
pub(super) struct Course {
    moments: Vec<(Moment, String)>,
    /// Codes of providers that have failed before.
    seen: Vec<(Name, Name)>,
    /// `true` once a fallback has answered, and once a call was refused.
    mentioned: [bool; 2],
    /// When the last failure was; nothing before the first.
    last_failure: Option<Moment>,
}

impl Course {
    pub(super) fn read(&mut self, log: &Log, call: &Call) {
        let name = |name: Name| log.names.text(name);
        for attempt in call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed) {
            let Some(ended) = attempt.ended else { continue };
            self.last_failure = Some(self.last_failure.map_or(ended, |last| last.max(ended)));
            if !self.seen.contains(&(attempt.code, attempt.provider)) {
                self.seen.push((attempt.code, attempt.provider));
                let who = if attempt.provider.is_none() { call.policy } else { attempt.provider };
                let says = format!("first {} of {}", text(name(attempt.code)), text(name(who)));
                self.moments.push((ended, says));
            }
        }
        for mark in &call.marks {
            let (place, says) = match mark.kind {
                MarkKind::Fallback => (0, "first answer by a fallback"),
                MarkKind::Rejected if call.tries() == 0 => (1, "first call refused without an attempt"),
                _ => continue,
            };
            if let Some(mentioned) = self.mentioned.get_mut(place).filter(|mentioned| !**mentioned) {
                *mentioned = true;
                self.moments.push((mark.at, format!("{says} ({})", text(name(mark.code)))));
            }
        }
    }

    pub(super) fn write(
        self,
        out: &mut String,
        log: &Log,
        incident: &Incident,
        clock: &dyn Fn(Moment) -> String,
    ) {
        let Self { mut moments, last_failure, .. } = self;
        for (breaker, _) in incident.scope().breakers(log) {
            for change in breaker.changes_within(incident.from, incident.to) {
                let says = format!(
                    "breaker {} {}: {}",
                    text(log.names.text(breaker.id.name)),
                    change.to.word(),
                    text(&change.reason)
                );
                moments.push((change.at, says));
            }
        }
        let calls = incident.calls.iter().filter_map(|&number| log.call(number));
        let after = |last: Moment| {
            let well = calls.filter(|call| call.status == Status::Succeeded).filter_map(|call| call.ended);
            well.filter(|&ended| ended > last).min_by(Moment::total_cmp)
        };
        if let Some(well) = last_failure.and_then(after) {
            moments.push((well, "first call that succeeds after the last failure".into()));
        }
        out.push_str("\n## Timeline\n\n");
        order::sort_by(&mut moments, |a, b| a.0.total_cmp(&b.0));
        for (at, says) in moments.iter().take(MOST) {
            let _ = writeln!(out, "- {} (+{}): {says}", clock(*at), span(*at - incident.from));
        }
        more(out, moments.len());
    }
}
