//! Drawing on a canvas at the screen's own resolution.

use super::theme::Palette;
use halfopen_model::layout::axis::Tick;
use halfopen_model::layout::hatch::lines;
use halfopen_model::layout::timeline::{Bar, Piece};
use leptos::prelude::window;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

#[wasm_bindgen]
extern "C" {
    /// The context's setters for a string of JavaScript: a colour is set hundreds of times in a frame, and decoding it each
    /// time took longer than drawing.
    type Inked;
    #[wasm_bindgen(method, structural, setter = fillStyle)]
    fn set_fill(this: &Inked, colour: &JsValue);
    #[wasm_bindgen(method, structural, setter = strokeStyle)]
    fn set_stroke(this: &Inked, colour: &JsValue);
}

/// Sets the colour of the next fills.
pub(crate) fn fill(context: &CanvasRenderingContext2d, colour: &JsValue) {
    context.unchecked_ref::<Inked>().set_fill(colour);
}

/// Sets the colour of the next strokes.
pub(crate) fn stroke(context: &CanvasRenderingContext2d, colour: &JsValue) {
    context.unchecked_ref::<Inked>().set_stroke(colour);
}

/// Prepares a canvas: cleared, in CSS pixels. The caller observes its size, because reading it here would force a layout in
/// the middle of a frame.
pub(crate) fn begin(
    canvas: &HtmlCanvasElement,
    (width, height): (f64, f64),
) -> Option<(CanvasRenderingContext2d, f64, f64)> {
    let ratio = window().device_pixel_ratio().clamp(1.0, 3.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in pixels")]
    let (pixels_x, pixels_y) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    let resized = canvas.width() != pixels_x || canvas.height() != pixels_y;
    if resized {
        canvas.set_width(pixels_x);
        canvas.set_height(pixels_y);
    }
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    // A canvas keeps them until it is resized, and parsing a font takes the browser longer than drawing a row.
    if resized {
        context.set_font(FONT);
        context.set_text_baseline("middle");
    }
    Some((context, width, height))
}

/// The font of everything that is drawn.
const FONT: &str = "500 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/// Ticks as lines through the whole height, without their labels.
pub(crate) fn grid(context: &CanvasRenderingContext2d, ticks: &[Tick], height: f64, palette: &Palette) {
    self::fill(context, palette.get("--line"));
    for tick in ticks {
        context.fill_rect(tick.x.round(), 0.0, 1.0, height);
    }
}

/// The axis: labels with a short tick each.
pub(crate) fn axis(context: &CanvasRenderingContext2d, ticks: &[Tick], height: f64, palette: &Palette) {
    for tick in ticks {
        self::fill(context, palette.get("--line-strong"));
        context.fill_rect(tick.x.round(), height - 6.0, 1.0, 6.0);
        self::fill(context, palette.get("--dim"));
        let _ = context.fill_text(&tick.label, tick.x.round() + 5.0, height / 2.0);
    }
}

/// A strip of slanted lines.
pub(crate) fn hatch(
    context: &CanvasRenderingContext2d,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    colour: &JsValue,
) {
    self::stroke(context, colour);
    context.set_line_width(1.0);
    context.begin_path();
    for ((x1, y1), (x2, y2)) in lines(x, y, width, height) {
        context.move_to(x1, y1);
        context.line_to(x2, y2);
    }
    context.stroke();
}

fn boxed(
    context: &CanvasRenderingContext2d,
    rect: [f64; 4],
    fill: &JsValue,
    stroke: Option<&JsValue>,
    dashed: bool,
) {
    let [x, y, width, height] = rect;
    if width <= 4.0 {
        // Too narrow for its corners and its edge to show.
        self::fill(context, fill);
        context.fill_rect(x, y, width, height);
        return;
    }
    context.begin_path();
    let _ = context.round_rect_with_f64(x, y, width, height, 3f64.min(width / 2.0));
    self::fill(context, fill);
    context.fill();
    if let Some(stroke) = stroke {
        self::stroke(context, stroke);
        context.set_line_width(1.0);
        context.begin_path();
        let _ = context.round_rect_with_f64(x + 0.5, y + 0.5, width - 1.0, height - 1.0, 2.5);
        if dashed {
            let _ = context.set_line_dash(&js_sys::Array::of2(&3.0.into(), &3.0.into()));
        }
        context.stroke();
        if dashed {
            let _ = context.set_line_dash(&js_sys::Array::new());
        }
    }
}

fn sign(context: &CanvasRenderingContext2d, text: &str, x: f64, y: f64, colour: &JsValue, palette: &Palette) {
    context.begin_path();
    let _ = context.arc(x, y, 7.5, 0.0, std::f64::consts::TAU);
    self::fill(context, palette.get("--surface"));
    context.fill();
    self::stroke(context, colour);
    context.set_line_width(1.25);
    context.stroke();
    self::fill(context, colour);
    context.set_text_align("center");
    let _ = context.fill_text(text, x, y + 0.5);
    context.set_text_align("start");
}

/// Draws an arrow that points to a call outside the visible range, in its row.
pub(crate) fn elsewhere(
    context: &CanvasRenderingContext2d,
    later: bool,
    width: f64,
    y: f64,
    palette: &Palette,
) {
    self::fill(context, palette.get("--dim"));
    let (text, x) = if later { ("later ▸", width - 58.0) } else { ("◂ earlier", 8.0) };
    let _ = context.fill_text(text, x, y);
}

/// One piece of the waterfall, in a row of the given top and height.
pub(crate) fn piece(
    context: &CanvasRenderingContext2d,
    piece: &Piece,
    top: f64,
    height: f64,
    palette: &Palette,
) {
    let middle = top + height / 2.0;
    let (x, width) = (piece.x, piece.width);
    let bar = [x, middle - 8.0, width, 16.0];
    let mut ink = "--text";
    match piece.bar {
        Bar::Whole => {
            self::fill(context, palette.get("--line-strong"));
            context.fill_rect(x, middle - 0.5, width, 1.0);
        }
        Bar::Succeeded => {
            ink = "--ok";
            let fill = if width < 6.0 { "--ok" } else { "--ok-soft" };
            boxed(context, bar, palette.get(fill), Some(palette.get("--ok")), false);
        }
        Bar::Failed => {
            ink = "--fail";
            let fill = if width < 6.0 { "--fail" } else { "--fail-soft" };
            boxed(context, bar, palette.get(fill), Some(palette.get("--fail")), false);
        }
        Bar::Running => {
            ink = "--accent";
            boxed(context, bar, palette.get("--accent-soft"), Some(palette.get("--accent")), true);
        }
        Bar::FirstChunk => {
            hatch(context, x + 1.0, middle - 7.0, (width - 2.0).max(0.0), 14.0, palette.get("--line-strong"));
        }
        Bar::Backoff | Bar::RetryAfter | Bar::Queue => {
            let (strong, soft) = match piece.bar {
                Bar::Backoff => ("--wait", "--wait-soft"),
                Bar::RetryAfter => ("--hint", "--hint-soft"),
                _ => ("--queue", "--queue-soft"),
            };
            ink = strong;
            boxed(context, [x, middle - 6.0, width, 12.0], palette.get(soft), None, false);
            self::fill(context, palette.get(strong));
            context.fill_rect(x, middle - 6.0, 1.0, 12.0);
            context.fill_rect(x + width - 1.0, middle - 6.0, 1.0, 12.0);
            if piece.label.is_empty() {
                hatch(context, x + 1.0, middle - 6.0, (width - 2.0).max(0.0), 12.0, palette.get(strong));
            }
        }
        Bar::Band => {
            self::fill(context, palette.get("--wait"));
            context.fill_rect(x, middle + 9.0, width, 2.0);
            context.fill_rect(x, middle + 6.0, 1.0, 5.0);
            context.fill_rect(x + width - 1.0, middle + 6.0, 1.0, 5.0);
        }
        Bar::Planned => {
            self::fill(context, palette.get("--wait"));
            let mut y = middle - 10.0;
            while y < middle + 10.0 {
                context.fill_rect(x.round(), y, 1.5, 3.0);
                y += 5.0;
            }
        }
        Bar::Deadline => {
            self::fill(context, palette.get("--fail"));
            context.fill_rect(x.round(), middle - 10.0, 1.5, 20.0);
            context.fill_rect(x.round() - 3.0, middle - 10.0, 7.5, 2.0);
            context.fill_rect(x.round() - 3.0, middle + 8.0, 7.5, 2.0);
        }
        Bar::Probe => sign(context, "◐", x, middle, palette.get("--accent"), palette),
        Bar::Rejected => sign(context, "⊘", x, middle, palette.get("--fail"), palette),
        Bar::Fallback => sign(context, "↪", x, middle, palette.get("--fallback"), palette),
        Bar::FallbackFailed => sign(context, "↯", x, middle, palette.get("--fail"), palette),
        Bar::Failover => sign(context, "⇄", x, middle, palette.get("--fallback"), palette),
        Bar::Broken => sign(context, "⌇", x, middle, palette.get("--fail"), palette),
        Bar::Repaired => sign(context, "✎", x, middle, palette.get("--accent"), palette),
        Bar::GaveUp => sign(context, "✕", x, middle, palette.get("--fail"), palette),
        Bar::Cancelled => sign(context, "−", x, middle, palette.get("--dim"), palette),
    }
    if !piece.label.is_empty() {
        self::fill(context, palette.get(ink));
        let _ = context.fill_text(&piece.label, x.max(0.0) + 5.0, middle + 0.5);
    }
}
