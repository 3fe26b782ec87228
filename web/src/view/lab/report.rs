//! The other two things that the lab does: it replays the log under other policies, and explores options of a policy.

use super::editor::{Prefix, fields};
use super::export::code_of;
use super::state::Lab;
use crate::session::use_session;
use halfopen_model::view::lab::field::{Field, LIMITS, place, shown};
use halfopen_model::view::lab::outcome::{Report, Row};
use halfopen_model::view::lab::report::{options, recorded_policies};
use halfopen_model::view::lab::verdict::{Column, cell};
use halfopen_model::view::lab::{MOST_POLICIES, code, edit};
use leptos::prelude::*;
use std::sync::Arc;

/// What of the log is replayed, and what came of it.
#[component]
pub(super) fn Replay() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let session = use_session();
    let names = Memo::new(move |_| session.log.read(recorded_policies));
    view! {
        <div class="card lab-form">
            <h3>"The log under other policies"</h3>
            <p class="dim">"Each policy under “Change the scenario” takes the place of the recorded one. Calls arrive as they did, and recorded results stay. Results of attempts that never happened are drawn from others near their time, with 30 seeds."</p>
            <label class="lab-field">
                <span>"In the place of"</span>
                <select on:change=move |event| lab.replaced.set(event_target_value(&event))>
                    <option value="">"every policy of the log"</option>
                    {move || names.get().into_iter().map(|name| view! { <option value=name.clone() selected={name == lab.replaced.get_untracked()}>{name.clone()}</option> }).collect_view()}
                </select>
            </label>
            <p hidden=move || !names.with(Vec::is_empty)>"No calls yet: connect an agent or open a file, then press Run."</p>
        </div>
        {reported(lab, lab.replayed)}
    }
}

/// Which options are varied, under which limits, and what came of it.
#[component]
pub(super) fn Explore() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let whole: Prefix = Arc::new(|_| Vec::new());
    let names = Memo::new(move |_| lab.document.with(edit::policies));
    let value = |index: usize,
                 label: &'static str,
                 absent: Box<dyn Fn() -> String + Send>,
                 unit: &'static str| {
        view! {
            <label class="lab-field">
                <span>{label}</span>
                <input
                    type="text"
                    autocomplete="off"
                    placeholder=absent
                    prop:value=move || lab.varied.with(|values| values.get(index).cloned().unwrap_or_default())
                    on:input=move |event| lab.varied.update(|values| if let Some(value) = values.get_mut(index) { *value = event_target_value(&event); })
                />
                <small class="dim">{unit}</small>
            </label>
        }
        .into_any()
    };
    let now = move |field: &'static Field| -> Box<dyn Fn() -> String + Send> {
        Box::new(move || {
            let shown = lab.document.with(|document| {
                shown(document, &place(&edit::policy(document, lab.explored_policy.get()), field))
            });
            format!("now {}", if shown.is_empty() { field.absent } else { &shown })
        })
    };
    view! {
        <div class="card lab-form">
            <h3>"Options that are worth a choice"</h3>
            <p class="dim">"Runs the scenario with every combination of the values, 30 seeds each. Nothing is tuned by itself: you choose."</p>
            <label class="lab-field">
                <span>"Policy to vary"</span>
                <select on:change=move |event| lab.explored_policy.set(event_target_value(&event).parse().unwrap_or(0))>
                    {move || names.get().into_iter().enumerate().map(|(index, name)| view! { <option value=index.to_string() selected={index == lab.explored_policy.get_untracked()}>{name}</option> }).collect_view()}
                </select>
            </label>
            <div class="lab-forms">
                <fieldset class="lab-group">
                    <legend>"Values to try"</legend>
                    {options().enumerate().map(|(index, field)| value(index, field.path, now(field), field.unit)).collect_view()}
                    {value(options().count(), "Others", Box::new(|| "retry.jitter=0.2,full".to_owned()), "")}
                </fieldset>
                <fieldset class="lab-group">
                    <legend>"Limits"</legend>
                    {fields(lab, LIMITS, &whole)}
                </fieldset>
            </div>
        </div>
        {reported(lab, lab.explored)}
    }
}

/// What came of it.
fn reported(lab: Lab, report: RwSignal<Option<Report>>) -> impl IntoView {
    move || {
        report.with(|report| {
            let report = report.as_ref()?;
            let columns = report.columns();
            Some(view! {
                <section class="card lab-report" aria-label="What came of it">
                    {report.says.iter().map(|says| view! { <p>{says.clone()}</p> }).collect_view()}
                    <div class="scroll" tabindex="0" role="region" aria-label="Policies">
                        <table class="lab-totals">
                            <thead><tr>
                                <th scope="col">"Policy"</th>
                                {columns.iter().map(|column| view! { <th scope="col" class="number" title=column.title>{column.name}</th> }).collect_view()}
                            </tr></thead>
                            <tbody>{report.rows.iter().map(|row| self::row(lab, row, &columns)).collect_view()}</tbody>
                        </table>
                    </div>
                    <p class="dim">"Small: between which values 95 % of 30 runs with different seeds lie."</p>
                </section>
            })
        })
    }
}

fn row(lab: Lab, row: &Row, columns: &[&'static Column]) -> AnyView {
    let meets = row.meets.map(|meets| if meets { "✓ meets the limits" } else { "✕ misses a limit" });
    let calls = row.calls.join("\n");
    let more = row.options.clone().map(|options| {
        let name = row.outcome.name.clone();
        let (text, json) = (code::policy(&options), options.compact());
        let full = move || lab.document.with(|document| edit::policies(document).len() >= MOST_POLICIES || edit::policies(document).contains(&name));
        let name = row.outcome.name.clone();
        view! {
            {code_of(Arc::new(move || text.clone()))}
            <button class="link" hidden=full on:click=move |_| lab.edit(|document| edit::add_policy(document, &name, &json))>"Add it to the scenario"</button>
        }
    });
    view! {
        <tr>
            <th scope="row">
                {row.outcome.name.clone()}
                <small class:bad=row.meets == Some(false)>{meets}</small>
                <small class="dim">{row.note.clone()}</small>
            </th>
            {columns.iter().map(|column| {
                let (value, band) = cell(&row.outcome, column);
                view! { <td class="number">{value}<small class="dim">{band}</small></td> }
            }).collect_view()}
        </tr>
        <tr class="lab-more"><td colspan=(columns.len() + 1).to_string()>
            {more}
            {(!calls.is_empty()).then(|| view! {
                <details class="lab-code"><summary>"Calls that end otherwise"</summary><pre tabindex="0">{calls}</pre></details>
            })}
        </td></tr>
    }
    .into_any()
}
