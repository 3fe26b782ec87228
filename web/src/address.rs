//! What is shown, kept in the address: `?view=breakers&q=code:TIMEOUT&call=…`.
//!
//! In the query of one path rather than in paths of its own: so the page works wherever it is served from, in a
//! folder, on a static host, or within another page.

use crate::session::live::{Origin, Session};
use crate::session::view::View;
use leptos::prelude::*;
use std::time::Duration;
use web_sys::UrlSearchParams;

/// The least time between two writings, in milliseconds: browsers refuse more than some hundred in half a minute.
const PAUSE: u64 = 300;

/// Reads the address, and keeps it as the session goes.
pub(crate) fn keep(session: Session) {
    read(session);
    let _ = window_event_listener(leptos::ev::popstate, move |_| read(session));
    let waiting = StoredValue::new(false);
    let last_view = StoredValue::new(session.view.get_untracked());
    Effect::new(move |_| {
        let _ = (session.view.get(), session.query.get(), session.selected.get(), session.origin.get());
        if waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        let write = move || {
            waiting.set_value(false);
            let turned = last_view.get_value() != session.view.get_untracked();
            last_view.set_value(session.view.get_untracked());
            write(session, turned);
        };
        set_timeout(write, Duration::from_millis(PAUSE));
    });
}

fn parameters() -> Option<UrlSearchParams> {
    let search = window().location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()
}

fn read(session: Session) {
    let Some(parameters) = parameters() else { return };
    let view = parameters.get("view").and_then(|word| View::from_word(&word)).unwrap_or(View::Timeline);
    session.view.set(view);
    session.query.set(parameters.get("q").unwrap_or_default());
    if let Some(id) = parameters.get("call") {
        let found = session.peek(|log| log.call_by_id(&id));
        session.selected.set(found);
        if found.is_none() {
            wait_for_call(session, id);
        }
    }
}

/// A call of the address that has not come yet is selected when it comes.
fn wait_for_call(session: Session, id: String) {
    let done = StoredValue::new(false);
    Effect::new(move |_| {
        if done.get_value() {
            return;
        }
        if let Some(found) = session.read(|log| log.call_by_id(&id)) {
            done.set_value(true);
            session.show_call(found);
        }
    });
}

/// Whether the address asks for the demonstration.
pub(crate) fn wants_demo() -> bool {
    parameters().is_some_and(|parameters| parameters.get("source").as_deref() == Some("demo"))
}

fn write(session: Session, turned: bool) {
    let Some(parameters) = parameters() else { return };
    let set = |key: &str, value: Option<String>| match value.filter(|value| !value.is_empty()) {
        Some(value) => parameters.set(key, &value),
        None => parameters.delete(key),
    };
    let view = session.view.get_untracked();
    set("view", (view != View::Timeline).then(|| view.word().to_owned()));
    set("q", Some(session.query.get_untracked()));
    let selected = session.selected.get_untracked();
    set(
        "call",
        selected.and_then(|number| session.peek(|log| log.call(number).map(|call| call.id.to_string()))),
    );
    set("source", (session.origin.get_untracked() == Origin::Demo).then(|| "demo".to_owned()));
    let text = String::from(parameters.to_string());
    let path = window().location().pathname().unwrap_or_else(|_| "/".into());
    let address = if text.is_empty() { path } else { format!("{path}?{text}") };
    let Ok(history) = window().history() else { return };
    let nothing = wasm_bindgen::JsValue::NULL;
    let _ = if turned {
        history.push_state_with_url(&nothing, "", Some(&address))
    } else {
        history.replace_state_with_url(&nothing, "", Some(&address))
    };
}
