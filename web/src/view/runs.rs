//! Runs of agents: a row each, and of the open one its effects, its steps, its tool calls, its advice and its calls.

use super::control::button;
use super::facts::facts;
use crate::session::{Session, Slow, use_session};
use halfopen_model::view::runs::{
    self as model, Effect, End, ModelCall, Opened, Part, Row, Step, Table, table,
};
use halfopen_store::numbers::RunNumber;
use leptos::prelude::*;

/// The runs.
#[component]
pub(crate) fn Runs() -> impl IntoView {
    let session = use_session();
    let all = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let (now, scope) = (session.clock.now.get_untracked(), session.scope.whole.get());
        session.log.peek(|log| table(log, &scope, now))
    });
    let opened = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let now = session.clock.now.get_untracked();
        let number = session.navigation.run.get()?;
        session.log.peek(|log| model::opened(log, number, now))
    });
    let keys = move || all.with(|all| all.rows.iter().map(|row| row.number).collect::<Vec<_>>());
    let none = move || all.with(|all| all.rows.is_empty());
    view! {
        <section class="page" aria-label="Runs">
            <header class="page-head">
                <h2>"Runs of agents"</h2>
                <span class="dim">"Each task: its steps, its cost and its end."</span>
            </header>
            {move || none().then(|| none_in(session))}
            <div class="scroll" hidden=none>
                <table class="providers runs">
                    <thead><tr>
                        <th>"Task"</th><th>"Ended"</th><th class="number">"Steps"</th><th class="number">"Tool calls"</th>
                        <th class="number">"Tokens in / out"</th><th class="number">"Cost"</th><th class="number">"Took"</th>
                    </tr></thead>
                    <tbody>
                        <For each=keys key=|&key| key let:key>{run_row(all, key)}</For>
                    </tbody>
                </table>
            </div>
            {move || Some(all.with(|all| all.more)).filter(|&more| more > 0).map(|more| view! { <p class="dim">{more}" more, not shown."</p> })}
            {move || opened.get().map(open)}
        </section>
    }
}

/// How to get a run into the table.
fn none_in(session: Session) -> AnyView {
    if session.log.read(|log| log.runs.iter().len() > 0) {
        return view! { <p class="dim">"No run is in the scope: change or clear the filter or the selected time."</p> }.into_any();
    }
    view! {
        <p class="dim">"No run in this log. A task that is run with "<code>"createRun()"</code>" of "<code>"halfopen/run"</code>" shows here with its steps, its tool calls and its cost."</p>
    }
    .into_any()
}

fn run_row(all: Memo<Table>, key: RunNumber) -> AnyView {
    let session = use_session();
    let row = Memo::new(move |_| all.with(|all| all.rows.iter().find(|row| row.number == key).cloned()));
    let of = move |part: fn(&Row) -> &str| {
        move || row.with(|row| row.as_ref().map_or_else(String::new, |row| part(row).to_owned()))
    };
    let open = move || session.navigation.run.get() == Some(key);
    let toggle = move |_| {
        session.navigation.run.update(|run| *run = if *run == Some(key) { None } else { Some(key) });
    };
    view! {
        <tr class:open=open>
            <th scope="row">
                <button class="link" aria-expanded=move || open().to_string() on:click=toggle>{of(|row| &row.title)}</button>
                <small>{of(|row| &row.second)}</small>
            </th>
            {move || row.get().map(cells)}
        </tr>
    }
    .into_any()
}

fn cells(row: Row) -> AnyView {
    view! {
        <td data-label="Ended">{ended(row.end)}</td>
        <td class="number" data-label="Steps">{row.steps}</td>
        <td class="number" data-label="Tool calls">{row.tools}</td>
        <td class="number" data-label="Tokens in / out">{row.tokens}</td>
        <td class="number" data-label="Cost">{row.cost}</td>
        <td class="number" data-label="Took">{row.duration}</td>
    }
    .into_any()
}

