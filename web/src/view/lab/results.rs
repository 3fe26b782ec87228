//! What came of a comparison: a card for each policy, the charts under one scrubber, the totals.

use super::export;
use super::state::{Lab, Real};
use crate::ui::narrow::Narrow;
use gloo_timers::callback::Interval;
use halfopen_model::format::span;
use halfopen_model::view::lab::chart::{Chart, TRACK, chart};
use halfopen_model::view::lab::crowd::{self, Crowd, calls_per_dot, crowd};
use halfopen_model::view::lab::outcome::{Outcome, PolicyOutcome};
use halfopen_model::view::lab::verdict::{cell, columns, survives, verdict};
use halfopen_model::view::lab::{picture, sensitivity, table};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The charts are drawn for these widths, and scaled from there.
const WIDE: f64 = 900.0;
const SLIM: f64 = 340.0;
/// Playing takes so many steps, whatever is played.
const STEPS: usize = 120;
/// From one step to the next, in milliseconds; and where the user wants little motion, in fewer and larger steps.
const STEP_MS: u32 = 100;
const CALM_STEP_MS: u32 = 1_000;
const CALM_STEPS: usize = 12;

/// The results.
#[component]
pub(super) fn Results() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let Narrow(narrow) = expect_context::<Narrow>();
    let count = Memo::new(move |_| with(lab, |outcome| outcome.policies.len()).unwrap_or(0));
    let drawn = Memo::new(move |_| {
        let width = if narrow.get() { SLIM } else { WIDE };
        with_measured(lab, |measured| with(lab, |outcome| chart(outcome, measured, width)))
    });
    let each = Memo::new(move |_| with(lab, calls_per_dot).unwrap_or(1.0));
    view! {
        <div class="lab-cards">
            <For each=move || 0..count.get() key=|index| *index let:index>
                {card(lab, index, each)}
            </For>
        </div>
        <p class="lab-legend" hidden=move || count.get() == 0>
            {crowd::Doing::ALL.map(|doing| { let (class, says) = doing.says(); view! { <span><i class=format!("dot {class}") aria-hidden="true"></i>{says}</span> } }).collect_view()}
            <span class="dim">{move || match each.get() { 1.0 => "a dot is a call".to_owned(), calls => format!("a dot is {calls:.0} calls") }}</span>
        </p>
        <div hidden=move || count.get() == 0>
            <Scrubber/>
            <div class="card lab-charts">
                {move || drawn.get().map(|chart| charts(lab, &chart))}
                <details>
                    <summary>"The charts as a table"</summary>
                    <ChartTable/>
                </details>
            </div>
            <Totals/>
            <HangsOn/>
        </div>
    }
}

fn with<T>(lab: Lab, read: impl FnOnce(&Outcome) -> T) -> Option<T> {
    lab.outcome.with(|outcome| outcome.as_ref().map(read))
}

/// With what a run for real has measured.
fn with_measured<T>(lab: Lab, read: impl FnOnce(&[PolicyOutcome]) -> T) -> T {
    lab.real.with(|real| if let Real::Measured(policies) = real { read(policies) } else { read(&[]) })
}

fn of_policy<T>(lab: Lab, index: usize, read: impl FnOnce(&Outcome, &PolicyOutcome) -> T) -> Option<T> {
    with(lab, |outcome| outcome.policies.get(index).map(|policy| read(outcome, policy))).flatten()
}

/// A policy at one look: what it survives, how it came through, and what its clients do.
fn card(lab: Lab, index: usize, each: Memo<f64>) -> AnyView {
    let name = Memo::new(move |_| of_policy(lab, index, |_, policy| policy.name.clone()).unwrap_or_default());
    let headline = Memo::new(move |_| of_policy(lab, index, |_, policy| survives(policy.survives)));
    let verdict = Memo::new(move |_| of_policy(lab, index, verdict));
    let good = move || verdict.with(|verdict| verdict.as_ref().is_some_and(|verdict| verdict.good));
    let crowd =
        Memo::new(move |_| of_policy(lab, index, |_, policy| crowd(policy, lab.at.get(), each.get())));
    view! {
        <article class="card lab-card" class:bad=move || !good() aria-label=name>
            <header><i class=format!("swatch p{index}") aria-hidden="true"></i><h3>{name}</h3></header>
            <p class="lab-headline"><span class="dim">"survives a pause of "</span><b>{headline}</b></p>
            <p class="lab-verdict"><i aria-hidden="true">{move || if good() { "✓ " } else { "✕ " }}</i>{move || verdict.get().map(|verdict| verdict.says)}</p>
            {move || crowd.get().map(|crowd| dots(&crowd))}
            <export::PolicyCode index/>
        </article>
    }
    .into_any()
}

