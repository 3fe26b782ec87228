//! The calls that go on and wait right now: a line above the rows, which opens into a list of what waits, with countdown and owner.

use crate::session::{Slow, use_session};
use crate::ui::badge::Badge;
use halfopen_model::format::{countdown, number_of, span};
use halfopen_model::view::pending::{Pending, band, collect};
use leptos::prelude::*;

/// Most rows that are shown; the rest is counted.
const MOST: usize = 100;

/// The line, and the list while it is open. A file in which nothing waits at its end has neither.
#[component]
pub(super) fn Band() -> impl IntoView {
    let session = use_session();
    let open = RwSignal::new(false);
    // Read by people: four times a second, not in every frame.
    let band = Memo::new(move |_| {
        session.clock.slow(Slow::Sums);
        let (calls, now) = (session.scope.calls.get(), session.clock.now.get_untracked());
        session.log.peek(|log| band(log, &calls, now))
    });
    let waiting = Memo::new(move |_| band.with(|band| band.waiting));
    let is_shown = move || !session.intake.shows_file() || band.with(|band| !band.parts.is_empty());
    let heading = move || if session.intake.shows_file() { "At the end of this log" } else { "Now" };
    let parts = move || {
        let part = |(class, sign, words)| {
            view! { <span class=format!("now-part {class}")><i aria-hidden="true">{sign}</i>{words}</span> }
        };
        let parts = band.get().parts;
        if parts.is_empty() {
            return view! { <span class="dim">"nothing goes on"</span> }.into_any();
        }
        parts.into_iter().map(part).collect_view().into_any()
    };
    let silent = move || Some(band.with(|band| band.silent)).filter(|&silent| silent > 0);
    view! {
        <Show when=is_shown>
            <section class="now" aria-label="Pending">
                <div class="now-line">
                    <b>{heading}</b>
                    {parts}
                    {move || silent().map(|silent| view! {
                        <button class="link" title="Their process stopped reporting" on:click=move |_| session.navigation.show_calls("silent".to_owned())>
                            {number_of(silent as u64, "call")}" silent"
                        </button>
                    })}
                    <button
                        class="link now-open"
                        hidden=move || waiting.get() == 0 && !open.get()
                        aria-expanded=move || open.get().to_string()
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        {move || if open.get() { "Hide what waits" } else { "Show what waits" }}
                    </button>
                </div>
                <Show when=move || open.get()>
                    <List/>
                </Show>
            </section>
        </Show>
    }
}

/// The waits, the next first.
#[component]
fn List() -> impl IntoView {
    let session = use_session();
    let all = Memo::new(move |_| {
        let (calls, now) = (session.scope.calls.get(), session.clock.now.get());
        session.log.read(|log| collect(log, &calls, now))
    });
    let more = move || all.with(|all| all.len().saturating_sub(MOST));
    view! {
        <div class="now-list" tabindex="0" role="region" aria-label="What waits">
            {move || all.with(Vec::is_empty).then(|| view! { <p class="dim">"Nothing waits: no retry is planned, no breaker waits for its probe, no call is queued."</p> })}
            <ul class="pending">
                // By what waits and not by its time: who has the focus on a row keeps it when the wait becomes another one.
                <For
                    each=move || all.with(|all| all.iter().take(MOST).map(|row| row.key.clone()).collect::<Vec<_>>())
                    key=String::clone
                    let:key
                >
                    <Row key all/>
                </For>
            </ul>
            {move || Some(more()).filter(|&more| more > 0).map(|more| view! { <p class="dim">{more}" more"</p> })}
        </div>
    }
}

#[component]
fn Row(key: String, all: Memo<Vec<Pending>>) -> impl IntoView {
    let session = use_session();
    let row = Memo::new(move |before: Option<&Option<Pending>>| {
        let found = all.with(|all| all.iter().find(|row| row.key == key).cloned());
        found.or_else(|| before.cloned().flatten())
    });
    let times = move || row.with(|row| row.as_ref().map(|row| (row.from, row.due)));
    let left = move || {
        let now = session.clock.now.get();
        times().map(|(from, due)| match due {
            Some(due) => countdown(due - now),
            None => format!("since {}", span(now - from)),
        })
    };
    let share = move || match times() {
        Some((from, Some(due))) if due > from => {
            ((session.clock.now.get() - from) / (due - from)).clamp(0.0, 1.0) * 100.0
        }
        _ => 0.0,
    };
    let says = move || {
        row.get().map(|row| {
            let owner = match row.call {
                Some(call) => {
                    view! { <button class="link" on:click=move |_| session.show_call(call)>{row.owner}</button> }
                        .into_any()
                }
                None => view! { <b>{row.owner}</b> }.into_any(),
            };
            view! {
                <span class="kind"><i aria-hidden="true">{row.sign}</i>{row.kind}</span>
                <span class="owner">{owner}<small>{row.second}</small></span>
                <span class="says">{(!row.code.is_empty()).then(|| view! { <Badge code=row.code/> })}<span>{row.says}</span></span>
            }
        })
    };
    view! {
        <li class=move || format!("waiting {}", row.with(|row| row.as_ref().map_or("", |row| row.class)))>
            {says}
            <b class="left">{left}</b>
            <span class="bar" aria-hidden="true"><i style:width=move || format!("{}%", share())></i></span>
        </li>
    }
}
