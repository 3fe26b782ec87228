//! Where exports are asked for: a menu for what is shown, and the selected call as a test.

use super::lab::Lab;
use super::saved::{save_report, save_trace};
use super::steps::collect_events;
use crate::answers::query;
use crate::session::{Session, use_session};
use crate::ui::copy::Copy;
use crate::ui::download;
use halfopen_model::export::test::as_test;
use halfopen_model::view::View;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;

const MENU: &str = ".menu";

/// Saves all events that are kept.
pub(crate) fn save_events(session: Session) {
    session.intake.notice.set(None);
    collect_events(session, |parts| download::save(parts, "application/x-ndjson", "halfopen-events.jsonl"));
}

/// The menu of exports.
#[component]
pub(crate) fn Menu() -> impl IntoView {
    let session = use_session();
    let lab = expect_context::<Lab>();
    let none = move || session.log.read(|log| log.kept() == 0);
    let entry = |name: &'static str, key: &'static str, act: fn(Session)| {
        view! { <button class="tool" disabled=none on:click=move |_| {
            act(session);
            close();
        }>{name}<kbd aria-hidden="true">{key}</kbd></button> }
    };
    view! {
        <details class="menu" on:focusout=close_when_left>
            <summary class="tool">"Export"</summary>
            <div class="menu-list">
                {entry("All events (JSONL)", "e", save_events)}
                {entry("Report of what is shown (Markdown)", "r", save_report)}
                {entry("Trace of what is shown (Perfetto)", "g", save_trace)}
                <button class="tool" disabled=none on:click=move |_| {
                    lab.show_incident(session, None);
                    session.navigation.view.set(View::Lab);
                    close();
                }>"Open the last incident in the Lab"</button>
            </div>
        </details>
    }
}

fn close_when_left(event: web_sys::FocusEvent) {
    let next = event.related_target().and_then(|next| next.dyn_into::<web_sys::Element>().ok());
    if next.is_none_or(|next| next.closest(MENU).ok().flatten().is_none()) {
        close();
    }
}

fn close() {
    if let Some(menu) = document().query_selector(MENU).ok().flatten() {
        let _ = menu.remove_attribute("open");
    }
}

/// By its key it can be asked for from far away.
fn into_sight() {
    if let Some(button) = document().get_element_by_id("export-test") {
        button.scroll_into_view();
    }
}

/// The selected call as a test: shown, to copy or to save. `shown` is the call whose test is open; it lives outside,
/// because this is made anew with each event of the call.
#[component]
pub(super) fn AsTest(number: CallNumber, shown: RwSignal<Option<CallNumber>>) -> impl IntoView {
    let session = use_session();
    let open = move || shown.get() == Some(number);
    let text = move || {
        let question = session.log.read(|log| as_test(log, number));
        question.and_then(|question| query(&question)).unwrap_or_default()
    };
    let code = move || {
        open().then(|| view! {
            <div class="code">
                <pre tabindex="0" aria-label="The call as a test"><code>{text}</code></pre>
                <div class="code-tools">
                    <Copy text=Arc::new(text)/>
                    <button class="tool" on:click=move |_| download::save_text(&untrack(text), "text/typescript", "halfopen-call.test.ts")>"Save"</button>
                </div>
            </div>
        })
    };
    view! {
        <button class="tool" id="export-test" title="The call as a test (x)" aria-expanded=move || open().to_string() on:click=move |_| {
            shown.update(|shown| *shown = (*shown != Some(number)).then_some(number));
            request_animation_frame(into_sight);
        }>
            {move || if open() { "Hide the test" } else { "Export as a test" }}
        </button>
        {code}
    }
}
