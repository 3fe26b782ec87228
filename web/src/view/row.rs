//! One row of the timeline; what stands in it is `halfopen_model::view::row`.

use crate::session::{Slow, use_session};
use halfopen_model::format::number_of;
use halfopen_model::layout::sight;
use halfopen_model::view::row::row;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;

/// The row of a call, at its place among `total` rows, with a heading if a group begins with it. It has a single memo,
/// because scrolling makes new rows all the time.
#[component]
pub(super) fn Row(
    number: CallNumber,
    index: usize,
    heading: Option<String>,
    total: Memo<usize>,
) -> impl IntoView {
    let session = use_session();
    // Four times a second, and for a call that has ended only when another event of it comes: thirty rows in every frame
    // would take longer than the waterfall.
    let facts = Memo::new_owning(move |old: Option<Option<_>>| {
        session.clock.slow(Slow::Rows);
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| {
            let call = log.call(number);
            let state =
                call.map(|call| (call.events.last().copied(), call.end_or(now), log.children(number).len()));
            match old {
                Some(old) if old.as_ref().map(|(state, _)| *state) == state => (old, false),
                _ => (state.zip(call.map(|call| row(log, number, call, now))), true),
            }
        })
    });
    let view = move || {
        facts.with(|facts| facts.as_ref().map(|(_, facts)| view! {
        <span class=format!("sign {}", facts.status.word()) aria-hidden="true">{facts.status.sign()}</span>
        <span class="tl-name" aria-hidden="true" style:padding-left=format!("{}px", f64::from(facts.depth.min(8)) * 12.0)>
            {(facts.within > 0).then(|| view! { <Fold number within=facts.within/> })}
            <b>{facts.name.clone()}</b>
            <small>{facts.second.clone()}</small>
        </span>
        {(facts.attempts > 1).then(|| view! { <span class="tries" title="attempts" aria-hidden="true">"×"{facts.attempts}</span> })}
        <span class="tl-duration" aria-hidden="true">{facts.duration.clone()}</span>
        // Not a label of the row: its name has to contain its text (axe, label-content-name-mismatch).
        <span class="said">{facts.label.clone()}</span>
    }))
    };
    let top = format!("{}px", sight::top(index));
    let first = heading.is_some();
    view! {
        <div
            class="tl-row"
            class:odd=index % 2 == 1
            class:first=first
            class:compared=move || session.navigation.compared.get() == Some(number)
            id=format!("call-{}", number.0)
            role="option"
            aria-selected=move || (session.navigation.selected.get() == Some(number)).to_string()
            aria-posinset=index + 1
            aria-setsize=move || total.get()
            style:top=top
            // The browser would select the text between the two calls.
            on:mousedown=move |event| {
                if event.shift_key() {
                    event.prevent_default();
                }
            }
            on:click=move |event| {
                if event.ctrl_key() || event.meta_key() || event.shift_key() {
                    session.navigation.select(number, true);
                } else {
                    session.show_call(number);
                }
            }
        >
            {heading.map(|heading| view! { <span class="tl-group">{heading}</span> })}
            {view}
        </div>
    }
}

/// The sign that folds the calls within a call, which the key `n` does as well: an option of a list has no buttons.
#[component]
fn Fold(number: CallNumber, within: usize) -> impl IntoView {
    let session = use_session();
    let folded = Memo::new(move |_| session.navigation.folded.with(|folded| folded.contains(&number)));
    view! {
        <span
            class="fold"
            title=move || format!("{} {} (n)", if folded.get() { "Show" } else { "Fold" }, number_of(within as u64, "call"))
            on:click=move |event| {
                event.stop_propagation();
                session.navigation.fold(number);
            }
        >{move || if folded.get() { format!("▸ {within}") } else { "▾".to_owned() }}</span>
    }
}
