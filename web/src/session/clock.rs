//! The session's time, and when views are drawn: in which frame, and how often what is much work is done again.

use super::frames::Frames;
use crate::ui::wall_clock;
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::time::Duration;

/// What is too much work for every frame. It is done four times a second, each kind in frames of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slow {
    /// What a view lists.
    Lists,
    /// What the timeline's rows show.
    Rows,
    /// The strip about the whole log.
    Overview,
    /// Sums and counts in the bars around the view.
    Sums,
}

impl Slow {
    const ALL: [Self; 4] = [Self::Lists, Self::Rows, Self::Overview, Self::Sums];
}

/// From one kind of slow work to the next, in milliseconds.
const TURN: f64 = 62.5;

/// The clock: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// Wall time when live, the end of a file, the demonstration's own time.
    pub(crate) now: RwSignal<Moment>,
    pub(crate) frames: Frames,
    slow: [RwSignal<u64>; Slow::ALL.len()],
    turn: StoredValue<Turn>,
    /// Whether time goes on in every frame.
    smooth: StoredValue<bool>,
}

/// Whose turn comes next, and when the last one was.
#[derive(Clone, Copy)]
struct Turn {
    next: usize,
    last: Moment,
    /// Whether nothing else was done in the last frame: then all kinds come in one.
    calm: bool,
}

impl Turn {
    /// From the last turn to the next one, in milliseconds.
    fn pause(&self) -> f64 {
        if self.calm { TURN * 4.0 } else { TURN }
    }

    /// Whether it is time for the next one. A clock that was set back does not stop it.
    fn is_over(&self, now: Moment) -> bool {
        !(0.0..self.pause()).contains(&(now - self.last))
    }
}

impl Clock {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            now: RwSignal::new(now),
            frames: Frames::new(),
            slow: Slow::ALL.map(|_| RwSignal::new(0)),
            turn: StoredValue::new(Turn { next: 0, last: now, calm: false }),
            smooth: StoredValue::new(false),
        }
    }

    /// Begins: `frame` runs at the beginning of each frame and returns whether another one is to follow.
    pub(super) fn start(self, frame: impl Fn() -> bool + 'static) {
        self.frames.begin_with(frame);
        let wake = move || {
            if !self.turn.get_value().is_over(wall_clock::now()) {
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

    /// Lets the slow work be done whose turn it is, if it is time; at most one kind in a frame. While `calm`, when nothing
    /// else is done in the frame, all kinds in one. Where lines were `received`, which is work too, it waits for a frame
    /// without, but not for long. Returns whether it was time for the first kind.
    pub(super) fn turn(self, calm: bool, received: bool) -> bool {
        let now = wall_clock::now();
        let turn = Turn { calm, ..self.turn.get_value() };
        self.turn.set_value(turn);
        let is_late = now - turn.last >= 2.0 * turn.pause();
        if !turn.is_over(now) || received && !is_late {
            return false;
        }
        // It keeps its beat unless it has lost it.
        let last = if is_late { now } else { turn.last + turn.pause() };
        let kind = Slow::ALL.get(turn.next).copied().filter(|_| !calm);
        let next = if calm { 0 } else { (turn.next + 1) % Slow::ALL.len() };
        self.turn.set_value(Turn { next, last, calm });
        match kind {
            Some(kind) => self.due(kind).update(|due| *due += 1),
            None => self.settle(),
        }
        calm || kind == Some(Slow::Lists)
    }

    /// Lets all slow work be done now: nothing more will come for a while.
    pub(super) fn settle(self) {
        for due in self.slow {
            due.update(|due| *due += 1);
        }
    }

    /// Decides whether time goes on in every frame: while somebody watches something go on, who has not asked for less
    /// motion.
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
