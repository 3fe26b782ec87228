//! The whole log in one strip: how much happened when, what failed, when a breaker was open, and which part is shown below.

use crate::session::store::Log;
use crate::session::use_session;
use crate::ui::canvas;
use crate::ui::theme::Palette;
use halfopen_model::layout::Viewport;
use halfopen_model::layout::range::place_of_now;
use halfopen_model::view::overview::{COLUMN, Column, Stretch, columns, extent, stretches};
use halfopen_store::time::Place;
use leptos::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Draws the strip.
pub(crate) fn draw(
    canvas: &HtmlCanvasElement,
    log: &Log,
    size: (f64, f64),
    viewport: &Viewport,
    end: Place,
    palette: &Palette,
) {
    let Some((context, width, height)) = canvas::begin(canvas, size) else { return };
    let (from, to) = extent(log, end);
    let whole = Viewport { from, to, width };
    let columns = columns(log, &whole);
    let most = columns.iter().map(|column| column.good + column.failed).max().unwrap_or(1).max(1);
    let scale = |count: u32| (f64::from(count) / f64::from(most)).sqrt() * (height - 6.0);
    for stretch in stretches(log, &whole) {
        draw_stretch(&context, stretch, height, palette);
    }
    // One colour after the other: to change it costs more than to fill a column.
    for failed in [false, true] {
        canvas::fill(&context, palette.get(if failed { "--fail" } else { "--line-strong" }));
        for (place, &Column { good, failed: bad }) in columns.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a column's number")]
            let x = place as f64 * COLUMN;
            let mut tall = scale(good + bad);
            if failed && bad > 0 {
                tall = (tall * f64::from(bad) / f64::from(good + bad)).max(2.0);
            }
            if good + bad > 0 && (!failed || bad > 0) {
                context.fill_rect(x, height - tall, 2.0, tall);
            }
        }
    }
    let (left, right) = (whole.x(viewport.from).clamp(0.0, width), whole.x(viewport.to).clamp(0.0, width));
    context.set_global_alpha(0.55);
    canvas::fill(&context, palette.get("--sunken"));
    context.fill_rect(0.0, 0.0, left, height);
    context.fill_rect(right, 0.0, width - right, height);
    context.set_global_alpha(1.0);
    canvas::stroke(&context, palette.get("--accent"));
    context.set_line_width(1.0);
    context.stroke_rect(left.round() + 0.5, 0.5, (right - left).max(3.0).round() - 1.0, height - 1.0);
}

/// The line above them, for those who see no difference of colours.
const LINE: f64 = 3.0;

/// Where a breaker let nothing through, or probes alone.
fn draw_stretch(context: &CanvasRenderingContext2d, stretch: Stretch, height: f64, palette: &Palette) {
    let (soft, line, thick) = if stretch.half_open {
        ("--accent-soft", "--accent", LINE / 2.0)
    } else {
        ("--fail-soft", "--fail", LINE)
    };
    canvas::fill(context, palette.get(soft));
    context.fill_rect(stretch.from, 0.0, stretch.width, height);
    canvas::fill(context, palette.get(line));
    context.fill_rect(stretch.from, 0.0, stretch.width, thick);
}

/// The strip, which takes a click or a drag to show another part.
#[component]
pub(crate) fn Overview(canvas: NodeRef<leptos::html::Canvas>, viewport: Memo<Viewport>) -> impl IntoView {
    let session = use_session();
    let dragging = RwSignal::new(false);
    let show = move |event: &web_sys::PointerEvent| {
        let Some(canvas) = canvas.get_untracked() else { return };
        let bounds = canvas.get_bounding_client_rect();
        let x = f64::from(event.client_x()) - bounds.left();
        let viewport = viewport.get_untracked();
        let now = session.clock.now.get_untracked();
        let (from, to) = session.log.peek(|log| extent(log, place_of_now(log, now)));
        let centre = Viewport { from, to, width: bounds.width() }.place(x);
        let half = (viewport.to - viewport.from) / 2.0;
        session.show_range(Viewport { from: centre - half, to: centre + half, ..viewport });
    };
    view! {
        <canvas
            class="overview"
            node_ref=canvas
            aria-hidden="true"
            title="The whole log: click or drag to show another part. A line above: a breaker was open"
            on:pointerdown=move |event| {
                dragging.set(true);
                // The strip is low: a hand that drags along it leaves it.
                if let Some(canvas) = canvas.get_untracked() {
                    let _ = canvas.set_pointer_capture(event.pointer_id());
                }
                show(&event);
            }
            on:pointermove=move |event| {
                if dragging.get_untracked() && event.buttons() != 0 {
                    show(&event);
                }
            }
            on:pointerup=move |_| dragging.set(false)
            on:pointercancel=move |_| dragging.set(false)
        ></canvas>
    }
}
