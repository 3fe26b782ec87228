//! The health of the calls over time: the first view. Dragging over its charts selects the time of all views.

use crate::session::{Session, Slow, use_session};
use crate::ui::wall_clock;
use halfopen_model::format::number_of;
use halfopen_model::view::View;
use halfopen_model::view::adaptive::LimitLine;
use halfopen_model::view::health::{Band, By, COLUMNS, Chart, Group, Health as Model, health, span_between};
use halfopen_store::query::Query;
use halfopen_store::scope::Span;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// With more calls than that, they are added up every two seconds, not four times a second.
const MANY: usize = 20_000;
/// A shorter drag, as a share of the charts' width, is a click: it selects all times.
const CLICK: f64 = 0.004;

/// The input of the sums, apart from the events of the log.
#[derive(Clone, PartialEq)]
struct Key {
    generation: u32,
    query: Query,
    span: Option<Span>,
    by: By,
}

/// The health.
#[component]
pub(crate) fn Health() -> impl IntoView {
    let session = use_session();
    let by = RwSignal::new(By::All);
    let made = Memo::new(move |last: Option<&(Key, Model)>| {
        let due = session.clock.slow(Slow::Lists);
        let calls = session.scope.matching.get();
        let key = Key {
            generation: session.log.generation(),
            query: session.scope.query.get(),
            span: session.scope.span.get(),
            by: by.get(),
        };
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| match last {
            Some(last) if last.0 == key && calls.len(log) > MANY && !due.is_multiple_of(8) => last.clone(),
            _ => {
                let health = health(log, &calls, key.span, key.by, now, &wall_clock::time);
                (key, health)
            }
        })
    });
    let charts = Memo::new(move |_| {
        made.with(|(_, health)| (health.charts.clone(), health.groups.clone(), health.more))
    });
    let bands = Memo::new(move |_| {
        made.with(|(_, health)| (health.breakers.clone(), health.limits.clone(), health.left_out.clone()))
    });
    let change = Memo::new(move |_| made.with(|made| made.1.change.clone()));
    let ticks = Memo::new(move |_| made.with(|made| made.1.ticks.clone()));
    let selected = Memo::new(move |_| made.with(|made| made.1.selected));
    // The column that the pointer is at.
    let pointed = RwSignal::new(None::<usize>);
    let point = move |event: &web_sys::PointerEvent| {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 120"
        )]
        let column = share(event).map(|share| ((share * COLUMNS as f64) as usize).min(COLUMNS - 1));
        if pointed.get_untracked() != column {
            pointed.set(column);
        }
    };
    let at_pointer = move || {
        let says = made.with(|made| made.1.parts.get(pointed.get()?).cloned());
        says.unwrap_or_else(|| "Point at the charts for the figures of a time; drag over them to select it: all views are then about its calls. A call counts when it ends. Long times without calls are cut out.".into())
    };
    // The ends of a drag as shares of the width.
    let drag = RwSignal::new(None::<(f64, f64)>);
    let mark = move || {
        let dragged = drag.get().map(|(one, other)| (one.min(other) * 100.0, one.max(other) * 100.0));
        dragged.or_else(|| selected.get()).map(|(from, to)| {
            view! { <i class="selection" aria-hidden="true" style:left=format!("{from}%") style:width=format!("{}%", to - from)></i> }
        })
    };
    view! {
        <section class="page health" aria-label="Health">
            <header class="page-head">
                <h2>"Health"</h2>
                <label class="choice">"Show "
                    <select on:change=move |event| by.set(By::from_key(&event_target_value(&event)))>
                        {By::ALL.map(|by| view! { <option value=by.key()>{by.label()}</option> }).collect_view()}
                    </select>
                </label>
            </header>
            {move || change_card(session, change.get())}
            <div
                class="charts"
                on:pointerdown=move |event| begin(drag, &event)
                on:pointermove=move |event| {
                    point(&event);
                    go_on(drag, &event);
                }
                on:pointerleave=move |_| pointed.set(None)
                on:pointerup=move |_| end(session, drag)
                on:pointercancel=move |_| drag.set(None)
            >
                {move || {
                    let (charts, groups, more) = charts.get();
                    view! {
                        {charts.into_iter().map(|chart| figure(chart, None)).collect_view()}
                        {groups.into_iter().map(|group| group_view(session, by, group)).collect_view()}
                        {(more > 0).then(|| view! { <p class="dim">{number_of(more as u64, "group")}" with fewer errors not shown."</p> })}
                    }
                }}
                {move || {
                    let (breakers, limits, left_out) = bands.get();
                    view! {
                        {breakers.into_iter().map(band).collect_view()}
                        {limits.into_iter().map(limit).collect_view()}
                        {left_out.map(|words| view! { <p class="dim">{words}</p> })}
                    }
                }}
                <div class="axis" aria-hidden="true">
                    {move || ticks.get().into_iter().map(|(at, label)| view! { <span style:left=format!("{at}%")>{label}</span> }).collect_view()}
                </div>
                {move || pointed.get().map(|column| {
                    #[expect(clippy::cast_precision_loss, reason = "0 to 120")]
                    let [left, width] = [column as f64, 1.0].map(|columns| format!("{}%", columns / COLUMNS as f64 * 100.0));
                    view! { <i class="pointed" aria-hidden="true" style:left=left style:width=width></i> }
                })}
                {mark}
            </div>
            <p class="dim">{at_pointer}</p>
            <Select selected/>
        </section>
    }
}

