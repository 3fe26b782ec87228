//! An error pasted in, classified by the core's own code: what it says, which rules were asked, what follows, what people read.

use super::pasted::{self, MOST, Pasted};
use super::verdict::{facts, messages, source, technical};
use crate::session::live::use_session;
use crate::ui::badge::Badge;
use crate::ui::format::span;
use halfopen::classify::{Context, Explanation, Tried, explain};
use halfopen::message::About;
use leptos::prelude::*;

/// Errors to try, as they come.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "Rate limit with a hint",
        "{\n  \"name\": \"RateLimitError\",\n  \"status\": 429,\n  \"headers\": { \"retry-after\": \"12\", \"x-request-id\": \"req_81f2\" },\n  \"error\": { \"type\": \"requests\", \"code\": \"rate_limit_exceeded\" }\n}",
    ),
    (
        "Quota used up",
        "{ \"status\": 429, \"error\": { \"code\": \"insufficient_quota\", \"message\": \"You exceeded your current quota\" } }",
    ),
    (
        "Anthropic overloaded",
        "{ \"status\": 529, \"error\": { \"type\": \"error\", \"error\": { \"type\": \"overloaded_error\", \"message\": \"Overloaded\" } } }",
    ),
    (
        "A stack trace",
        "TypeError: fetch failed\n    at async ask (/app/agent.js:12:9) {\n  [cause]: Error: read ECONNRESET\n      at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20) {\n    code: 'ECONNRESET',\n    syscall: 'read'\n  }\n}",
    ),
    ("Too long", "{ \"status\": 400, \"error\": { \"code\": \"context_length_exceeded\" } }"),
    ("A line of a log", "2026-11-22T09:14:03Z ERROR agent: InternalServerError: 503 Service Unavailable"),
];

/// The workbench for one error.
#[component]
pub(crate) fn Classify() -> impl IntoView {
    let session = use_session();
    let first = EXAMPLES.first().map_or("", |example| example.1).to_owned();
    let given = session.pasted.try_update(std::mem::take).unwrap_or_default();
    let text = RwSignal::new(if given.is_empty() { first } else { given });
    let provider = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    let all = Memo::new(move |_| text.with(|text| pasted::read(text)));
    let found = Memo::new(move |_| {
        let provider = provider.get();
        let context = Context { provider: (!provider.is_empty()).then_some(provider), ..Context::default() };
        all.with(|all| {
            let one = all.get(chosen.get()).or(all.first());
            one.map(|one| explain(&one.thrown(), &context))
        })
    });
    let put = move |new: String| {
        chosen.set(0);
        text.set(new);
    };
    let about_text = move || {
        let kind = all.with(|all| all.first().map_or("", |one| one.kind));
        let cut = text.with(|text| text.len() >= MOST);
        format!("Read as {kind}.{}", if cut { " Only the first 256 KiB are taken." } else { "" })
    };
    view! {
        <section class="page" aria-label="Classify">
            <header class="page-head">
                <h2>"Classify an error"</h2>
                <span class="dim">"It stays in this page: the core's own code runs here."</span>
            </header>
            <div class="two-even">
                <div class="paste">
                    <label for="paste">"The error: JSON, text, a stack trace, lines of a log"</label>
                    <textarea id="paste" rows="14" spellcheck="false" maxlength=MOST.to_string() prop:value=move || text.get() on:input=move |event| put(event_target_value(&event))></textarea>
                    <p class="dim" role="status">{about_text}</p>
                    <label class="choice">"Provider, if known "<input type="text" placeholder="openai" prop:value=move || provider.get() on:input=move |event| provider.set(event_target_value(&event))/></label>
                    <p class="links">"Try "{EXAMPLES.iter().map(|&(name, example)| view! { <button class="link" on:click=move |_| put(example.to_owned())>{name}</button> }).collect_view()}</p>
                    {move || all.with(|all| choices(all, chosen))}
                </div>
                <div class="stack">{move || found.get().map(result)}</div>
            </div>
        </section>
    }
}

