//! The timeline: which calls are rows, when they are drawn, and what a pointer does to them.

use super::details::Details;
use super::empty::Empty;
use super::legend::Legend;
use super::listed::{listed_rows, opened_rows, swimlaned};
use super::pan::Pan;
use super::row::Row;
use super::sight::{follow_the_end, scroll_to_first, scroll_to_selected, step_through};
use super::swimlanes::{OpenedSwimlane, SwimlaneChoice, SwimlaneHeads};
use super::waterfall::Picture;
use crate::session::store::Log;
use crate::session::{Session, Slow, use_session};
use crate::ui::storage;
use crate::ui::theme::Themes;
use crate::ui::wall_clock;
use halfopen_model::format::number_of;
use halfopen_model::layout::Viewport;
use halfopen_model::layout::axis::offset;
use halfopen_model::layout::range::place_of_now;
use halfopen_model::layout::sight::{Sight, shows_end, tall};
use halfopen_model::layout::timeline::{Piece, pieces};
use halfopen_model::view::swimlanes::{Key, Swimlanes, are_shown};
use halfopen_store::query::Query;
use halfopen_store::scope::Calls;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlCanvasElement, HtmlElement};

/// The timeline.
#[component]
pub(crate) fn Timeline() -> impl IntoView {
    let session = use_session();
    let empty =
        Memo::new(move |_| session.log.read(|log| log.kept() == 0) && session.intake.loading.get().is_none());
    view! {
        <Show when=move || !empty.get() fallback=Empty>
            <div
                class="split"
                class:has-details=move || session.navigation.selected.get().is_some()
                class:compares=move || session.navigation.compared.get().is_some()
            >
                <Waterfall/>
                <Show when=move || session.navigation.selected.get().is_some()>
                    <Details/>
                </Show>
            </div>
        </Show>
    }
}

/// Where the browser keeps that the axis has the time of day.
const CLOCK: &str = "halfopen-clock";
/// A log is long from this number of milliseconds on.
const LONG: f64 = 600_000.0;

