//! The shared parts of the checks: their look at a log, and their findings.

use super::setting::{Advice, Options};
use crate::format::{count, number_of, percent};
use halfopen_store::breaker::{Breaker, BreakerId, Change, State};
use halfopen_store::call::{Call, Status};
use halfopen_store::names::Name;
use halfopen_store::numbers::{CallNumber, RunNumber};
use halfopen_store::order;
use halfopen_store::policy::PolicyId;
use halfopen_store::scope::Calls;
use halfopen_store::store::Log;
use std::collections::VecDeque;

/// Where a finding can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// A call, in the timeline.
    Call(CallNumber),
    /// A breaker, in its view.
    Breaker(BreakerId),
    /// A run, in its view.
    Run(RunNumber),
    /// A group of failures, by code and rule.
    Group(Name, Name),
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// People are worse off by it.
    Harm,
    /// It will hurt on a bad day.
    Risk,
    /// It could be better.
    Note,
}

impl Grade {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Harm => "harm",
            Self::Risk => "risk",
            Self::Note => "note",
        }
    }

    /// A sign that does not need its colour.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Harm => "✕",
            Self::Risk => "⚠",
            Self::Note => "ℹ",
        }
    }
}

/// The finding of a check; the table adds its id and grade.
pub(super) struct Found {
    pub(super) policy: PolicyId,
    pub(super) title: String,
    pub(super) what: String,
    pub(super) fix: String,
    pub(super) advice: Advice,
    pub(super) evidence: Vec<Evidence>,
    /// How many of the policy's calls are worse off by it.
    pub(super) hurt: u64,
    /// Its severity, if it differs from the table's.
    pub(super) grade: Option<Grade>,
}

/// A check at work: sees every call once, the oldest first, then returns what it found.
pub(super) trait Look {
    /// Called first if the check sees these calls alone. A check that reads calls from the log's tables too overrides it.
    fn narrow(&mut self, _calls: &Calls) {}
    fn call(&mut self, log: &Log, number: CallNumber, call: &Call);
    fn found(&mut self, log: &Log) -> Vec<Found>;
}

/// A check of policies whose options are at fault, which gathers the calls that show it.
pub(super) struct Faults<T> {
    /// Each such policy, what the check knows of it, and its calls that show the fault.
    policies: Vec<(PolicyId, T, Vec<CallNumber>)>,
    shows: fn(&Log, &Call) -> bool,
    say: fn(&Log, PolicyId, &T, Vec<CallNumber>) -> Option<Found>,
}

impl<T: 'static> Faults<T> {
    /// Of the policies of whose options `fault` returns something. `shows` is whether a call shows the fault, `say` makes
    /// the finding.
    pub(super) fn begin(
        log: &Log,
        fault: fn(&Options<'_>) -> Option<T>,
        shows: fn(&Log, &Call) -> bool,
        say: fn(&Log, PolicyId, &T, Vec<CallNumber>) -> Option<Found>,
    ) -> Box<dyn Look> {
        let all = log.policies().map(|policy| (policy, Options::of(log, policy)));
        let at_fault = all.filter_map(|(policy, options)| Some((policy, fault(&options)?, Vec::new())));
        Box::new(Self { policies: at_fault.collect(), shows, say })
    }
}

impl<T> Look for Faults<T> {
    fn call(&mut self, log: &Log, number: CallNumber, call: &Call) {
        let of_policy = self.policies.iter_mut().find(|row| row.0 == call.policy_id());
        if let Some((_, _, calls)) = of_policy.filter(|_| (self.shows)(log, call)) {
            calls.push(number);
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let all = std::mem::take(&mut self.policies).into_iter();
        all.filter_map(|(policy, fault, calls)| (self.say)(log, policy, &fault, calls)).collect()
    }
}

/// A check of breakers, which gathers the calls that show what it finds: those that opened the breaker, and those that it refused.
pub(super) struct Breakers {
    look: fn(&Log) -> Vec<(BreakerId, Found)>,
    /// Returns `true` for a change that shows it.
    shows: fn(&Change) -> bool,
    /// The calls that it sees.
    calls: Calls,
    /// The last calls that each refused.
    refused: Vec<(BreakerId, VecDeque<CallNumber>)>,
}

/// Most calls of either kind: the breaker itself is evidence too.
const MOST_OF_A_KIND: usize = MOST_EVIDENCE / 2;

impl Breakers {
    pub(super) fn begin(
        look: fn(&Log) -> Vec<(BreakerId, Found)>,
        shows: fn(&Change) -> bool,
    ) -> Box<dyn Look> {
        Box::new(Self { look, shows, calls: Calls::All, refused: Vec::new() })
    }

