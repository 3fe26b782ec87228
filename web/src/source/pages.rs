//! Events from pages of this origin, over a `BroadcastChannel`.

use super::Sink;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::JsCast;
use web_sys::{BroadcastChannel, MessageEvent};

/// The channel's name, as `connectDevtools` has it.
const NAME: &str = "halfopen";

/// The channel; closed when it is dropped.
pub(super) struct Channel {
    channel: BroadcastChannel,
    _listener: Closure<dyn Fn(MessageEvent)>,
}

impl Channel {
    pub(super) fn open(sink: &Rc<dyn Sink>) -> Option<Self> {
        let channel = BroadcastChannel::new(NAME).ok()?;
        let sink = Rc::clone(sink);
        let listener =
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| take(&*sink, &event.data()));
        channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Some(Self { channel, _listener: listener })
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}

/// A page sends one event, several, or their lines.
pub(super) fn take(sink: &dyn Sink, data: &JsValue) {
    if let Some(text) = data.as_string() {
        sink.take(text);
    } else if js_sys::Array::is_array(data) {
        for item in js_sys::Array::from(data).iter() {
            take(sink, &item);
        }
    } else if let Ok(text) = js_sys::JSON::stringify(data) {
        sink.take(String::from(text));
    }
}
