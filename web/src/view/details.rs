//! The selected call: its course, what the user reads, and its events.

use super::comparison::Comparison;
use super::export::AsTest;
use super::facts::fact;
use super::recovery::after_failure;
use crate::answers::query;
use crate::session::call::Outcome;
use crate::session::intake::Origin;
use crate::session::{Session, use_session};
use crate::source::is_embedded;
use crate::ui::badge::Badge;
use crate::ui::copy::Copy;
use crate::ui::narrow::Narrow;
use crate::ui::waiting::waiting;
use crate::ui::wall_clock;
use halfopen::message::LOCALES;
use halfopen_model::view::View;
use halfopen_model::view::details::{AttemptDetails, CallDetails, Reader, Step, describe};
use halfopen_model::view::events::{EventLine, events};
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Whether the details cover the timeline and the toolbar: then nothing below them can have the focus.
pub(crate) fn covers() -> impl Fn() -> bool + Copy + Send + 'static {
    let (session, narrow) = (use_session(), expect_context::<Narrow>().0);
    move || {
        narrow.get()
            && session.navigation.view.get() == View::Timeline
            && session.navigation.selected.get().is_some()
    }
}

/// What goes on is counted in tenths of a second, in milliseconds.
const TENTH: f64 = 100.0;

/// The panel for the selected call.
#[component]
pub(crate) fn Details() -> impl IntoView {
    let session = use_session();
    // The panel depends on these. They are looked at in every frame; the panel is made when one of them differs.
    let stamp = Memo::new(move |_| {
        let number = session.navigation.selected.get()?;
        let (open, of_log) = session.log.read(|log| {
            let call = log.call(number)?;
            let events = call.events.len() + call.unkept().events as usize;
            let begins = log.bounds().map(|bounds| bounds.0);
            Some((call.status.is_open(), (call.status, events, log.children(number).len(), begins)))
        })?;
        let now = open.then(|| session.clock.now.get().floored(TENTH));
        Some((number, session.log.generation(), of_log, now))
    });
    let details = Memo::new(move |_| {
        let number = stamp.get()?.0;
        let now = session.clock.now.get_untracked().floored(TENTH);
        session.log.peek(|log| describe(log, number, now, &wall_clock::exact))
    });
    // Times of an open call change ten times a second: apart, so that the rest of the panel is not made anew with them.
    let steps =
        Memo::new(move |_| details.with(|one| one.as_ref().map_or_else(Vec::new, |one| one.steps.clone())));
    let facts =
        Memo::new(move |_| details.with(|one| one.as_ref().map_or_else(Vec::new, |one| one.facts.clone())));
    let rest = Memo::new(move |_| {
        let without = |one: &CallDetails| CallDetails { steps: Vec::new(), facts: Vec::new(), ..one.clone() };
        details.with(|one| one.as_ref().map(without))
    });
    let outside = Memo::new(move |_| {
        let selected = session.navigation.selected.get();
        selected.is_some_and(|number| session.scope.calls.with(|calls| !calls.contains(number)))
    });
    let place = NodeRef::<leptos::html::Aside>::new();
    let narrow = expect_context::<Narrow>().0;
    // A panel that covers the page has the focus, and gives it back to the list of calls.
    Effect::new(move |_| {
        if let Some(place) = place.get().filter(|_| narrow.get_untracked()) {
            let _ = place.focus();
        }
    });
    on_cleanup(move || {
        let list = document().get_element_by_id("calls").filter(|_| narrow.get_untracked());
        if let Some(list) = list.and_then(|list| list.dyn_into::<web_sys::HtmlElement>().ok()) {
            // The list is inert until the details are gone.
            request_animation_frame(move || drop(list.focus()));
        }
    });
    let raw = RwSignal::new(false);
    let locale = RwSignal::new("en".to_owned());
    let as_test = RwSignal::new(None);
    view! {
        <aside class="details" aria-label="Selected call" id="details" tabindex="-1" node_ref=place>
            <button class="icon close" aria-label="Close the details" title="Close (Esc)" on:click=move |_| session.navigation.close_details()>"✕"</button>
            <Show when=move || outside.get()>
                <p class="notice">"The filter or the selected time leaves this call out of the list. "<button class="link" on:click=move |_| session.show_all_calls()>"Show all calls"</button></p>
            </Show>
            <Show when=move || session.navigation.compared.get().is_none() fallback=Comparison>
            {move || match rest.get() {
                None => view! { <p class="none">"This call is no longer in the log: the oldest events were dropped. Select another call."</p> }.into_any(),
                Some(details) => view! { <CallPanel details steps facts raw locale as_test/> }.into_any(),
            }}
            </Show>
        </aside>
    }
}

