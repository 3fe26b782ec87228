//! What recovery makes of a failed call: the context of its error, where it leads, and the report, all by the core.

use super::facts::fact;
use crate::answers::query;
use crate::ui::copy::{Copy, Text};
use halfopen_answers::{Recover, Recovered};
use halfopen_model::format::span;
use halfopen_model::view::recovery::{Recovery, route};
use leptos::prelude::*;
use std::sync::Arc;

/// The context as facts, and the report to copy; nothing until the second module is loaded.
pub(super) fn after_failure(recovery: Recovery, locale: RwSignal<String>) -> AnyView {
    view! { {move || query(&recovery.question).map(|found| context_and_report(found, &recovery, locale))} }
        .into_any()
}

fn context_and_report(found: Recovered, recovery: &Recovery, locale: RwSignal<String>) -> AnyView {
    let Recovery { question, ended, attempts } = recovery;
    let route = route(&found);
    let facts = vec![
        ("Task", found.task),
        ("Operation", found.operation),
        ("Severity", found.severity),
        ("Ended", (*ended).to_owned()),
        // The call is over: this is what a graph makes of its error that retries as often as the policy.
        ("Default route", route),
        ("Retries", question.retries.to_string()),
        ("Attempts", attempts.to_string()),
        ("Execution time", span(question.took_ms)),
    ];
    let question = question.clone();
    let text: Text = Arc::new(move || {
        let question = Recover { locale: locale.get(), ..question.clone() };
        query(&question).map(|found| found.report).unwrap_or_default()
    });
    let shown = text.clone();
    view! {
        <section aria-label="Context">
            <h3>"Context"</h3>
            <dl class="facts">{facts.into_iter().map(fact).collect_view()}</dl>
        </section>
        <details class="report">
            <summary>"Report"</summary>
            <div class="code">
                <pre tabindex="0" aria-label="Report" lang=move || locale.get()>{move || shown()}</pre>
                <Copy text/>
            </div>
        </details>
    }
    .into_any()
}
