//! The placeholder for a result while the core's module loads, if it cannot be loaded, and after it has trapped.

use crate::answers::{self, Failure, MODULE};
use leptos::prelude::*;

/// The placeholder: empty at first, because the module usually loads in a moment; then a word, or the reason and a button.
pub(crate) fn waiting() -> AnyView {
    let inside = move || match answers::failure() {
        None => view! { <p class="dim late" role="status">"Waiting for the core…"</p> }.into_any(),
        Some(failure) => {
            let (what, why, then) = match failure {
                Failure::Load(why) => {
                    let then = format!("Check that the server runs and that {MODULE} lies beside this page.");
                    ("could not be loaded", why, then)
                }
                Failure::Trap(why) => {
                    ("stopped", why, "Nothing of the log is lost. Start it again.".to_owned())
                }
            };
            view! {
                <div class="notice" role="alert">
                    <p>"The core, which computes this, "{what}": "{why}"."</p>
                    <p>{then}</p>
                    <button class="tool" on:click=move |_| answers::load()>"Try again"</button>
                </div>
            }
            .into_any()
        }
    };
    view! { <div class="unanswered">{inside}</div> }.into_any()
}
