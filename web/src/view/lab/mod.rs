//! The Lab view: what policies do when the provider fails, simulated beside each other.

mod backoff;
mod editor;
mod export;
mod real;
mod report;
mod results;
mod state;
mod worker;

use crate::session::intake::Origin;
use crate::session::use_session;
use crate::source::is_embedded;
use crate::ui::narrow::Narrow;
use halfopen_model::view::lab::ASSUMPTIONS;
use halfopen_model::view::lab::edit;
use halfopen_model::view::lab::incident;
use halfopen_model::view::lab::json::Json;
use halfopen_model::view::lab::presets::PRESETS;
use leptos::prelude::*;
pub(crate) use state::Lab;
use state::{Mode, Phase, Real};

/// The lab.
#[component]
pub(crate) fn LabView() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let session = use_session();
    lab.open();
    let none = move || session.log.read(|log| log.kept() == 0);
    let Narrow(narrow) = expect_context::<Narrow>();
    let name = Memo::new(move |_| {
        lab.document.with(|document| document.get("name").and_then(Json::text).unwrap_or_default().to_owned())
    });
    let preset = move || name.with(|name| PRESETS.iter().find(|preset| preset.name == name));
    view! {
        <section class="page lab" aria-label="Lab">
            <header class="page-head">
                <h2>"Policy lab"</h2>
                <span class="dim">"What a policy does to users, bill and provider when the provider fails. The engine that guards your calls decides here too."</span>
            </header>
            <div class="lab-presets" role="group" aria-label="Scenarios">
                {PRESETS.iter().map(|preset| view! {
                    <button class="tool" aria-pressed=move || (name.get() == preset.name).to_string() on:click=move |_| lab.show_preset(preset)>{preset.name}</button>
                }).collect_view()}
                <button class="tool" title="A scenario fitted to the last incident of what the timeline shows" hidden=none on:click=move |_| lab.show_incident(session, None)>{incident::NAME}</button>
                <IncidentOf name/>
            </div>
            <p class="lab-says">{move || preset().map_or(incident_says(&name.get()), |preset| preset.says)}</p>
            <div class="lab-presets" role="group" aria-label="What the lab does">
                {Mode::ALL.map(|(mode, name)| view! {
                    <button class="tool" aria-pressed=move || (lab.mode.get() == mode).to_string() on:click=move |_| lab.mode.set(mode)>{name}</button>
                }).collect_view()}
            </div>
            <Bar/>
            <div class="lab-columns">
                <details class="lab-editor" open=!narrow.get_untracked()>
                    <summary>"Change the scenario"</summary>
                    <editor::Editor/>
                </details>
                <div class="lab-results">
                    {move || match lab.mode.get() {
                        Mode::Replay => view! { <report::Replay/> }.into_any(),
                        Mode::Explore => view! { <report::Explore/> }.into_any(),
                        Mode::Compare => view! { <results::Results/> }.into_any(),
                    }}
                    <div class="card" hidden=move || lab.mode.get() == Mode::Replay>
                        <h3>"What the model assumes"</h3>
                        <ul class="lab-assumes">{ASSUMPTIONS.iter().map(|line| view! { <li>{*line}</li> }).collect_view()}</ul>
                    </div>
                </div>
            </div>
            <backoff::Backoff/>
        </section>
    }
}

/// Of which policy the incident is, where several failed.
#[component]
fn IncidentOf(name: Memo<String>) -> impl IntoView {
    let lab = expect_context::<Lab>();
    let session = use_session();
    let several =
        move || lab.failed_policies.with(|failed| failed.len() > 1) && name.with(|name| is_incident(name));
    let choice = move |value: String, says: String| {
        view! { <option value=value.clone() selected={value == lab.incident_of.get_untracked()}>{says}</option> }
    };
    view! {
        <label class="lab-field" hidden=move || !several()>
            <span>"of"</span>
            <select aria-label="Policy of the incident" on:change=move |event| lab.show_incident(session, Some(event_target_value(&event)))>
                {move || lab.failed_policies.get().into_iter().map(|name| choice(name.clone(), name)).collect_view()}
                {move || lab.failed_policies.with(|_| choice(String::new(), "all policies, as one provider".into()))}
            </select>
        </label>
    }
}

