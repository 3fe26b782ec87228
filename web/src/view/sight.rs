//! Which rows of the timeline are in sight: by scrolling, by following the newest, by the keys that select.

use crate::session::Session;
use crate::session::query::Group;
use crate::session::store::Log;
use crate::session::time_range::TimeRange;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;
use std::sync::Arc;

/// Height of a row, in pixels; the style sheet has the same.
pub(super) const ROW: f64 = 28.0;
/// Chromium's tallest element, less a little.
const TALLEST: f64 = 33_000_000.0;

/// The rows that are in sight, of all those that there are.
#[derive(Clone, Default)]
pub(super) struct Frame {
    pub(super) rows: Arc<Vec<CallNumber>>,
    pub(super) first: usize,
    pub(super) shown: usize,
    pub(super) group: Option<Group>,
}

impl Frame {
    /// The group that begins with a row, by the row's place.
    pub(super) fn heading(&self, log: &Log, place: usize) -> Option<String> {
        let group = self.group?;
        let of = |place: usize| {
            let call = log.call(*self.rows.get(place)?)?;
            Some(group.of(log, call))
        };
        let name = of(place)?;
        if place.checked_sub(1).and_then(of) == Some(name) {
            return None;
        }
        let text = log.names.text(name);
        Some(if text.is_empty() {
            format!("no {}", group.word())
        } else {
            format!("{} {text}", group.word())
        })
    }

    /// What is in sight: each row's place and its call.
    pub(super) fn in_sight(&self) -> impl Iterator<Item = (usize, CallNumber)> {
        self.rows.iter().copied().enumerate().skip(self.first).take(self.shown)
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.first == other.first
            && self.shown == other.shown
            && self.group == other.group
            && self.rows == other.rows
    }
}

/// Height of so many rows, in pixels.
#[expect(clippy::cast_precision_loss, reason = "a count of rows")]
pub(super) fn tall(rows: usize) -> f64 {
    (rows as f64 * ROW).min(TALLEST)
}

/// First row and number of rows that are in sight.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page, not negative")]
pub(super) fn visible(scroll: f64, height: f64, rows: usize) -> (usize, usize) {
    let first = ((scroll / ROW).floor().max(0.0) as usize).min(rows);
    let shown = (height / ROW).ceil().max(0.0) as usize + 1;
    (first, shown.min(rows - first))
}

/// Keeps the newest rows in sight while following, unless the user scrolled up. Returns what scrolls down where that is
/// due: for the end of a frame, when the rows are there.
pub(super) fn follow_the_end(
    range: TimeRange,
    body: NodeRef<leptos::html::Div>,
    count: Memo<usize>,
    stuck: RwSignal<bool>,
    scroll: RwSignal<f64>,
) -> impl Fn() + Copy {
    let due = StoredValue::new(false);
    Effect::new(move |_| {
        let rows = count.get();
        due.set_value(range.get().follow && rows > 0 && stuck.get_untracked());
    });
    move || {
        if let Some(body) = body.get_untracked().filter(|_| due.get_value()) {
            due.set_value(false);
            #[expect(clippy::cast_possible_truncation, reason = "at most TALLEST")]
            body.set_scroll_top(tall(count.get_untracked()) as i32);
            scroll.set(f64::from(body.scroll_top()));
        }
    }
}

/// Moves the selection by the steps that keys ask for.
pub(super) fn step_through(session: Session, body: NodeRef<leptos::html::Div>, frame: Memo<Frame>) {
    Effect::new(move |_| {
        let step = session.navigation.step.get();
        if step == 0 {
            return;
        }
        session.navigation.step.set(0);
        let frame = frame.get_untracked();
        let at = session
            .navigation
            .selected
            .get_untracked()
            .and_then(|number| frame.rows.iter().position(|&row| row == number));
        let next = match at {
            Some(at) if step > 0 => (at + 1).min(frame.rows.len().saturating_sub(1)),
            Some(at) => at.saturating_sub(1),
            None => frame.first,
        };
        if let Some(&number) = frame.rows.get(next) {
            session.navigation.selected.set(Some(number));
            if let Some(body) = body.get_untracked() {
                #[expect(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    reason = "pixels of a page"
                )]
                let (top, row) = ((next as f64 * ROW) as i32, ROW as i32);
                if top < body.scroll_top() {
                    body.set_scroll_top(top);
                } else if top + row > body.scroll_top() + body.client_height() {
                    body.set_scroll_top(top + row - body.client_height());
                }
            }
        }
    });
}