/// The largest changes in words, with ways on.
fn change_card(session: Session, change: halfopen_model::view::health::Change) -> AnyView {
    let select = change.stretch.map(|stretch| {
        view! { <button class="tool strong" on:click=move |_| session.scope.span.set(Some(stretch))>"Select this time"</button> }
    });
    let errors = change.is_bad.then(|| {
        view! { <button class="tool" on:click=move |_| session.navigation.view.set(View::Errors)>"See the errors"</button> }
    });
    let common = change.common.into_iter().map(|(words, filter)| {
        view! { <button class="tool" title="Filter" on:click=move |_| session.navigation.filter(filter.clone())>{words}</button> }
    });
    let says = change.says.into_iter().map(|says| view! { <p>{says}</p> });
    view! {
        <article class="card change" class:bad=change.is_bad aria-label="What changed most">
            <h3>{change.heading}</h3>
            {says.collect_view()}
            <p class="links">{select}{errors}{common.collect_view()}</p>
        </article>
    }
    .into_any()
}

fn figure(chart: Chart, caption: Option<AnyView>) -> AnyView {
    let Chart { name, says, shapes, lines } = chart;
    // Lines have a key, for they are two.
    let key = lines.then(|| {
        shapes
            .iter()
            .map(|&(class, _)| view! { <span class=format!("key {class}")>"― "{class}</span> })
            .collect_view()
    });
    let caption = caption
        .unwrap_or_else(|| view! { <b>{name}</b>" "<span class="dim">{says.clone()}</span>{key} }.into_any());
    let shapes = shapes
        .into_iter()
        .map(|(class, path)| view! { <path class=class d=path vector-effect="non-scaling-stroke"/> });
    view! {
        <figure>
            <figcaption>{caption}</figcaption>
            <svg class:lines=lines viewBox=format!("0 0 {COLUMNS} 100") preserveAspectRatio="none" role="img" aria-label=format!("{name}: {says}")>
                {shapes.collect_view()}
            </svg>
        </figure>
    }
    .into_any()
}

fn group_view(session: Session, by: RwSignal<By>, group: Group) -> AnyView {
    let Group { name, filter, says, chart } = group;
    let show = move |_| {
        by.set(By::All);
        session.navigation.filter(filter.clone());
    };
    let caption = view! {
        <button class="link" title="Show its calls alone" on:click=show on:pointerdown=|event| event.stop_propagation()>{name}</button>" "
        <span class="dim">{says}</span>
    };
    figure(chart, Some(caption.into_any()))
}