/// Several errors were pasted: one of them is looked at.
fn choices(all: &[Pasted], chosen: RwSignal<usize>) -> Option<AnyView> {
    (all.len() > 1).then(|| {
        let rows = all.iter().enumerate().map(|(index, one)| {
            let found = halfopen::classify::classify(&one.thrown(), &Context::default());
            view! {
                <li><button class="group line" aria-pressed=move || (chosen.get() == index).to_string() on:click=move |_| chosen.set(index)>
                    <b>{index + 1}</b><Badge code=found.code.as_str()/><code>{found.rule}</code>
                </button></li>
            }
        });
        view! { <h3>{all.len()}" errors, one a line"</h3><ul class="groups lines">{rows.collect_view()}</ul> }.into_any()
    })
}

fn result(found: Explanation) -> AnyView {
    let Explanation { classification, signals, tried, afterwards } = found;
    let about = About {
        provider: classification.provider.provider.as_deref(),
        model: classification.provider.model.as_deref(),
        tool: None,
        retry_after: classification.hint,
    };
    let told = messages(classification.code, &about);
    let mut said = vec![
        ("Rule", classification.rule.to_owned()),
        ("Severity", classification.severity.as_str().to_owned()),
        ("Type", classification.code.error_type().as_str().to_owned()),
        ("Retryable", if classification.retryable { "yes" } else { "no" }.to_owned()),
        ("Hint", classification.hint.map_or_else(|| "none".to_owned(), |hint| span(hint.as_f64()))),
    ];
    said.extend(classification.provider.provider.map(|provider| ("Provider", provider)));
    said.extend(classification.provider.status_code.map(|status| ("HTTP status", status.to_string())));
    said.extend(classification.provider.request_id.map(|id| ("Request id", id)));
    view! {
        <article class="card" aria-label="Classification" aria-live="polite">
            <header><h3>"It is"</h3><Badge code=classification.code.as_str()/></header>
            {technical("Signals that were read", serde_json::to_string_pretty(&signals).unwrap_or_default())}
            {rules_tried(tried)}
            {afterwards.into_iter().map(|sentence| view! { <p>{sentence}</p> }).collect_view()}
            <h4>"So it is"</h4>
            {facts(said)}
            {technical("Technical details, as a log may show them", classification.technical_details)}
            {told}
        </article>
    }
    .into_any()
}

/// The rules that were asked: those that came close and the one that decided; all of them on demand.
fn rules_tried(tried: Vec<Tried>) -> AnyView {
    let whole = RwSignal::new(false);
    let asked = tried.len();
    let rows = move || {
        let whole = whole.get();
        let shown = tried.iter().filter(|rule| whole || rule.close || rule.decided);
        shown.map(rule_row).collect::<Vec<_>>()
    };
    view! {
        <h4>"Rules that were asked, in their order"</h4>
        <ol class="rules">{rows}</ol>
        <button class="tool" aria-expanded=move || whole.get().to_string() on:click=move |_| whole.update(|whole| *whole = !*whole)>
            {move || if whole.get() { "Only those that came close".to_owned() } else { format!("All {asked} that were asked") }}
        </button>
    }
    .into_any()
}

fn rule_row(rule: &Tried) -> AnyView {
    let mut held = String::new();
    let mut missed = String::new();
    for check in &rule.checks {
        let into = if check.held { &mut held } else { &mut missed };
        if !into.is_empty() {
            into.push_str(", ");
        }
        into.push_str(&check.wanted);
    }
    let sign = if rule.decided { "✓" } else { "✕" };
    if !missed.is_empty() {
        held.push_str(if held.is_empty() { "not " } else { ", but not " });
        held.push_str(&missed);
    }
    let origin =
        rule.decided.then(|| view! { <p>{rule.code.as_str()}" · source: "{source(rule.source)}</p> });
    view! {
        <li class:decided=rule.decided>
            <i aria-hidden="true">{sign}</i>
            <div><code>{rule.rule}</code>{if rule.decided { " decided" } else { "" }}<p>{held}</p>{origin}</div>
        </li>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen::Code;

    #[test]
    fn every_example_is_recognised() {
        let codes: Vec<_> = EXAMPLES
            .iter()
            .flat_map(|(_, text)| pasted::read(text))
            .map(|one| explain(&one.thrown(), &Context::default()).classification.code)
            .collect();
        assert_eq!(
            codes,
            [
                Code::RateLimited,
                Code::QuotaExceeded,
                Code::ProviderOverloaded,
                Code::NetworkError,
                Code::ContextLengthExceeded,
                Code::ServerError
            ]
        );
    }
}
