//! When slow work is due: work that is too much for every frame runs four times a second, each kind in frames of its own.
//!
//! At most one kind is due in a frame with other work; in an idle frame, all kinds are. If time does not advance, as in a
//! file or a pause, nothing changes by itself, so slow work stops a while after the last change.

use halfopen_store::time::Moment;

/// Work that is too much for every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// The list of a view.
    Lists,
    /// The rows of the timeline.
    Rows,
    /// The strip of the whole log.
    Overview,
    /// Sums and counts in the bars around the view.
    Sums,
}

impl Slow {
    pub const ALL: [Self; 4] = [Self::Lists, Self::Rows, Self::Overview, Self::Sums];
}

/// From one kind of slow work to the next, in milliseconds.
const TURN: f64 = 62.5;
/// How long slow work continues after the last change if time does not advance, in milliseconds: the checks of the log
/// look for changes every four seconds.
const REST: f64 = 5_000.0;

/// The other work of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// Lines arrived since the last frame.
    pub received: bool,
    /// Views have something new to show.
    pub changed: bool,
    /// The frame has no other work.
    pub calm: bool,
    /// Time advances, and views depend on it.
    pub goes_on: bool,
}

/// The kind of the next turn, and the time of the last one.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    next: usize,
    last: Moment,
    calm: bool,
    goes_on: bool,
    changed: Moment,
}

impl Beat {
    pub fn new(now: Moment) -> Self {
        Self { next: 0, last: now, calm: false, goes_on: true, changed: now }
    }

    /// From the last turn to the next one, in milliseconds.
    fn pause(&self) -> f64 {
        if self.calm { TURN * 4.0 } else { TURN }
    }

    /// Whether the next turn is due. A clock that is set back does not stop the turns.
    pub fn is_due(&self, now: Moment) -> bool {
        let rests = !self.goes_on && now - self.changed > REST;
        !rests && !(0.0..self.pause()).contains(&(now - self.last))
    }

    /// Records a change that no frame reported: a source writes to the log.
    pub fn change(&mut self, now: Moment) {
        self.changed = now;
    }

    /// The kinds of work that are due in a frame. Receiving lines is work too, so slow work waits for a frame without new
    /// lines, but not for long.
    pub fn turn(&mut self, now: Moment, frame: Frame) -> &'static [Slow] {
        let Frame { received, changed, calm, goes_on } = frame;
        (self.calm, self.goes_on) = (calm, goes_on);
        if changed {
            self.changed = now;
        }
        let is_late = now - self.last >= 2.0 * self.pause();
        if !self.is_due(now) || received && !is_late {
            return &[];
        }
        // Turns keep their rhythm, unless they are late.
        self.last = if is_late { now } else { self.last + self.pause() };
        if calm {
            self.next = 0;
            return &Slow::ALL;
        }
        let turn = Slow::ALL.get(self.next..=self.next).unwrap_or_default();
        self.next = (self.next + 1) % Slow::ALL.len();
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds from one frame to the next.
    const FRAME: f64 = 16.0;

    /// How often each kind was due in so many milliseconds of such frames.
    fn due(beat: &mut Beat, from: f64, ms: f64, frame: Frame) -> [usize; 4] {
        let mut due = [0; 4];
        let mut at = from;
        while at < from + ms {
            for kind in beat.turn(Moment::from_ms(at), frame) {
                due[Slow::ALL.iter().position(|one| one == kind).unwrap()] += 1;
            }
            at += FRAME;
        }
        due
    }

    #[test]
    fn each_kind_is_due_four_times_a_second_and_one_in_a_frame() {
        let mut beat = Beat::new(Moment::from_ms(0.0));
        let busy = Frame { changed: true, goes_on: true, ..Frame::default() };
        let mut at = 0.0;
        let mut most = 0;
        let mut counts = [0; 4];
        while at < 10_000.0 {
            let kinds = beat.turn(Moment::from_ms(at), busy);
            most = most.max(kinds.len());
            kinds.iter().for_each(|kind| counts[Slow::ALL.iter().position(|one| one == kind).unwrap()] += 1);
            at += FRAME;
        }
        assert_eq!(most, 1);
        assert!(counts.iter().all(|count| (38..=41).contains(count)), "{counts:?}");
    }

    #[test]
    fn while_time_goes_on_all_kinds_are_due_in_one_calm_frame_four_times_a_second() {
        let mut beat = Beat::new(Moment::from_ms(0.0));
        let calm = Frame { calm: true, goes_on: true, ..Frame::default() };
        let counts = due(&mut beat, 0.0, 60_000.0, calm);
        assert!(counts.iter().all(|count| (230..=241).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_log_that_does_not_change_any_more_makes_no_work() {
        let mut beat = Beat::new(Moment::from_ms(0.0));
        let read = Frame { changed: true, ..Frame::default() };
        due(&mut beat, 0.0, 1_000.0, read);
        let finished = Frame { calm: true, ..Frame::default() };
        let settles = due(&mut beat, 1_000.0, 10_000.0, finished);
        assert!(settles.iter().all(|count| (10..=21).contains(count)), "{settles:?}");
        assert_eq!(due(&mut beat, 11_000.0, 600_000.0, finished), [0; 4]);
        assert!(!beat.is_due(Moment::from_ms(700_000.0)));
        // A change then starts it again, also without a frame.
        beat.change(Moment::from_ms(700_000.0));
        assert!(beat.is_due(Moment::from_ms(700_000.0)));
        assert_ne!(due(&mut beat, 700_000.0, 1_000.0, finished), [0; 4]);
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_stop_it() {
        let mut beat = Beat::new(Moment::from_ms(100_000.0));
        let busy = Frame { changed: true, goes_on: true, ..Frame::default() };
        assert!(due(&mut beat, 0.0, 1_000.0, busy).iter().sum::<usize>() > 10);
    }

    #[test]
    fn frames_that_received_lines_wait_but_not_for_long() {
        let mut beat = Beat::new(Moment::from_ms(0.0));
        let busy = Frame { received: true, changed: true, goes_on: true, calm: false };
        assert_eq!(beat.turn(Moment::from_ms(70.0), busy), []);
        assert_eq!(beat.turn(Moment::from_ms(130.0), busy), [Slow::Lists]);
    }
}
