//! An error pasted in, classified by the core's own code: what it says, which rules were tried, what follows, what users read.

use super::facts::{facts, messages, source, technical};
use crate::answers::query;
use crate::session::use_session;
use crate::ui::badge::Badge;
use crate::ui::copy::Copy;
use crate::ui::waiting::waiting;
use halfopen_answers::{Explain, Explained, MOST, Tried};
use halfopen_model::view::classify::{self, EXAMPLES};
use leptos::prelude::*;
use std::sync::Arc;

/// The workbench for one error.
#[component]
pub(crate) fn Classify() -> impl IntoView {
    let session = use_session();
    let first = EXAMPLES.first().map_or("", |example| example.1).to_owned();
    let given = session.navigation.pasted.try_update(std::mem::take).unwrap_or_default();
    let text = RwSignal::new(if given.is_empty() { first } else { given });
    let provider = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_u64);
    let found = Memo::new(move |_| {
        query(&Explain { text: text.get(), provider: provider.get(), chosen: chosen.get() })
    });
    let put = move |new: String| {
        chosen.set(0);
        text.set(new);
    };
    let reading = move || found.with(|found| classify::reading(found.as_ref(), text.with(String::len)));
    view! {
        <section class="page" aria-label="Classify">
            <header class="page-head">
                <h2>"Classify an error"</h2>
                <span class="dim">"The error stays in this page: the core itself runs here."</span>
            </header>
            <div class="two-even">
                <div class="paste">
                    <label for="paste">"The error: JSON, text, a stack trace, lines of a log"</label>
                    <textarea id="paste" rows="14" spellcheck="false" maxlength=MOST.to_string() prop:value=move || text.get() on:input=move |event| put(event_target_value(&event))></textarea>
                    <p class="dim" role="status">{reading}</p>
                    <label class="choice">"Provider, if known "<input type="text" placeholder="openai" prop:value=move || provider.get() on:input=move |event| provider.set(event_target_value(&event))/></label>
                    <p class="links">"Try "{EXAMPLES.iter().map(|&(name, example)| view! { <button class="link" on:click=move |_| put(example.to_owned())>{name}</button> }).collect_view()}</p>
                    {move || found.with(|found| choices(found.as_ref()?, chosen))}
                </div>
                <div class="stack">{move || found.get().map_or_else(waiting, result)}</div>
            </div>
        </section>
    }
}

/// Several errors were pasted: one of them is looked at.
fn choices(found: &Explained, chosen: RwSignal<u64>) -> Option<AnyView> {
    let all = &found.choices;
    (!all.is_empty()).then(|| {
        let rows = all.iter().zip(0..).map(|((code, rule), index)| view! {
            <li><button class="group line" aria-pressed=move || (chosen.get() == index).to_string() on:click=move |_| chosen.set(index)>
                <b>{index + 1}</b><Badge code=code.clone()/><code>{rule.clone()}</code>
            </button></li>
        });
        view! { <h3>{all.len()}" errors, one a line"</h3><ul class="groups lines">{rows.collect_view()}</ul> }.into_any()
    })
}

fn result(found: Explained) -> AnyView {
    let all_facts = classify::facts(&found);
    view! {
        <article class="card" aria-label="Classification">
            <header><h3>"Code"</h3><Badge code=found.code/></header>
            {technical("Signals", found.signals)}
            {rules_tried(found.tried)}
            {found.suggested.map(suggestion)}
            {found.afterwards.into_iter().map(|sentence| view! { <p>{sentence}</p> }).collect_view()}
            <h4>"What follows"</h4>
            {facts(all_facts)}
            {technical("Technical details, as a log may show them", found.technical_details)}
            {messages(found.messages, ().into_any())}
        </article>
    }
    .into_any()
}

/// A classifier for what no rule recognises, to copy.
fn suggestion(code: String) -> AnyView {
    let copied = code.clone();
    view! {
        <h4>"No rule recognises it: add this classifier to your policy"</h4>
        <div class="code suggestion"><pre tabindex="0" aria-label="Suggested classifier"><code>{code}</code></pre><Copy text=Arc::new(move || copied.clone())/></div>
    }
    .into_any()
}

/// The rules that were tried: those that came close and the one that decided; all of them on demand.
fn rules_tried(tried: Vec<Tried>) -> AnyView {
    let whole = RwSignal::new(false);
    let count = tried.len();
    let rows = move || classify::rules(&tried, whole.get()).map(rule_row).collect::<Vec<_>>();
    view! {
        <h4>"Rules that were tried, in their order"</h4>
        <ol class="rules">{rows}</ol>
        <button class="tool" aria-expanded=move || whole.get().to_string() on:click=move |_| whole.update(|whole| *whole = !*whole)>
            {move || if whole.get() { "Only close matches".to_owned() } else { format!("All {count} that were tried") }}
        </button>
    }
    .into_any()
}

fn rule_row(rule: &Tried) -> AnyView {
    let sign = if rule.decided { "✓" } else { "✕" };
    let origin =
        rule.decided.then(|| view! { <p>{rule.code.clone()}" · source: "{source(rule.source.clone())}</p> });
    view! {
        <li class:decided=rule.decided>
            <i aria-hidden="true">{sign}</i>
            <div><code>{rule.rule.clone()}</code>{if rule.decided { " decided" } else { "" }}<p>{rule.says.clone()}</p>{origin}</div>
        </li>
    }
    .into_any()
}
