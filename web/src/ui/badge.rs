//! An error code as a badge: colour and sign show its severity.

use halfopen::code::{Code, Severity};
use leptos::prelude::*;

/// A code's badge.
#[component]
pub(crate) fn Badge(#[prop(into)] code: String) -> impl IntoView {
    let known = Code::from_name(&code);
    let (class, sign) = match known.map(Code::severity) {
        Some(Severity::Retriable) => ("retriable", "↻"),
        Some(Severity::Replanning | Severity::Reclassification) => ("replanning", "⤳"),
        Some(Severity::Critical | Severity::Fatal) => ("critical", "!"),
        None => ("other", "?"),
    };
    let title =
        known.map(|known| format!("{code}: {}; {}", known.severity().as_str(), known.error_type().as_str()));
    view! { <span class=format!("badge {class}") title=title><i aria-hidden="true">{sign}</i><span>{code}</span></span> }
}
