//! The button that copies the text beside it.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlDocument, HtmlElement, HtmlTextAreaElement};

/// Returns the current text. One boxed type for all of them, because a generic button would be compiled for each.
pub(crate) type Text = Arc<dyn Fn() -> String + Send + Sync>;

/// How long the button shows the result, in milliseconds.
const SAID: u32 = 2_000;

/// The state of the button.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Ready,
    Copied,
    Refused,
}

/// Copies a text, and says for two seconds whether the browser did it.
#[component]
pub(crate) fn Copy(text: Text, #[prop(default = "Copy")] label: &'static str) -> impl IntoView {
    let state = RwSignal::new(State::Ready);
    // Dropped with the button and at the next press, so that an old timer does not end a newer notice.
    let timer = StoredValue::new_local(None::<Timeout>);
    let button = NodeRef::<leptos::html::Button>::new();
    let copy = move |_| {
        let text = untrack(|| text());
        let Some(beside) = button.get_untracked() else { return };
        leptos::task::spawn_local(async move {
            let copied = write(&text).await.is_ok() || select_and_copy(&text, &beside).is_ok();
            // The button may be gone by now.
            let _ = state.try_set(if copied { State::Copied } else { State::Refused });
            let ready = move || {
                let _ = state.try_set(State::Ready);
            };
            let _ = timer.try_update_value(|timer| *timer = Some(Timeout::new(SAID, ready)));
        });
    };
    let label = move || match state.get() {
        State::Ready => label,
        State::Copied => "Copied",
        State::Refused => "Could not copy",
    };
    let help = move || {
        (state.get() == State::Refused)
            .then_some("The browser does not allow it here. Select the text and copy it by hand.")
    };
    view! { <button class="tool" node_ref=button title=help aria-live="polite" on:click=copy>{label}</button> }
}

/// Uses the browser's clipboard. Only pages of HTTPS or of this machine have it, and a user can refuse it.
async fn write(text: &str) -> Result<(), JsValue> {
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        return Err(JsValue::UNDEFINED);
    }
    JsFuture::from(clipboard.write_text(text)).await.map(drop)
}

/// Uses a selection, as pages did before they had a clipboard. It is deprecated, and the only way on plain HTTP.
fn select_and_copy(text: &str, beside: &HtmlElement) -> Result<(), JsValue> {
    let document = document();
    let field: HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    field.set_value(text);
    field.set_class_name("said");
    // Beside the button, because a modal dialog makes everything outside it inert.
    let parent = beside.parent_element().ok_or(JsValue::UNDEFINED)?;
    parent.append_child(&field)?;
    field.select();
    let copied = document.unchecked_into::<HtmlDocument>().exec_command("copy");
    field.remove();
    let _ = beside.focus();
    if copied? { Ok(()) } else { Err(JsValue::UNDEFINED) }
}
