//! Calls the core: its classifier, its messages and its recovery run in a module of their own (web/answers), which is
//! fetched after the page has been drawn.

use halfopen_answers::{Question, wire};
use js_sys::{Function, Object, Promise, Reflect, Uint8Array, WebAssembly};
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The module's file, beside the page.
pub(crate) const MODULE: &str = "answers.wasm";
/// An embedded dashboard has no URLs: its frame has a function that returns a promise of the module's bytes
/// (pkg/src/devtools/embed/frame.ts).
const GIVEN: &str = "halfopenAnswers";
/// The time from the first paint to the fetch, in milliseconds, so that the first views have priority.
const PAUSE: Duration = Duration::from_millis(100);

/// The state of the module.
enum State {
    /// Not needed so far.
    Absent,
    Loading,
    Ready(Rc<Module>),
    Failed(Failure),
}

/// The reason why the core cannot be called.
#[derive(Clone)]
pub(crate) enum Failure {
    /// Its module could not be loaded.
    Load(String),
    /// It trapped, or returned something unreadable. Another instance may work.
    Trap(String),
}

thread_local! {
    static STATE: RefCell<State> = const { RefCell::new(State::Absent) };
    /// Changes with the state.
    static CHANGED: RefCell<Option<RwSignal<u64>>> = const { RefCell::new(None) };
}

/// Schedules the fetch of the module. Called once, by the page's root.
pub(crate) fn load_soon() {
    CHANGED.set(Some(RwSignal::new(0)));
    // The second frame begins when the first has been drawn.
    request_animation_frame(|| request_animation_frame(|| set_timeout(load, PAUSE)));
}

/// Fetches the module, unless it is loaded or being loaded.
pub(crate) fn load() {
    leptos::task::spawn_local(async {
        if STATE.with_borrow(|state| matches!(state, State::Loading | State::Ready(_))) {
            return;
        }
        change(State::Loading);
        change(match Module::fetch().await {
            Ok(module) => State::Ready(Rc::new(module)),
            Err(error) => State::Failed(Failure::Load(words(&error))),
        });
    });
}

fn change(state: State) {
    STATE.set(state);
    if let Some(changed) = CHANGED.with_borrow(|changed| *changed) {
        changed.update(|number| *number += 1);
    }
}

fn track() {
    if let Some(changed) = CHANGED.with_borrow(|changed| *changed) {
        changed.track();
    }
}

fn words(error: &JsValue) -> String {
    let why = error.as_string().or_else(|| Some(error.dyn_ref::<js_sys::Error>()?.message().into()));
    why.unwrap_or_else(|| "for no known reason".into())
}

/// The reason why there are no results; `None` while they may still arrive. A view that calls this is drawn again when it
/// changes.
pub(crate) fn failure() -> Option<Failure> {
    track();
    STATE.with_borrow(|state| match state {
        State::Failed(failure) => Some(failure.clone()),
        _ => None,
    })
}

/// The core's result; `None` until its module is loaded. A view that calls this is drawn again then.
pub(crate) fn query<Q: Question>(question: &Q) -> Option<Q::Answer> {
    let answered = query_text(Q::NUMBER, &wire::to_text(question))?;
    let read = wire::from_text(&answered);
    if read.is_none() {
        fail("it was made for another version of this page".into());
    }
    read
}

fn query_text(number: u32, question: &str) -> Option<String> {
    track();
    let module = STATE.with_borrow(|state| match state {
        State::Ready(module) => Some(Rc::clone(module)),
        _ => None,
    });
    let Some(module) = module else {
        if STATE.with_borrow(|state| matches!(state, State::Absent)) {
            load();
        }
        return None;
    };
    let answered = module.query(number, question);
    match answered {
        Ok(text) => Some(text),
        Err(error) => {
            fail(words(&error));
            None
        }
    }
}

/// Drops a broken instance. The views are notified after the current drawing.
fn fail(why: String) {
    leptos::task::spawn_local(async move { change(State::Failed(Failure::Trap(why))) });
}

/// The module's functions; `web/answers/src/lib.rs` describes them.
struct Module {
    room: Function,
    query: Function,
    answer: Function,
    memory: WebAssembly::Memory,
}

impl Module {
    async fn fetch() -> Result<Self, JsValue> {
        let given = Reflect::get(&window(), &GIVEN.into())?;
        let made = if let Some(given) = given.dyn_ref::<Function>() {
            instantiated(Promise::resolve(&given.call0(&JsValue::UNDEFINED)?)).await?
        } else {
            let response: web_sys::Response =
                JsFuture::from(window().fetch_with_str(MODULE)).await?.unchecked_into();
            if !response.ok() {
                return Err(JsValue::from_str(&format!("the server answers {}", response.status())));
            }
            let kind = response.headers().get("content-type")?.unwrap_or_default();
            if kind.starts_with("application/wasm") {
                // The browser compiles it while it downloads, and caches the result.
                JsFuture::from(WebAssembly::instantiate_streaming(&response, &Object::new())).await?
            } else {
                instantiated(response.array_buffer()?).await?
            }
        };
        let exports = Reflect::get(&Reflect::get(&made, &"instance".into())?, &"exports".into())?;
        let get = |name: &str| Reflect::get(&exports, &name.into());
        Ok(Self {
            room: get("room")?.unchecked_into(),
            query: get("query")?.unchecked_into(),
            answer: get("answer")?.unchecked_into(),
            memory: get("memory")?.unchecked_into(),
        })
    }

    fn query(&self, number: u32, question: &str) -> Result<String, JsValue> {
        let call = |function: &Function, input: u32| {
            Ok::<_, JsValue>(function.call1(&JsValue::UNDEFINED, &input.into())?.as_f64().unwrap_or(-1.0))
        };
        let bytes = question.as_bytes();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "places and lengths in a wasm memory"
        )]
        let part = |start: f64, length: usize| {
            Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), start as u32, length as u32)
        };
        part(call(&self.room, bytes.len() as u32)?, bytes.len()).copy_from(bytes);
        let length = call(&self.query, number)?;
        if length < 0.0 {
            return Err(JsValue::from_str("a question was not understood"));
        }
        let answered = part(call(&self.answer, 0)?, length as usize).to_vec();
        String::from_utf8(answered).map_err(|_| JsValue::from_str("an answer was not understood"))
    }
}

/// Compiles the promised bytes, off the main thread.
async fn instantiated(bytes: Promise) -> Result<JsValue, JsValue> {
    let bytes = Uint8Array::new(&JsFuture::from(bytes).await?);
    JsFuture::from(WebAssembly::instantiate_buffer(&bytes.to_vec(), &Object::new())).await
}
