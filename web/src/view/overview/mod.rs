//! The whole log in one strip: how much happened when, what failed, when a breaker was open, and which part is shown below.

use crate::layout::Viewport;
use crate::session::breaker::State;
use crate::session::store::Log;
use crate::session::time_range::{place_of_now, with_room};
use crate::session::use_session;
use crate::ui::canvas;
use crate::ui::theme::Palette;
use leptos::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// The span of the axis that the strip shows: what "Fit" shows below, so that both stand in one line.
fn extent(log: &Log, end: f64) -> (f64, f64) {
    let (from, to) = log.bounds().unwrap_or((0.0, 1.0));
    let from = log.folds.place(from);
    with_room(from, end.max(log.folds.place(to)).max(from + 1_000.0))
}

/// Draws the strip.
pub(crate) fn draw(
    canvas: &HtmlCanvasElement,
    log: &Log,
    size: (f64, f64),
    viewport: &Viewport,
    end: f64,
    palette: &Palette,
) {
    let Some((context, width, height)) = canvas::begin(canvas, size) else { return };
    let (from, to) = extent(log, end);
    let whole = Viewport { from, to, width };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page")]
    let columns = (width / 3.0).ceil().max(1.0) as usize;
    let mut counts = vec![(0_u32, 0_u32); columns];
    for (place, of) in log.strip.iter() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let column = (whole.x(place) / 3.0).max(0.0) as usize;
        if let Some(count) = counts.get_mut(column.min(columns - 1)) {
            count.0 += of.begun.saturating_sub(of.failed);
            count.1 += of.failed;
        }
    }
    let most = counts.iter().map(|count| count.0 + count.1).max().unwrap_or(1).max(1);
    let scale = |count: u32| (f64::from(count) / f64::from(most)).sqrt() * (height - 6.0);
    open_breakers(&context, log, &whole, height, palette);
    // One colour after the other: to change it costs more than to fill a column.
    for failed in [false, true] {
        canvas::fill(&context, palette.get(if failed { "--fail" } else { "--line-strong" }));
        for (column, &(good, bad)) in counts.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a column's number")]
            let x = column as f64 * 3.0;
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

/// Most stretches that are drawn, the newest: more would be one colour all over.
const STRETCHES: usize = 500;
/// The line above them, for those who see no difference of colours.
const LINE: f64 = 3.0;

/// Where a breaker let nothing through, or probes alone.
fn open_breakers(
    context: &CanvasRenderingContext2d,
    log: &Log,
    whole: &Viewport,
    height: f64,
    palette: &Palette,
) {
    let Some((begins, ends)) = log.bounds() else { return };
    let mut left = STRETCHES;
    for breaker in log.breakers.iter().filter(|breaker| !breaker.changes.is_empty()) {
        for stretch in breaker.spans(begins, ends).iter().rev() {
            let (soft, line, thick) = match stretch.state {
                State::Open | State::Isolated => ("--fail-soft", "--fail", LINE),
                State::HalfOpen => ("--accent-soft", "--accent", LINE / 2.0),
                _ => continue,
            };
            if left == 0 {
                return;
            }
            left -= 1;
            let (from, to) = (whole.x(log.folds.place(stretch.from)), whole.x(log.folds.place(stretch.to)));
            let width = (to - from).max(2.0);
            canvas::fill(context, palette.get(soft));
            context.fill_rect(from, 0.0, width, height);
            canvas::fill(context, palette.get(line));
            context.fill_rect(from, 0.0, width, thick);
        }
    }
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
        session.range.show(Viewport { from: centre - half, to: centre + half, ..viewport });
    };
    view! {
        <canvas
            class="overview"
            node_ref=canvas
            aria-hidden="true"
            title="The whole log: click or drag to show another part. A line above: a breaker was open"
            on:pointerdown=move |event| {
                dragging.set(true);
                show(&event);
            }
            on:pointermove=move |event| {
                if dragging.get_untracked() && event.buttons() != 0 {
                    show(&event);
                }
            }
            on:pointerup=move |_| dragging.set(false)
        ></canvas>
    }
}