#[component]
fn Waterfall() -> impl IntoView {
    let session = use_session();
    let themes = expect_context::<Themes>();
    let body = NodeRef::<leptos::html::Div>::new();
    let bars = NodeRef::<leptos::html::Canvas>::new();
    let ruler = NodeRef::<leptos::html::Canvas>::new();
    let overview = NodeRef::<leptos::html::Canvas>::new();
    let scroll = RwSignal::new(0.0_f64);
    let [size, ruler_size, overview_size] = [(); 3].map(|()| RwSignal::new((0.0_f64, 0.0_f64)));
    let stuck = RwSignal::new(true);
    let hovered = RwSignal::new_local(None::<(f64, f64, String)>);
    // The pixel of the bars that the pointer is at.
    let pointed = RwSignal::new(None::<f64>);
    observe(bars, size);
    observe(ruler, ruler_size);
    observe(overview, overview_size);

    let viewport = Memo::new(move |_| {
        let (width, now) = (size.get().0, session.clock.now.get());
        session.log.read(|log| session.range.viewport(log, now, width))
    });
    let listed = listed_rows(session, viewport);
    let swimlaned = swimlaned(session, listed);
    let all_rows = opened_rows(session, listed, swimlaned);
    let swimlanes = Memo::new(move |_| {
        if !swimlaned.get() {
            return Swimlanes::default();
        }
        session.clock.slow(Slow::Lists);
        size.track();
        let (by, now) = (session.navigation.swimlanes_by.get(), session.clock.now.get_untracked());
        let viewport = viewport.get_untracked();
        listed.with(|listed| session.log.peek(|log| Swimlanes::of(log, listed, by, &viewport, now)))
    });
    let offers_swimlanes = Memo::new(move |before: Option<&bool>| {
        session.navigation.swimlane.get().is_some()
            || are_shown(before.copied().unwrap_or(false), listed.with(|rows| rows.len()))
    });
    // The user's choice, if there is one; else a long log has the time of day, which its other views have.
    let clock = RwSignal::new(storage::get(CLOCK).map(|choice| choice == "on"));
    let is_long = Memo::new(move |_| {
        session.log.read(|log| log.bounds().is_some_and(|(begins, ends)| ends - begins > LONG))
    });
    let by_clock = Memo::new(move |_| clock.get().unwrap_or_else(|| is_long.get()));
    let sight = Memo::new(move |_| {
        Sight::of(all_rows.get(), session.scope.query.with(|query| query.group), scroll.get(), size.get().1)
    });
    let count = Memo::new(move |_| all_rows.with(|rows| rows.len()));
    let listed_count =
        Memo::new(move |_| if swimlaned.get() { listed.with(|rows| rows.len()) } else { count.get() });
    let scroll_down = follow_the_end(session, body, count, stuck, scroll);
    let scroll_to_selected = scroll_to_selected(session, body, all_rows, scroll);
    let first = StoredValue::new(None);
    let scroll_to_first = scroll_to_first(body, all_rows, scroll, first);
    step_through(session, body, sight);

    let draw = move || {
        scroll_down();
        scroll_to_selected();
        scroll_to_first();
        themes.palette.with_untracked(|palette| {
            session.log.peek(|log| {
                let picture = Picture {
                    log,
                    palette,
                    viewport: viewport.get_untracked(),
                    now: session.clock.now.get_untracked(),
                    now_at: place_of_now(log, session.clock.now.get_untracked()),
                    live: untrack(|| !session.intake.shows_file()),
                    by_clock: by_clock.get_untracked(),
                };
                let ticks = picture.ticks();
                if let Some(canvas) = ruler.get_untracked() {
                    picture.ruler(&canvas, ruler_size.get_untracked(), &ticks);
                }
                if let Some(canvas) = bars.get_untracked() {
                    let (sight, top) = (sight.get_untracked(), scroll.get_untracked());
                    if swimlaned.get_untracked() {
                        swimlanes.with_untracked(|swimlanes| {
                            picture.swimlanes(&canvas, size.get_untracked(), &ticks, swimlanes, top)
                        });
                        return;
                    }
                    let selected = session.navigation.selected.get_untracked();
                    picture.bars(&canvas, size.get_untracked(), &ticks, &sight, top, selected);
                }
            })
        });
    };
    let drawing = session.clock.frames.drawing(draw);
    Effect::new(move |_| {
        // Memos are read: `track` alone does not compute them, and what is not computed never reports a change.
        let _ = (viewport.get(), sight.get(), swimlaned.get());
        swimlanes.with(|_| ());
        by_clock.track();
        scroll.track();
        session.clock.now.track();
        session.navigation.selected.track();
        session.log.track();
        themes.palette.track();
        drawing.request();
    });
    // The strip is about the whole log: four times a second will do, and when somebody moves the range.
    let draw_overview = move || {
        let (viewport, now) = (viewport.get_untracked(), session.clock.now.get_untracked());
        let Some(canvas) = overview.get_untracked() else { return };
        themes.palette.with_untracked(|palette| {
            session.log.peek(|log| {
                let (size, end) = (overview_size.get_untracked(), place_of_now(log, now));
                super::overview::draw(&canvas, log, size, &viewport, end, palette);
            })
        });
    };
    let drawing = session.clock.frames.drawing(draw_overview);
    Effect::new(move |_| {
        session.clock.slow(Slow::Overview);
        session.range.get();
        themes.palette.track();
        drawing.request();
    });
    // A canvas of another size is drawn before the browser shows it: in the next frame would be seen.
    Effect::new(move |_| {
        let _ = (size.get(), ruler_size.get(), bars.get(), ruler.get());
        draw();
    });
    Effect::new(move |_| {
        let _ = (overview_size.get(), overview.get());
        draw_overview();
    });

    let headed = move || {
        let row = |sight: &Sight, log: &Log, (index, number)| (index, number, sight.heading(log, index));
        sight.with(|sight| {
            session.log.peek(|log| sight.rows().map(|one| row(sight, log, one)).collect::<Vec<_>>())
        })
    };
    // Of rows out of sight there are no elements that it could name.
    let active = move || {
        let selected = session.navigation.selected.get()?;
        let in_sight = sight.with(|sight| sight.rows().any(|(_, number)| number == selected));
        in_sight.then(|| format!("call-{}", selected.0))
    };
    let pan = Pan::new(session, viewport, bars);
    let hover = move |event: web_sys::PointerEvent| {
        if pan.follow(&event, body.get_untracked().map(Into::into)) {
            hovered.set(None);
            pointed.set(None);
            return;
        }
        let Some(canvas) = bars.get_untracked() else { return };
        let bounds = canvas.get_bounding_client_rect();
        let (x, y) =
            (f64::from(event.client_x()) - bounds.left(), f64::from(event.client_y()) - bounds.top());
        let (viewport, scroll) = (viewport.get_untracked(), scroll.get_untracked());
        pointed.set((x >= 0.0).then_some(x));
        let text = if swimlaned.get_untracked() {
            let place = viewport.place(x);
            let say = |swimlanes: &Swimlanes| {
                session.log.peek(|log| swimlanes.say(log, y + scroll, place, &wall_clock::time))
            };
            swimlanes.with_untracked(say).filter(|_| x >= 0.0)
        } else {
            at_pointer(session, &sight.get_untracked(), viewport, scroll, x, y)
        };
        hovered.set(text.map(|text| (f64::from(event.client_x()), f64::from(event.client_y()), text)));
    };
    let open_swimlane = move |(key, event): (Key, web_sys::MouseEvent)| {
        hovered.set(None);
        // The list begins at the time of the press. The name of a swimlane, and a key, have no time.
        let x = bars
            .get_untracked()
            .map(|canvas| f64::from(event.client_x()) - canvas.get_bounding_client_rect().left());
        let place = x.filter(|&x| x >= 0.0 && event.detail() > 0).map(|x| viewport.get_untracked().place(x));
        let call = place.and_then(|place| {
            let find = |log: &Log| {
                listed.with_untracked(|listed| {
                    swimlanes.with_untracked(|swimlanes| swimlanes.first_at(log, key, listed, place))
                })
            };
            session.log.peek(find)
        });
        first.set_value(call);
        session.navigation.swimlane.set(Some(key));
    };
    view! {
        <section class="timeline" aria-label="Timeline" inert=super::details::covers()>
            <super::overview::Overview canvas=overview viewport/>
            <div class="tl-head">
                <div class="tl-names">
                    <span>{move || number_of(listed_count.get() as u64, "call")}</span>
                    <ZoomButtons viewport/>
                </div>
                <canvas class="tl-ruler" node_ref=ruler aria-hidden="true"></canvas>
                <div class="tl-right">
                    <Show when=move || offers_swimlanes.get()>
                        <SwimlaneChoice/>
                    </Show>
                    <button
                        class="text small"
                        title="The time of day, or the time since the log began"
                        aria-pressed=move || by_clock.get().to_string()
                        on:click=move |_| {
                            let on = !by_clock.get_untracked();
                            clock.set(Some(on));
                            storage::set(CLOCK, if on { "on" } else { "off" });
                        }
                    >"Clock"</button>
                </div>
                {move || pointed.get().map(|x| {
                    let viewport = viewport.get();
                    let says = session.log.peek(|log| {
                        let moment = log.folds.moment(viewport.place(x));
                        let begins = log.bounds().map_or(moment, |bounds| bounds.0);
                        format!("{} · {}", wall_clock::time(moment), offset(moment - begins, 1.0))
                    });
                    let (left, right) = if x > viewport.width / 2.0 { ("auto".to_owned(), format!("{}px", viewport.width - x)) } else { (format!("{x}px"), "auto".to_owned()) };
                    view! { <div class="tl-at" aria-hidden="true"><span style:left=left style:right=right>{says}</span></div> }
                })}
            </div>
            <OpenedSwimlane calls=count all=Memo::new(move |_| listed.with(|rows| rows.len()))/>
            <super::pending::Band/>
            <div class="tl-frame">
                <div
                    class="tl-body"
                    node_ref=body
                    on:scroll=move |_| {
                        if let Some(body) = body.get_untracked() {
                            let top = f64::from(body.scroll_top());
                            scroll.set(top);
                            stuck.set(shows_end(count.get_untracked(), top, size.get_untracked().1));
                        }
                    }
                    on:wheel=move |event| wheel(session, bars, viewport.get_untracked(), &event)
                    class:dragging=move || pan.moves()
                    on:pointerdown=move |event| pan.press(&event)
                    on:pointerup=move |event| pan.release(&event)
                    // The click that ends a drag is not meant for the row below it.
                    on:click:capture=move |event| {
                        if untrack(|| pan.moves()) {
                            event.stop_propagation();
                        }
                    }
                    on:pointercancel=move |_| pan.cancel()
                    on:pointermove=hover
                    on:pointerleave=move |_| {
                        hovered.set(None);
                        pointed.set(None);
                    }
                >
                    <Show when=move || !swimlaned.get() fallback=move || view! { <SwimlaneHeads swimlanes open=open_swimlane/> }>
                        <div
                            class="tl-rows"
                            id="calls"
                            role="listbox"
                            aria-label="Calls"
                            tabindex="0"
                            aria-activedescendant=active
                            style:height=move || format!("{}px", tall(count.get()))
                        >
                            <For each=headed key=Clone::clone let((index, number, heading))>
                                <Row index number heading total=count/>
                            </For>
                        </div>
                    </Show>
                </div>
                <canvas class="tl-bars" node_ref=bars aria-hidden="true"></canvas>
            </div>
            {move || hovered.get().map(|(x, y, text)| {
                let [left, right, top, bottom] = tip_place(x, y);
                view! { <div class="tip" style:left=left style:right=right style:top=top style:bottom=bottom aria-hidden="true">{text}</div> }
            })}
            <Legend/>
            <Show when=move || listed_count.get() == 0>
                <p class="tl-none">
                    {move || if session.scope.calls.with(Calls::is_all) { "No call in this time range. Press Fit (0) to see all." } else if session.scope.query.with(Query::is_empty) { "No call in the selected time. Change or clear it." } else { "No call matches the filter. Change or clear it." }}
                    " "<super::meant::Meant/>
                </p>
            </Show>
        </section>
    }
}

