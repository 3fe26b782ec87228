//! Keeps the state of the page in the address: `?view=breakers&q=code:TIMEOUT&call=…`.
//!
//! It uses the query of one path, so that the page works wherever it is served from: in a folder, on a static host, or
//! within another page. A change of the view adds an entry to the browser's history; other changes replace the current
//! entry. An unchanged address is not written again, because that would remove the entries ahead after a step back.

use crate::session::intake::Origin;
use crate::session::{Session, Slow};
use gloo_timers::callback::Timeout;
use halfopen_model::address::Address;
use halfopen_model::view::opened_swimlane;
use leptos::prelude::*;
use web_sys::UrlSearchParams;

/// The least time between two changes, in milliseconds: browsers refuse more than about a hundred in half a minute.
const PAUSE: u32 = 300;

/// The parts of the address that the log does not have yet: the id of a call, and a swimlane.
#[derive(Clone, Copy)]
struct Awaited {
    call: RwSignal<Option<String>>,
    swimlane: RwSignal<Option<String>>,
}

/// Reads the address, then updates it with the session.
pub(crate) fn keep(session: Session) {
    let awaited = Awaited { call: RwSignal::new(None), swimlane: RwSignal::new(None) };
    read(session, awaited);
    let _ = window_event_listener(leptos::ev::popstate, move |_| read(session, awaited));
    // The call is selected when it arrives, in any view, unless the user has selected another one by then.
    Effect::new(move |_| {
        let Some(id) = awaited.call.get() else { return };
        if session.navigation.selected.get().is_some() {
            awaited.call.set(None);
        } else if let Some(found) = session.log.read(|log| log.call_by_id(&id)) {
            awaited.call.set(None);
            session.select_call(found);
        }
    });
    // A swimlane opens when the first of its calls comes, unless the user has opened another one meanwhile.
    Effect::new(move |_| {
        let Some(word) = awaited.swimlane.get() else { return };
        session.clock.slow(Slow::Lists);
        if session.navigation.swimlane.get().is_some() {
            awaited.swimlane.set(None);
        } else if let Some((by, key)) = session.log.peek(|log| opened_swimlane::find(log, &word)) {
            awaited.swimlane.set(None);
            session.navigation.swimlanes_by.set(by);
            session.navigation.swimlane.set(Some(key));
        }
    });
    let timer = StoredValue::new_local(None::<Timeout>);
    Effect::new(move |_| {
        let _ = (
            session.navigation.view.get(),
            session.navigation.query.get(),
            session.navigation.selected.get(),
            session.navigation.swimlane.get(),
            session.intake.origin.get(),
        );
        if timer.with_value(Option::is_some) {
            return;
        }
        let write = move || {
            timer.set_value(None);
            write(session, awaited);
        };
        timer.set_value(Some(Timeout::new(PAUSE, write)));
    });
}

fn parameters() -> Option<UrlSearchParams> {
    let search = window().location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()
}

fn read(session: Session, awaited: Awaited) {
    let Some(parameters) = parameters() else { return };
    let address = Address::read(|name| parameters.get(name));
    session.navigation.view.set(address.view);
    session.navigation.filter(address.query);
    let found = address.call.as_ref().and_then(|id| session.log.peek(|log| log.call_by_id(id)));
    session.navigation.compared.set(None);
    session.navigation.selected.set(None);
    session.navigation.swimlane.set(None);
    awaited.swimlane.set(address.swimlane);
    awaited.call.set(address.call.filter(|_| found.is_none()));
    if let Some(found) = found {
        session.select_call(found);
    }
}

/// Whether the address names the demonstration.
pub(crate) fn wants_demo() -> bool {
    parameters().is_some_and(|parameters| Address::read(|name| parameters.get(name)).demo)
}

fn write(session: Session, awaited: Awaited) {
    let Some(parameters) = parameters() else { return };
    let view_before = Address::read(|name| parameters.get(name)).view;
    let text_before = String::from(parameters.to_string());
    let view = session.navigation.view.get_untracked();
    let selected = session.navigation.selected.get_untracked();
    let id =
        selected.and_then(|number| session.log.peek(|log| log.call(number).map(|call| call.id.to_string())));
    let opened = session.navigation.swimlane.get_untracked();
    let opened = opened.map(|key| session.log.peek(|log| opened_swimlane::word(log, key)));
    let address = Address {
        view,
        query: session.navigation.query.get_untracked(),
        call: id.or_else(|| awaited.call.get_untracked()),
        swimlane: opened.or_else(|| awaited.swimlane.get_untracked()),
        demo: session.intake.origin.get_untracked() == Origin::Demo,
    };
    for (name, value) in address.parameters() {
        match value {
            Some(value) => parameters.set(name, &value),
            None => parameters.delete(name),
        }
    }
    let text = String::from(parameters.to_string());
    if text == text_before {
        return;
    }
    let path = window().location().pathname().unwrap_or_else(|_| "/".into());
    let hash = window().location().hash().unwrap_or_default();
    let address = if text.is_empty() { path } else { format!("{path}?{text}") } + &hash;
    let Ok(history) = window().history() else { return };
    let nothing = wasm_bindgen::JsValue::NULL;
    let _ = if view_before == view {
        history.replace_state_with_url(&nothing, "", Some(&address))
    } else {
        history.push_state_with_url(&nothing, "", Some(&address))
    };
}