fn band(band: Band) -> AnyView {
    let Band { name, says, parts } = band;
    let label = format!("Breaker {name}: {says}");
    let parts = parts.into_iter().map(|(state, from, width)| {
        view! { <i class=state style:left=format!("{from}%") style:width=format!("{width}%")></i> }
    });
    view! {
        <figure>
            <figcaption><b>"Breaker "{name}</b>" "<span class="dim">{says}</span></figcaption>
            <div class="band" role="img" aria-label=label>{parts.collect_view()}</div>
        </figure>
    }
    .into_any()
}

fn limit(line: LimitLine) -> AnyView {
    let LimitLine { policy, path, says } = line;
    let label = format!("Adaptive limit of {policy}: {says}");
    view! {
        <figure class="limit-line">
            <figcaption><b>"Adaptive limit of "{policy}</b>" "<span class="dim">{says}</span></figcaption>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=label><path d=path/></svg>
        </figure>
    }
    .into_any()
}

/// The selected time for those who do not drag: the column at which it begins, and the one at which it ends.
#[component]
fn Select(selected: Memo<Option<(f64, f64)>>) -> impl IntoView {
    let session = use_session();
    let ends = Memo::new(move |_| selected.get().unwrap_or((0.0, 100.0)));
    let set = move |from: f64, to: f64| {
        select(session, (from < to && (from > 0.0 || to < 100.0)).then_some((from / 100.0, to / 100.0)));
    };
    let value = |event: &web_sys::Event| halfopen_log::number(&event_target_value(event)).unwrap_or(0.0);
    view! {
        <div class="select-time" role="group" aria-label="Selected time">
            <label>"From "<input type="range" min="0" max="100" step="any" prop:value=move || ends.get().0 on:change=move |event| set(value(&event), ends.get_untracked().1)/></label>
            <label>"to "<input type="range" min="0" max="100" step="any" prop:value=move || ends.get().1 on:change=move |event| set(ends.get_untracked().0, value(&event))/></label>
        </div>
    }
}

/// Selects the time between two places, which are shares of the axis; all times without.
fn select(session: Session, ends: Option<(f64, f64)>) {
    let now = session.clock.now.get_untracked();
    let span = ends.map(|(one, other)| session.log.peek(|log| span_between(log, now, one, other)));
    session.scope.span.set(span);
}

/// The place of a pointer, as a share of the charts' width.
fn share(event: &web_sys::PointerEvent) -> Option<f64> {
    let charts = event.current_target()?.dyn_into::<web_sys::Element>().ok()?.get_bounding_client_rect();
    Some(((f64::from(event.client_x()) - charts.left()) / charts.width().max(1.0)).clamp(0.0, 1.0))
}

fn begin(drag: RwSignal<Option<(f64, f64)>>, event: &web_sys::PointerEvent) {
    if event.button() != 0 {
        return;
    }
    // A hand that drags along the charts leaves them.
    if let Some(charts) = event.current_target().and_then(|charts| charts.dyn_into::<web_sys::Element>().ok())
    {
        let _ = charts.set_pointer_capture(event.pointer_id());
    }
    drag.set(share(event).map(|share| (share, share)));
}

fn go_on(drag: RwSignal<Option<(f64, f64)>>, event: &web_sys::PointerEvent) {
    if let (Some((from, _)), Some(share)) = (drag.get_untracked(), share(event)) {
        drag.set(Some((from, share)));
    }
}

fn end(session: Session, drag: RwSignal<Option<(f64, f64)>>) {
    if let Some((from, to)) = drag.get_untracked() {
        drag.set(None);
        select(session, ((to - from).abs() > CLICK).then_some((from, to)));
    }
}