fn dots(crowd: &Crowd) -> AnyView {
    let (width, height) = (crowd::COLUMNS * crowd::STEP, crowd::ROWS * crowd::STEP);
    let says = crowd.groups.iter().filter(|group| group.1 > 0.0);
    let says: Vec<_> = says.map(|(doing, count, _)| format!("{count:.0} {}", doing.says().1)).collect();
    view! {
        <svg class="lab-crowd" viewBox=format!("0 0 {width} {height}") aria-hidden="true">
            {crowd.groups.iter().map(|(doing, _, path)| view! { <path class=doing.says().0 d=path.clone()/> }).collect_view()}
        </svg>
        <p class="lab-doing">{if says.is_empty() { "nobody calls".to_owned() } else { says.join(", ") }}</p>
        <p class="lab-doing dim">{format!("{:.0} in the provider's queue, {:.1} requests for each new call", crowd.queued, crowd.load)}</p>
    }
    .into_any()
}

/// The moment that is shown, on one axis for all charts; it plays.
#[component]
fn Scrubber() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let timer = StoredValue::new_local(None::<Interval>);
    let plays = RwSignal::new(false);
    let last = Memo::new(move |_| with(lab, Outcome::intervals).unwrap_or(0).saturating_sub(1));
    let stop = move || {
        timer.set_value(None);
        plays.set(false);
    };
    let play = move |_| {
        if plays.get_untracked() {
            return stop();
        }
        let calm = window()
            .match_media("(prefers-reduced-motion: reduce)")
            .is_ok_and(|query| query.is_some_and(|query| query.matches()));
        let (steps, pause) = if calm { (CALM_STEPS, CALM_STEP_MS) } else { (STEPS, STEP_MS) };
        if lab.at.get_untracked() >= last.get_untracked() {
            lab.at.set(0);
        }
        plays.set(true);
        let by = (last.get_untracked() / steps).max(1);
        timer.set_value(Some(Interval::new(pause, move || {
            let next = lab.at.get_untracked() + by;
            lab.at.set(next.min(last.get_untracked()));
            if next >= last.get_untracked() {
                // Not from within its own callback.
                set_timeout(stop, std::time::Duration::ZERO);
            }
        })));
    };
    on_cleanup(stop);
    let moment = move || {
        let at = lab.at.get();
        #[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
        with(lab, |outcome| {
            let ms = at as f64 * outcome.interval_ms;
            let fault = outcome.faults().into_iter().find(|(_, from, to)| (*from..*to).contains(&ms));
            let fault = fault.map_or_else(String::new, |(name, ..)| format!(": {name}"));
            format!("at {}{fault}", span(ms))
        })
        .unwrap_or_default()
    };
    view! {
        <div class="lab-scrubber">
            <button class="tool" on:click=play>{move || if plays.get() { "❚❚ Pause" } else { "▶ Play" }}</button>
            <input
                type="range"
                min="0"
                max=move || last.get().to_string()
                aria-label="Moment"
                aria-valuetext=moment
                prop:value=move || lab.at.get().to_string()
                on:input=move |event| if let Ok(at) = event_target_value(&event).parse() { lab.at.set(at); }
            />
            <output>{moment}</output>
        </div>
    }
}

/// The charts, with the moment of the scrubber across all of them.
fn charts(lab: Lab, chart: &Chart) -> AnyView {
    let (left, right, width, height) = (chart.left, chart.right, chart.width, chart.height);
    let bottom = height - 22.0;
    #[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
    let at = move || {
        let share = with(lab, |outcome| {
            (lab.at.get() as f64 + 0.5) * outcome.interval_ms / outcome.duration_ms().max(1.0)
        });
        left + share.unwrap_or(0.0).min(1.0) * (right - left)
    };
    let go = move |event: web_sys::PointerEvent| {
        let Some(svg) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        else {
            return;
        };
        let bounds = svg.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0) * width;
        let share = ((x - left) / (right - left)).clamp(0.0, 1.0);
        let end = with(lab, Outcome::intervals).unwrap_or(0);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number of an interval"
        )]
        lab.at.set(((share * end as f64) as usize).min(end.saturating_sub(1)));
    };
    let plots = chart.panels.last().map_or(0.0, |panel| panel.bottom);
    let faults = chart.faults.clone().into_iter().map(|(from, to, name)| {
        view! {
            <rect class="fault" x=from y="20" width=(to - from).max(1.0) height=plots - 20.0><title>{name}</title></rect>
        }
    });
    let panels = chart.panels.clone().into_iter().map(|panel| view! {
        <text class="title" x="0" y=panel.top - 8.0>{panel.title}</text>
        {panel.ticks.into_iter().map(|(y, says)| view! {
            <path class="rule" d=format!("M{left} {y:.1}H{right}")/>
            <text x=left - 6.0 y=y + 4.0 text-anchor="end">{says}</text>
        }).collect_view()}
        {panel.requested.map(|d| view! { <path class="requested" d=d/> })}
        {panel.measured.into_iter().map(|(index, d)| view! { <path class=format!("measured p{index}") d=d/> }).collect_view()}
        {panel.lines.into_iter().enumerate().map(|(index, d)| view! { <path class=format!("line p{index}") d=d stroke-dasharray=picture::DASHES.get(index).copied().unwrap_or_default()/> }).collect_view()}
    });
    let tracks = chart.tracks.clone().into_iter().enumerate().map(|(index, track)| view! {
        <path class="rule" d=format!("M{left} {:.1}H{right}", track.top + TRACK)/>
        {track.spans.into_iter().map(|(x, width, share, is_half)| view! {
            <rect class=format!("open p{index}") class:half=is_half x=x y=track.top + TRACK * (1.0 - share) width=width height=TRACK * share/>
        }).collect_view()}
        <text class="whose" x=left + 4.0 y=track.top + TRACK - 4.0>{track.says}</text>
    });
    view! {
        <svg
            class="lab-chart"
            viewBox=format!("0 0 {width} {height}")
            role="img"
            aria-label="Load, goodput, latency and breakers over time. The table below has their numbers."
            on:pointerdown=go
            on:pointermove=move |event| if event.buttons() == 1 { go(event) }
        >
            {faults.collect_view()}
            {panels.collect_view()}
            <text class="title" x="0" y=chart.tracks_title>"Breakers open"</text>
            {tracks.collect_view()}
            {chart.ticks.clone().into_iter().map(|(x, says)| view! { <text x=x y=height - 6.0 text-anchor={if x > right - 12.0 { "end" } else { "middle" }}>{says}</text> }).collect_view()}
            <path class="now" d=move || format!("M{:.1} 18V{bottom}", at())/>
        </svg>
    }
    .into_any()
}

