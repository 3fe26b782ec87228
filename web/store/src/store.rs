//! The event log of a session: a ring of lines, and the indexes that views read, updated with each event.
//!
//! Nothing here is reactive. Only [`Log::take`] adds; everything else reads.

use crate::actions::Actions;
use crate::adaptive::AdaptiveLimit;
use crate::breaker::BreakerId;
use crate::breakers::Breakers;
use crate::call::Call;
use crate::calls::Calls;
use crate::effects::Effects;
use crate::fleet::Fleets;
use crate::fold::Folds;
use crate::group::Groups;
use crate::hash::Seeded;
use crate::ids::Ids;
use crate::lines::Lines;
use crate::names::{Name, Names};
use crate::numbers::{CallNumber, EventNumber, ShortNumber};
use crate::policy::{Policies, PolicyId, Shares};
use crate::process::{Process, Watch};
use crate::provider::Providers;
use crate::restart::Core;
use crate::run::Runs;
use crate::spans::Spans;
use crate::strip::Strip;
use crate::summary::Summaries;
use crate::time::Moment;
use halfopen_log::{Event, Json, Rejected};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// Most bytes of lines that are kept; older events are evicted, and counted.
const MOST_BYTES: usize = 320 << 20;
/// Most events that are kept.
const MOST_EVENTS: usize = 1_200_000;
/// How many of the latest reasons for rejecting a line are kept.
const REASONS: usize = 20;

/// The lines that are not in the log, with the reasons. They are shown, so that no line is dropped unseen.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Lines that are no events.
    pub rejected: u64,
    /// Lines that were cut off.
    pub torn: u64,
    /// Events that the agent or the server says it dropped.
    pub dropped: u64,
    /// Events evicted here, to stay within memory.
    pub evicted: u64,
    /// Changes of breakers that are not kept: there are too many breakers.
    pub of_breakers: u64,
    /// Events of types and versions that this dashboard does not know.
    pub unknown: u64,
    /// The last reasons for rejecting a line.
    pub reasons: VecDeque<String>,
}

/// Sums over the whole log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub events: u64,
    pub calls: u64,
    pub retries: u64,
}

/// How much is kept.
pub(crate) struct Bounds {
    bytes: usize,
    pub(crate) events: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, events: MOST_EVENTS }
    }
}

/// The log.
#[derive(Default)]
pub struct Log {
    pub(crate) bounds: Bounds,
    pub(crate) lines: Lines,
    pub(crate) calls: Calls,
    ids: Ids,
    /// The calls within a call, by its number. A call without any has no entry.
    children: HashMap<CallNumber, VecDeque<CallNumber>, Seeded>,
    pub(crate) open: BTreeSet<CallNumber>,
    pub(crate) spans: Spans,
    pub(crate) processes: HashMap<Name, Process, Seeded>,
    pub(crate) watch: Watch,
    pub names: Names,
    pub breakers: Breakers,
    pub providers: Providers,
    pub groups: Groups,
    pub summaries: Summaries,
    pub(crate) policies: Policies,
    pub fleets: Fleets,
    pub runs: Runs,
    pub folds: Folds,
    pub strip: Strip,
    pub losses: Losses,
    pub totals: Totals,
    /// Restarts of the agents' WebAssembly modules.
    pub restarts: Core,
    /// Acts whose outcome is not known.
    pub effects: Effects,
    /// The actions of people on processes.
    pub actions: Actions,
    /// Events that are shown as the text of their line, newest last.
    pub unknown: VecDeque<EventNumber>,
    pub(crate) begins: Moment,
    ends: Moment,
}

impl Log {
    /// Takes one line. Returns `true` if it became an event.
    pub fn take(&mut self, line: &str) -> bool {
        match Event::parse(line) {
            Ok(event) => self.add(line, &event),
            Err(Rejected::Torn) => {
                self.losses.torn += 1;
                false
            }
            Err(rejected) => {
                self.losses.rejected += 1;
                self.losses.reasons.push_back(rejected.to_string());
                if self.losses.reasons.len() > REASONS {
                    self.losses.reasons.pop_front();
                }
                false
            }
        }
    }

    fn add(&mut self, line: &str, event: &Event<'_>) -> bool {
        let source = event.source.as_ref().map(|source| self.names.number(source.as_str()));
        let call = event.call.as_ref().and_then(|id| self.find(id.as_str(), source));
        let source = source.or_else(|| Some(self.call(call?)?.source)).unwrap_or(Name::NONE);
        // The event arrived twice, and is kept once.
        if !self.processes.entry(source).or_default().seen.add(event.seq) {
            return false;
        }
        let time = Moment::from_ms(event.time);
        self.hear(source, time);
        let first = self.lines.len() == 0;
        let busy = self.is_busy();
        let number = self.lines.push(line, time);
        let call =
            event.call.as_ref().map(|id| call.unwrap_or_else(|| self.begin(id.as_str(), source, event)));
        self.totals.events += 1;
        if first || time < self.begins {
            self.begins = time;
        }
        if first || time > self.ends {
            self.ends = time;
        }
        self.folds.event(time, busy);
        self.apply(number, source, call, event);
        self.keep_within_bounds();
        true
    }

