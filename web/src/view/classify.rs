//! An error pasted in, classified by the core's own code: what it says, which rule decides, what follows, what people read.

use crate::ui::badge::Badge;
use crate::ui::format::span;
use halfopen::classify::{Context, Thrown, classify_with_signals};
use halfopen::message::{About, LOCALES, user_message};
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
        "Connection reset",
        "{ \"name\": \"TypeError\", \"message\": \"fetch failed\", \"cause\": { \"code\": \"ECONNRESET\", \"syscall\": \"read\" } }",
    ),
    ("Too long", "{ \"status\": 400, \"error\": { \"code\": \"context_length_exceeded\" } }"),
    ("A line of a log", "Error: 503 Service Unavailable"),
];

/// The workbench for one error.
#[component]
pub(crate) fn Classify() -> impl IntoView {
    let text = RwSignal::new(EXAMPLES.first().map_or("", |example| example.1).to_owned());
    let provider = RwSignal::new(String::new());
    let verdict = Memo::new(move |_| {
        let provider = provider.get();
        let context = Context { provider: (!provider.is_empty()).then_some(provider), ..Context::default() };
        let (found, signals) = text.with(|text| classify_with_signals(&read(text), &context));
        (found, serde_json::to_string_pretty(&signals).unwrap_or_default())
    });
    let result = move || {
        let (found, signals) = verdict.get();
        let about = About {
            provider: found.provider.provider.as_deref(),
            model: found.provider.model.as_deref(),
            tool: None,
            retry_after: found.hint,
        };
        let messages = LOCALES.iter().map(|&tag| view! { <div><dt>{tag}</dt><dd lang=tag>{user_message(found.code, &about, tag)}</dd></div> }).collect_view();
        let mut facts = vec![
            ("Rule", found.rule.to_owned()),
            ("Severity", found.severity.as_str().to_owned()),
            ("Type", found.code.error_type().as_str().to_owned()),
            ("Retryable", if found.retryable { "yes" } else { "no" }.to_owned()),
            ("Hint", found.hint.map_or_else(|| "none".to_owned(), |hint| span(hint.as_f64()))),
        ];
        facts.extend(found.provider.provider.clone().map(|provider| ("Provider", provider)));
        facts.extend(found.provider.status_code.map(|status| ("HTTP status", status.to_string())));
        facts.extend(found.provider.request_id.clone().map(|id| ("Request id", id)));
        view! {
            <article class="card" aria-label="Classification" aria-live="polite">
                <header><h3>"It is"</h3><Badge code=found.code.as_str()/></header>
                <dl class="facts">{facts.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
                <h4>"Technical details, as a log may show them"</h4>
                <pre class="technical" tabindex="0" aria-label="Technical details">{found.technical_details.clone()}</pre>
                <h4>"Signals that were read"</h4>
                <pre class="technical" tabindex="0" aria-label="Signals">{signals}</pre>
            </article>
            <article class="card" aria-label="Messages">
                <header><h3>"What the person reads"</h3></header>
                <dl class="facts messages">{messages}</dl>
            </article>
        }
    };
    view! {
        <section class="page" aria-label="Classify">
            <header class="page-head">
                <h2>"Classify an error"</h2>
                <span class="dim">"It stays in this page: the core's own code runs here."</span>
            </header>
            <div class="two-even">
                <div class="paste">
                    <label for="paste">"The error: JSON, text, or a line of a log"</label>
                    <textarea id="paste" rows="14" spellcheck="false" prop:value=move || text.get() on:input=move |event| text.set(event_target_value(&event))></textarea>
                    <label class="choice">"Provider, if known "<input type="text" placeholder="openai" prop:value=move || provider.get() on:input=move |event| provider.set(event_target_value(&event))/></label>
                    <p class="links">"Try "{EXAMPLES.iter().map(|&(name, example)| view! { <button class="link" on:click=move |_| text.set(example.to_owned())>{name}</button> }).collect_view()}</p>
                </div>
                <div class="stack">{result}</div>
            </div>
        </section>
    }
}

/// JSON is read as the object that it writes; anything else is the message of an error.
fn read(text: &str) -> Thrown {
    let text = text.trim();
    if serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|value| value.is_object() || value.is_array())
    {
        return Thrown::from_json(text);
    }
    Thrown::from_json(&serde_json::json!({ "name": "Error", "message": text }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen::Code;

    #[test]
    fn every_example_is_recognised() {
        let codes: Vec<_> = EXAMPLES
            .iter()
            .map(|(_, text)| classify_with_signals(&read(text), &Context::default()).0.code)
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
