//! The demonstration: a wasm module of its own (web/demo), fetched when somebody asks for it.

use super::live::Session;
use super::source::Feed;
use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Beside the page.
const MODULE: &str = "demo.wasm";
/// How much has happened before somebody looks, in milliseconds: there is something to see at once.
const PRELUDE: f64 = 75_000.0;
/// Milliseconds between two steps.
const STEP: u64 = 50;

/// The module's functions, as web/demo/src/lib.rs tells them.
struct Module {
    run: Function,
    lines: Function,
    memory: WebAssembly::Memory,
}

impl Module {
    /// Fetches the module and begins its world, whose beginning is at `wall`.
    async fn begin(wall: f64) -> Result<Self, JsValue> {
        let response: web_sys::Response =
            JsFuture::from(window().fetch_with_str(MODULE)).await?.unchecked_into();
        if !response.ok() {
            return Err(JsValue::from_str(&format!("the server answers {}", response.status())));
        }
        let bytes = Uint8Array::new(&JsFuture::from(response.array_buffer()?).await?);
        let made = JsFuture::from(WebAssembly::instantiate_buffer(&bytes.to_vec(), &Object::new())).await?;
        let exports = Reflect::get(&Reflect::get(&made, &"instance".into())?, &"exports".into())?;
        let get = |name: &str| Reflect::get(&exports, &name.into());
        get("demo_begin")?.unchecked_into::<Function>().call1(&JsValue::UNDEFINED, &wall.into())?;
        Ok(Self {
            run: get("demo_run")?.unchecked_into(),
            lines: get("demo_lines")?.unchecked_into(),
            memory: get("memory")?.unchecked_into(),
        })
    }

    /// The lines of what happened until a moment of the world.
    fn run_until(&self, until: f64) -> Result<String, JsValue> {
        let call = |function: &Function, input: &JsValue| {
            Ok::<_, JsValue>(function.call1(&JsValue::UNDEFINED, input)?.as_f64().unwrap_or_default())
        };
        let length = call(&self.run, &until.into())?;
        let start = call(&self.lines, &JsValue::UNDEFINED)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a wasm memory"
        )]
        let bytes =
            Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), start as u32, length as u32);
        Ok(String::from_utf8(bytes.to_vec()).unwrap_or_default())
    }
}

/// Runs the demonstration in the session, until the feed is stopped.
pub(crate) fn demonstrate(session: Session) -> Feed {
    let wall = js_sys::Date::now() - PRELUDE;
    let stopped = Rc::new(Cell::new(false));
    let timer: Rc<Cell<Option<IntervalHandle>>> = Rc::default();
    let feed = Feed::new(Box::new({
        let (stopped, timer) = (Rc::clone(&stopped), Rc::clone(&timer));
        move || {
            stopped.set(true);
            if let Some(timer) = timer.take() {
                timer.clear();
            }
        }
    }));
    let clock = feed.clock();
    clock.set(wall + PRELUDE);
    let paused = feed.paused();
    leptos::task::spawn_local(async move {
        let begun = Module::begin(wall).await.and_then(|module| Ok((module.run_until(PRELUDE)?, module)));
        if stopped.get() {
            return;
        }
        let (lines, module) = match begun {
            Ok(begun) => begun,
            Err(error) => {
                let why =
                    error.as_string().or_else(|| Some(error.dyn_ref::<js_sys::Error>()?.message().into()));
                session.notice.set(Some(format!(
                    "The demonstration could not be loaded ({}): {MODULE} should lie beside this page.",
                    why.unwrap_or_default()
                )));
                return;
            }
        };
        session.take(&lines);
        let (mut at, mut last) = (PRELUDE, js_sys::Date::now());
        let step = move || {
            let real = js_sys::Date::now();
            // A tab that slept goes on where it was: it does not run after the lost time.
            let passed = (real - last).clamp(0.0, 1_000.0);
            last = real;
            if paused.get() {
                return;
            }
            at += passed * session.speed.get_untracked();
            let lines = module.run_until(at).unwrap_or_default();
            clock.set(wall + at);
            if !lines.is_empty() {
                session.take(&lines);
            }
        };
        let step = RefCell::new(step);
        timer.set(set_interval_with_handle(move || (step.borrow_mut())(), Duration::from_millis(STEP)).ok());
    });
    feed
}

#[cfg(test)]
mod tests {
    use crate::session::breaker::State;
    use crate::session::store::Log;
    use halfopen_demo::Demo;

    #[test]
    fn the_demonstration_shows_waits_breakers_and_fallbacks_and_nothing_of_it_is_rejected() {
        let mut demo = Demo::new(1_700_000_000_000.0);
        let mut log = Log::default();
        for line in demo.run_until(150_000).lines() {
            assert!(log.take(line), "{line}: {:?}", log.losses);
        }
        assert!(log.totals.calls > 100, "{:?}", log.totals);
        assert!(
            log.totals.retries > 10
                && log.totals.degraded > 0
                && log.totals.rejected + log.totals.degraded > 0,
            "{:?}",
            log.totals
        );
        assert!(
            log.breakers.iter().any(|breaker| breaker.changes.iter().any(|change| change.to == State::Open))
        );
        assert!(log.breakers.iter().any(|breaker| !breaker.probes.is_empty()));
        let waits: Vec<_> = log.calls().flat_map(|(_, call)| call.waits.clone()).collect();
        assert!(
            waits.iter().all(|wait| wait.ended.is_nan() || wait.due.is_nan() || wait.ended >= wait.due),
            "a wait was cut short"
        );
        assert!(log.calls().any(|(_, call)| call.depth > 0));
        assert!(log.losses.unknown + log.losses.rejected + log.losses.torn == 0, "{:?}", log.losses);
    }
}
