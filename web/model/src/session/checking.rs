//! When the checks of the log run: repeatedly while it grows, but not after every event.
//!
//! A pass over a log of a million events takes seconds, so it runs in steps ([`Checking::step`]). The first pass begins at
//! the first turn. Later ones begin at most every second while the findings are visible, and every fourth second while only
//! their number is. Without new events or another scope no pass begins, because the findings would be the same.

use crate::check::{Finding, Pass};
use halfopen_store::query::Query;
use halfopen_store::scope::Scope;
use halfopen_store::store::Log;

/// Turns of slow work between two passes, at four turns a second: while the findings are visible, and while they are not.
const TURNS_SHOWN: u64 = 4;
const TURNS_HIDDEN: u64 = 16;

/// The circumstances of a turn.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The calls to check. Findings of another filter or time say nothing about these.
    pub scope: Scope,
    /// The filter of the scope.
    pub filter: Query,
    /// The number of the log ([`super::live_log::LiveLog::generation`]): another one has findings of its own.
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
    /// The present findings belong to a log that is gone, or to another scope.
    pub forget: bool,
    /// A pass has begun: call [`Checking::step`] until it returns findings.
    pub begins: bool,
}

/// The running pass, or the wait for the next one.
#[derive(Default)]
pub struct Checking {
    pass: Option<Pass>,
    generation: u32,
    /// The filter and the scope of the last pass.
    filter: Query,
    scope: Scope,
    /// The number of events when the last pass began, and its turn; `None` before the first.
    last: Option<(u64, u64)>,
}

impl Checking {
    /// Takes a turn of slow work.
    pub fn turn(&mut self, log: &Log, turn: Turn) -> Due {
        let events = log.totals.events;
        let forget = (self.generation, &self.filter, self.scope.span)
            != (turn.generation, &turn.filter, turn.scope.span);
        // In a log that grows, the calls of a scope do too. In one that does not, a search has found others.
        let others = || self.last.is_some_and(|last| last.0 == events) && self.scope != turn.scope;
        if forget || others() {
            // A running pass begins again, with the other log or scope.
            let pass = self.pass.as_ref().map(|_| Pass::of(log, turn.scope.clone()));
            let last = pass.as_ref().map(|_| (events, turn.tick));
            let (generation, scope, filter) = (turn.generation, turn.scope.clone(), turn.filter);
            *self = Self { pass, generation, filter, scope, last };
        }
        let pause = if turn.shown { TURNS_SHOWN } else { TURNS_HIDDEN };
        let due = self.last.is_none_or(|(then, began)| events != then && turn.tick >= began + pause);
        let begins = due && self.pass.is_none() && !turn.reading;
        if begins {
            self.pass = Some(Pass::of(log, turn.scope.clone()));
            (self.scope, self.last) = (turn.scope, Some((events, turn.tick)));
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
    use halfopen_store::numbers::CallNumber;
    use halfopen_store::scope::Calls;
    use std::sync::Arc;

    const BEGINS: Due = Due { forget: false, begins: true };
    const NOTHING: Due = Due { forget: false, begins: false };

    fn at(tick: u64) -> Turn {
        Turn {
            scope: Scope::default(),
            filter: Query::default(),
            generation: 0,
            tick,
            shown: false,
            reading: false,
        }
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
        assert_eq!(looked().turn(&log(2), other.clone()), Due { forget: true, begins: true });

        let (mut checking, old, new) = (Checking::default(), log(5), log(1));
        checking.turn(&old, at(0));
        checking.step(&old, 2);
        assert_eq!(checking.turn(&new, other), Due { forget: true, begins: false }, "it goes on already");
        assert_eq!(checking.step(&new, u32::MAX), Some(crate::check::find(&new)));
    }

    #[test]
    fn another_scope_has_its_findings_at_once() {
        let log = log(3);
        let of = |number: u32, filter: &str| {
            let calls = Calls::Only(Arc::new(vec![CallNumber(number)]));
            Turn {
                scope: Scope { calls, span: None, filtered: true },
                filter: Query::parse(filter).unwrap(),
                ..at(1)
            }
        };
        let mut checking = Checking::default();
        checking.turn(&log, at(0));
        checking.step(&log, u32::MAX);
        assert_eq!(checking.turn(&log, of(0, "task:a")), Due { forget: true, begins: true });
        // The search goes on: it finds other calls for the same filter, while the look at the first ones goes on.
        assert_eq!(checking.turn(&log, of(1, "task:a")), NOTHING);
        assert!(checking.step(&log, u32::MAX).is_some());
        assert_eq!(checking.turn(&log, of(1, "task:a")), NOTHING, "it has looked at these");
        assert_eq!(checking.turn(&log, of(2, "task:a")), BEGINS, "not forgotten: the filter is the same");
    }
}