/// Where the tip of a pointer stands (left, right, top, bottom): on the side of it on which there is more room, so that it is
/// neither cut nor squeezed.
fn tip_place(x: f64, y: f64) -> [String; 4] {
    let size = |of: Result<wasm_bindgen::JsValue, _>| {
        of.ok().and_then(|size| size.as_f64()).unwrap_or(f64::INFINITY)
    };
    let beside = |at: f64, whole: f64| {
        let auto = || "auto".to_owned();
        if at > whole / 2.0 {
            [auto(), format!("{}px", whole - at + BESIDE)]
        } else {
            [format!("{}px", at + BESIDE), auto()]
        }
    };
    let [left, right] = beside(x, size(window().inner_width()));
    let [top, bottom] = beside(y, size(window().inner_height()));
    [left, right, top, bottom]
}

/// From the pointer to its tip, in pixels.
const BESIDE: f64 = 14.0;

fn wheel(
    session: Session,
    bars: NodeRef<leptos::html::Canvas>,
    viewport: Viewport,
    event: &web_sys::WheelEvent,
) {
    let Some(canvas) = bars.get_untracked() else { return };
    if event.ctrl_key() || event.meta_key() {
        event.prevent_default();
        let x = f64::from(event.client_x()) - canvas.get_bounding_client_rect().left();
        session.show_range(viewport.zoomed((event.delta_y() * 0.0025).clamp(-0.5, 0.5).exp(), x));
    } else if event.shift_key() || event.delta_x().abs() > event.delta_y().abs() {
        event.prevent_default();
        let by = if event.delta_x().abs() > 0.0 { event.delta_x() } else { event.delta_y() };
        session.show_range(viewport.moved(by));
    }
}

