//! What is not in the log, and why: the counts in the status bar, and the sheet behind them.

use crate::session::{Slow, use_session};
use crate::ui::dialog::Dialog;
use halfopen_model::view::status::{self, Loss};
use leptos::prelude::*;

/// The counts, each of which opens the sheet.
#[component]
pub(crate) fn Losses() -> impl IntoView {
    let session = use_session();
    let open = RwSignal::new(false);
    let counts = Memo::new(move |_| {
        session.clock.slow(Slow::Sums);
        let refused = session.intake.server.get().refused;
        session.log.peek(|log| status::losses(log, refused))
    });
    let button = move |loss: Loss| {
        view! {
            <button class="loss" class:none=loss.number == 0 title=loss.meaning.replace('`', "") data-loss=loss.word on:click=move |_| open.set(true)>
                {loss.text()}
            </button>
        }
    };
    view! {
        {move || counts.get().into_iter().filter(Loss::is_shown).map(button).collect_view()}
        {move || open.get().then(|| view! { <Sheet open counts/> })}
    }
}

/// A text in which code stands between backticks.
fn with_code(text: &'static str) -> impl IntoView {
    let part = |(place, part): (usize, &'static str)| match place % 2 {
        0 => part.into_any(),
        _ => view! { <code>{part}</code> }.into_any(),
    };
    text.split('`').enumerate().map(part).collect_view()
}

#[component]
fn Sheet(open: RwSignal<bool>, counts: Memo<[Loss; 6]>) -> impl IntoView {
    let session = use_session();
    let lines = move |heading: &'static str, lines: Vec<String>| {
        (!lines.is_empty()).then(|| {
            let items = lines.into_iter().map(|line| view! { <li><code>{line}</code></li> }).collect_view();
            view! { <h3>{heading}</h3><ul class="lost-lines">{items}</ul> }
        })
    };
    let reasons = move || session.log.peek(status::reasons);
    let unknown = move || session.log.peek(status::unknown);
    view! {
        <Dialog id="losses-title" title="What is missing here" open>
            <dl>
                {move || counts.get().into_iter().map(|loss| view! {
                    <div><dt>{loss.text()}</dt><dd>{with_code(loss.meaning)}</dd></div>
                }).collect_view()}
            </dl>
            {lines("Why lines are no events, newest first", reasons())}
            {lines("Unknown events, newest first", unknown())}
        </Dialog>
    }
}
