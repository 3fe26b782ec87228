//! The session's time, and when views are drawn: in which frame, and how often slow work is repeated.

use super::frames::Frames;
use crate::ui::wall_clock;
use halfopen_model::session::beat::{Beat, Frame};
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::time::Duration;

pub(crate) use halfopen_model::session::beat::Slow;

/// The clock: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// Wall time when live, the end of a file, the demonstration's own time.
    pub(crate) now: RwSignal<Moment>,
    pub(crate) frames: Frames,
    slow: [RwSignal<u64>; Slow::ALL.len()],
    beat: StoredValue<Beat>,
    /// Whether time advances in every frame.
    smooth: StoredValue<bool>,
}

impl Clock {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            now: RwSignal::new(now),
            frames: Frames::new(),
            slow: Slow::ALL.map(|_| RwSignal::new(0)),
            beat: StoredValue::new(Beat::new(now)),
            smooth: StoredValue::new(false),
        }
    }

    /// Starts the clock: `frame` runs at the beginning of each frame and returns whether another frame must follow.
    pub(super) fn start(self, frame: impl Fn() -> bool + 'static) {
        self.frames.begin_with(frame);
        let wake = move || {
            if !self.beat.with_value(|beat| beat.is_due(wall_clock::now())) {
                return;
            }
            if document().hidden() {
                self.frames.apply();
            } else {
                self.frames.request();
            }
        };
        set_interval(wake, Duration::from_micros(62_500));
    }

    /// Tracks a kind of slow work, and returns how often it has been due.
    pub(crate) fn slow(self, kind: Slow) -> u64 {
        self.due(kind).get()
    }

    fn due(self, kind: Slow) -> RwSignal<u64> {
        let [lists, rows, overview, sums] = self.slow;
        match kind {
            Slow::Lists => lists,
            Slow::Rows => rows,
            Slow::Overview => overview,
            Slow::Sums => sums,
        }
    }

    /// Runs the slow work that is due in a frame. Returns whether the first kind was due.
    pub(super) fn turn(self, frame: Frame) -> bool {
        let turn = self.beat.try_update_value(|beat| beat.turn(wall_clock::now(), frame)).unwrap_or_default();
        turn.iter().for_each(|&kind| self.due(kind).update(|due| *due += 1));
        turn.contains(&Slow::Lists)
    }

    /// Records that a source writes to the log: the clock's own frames show it.
    pub(super) fn change(self) {
        self.beat.update_value(|beat| beat.change(wall_clock::now()));
    }

    /// Runs all slow work now, because no event will arrive for a while.
    pub(super) fn settle(self) {
        for due in self.slow {
            due.update(|due| *due += 1);
        }
    }

    /// Decides whether time advances in every frame: only while something in flight is visible, and only if the user has
    /// not asked for less motion.
    pub(super) fn is_smooth(self, watched: bool) -> bool {
        let smooth = watched && (self.smooth.get_value() || !reduced_motion());
        self.smooth.set_value(smooth);
        smooth
    }
}

/// Whether the user asked for less motion.
fn reduced_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|query| query.matches())
}
