//! What is not in the log, and why: the counts in the status bar, and the sheet behind them.

use crate::session::{Session, Slow, use_session};
use crate::ui::dialog::Dialog;
use halfopen_model::format::{count, cut};
use leptos::prelude::*;

/// Most unknown events that are listed, newest first; the rest is counted.
const LISTED: usize = 50;
/// Most characters of one line that are shown.
const LONGEST: usize = 600;

/// A count: its word, how many, what it means.
type Loss = (&'static str, u64, &'static str);

fn losses(session: Session) -> [Loss; 6] {
    let refused = session.intake.server.get().refused;
    session.log.peek(|log| {
        let losses = &log.losses;
        [
            ("dropped", losses.dropped, "Events that the agent or the server dropped"),
            ("malformed", losses.rejected, "Lines that are no events"),
            ("refused", refused, "Lines that the server refused to keep"),
            ("torn", losses.torn, "Incomplete lines"),
            ("evicted", losses.evicted, "Oldest events that the dashboard dropped to stay within its memory"),
            ("unknown", losses.unknown, "Events of types that this dashboard does not know"),
        ]
    })
}

/// The counts, each of which opens the sheet. Two always stand there, so that nought is said, too.
#[component]
pub(crate) fn Losses() -> impl IntoView {
    let session = use_session();
    let open = RwSignal::new(false);
    let counts = Memo::new(move |_| {
        session.clock.slow(Slow::Sums);
        losses(session)
    });
    let shown = |loss: &Loss| loss.1 > 0 || matches!(loss.0, "dropped" | "malformed");
    let button = move |(word, number, says): Loss| {
        view! {
            <button class="loss" class:none=number == 0 title=says data-loss=word on:click=move |_| open.set(true)>
                {format!("{} {word}", count(number))}
            </button>
        }
    };
    view! {
        {move || counts.get().into_iter().filter(shown).map(button).collect_view()}
        {move || open.get().then(|| view! { <Sheet open counts/> })}
    }
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
    let reasons =
        move || session.log.peek(|log| log.losses.reasons.iter().rev().cloned().collect::<Vec<_>>());
    let unknown = move || {
        session.log.peek(|log| {
            let newest = log.unknown.iter().rev().take(LISTED);
            newest
                .map(|&number| cut(log.line(number), LONGEST))
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
        })
    };
    view! {
        <Dialog id="losses-title" title="What is missing here" open>
            <dl>
                {move || counts.get().into_iter().map(|(word, number, says)| view! {
                    <div><dt>{format!("{} {word}", count(number))}</dt><dd>{says}</dd></div>
                }).collect_view()}
            </dl>
            {lines("Why lines are no events, newest first", reasons())}
            {lines("Unknown events, newest first", unknown())}
        </Dialog>
    }
}
