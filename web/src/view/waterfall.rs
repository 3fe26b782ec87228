//! What is drawn beside the rows: the ruler, folded idle time, and each call's attempts and waits as bars.

use crate::session::store::Log;
use crate::ui::canvas;
use crate::ui::theme::Palette;
use crate::ui::wall_clock;
use halfopen_model::format::span;
use halfopen_model::layout::axis::Tick;
use halfopen_model::layout::sight::{ROW, Sight, top};
use halfopen_model::layout::timeline::pieces;
use halfopen_model::layout::{Viewport, axis};
use halfopen_model::view::swimlanes::{Bucket, KINDS, SWIMLANE, Swimlanes};
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
    /// The axis has the time of day, in place of the time since the log began.
    pub(super) by_clock: bool,
}

impl Picture<'_> {
    /// The ticks that the ruler and the grid share.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let origin = self.log.bounds().map_or(self.now, |bounds| bounds.0);
        if self.by_clock {
            let clock = axis::Clock { ahead_ms: wall_clock::ahead_ms(origin), date: &wall_clock::day };
            return clock.ticks(&self.viewport, &self.log.folds, origin);
        }
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
        self.present(&context, height);
    }

    /// Draws the buckets of the swimlanes in sight, which are scrolled by `scroll` pixels.
    pub(super) fn swimlanes(
        &self,
        canvas: &HtmlCanvasElement,
        size: (f64, f64),
        ticks: &[Tick],
        swimlanes: &Swimlanes,
        scroll: f64,
    ) {
        let Some((context, width, height)) = canvas::begin(canvas, size) else { return };
        canvas::grid(&context, ticks, height, self.palette);
        self.folds(&context, height);
        for (at, swimlane) in swimlanes.swimlanes.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a hundred swimlanes")]
            let bottom = (at + 1) as f64 * SWIMLANE - scroll;
            if bottom < 0.0 || bottom - SWIMLANE > height {
                continue;
            }
            canvas::fill(&context, self.palette.get("--line"));
            context.fill_rect(0.0, bottom - 1.0, width, 1.0);
            // One colour after the other: to change it costs more than to fill a bar.
            for (kind, colour) in SWIMLANE_COLOURS.iter().enumerate() {
                canvas::fill(&context, self.palette.get(colour));
                // Most calls are answered: errors must be seen among them.
                context.set_global_alpha(if *colour == "--ok" { 0.6 } else { 1.0 });
                for (left, right, share, bucket) in swimlanes.bars(swimlane, &self.viewport) {
                    swimlane_bar(
                        &context,
                        (left, right),
                        bottom - 1.0,
                        share * (SWIMLANE - 8.0),
                        bucket,
                        kind,
                    );
                }
            }
        }
        context.set_global_alpha(1.0);
        self.present(&context, height);
    }

    /// Draws the line of the present.
    fn present(&self, context: &CanvasRenderingContext2d, height: f64) {
        if self.live {
            canvas::fill(context, self.palette.get("--accent"));
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

/// The colours of a bucket's kinds of calls, from the bottom: failed, refused, fallback, cancelled, answered, going on.
const SWIMLANE_COLOURS: [&str; KINDS] = ["--fail", "--wait", "--fallback", "--queue", "--ok", "--accent"];

/// Draws the part of a bucket's bar that is of one kind of calls. Errors are seen, however few of many they are.
fn swimlane_bar(
    context: &CanvasRenderingContext2d,
    (left, right): (f64, f64),
    bottom: f64,
    tall: f64,
    bucket: &Bucket,
    kind: usize,
) {
    let all: u32 = bucket.iter().sum();
    let [below, upto] = [kind, kind + 1].map(|kinds| bucket.iter().take(kinds).sum::<u32>());
    if below == upto {
        return;
    }
    let height = |calls: u32| {
        let least = if calls > 0 && bucket.iter().take(2).any(|&errors| errors > 0) { 2.0 } else { 0.0 };
        (f64::from(calls) / f64::from(all) * tall.max(2.0)).max(least)
    };
    let (from, to) = (height(below), height(upto));
    context.fill_rect(left, bottom - to, (right - left - 1.0).max(1.0), (to - from).max(1.0));
}