/// What stands under the pointer, in words.
fn at_pointer(
    session: Session,
    sight: &Sight,
    viewport: Viewport,
    scroll: f64,
    x: f64,
    y: f64,
) -> Option<String> {
    if x < 0.0 || y < 0.0 {
        return None;
    }
    let number = sight.call_at(y + scroll)?;
    session.log.peek(|log| {
        let call = log.call(number)?;
        let now = session.clock.now.get_untracked();
        let all = pieces(log, call, &viewport, now);
        let hit = |piece: &&Piece| {
            let room = if piece.width < 1.0 { 8.0 } else { 1.0 };
            x >= piece.x - room && x <= piece.x + piece.width + room
        };
        let piece = all.iter().rev().find(hit)?;
        let moment = log.folds.moment(viewport.place(x));
        Some(halfopen_model::view::words::piece(log, call, piece.bar, moment, now))
    })
}

fn observe(canvas: NodeRef<leptos::html::Canvas>, size: RwSignal<(f64, f64)>) {
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let measured: HtmlCanvasElement = canvas.clone();
        let callback = Closure::<dyn Fn()>::new(move || {
            let next = (f64::from(measured.client_width()), f64::from(measured.client_height()));
            if size.get_untracked() != next && next.0 > 0.0 {
                size.set(next);
            }
        });
        if let Ok(observer) = web_sys::ResizeObserver::new(callback.into_js_value().unchecked_ref()) {
            observer.observe(canvas.unchecked_ref::<HtmlElement>());
            on_cleanup({
                let observer = send_wrapper::SendWrapper::new(observer);
                move || observer.disconnect()
            });
        }
    });
}

#[component]
fn ZoomButtons(viewport: Memo<Viewport>) -> impl IntoView {
    let session = use_session();
    let zoom = move |factor: f64| {
        let viewport = viewport.get_untracked();
        session.show_range(viewport.zoomed(factor, viewport.width / 2.0));
    };
    view! {
        <span class="zoom">
            <button class="icon small" title="Zoom out (−)" aria-label="Zoom out" on:click=move |_| zoom(1.6)>"−"</button>
            <button class="icon small" title="Zoom in (+)" aria-label="Zoom in" on:click=move |_| zoom(0.625)>"+"</button>
            <button class="text small" title="Show the whole log (0)" on:click=move |_| session.fit()>"Fit"</button>
            <button
                class="text small"
                title="Follow new events (f)"
                hidden=move || session.intake.shows_file()
                aria-pressed=move || session.range.get().follow.to_string()
                on:click=move |_| session.range.follow()
            >"Follow"</button>
        </span>
    }
}
