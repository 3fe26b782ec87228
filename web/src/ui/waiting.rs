//! What stands in an answer's place until the core's module has come, or when it cannot be had.

use crate::answers::{self, MODULE};
use leptos::prelude::*;

/// The placeholder: nothing to be seen at first, as it is there in a moment; then a word, or why not and another try.
pub(crate) fn waiting() -> AnyView {
    let inside = move || {
        match answers::failure() {
        None => view! { <p class="dim late" role="status">"Waiting for the core…"</p> }.into_any(),
        Some(why) => view! {
            <div class="notice" role="alert">
                <p>"The core, which answers this, could not be loaded: "{why}"."</p>
                <p>"See that the server still runs and that "<code>{MODULE}</code>" lies beside this page."</p>
                <button class="tool" on:click=move |_| answers::load()>"Try again"</button>
            </div>
        }
        .into_any(),
    }
    };
    view! { <div class="unanswered">{inside}</div> }.into_any()
}
