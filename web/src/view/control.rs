//! Acts on a process that allows them: buttons, and the strip of those that hold, with the way back.

use crate::session::intake::{Notice, Origin};
use crate::session::names::Name;
use crate::session::{Session, Slow, use_session};
use crate::source::key;
use halfopen_model::view::control::{self, Line, standing};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

/// Where the server takes acts (`pkg/src/devtools/server/control.ts`).
const PATH: &str = "/control";

/// Returns `true` if a person may act on that process: it allows it, and its events come live.
pub(crate) fn is_allowed(session: Session, source: Name) -> bool {
    session.intake.origin.get() == Origin::Live && session.log.read(|log| log.about(source).control)
}

/// A button for an act on one named thing of a process; nothing if the process does not allow it.
pub(crate) fn button(
    label: &'static str,
    title: &'static str,
    source: Name,
    (act, field, value): (&'static str, &'static str, String),
) -> impl IntoView {
    let session = use_session();
    let allowed = Memo::new(move |_| is_allowed(session, source));
    move || {
        let value = value.clone();
        let click = move |_| {
            let json = session.log.peek(|log| control::json(log, source, act, field, &value));
            send(session, vec![json]);
        };
        allowed.get().then(|| view! { <button class="tool act" title=title on:click=click>{label}</button> })
    }
}

/// Sends acts. A refusal becomes a notice; what became of the act comes as an event.
pub(crate) fn send(session: Session, acts: Vec<String>) {
    leptos::task::spawn_local(async move {
        for act in acts {
            let refused = match post(&act).await {
                Ok(refused) => refused,
                Err(_) => Some(
                    "The server does not answer. Check that `npx halfopen devtools` still runs.".to_owned(),
                ),
            };
            if let Some(why) = refused {
                session.intake.notice.set(Some(Notice::Feed(why)));
            }
        }
    });
}

/// Sends one; returns why the server refused it.
async fn post(act: &str) -> Result<Option<String>, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", "application/json")?;
    if let Some(key) = key() {
        headers.set("authorization", &format!("Bearer {key}"))?;
    }
    let options = RequestInit::new();
    options.set_method("POST");
    options.set_headers(&headers);
    options.set_body(&act.into());
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(PATH, &options)).await?.unchecked_into();
    if response.ok() {
        return Ok(None);
    }
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    let json = halfopen_log::Json::from(text.as_str());
    let error = json.at(&["error"]);
    Ok(Some(error.as_ref().and_then(|error| error.as_str()).map_or_else(|| text.clone(), ToOwned::to_owned)))
}

/// The acts that hold, each with a button that takes it back, and those that failed within the last minute.
#[component]
pub(crate) fn Standing() -> impl IntoView {
    let session = use_session();
    let lines = Memo::new(move |_| {
        session.clock.slow(Slow::Sums);
        if session.intake.origin.get() != Origin::Live {
            return Default::default();
        }
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| standing(log, now))
    });
    let line = move |Line { says, undo, .. }: Line| {
        let undo = undo.map(|act| {
            view! { <button class="tool" on:click=move |_| send(session, vec![act.clone()])>"Undo"</button> }
        });
        view! { <li>{says}{undo}</li> }
    };
    let more = move || match lines.with(|lines| lines.1) {
        0 => None,
        more => Some(view! { <li class="dim">"and "{more}" more"</li> }),
    };
    view! {
        <div class="acts" aria-label="Acts of people" role="status" hidden=move || lines.with(|lines| lines.0.is_empty())>
            <ul>
                <For each=move || lines.get().0 key=|line| line.id.clone() let:one>{line(one)}</For>
                {more}
            </ul>
        </div>
    }
}
