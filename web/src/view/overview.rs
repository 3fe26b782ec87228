//! The whole log in one strip: how much happened when, what failed, and which part is shown below.

use crate::layout::Viewport;
use crate::session::live::use_session;
use crate::session::store::Log;
use crate::ui::canvas;
use crate::ui::theme::Palette;
use leptos::prelude::*;
use web_sys::HtmlCanvasElement;

/// Most calls that the strip looks at; of more, every n-th.
const MOST: usize = 20_000;

/// The span of the axis that the strip shows.
fn extent(log: &Log, viewport: &Viewport, end: f64) -> (f64, f64) {
    let (from, to) = log.bounds().unwrap_or((0.0, 1.0));
    let from = log.folds.place(from);
    let to = end.max(log.folds.place(to)).max(from + 1_000.0);
    let _ = viewport;
    (from, to)
}

/// Draws the strip.
pub(crate) fn draw(
    canvas: &HtmlCanvasElement,
    log: &Log,
    viewport: &Viewport,
    now: f64,
    end: f64,
    palette: &Palette,
) {
    let Some((context, width, height)) = canvas::begin(canvas) else { return };
    let (from, to) = extent(log, viewport, end);
    let whole = Viewport { from, to, width };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page")]
    let columns = (width / 3.0).ceil().max(1.0) as usize;
    let mut counts = vec![(0_u32, 0_u32); columns];
    let every = (log.calls().len() / MOST).max(1);
    for (_, call) in log.calls().step_by(every) {
        let mut add = |at: f64, failed: bool| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            let column = (whole.x(log.folds.place(at)) / 3.0).max(0.0) as usize;
            if let Some(count) = counts.get_mut(column.min(columns - 1)) {
                if failed {
                    count.1 += 1;
                } else {
                    count.0 += 1;
                }
            }
        };
        for attempt in call.attempts.iter().take(20) {
            add(attempt.started, !attempt.code.is_none());
        }
        if call.attempts.is_empty() {
            add(call.started, !call.code.is_none());
        }
    }
    let _ = now;
    let most = counts.iter().map(|count| count.0 + count.1).max().unwrap_or(1).max(1);
    let scale = |count: u32| (f64::from(count) / f64::from(most)).sqrt() * (height - 6.0);
    for (column, &(good, bad)) in counts.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a column's number")]
        let x = column as f64 * 3.0;
        let whole_height = scale(good + bad);
        let bad_height =
            if bad == 0 { 0.0 } else { (whole_height * f64::from(bad) / f64::from(good + bad)).max(2.0) };
        context.set_fill_style_str(palette.get("--line-strong"));
        context.fill_rect(x, height - whole_height, 2.0, whole_height);
        context.set_fill_style_str(palette.get("--fail"));
        context.fill_rect(x, height - bad_height, 2.0, bad_height);
    }
    let (left, right) = (whole.x(viewport.from).clamp(0.0, width), whole.x(viewport.to).clamp(0.0, width));
    context.set_global_alpha(0.55);
    context.set_fill_style_str(palette.get("--sunken"));
    context.fill_rect(0.0, 0.0, left, height);
    context.fill_rect(right, 0.0, width - right, height);
    context.set_global_alpha(1.0);
    context.set_stroke_style_str(palette.get("--accent"));
    context.set_line_width(1.0);
    context.stroke_rect(left.round() + 0.5, 0.5, (right - left).max(3.0).round() - 1.0, height - 1.0);
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
        let now = session.now.get_untracked();
        let (from, to) = session.peek(|log| extent(log, &viewport, session.place_of_now(log, now)));
        let centre = Viewport { from, to, width: bounds.width() }.place(x);
        let half = (viewport.to - viewport.from) / 2.0;
        session.show(Viewport { from: centre - half, to: centre + half, ..viewport });
    };
    view! {
        <canvas
            class="overview"
            node_ref=canvas
            aria-hidden="true"
            title="The whole log: click or drag to show another part"
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
