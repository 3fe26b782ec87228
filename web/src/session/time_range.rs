//! The part of the time axis that is in sight: following what comes, or where the person put it.

use super::fold;
use super::live::Session;
use super::store::Log;
use super::view::View;
use crate::layout::Viewport;
use leptos::prelude::*;

/// What a following window shows at first, in milliseconds.
const FIRST_SPAN: f64 = 30_000.0;

/// The part of the time axis that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Whether the end of the window is now.
    pub(crate) follow: bool,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Window {
    /// Of a session that begins now.
    pub(super) fn beginning(now: f64) -> Self {
        Self { follow: true, from: now - FIRST_SPAN, to: now }
    }

    pub(crate) fn span(&self) -> f64 {
        (self.to - self.from).max(1.0)
    }

    /// What it shows while it follows a log that begins and goes on until these places. A log that is younger than the
    /// window fills it; one of a moment begins at its left, with room for what comes.
    fn following(&self, begins: f64, now: f64) -> (f64, f64) {
        let span = self.span();
        let to = now + span * 0.04;
        let from = (to - span).max(begins - span * 0.01);
        let least = (span / 6.0).max(5_000.0).min(span);
        (from, to.max(from + least))
    }
}

impl Session {
    /// Now, as a place on the axis: while nothing happens it stands still.
    pub(crate) fn place_of_now(&self, log: &Log, now: f64) -> f64 {
        let Some((_, last)) = log.bounds() else { return now };
        let idle = !log.is_busy() && now - last > fold::IDLE;
        if idle { log.folds.place(last) + fold::WIDTH } else { log.folds.place(now.max(last)) }
    }

    /// The viewport for so many pixels.
    pub(crate) fn viewport(&self, log: &Log, now: f64, width: f64) -> Viewport {
        let window = self.window.get();
        if !window.follow {
            return Viewport { from: window.from, to: window.to, width };
        }
        let begins = log.bounds().map_or(f64::NEG_INFINITY, |bounds| log.folds.place(bounds.0));
        let (from, to) = window.following(begins, self.place_of_now(log, now));
        Viewport { from, to, width }
    }

    /// Shows a part of the axis and stops following.
    pub(crate) fn show(&self, viewport: Viewport) {
        self.window.set(Window { follow: false, from: viewport.from, to: viewport.to });
    }

    /// Shows the whole log.
    pub(crate) fn fit(&self) {
        let bounds = self.peek(|log| {
            let (from, to) = log.bounds()?;
            let to = if log.is_busy() { to.max(self.now.get_untracked()) } else { to };
            Some((log.folds.place(from), log.folds.place(to)))
        });
        if let Some((from, to)) = bounds {
            let (from, to) = with_room(from, to);
            self.window.set(Window { follow: false, from, to });
        }
    }

    /// Follows what comes, with as much of what was in sight as reads well.
    pub(crate) fn follow_all(&self) {
        let extent =
            self.peek(|log| log.bounds().map(|(from, to)| log.folds.place(to) - log.folds.place(from)));
        let span = (extent.unwrap_or(0.0) * 1.06).clamp(FIRST_SPAN, 300_000.0);
        self.window.update(|window| {
            if window.follow {
                window.from = window.to - span;
            }
        });
    }

    /// Follows what comes.
    pub(crate) fn follow(&self) {
        self.window.update(|window| {
            let span = window.span().clamp(2_000.0, 600_000.0);
            *window = Window { follow: true, from: window.to - span, to: window.to };
        });
    }

    /// Selects a call and shows it.
    pub(crate) fn show_call(&self, number: u32) {
        self.select_call(number);
        self.navigation.view.set(View::Timeline);
    }

    /// Selects a call and brings it into the timeline's range, whichever view is shown.
    pub(crate) fn select_call(&self, number: u32) {
        self.navigation.selected.set(Some(number));
        let now = self.now.get_untracked();
        let place = self.peek(|log| {
            let call = log.call(number)?;
            Some((log.folds.place(call.started), log.folds.place(call.end_or(now)), call.status.is_open()))
        });
        if let Some((from, to, open)) = place {
            let window = self.window.get_untracked();
            let (left, right) = if window.follow {
                let end = self.peek(|log| self.place_of_now(log, now));
                (end - window.span(), f64::INFINITY)
            } else {
                (window.from, window.to)
            };
            let seen = open && window.follow || from >= left && to <= right;
            if !seen {
                let span = window.span().max((to - from) * 1.3);
                let centre = f64::midpoint(from, to);
                self.window.set(Window { follow: false, from: centre - span / 2.0, to: centre + span / 2.0 });
            }
        }
    }
}

/// A part of the axis with some room on either side.
pub(crate) fn with_room(from: f64, to: f64) -> (f64, f64) {
    let room = ((to - from) * 0.02).max(5.0);
    (from - room, to + room * 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_following_window_never_shows_time_before_the_log() {
        let window = Window { follow: true, from: 0.0, to: 30_000.0 };
        for age in [0.0, 40.0, 600.0, 5_000.0, 12_000.0, 29_000.0, 31_000.0, 3_600_000.0] {
            let (from, to) = window.following(1_000_000.0, 1_000_000.0 + age);
            // But for a hairline, in which the first bar's edge is seen.
            assert!(from >= 1_000_000.0 - 300.0, "{age}: {from}");
            assert!(to > 1_000_000.0 + age && (5_000.0..=30_000.0).contains(&(to - from)), "{age}: {to}");
        }
        assert_eq!(window.following(f64::NEG_INFINITY, 40_000.0), (11_200.0, 41_200.0));
    }
}
