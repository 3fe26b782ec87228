//! The worker that the policies run in: `halfopen/lab`, fetched when the view is opened. What is said is in
//! `pkg/src/lab/worker/messages.ts`.

use js_sys::{ArrayBuffer, Function, Promise, Reflect};
use leptos::prelude::*;
use serde::Serialize;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, MessageEvent, Worker};

/// Beside the page.
const SCRIPT: &str = "lab-worker.js";
const MODULE: &str = "lab.wasm";
/// In a page that embeds the dashboard nothing has an address: the frame has a function that promises both
/// (pkg/src/devtools/embed/frame.ts).
const GIVEN: &str = "halfopenLab";

/// A message to the worker, in the shape that `ToWorker` of messages.ts names.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ToWorker<'a> {
    /// The bytes of the module: they come first.
    Module {
        #[serde(with = "serde_wasm_bindgen::preserve")]
        module: ArrayBuffer,
    },
    /// Does this scenario fit?
    Check { id: f64, check: &'a str },
    /// Runs the policies of a scenario side by side.
    Compare { id: f64, compare: &'a str },
    /// Replays a log with the policies of a scenario in the place of one of its own, or of all.
    Replay {
        id: f64,
        replay: &'a str,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        log: Blob,
        policy: &'a str,
    },
    /// Explores options of a policy.
    Explore { id: f64, explore: &'a str, policy: &'a str, vary: &'a str },
    /// Ends the work on a request.
    Cancel { cancel: f64 },
}

/// A worker that runs; dropping it ends it.
pub(super) struct Link {
    worker: Worker,
    _messages: Closure<dyn Fn(MessageEvent)>,
    _errors: Closure<dyn Fn(web_sys::Event)>,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Link {
    /// Starts one. `take` gets every message, `fail` why there will be none.
    pub(super) async fn start(
        take: impl Fn(String) + 'static,
        fail: impl Fn(String) + 'static,
    ) -> Result<Self, JsValue> {
        let (worker, module) = parts().await?;
        let messages = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                take(text);
            }
        });
        let errors = Closure::<dyn Fn(web_sys::Event)>::new(move |_| {
            fail(format!("the lab's worker ended; is there a {SCRIPT} beside the page?"));
        });
        worker.set_onmessage(Some(messages.as_ref().unchecked_ref()));
        worker.set_onerror(Some(errors.as_ref().unchecked_ref()));
        let link = Self { worker, _messages: messages, _errors: errors };
        link.post(&ToWorker::Module { module });
        Ok(link)
    }

    /// Sends a message. None of them can fail to be copied.
    pub(super) fn post(&self, message: &ToWorker) {
        if let Ok(message) = serde_wasm_bindgen::to_value(message) {
            let _ = self.worker.post_message(&message);
        }
    }
}

/// The worker with its script, and the bytes of the lab's module.
async fn parts() -> Result<(Worker, ArrayBuffer), JsValue> {
    let given = Reflect::get(&window(), &GIVEN.into())?;
    if let Some(given) = given.dyn_ref::<Function>() {
        let files = JsFuture::from(Promise::resolve(&given.call0(&JsValue::UNDEFINED)?)).await?;
        let script = Reflect::get(&files, &"script".into())?;
        let options = web_sys::BlobPropertyBag::new();
        options.set_type("text/javascript");
        let blob = web_sys::Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&script), &options)?;
        let url = web_sys::Url::create_object_url_with_blob(&blob)?;
        return Ok((Worker::new(&url)?, Reflect::get(&files, &"module".into())?.unchecked_into()));
    }
    let response: web_sys::Response = JsFuture::from(window().fetch_with_str(MODULE)).await?.unchecked_into();
    if !response.ok() {
        return Err(JsValue::from_str(&format!("the server answers {} for {MODULE}", response.status())));
    }
    let module = JsFuture::from(response.array_buffer()?).await?;
    Ok((Worker::new(SCRIPT)?, module.unchecked_into()))
}
