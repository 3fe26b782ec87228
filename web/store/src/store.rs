//! The event log of a session: a plain ring of lines, with the indexes that views read kept as events come.
//!
//! Nothing here is reactive. [`Log::take`] is the one way in; everything else reads.

use crate::breaker::Breaker;
use crate::call::Call;
use crate::fold::Folds;
use crate::group::Groups;
use crate::hash::Quick;
use crate::ids::Ids;
use crate::lines::Lines;
use crate::names::{Name, Names};
use crate::provider::Provider;
use crate::seen::Seen;
use crate::spans::Spans;
use crate::strip::Strip;
use halfopen::log::{Event, Json, Kind, Rejected};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Most bytes of lines that are kept; older events are let go, and counted.
const MOST_BYTES: usize = 320 << 20;
/// Most events that are kept.
const MOST_EVENTS: usize = 1_200_000;
/// How many of the last reasons for rejecting a line are kept to show.
const REASONS: usize = 20;

/// What did not make it into the log, and why: shown, so that nothing is dropped unseen.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Lines that are no events.
    pub rejected: u64,
    /// Lines that end in their middle.
    pub torn: u64,
    /// Events that the agent or the server says it dropped.
    pub dropped: u64,
    /// Events let go here, to stay within memory.
    pub let_go: u64,
    /// Events that came twice, by two ways; one is kept.
    pub twice: u64,
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
    pub succeeded: u64,
    pub degraded: u64,
    pub failed: u64,
    pub rejected: u64,
    pub cancelled: u64,
    pub attempts: u64,
    pub retries: u64,
}

/// The log.
#[derive(Default)]
pub struct Log {
    lines: Lines,
    pub(crate) calls: VecDeque<Call>,
    pub(crate) first_call: u32,
    ids: Ids,
    pub(crate) open: BTreeSet<u32>,
    pub(crate) spans: Spans,
    seen: HashMap<Name, Seen, Quick>,
    pub names: Names,
    pub breakers: Vec<Breaker>,
    pub providers: Vec<Provider>,
    pub groups: Groups,
    pub options: BTreeMap<Name, u64>,
    /// Milliseconds that a policy's options give a call in all.
    pub(crate) limits: BTreeMap<Name, f64>,
    pub folds: Folds,
    pub strip: Strip,
    pub losses: Losses,
    pub totals: Totals,
    /// Events that are shown as the text of their line, newest last.
    pub unknown: VecDeque<u64>,
    pub(crate) begins: f64,
    ends: f64,
}

