//! The dashboard within a page of somebody else's: that page gives the events, and its address and keys are its own.

use super::{Feed, take_message};
use crate::session::live::Session;
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

/// What hears the page around the frame, until it is dropped.
struct Listener {
    window: web_sys::Window,
    heard: Closure<dyn Fn(MessageEvent)>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let heard = self.heard.as_ref().unchecked_ref();
        let _ = self.window.remove_event_listener_with_callback("message", heard);
    }
}

/// Takes events from the page around the frame, and from nobody else.
pub(crate) fn connect(session: Session) -> Option<Feed> {
    let window = window();
    let page = window.parent().ok().flatten()?;
    let origin = page.clone();
    let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if event.source().is_some_and(|source| js_sys::Object::is(&source, &origin)) {
            take_message(session, &event.data());
        }
    });
    let _ = window.add_event_listener_with_callback("message", heard.as_ref().unchecked_ref());
    let _ = page.post_message(&READY.into(), "*");
    Some(Feed::new(Listener { window, heard }))
}
