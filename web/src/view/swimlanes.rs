//! Swimlanes in place of rows: the head of each, a button that opens it into its rows, and the choice of what has a swimlane. Their
//! bars are drawn by `waterfall.rs`.

use crate::session::use_session;
use halfopen_model::format::{count, number_of};
use halfopen_model::view::swimlanes::{By, Key, SWIMLANE, Swimlanes};
use leptos::prelude::*;
use web_sys::MouseEvent;

/// The heads of the swimlanes.
#[component]
pub(super) fn SwimlaneHeads(
    swimlanes: Memo<Swimlanes>,
    /// Opens a swimlane.
    #[prop(into)]
    open: Callback<(Key, MouseEvent)>,
) -> impl IntoView {
    let keys = Memo::new(move |_| {
        swimlanes
            .with(|swimlanes| swimlanes.swimlanes.iter().map(|swimlane| swimlane.key).collect::<Vec<_>>())
    });
    #[expect(clippy::cast_precision_loss, reason = "a hundred swimlanes")]
    let height = move || format!("{}px", keys.with(Vec::len) as f64 * SWIMLANE);
    let more = move || Some(swimlanes.with(|swimlanes| swimlanes.more)).filter(|&more| more > 0);
    view! {
        <ul class="tl-swimlanes" aria-label="Swimlanes" style:height=height>
            <For each=move || keys.get() key=|key| *key let:key>
                {
                    let swimlane = Memo::new(move |_| swimlanes.with(|swimlanes| {
                        let place = swimlanes.swimlanes.iter().position(|swimlane| swimlane.key == key)?;
                        // Its bars are drawn from the swimlanes themselves.
                        let swimlane = swimlanes.swimlanes.get(place)?;
                        Some((place, swimlane.parts.clone(), swimlane.label.clone(), swimlane.is_bad, [&swimlane.calls, &swimlane.failed, &swimlane.p95].map(String::clone)))
                    }));
                    #[expect(clippy::cast_precision_loss, reason = "a hundred swimlanes")]
                    let top = move || swimlane.get().map(|swimlane| format!("{}px", swimlane.0 as f64 * SWIMLANE));
                    view! {
                        <li class="tl-swimlane" class:odd=move || swimlane.get().is_some_and(|swimlane| swimlane.0 % 2 == 1) style:top=top>
                            <button title="Show a row for each of its calls" on:click=move |event| open.run((key, event))>
                                {move || swimlane.get().map(|(_, (name, which), label, is_bad, [calls, failed, p95])| view! {
                                    <span class="tl-name" aria-hidden="true"><b>{name}</b><small>{which}</small></span>
                                    <span class="swimlane-figures" aria-hidden="true">
                                        <span>{calls}</span>
                                        <span class:bad=is_bad>{failed}</span>
                                        <span>{p95}</span>
                                    </span>
                                    <span class="said">{label}</span>
                                })}
                            </button>
                        </li>
                    }
                }
            </For>
        </ul>
        {move || more().map(|more| view! { <p class="tl-more dim">{more}" more swimlanes: filter the calls, or select a time"</p> })}
    }
}

/// The name of the open swimlane with the number of its calls, and the way back to all.
#[component]
pub(super) fn OpenedSwimlane(
    /// The calls that are listed.
    calls: Memo<usize>,
    /// The calls of all swimlanes.
    all: Memo<usize>,
) -> impl IntoView {
    let session = use_session();
    let back = move |_| {
        session.navigation.swimlane.set(None);
        session.navigation.close_details();
    };
    let name = move || {
        let key = session.navigation.swimlane.get()?;
        Some(session.log.peek(|log| key.name(log)))
    };
    let counts = move || format!("{} of {}", count(calls.get() as u64), number_of(all.get() as u64, "call"));
    view! {
        <Show when=move || session.navigation.swimlane.get().is_some()>
            <p class="opened-swimlane">
                <button class="tool small" on:click=back>"‹ All swimlanes"</button>
                <span>{counts}" · "<b>{name}</b></span>
            </p>
        </Show>
    }
}

/// The choice of swimlanes.
#[component]
pub(super) fn SwimlaneChoice() -> impl IntoView {
    let session = use_session();
    let by = session.navigation.swimlanes_by;
    let choose = move |event| {
        session.navigation.swimlane.set(None);
        by.set(By::from_word(&event_target_value(&event)));
    };
    view! {
        <select class="small" aria-label="A swimlane for each" title="A swimlane for each" on:change=choose prop:value=move || by.get().word()>
            {By::ALL.map(|by| view! { <option value=by.word()>"by "{by.word()}</option> }).collect_view()}
        </select>
    }
}
