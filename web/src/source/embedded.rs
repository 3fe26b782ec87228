//! The dashboard within another page, which passes the events and keeps its own address and keys.

use super::{Sink, pages};
use leptos::prelude::*;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::MessageEvent;

/// The name that `mountDevtools` gives its frame (pkg/src/devtools/embed/frame.ts).
const FRAME: &str = "halfopen-embedded";
/// The message that asks the page for events.
const READY: &str = "halfopen:ready";

/// Whether this page is in such a frame.
pub(crate) fn is_embedded() -> bool {
    window().name().is_ok_and(|name| name == FRAME)
}

/// Listens to the page around the frame, until it is dropped.
pub(super) struct Listener {
    window: web_sys::Window,
    listener: Closure<dyn Fn(MessageEvent)>,
}

impl Listener {
    /// Takes events only from the page around the frame.
    pub(super) fn start(sink: &Rc<dyn Sink>) -> Option<Self> {
        let window = window();
        let page = window.parent().ok().flatten()?;
        let (sink, origin) = (Rc::clone(sink), page.clone());
        let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if event.source().is_some_and(|source| js_sys::Object::is(&source, &origin)) {
                pages::take(&*sink, &event.data());
            }
        });
        let _ = window.add_event_listener_with_callback("message", listener.as_ref().unchecked_ref());
        let _ = page.post_message(&READY.into(), "*");
        Some(Self { window, listener })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let listener = self.listener.as_ref().unchecked_ref();
        let _ = self.window.remove_event_listener_with_callback("message", listener);
    }
}