impl Log {
    /// Takes one line. Whether it became an event.
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
        if !self.seen.entry(source).or_default().add(event.seq) {
            self.losses.twice += 1;
            return false;
        }
        let first = self.lines.len() == 0;
        let number = self.lines.push(line, event.time);
        let call =
            event.call.as_ref().map(|id| call.unwrap_or_else(|| self.begin(id.as_str(), source, event)));
        self.totals.events += 1;
        if first || event.time < self.begins {
            self.begins = event.time;
        }
        if first || event.time > self.ends {
            self.ends = event.time;
        }
        self.folds.event(event.time, !self.open.is_empty());
        self.apply(number, source, call, event);
        self.keep_within_bounds();
        true
    }

    /// The call of an id within a process; of an event that does not say its process, the first call of that id.
    fn find(&self, id: &str, source: Option<Name>) -> Option<u32> {
        self.ids.find(id, |number| {
            let of_source = |call: &Call| source.is_none_or(|source| call.source == source);
            self.call(number).is_some_and(|call| &*call.id == id && of_source(call))
        })
    }

    /// A call that the log has not seen before.
    fn begin(&mut self, id: &str, source: Name, event: &Event<'_>) -> u32 {
        let number = self.first_call + u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        let mut call = Call::new(id, number, event.time);
        call.source = source;
        if let Some(policy) = &event.policy {
            call.policy = self.names.number(policy.as_str());
        }
        if let Some(trace) = &event.trace_id {
            call.trace = self.names.number(trace.as_str());
        }
        let parent = event
            .parent_call
            .as_ref()
            .and_then(|id| self.find(id.as_str(), Some(source)).or_else(|| self.find(id.as_str(), None)));
        if let Some((parent, above)) = parent.and_then(|parent| Some((parent, self.call(parent)?))) {
            call.parent = Some(parent);
            call.root = above.root;
            call.depth = above.depth.saturating_add(1);
        }
        self.ids.insert(id, number);
        self.calls.push_back(call);
        self.spans.begun(number, event.time);
        self.open.insert(number);
        self.totals.calls += 1;
        number
    }

    /// Lets the oldest events go when there are too many, and the calls that ended before what remains.
    fn keep_within_bounds(&mut self) {
        if self.lines.bytes() <= MOST_BYTES && self.lines.len() <= MOST_EVENTS {
            return;
        }
        self.losses.let_go += self.lines.drop_oldest() as u64;
        let Some(horizon) = self.lines.began() else { return };
        while self.calls.front().is_some_and(|call| call.ended < horizon) {
            self.calls.pop_front();
            self.first_call += 1;
        }
        self.ids.keep_from(self.first_call);
        self.spans.keep_from(self.first_call);
        self.begins = horizon;
    }

    /// The call of that number, unless it has been let go.
    pub fn call(&self, number: u32) -> Option<&Call> {
        number.checked_sub(self.first_call).and_then(|index| self.calls.get(index as usize))
    }

    /// The call of that id.
    pub fn call_by_id(&self, id: &str) -> Option<u32> {
        self.find(id, None)
    }

    /// All calls with their numbers, oldest first.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = (u32, &Call)> + ExactSizeIterator {
        let first = self.first_call;
        self.calls
            .iter()
            .enumerate()
            .map(move |(index, call)| (first + u32::try_from(index).unwrap_or(0), call))
    }

    /// The numbers of the calls that are kept.
    pub fn numbers(&self) -> std::ops::Range<u32> {
        self.first_call..self.first_call + u32::try_from(self.calls.len()).unwrap_or(0)
    }

    /// The calls, in order, among which all are that touch a span of time.
    pub fn calls_within(&self, from: f64, to: f64) -> impl Iterator<Item = (u32, &Call)> {
        self.spans.within(from, to).flatten().filter_map(|number| Some((number, self.call(number)?)))
    }

    /// The calls that have not ended.
    pub fn open_calls(&self) -> impl Iterator<Item = (u32, &Call)> {
        self.open.iter().filter_map(|&number| Some((number, self.call(number)?)))
    }

    /// Whether a call goes on.
    pub fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// The line of an event, as it came.
    pub fn line(&self, number: u64) -> &str {
        self.lines.get(number)
    }

    /// An event's line by the short number that calls keep.
    pub fn line_of(&self, short: u32) -> &str {
        // Calls keep 32 bits; the rest is that of the oldest line, or one more.
        let first = self.lines.first();
        let number = (first & !u64::from(u32::MAX)) + u64::from(short);
        self.line(if number < first { number + (1 << 32) } else { number })
    }

    /// The options of a policy, as it last told them.
    pub fn options_of(&self, policy: Name) -> Option<Json<'_>> {
        match Event::parse(self.line(*self.options.get(&policy)?)).ok()?.kind {
            Kind::PolicyConfigured(configured) => Some(configured.options),
            _ => None,
        }
    }

    /// Every line that is kept, oldest first.
    pub fn all_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter()
    }

    /// The numbers of the lines that are kept, oldest first.
    pub fn kept_numbers(&self) -> std::ops::Range<u64> {
        self.lines.first()..self.lines.first() + self.lines.len() as u64
    }

    /// How many events are kept.
    pub fn kept(&self) -> usize {
        self.lines.len()
    }

    /// First and last moment of the log; nothing while it is empty.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        (self.lines.len() > 0).then_some((self.begins, self.ends))
    }
}