fn is_incident(name: &str) -> bool {
    name.starts_with(incident::NAME)
}

/// What a scenario is that comes from the log.
fn incident_says(name: &str) -> &'static str {
    if is_incident(name) {
        "Fitted to the log: how often calls came, how long answers took, and when attempts failed with what. How many servers \
         the provider had is a guess: as many as were busy at once."
    } else {
        "A scenario of your own."
    }
}

/// Runs the scenario for real, where a devtools server is there to do it.
#[component]
fn RealButton() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let session = use_session();
    let live = move || session.intake.origin.get() == Origin::Live && !is_embedded();
    let runs = move || matches!(lab.real.get(), Real::Running(_));
    view! {
        <button
            class="tool"
            hidden=move || !live()
            disabled=move || lab.misfit.with(Option::is_some)
            title="Real requests to a provider in the devtools server that fails as the scenario says: at most 200 clients, for 60 s"
            on:click=move |_| if runs() { lab.end_run_for_real() } else { lab.run_for_real() }
        >
            {move || if runs() { "End the real run" } else { "Run it for real" }}
        </button>
    }
}

/// How the run for real goes.
#[component]
fn RealNote() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let large = move || {
        matches!(lab.real.get(), Real::Failed(_)) && lab.document.with(|document| !edit::is_small(document))
    };
    let says = move || {
        match lab.real.get() {
        Real::None => String::new(),
        Real::Running(seconds) => format!("Running for real: {seconds:.0} s. It takes as long as the scenario."),
        Real::Measured(_) => "The broad, pale lines and the numbers marked \"real\" were measured: real requests, real timers, the same policies.".to_owned(),
        Real::Failed(why) => format!("Not run for real: {why}"),
    }
    };
    view! {
        <p class="lab-real">
            <span role="status">{says}</span>
            <button class="tool" hidden=move || !large() on:click=move |_| {
                lab.edit(edit::make_small);
                lab.run();
            }>"Shorten it to 60 s and 200 clients"</button>
        </p>
    }
}

/// Run, cancel, how far it is, and what can be taken away.
#[component]
fn Bar() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let session = use_session();
    let run = move |_| match lab.mode.get_untracked() {
        Mode::Compare => lab.run(),
        Mode::Replay => lab.replay(session),
        Mode::Explore => lab.explore(),
    };
    let runs = Memo::new(move |_| matches!(lab.phase.get(), Phase::Running(..) | Phase::Loading));
    let share = move || if let Phase::Running(_, share) = lab.phase.get() { share } else { 0.0 };
    let stage = Memo::new(move |_| match lab.phase.get() {
        Phase::Idle => String::new(),
        Phase::Loading => "Loading the lab…".into(),
        Phase::Running(stage, _) => format!("{stage}…"),
        Phase::Cancelled => "Cancelled. The results so far are shown; press Run to start again.".into(),
        Phase::Failed(why) => why,
    });
    view! {
        <div class="lab-bar">
            <button class="tool primary" disabled=move || lab.misfit.with(Option::is_some) on:click=run>"▶ Run"</button>
            <button class="tool" disabled=move || !runs.get() on:click=move |_| lab.cancel()>"Cancel"</button>
            <progress aria-label="Progress of the simulation" max="1" hidden=move || !runs.get() prop:value=share></progress>
            <span class="dim" role="status">{stage}</span>
            <span class="grow"></span>
            <RealButton/>
            <export::Exports/>
        </div>
        <RealNote/>
        <p class="lab-misfit" role="alert">{move || lab.misfit.get().map(|why| format!("Not run: {why}"))}</p>
    }
}
