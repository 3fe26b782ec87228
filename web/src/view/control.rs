//! Actions on a process that allows them: buttons, and the strip of those that hold, with the way back.

use crate::session::intake::{Notice, Origin};
use crate::session::names::Name;
use crate::session::{Session, Slow, use_session};
use crate::source::post;
use halfopen_model::view::control::{self, Line, standing};
use leptos::prelude::*;

/// Where the server takes actions (`pkg/src/devtools/server/control.ts`).
const PATH: &str = "/control";

/// Returns `true` if a person may act on that process: it allows it, and its events come live.
pub(crate) fn is_allowed(session: Session, source: Name) -> bool {
    session.intake.origin.get() == Origin::Live && session.log.read(|log| log.about(source).control)
}

/// A button for an action on one named thing of a process; nothing if the process does not allow it.
pub(crate) fn button(
    label: &'static str,
    title: &'static str,
    source: Name,
    (action, field, value): (&'static str, &'static str, String),
) -> impl IntoView {
    let session = use_session();
    let allowed = Memo::new(move |_| is_allowed(session, source));
    move || {
        let value = value.clone();
        let click = move |_| {
            let json = session.log.peek(|log| control::json(log, source, action, field, &value));
            send(session, vec![json]);
        };
        allowed
            .get()
            .then(|| view! { <button class="tool action" title=title on:click=click>{label}</button> })
    }
}

/// Sends actions. A refusal becomes a notice; what became of the action comes as an event.
pub(crate) fn send(session: Session, actions: Vec<String>) {
    leptos::task::spawn_local(async move {
        for action in actions {
            let refused = match post(PATH, &action, None).await {
                Ok(answer) => answer.err().map(|refusal| reason(&refusal)),
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

/// The reason in a refusal of the server.
fn reason(refusal: &str) -> String {
    let json = halfopen_log::Json::from(refusal);
    let error = json.at(&["error"]);
    error.as_ref().and_then(|error| error.as_str()).unwrap_or(refusal).to_owned()
}

/// The actions that hold, each with a button that takes it back, and those that failed within the last minute.
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
        let undo = undo.map(|action| {
            view! { <button class="tool" on:click=move |_| send(session, vec![action.clone()])>"Undo"</button> }
        });
        view! { <li>{says}{undo}</li> }
    };
    let more = move || match lines.with(|lines| lines.1) {
        0 => None,
        more => Some(view! { <li class="dim">"and "{more}" more"</li> }),
    };
    view! {
        <div class="actions" aria-label="Actions of people" role="status" hidden=move || lines.with(|lines| lines.0.is_empty())>
            <ul>
                <For each=move || lines.get().0 key=|line| line.id.clone() let:one>{line(one)}</For>
                {more}
            </ul>
        </div>
    }
}
