//! Where exports are asked for: a menu for what is shown, and the selected call as a test.

use super::steps::{collect_events, in_steps};
use crate::answers::query;
use crate::session::intake::Notice;
use crate::session::query::{Misread, Query};
use crate::session::store::Log;
use crate::session::{Session, use_session};
use crate::ui::copy::Copy;
use crate::ui::download;
use crate::ui::wall_clock;
use halfopen_model::check::Pass;
use halfopen_model::export::report::{Incident, Report};
use halfopen_model::export::test::as_test;
use halfopen_model::export::trace::Trace;
use halfopen_model::layout::range::listed;
use halfopen_model::view::swimlanes;
use halfopen_store::numbers::CallNumber;
use halfopen_store::rows::Search;
use halfopen_store::scope::Scope;
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;

const MENU: &str = ".menu";

/// What is shown: the calls that the timeline lists. An error for a filter that cannot be read: which calls it means is not
/// known, and all of them is not what the user wants.
fn shown(session: Session, log: &Log) -> Result<Incident, Misread> {
    let now = session.clock.now.get_untracked();
    let filter = session.navigation.query.get_untracked();
    let query = Query::parse(&filter)?;
    let in_sight = || query.is_empty().then(|| listed(log, &session.range.peek().viewport(log, now, 1.0)));
    let span = session.scope.span.get_untracked().or_else(in_sight);
    let (from, to) = span.map_or((Moment::FIRST, Moment::LAST), |span| (span.from, span.to));
    let mut search = Search::begin(from, to, now);
    search.step(log, &query.prepare(&log.names), usize::MAX);
    let (begins, ends) = log.bounds().unwrap_or_default();
    let (mut calls, opened) = (search.found(), session.navigation.swimlane.get_untracked());
    if let Some(key) = opened {
        calls = swimlanes::calls_of(log, key, &calls);
    }
    let (from, to, swimlane) = (from.max(begins), to.min(ends), opened.map(|key| key.name(log)));
    Ok(Incident { from, to, filter, swimlane, calls: Arc::new(calls) })
}

/// What is shown of the log, or nothing and a notice that says why.
fn shown_or_notice(session: Session) -> Option<Incident> {
    let shown = session.log.peek(|log| shown(session, log));
    let why = shown.as_ref().err().map(|Misread(why)| {
        Notice::Filter(format!(
            "Nothing was saved, because the filter cannot be read: {why}. Change or clear it."
        ))
    });
    session.intake.notice.set(why);
    shown.ok()
}

fn save(text: &str, kind: &str, name: &str) {
    download::save(&js_sys::Array::of1(&text.into()), kind, name);
}

/// So many calls are read in one go: some milliseconds, for a page that is to stay alive.
const CALLS: u16 = 1_000;

/// Saves all events that are kept.
pub(crate) fn save_events(session: Session) {
    session.intake.notice.set(None);
    collect_events(session, |parts| download::save(parts, "application/x-ndjson", "halfopen-events.jsonl"));
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
        save(&report.write(log, &pass.findings(log), &clock), "text/markdown", "halfopen-incident.md");
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
        |trace, log| save(&trace.write(log), "application/json", "halfopen-trace.json"),
    );
}

/// The menu of exports.
#[component]
pub(crate) fn Menu() -> impl IntoView {
    let session = use_session();
    let none = move || session.log.read(|log| log.kept() == 0);
    let entry = |name: &'static str, key: &'static str, act: fn(Session)| {
        view! { <button class="tool" disabled=none on:click=move |_| {
            act(session);
            close();
        }>{name}<kbd aria-hidden="true">{key}</kbd></button> }
    };
    view! {
        <details class="menu" on:focusout=close_when_left>
            <summary class="tool">"Export"</summary>
            <div class="menu-list">
                {entry("All events (JSONL)", "e", save_events)}
                {entry("Report of what is shown (Markdown)", "r", save_report)}
                {entry("Trace of what is shown (Perfetto)", "g", save_trace)}
                <button class="tool" disabled=none on:click=move |_| {
                    session.navigation.show_incident();
                    close();
                }>"Open the last incident in the Lab"</button>
            </div>
        </details>
    }
}

fn close_when_left(event: web_sys::FocusEvent) {
    let next = event.related_target().and_then(|next| next.dyn_into::<web_sys::Element>().ok());
    if next.is_none_or(|next| next.closest(MENU).ok().flatten().is_none()) {
        close();
    }
}

fn close() {
    if let Some(menu) = document().query_selector(MENU).ok().flatten() {
        let _ = menu.remove_attribute("open");
    }
}

/// By its key it can be asked for from far away.
fn into_sight() {
    if let Some(button) = document().get_element_by_id("export-test") {
        button.scroll_into_view();
    }
}

/// The selected call as a test: shown, to copy or to save. `shown` is the call whose test is open; it lives outside,
/// because this is made anew with each event of the call.
#[component]
pub(super) fn AsTest(number: CallNumber, shown: RwSignal<Option<CallNumber>>) -> impl IntoView {
    let session = use_session();
    let open = move || shown.get() == Some(number);
    let text = move || {
        let question = session.log.read(|log| as_test(log, number));
        question.and_then(|question| query(&question)).unwrap_or_default()
    };
    let code = move || {
        open().then(|| view! {
            <div class="code">
                <pre tabindex="0" aria-label="The call as a test"><code>{text}</code></pre>
                <div class="code-tools">
                    <Copy text=Arc::new(text)/>
                    <button class="tool" on:click=move |_| save(&untrack(text), "text/typescript", "halfopen-call.test.ts")>"Save"</button>
                </div>
            </div>
        })
    };
    view! {
        <button class="tool" id="export-test" title="The call as a test (x)" aria-expanded=move || open().to_string() on:click=move |_| {
            shown.update(|shown| *shown = (*shown != Some(number)).then_some(number));
            request_animation_frame(into_sight);
        }>
            {move || if open() { "Hide the test" } else { "Export as a test" }}
        </button>
        {code}
    }
}
