//! Lanes in place of rows: the head of each, a button that opens it into its rows, and the choice of what has a lane. Their
//! bars are drawn by `waterfall.rs`.

use crate::session::use_session;
use halfopen_model::view::lanes::{By, LANE, Lanes};
use leptos::prelude::*;

/// The heads of the lanes.
#[component]
pub(super) fn LaneHeads(lanes: Memo<Lanes>) -> impl IntoView {
    let session = use_session();
    let keys =
        Memo::new(move |_| lanes.with(|lanes| lanes.lanes.iter().map(|lane| lane.key).collect::<Vec<_>>()));
    #[expect(clippy::cast_precision_loss, reason = "a hundred lanes")]
    let height = move || format!("{}px", keys.with(Vec::len) as f64 * LANE);
    let more = move || Some(lanes.with(|lanes| lanes.more)).filter(|&more| more > 0);
    view! {
        <ul class="tl-lanes" aria-label="Lanes" style:height=height>
            <For each=move || keys.get() key=|key| *key let:key>
                {
                    let lane = Memo::new(move |_| lanes.with(|lanes| {
                        let place = lanes.lanes.iter().position(|lane| lane.key == key)?;
                        // Its bars are drawn from the lanes themselves.
                        let lane = lanes.lanes.get(place)?;
                        Some((place, lane.name.clone(), lane.label.clone(), lane.is_bad, [&lane.calls, &lane.failed, &lane.p95].map(String::clone)))
                    }));
                    #[expect(clippy::cast_precision_loss, reason = "a hundred lanes")]
                    let top = move || lane.get().map(|lane| format!("{}px", lane.0 as f64 * LANE));
                    view! {
                        <li class="tl-lane" class:odd=move || lane.get().is_some_and(|lane| lane.0 % 2 == 1) style:top=top>
                            <button title="Show a row for each of its calls" on:click=move |_| session.navigation.lane.set(Some(key))>
                                {move || lane.get().map(|(_, name, label, is_bad, [calls, failed, p95])| view! {
                                    <span class="tl-name" aria-hidden="true"><b>{name}</b></span>
                                    <span class="lane-figures" aria-hidden="true">
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
        {move || more().map(|more| view! { <p class="tl-more dim">{more}" more lanes: filter the calls, or select a time"</p> })}
    }
}

/// The choice of lanes, and the way back from the rows of one.
#[component]
pub(super) fn LaneChoice() -> impl IntoView {
    let session = use_session();
    let by = session.navigation.lanes_by;
    let back = move |_| {
        session.navigation.lane.set(None);
        session.navigation.selected.set(None);
    };
    let opened = move || {
        let key = session.navigation.lane.get()?;
        let name = session.log.peek(|log| key.name(log));
        Some(
            view! { <button class="text small lane-back" title="Show all lanes" on:click=back>"‹ "{name}</button> },
        )
    };
    let choose = move |event| {
        session.navigation.lane.set(None);
        by.set(By::from_word(&event_target_value(&event)));
    };
    view! {
        {opened}
        <select class="small" aria-label="A lane for each" title="A lane for each" on:change=choose prop:value=move || by.get().word()>
            {By::ALL.map(|by| view! { <option value=by.word()>"by "{by.word()}</option> }).collect_view()}
        </select>
    }
}
