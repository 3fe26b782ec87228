//! The facts of each call for a report: its failures, the message that its user read, the providers that it called.

use super::text::{MOST, cell, more, text};
use crate::format::{count, percent, span};
use halfopen_log::{Event, Kind};
use halfopen_store::call::{Call, Outcome, Status};
use halfopen_store::names::Name;
use halfopen_store::order;
use halfopen_store::store::Log;
use std::cmp::Reverse;
use std::fmt::Write;

/// Failed attempts of one code by one rule; `again` of them can be retried.
struct Group {
    code: Name,
    rule: Name,
    number: u64,
    again: u64,
    who: Vec<Name>,
}

/// The failures, by code and rule.
#[derive(Default)]
pub(super) struct Failures(Vec<Group>);

impl Failures {
    pub(super) fn read(&mut self, call: &Call) {
        for attempt in call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed) {
            let (code, rule) = (attempt.code, attempt.rule);
            let known = self.0.iter().position(|group| group.code == code && group.rule == rule);
            let place = known.unwrap_or_else(|| {
                self.0.push(Group { code, rule, number: 0, again: 0, who: Vec::new() });
                self.0.len() - 1
            });
            if let Some(group) = self.0.get_mut(place) {
                group.number += 1;
                group.again += u64::from(attempt.retryable);
                if !group.who.contains(&attempt.provider) {
                    group.who.push(attempt.provider);
                }
            }
        }
    }

    pub(super) fn write(self, out: &mut String, log: &Log) {
        let mut groups = self.0;
        out.push_str("\n## What failed\n\n");
        if groups.is_empty() {
            out.push_str("No attempt failed.\n");
            return;
        }
        out.push_str(
            "| Code | Rule | Attempts | Retryable | Providers |\n| --- | --- | ---: | --- | --- |\n",
        );
        let name = |name: Name| log.names.text(name);
        order::sort_by_key(&mut groups, |group| Reverse(group.number));
        for Group { code, rule, number, again, who } in groups.iter().take(MOST) {
            let who: Vec<_> = who.iter().map(|&who| cell(name(who))).filter(|who| !who.is_empty()).collect();
            let again = if again == number {
                "yes"
            } else if *again == 0 {
                "no"
            } else {
                "some"
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {again} | {} |",
                cell(name(*code)),
                cell(name(*rule)),
                count(*number),
                who.join(", ")
            );
        }
        more(out, groups.len());
    }
}

/// The messages to users: each message, its number of readers, and whether a fallback answered instead.
#[derive(Default)]
pub(super) struct Messages {
    shown: Vec<(String, u64, bool)>,
    /// Those that are not kept.
    others: usize,
}

/// How many different messages are kept.
const MESSAGES: usize = 300;

impl Messages {
    pub(super) fn read(&mut self, log: &Log, call: &Call) {
        // Only a failure has a message.
        let hidden = match call.status {
            Status::Degraded => true,
            Status::Failed | Status::Rejected | Status::Cancelled => false,
            _ => return,
        };
        let message =
            call.events.iter().rev().find_map(|&event| match Event::parse(log.line_of(event)).ok()?.kind {
                Kind::CallFailed(failed) => Some(failed.user_message.as_str().to_owned()),
                _ => None,
            });
        let Some(message) = message.filter(|message| !message.is_empty()) else { return };
        let full = self.shown.len() == MESSAGES;
        match self.shown.iter_mut().find(|one| one.0 == message && one.2 == hidden) {
            Some(one) => one.1 += 1,
            None if full => self.others += 1,
            None => self.shown.push((message, 1, hidden)),
        }
    }

    pub(super) fn write(self, out: &mut String) {
        let Self { mut shown, others } = self;
        out.push_str("\n## What users read\n\n");
        if shown.is_empty() {
            out.push_str("No call showed a message.\n");
        }
        // Those that were really read come first.
        order::sort_by_key(&mut shown, |&(_, times, hidden)| (hidden, Reverse(times)));
        for (message, times, hidden) in shown.iter().take(MOST) {
            let seen = if *hidden { ", but a fallback answered" } else { "" };
            let _ = writeln!(out, "{} ×{seen}:\n", count(*times));
            for line in message.lines() {
                let _ = writeln!(out, "> {}", text(line));
            }
            out.push('\n');
        }
        more(out, shown.len() + others);
    }
}

/// Attempts at one provider's model.
struct Target {
    provider: Name,
    model: Name,
    attempts: u64,
    failed: u64,
    slowest: f64,
}

/// Providers and models, those that failed most first.
#[derive(Default)]
pub(super) struct Targets(Vec<Target>);

impl Targets {
    pub(super) fn read(&mut self, call: &Call) {
        for attempt in &call.attempts {
            let (provider, model) = (attempt.provider, attempt.model);
            let known = self.0.iter().position(|row| row.provider == provider && row.model == model);
            let place = known.unwrap_or_else(|| {
                self.0.push(Target { provider, model, attempts: 0, failed: 0, slowest: 0.0 });
                self.0.len() - 1
            });
            if let Some(row) = self.0.get_mut(place) {
                row.attempts += 1;
                row.failed += u64::from(attempt.outcome == Outcome::Failed);
                row.slowest = row.slowest.max(attempt.duration_ms.unwrap_or_default());
            }
        }
    }

    pub(super) fn write(self, out: &mut String, log: &Log) {
        let mut rows = self.0;
        out.push_str("\n## Providers\n\n| Provider | Model | Attempts | Failed | Slowest |\n| --- | --- | ---: | ---: | ---: |\n");
        order::sort_by_key(&mut rows, |row| Reverse(row.failed));
        for Target { provider, model, attempts, failed, slowest } in rows.iter().take(MOST) {
            #[expect(clippy::cast_precision_loss, reason = "counts of a log")]
            let share = *failed as f64 / (*attempts as f64).max(1.0);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} ({}) | {} |",
                cell(log.names.text(*provider)),
                cell(log.names.text(*model)),
                count(*attempts),
                count(*failed),
                percent(share),
                span(*slowest)
            );
        }
        more(out, rows.len());
    }
}
