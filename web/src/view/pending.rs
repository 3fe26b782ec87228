//! What waits right now: next retries, probes, queued calls, with countdown and owner.

use crate::session::call::Status;
use crate::session::use_session;
use crate::ui::badge::Badge;
use halfopen_model::format::{countdown, number_of, span};
use halfopen_model::view::pending::{Pending, collect};
use leptos::prelude::*;

/// Most rows that are shown; the rest is counted.
const MOST: usize = 100;

/// What waits.
#[component]
pub(crate) fn PendingList() -> impl IntoView {
    let session = use_session();
    let all = Memo::new(move |_| {
        let now = session.clock.now.get();
        session.log.read(|log| collect(log, now))
    });
    let running = move || {
        session.log.read(|log| log.open_calls().filter(|(_, call)| call.status == Status::Running).count())
    };
    let more = move || all.with(|all| all.len().saturating_sub(MOST));
    let silent = Memo::new(move |_| session.log.read(|log| log.silent_calls().count()));
    let show_silent = move |_| {
        session.navigation.show_calls("silent".to_owned());
    };
    view! {
        <section class="page" aria-label="Pending">
            <header class="page-head">
                <h2>{move || if session.intake.shows_file() { "What waited at the end of this log" } else { "What waits right now" }}</h2>
                <span class="dim">{move || all.with(Vec::len)}" waiting, "{running}" running"</span>
            </header>
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
            {move || Some(silent.get()).filter(|&silent| silent > 0).map(|silent| view! {
                <p class="dim">"Not listed, because their process stopped reporting: "<button class="link" on:click=show_silent>{number_of(silent as u64, "call")}</button></p>
            })}
        </section>
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
