//! When the checks of the log run: repeatedly while it grows, but not after every event.
//!
//! A pass over a log of a million events takes seconds, so it runs in steps ([`Checking::step`]). The first pass begins at
//! the first turn. Later ones begin at most every second while the findings are visible, and every fourth second while only
//! their number is. Without new events no pass begins, because the findings would be the same.

use crate::check::{Finding, Pass};
use halfopen_store::store::Log;

/// Turns of slow work between two passes, at four turns a second: while the findings are visible, and while they are not.
const TURNS_SHOWN: u64 = 4;
const TURNS_HIDDEN: u64 = 16;

/// The circumstances of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The number of the log ([`super::live_log::LiveLog::generation`]): another log has findings of its own.
    pub generation: u32,
    /// The number of the turn.
    pub tick: u64,
    /// The findings are visible.
    pub shown: bool,
    /// A file is being read, so a pass would have to begin again at its end.
    pub reading: bool,
}

/// The result of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The present findings belong to a log that is gone.
    pub forget: bool,
    /// A pass has begun: call [`Checking::step`] until it returns findings.
    pub begins: bool,
}

/// The running pass, or the wait for the next one.
#[derive(Default)]
pub struct Checking {
    pass: Option<Pass>,
    generation: u32,
    /// The number of events when the last pass began, and its turn; `None` before the first.
    last: Option<(u64, u64)>,
}

impl Checking {
    /// Takes a turn of slow work.
    pub fn turn(&mut self, log: &Log, turn: Turn) -> Due {
        let forget = self.generation != turn.generation;
        if forget {
            // A running pass begins again, with the other log.
            let pass = self.pass.as_ref().map(|_| Pass::begin(log));
            *self = Self { pass, generation: turn.generation, last: None };
        }
        let pause = if turn.shown { TURNS_SHOWN } else { TURNS_HIDDEN };
        let events = log.totals.events;
        let due = self.last.is_none_or(|(then, began)| events != then && turn.tick >= began + pause);
        let begins = due && self.pass.is_none() && !turn.reading;
        if begins {
            (self.pass, self.last) = (Some(Pass::begin(log)), Some((events, turn.tick)));
        }
        Due { forget, begins }
    }

    /// Checks up to `calls` more calls. Returns the findings after the last call; `None` before that, and without a pass.
    pub fn step(&mut self, log: &Log, calls: u32) -> Option<Vec<Finding>> {
        let more = self.pass.as_mut().is_some_and(|pass| pass.step(log, calls));
        if more { None } else { self.pass.take().map(|pass| pass.findings(log)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    const BEGINS: Due = Due { forget: false, begins: true };
    const NOTHING: Due = Due { forget: false, begins: false };

    fn at(tick: u64) -> Turn {
        Turn { generation: 0, tick, shown: false, reading: false }
    }

    /// A log with that number of failed calls.
    fn log(calls: usize) -> Log {
        let mut stage = Stage::new();
        for _ in 0..calls {
            let call = stage.call("chat");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
        }
        stage.log()
    }

    /// Checks that have passed over a log of two calls, at turn 0.
    fn looked() -> Checking {
        let mut checking = Checking::default();
        assert_eq!(checking.turn(&log(2), at(0)), BEGINS);
        assert!(checking.step(&log(2), u32::MAX).is_some());
        checking
    }

    #[test]
    fn a_look_takes_as_many_steps_as_it_needs_and_gives_its_findings_once() {
        let (mut checking, log) = (Checking::default(), log(5));
        checking.turn(&log, at(0));
        assert_eq!([(); 2].map(|()| checking.step(&log, 2)), [None, None]);
        assert_eq!(checking.step(&log, 2), Some(crate::check::find(&log)));
        assert_eq!(checking.step(&log, 2), None, "no look goes on");
    }

    #[test]
    fn the_next_look_waits_for_events_and_longer_where_nobody_reads_the_findings() {
        let grown = log(3);
        for (shown, due) in [(true, 4), (false, 16)] {
            let mut checking = looked();
            assert_eq!(checking.turn(&log(2), Turn { shown, ..at(99) }), NOTHING, "no new events");
            assert_eq!(checking.turn(&grown, Turn { shown, ..at(due - 1) }), NOTHING);
            assert_eq!(checking.turn(&grown, Turn { shown, ..at(due) }), BEGINS);
            assert_eq!(checking.turn(&log(4), Turn { shown, ..at(99) }), NOTHING, "a look goes on");
        }
    }

    #[test]
    fn no_look_begins_while_a_file_is_read() {
        let mut checking = Checking::default();
        assert_eq!(checking.turn(&log(1), Turn { reading: true, ..at(0) }), NOTHING);
        assert_eq!(checking.turn(&log(2), at(1)), BEGINS);
    }

    #[test]
    fn another_log_has_its_findings_at_once_and_a_look_at_the_old_one_begins_again() {
        let other = Turn { generation: 1, ..at(1) };
        assert_eq!(looked().turn(&log(2), other), Due { forget: true, begins: true });

        let (mut checking, old, new) = (Checking::default(), log(5), log(1));
        checking.turn(&old, at(0));
        checking.step(&old, 2);
        assert_eq!(checking.turn(&new, other), Due { forget: true, begins: false }, "it goes on already");
        assert_eq!(checking.step(&new, u32::MAX), Some(crate::check::find(&new)));
    }
}