#[component]
fn ChartTable() -> impl IntoView {
    let lab = expect_context::<Lab>();
    move || {
        with(lab, |outcome| {
            view! {
                <div class="scroll" tabindex="0" role="region" aria-label="The charts as a table">
                    <table class="lab-table">
                        <thead>
                            <tr><th rowspan="2">"At"</th>{outcome.policies.iter().map(|policy| view! { <th colspan=table::COLUMNS.len().to_string() scope="colgroup">{policy.name.clone()}</th> }).collect_view()}</tr>
                            <tr>{outcome.policies.iter().flat_map(|_| table::COLUMNS).map(|name| view! { <th class="number" scope="col">{name}</th> }).collect_view()}</tr>
                        </thead>
                        <tbody>{table::rows(outcome).into_iter().map(|row| view! {
                            <tr><th scope="row">{row.at}</th>{row.cells.into_iter().map(|cell| view! { <td class="number">{cell}</td> }).collect_view()}</tr>
                        }).collect_view()}</tbody>
                    </table>
                </div>
            }
        })
    }
}

#[component]
fn Totals() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let seed = move || {
        with(lab, |outcome| {
            let seed = outcome.scenario.get("seed").and_then(halfopen_model::view::lab::json::Json::number);
            format!(
                "Large: the run above, with seed {:.0}. Small: between which values 95 % of 30 runs with other seeds lie.",
                seed.unwrap_or(0.0)
            )
        })
    };
    view! {
        <div class="card">
            <header><h3>"Totals"</h3><span class="dim">{seed}</span></header>
            <div class="scroll" tabindex="0" role="region" aria-label="Totals">
                {move || with(lab, |outcome| {
                    let columns: Vec<_> = columns(outcome).collect();
                    view! {
                        <table class="lab-totals">
                            <thead><tr>
                                <th scope="col">"Policy"</th>
                                {columns.iter().map(|column| view! { <th scope="col" class="number" title=column.title>{column.name}</th> }).collect_view()}
                            </tr></thead>
                            <tbody>{outcome.policies.iter().enumerate().map(|(index, policy)| view! {
                                <tr>
                                    <th scope="row"><i class=format!("swatch p{index}") aria-hidden="true"></i>{policy.name.clone()}</th>
                                    {columns.iter().map(|column| {
                                        let (value, band) = cell(policy, column);
                                        let real = with_measured(lab, |measured| {
                                            let measured = measured.iter().find(|one| one.name == policy.name)?;
                                            Some(format!("real: {}", cell(measured, column).0))
                                        });
                                        view! { <td class="number">{value}<small class="dim">{band}</small><small class="lab-measured">{real}</small></td> }
                                    }).collect_view()}
                                </tr>
                            }).collect_view()}</tbody>
                        </table>
                    }
                })}
            </div>
        </div>
    }
}

/// Which inputs the conclusion hangs on.
#[component]
fn HangsOn() -> impl IntoView {
    let lab = expect_context::<Lab>();
    let shown = Memo::new(move |_| {
        with(lab, |outcome| {
            sensitivity::heading(outcome).map(|heading| (heading, sensitivity::bars(outcome)))
        })
        .flatten()
    });
    move || {
        shown.get().map(|(heading, bars)| {
            view! {
                <section class="card" aria-label="What the conclusion hangs on">
                    <h3>"What the conclusion hangs on"</h3>
                    <p class="dim">{heading}</p>
                    <ul class="lab-inputs">{bars.into_iter().map(|bar| view! {
                        <li>
                            <span>{bar.label}</span>
                            <i class:against=!bar.for_first style:width=format!("{:.1}%", bar.share * 100.0) aria-hidden="true"></i>
                            <b class="number">{bar.says}</b>
                        </li>
                    }).collect_view()}</ul>
                </section>
            }
        })
    }
}
