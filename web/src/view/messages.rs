//! Every message in every language, as a user would see it, with warnings where a text breaks the rules for messages.

use crate::answers::query;
use crate::ui::waiting::waiting;
use halfopen::message::LOCALES;
use halfopen_answers::{About, Row, SayAll};
use halfopen_model::format::number_of;
use leptos::prelude::*;

/// The messages.
#[component]
pub(crate) fn Messages() -> impl IntoView {
    let provider = RwSignal::new("openai".to_owned());
    let model = RwSignal::new(String::new());
    let tool = RwSignal::new(String::new());
    let wait = RwSignal::new("30".to_owned());
    let faulty = RwSignal::new(false);
    let table = Memo::new(move |_| {
        let seconds = halfopen_log::number(wait.get().trim()).filter(|seconds| *seconds >= 0.0);
        let retry_after_ms = seconds.map(|seconds| seconds * 1e3);
        query(&SayAll {
            about: About {
                provider: provider.get(),
                model: model.get(),
                tool: tool.get(),
                retry_after_ms,
                remedy: String::new(),
            },
        })
    });
    let faults = move || {
        table.with(|table| {
            let cells = table.as_ref()?.iter().flat_map(|row| &row.cells);
            Some(match cells.filter(|cell| !cell.1.is_empty()).count() {
                0 => "✓ no warnings".to_owned(),
                number => format!("⚠ {}", number_of(number as u64, "warning")),
            })
        })
    };
    let rows = move || {
        let Some(all) = table.get() else { return waiting() };
        let shown =
            all.into_iter().filter(|row| !faulty.get() || row.cells.iter().any(|cell| !cell.1.is_empty()));
        view! {
            <table class="matrix">
                <thead><tr><th>"Code"</th>{LOCALES.iter().map(|&tag| view! { <th>{tag}</th> }).collect_view()}</tr></thead>
                <tbody>{shown.map(line).collect_view()}</tbody>
            </table>
        }
        .into_any()
    };
    let field = |label: &'static str, signal: RwSignal<String>| {
        view! {
            <label class="choice">{label}<input type="text" prop:value=move || signal.get() on:input=move |event| signal.set(event_target_value(&event))/></label>
        }
    };
    view! {
        <section class="page" aria-label="Messages">
            <header class="page-head">
                <h2>"What users read"</h2>
                {field("Provider ", provider)}{field("Model ", model)}{field("Tool ", tool)}{field("Retry after, seconds ", wait)}
                <label class="choice"><input type="checkbox" prop:checked=move || faulty.get() on:change=move |event| faulty.set(event_target_checked(&event))/>" Only those with warnings"</label>
                <span class="grow"></span>
                <span class="dim" role="status">{faults}</span>
            </header>
            <div class="scroll tall" tabindex="0" role="region" aria-label="All messages">{rows}</div>
        </section>
    }
}

fn line(row: Row) -> AnyView {
    let cells = LOCALES.iter().zip(row.cells).map(|(&tag, (message, faults))| {
        let fault = (!faults.is_empty()).then(|| view! { <p class="fault">"⚠ "{faults.join(", ")}</p> });
        view! { <td lang=tag>{message}{fault}</td> }
    });
    view! { <tr><th scope="row"><code>{row.code}</code></th>{cells.collect_view()}</tr> }.into_any()
}
