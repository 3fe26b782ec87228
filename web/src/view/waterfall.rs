//! What is drawn beside the rows: the ruler, folded idle time, and each call's attempts and waits as bars.

use crate::session::store::Log;
use crate::ui::canvas;
use crate::ui::theme::Palette;
use halfopen_model::format::span;
use halfopen_model::layout::axis::Tick;
use halfopen_model::layout::sight::{ROW, Sight, top};
use halfopen_model::layout::timeline::pieces;
use halfopen_model::layout::{Viewport, axis};
use halfopen_store::numbers::CallNumber;
use halfopen_store::time::{Moment, Place};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// What one frame is drawn from.
pub(super) struct Picture<'a> {
    pub(super) log: &'a Log,
    pub(super) palette: &'a Palette,
    pub(super) viewport: Viewport,
    pub(super) now: Moment,
    /// Now, as a place on the axis.
    pub(super) now_at: Place,
    /// Time goes on.
    pub(super) live: bool,
}

impl Picture<'_> {
    /// The ticks that the ruler and the grid share.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let origin = self.log.bounds().map_or(self.now, |bounds| bounds.0);
        axis::ticks(&self.viewport, &self.log.folds, origin)
    }

    /// Draws the ruler above the bars.
    pub(super) fn ruler(&self, canvas: &HtmlCanvasElement, size: (f64, f64), ticks: &[Tick]) {
        if let Some((context, _, height)) = canvas::begin(canvas, size) {
            canvas::axis(&context, ticks, height, self.palette);
        }
    }

    /// Draws the bars of the rows in sight, which are scrolled by `scroll` pixels.
    pub(super) fn bars(
        &self,
        canvas: &HtmlCanvasElement,
        size: (f64, f64),
        ticks: &[Tick],
        sight: &Sight,
        scroll: f64,
        selected: Option<CallNumber>,
    ) {
        let Some((context, width, height)) = canvas::begin(canvas, size) else { return };
        canvas::grid(&context, ticks, height, self.palette);
        self.folds(&context, height);
        for (row, number) in sight.rows() {
            let y = top(row) - scroll;
            if selected == Some(number) {
                canvas::fill(&context, self.palette.get("--select"));
                context.fill_rect(0.0, y, width, ROW);
            }
            let Some(call) = self.log.call(number) else { continue };
            let all = pieces(self.log, call, &self.viewport, self.now);
            if all.is_empty() {
                let later = self.log.folds.place(call.started) > self.viewport.to;
                canvas::elsewhere(&context, later, width, y + ROW / 2.0, self.palette);
            }
            for piece in all {
                canvas::piece(&context, &piece, y, ROW, self.palette);
            }
        }
        if self.live {
            canvas::fill(&context, self.palette.get("--accent"));
            context.fill_rect(self.viewport.x(self.now_at).round(), 0.0, 1.0, height);
        }
    }

    fn folds(&self, context: &CanvasRenderingContext2d, height: f64) {
        let (folds, viewport) = (&self.log.folds, &self.viewport);
        let (from, to) = (folds.moment(viewport.from), folds.moment(viewport.to));
        for fold in folds.within(from, to).take(500) {
            let (start, end) = (viewport.x(folds.place(fold.from)), viewport.x(folds.place(fold.to)));
            canvas::fill(context, self.palette.get("--sunken"));
            context.fill_rect(start, 0.0, end - start, height);
            canvas::hatch(context, start, 0.0, (end - start).max(1.0), height, self.palette.get("--line"));
            let text = format!("{} idle", span(fold.to - fold.from));
            #[expect(clippy::cast_precision_loss, reason = "a short text")]
            let fits = end - start > text.len() as f64 * 6.6;
            if fits {
                canvas::fill(context, self.palette.get("--dim"));
                context.set_text_baseline("middle");
                let _ = context.fill_text(&text, start + 6.0, height - 12.0);
            }
        }
    }
}
