//! The editor: fields with their units, and the whole scenario as JSON. What does not fit is said beside its field.

use super::state::Lab;
use halfopen_model::format::span;
use halfopen_model::view::lab::MOST_POLICIES;
use halfopen_model::view::lab::edit;
use halfopen_model::view::lab::field::{
    FAULT, Field, Kind, POLICY, WORLD, applies, choose, chosen, concerns, place, shown, typed,
};
use halfopen_model::view::lab::json::{Json, Key};
use halfopen_model::view::lab::presets::POLICIES;
use leptos::prelude::*;
use std::sync::Arc;

/// Where the fields of a group stand: it changes with a policy's name.
pub(super) type Prefix = Arc<dyn Fn(&Json) -> Vec<Key> + Send + Sync>;

/// The editor.
#[component]
pub(super) fn Editor() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let whole: Prefix = Arc::new(|_| Vec::new());
    let faults = Memo::new(move |_| lab.document.with(edit::faults));
    let policies = Memo::new(move |_| lab.document.with(|document| edit::policies(document).len()));
    // A closed part is made when it is first opened: all at once would keep the page busy.
    let json = RwSignal::new(false);
    let text = move || lab.draft.get().unwrap_or_else(|| lab.document.with(Json::pretty));
    view! {
        {WORLD.iter().map(|(title, rows)| view! {
            <fieldset class="lab-group">
                <legend>{*title}</legend>
                {fields(lab, rows, &whole)}
            </fieldset>
        }).collect_view()}
        <fieldset class="lab-group">
            <legend>"Faults"</legend>
            <For each=move || 0..faults.get() key=|index| *index let:index>
                <div class="lab-part">
                    {fields(lab, FAULT, &(Arc::new(move |_: &Json| edit::fault(index)) as Prefix))}
                    <button class="link" on:click=move |_| lab.edit(|document| edit::remove_fault(document, index))>{format!("Remove fault {}", index + 1)}</button>
                </div>
            </For>
            <button class="tool" on:click=move |_| lab.edit(edit::add_fault)>"Add a fault"</button>
        </fieldset>
        <fieldset class="lab-group">
            <legend>"Policies"</legend>
            <For each=move || 0..policies.get() key=|index| *index let:index>
                {policy(lab, index)}
            </For>
            <label class="lab-add" hidden=move || { policies.get() >= MOST_POLICIES }>
                "Add "
                <select on:change=move |event| {
                    let chosen = event_target_value(&event).parse::<usize>().ok().and_then(|index| POLICIES.get(index));
                    if let Some((name, options)) = chosen {
                        lab.edit(|document| edit::add_policy(document, name, options));
                    }
                }>
                    <option value="">"a policy…"</option>
                    {POLICIES.iter().enumerate().map(|(index, (name, _))| view! { <option value=index.to_string()>{*name}</option> }).collect_view()}
                </select>
            </label>
        </fieldset>
        <details class="lab-json" on:toggle=move |_| json.set(true)>
            <summary>"All of it as JSON"</summary>
            {move || json.get().then(|| view! {
                <textarea
                    aria-label="The scenario as JSON"
                    spellcheck="false"
                    rows="24"
                    prop:value=text
                    aria-invalid=move || lab.misfit.with(Option::is_some).to_string()
                    on:input=move |event| lab.edit_text(event_target_value(&event))
                ></textarea>
            })}
        </details>
    }
}

fn policy(lab: Lab, index: usize) -> AnyView {
    let prefix: Prefix = Arc::new(move |document: &Json| edit::policy(document, index));
    let opened = RwSignal::new(false);
    let name = Memo::new(move |_| {
        lab.document.with(|document| edit::policies(document).into_iter().nth(index).unwrap_or_default())
    });
    view! {
        <details class="lab-part" on:toggle=move |_| opened.set(true)>
            <summary><i class=format!("swatch p{index}") aria-hidden="true"></i>{name}</summary>
            {move || opened.get().then(|| view! {
                <label class="lab-field">
                    <span>"Name"</span>
                    // Renamed when it is left: each letter would be a policy of another name.
                    <input type="text" prop:value=name on:change=move |event| lab.edit(|document| edit::rename_policy(document, index, event_target_value(&event).trim()))/>
                </label>
                {fields(lab, POLICY, &prefix)}
                <button class="link" on:click=move |_| lab.edit(|document| edit::remove_policy(document, index))>{move || format!("Remove {}", name.get())}</button>
            })}
        </details>
    }
    .into_any()
}

pub(super) fn fields(lab: Lab, rows: &'static [Field], prefix: &Prefix) -> AnyView {
    rows.iter().map(|row| field(lab, row, Arc::clone(prefix))).collect_view().into_any()
}

fn field(lab: Lab, field: &'static Field, prefix: Prefix) -> AnyView {
    let at = {
        let prefix = Arc::clone(&prefix);
        move |document: &Json| place(&prefix(document), field)
    };
    let shows = Memo::new(move |_| lab.document.with(|document| applies(document, &prefix(document), field)));
    let misfit = {
        let at = at.clone();
        Memo::new(move |_| {
            lab.misfit.with(|misfit| {
                misfit
                    .clone()
                    .filter(|why| shows.get() && lab.document.with(|document| concerns(why, &at(document))))
            })
        })
    };
    let bad = move || misfit.with(Option::is_some);
    let input = match field.kind {
        Kind::Number => {
            let (read, write) = (at.clone(), at);
            let value = Memo::new(move |_| lab.document.with(|document| shown(document, &read(document))));
            // The milliseconds in words: 90000 is 1 m 30 s.
            let meaning = move || {
                let ms =
                    (field.unit == "ms").then(|| value.with(|text| halfopen_log::number(text))).flatten();
                ms.filter(|ms| *ms >= 1000.0)
                    .map_or_else(|| field.unit.to_owned(), |ms| format!("ms = {}", span(ms)))
            };
            view! {
                <input
                    type="text"
                    inputmode="decimal"
                    autocomplete="off"
                    placeholder=field.absent
                    prop:value=value
                    aria-invalid=move || bad().to_string()
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        lab.edit(|document| {
                            let place = write(document);
                            typed(document, &place, &text);
                        });
                    }
                />
                <small class="dim">{meaning}</small>
            }
            .into_any()
        }
        Kind::Choice(options) => {
            let (read, write) = (at.clone(), at);
            let value =
                Memo::new(move |_| lab.document.with(|document| chosen(document, &read(document), options)));
            view! {
                <select
                    prop:value=move || value.get().to_string()
                    aria-invalid=move || bad().to_string()
                    on:change=move |event| {
                        let option = event_target_value(&event).parse::<usize>().ok().and_then(|index| options.get(index));
                        if let Some((_, json)) = option {
                            lab.edit(|document| {
                                let place = write(document);
                                choose(document, &place, json);
                            });
                        }
                    }
                >
                    {options.iter().enumerate().map(|(index, (name, _))| view! { <option value=index.to_string() selected=move || value.get() == index>{*name}</option> }).collect_view()}
                </select>
            }
            .into_any()
        }
    };
    view! {
        <label class="lab-field" class:bad=bad hidden=move || !shows.get()>
            <span>{field.label}</span>
            {input}
            <em role="alert">{move || misfit.get().map(|why| why.split_once(": ").map_or(why.clone(), |(_, rest)| rest.to_owned()))}</em>
        </label>
    }
    .into_any()
}