    fn evidence(&self, log: &Log, id: BreakerId) -> Vec<Evidence> {
        let changes = log.breakers.get(id).into_iter().flat_map(|breaker| breaker.changes.iter().rev());
        let opened = changes
            .filter(|change| (self.shows)(change))
            .filter_map(|change| change.call)
            .filter(|&call| self.calls.contains(call) && log.call(call).is_some())
            .take(MOST_OF_A_KIND);
        let refused =
            self.refused.iter().filter(|row| row.0 == id).flat_map(|row| row.1.iter().rev().copied());
        std::iter::once(Evidence::Breaker(id)).chain(opened.chain(refused).map(Evidence::Call)).collect()
    }
}

impl Look for Breakers {
    fn narrow(&mut self, calls: &Calls) {
        self.calls = calls.clone();
    }

    fn call(&mut self, log: &Log, number: CallNumber, call: &Call) {
        // The call that opened it may be refused its own retry.
        if call.status != Status::Rejected || call.tries() > 0 || !ended_by(log, call, "breaker") {
            return;
        }
        let Some(id) = log.breaker_of(call.policy_id()) else { return };
        let refused = row(&mut self.refused, id);
        refused.push_back(number);
        if refused.len() > MOST_OF_A_KIND {
            refused.pop_front();
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let found = (self.look)(log).into_iter();
        found.map(|(id, found)| Found { evidence: self.evidence(log, id), ..found }).collect()
    }
}

/// Most pieces of evidence that a finding keeps.
pub(super) const MOST_EVIDENCE: usize = 8;

/// Returns the row of a key, added if it is missing: policies and codes are few.
pub(super) fn row<K: PartialEq, V: Default>(rows: &mut Vec<(K, V)>, key: K) -> &mut V {
    let known = rows.iter().position(|row| row.0 == key);
    let index = known.unwrap_or_else(|| {
        rows.push((key, V::default()));
        rows.len() - 1
    });
    #[expect(clippy::indexing_slicing, reason = "found or pushed just above")]
    &mut rows[index].1
}

/// How many calls a breaker refused, and how many calls its policies had.
pub(super) fn refused(log: &Log, breaker: &Breaker) -> (u64, u64) {
    let guarded: Vec<_> = log.policies_of(breaker.id).collect();
    let calls =
        log.summaries.iter().filter(|one| guarded.contains(&one.id)).map(|one| one.calls).sum::<u64>();
    (breaker.rejected, calls.max(breaker.rejected))
}

/// Returns `true` if a change opened a closed breaker: a probe that failed is no new outage.
pub(super) fn trips(change: &Change) -> bool {
    (change.from, change.to) == (State::Closed, State::Open)
}

/// Returns `true` if a single result did.
pub(super) fn trips_at_once(change: &Change) -> bool {
    trips(change) && change.window.as_ref().is_some_and(|window| window.total == 1)
}

/// The share of calls that a breaker refuses from which on it does more harm than the failures that it is there for.
const MUCH: f64 = 0.25;
/// The number of refused calls from which their share means something.
const LEAST_REFUSED: u64 = 5;

/// Harm, for a breaker that refused that many of its calls.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
pub(super) fn grade_of((refused, calls): (u64, u64)) -> Option<Grade> {
    (refused >= LEAST_REFUSED && refused as f64 >= calls as f64 * MUCH).then_some(Grade::Harm)
}

/// The breaker's refusals as the end of a title; empty without any.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
pub(super) fn refusing((refused, calls): (u64, u64)) -> String {
    if refused == 0 {
        return String::new();
    }
    let share = percent(refused as f64 / calls as f64);
    format!(", and refused {} of {} ({share})", count(refused), number_of(calls, "call"))
}

/// A name as people know it.
pub(super) fn called(log: &Log, name: Name) -> String {
    let text = log.names.text(name);
    if text.is_empty() { "default".into() } else { text.into() }
}

/// The last of a policy's calls that a check is about, as evidence; the newest first.
pub(super) fn newest(mut calls: Vec<CallNumber>) -> Vec<Evidence> {
    order::sort_by(&mut calls, |a, b| b.cmp(a));
    calls.into_iter().take(MOST_EVIDENCE).map(Evidence::Call).collect()
}

/// Returns `true` if a call ended for this reason.
pub(super) fn ended_by(log: &Log, call: &Call, why: &str) -> bool {
    log.names.text(call.why) == why
}