    /// The call of an id within a process. If the event names no process, the first call of that id.
    fn find(&self, id: &str, source: Option<Name>) -> Option<CallNumber> {
        self.ids.find(id, |number| {
            let of_source = |call: &Call| source.is_none_or(|source| call.source == source);
            self.call(number).is_some_and(|call| &*call.id == id && of_source(call))
        })
    }

    /// A call that the log has not seen before.
    #[inline(never)]
    fn begin(&mut self, id: &str, source: Name, event: &Event<'_>) -> CallNumber {
        let (number, time) = (self.calls.next(), Moment::from_ms(event.time));
        let mut call = Call::new(id, number, time);
        call.source = source;
        if let Some(policy) = &event.policy {
            call.policy = self.names.number(policy.as_str());
        }
        if let Some(trace) = &event.trace_id {
            call.trace = self.names.number(trace.as_str());
        }
        if let Some(run) = &event.run {
            call.run = Some(self.runs.call(run.as_str(), source, time, number));
        }
        let parent = event
            .parent_call
            .as_ref()
            .and_then(|id| self.find(id.as_str(), Some(source)).or_else(|| self.find(id.as_str(), None)));
        if let Some((parent, above)) = parent.and_then(|parent| Some((parent, self.call(parent)?))) {
            call.parent = Some(parent);
            call.root = above.root;
            call.depth = above.depth.saturating_add(1);
            self.children.entry(parent).or_default().push_back(number);
        }
        let calls = &self.calls;
        self.ids.insert(id, number, |other| calls.get(other).map_or("", |call| &*call.id));
        self.calls.push(call);
        self.spans.begun(number, time);
        self.open(number, source);
        self.totals.calls += 1;
        number
    }

    /// Evicts the oldest events when there are too many, and the calls that have no event left.
    fn keep_within_bounds(&mut self) {
        if self.lines.bytes() <= self.bounds.bytes && self.lines.len() <= self.bounds.events {
            return;
        }
        self.losses.evicted += self.lines.drop_oldest() as u64;
        let oldest = self.lines.first();
        for (number, call) in self.calls.evict(|event| event.is_since(oldest)) {
            self.ids.remove(&call.id, number);
            if let Some(key) = call.ended_by() {
                self.groups.evict(key);
            }
            self.close(number, call.source);
            self.children.remove(&number);
            if let Some(siblings) = call.parent.and_then(|parent| self.children.get_mut(&parent)) {
                siblings.pop_front_if(|first| *first == number);
            }
        }
        self.spans.keep_from(self.calls.recent().start);
        if let Some(horizon) = self.lines.began() {
            self.begins = horizon;
        }
        if self.names.want_a_sweep() {
            self.sweep_names();
        }
    }

    /// Removes the names that are no longer referred to. Every holder of a [`Name`] has to report it here.
    #[inline(never)]
    fn sweep_names(&mut self) {
        let Self {
            names,
            calls,
            breakers,
            providers,
            groups,
            summaries,
            policies,
            processes,
            fleets,
            runs,
            actions,
            ..
        } = self;
        names.sweep(|show| {
            calls.iter().for_each(|(_, call)| call.names(show));
            breakers
                .iter()
                .for_each(|one| [one.id.name, one.id.source, one.policy].into_iter().for_each(&mut *show));
            providers.names(show);
            summaries.names(show);
            groups.names(show);
            policies.names(show);
            fleets.names(show);
            runs.names(show);
            actions.iter().for_each(|action| show(action.source));
            for (&source, Process { about, .. }) in processes.iter() {
                [source, about.host, about.version, about.deployment].into_iter().for_each(&mut *show);
            }
        });
    }

    /// The call of that number, unless it was evicted.
    pub fn call(&self, number: CallNumber) -> Option<&Call> {
        self.calls.get(number)
    }

    /// The call of that id.
    pub fn call_by_id(&self, id: &str) -> Option<CallNumber> {
        self.find(id, None)
    }

