//! What the views of errors share: facts, a rule's source to follow, and a message in every language.

use crate::answers::query;
use halfopen_answers::{LookUp, Source};
use leptos::prelude::*;

/// Names and values in two columns.
pub(super) fn facts(facts: Vec<(&'static str, String)>) -> AnyView {
    view! { <dl class="facts">{facts.into_iter().map(fact).collect_view()}</dl> }.into_any()
}

/// A text as a program would see it.
pub(super) fn technical(name: &'static str, text: String) -> AnyView {
    view! { <h4>{name}</h4><pre class="technical" tabindex="0" aria-label=name>{text}</pre> }.into_any()
}

/// A source's name, as a link where it can be followed.
pub(super) fn source(source: Source) -> AnyView {
    match source.url {
        Some(url) => {
            view! { <a class="source" href=url target="_blank" rel="noopener noreferrer">{source.name}</a> }
                .into_any()
        }
        None => source.name.into_any(),
    }
}

/// A name and its value.
pub(super) fn fact((name, value): (&'static str, String)) -> impl IntoView {
    view! { <div><dt>{name}</dt><dd>{value}</dd></div> }
}

/// Which rule decided, and, where the core is there, what it requires and who says so.
pub(super) fn deciding_rule(id: String) -> AnyView {
    let card = query(&LookUp { id: id.clone() }).map(|card| {
        view! {
            <div><dt>"It requires"</dt><dd>{card.requires}</dd></div>
            <div><dt>"Source"</dt><dd>{source(card.source)}</dd></div>
        }
    });
    view! { <dl class="facts"><div><dt>"Rule"</dt><dd><code>{id}</code></dd></div>{card}</dl> }.into_any()
}

/// The message to the user of such an error, in every language, below a sentence on it.
pub(super) fn messages(all: Vec<(String, String)>, sentence: AnyView) -> AnyView {
    let rows = all.into_iter().map(|(tag, message)| {
        view! { <div><dt>{tag.clone()}</dt><dd lang=tag>{message}</dd></div> }
    });
    view! { <h3>"What the user reads"</h3>{sentence}<dl class="facts messages">{rows.collect_view()}</dl> }
        .into_any()
}
