//! The button that copies the text beside it.

use leptos::prelude::*;
use std::sync::Arc;

/// What gives the text, as it is now. One type for all of them: a button for each would be larger.
pub(crate) type Text = Arc<dyn Fn() -> String + Send + Sync>;

/// Copies a text, and says so until the text is another.
#[component]
pub(crate) fn Copy(text: Text) -> impl IntoView {
    let copied = RwSignal::new(String::new());
    let now = text.clone();
    let copy = move |_| {
        let text = untrack(|| text());
        let _ = window().navigator().clipboard().write_text(&text);
        copied.set(text);
    };
    view! { <button class="tool" on:click=copy>{move || if copied.get() == now() { "Copied" } else { "Copy" }}</button> }
}