fn ended(End { word, sign, code }: End) -> AnyView {
    let code = (!code.is_empty()).then(|| view! { <small class="dim">{code}</small> });
    view! { <span class=format!("run-end {word}")><i aria-hidden="true">{sign}</i>{word}{code}</span> }
        .into_any()
}

fn open(run: Opened) -> AnyView {
    let said = (!run.said.is_empty())
        .then(|| view! { <h4>"What the user reads"</h4><blockquote>{run.said.clone()}</blockquote> });
    let relatives = relatives("Part of", run.parent.into_iter().collect())
        .into_iter()
        .chain(relatives("Its sub-agents", run.children));
    let end = run.is_open.then(|| {
        let action = ("end-run", "run", run.id.clone());
        button(
            "End",
            "End the run as cancelled: its signal aborts. This cannot be undone",
            run.source,
            action,
        )
    });
    let effects = (!run.effects.is_empty()).then(|| view! {
        <h4>"Effects"</h4>
        <ul class="run-calls run-effects" aria-label="Effects">{run.effects.into_iter().map(effect).collect_view()}</ul>
    });
    let no_calls = run.calls.is_empty().then(|| view! { <p class="dim">"No guarded call in it."</p> });
    view! {
        <article class="card run" aria-label=format!("Run {}", run.title)>
            <header><h3>{run.title.clone()}</h3><span class="grow"></span>{end}</header>
            {facts(run.facts)}
            {relatives.collect_view()}
            {said}
            {effects}
            <h4>"Steps"</h4>
            <ol class="run-steps" tabindex="0" aria-label="Steps">{run.timeline.into_iter().map(step).collect_view()}</ol>
            <h4>"Calls of its models and tools"</h4>
            {no_calls}
            <ul class="run-calls">{run.calls.into_iter().map(model_call).collect_view()}</ul>
            {(run.more > 0).then(|| view! { <p class="dim">{run.more}" more, not shown."</p> })}
        </article>
    }
    .into_any()
}

fn relatives(name: &'static str, runs: Vec<(RunNumber, String)>) -> Option<AnyView> {
    let session = use_session();
    let link = move |(number, title): (RunNumber, String)| {
        view! { <button class="link" on:click=move |_| session.navigation.run.set(Some(number))>{title}</button>" " }
    };
    (!runs.is_empty()).then(|| {
        view! { <p class="links">{name}": "{runs.into_iter().map(link).collect_view()}</p> }.into_any()
    })
}

fn step(step: Step) -> AnyView {
    let name = if step.number == 0 { "–".to_owned() } else { step.number.to_string() };
    let parts = step.parts.into_iter().map(part);
    view! { <li><b class="step"><span class="said">"Step "</span>{name}</b><ul>{parts.collect_view()}</ul></li> }
        .into_any()
}

fn part(part: Part) -> AnyView {
    let Part { class, sign, text, repeated, helped } = part;
    let repeated = (!repeated.is_empty())
        .then(|| view! { <b class="repeated" title="the same outcome in a row">{repeated}</b> });
    let helped = (!helped.is_empty()).then(|| view! { <small class="dim">{helped}</small> });
    view! { <li class=class><i aria-hidden="true">{sign}</i><span>{text}</span>{repeated}{helped}</li> }
        .into_any()
}

fn effect(effect: Effect) -> AnyView {
    let Effect { class, sign, name, says, key } = effect;
    view! { <li class=class><i aria-hidden="true">{sign}</i><b>{name}</b><span class="dim">{says}</span><code>{key}</code></li> }
        .into_any()
}

fn model_call(call: ModelCall) -> AnyView {
    let session = use_session();
    let ModelCall { number, sign, title, says } = call;
    view! {
        <li><i aria-hidden="true">{sign}</i><button class="link" on:click=move |_| session.show_call(number)>{title}</button><span class="dim">{says}</span></li>
    }
    .into_any()
}
