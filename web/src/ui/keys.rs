//! Keys: one table, which the sheet shows too.

use super::theme::Themes;
use crate::app::is_typing;
use crate::session::embedded::is_embedded;
use crate::session::live::{Origin, Session};
use crate::session::view::View;
use crate::session::{query, source};
use crate::view::export;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Keys and what they do, as the sheet shows them.
const SHEET: &[(&str, &str)] = &[
    ("1 … 9", "go to a view"),
    ("/", "filter"),
    ("↑ ↓  or  k j", "the call before, the call after"),
    ("Enter", "details of the selected call"),
    ("Esc", "close, or leave the field"),
    ("+ −", "zoom in, zoom out"),
    ("← →  or  h l", "earlier, later"),
    ("0", "show everything"),
    ("f", "follow what comes"),
    ("p", "pause and resume"),
    ("c", "forget all events, close the file"),
    ("o", "open a JSONL file"),
    ("e", "save all events as JSONL"),
    ("r", "save a report of what is shown, Markdown"),
    ("g", "save a trace of what is shown, for Perfetto"),
    ("x", "the selected call as a test"),
    ("d", "the demonstration"),
    ("t", "theme: system, light, dark"),
    ("?", "this sheet"),
];

/// Listens to the keys of the page.
pub(crate) fn listen(session: Session, themes: Themes, sheet: RwSignal<bool>) {
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        if key == "Escape" {
            if sheet.get_untracked() {
                sheet.set(false);
            } else if is_typing() {
                blur();
            } else {
                session.selected.set(None);
            }
            return;
        }
        if is_typing() || sheet.get_untracked() {
            return;
        }
        if act(session, themes, sheet, &key) {
            event.prevent_default();
        }
    });
}

fn act(session: Session, themes: Themes, sheet: RwSignal<bool>, key: &str) -> bool {
    let digit = key.parse::<usize>().ok().and_then(|digit| digit.checked_sub(1));
    if let Some(row) = digit.and_then(|digit| View::ALL.get(digit)) {
        session.view.set(row.0);
        return true;
    }
    let timeline = session.view.get_untracked() == View::Timeline;
    let file = untrack(|| session.shows_file());
    match key {
        "/" => focus("search"),
        "p" if !file => session.toggle_pause(),
        "c" if file => session.switch(Origin::Live),
        "c" => session.clear(),
        "o" => click("open-file"),
        "e" => source::export(session),
        "r" => export::save_report(session),
        "g" => export::save_trace(session),
        "x" => click("export-test"),
        "d" if !is_embedded() => session.switch(Origin::Demo),
        "t" => themes.theme.update(|theme| *theme = theme.next()),
        "?" => sheet.set(true),
        "f" => session.follow(),
        "0" => session.fit(),
        "+" | "=" | "-" | "−" | "h" | "l" | "ArrowLeft" | "ArrowRight" if timeline => {
            let viewport = session.peek(|log| session.viewport(log, session.now.get_untracked(), 100.0));
            let moved = match key {
                "+" | "=" => viewport.zoomed(0.6, 50.0),
                "-" | "−" => viewport.zoomed(1.0 / 0.6, 50.0),
                "h" | "ArrowLeft" => viewport.moved(-20.0),
                _ => viewport.moved(20.0),
            };
            session.show(moved);
        }
        "j" | "ArrowDown" if timeline => session.step.set(1),
        "k" | "ArrowUp" if timeline => session.step.set(-1),
        _ => return false,
    }
    true
}

fn element(id: &str) -> Option<web_sys::HtmlElement> {
    document().get_element_by_id(id).and_then(|element| element.dyn_into().ok())
}

fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
}

fn click(id: &str) {
    if let Some(element) = element(id) {
        element.click();
    }
}

fn blur() {
    let active =
        document().active_element().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = active {
        let _ = element.blur();
    }
}

/// What the timeline's signs say.
const SIGNS: [(&str, &str); 11] = [
    ("✓", "a call that was answered"),
    ("↪", "answered by its fallback"),
    ("✕", "failed"),
    ("⊘", "refused without an attempt"),
    ("−", "cancelled"),
    ("▸ ◷ ≡", "running, waiting to retry, queued"),
    ("◐", "a breaker's probe"),
    ("▯ ▯", "attempts: green answered, red failed"),
    ("////", "a wait: amber for backoff, violet for Retry-After"),
    ("▔▔", "above, over the whole log: a breaker was open; thin: half-open"),
    ("⎵", "from when to when the backoff's jitter could have ended it"),
];

/// The sheet of keys, filters and signs.
#[component]
pub(crate) fn KeySheet(open: RwSignal<bool>) -> impl IntoView {
    let close = NodeRef::<leptos::html::Button>::new();
    Effect::new(move |_| {
        if let Some(button) = close.get() {
            let _ = button.focus();
        }
    });
    let row =
        |(term, says): (String, &'static str)| view! { <div><dt><kbd>{term}</kbd></dt><dd>{says}</dd></div> };
    view! {
        <div class="veil" on:click=move |_| open.set(false)>
            <section
                class="sheet"
                role="dialog"
                aria-modal="true"
                aria-labelledby="sheet-title"
                on:click=move |event| event.stop_propagation()
                on:keydown=move |event| {
                    // One thing can have the focus here: it stays.
                    if event.key() == "Tab" {
                        event.prevent_default();
                    }
                }
            >
                <header>
                    <h2 id="sheet-title">"Keys, filters and signs"</h2>
                    <button class="icon" aria-label="Close" node_ref=close on:click=move |_| open.set(false)>"✕"</button>
                </header>
                <div class="sheet-columns" tabindex="-1">
                    <div>
                        <dl>{SHEET.iter().map(|&(key, says)| row((key.to_owned(), says))).collect_view()}</dl>
                        <dl>{SIGNS.iter().map(|&(sign, says)| row((sign.to_owned(), says))).collect_view()}</dl>
                    </div>
                    <dl>
                        {query::help().map(row).collect_view()}
                        <div><dt><kbd>"-"</kbd></dt><dd>"before a term turns it round: -status:ok"</dd></div>
                        <div><dt><kbd>"a,b  a*"</kbd></dt><dd>"one of several; a beginning: provider:open*"</dd></div>
                    </dl>
                </div>
            </section>
        </div>
    }
}
