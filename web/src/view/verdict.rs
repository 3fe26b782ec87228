//! What the views of errors share: facts, a rule's source to follow, and a message in every language.

use halfopen::classify::{rule, source_url};
use halfopen::code::Code;
use halfopen::message::{About, LOCALES, user_message};
use leptos::prelude::*;

/// Names and values in two columns.
pub(super) fn facts(facts: Vec<(&'static str, String)>) -> AnyView {
    view! { <dl class="facts">{facts.into_iter().map(super::details::fact).collect_view()}</dl> }.into_any()
}

/// A text as a program would see it.
pub(super) fn technical(name: &'static str, text: String) -> AnyView {
    view! { <h4>{name}</h4><pre class="technical" tabindex="0" aria-label=name>{text}</pre> }.into_any()
}

/// A source's name, as a link where it can be followed.
pub(super) fn source(source: &'static str) -> AnyView {
    match source_url(source) {
        Some(url) => {
            let shown = source.trim_start_matches("https://");
            view! { <a class="source" href=url target="_blank" rel="noopener noreferrer">{shown}</a> }
                .into_any()
        }
        None => source.into_any(),
    }
}

/// Which rule decided, what it asks for, and who says so.
pub(super) fn deciding_rule(id: &str) -> AnyView {
    let (asks, says) = match rule(id) {
        Some(card) => (card.wanted.join(" and "), source(card.source)),
        None if id == "agent-error" => ("an AgentError, which says itself what it is".into(), ().into_any()),
        None => ("a rule of the application's own".into(), ().into_any()),
    };
    let asks = if asks.is_empty() { "nothing: no other rule held".to_owned() } else { asks };
    view! {
        <dl class="facts">
            <div><dt>"Rule"</dt><dd><code>{id.to_owned()}</code></dd></div>
            <div><dt>"It asks for"</dt><dd>{asks}</dd></div>
            <div><dt>"Source"</dt><dd>{says}</dd></div>
        </dl>
    }
    .into_any()
}

/// What the person reads, in every language.
pub(super) fn messages(code: Code, about: &About<'_>) -> AnyView {
    let rows = LOCALES.iter().map(|&tag| {
        view! { <div><dt>{tag}</dt><dd lang=tag>{user_message(code, about, tag)}</dd></div> }
    });
    view! { <h3>"What the person reads"</h3><dl class="facts messages">{rows.collect_view()}</dl> }.into_any()
}
