//! The visible part of the time axis, as a signal around `halfopen_model::layout::range`.

use super::store::Log;
use halfopen_model::layout::Viewport;
use halfopen_model::layout::range::Range;
use halfopen_store::numbers::CallNumber;
use halfopen_store::time::Moment;
use leptos::prelude::*;

/// The visible range: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct TimeRange(RwSignal<Range>);

impl TimeRange {
    pub(super) fn new(now: Moment) -> Self {
        Self(RwSignal::new(Range::beginning(now)))
    }

    /// The range. An effect that reads it runs again when it changes.
    pub(crate) fn get(self) -> Range {
        self.0.get()
    }

    /// The range, read without subscribing.
    pub(crate) fn peek(self) -> Range {
        self.0.get_untracked()
    }

    /// Starts over with another log.
    pub(super) fn restart(self, now: Moment) {
        self.0.set(Range::beginning(now));
    }

    /// The viewport for that number of pixels.
    pub(crate) fn viewport(self, log: &Log, now: Moment, width: f64) -> Viewport {
        self.get().viewport(log, now, width)
    }

    /// Shows a part of the axis and stops following.
    pub(super) fn show(self, viewport: &Viewport, log: &Log, now: Moment) {
        self.0.set(Range::placed(viewport, log, now));
    }

    /// Shows the whole log.
    pub(crate) fn fit(self, log: &Log, now: Moment) {
        if let Some(whole) = Range::whole(log, now) {
            self.0.set(whole);
        }
    }

    /// Follows new events, with as much of the log as is readable, unless the user has moved the range.
    pub(super) fn follow_all(self, log: &Log) {
        self.0.update(|range| *range = range.with_all_that_reads_well(log));
    }

    /// Follows new events.
    pub(crate) fn follow(self) {
        self.0.update(|range| *range = range.followed());
    }

    /// Moves the range if the call is not visible.
    pub(super) fn bring_into_sight(self, log: &Log, call: CallNumber, now: Moment) {
        if let Some(range) = self.peek().that_shows(log, call, now) {
            self.0.set(range);
        }
    }
}
