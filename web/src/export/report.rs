//! An incident as Markdown: what failed, when, why breakers opened, what people read, who was concerned, what to change.

use super::order;
use crate::lint::Finding;
use crate::session::breaker::{Change, State};
use crate::session::call::{Call, MarkKind, Outcome, Status};
use crate::session::names::Name;
use crate::session::store::Log;
use crate::ui::format::{count, percent, span};
use halfopen::log::{Event, Kind};
use halfopen::message::redact;
use halfopen_answers::plain::is_hidden;
use std::fmt::Write;

/// Most rows of one table and entries of one list; the rest is counted.
const MOST: usize = 30;

/// What the report is about.
pub(crate) struct Incident {
    /// Moments, milliseconds since 1970.
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// The filter, as it was written.
    pub(crate) filter: String,
    /// The calls, oldest first.
    pub(crate) calls: Vec<u32>,
}

/// The report. `clock` writes a moment as the reader's clock shows it.
pub(crate) fn report(
    log: &Log,
    incident: &Incident,
    advice: &[Finding],
    clock: &dyn Fn(f64) -> String,
) -> String {
    let mut out = String::new();
    let calls: Vec<&Call> = incident.calls.iter().filter_map(|&number| log.call(number)).collect();
    let failed = |status: &[Status]| calls.iter().filter(|call| status.contains(&call.status)).count();
    let lost = failed(&[Status::Failed]);
    let refused = failed(&[Status::Rejected]);
    let degraded = failed(&[Status::Degraded]);
    let _ = writeln!(
        out,
        "# Incident of {}\n\n{} to {} ({}): {} calls, of which {lost} failed, {refused} were refused and {degraded} were answered by a fallback.",
        clock(incident.from),
        clock(incident.from),
        clock(incident.to),
        span(incident.to - incident.from),
        count(calls.len() as u64),
    );
    if !incident.filter.is_empty() {
        let _ = writeln!(out, "\nOnly calls that match {}.", code(&incident.filter));
    }
    failures(&mut out, log, &calls);
    story(&mut out, log, incident, &calls, clock);
    breakers(&mut out, log, incident, clock);
    messages(&mut out, log, &calls);
    providers(&mut out, log, &calls);
    out.push_str("\n## Settings to change\n\n");
    if advice.is_empty() {
        out.push_str("Nothing in the settings stands out.\n");
    }
    for one in advice {
        let _ = writeln!(out, "### {}\n\n{}\n\n{}\n", text(one.title), text(&one.what), text(&one.fix));
        if !one.code.is_empty() {
            // As many marks as no line of the code has.
            let _ = writeln!(out, "````ts\n{}\n````\n", redact(&one.code).replace("````", "'''"));
        }
    }
    out
}

/// Failed attempts of one code by one rule; `again` of them can be retried.
struct Group {
    code: Name,
    rule: Name,
    number: u64,
    again: u64,
    who: Vec<Name>,
}

/// The places of the largest counts, as many as a list shows.
#[expect(clippy::cast_precision_loss, reason = "counts of a log")]
fn most_first(counts: impl Iterator<Item = u64>) -> Vec<usize> {
    let keys: Vec<f64> = counts.map(|count| -(count as f64)).collect();
    let mut places = order(&keys);
    places.truncate(MOST);
    places
}

