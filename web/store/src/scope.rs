//! The scope of the views: the calls that pass the filter and touch the time that the user selected.
//!
//! A scope that narrows nothing has no list of its calls: the views then read the log's own sums, which each event updates.
//! For a narrower scope the same code adds up its calls.

use crate::breaker::{Breaker, BreakerId, State};
use crate::call::{Call, MarkKind, Outcome};
use crate::group::{Groups, Key};
use crate::names::Name;
use crate::numbers::{CallNumber, RunNumber};
use crate::order;
use crate::policy::PolicyId;
use crate::run::Run;
use crate::store::Log;
use crate::time::Moment;
use std::collections::BTreeMap;
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

    /// The policies of these calls.
    pub fn policies(&self, log: &Log) -> Policies {
        let mut policies = Policies::default();
        for (_, call) in self.iter(log) {
            let is_refusal = call.marks.iter().any(|mark| mark.kind == MarkKind::Rejected)
                && log.names.text(call.why) == "breaker";
            *policies.0.entry(call.policy_id()).or_default() += u64::from(is_refusal);
        }
        policies
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
                    let key = Key::Failed { code: attempt.code, rule: attempt.rule };
                    groups.add(key, call.policy_id(), at, log.folds.place(at), number, Some(event));
                }
            }
            if let Some((key, at)) = call.refusal() {
                groups.add(key, call.policy_id(), at, log.folds.place(at), number, None);
            }
            if let Some(key) = call.ended_by() {
                groups.end(key, number);
            }
        }
        groups
    }
}

/// The part of a log that the views are about. A breaker, a run or a process is in it by its calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// The calls that pass the filter and touch the selected time.
    pub calls: Calls,
    /// The selected time.
    pub span: Option<Span>,
    /// `true` if a filter narrows it: then nothing is in it without a call.
    pub filtered: bool,
}

impl Scope {
    /// Returns `true` if it is the whole log.
    pub fn is_all(&self) -> bool {
        self.calls.is_all()
    }

    /// The policies that its calls have; `None` if it is the whole log.
    pub fn policies(&self, log: &Log) -> Option<Policies> {
        (!self.is_all()).then(|| self.calls.policies(log))
    }

    /// Its breakers, each with the number of calls that it refused. Without a filter, a breaker that was not closed in all
    /// of the selected time is one of them, whether or not a call touches that time.
    pub fn breakers<'a>(&self, log: &'a Log) -> Vec<(&'a Breaker, u64)> {
        let Some(policies) = self.policies(log) else {
            return log.breakers.iter().map(|breaker| (breaker, breaker.rejected)).collect();
        };
        let of_policies = policies.0.into_iter();
        let mut of_calls: Vec<(BreakerId, u64)> =
            of_policies.filter_map(|(policy, refused)| Some((log.breaker_of(policy)?, refused))).collect();
        order::sort_by_key(&mut of_calls, |row| row.0);
        let was_not_closed = |breaker: &Breaker| {
            let mut spans = self.span.map(|span| breaker.spans(span.from, span.to)).into_iter().flatten();
            !self.filtered && spans.any(|span| span.state != State::Closed)
        };
        let in_scope = |breaker: &'a Breaker| {
            let first = of_calls.partition_point(|row| row.0 < breaker.id);
            // A breaker may guard several policies.
            let of_breaker = of_calls.get(first..)?.iter().take_while(|row| row.0 == breaker.id);
            let is_in_scope = of_breaker.clone().next().is_some() || was_not_closed(breaker);
            is_in_scope.then(|| (breaker, of_breaker.map(|row| row.1).sum()))
        };
        log.breakers.iter().filter_map(in_scope).collect()
    }

    /// Its runs, oldest first: those of its calls; without a filter, those that touch the selected time. One that has not
    /// ended goes on until `now`.
    pub fn runs<'a>(&self, log: &'a Log, now: Moment) -> Vec<&'a Run> {
        // By their number, from the first run that is kept.
        let first = log.runs.iter().next().map_or(0, |run| run.number.0);
        let index = |number: RunNumber| number.0.saturating_sub(first) as usize;
        let mut of_calls = vec![false; log.runs.iter().len()];
        if self.filtered {
            for run in self.calls.iter(log).filter_map(|(_, call)| call.run) {
                if let Some(is_of_calls) = of_calls.get_mut(index(run)).filter(|_| run.0 >= first) {
                    *is_of_calls = true;
                }
            }
        }
        let in_scope = |run: &&Run| match self.span {
            _ if self.filtered => of_calls.get(index(run.number)).is_some_and(|is_of_calls| *is_of_calls),
            Some(span) => run.started <= span.to && run.ended.unwrap_or(now) >= span.from,
            None => true,
        };
        log.runs.iter().filter(in_scope).collect()
    }
}

/// Policies, each with the number of their calls that a breaker refused.
#[derive(Default)]
pub struct Policies(BTreeMap<PolicyId, u64>);

impl Policies {
    pub fn contains(&self, policy: PolicyId) -> bool {
        self.0.contains_key(&policy)
    }

