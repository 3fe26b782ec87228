//! Saves the calls that are shown, as a report or as a trace.

use super::steps::in_steps;
use crate::session::Session;
use crate::session::intake::Notice;
use crate::session::query::{Misread, Query};
use crate::session::store::Log;
use crate::ui::download::save_text;
use crate::ui::wall_clock;
use halfopen_model::check::Pass;
use halfopen_model::export::report::{Incident, Report};
use halfopen_model::export::trace::Trace;
use halfopen_model::layout::range::listed;
use halfopen_model::view::swimlanes;
use halfopen_store::rows::Search;
use halfopen_store::scope::Scope;
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::sync::Arc;

/// The number of calls that are read in one step, which takes some milliseconds, so that the page stays responsive.
const CALLS: u16 = 1_000;

/// The calls that the timeline lists; `None` for an empty log. An error for a filter that cannot be read: it is not known
/// which calls the user wants.
fn shown(session: Session, log: &Log) -> Result<Option<Incident>, Misread> {
    let now = session.clock.now.get_untracked();
    let filter = session.navigation.query.get_untracked();
    let query = Query::parse(&filter)?;
    let in_sight = || query.is_empty().then(|| listed(log, &session.range.peek().viewport(log, now, 1.0)));
    let span = session.scope.span.get_untracked().or_else(in_sight);
    let (from, to) = span.map_or((Moment::FIRST, Moment::LAST), |span| (span.from, span.to));
    let mut search = Search::begin(from, to, now);
    search.step(log, &query.prepare(&log.names), usize::MAX);
    let Some((begins, ends)) = log.bounds() else { return Ok(None) };
    let (mut calls, opened) = (search.found(), session.navigation.swimlane.get_untracked());
    if let Some(key) = opened {
        calls = swimlanes::calls_of(log, key, &calls);
    }
    let (from, to, swimlane) = (from.max(begins), to.min(ends), opened.map(|key| key.name(log)));
    Ok(Some(Incident { from, to, filter, swimlane, calls: Arc::new(calls) }))
}

/// These calls; `None` for an empty log, and with a notice for a filter that cannot be read.
fn shown_or_notice(session: Session) -> Option<Incident> {
    let shown = session.log.peek(|log| shown(session, log));
    let why = shown.as_ref().err().map(|Misread(why)| {
        Notice::Export(format!(
            "Nothing was saved, because the filter cannot be read: {why}. Change or clear it."
        ))
    });
    session.intake.notice.set(why);
    shown.ok().flatten()
}

/// A report of what is shown.
pub(crate) fn save_report(session: Session) {
    let Some(incident) = shown_or_notice(session) else { return };
    // The settings are those of the whole log unless the user has chosen a part of it.
    let chosen = incident.scope().filtered || session.scope.span.with_untracked(Option::is_some);
    let scope = if chosen { incident.scope() } else { Scope::default() };
    let pass = session.log.peek(|log| Pass::of(log, scope));
    let step = |(pass, report): &mut (Pass, Report), log: &Log| {
        let (looks, reads) = (pass.step(log, CALLS.into()), report.step(log, CALLS.into()));
        looks || reads
    };
    in_steps(session, (pass, Report::begin(incident)), step, |(pass, report), log| {
        let clock = |at| String::from(wall_clock::date(at).to_iso_string());
        save_text(&report.write(log, &pass.findings(log), &clock), "text/markdown", "halfopen-incident.md");
    });
}

/// A trace of what is shown.
pub(crate) fn save_trace(session: Session) {
    let Some(incident) = shown_or_notice(session) else { return };
    let trace = session.log.peek(|log| Trace::begin(log, incident));
    in_steps(
        session,
        trace,
        |trace, log| trace.step(log, CALLS.into()),
        |trace, log| save_text(&trace.write(log), "application/json", "halfopen-trace.json"),
    );
}
