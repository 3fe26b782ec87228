//! The selected call and another one side by side; what it shows is `halfopen_model::view::compare`.

use crate::session::{Slow, use_session};
use crate::ui::wall_clock;
use halfopen_model::view::compare::{Line, compare};
use halfopen_model::view::details::describe;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;

/// The selected call and another one, side by side.
#[component]
pub(super) fn Comparison() -> impl IntoView {
    let session = use_session();
    let numbers = move || [session.navigation.selected.get(), session.navigation.compared.get()];
    let both = Memo::new(move |_| {
        // They may go on: four times a second.
        session.clock.slow(Slow::Lists);
        let now = session.clock.now.get_untracked();
        let numbers = numbers();
        session.log.peek(|log| {
            let [one, other] = numbers.map(|number| describe(log, number?, now, &wall_clock::exact));
            let (one, other) = (one?, other?);
            let heads = [&one, &other].map(|call| (call.number, call.title.clone(), call.status, call.sign));
            Some((heads, compare(&one, &other)))
        })
    });
    let head = move |(number, title, status, sign): (CallNumber, String, &'static str, &'static str)| {
        let show = move |_| {
            session.navigation.compared.set(None);
            session.show_call(number);
        };
        view! { <th scope="col"><span class=format!("sign {status}") aria-hidden="true">{sign}</span>" "<button class="link" on:click=show>{title}</button></th> }
    };
    let line = |line: Line| {
        let values = line
            .values
            .map(|value| view! { <td>{if value.is_empty() { "–".to_owned() } else { value }}</td> });
        view! { <tr class:differs=line.differs><th scope="row">{line.name}{line.differs.then(|| view! { <i title="differs">"≠"</i> })}</th>{values.collect_view()}</tr> }
    };
    view! {
        <h2>"Two calls"</h2>
        {move || match both.get() {
            None => view! { <p class="none">"One of the calls is no longer in the log: the oldest events were dropped. Select another call."</p> }.into_any(),
            Some((heads, lines)) => view! {
                <table class="comparison">
                    <thead><tr><td></td>{heads.map(head).collect_view()}</tr></thead>
                    <tbody>{lines.into_iter().map(line).collect_view()}</tbody>
                </table>
            }.into_any(),
        }}
    }
}
