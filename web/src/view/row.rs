//! One row of the timeline; what stands in it is `halfopen_model::view::row`.

use crate::session::{Slow, use_session};
use halfopen_model::layout::sight::{self, Sight};
use halfopen_model::view::row::row;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;

/// The row of a call, at its place among `total` rows.
#[component]
pub(super) fn Row(number: CallNumber, index: usize, total: Memo<usize>, sight: Memo<Sight>) -> impl IntoView {
    let session = use_session();
    // Four times a second, and for a call that has ended only when another event of it comes: thirty rows in every frame
    // would take longer than the waterfall.
    let state = Memo::new(move |_| {
        session.clock.slow(Slow::Rows);
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| {
            let call = log.call(number)?;
            Some((call.events.last().copied(), call.end_or(now)))
        })
    });
    let facts = Memo::new(move |_| {
        // `get` and not `track`, which does not compute a memo: one that nobody has computed never reports a change.
        state.get();
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| log.call(number).map(|call| row(log, call, now)))
    });
    let heading = Memo::new(move |_| sight.with(|sight| session.log.peek(|log| sight.heading(log, index))));
    let view = move || {
        facts.get().map(|facts| view! {
        <span class=format!("sign {}", facts.status.word()) aria-hidden="true">{facts.status.sign()}</span>
        <span class="tl-name" aria-hidden="true" style:padding-left=format!("{}px", f64::from(facts.depth.min(8)) * 12.0)>
            <b>{facts.name}</b>
            <small>{facts.second}</small>
        </span>
        {(facts.attempts > 1).then(|| view! { <span class="tries" title="attempts" aria-hidden="true">"×"{facts.attempts}</span> })}
        <span class="tl-duration" aria-hidden="true">{facts.duration}</span>
        <span class="said">{facts.label}</span>
    })
    };
    let top = format!("{}px", sight::top(index));
    view! {
        <div
            class="tl-row"
            class:odd=index % 2 == 1
            class:first=move || heading.with(Option::is_some)
            id=format!("call-{}", number.0)
            role="option"
            aria-selected=move || (session.navigation.selected.get() == Some(number)).to_string()
            aria-posinset=index + 1
            aria-setsize=move || total.get()
            style:top=top
            on:click=move |_| session.show_call(number)
        >
            {move || heading.get().map(|heading| view! { <span class="tl-group">{heading}</span> })}
            {view}
        </div>
    }
}
