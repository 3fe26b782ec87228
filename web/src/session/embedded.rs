//! The dashboard within a page of somebody else's: that page gives the events, and its address and keys are its own.

use super::live::Session;
use super::source::{Feed, take_message};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::MessageEvent;

/// The name that `mountDevtools` gives its frame (pkg/src/devtools/embed/frame.ts).
const FRAME: &str = "halfopen-embedded";
/// What is said to the page when events can come.
const READY: &str = "halfopen:ready";

/// Whether this page stands in such a frame.
pub(crate) fn is_embedded() -> bool {
    window().name().is_ok_and(|name| name == FRAME)
}

/// Takes events from the page around the frame, and from nobody else.
pub(crate) fn connect(session: Session) -> Option<Feed> {
    let page = window().parent().ok().flatten()?;
    let origin = page.clone();
    let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if event.source().is_some_and(|source| js_sys::Object::is(&source, &origin)) {
            take_message(session, &event.data());
        }
    })
    .into_js_value();
    let here = window();
    let _ = here.add_event_listener_with_callback("message", listener.unchecked_ref());
    let _ = page.post_message(&READY.into(), "*");
    let stop = move || {
        let _ = here.remove_event_listener_with_callback("message", listener.unchecked_ref());
    };
    Some(Feed::new(Box::new(stop)))
}