/// What failed: by code and rule.
fn failures(out: &mut String, log: &Log, calls: &[&Call]) {
    let mut groups: Vec<Group> = Vec::new();
    for call in calls {
        for attempt in call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed) {
            let same = |group: &&mut Group| group.code == attempt.code && group.rule == attempt.rule;
            let (number, again) = (1, u64::from(attempt.retryable));
            match groups.iter_mut().find(same) {
                Some(group) => {
                    group.number += number;
                    group.again += again;
                    if !group.who.contains(&attempt.provider) {
                        group.who.push(attempt.provider);
                    }
                }
                None => groups.push(Group {
                    code: attempt.code,
                    rule: attempt.rule,
                    number,
                    again,
                    who: vec![attempt.provider],
                }),
            }
        }
    }
    out.push_str("\n## What failed\n\n");
    if groups.is_empty() {
        out.push_str("No attempt failed.\n");
        return;
    }
    out.push_str("| Code | Rule | Attempts | Retryable | Providers |\n| --- | --- | ---: | --- | --- |\n");
    let name = |name: Name| log.names.text(name);
    for place in most_first(groups.iter().map(|group| group.number)) {
        let Some(Group { code, rule, number, again, who }) = groups.get(place) else { continue };
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

/// The moments that tell the story: the first failure of each kind, changes of breakers, the first fallback, the end.
fn story(out: &mut String, log: &Log, incident: &Incident, calls: &[&Call], clock: &dyn Fn(f64) -> String) {
    let name = |name: Name| log.names.text(name);
    let mut moments: Vec<(f64, String)> = Vec::new();
    let mut seen: Vec<(Name, Name)> = Vec::new();
    let mut first = [true; 2];
    let mut last_failure = f64::NEG_INFINITY;
    for call in calls {
        for attempt in call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed) {
            last_failure = last_failure.max(attempt.ended);
            if !seen.contains(&(attempt.code, attempt.provider)) {
                seen.push((attempt.code, attempt.provider));
                moments.push((
                    attempt.ended,
                    format!(
                        "first {} of {}",
                        text(name(attempt.code)),
                        text(who(log, call, attempt.provider))
                    ),
                ));
            }
        }
        for mark in &call.marks {
            let (place, says) = match mark.kind {
                MarkKind::Fallback => (0, "first answer by a fallback"),
                MarkKind::Rejected => (1, "first call refused without an attempt"),
                _ => continue,
            };
            if let Some(first) = first.get_mut(place).filter(|first| **first) {
                *first = false;
                moments.push((mark.at, format!("{says} ({})", text(name(mark.code)))));
            }
        }
    }
    for breaker in &log.breakers {
        for change in breaker.changes.iter().filter(|change| within(incident, change)) {
            let says = format!(
                "breaker {} {}: {}",
                text(name(breaker.name)),
                change.to.word(),
                text(&change.reason)
            );
            moments.push((change.at, says));
        }
    }
    let after = calls.iter().filter(|call| call.status == Status::Succeeded && call.ended > last_failure);
    if let Some(well) =
        after.map(|call| call.ended).min_by(f64::total_cmp).filter(|_| last_failure.is_finite())
    {
        moments.push((well, "first call that succeeds after the last failure".into()));
    }
    out.push_str("\n## Timeline\n\n");
    let times: Vec<f64> = moments.iter().map(|moment| moment.0).collect();
    for place in order(&times).into_iter().take(MOST) {
        if let Some((at, says)) = moments.get(place) {
            let _ = writeln!(out, "- {} (+{}): {says}", clock(*at), span(at - incident.from));
        }
    }
    more(out, moments.len());
}

fn who<'a>(log: &'a Log, call: &Call, provider: Name) -> &'a str {
    log.names.text(if provider.is_none() { call.policy } else { provider })
}

fn within(incident: &Incident, change: &Change) -> bool {
    change.at >= incident.from && change.at <= incident.to
}

/// Why each breaker opened, and what its policy was set to.
fn breakers(out: &mut String, log: &Log, incident: &Incident, clock: &dyn Fn(f64) -> String) {
    out.push_str("\n## Breakers\n\n");
    let mut none = true;
    for breaker in &log.breakers {
        let opened: Vec<_> = breaker
            .changes
            .iter()
            .filter(|change| change.to == State::Open && within(incident, change))
            .collect();
        if opened.is_empty() {
            continue;
        }
        none = false;
        let open: f64 = breaker
            .spans(incident.from, incident.to)
            .iter()
            .filter(|span| span.state == State::Open)
            .map(|span| span.to - span.from)
            .sum();
        let _ = writeln!(
            out,
            "**{}** opened {}×, was open for {} in all and refused {} calls.\n",
            text(log.names.text(breaker.name)),
            opened.len(),
            span(open),
            count(breaker.rejected)
        );
        for change in opened.iter().take(MOST) {
            let _ = write!(out, "- {}: {}", clock(change.at), text(&change.reason));
            if let Some(window) = &change.window {
                let last: String = window
                    .last
                    .iter()
                    .map(|&result| ['✓', '✕', '◷'].get(usize::from(result)).unwrap_or(&'?'))
                    .collect();
                let _ = write!(out, "; {} of {} failed, {} slow", window.failures, window.total, window.slow);
                if !last.is_empty() {
                    let _ = write!(out, ", the last {last} (✓ ok, ✕ failed, ◷ slow)");
                }
            }
            out.push('\n');
        }
        more(out, opened.len());
        if let Some(settings) = settings(log, breaker.policy) {
            let _ = writeln!(out, "\nIts settings: {}", code(&settings));
        }
        out.push('\n');
    }
    if none {
        out.push_str("No breaker opened.\n");
    }
}

