//! A run for real: the devtools server sends the scenario's requests to a provider that fails as it says
//! (`pkg/src/lab/real`), and answers what it has measured.

use crate::source::post;
use gloo_timers::callback::Interval;
use halfopen_model::view::lab::outcome::{PolicyOutcome, measured};
use wasm_bindgen::JsValue;
use web_sys::AbortController;

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
    let answer = post(PATH, scenario, Some(signal)).await?;
    Ok(answer.map(|text| measured(&text)).map_err(|text| text.trim().to_owned()))
}