    /// All calls with their numbers, oldest first.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = (CallNumber, &Call)> {
        self.calls.iter()
    }

    /// How many calls are kept.
    pub fn calls_kept(&self) -> usize {
        self.calls.len()
    }

    /// Returns the numbers of the calls that are kept, except for a few older ones.
    pub fn numbers(&self) -> std::ops::Range<CallNumber> {
        self.calls.recent()
    }

    /// The calls directly within a call, oldest first.
    pub fn children(
        &self,
        number: CallNumber,
    ) -> impl ExactSizeIterator<Item = CallNumber> + DoubleEndedIterator {
        self.children.get(&number).map(VecDeque::iter).unwrap_or_default().copied()
    }

    /// Candidates for a span of time, in order. They include every call that touches it and some that do not: check each
    /// call's own bounds.
    pub fn calls_within(&self, from: Moment, to: Moment) -> impl Iterator<Item = (CallNumber, &Call)> {
        self.calls_since(CallNumber(0), from, to)
    }

    /// The same, without the calls before one.
    pub(crate) fn calls_since(
        &self,
        since: CallNumber,
        from: Moment,
        to: Moment,
    ) -> impl Iterator<Item = (CallNumber, &Call)> {
        let first = self.calls.recent().start.max(since);
        let recent = self.spans.within(from, to).filter(move |&number| number >= first);
        let elders = self.calls.elders().filter(move |elder| elder.0 >= since);
        elders.chain(recent.filter_map(|number| Some((number, self.call(number)?))))
    }

    /// The open calls: they have not ended, and their process reports.
    pub fn open_calls(&self) -> impl Iterator<Item = (CallNumber, &Call)> {
        self.open.iter().filter_map(|&number| Some((number, self.call(number)?)))
    }

    /// How many processes have sent events.
    pub fn processes(&self) -> usize {
        self.processes.len()
    }

    /// Returns `true` if a call is open.
    pub fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// The line of an event, as it arrived.
    pub fn line(&self, number: EventNumber) -> &str {
        self.lines.get(number)
    }

    /// An event's line by the short number that calls keep.
    pub fn line_of(&self, short: ShortNumber) -> &str {
        self.line(short.since(self.lines.first()))
    }

    /// Every policy that the log knows.
    pub fn policies(&self) -> impl Iterator<Item = PolicyId> {
        self.policies.ids()
    }

    /// The options of a policy, as its last `policy.configured` event has them.
    pub fn options_of(&self, policy: PolicyId) -> Option<Json<'_>> {
        self.policies.options(policy)
    }

    /// A policy's last `policy.configured` event, as it arrived.
    pub fn configured(&self, policy: PolicyId) -> Option<&str> {
        self.policies.line(policy)
    }

    /// How often a process has made that policy, with the same options.
    pub fn made(&self, policy: PolicyId) -> u32 {
        self.policies.made(policy)
    }

    /// Returns the parts that a policy shares with other processes; `None` without a fleet.
    pub fn shares(&self, policy: PolicyId) -> Option<&Shares> {
        self.policies.shares(policy)
    }

    /// The policies that share something with other processes.
    pub fn sharing(&self) -> impl Iterator<Item = (PolicyId, &Shares)> {
        self.policies.sharing()
    }

    /// A policy's breaker.
    pub fn breaker_of(&self, policy: PolicyId) -> Option<BreakerId> {
        self.policies.breaker(policy)
    }

    /// Returns a policy's adaptive limit, if it has or had one.
    pub fn adaptive_limit(&self, policy: PolicyId) -> Option<&AdaptiveLimit> {
        self.policies.adaptive(policy)
    }

    /// The policies that a breaker guards.
    pub fn policies_of(&self, breaker: BreakerId) -> impl Iterator<Item = PolicyId> {
        self.policies.ids().filter(move |&policy| self.policies.breaker(policy) == Some(breaker))
    }

    /// The policy whose options say how a breaker is set.
    pub fn policy_of(&self, breaker: BreakerId) -> PolicyId {
        let first =
            self.breakers.get(breaker).map(|one| PolicyId { source: one.id.source, name: one.policy });
        let mut known = first.into_iter().chain(self.policies_of(breaker));
        known.find(|&policy| self.configured(policy).is_some()).or(first).unwrap_or_default()
    }

    /// Every line that is kept, oldest first.
    pub fn all_lines(&self) -> impl Iterator<Item = &str> {
        self.older_lines().chain(self.lines.iter())
    }

    /// The lines of policies' options that are older than all others that are kept.
    pub fn older_lines(&self) -> impl Iterator<Item = &str> {
        self.policies.lines_before(self.lines.first())
    }

    /// The numbers of the lines that are kept, oldest first.
    pub fn kept_numbers(&self) -> std::ops::Range<EventNumber> {
        let first = self.lines.first();
        first..first.plus(self.lines.len())
    }

    /// How many events are kept.
    pub fn kept(&self) -> usize {
        self.lines.len()
    }

    /// The first and last moment of the log; `None` while it is empty.
    pub fn bounds(&self) -> Option<(Moment, Moment)> {
        (self.lines.len() > 0).then_some((self.begins, self.ends))
    }
}
