//! The legend of the timeline's signs, below it. The browser remembers that it was closed; the sheet of keys has the signs as well.

use crate::ui::storage;
use halfopen_model::keys::SIGNS;
use leptos::prelude::*;

/// Where the browser keeps that it is closed.
const STORED: &str = "halfopen-legend";

/// The legend.
#[component]
pub(super) fn Legend() -> impl IntoView {
    let open = RwSignal::new(storage::get(STORED).as_deref() != Some("off"));
    let close = move |_| {
        open.set(false);
        storage::set(STORED, "off");
    };
    view! {
        <Show when=move || open.get()>
            <section class="legend" aria-label="Legend">
                <dl>{SIGNS.iter().map(|&(sign, says)| view! { <div><dt>{sign}</dt><dd>{says}</dd></div> }).collect_view()}</dl>
                <button class="icon small" aria-label="Close the legend" title="Close; the signs are in the sheet of keys as well (?)" on:click=close>"✕"</button>
            </section>
        </Show>
    }
}
