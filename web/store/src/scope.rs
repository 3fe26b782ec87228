//! The scope of the views: the calls that pass the filter and touch the time that the user selected.
//!
//! A scope that narrows nothing has no list of its calls: the views then read the log's own sums, which each event updates.
//! For a narrower scope the same code adds up its calls.

use crate::call::{Call, Outcome};
use crate::group::Groups;
use crate::numbers::CallNumber;
use crate::store::Log;
use crate::time::Moment;
use std::sync::Arc;

/// A part of time that the user has selected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub from: Moment,
    pub to: Moment,
}

impl Span {
    /// Returns `true` if the call was open during it. A call that has not ended is open until `now`.
    pub fn touches(self, call: &Call, now: Moment) -> bool {
        call.started <= self.to && call.end_or(now) >= self.from
    }

    pub fn contains(self, at: Moment) -> bool {
        (self.from..=self.to).contains(&at)
    }
}

/// The calls of a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Calls {
    /// All calls of the log.
    #[default]
    All,
    /// These, oldest first.
    Only(Arc<Vec<CallNumber>>),
}

impl Calls {
    /// The calls of these that touch a part of time.
    pub fn within(&self, log: &Log, span: Option<Span>, now: Moment) -> Self {
        let Some(span) = span else { return self.clone() };
        let touching = |(number, call): (CallNumber, &Call)| span.touches(call, now).then_some(number);
        Self::Only(Arc::new(match self {
            Self::All => log.calls_within(span.from, span.to).filter_map(touching).collect(),
            Self::Only(_) => self.iter(log).filter_map(touching).collect(),
        }))
    }

    pub fn len(&self, log: &Log) -> usize {
        match self {
            Self::All => log.calls_kept(),
            Self::Only(numbers) => numbers.len(),
        }
    }

    /// Returns `true` if a call is one of them.
    pub fn contains(&self, number: CallNumber) -> bool {
        match self {
            Self::All => true,
            Self::Only(numbers) => numbers.binary_search(&number).is_ok(),
        }
    }

    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// The calls with their numbers, oldest first.
    pub fn iter<'a>(&'a self, log: &'a Log) -> impl Iterator<Item = (CallNumber, &'a Call)> {
        let (all, only) = match self {
            Self::All => (Some(log.calls()), None),
            Self::Only(numbers) => (None, Some(numbers.iter())),
        };
        let only = only.into_iter().flatten().filter_map(|&number| Some((number, log.call(number)?)));
        all.into_iter().flatten().chain(only)
    }

    /// Reads the failures of these calls, in groups.
    pub fn with_groups<T>(&self, log: &Log, read: impl FnOnce(&Groups) -> T) -> T {
        if self.is_all() { read(&log.groups) } else { read(&self.groups(log)) }
    }

    fn groups(&self, log: &Log) -> Groups {
        let mut groups = Groups::default();
        for (number, call) in self.iter(log) {
            for attempt in call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed) {
                let (Some(at), Some(event)) = (attempt.ended, attempt.ended_by) else { continue };
                let [rule, code] = [attempt.rule, attempt.code].map(|name| log.names.text(name));
                if !log.is_passed_on(number, rule, code) {
                    let key = (attempt.code, attempt.rule);
                    groups.add(key, call.source, at, log.folds.place(at), number, event);
                }
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Stage;
    use proptest::prelude::*;

    /// Calls of 10 ms each, 100 ms apart; every third one fails.
    fn stage(calls: usize) -> Stage {
        let mut stage = Stage::new();
        for call in 0..calls {
            let id = format!("c{call}");
            stage.call("s", &id, "").pass(5.0);
            if call % 3 == 0 {
                let failed =
                    r#""attempts":1,"durationMs":5,"code":"TIMEOUT","why":"exhausted","userMessage":"""#;
                stage.fail("s", &id, 1).event("s", "call.failed", &format!(r#""call":"{id}",{failed}"#));
            } else {
                stage.succeed("s", &id);
            }
            stage.pass(95.0);
        }
        stage
    }

    fn sizes(groups: &Groups) -> Vec<(u64, usize, Moment)> {
        groups.iter().map(|group| (group.count, group.samples.len(), group.last)).collect()
    }

    #[test]
    fn the_groups_of_all_calls_are_those_that_the_log_keeps() {
        let stage = stage(20);
        let log = &stage.log;
        let every = Calls::Only(Arc::new(log.calls().map(|(number, _)| number).collect()));
        let kept = Calls::All.with_groups(log, sizes);
        assert_eq!((kept[0].0, &every.with_groups(log, sizes)), (7, &kept));
        assert_eq!((every.len(log), Calls::All.len(log), every.is_all()), (20, 20, false));
        let some = Calls::Only(Arc::new(vec![CallNumber(3), CallNumber(7)]));
        let contained = |calls: &Calls| log.calls().filter(|one| calls.contains(one.0)).count();
        assert_eq!([contained(&some), contained(&Calls::All)], [2, 20]);
    }

    #[test]
    fn without_a_selected_time_the_calls_stay_as_they_are() {
        let stage = stage(3);
        assert!(Calls::All.within(&stage.log, None, stage.time).is_all());
    }

    proptest! {
        #[test]
        fn a_part_of_time_keeps_each_call_that_touches_it_and_no_other(
            from in -500.0..2_500.0_f64, length in 0.0..2_500.0_f64
        ) {
            let stage = stage(20);
            let log = &stage.log;
            let begins = log.bounds().unwrap().0;
            let span = Span { from: begins + from, to: begins + from + length };
            let every = Calls::Only(Arc::new(log.calls().map(|(number, _)| number).collect()));
            let of_all = Calls::All.within(log, Some(span), stage.time);
            prop_assert_eq!(&of_all, &every.within(log, Some(span), stage.time));
            let expected = log.calls().filter(|(_, call)| {
                call.started <= span.to && call.ended.unwrap() >= span.from
            });
            prop_assert_eq!(of_all.len(log), expected.count());
        }
    }
}
