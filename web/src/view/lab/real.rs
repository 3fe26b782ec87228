//! A run for real: the devtools server sends the scenario's requests to a provider that fails as it says
//! (`pkg/src/lab/real`), and answers what it has measured.

use crate::source::key;
use gloo_timers::callback::Interval;
use halfopen_model::view::lab::outcome::{PolicyOutcome, measured};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, RequestInit, Response};

/// Where the server has it.
const PATH: &str = "/lab/real";

/// A run; dropping it ends it.
pub(super) struct Run {
    abort: AbortController,
    _clock: Interval,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.abort.abort();
    }
}

impl Run {
    /// Starts one. `pass` is called each second, `end` once; not after it has been dropped.
    pub(super) fn start(
        scenario: String,
        pass: impl Fn(f64) + 'static,
        end: impl FnOnce(Result<Vec<PolicyOutcome>, String>) + 'static,
    ) -> Option<Self> {
        let abort = AbortController::new().ok()?;
        let signal = abort.signal();
        let began = js_sys::Date::now();
        let ended = signal.clone();
        let clock = Interval::new(1_000, move || pass(((js_sys::Date::now() - began) / 1000.0).round()));
        leptos::task::spawn_local(async move {
            let result = measure(&scenario, &signal).await;
            if !ended.aborted() {
                end(result.unwrap_or_else(|_| {
                    Err("the server does not answer. Check that `npx halfopen devtools` still runs"
                        .to_owned())
                }));
            }
        });
        Some(Self { abort, _clock: clock })
    }
}

async fn measure(
    scenario: &str,
    signal: &web_sys::AbortSignal,
) -> Result<Result<Vec<PolicyOutcome>, String>, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", "application/json")?;
    if let Some(key) = key() {
        headers.set("authorization", &format!("Bearer {key}"))?;
    }
    let options = RequestInit::new();
    options.set_method("POST");
    options.set_headers(&headers);
    options.set_body(&scenario.into());
    options.set_signal(Some(signal));
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(PATH, &options)).await?.unchecked_into();
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    Ok(if response.ok() { Ok(measured(&text)) } else { Err(text.trim().to_owned()) })
}
