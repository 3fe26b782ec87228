//! Every message in every language, as a person would see it; what reads badly is marked.

use halfopen::code::Code;
use halfopen::message::lint::{Finding, lint};
use halfopen::message::{About, LOCALES, user_message};
use halfopen::time::Millis;
use leptos::prelude::*;

fn says(finding: &Finding) -> String {
    match finding {
        Finding::Jargon(word) => format!("jargon: {word}"),
        Finding::Code(word) => format!("a code: {word}"),
        Finding::Status(number) => format!("a status: {number}"),
        Finding::LongLine(length) => format!("a line of {length} characters"),
        Finding::Long(length) => format!("{length} characters"),
        Finding::Placeholder => "a placeholder that was not filled in".into(),
        Finding::Spacing => "stray spaces".into(),
        Finding::Secret => "looks like a secret".into(),
        Finding::Empty => "empty".into(),
    }
}

/// The messages.
#[component]
pub(crate) fn Messages() -> impl IntoView {
    let provider = RwSignal::new("openai".to_owned());
    let model = RwSignal::new(String::new());
    let tool = RwSignal::new(String::new());
    let wait = RwSignal::new("30".to_owned());
    let faulty = RwSignal::new(false);
    let table = Memo::new(move |_| {
        let (provider, model, tool) = (provider.get(), model.get(), tool.get());
        let seconds = halfopen::number::parse(wait.get().trim()).filter(|seconds| *seconds >= 0.0);
        let about = About {
            provider: (!provider.is_empty()).then_some(provider.as_str()),
            model: (!model.is_empty()).then_some(model.as_str()),
            tool: (!tool.is_empty()).then_some(tool.as_str()),
            retry_after: seconds.map(|seconds| Millis::from_f64(seconds * 1e3)),
        };
        let cell = |code: Code, tag: &str| {
            let message = user_message(code, &about, tag);
            // In another language, the same words as in English are a message that is missing.
            let missing = tag != "en" && message == user_message(code, &about, "en");
            let mut faults: Vec<_> = lint(&message).iter().map(says).collect();
            if missing {
                faults.push("missing: English stands in".into());
            }
            (message, faults)
        };
        Code::ALL
            .iter()
            .map(|&code| (code.as_str(), LOCALES.iter().map(|tag| cell(code, tag)).collect::<Vec<_>>()))
            .collect::<Vec<_>>()
    });
    let faults = move || {
        table.with(|table| table.iter().flat_map(|row| &row.1).filter(|cell| !cell.1.is_empty()).count())
    };
    let field = |label: &'static str, signal: RwSignal<String>| {
        view! {
            <label class="choice">{label}<input type="text" prop:value=move || signal.get() on:input=move |event| signal.set(event_target_value(&event))/></label>
        }
    };
    view! {
        <section class="page" aria-label="Messages">
            <header class="page-head">
                <h2>"What people read"</h2>
                {field("Provider ", provider)}{field("Model ", model)}{field("Tool ", tool)}{field("Retry after, seconds ", wait)}
                <label class="choice"><input type="checkbox" prop:checked=move || faulty.get() on:change=move |event| faulty.set(event_target_checked(&event))/>" Only what to look at"</label>
                <span class="grow"></span>
                <span class="dim" role="status">{move || match faults() { 0 => "✓ nothing reads badly".to_owned(), number => format!("⚠ {number} to look at") }}</span>
            </header>
            <div class="scroll tall" tabindex="0" role="region" aria-label="All messages">
                <table class="matrix">
                    <thead><tr><th>"Code"</th>{LOCALES.iter().map(|&tag| view! { <th>{tag}</th> }).collect_view()}</tr></thead>
                    <tbody>{move || table.get().into_iter().filter(|row| !faulty.get() || row.1.iter().any(|cell| !cell.1.is_empty())).map(|(code, cells)| view! {
                        <tr>
                            <th scope="row"><code>{code}</code></th>
                            {LOCALES.iter().zip(cells).map(|(&tag, (message, faults))| {
                                let fault = (!faults.is_empty()).then(|| view! { <p class="fault">"⚠ "{faults.join(", ")}</p> });
                                view! { <td lang=tag>{message}{fault}</td> }
                            }).collect_view()}
                        </tr>
                    }).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}