    /// Returns `true` if one of them is of a process.
    pub fn are_of(&self, source: Name) -> bool {
        // They are sorted by their process.
        let first = PolicyId { source, name: Name::NONE };
        self.0.range(first..).next().is_some_and(|(policy, _)| policy.source == source)
    }

    pub fn iter(&self) -> impl Iterator<Item = PolicyId> {
        self.0.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::{Ended, Group};
    use crate::query::Query;
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

    fn sizes(groups: &Groups) -> Vec<(u64, usize, Moment, Ended)> {
        let size = |group: &Group| (group.count, group.samples.len(), group.last, group.ended.clone());
        groups.iter().map(size).collect()
    }

    /// A call whose attempts fail by these rules, all with one code, and then its end.
    fn failing(stage: &mut Stage, id: &str, rules: &[&str], end: &str) {
        let head = format!(r#""policy":"chat","call":"{id}""#);
        stage.event("s", "call.started", &head);
        for (attempt, rule) in (1..).zip(rules) {
            let failed = format!(
                r#"{head},"attempt":{attempt},"durationMs":1,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"{rule}","counted":true"#
            );
            stage.event("s", "attempt.failed", &failed);
        }
        let (kind, end) = match end {
            "ok" => ("call.succeeded", String::new()),
            code => ("call.failed", format!(r#","code":"{code}","why":"exhausted","userMessage":"""#)),
        };
        stage.event("s", kind, &format!(r#"{head},"attempts":9,"durationMs":5{end}"#));
    }

    #[test]
    fn the_calls_that_ended_with_a_failure_are_those_of_its_filter() {
        let mut stage = Stage::new();
        failing(&mut stage, "retried", &["a", "a"], "ok");
        failing(&mut stage, "by a", &["b", "a"], "TIMEOUT");
        failing(&mut stage, "by b", &["a", "b"], "TIMEOUT");
        failing(&mut stage, "again by a", &["a"], "TIMEOUT");
        failing(&mut stage, "otherwise", &["a"], "INTERNAL_ERROR");
        failing(&mut stage, "by a fallback", &["a"], "TIMEOUT");
        stage.event("s", "fallback.used", r#""policy":"chat","call":"by a fallback","code":"TIMEOUT""#);
        let log = &stage.log;
        let every = Calls::Only(Arc::new(log.calls().map(|(number, _)| number).collect()));
        for (rule, ids) in [("a", vec!["by a", "again by a"]), ("b", vec!["by b"])] {
            let filter =
                Query::parse(&format!("ended:TIMEOUT ended-rule:{rule}")).unwrap().prepare(&log.names);
            let filtered = log.calls().filter(|(_, call)| filter.passes(log, call, stage.time));
            assert_eq!(filtered.map(|(_, call)| &*call.id).collect::<Vec<_>>(), ids);
            let find = |groups: &Groups| {
                let group = groups.iter().find(|group| log.names.text(group.key.parts().1) == rule).unwrap();
                (group.ended.count, group.ended.calls.iter().copied().collect::<Vec<_>>())
            };
            let numbers: Vec<_> = ids.iter().map(|id| log.call_by_id(id).unwrap()).collect();
            assert_eq!(every.with_groups(log, find), (ids.len() as u64, numbers));
            assert_eq!(Calls::All.with_groups(log, find).0, ids.len() as u64);
        }
    }

    #[test]
    fn a_call_that_ended_with_a_failure_counts_when_it_is_evicted_too() {
        let mut stage = Stage::keeping(4_000);
        for call in 0..5_000 {
            failing(&mut stage, &format!("c{call}"), &["a"], "TIMEOUT");
        }
        let log = &stage.log;
        let ended = &log.groups.iter().next().unwrap().ended;
        assert_eq!((ended.count, ended.count - ended.evicted), (5_000, log.calls_kept() as u64));
        assert!(ended.evicted > 0);
    }

    /// A call that a part of the policy refuses.
    fn refused(stage: &mut Stage, id: &str, code: &str, by: &str) {
        let head = format!(r#""policy":"chat","call":"{id}""#);
        stage.event("s", "call.started", &head);
        stage.event("s", "call.rejected", &format!(r#"{head},"code":"{code}","by":"{by}""#));
    }

    #[test]
    fn refused_calls_are_counted_by_their_code_and_what_refused_them() {
        let mut stage = Stage::new();
        for call in 0..3 {
            refused(&mut stage, &format!("open {call}"), "CIRCUIT_OPEN", "breaker");
        }
        refused(&mut stage, "full", "CAPACITY_EXCEEDED", "bulkhead");
        failing(&mut stage, "failed", &["a"], "TIMEOUT");
        stage.event("s", "fallback.used", r#""policy":"chat","call":"open 1","code":"CIRCUIT_OPEN""#);
        let log = &stage.log;
        let every = Calls::Only(Arc::new(log.calls().map(|(number, _)| number).collect()));
        for calls in [Calls::All, every] {
            calls.with_groups(log, |groups| {
                let of_group = |group: &Group| {
                    let (code, by) = group.key.parts();
                    (log.names.text(code), log.names.text(by), group.count, group.ended.count)
                };
                let refused: Vec<_> =
                    groups.iter().filter(|group| group.key.is_refusal()).map(of_group).collect();
                let expected = [("CIRCUIT_OPEN", "breaker", 3, 2), ("CAPACITY_EXCEEDED", "bulkhead", 1, 1)];
                assert_eq!(refused, expected);
                assert_eq!(groups.failed().map(of_group).collect::<Vec<_>>(), [("TIMEOUT", "a", 1, 1)]);
            });
        }
        let filter = "ended:CIRCUIT_OPEN status:rejected why:breaker";
        let filter = Query::parse(filter).unwrap().prepare(&log.names);
        let filtered = log.calls().filter(|(_, call)| filter.passes(log, call, stage.time));
        assert_eq!(filtered.map(|(_, call)| &*call.id).collect::<Vec<_>>(), ["open 0", "open 2"]);
    }

    #[test]
    fn a_refused_call_counts_when_it_is_evicted_too() {
        let mut stage = Stage::keeping(4_000);
        for call in 0..5_000 {
            refused(&mut stage, &format!("c{call}"), "CIRCUIT_OPEN", "breaker");
        }
        let log = &stage.log;
        let group = log.groups.iter().next().unwrap();
        let Ended { count, evicted, .. } = group.ended;
        assert_eq!((group.count, count, count - evicted), (5_000, 5_000, log.calls_kept() as u64));
        assert!(evicted > 0);
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

    /// Two calls of each of two policies, a second apart, in runs of their own; both policies have a breaker, which refuses
    /// the second call.
    fn two_policies() -> (Stage, Moment) {
        let mut stage = Stage::new();
        let begins = stage.time;
        for policy in ["chat", "mail"] {
            for (process, call) in [(policy, "a"), (policy, "b")] {
                let head = format!(r#""policy":"{policy}","call":"{policy}-{call}""#);
                stage
                    .event(process, "call.started", &format!(r#"{head},"run":"{policy}-{call}""#))
                    .pass(100.0);
                if call == "a" {
                    stage.event(
                        process,
                        "call.succeeded",
                        &format!(r#"{head},"attempts":1,"durationMs":100"#),
                    );
                    let change = r#""from":"closed","to":"open","reason":"r","generation":1"#;
                    let of = format!(r#""policy":"{policy}","breaker":"{policy}-breaker""#);
                    stage.event(process, "breaker.changed", &format!("{of},{change}"));
                } else {
                    let refused = format!(r#"{head},"code":"CIRCUIT_OPEN","by":"breaker""#);
                    stage.event(process, "call.rejected", &refused);
                }
                stage.pass(900.0);
            }
        }
        (stage, begins)
    }

    #[test]
    fn breakers_runs_and_processes_are_in_a_scope_by_their_calls() {
        let (stage, begins) = two_policies();
        let log = &stage.log;
        let seen = |scope: &Scope| {
            let text = |name| log.names.text(name).to_owned();
            let breakers = scope.breakers(log).into_iter();
            let breakers: Vec<_> = breakers.map(|(one, refused)| (text(one.id.name), refused)).collect();
            let runs: Vec<_> = scope.runs(log, stage.time).iter().map(|run| run.id.to_string()).collect();
            let sources = scope.policies(log).map(|policies| {
                let of_scope = log.each_process().filter(|process| policies.are_of(process.0));
                of_scope.map(|process| text(process.0)).collect::<Vec<_>>()
            });
            (breakers, runs, sources)
        };
        let breaker = |name: &str, refused| (format!("{name}-breaker"), refused);
        let runs = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        let all = ["chat-a", "chat-b", "mail-a", "mail-b"];
        assert_eq!(seen(&Scope::default()), (vec![breaker("chat", 1), breaker("mail", 1)], runs(&all), None));

        let numbers: Vec<_> = log.calls().map(|(number, _)| number).collect();
        let first = Scope { calls: Calls::Only(Arc::new(vec![numbers[0]])), span: None, filtered: true };
        assert_eq!(seen(&first), (vec![breaker("chat", 0)], runs(&["chat-a"]), Some(runs(&["chat"]))));
        assert_eq!(first.policies(log).unwrap().iter().count(), 1);

        // The breaker opens at 100 ms, and no call is made between the first and the second.
        let idle = Span { from: begins + 100.5, to: begins + 900.0 };
        let within = |span, filtered| Scope {
            calls: Calls::All.within(log, Some(span), stage.time),
            span: Some(span),
            filtered,
        };
        assert_eq!(seen(&within(idle, true)), (vec![], vec![], Some(vec![])));
        assert_eq!(seen(&within(idle, false)).0, [breaker("chat", 0)]);
        assert_eq!(seen(&within(idle, false)).1, runs(&["chat-a"]), "it has not ended");
        let first = Span { from: begins, to: begins + 50.0 };
        assert_eq!(seen(&within(first, true)).1, runs(&["chat-a"]));
        assert_eq!(seen(&within(first, false)).1, runs(&["chat-a"]));
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
