//! One row of the timeline; what stands in it is `halfopen_model::view::row`.

use crate::session::{Slow, use_session};
use halfopen_model::layout::sight::{self, Sight};
use halfopen_model::view::row::row;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;

/// The row at a place among `total` rows. It stays while the list moves on and another call takes the place: to make all
/// rows in sight anew takes longer than a frame may.
#[component]
pub(super) fn Row(index: usize, total: Memo<usize>, sight: Memo<Sight>) -> impl IntoView {
    let session = use_session();
    let number = Memo::new(move |_| sight.with(|sight| sight.call(index)));
    // The call that was there when the pointer came down: it is meant, though the list may have moved on since.
    let pressed = StoredValue::new(None::<CallNumber>);
    let choose = move || {
        let pressed = pressed.try_update_value(Option::take).flatten();
        if let Some(number) = pressed.or_else(|| number.get_untracked()) {
            session.show_call(number);
        }
    };
    // Four times a second, and for a call that has ended only when another event of it comes: thirty rows in every frame
    // would take longer than the waterfall.
    let state = Memo::new(move |_| {
        session.clock.slow(Slow::Rows);
        let now = session.clock.now.get_untracked();
        let number = number.get()?;
        session.log.peek(|log| {
            let call = log.call(number)?;
            Some((number, call.events.last().copied(), call.end_or(now)))
        })
    });
    let facts = Memo::new(move |_| {
        // `get` and not `track`, which does not compute a memo: one that nobody has computed never reports a change.
        state.get();
        let now = session.clock.now.get_untracked();
        let number = number.get()?;
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
            id=move || number.get().map(|number| format!("call-{}", number.0))
            role="option"
            aria-selected=move || number.get().is_some_and(|number| session.navigation.selected.get() == Some(number)).to_string()
            aria-posinset=index + 1
            aria-setsize=move || total.get()
            style:top=top
            on:pointerdown=move |_| pressed.set_value(number.get_untracked())
            on:click=move |_| choose()
        >
            {move || heading.get().map(|heading| view! { <span class="tl-group">{heading}</span> })}
            {view}
        </div>
    }
}