fn settings(log: &Log, policy: Name) -> Option<String> {
    match Event::parse(log.line(*log.options.get(&policy)?)).ok()?.kind {
        Kind::PolicyConfigured(configured) => Some(configured.options.value().get("breaker")?.to_string()),
        _ => None,
    }
}

/// What people read, and how many of them.
fn messages(out: &mut String, log: &Log, calls: &[&Call]) {
    let mut told: Vec<(String, u64, bool)> = Vec::new();
    for call in calls {
        let line =
            call.events.iter().rev().find_map(|&event| match Event::parse(log.line_of(event)).ok()?.kind {
                Kind::CallFailed(failed) => Some(failed.user_message.as_str().to_owned()),
                _ => None,
            });
        let hidden = call.status == Status::Degraded;
        let Some(line) = line.filter(|line| !line.is_empty()) else { continue };
        match told.iter_mut().find(|one| one.0 == line && one.2 == hidden) {
            Some(one) => one.1 += 1,
            None => told.push((line, 1, hidden)),
        }
    }
    out.push_str("\n## What people read\n\n");
    if told.is_empty() {
        out.push_str("No message was told.\n");
    }
    // Those that were really read come first.
    const READ: u64 = 1 << 40;
    for place in most_first(told.iter().map(|one| one.1 + if one.2 { 0 } else { READ })) {
        let Some((line, times, hidden)) = told.get(place) else { continue };
        let seen = if *hidden { ", but a fallback answered" } else { "" };
        let _ = writeln!(out, "{} ×{seen}:\n", count(*times));
        for line in line.lines() {
            let _ = writeln!(out, "> {}", text(line));
        }
        out.push('\n');
    }
    more(out, told.len());
}

/// Providers and models, those that failed most first.
fn providers(out: &mut String, log: &Log, calls: &[&Call]) {
    let mut rows: Vec<(Name, Name, u64, u64, f64)> = Vec::new();
    for call in calls {
        for attempt in &call.attempts {
            let (provider, model) = (attempt.provider, attempt.model);
            let known = rows.iter().position(|row| row.0 == provider && row.1 == model);
            let place = known.unwrap_or_else(|| {
                rows.push((provider, model, 0, 0, 0.0));
                rows.len() - 1
            });
            if let Some(row) = rows.get_mut(place) {
                row.2 += 1;
                row.3 += u64::from(attempt.outcome == Outcome::Failed);
                row.4 = row.4.max(attempt.duration_ms);
            }
        }
    }
    out.push_str("\n## Providers\n\n| Provider | Model | Attempts | Failed | Slowest |\n| --- | --- | ---: | ---: | ---: |\n");
    for place in most_first(rows.iter().map(|row| row.3)) {
        let Some((provider, model, attempts, failed, slowest)) = rows.get(place) else { continue };
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

fn more(out: &mut String, all: usize) {
    if all > MOST {
        let _ = writeln!(out, "\n… and {} more.", all - MOST);
    }
}

/// Text that stays text: no markup, no second line, no secret.
fn text(of: &str) -> String {
    let mut out = String::with_capacity(of.len());
    for letter in redact(of).chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' => out.extend(['\\', letter]),
            '&' => out.push_str("&amp;"),
            letter if is_hidden(letter) => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// A name in a table: codes and rules read best as they are.
fn cell(name: &str) -> String {
    if name.is_empty() { String::new() } else { code(name) }
}

/// Code: what would end it is left out.
fn code(of: &str) -> String {
    let kept: String = redact(of)
        .chars()
        .map(|letter| if is_hidden(letter) || matches!(letter, '`' | '|') { ' ' } else { letter })
        .collect();
    format!("`{kept}`")
}