#[component]
fn CallPanel(
    details: CallDetails,
    steps: Memo<Vec<Step>>,
    facts: Memo<Vec<(&'static str, String)>>,
    raw: RwSignal<bool>,
    locale: RwSignal<String>,
    as_test: RwSignal<Option<CallNumber>>,
) -> impl IntoView {
    let session = use_session();
    let number = details.number;
    let link = move |(number, title): (CallNumber, String)| {
        view! { <button class="link" on:click=move |_| session.show_call(number)>{title}</button> }
    };
    let why = move |breaker| {
        let at = session.log.peek(|log| log.call(number).map(|call| call.end_or(call.started)));
        move |_| {
            at.map_or_else(
                || session.navigation.show_breaker(breaker),
                |at| session.navigation.show_opening(breaker, at),
            )
        }
    };
    let family = (details.parent.is_some() || !details.children.is_empty()).then(|| view! {
        <dl class="facts family">
            {details.parent.map(|parent| view! { <div><dt>"Within"</dt><dd>{link(parent)}</dd></div> })}
            {(!details.children.is_empty()).then(|| view! { <div><dt>"Calls within"</dt><dd>{details.children.into_iter().map(link).collect_view()}{(details.more_children > 0).then(|| format!("and {} more", details.more_children))}</dd></div> })}
        </dl>
    });
    let lines = move || {
        raw.get().then(|| {
            let (lines, more) = session.log.read(|log| events(log, number));
            let line = |line: EventLine| view! { <li><b>{line.at}</b><b>{line.kind}</b><code>{line.line}</code></li> };
            view! {
                <ol class="raw" tabindex="0" aria-label="Events of this call">{lines.into_iter().map(line).collect_view()}</ol>
                <p class="dim">{more}</p>
            }
        })
    };
    view! {
        <header>
            <h2><span class=format!("sign {}", details.status) aria-hidden="true">{details.sign}</span>" "{details.title}</h2>
            <p class="details-id"><code>{details.id}</code></p>
            <p class="details-says">{details.sentence}</p>
            {details.breaker.map(|breaker| view! { <button class="link" on:click=why(breaker)>"Why the breaker refused it"</button> })}
        </header>
        {details.reader.map(|reader| view! { <WhatUserReads reader locale/> })}
        <h3>"What happened"</h3>
        <ol class="steps">{move || steps.get().into_iter().map(step_view).collect_view()}</ol>
        {details.recovery.map(|recovery| after_failure(recovery, locale))}
        <h3>"The call"</h3>
        <dl class="facts">{move || facts.get().into_iter().map(fact).collect_view()}</dl>
        {family}
        {(!is_embedded()).then(|| view! { <Copy text=Arc::new(move || link_to(session, number)) label="Copy a link to this call"/> })}
        <AsTest number shown=as_test/>
        <button
            class="tool"
            title="Select the other call, or select it with Control or Shift held"
            aria-pressed=move || session.navigation.picks.get().to_string()
            on:click=move |_| session.navigation.picks.update(|picks| *picks = !*picks)
        >
            {move || if session.navigation.picks.get() { "Select the other call" } else { "Compare…" }}
        </button>
        <button class="tool" aria-expanded=move || raw.get().to_string() on:click=move |_| raw.update(|raw| *raw = !*raw)>
            {move || if raw.get() { "Hide its events" } else { "Show its events" }}
        </button>
        {lines}
    }
}

/// An address that shows a call to whoever has the same file or server. It names the file to open, and has no token: who
/// opens it is at a server of their own.
fn link_to(session: Session, number: CallNumber) -> String {
    let location = window().location();
    let (origin, path) = (location.origin().unwrap_or_default(), location.pathname().unwrap_or_default());
    let Ok(parameters) = web_sys::UrlSearchParams::new() else { return String::new() };
    if let Origin::File(name) = session.intake.origin.get_untracked() {
        parameters.set("file", &name);
    }
    let id = session.log.peek(|log| log.call(number).map(|call| call.id.to_string()));
    parameters.set("call", &id.unwrap_or_default());
    format!("{origin}{path}?{}", String::from(parameters.to_string()))
}

fn step_view(step: Step) -> AnyView {
    match step {
        Step::Wait { class, text } => view! { <li class=format!("step wait {class}")><i aria-hidden="true">"◷"</i><span>{text}</span></li> }.into_any(),
        Step::Mark { sign, text } => view! { <li class="step mark"><i aria-hidden="true">{sign}</i><span>{text}</span></li> }.into_any(),
        Step::Attempt(attempt) => attempt_view(*attempt).into_any(),
    }
}

fn attempt_view(attempt: AttemptDetails) -> impl IntoView {
    let (class, word) = match attempt.outcome {
        Outcome::Succeeded => ("ok", "succeeded"),
        Outcome::Failed => ("failed", "failed"),
        Outcome::Running => ("running", "running"),
    };
    let signals = (!attempt.signals.is_empty()).then(|| view! {
        <details class="signals">
            <summary>"Signals"</summary>
            <dl class="facts mono">{attempt.signals.into_iter().map(|(key, value)| view! { <div><dt>{key}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
        </details>
    });
    view! {
        <li class=format!("step attempt {class}")>
            <i aria-hidden="true">{attempt.number}</i>
            <div>
                <p class="attempt-head">
                    <b>"Attempt "{attempt.number}" "{word}</b>
                    <span>{attempt.duration}</span>
                </p>
                {(!attempt.target.is_empty()).then(|| view! { <p class="dim">{attempt.target}</p> })}
                {(!attempt.code.is_empty()).then(|| view! {
                    <p class="verdict"><Badge code=attempt.code/>" by rule "<code>{attempt.rule}</code></p>
                })}
                {(!attempt.details.is_empty()).then(|| view! { <pre class="technical" tabindex="0" aria-label="Technical details">{attempt.details}</pre> })}
                <dl class="facts">{attempt.facts.into_iter().map(fact).collect_view()}</dl>
                {signals}
            </div>
        </li>
    }
}

/// The message in that language; nothing until the core can be asked.
fn message(reader: &Reader, locale: &str) -> Option<String> {
    query(&reader.question).map(|said| reader.message(said, locale))
}

#[component]
fn WhatUserReads(reader: Reader, locale: RwSignal<String>) -> impl IntoView {
    let name = reader.question.code.clone();
    let shown = {
        let reader = reader.clone();
        move || match message(&reader, &locale.get()) {
            Some(message) => message.into_any(),
            None => view! { {reader.shown.clone()}{waiting()} }.into_any(),
        }
    };
    let differs = move || {
        let differs = !reader.shown.is_empty() && message(&reader, "en")? != reader.shown;
        differs.then(|| view! { <p class="dim">"The agent showed: "<q>{reader.shown.clone()}</q></p> })
    };
    view! {
        <section class="reader" aria-label="What the user reads">
            <header>
                <h3>"What the user reads"</h3>
                <Badge code=name/>
                <select aria-label="Language" on:change=move |event| locale.set(event_target_value(&event))>
                    {LOCALES.iter().map(|&tag| view! { <option value=tag selected=locale.get_untracked() == tag>{tag}</option> }).collect_view()}
                </select>
            </header>
            <blockquote lang=move || locale.get()>{shown}</blockquote>
            {differs}
        </section>
    }
}
