//! The event log of a session: a plain ring of lines, with the indexes that views read kept as events come.
//!
//! Nothing here is reactive. [`Log::take`] is the one way in; everything else reads.

use super::breaker::{Breaker, Change, Probe, State};
use super::call::{Attempt, Call, Mark, MarkKind, Outcome, Reason, Status, Wait};
use super::fold::Folds;
use super::group::Groups;
use super::lines::{Lines, Place};
use super::names::{Name, Names};
use super::provider::{Limit, Provider};
use super::seen::Seen;
use halfopen::log::{Event, Kind, Rejected, Text};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Most bytes of lines that are kept; older events are let go, and counted.
const MOST_BYTES: usize = 320 << 20;
/// Most events that are kept.
const MOST_EVENTS: usize = 1_200_000;
/// Most changes and probes kept for one breaker.
const MOST_CHANGES: usize = 2_000;
/// Most breakers that have a lane.
const MOST_BREAKERS: usize = 500;
/// Most attempts, waits and marks kept for one call: an agent that never ends must not fill the page.
const MOST_PARTS: usize = 2_000;
/// How many of the last reasons for rejecting a line are kept to show.
const REASONS: usize = 20;

/// One event: when it was, and where its line stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) time: f64,
    pub(crate) place: Place,
}

/// What did not make it into the log, and why: shown, so that nothing is dropped unseen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    /// Lines that are no events.
    pub(crate) rejected: u64,
    /// Lines that end in their middle.
    pub(crate) torn: u64,
    /// Events that the agent or the server says it dropped.
    pub(crate) dropped: u64,
    /// Events let go here, to stay within memory.
    pub(crate) let_go: u64,
    /// Events that came twice, by two ways; one is kept.
    pub(crate) twice: u64,
    /// Events of types and versions that this dashboard does not know.
    pub(crate) unknown: u64,
    /// The last reasons for rejecting a line.
    pub(crate) reasons: VecDeque<String>,
}

/// Sums over the whole log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) events: u64,
    pub(crate) calls: u64,
    pub(crate) succeeded: u64,
    pub(crate) degraded: u64,
    pub(crate) failed: u64,
    pub(crate) rejected: u64,
    pub(crate) cancelled: u64,
    pub(crate) attempts: u64,
    pub(crate) retries: u64,
}

/// The log.
#[derive(Default)]
pub(crate) struct Log {
    lines: Lines,
    entries: VecDeque<Entry>,
    first_entry: u64,
    calls: VecDeque<Call>,
    first_call: u32,
    by_id: HashMap<Box<str>, u32>,
    open: BTreeSet<u32>,
    seen: HashMap<Name, Seen>,
    pub(crate) names: Names,
    pub(crate) breakers: Vec<Breaker>,
    pub(crate) providers: Vec<Provider>,
    pub(crate) groups: Groups,
    pub(crate) options: BTreeMap<Name, u64>,
    pub(crate) folds: Folds,
    pub(crate) losses: Losses,
    pub(crate) totals: Totals,
    /// Events that are shown as the text of their line, newest last.
    pub(crate) unknown: VecDeque<u64>,
    begins: f64,
    ends: f64,
}

impl Log {
    /// Takes one line. Whether it became an event.
    pub(crate) fn take(&mut self, line: &str) -> bool {
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
        let call = event.call.as_ref().and_then(|id| self.by_id.get(id.as_str()).copied());
        let source = match &event.source {
            Some(source) => self.names.number(source.as_str()),
            None => call.and_then(|call| self.call(call)).map_or(Name::NONE, |call| call.source),
        };
        if !self.seen.entry(source).or_default().add(event.seq) {
            self.losses.twice += 1;
            return false;
        }
        let first = self.entries.is_empty();
        let place = self.lines.push(line);
        let number = self.first_entry + self.entries.len() as u64;
        let call = event.call.as_ref().map(|id| self.call_number(id.as_str(), source, event, call));
        self.entries.push_back(Entry { time: event.time, place });
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

    /// The number of the event's call, made when the log has not seen it begin.
    fn call_number(&mut self, id: &str, source: Name, event: &Event<'_>, known: Option<u32>) -> u32 {
        let same = |log: &Self, number: u32| {
            log.call(number).is_some_and(|call| call.source == source || event.source.is_none())
        };
        if let Some(number) = known.filter(|&number| same(self, number)) {
            return number;
        }
        // Two processes that use one id: the later one's calls are kept under a name of their own.
        let key = match known {
            Some(_) => format!("{id}\u{1f}{}", source.0),
            None => id.to_owned(),
        };
        if let Some(&number) = self.by_id.get(key.as_str()) {
            return number;
        }
        let number = self.first_call + u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        let mut call = Call::new(id, number, event.time);
        call.source = source;
        if let Some(policy) = &event.policy {
            call.policy = self.names.number(policy.as_str());
        }
        if let Some(trace) = &event.trace_id {
            call.trace = self.names.number(trace.as_str());
        }
        let parent = event.parent_call.as_ref().and_then(|id| self.by_id.get(id.as_str()).copied());
        if let Some((parent, above)) = parent.and_then(|parent| Some((parent, self.call(parent)?))) {
            call.parent = Some(parent);
            call.root = above.root;
            call.depth = above.depth.saturating_add(1);
        }
        self.by_id.insert(key.into(), number);
        self.calls.push_back(call);
        self.open.insert(number);
        self.totals.calls += 1;
        number
    }

    fn apply(&mut self, number: u64, source: Name, call: Option<u32>, event: &Event<'_>) {
        let policy = event.policy.as_ref().map_or(Name::NONE, |policy| self.names.number(policy.as_str()));
        match &event.kind {
            Kind::PolicyConfigured { options, .. } => {
                self.options.insert(policy, number);
                if let Some(breaker) = options.get("breaker").filter(|breaker| breaker.is_object()) {
                    let name = breaker.get("name").and_then(serde_json::Value::as_str).map(str::to_owned);
                    let name = name.map_or(policy, |name| self.names.number(&name));
                    self.breaker(name, source, policy);
                }
            }
            Kind::BreakerChanged { .. } => self.breaker_changed(source, policy, event),
            Kind::LimitsObserved { provider, model, unit, limit, remaining, reset_at } => {
                let (provider, model) = (self.text(provider), self.optional(model.as_ref()));
                let unit = self.text(unit);
                let reset_at = reset_at.unwrap_or(f64::NAN);
                let limit = Limit { limit: *limit, remaining: *remaining, reset_at };
                self.provider(provider, model, policy).limits.insert(unit, limit);
            }
            Kind::EventsDropped { count } => self.losses.dropped = self.losses.dropped.saturating_add(*count),
            Kind::Other { .. } => {
                self.losses.unknown += 1;
                self.unknown.push_back(number);
                if self.unknown.len() > 1000 {
                    self.unknown.pop_front();
                }
            }
            _ => {}
        }
        if let Some(at) = call {
            self.apply_to_call(at, number, policy, event);
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each type of event, each a few lines")]
    fn apply_to_call(&mut self, at: u32, number: u64, policy: Name, event: &Event<'_>) {
        let Some(index) = at.checked_sub(self.first_call).map(|index| index as usize) else { return };
        let time = event.time;
        let (names, providers, totals) = (&mut self.names, &mut self.providers, &mut self.totals);
        let Some(call) = self.calls.get_mut(index) else { return };
        let short = u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0);
        if call.events.len() < MOST_PARTS {
            call.events.push(short);
        }
        if call.policy.is_none() {
            call.policy = policy;
        }
        let mut name = |text: &Text<'_>| names.number(text.as_str());
        match &event.kind {
            Kind::CallStarted { task } => {
                call.started = call.started.min(time);
                call.task = task.as_ref().map_or(Name::NONE, name);
            }
            Kind::CallQueued { by, due_at, .. } if call.waits.len() < MOST_PARTS => {
                call.status = Status::Queued;
                let (attempt, due) = (call.attempts.len() + 1, due_at.unwrap_or(f64::NAN));
                call.waits.push(Wait {
                    reason: Reason::Queue,
                    attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
                    from: time,
                    due,
                    earliest: due,
                    latest: due,
                    ended: f64::NAN,
                    by: name(by),
                    budget_left: f64::NAN,
                });
            }
            Kind::CallDequeued => {
                call.end_wait(time);
                call.status = Status::Running;
            }
            Kind::AttemptStarted { attempt, provider, model, probe, generation } => {
                call.end_wait(time);
                call.status = Status::Running;
                let (provider, model) = (
                    provider.as_ref().map_or(Name::NONE, &mut name),
                    model.as_ref().map_or(Name::NONE, &mut name),
                );
                if call.attempts.len() < MOST_PARTS {
                    let mut begun = Attempt::new(*attempt, time);
                    (begun.provider, begun.model) = (provider, model);
                    begun.probe = probe.unwrap_or(false);
                    begun.generation = *generation;
                    call.attempts.push(begun);
                }
                totals.attempts += 1;
                let row = provider_row(providers, provider, model, call.policy);
                row.attempts += 1;
                row.in_flight += 1;
                row.last = time;
                if *attempt > 1 {
                    row.retries += 1;
                    totals.retries += 1;
                }
            }
            Kind::AttemptSucceeded { attempt, duration_ms, first_chunk_ms, usage } => {
                let ended = call.attempt(*attempt, time - duration_ms);
                ended.outcome = Outcome::Succeeded;
                (ended.ended, ended.duration_ms) = (time, *duration_ms);
                ended.first_chunk_ms = first_chunk_ms.unwrap_or(f64::NAN);
                ended.ended_by = Some(number);
                let row = provider_row(providers, ended.provider, ended.model, policy);
                if let Some(usage) = usage {
                    let tokens = (usage.input_tokens.unwrap_or(0), usage.output_tokens.unwrap_or(0));
                    ended.tokens = Some(tokens);
                    row.input_tokens = row.input_tokens.saturating_add(tokens.0);
                    row.output_tokens = row.output_tokens.saturating_add(tokens.1);
                }
                row.succeeded += 1;
                row.in_flight = row.in_flight.saturating_sub(1);
                row.durations.add(*duration_ms);
                row.last = time;
            }
            Kind::AttemptFailed {
                attempt,
                duration_ms,
                code,
                retryable,
                rule,
                counted,
                status_code,
                retry_after_ms,
                ..
            } => {
                let (code, rule) = (name(code), name(rule));
                let ended = call.attempt(*attempt, time - duration_ms);
                ended.outcome = Outcome::Failed;
                (ended.ended, ended.duration_ms) = (time, *duration_ms);
                (ended.code, ended.rule) = (code, rule);
                (ended.retryable, ended.counted) = (*retryable, *counted);
                ended.status_code = status_code.unwrap_or(0);
                ended.retry_after_ms = retry_after_ms.unwrap_or(f64::NAN);
                ended.ended_by = Some(number);
                let row = provider_row(providers, ended.provider, ended.model, policy);
                *row.codes.entry(code).or_default() += 1;
                row.in_flight = row.in_flight.saturating_sub(1);
                row.durations.add(*duration_ms);
                row.last = time;
                call.code = code;
                self.groups.add(code, rule, time, at, number);
            }
            Kind::RetryScheduled { delay_ms, due_at, min_ms, max_ms, attempt, source, budget_left } => {
                call.status = Status::Waiting;
                if call.waits.len() < MOST_PARTS {
                    let from = (due_at - delay_ms).max(0.0);
                    let hint = source.as_str() == "retry-after";
                    call.waits.push(Wait {
                        reason: if hint { Reason::RetryAfter } else { Reason::Backoff },
                        attempt: *attempt,
                        from,
                        due: *due_at,
                        earliest: from + min_ms,
                        latest: from + max_ms,
                        ended: f64::NAN,
                        by: Name::NONE,
                        budget_left: budget_left.unwrap_or(f64::NAN),
                    });
                }
            }
            Kind::CallSucceeded { .. } => {
                let degraded = call.status == Status::Degraded || call.marks.iter().any(is_fallback);
                call.status = if degraded { Status::Degraded } else { Status::Succeeded };
                *(if degraded { &mut totals.degraded } else { &mut totals.succeeded }) += 1;
                self.end(at, time);
            }
            Kind::CallFailed { code, why, .. } => {
                (call.code, call.why) = (name(code), name(why));
                let cancelled = why.as_str() == "cancelled" || code.as_str() == "CANCELLED";
                call.status = if cancelled { Status::Cancelled } else { Status::Failed };
                *(if cancelled { &mut totals.cancelled } else { &mut totals.failed }) += 1;
                self.end(at, time);
            }
            Kind::CallRejected { code, by, .. } => {
                call.code = name(code);
                call.why = name(by);
                call.status = Status::Rejected;
                mark(call, MarkKind::Rejected, time, call.code, Name::NONE, Name::NONE);
                totals.rejected += 1;
                let policy = call.policy;
                if let Some(breaker) = self.breakers.iter_mut().find(|breaker| breaker.policy == policy) {
                    breaker.rejected += u64::from(by.as_str() == "breaker");
                }
                self.end(at, time);
            }
            Kind::FallbackUsed { code, failed } => {
                let failed = failed.unwrap_or(false);
                let kind = if failed { MarkKind::FallbackFailed } else { MarkKind::Fallback };
                let code = name(code);
                mark(call, kind, time, code, Name::NONE, Name::NONE);
                if !failed {
                    match call.status {
                        Status::Failed => totals.failed = totals.failed.saturating_sub(1),
                        Status::Rejected => totals.rejected = totals.rejected.saturating_sub(1),
                        _ => {}
                    }
                    if matches!(call.status, Status::Failed | Status::Rejected) {
                        totals.degraded += 1;
                    }
                    call.status = if call.status.is_open() { call.status } else { Status::Degraded };
                    if !call.ended.is_nan() {
                        call.ended = call.ended.max(time);
                    }
                }
            }
            Kind::FailoverSwitched { from, to, code } => {
                let (from, to, code) = (name(from), name(to), name(code));
                mark(call, MarkKind::Failover, time, code, from, to);
            }
            Kind::StreamChunk { attempt, chunks, characters } => {
                let running = call.attempt(*attempt, time);
                (running.chunks, running.characters) = (*chunks, *characters);
                if running.first_chunk_ms.is_nan() {
                    running.first_chunk_ms = (time - running.started).max(0.0);
                }
            }
            Kind::StreamBroken { .. } => {
                mark(call, MarkKind::StreamBroken, time, Name::NONE, Name::NONE, Name::NONE);
            }
            _ => {}
        }
        self.note_probe(at, event);
    }

    fn end(&mut self, at: u32, time: f64) {
        if let Some(call) =
            at.checked_sub(self.first_call).and_then(|index| self.calls.get_mut(index as usize))
        {
            call.end_wait(time);
            call.ended = time.max(call.started);
            self.open.remove(&at);
        }
    }

    fn note_probe(&mut self, at: u32, event: &Event<'_>) {
        let Some(call) = self.call(at) else { return };
        let policy = call.policy;
        let (time, fresh) = (event.time, event.time);
        match &event.kind {
            Kind::AttemptStarted { attempt, probe: Some(true), .. } => {
                let attempt = *attempt;
                if let Some(breaker) = self.breakers.iter_mut().rev().find(|breaker| breaker.policy == policy)
                {
                    if breaker.probes.len() >= MOST_CHANGES {
                        breaker.probes.remove(0);
                    }
                    breaker.probes.push(Probe {
                        call: at,
                        attempt,
                        from: fresh,
                        ended: f64::NAN,
                        failed: false,
                    });
                }
            }
            Kind::AttemptSucceeded { attempt, .. } | Kind::AttemptFailed { attempt, .. } => {
                let failed = matches!(event.kind, Kind::AttemptFailed { .. });
                for breaker in self.breakers.iter_mut().filter(|breaker| breaker.policy == policy) {
                    let waiting = breaker.probes.iter_mut().rev().take(32);
                    for probe in waiting
                        .filter(|probe| probe.call == at && probe.attempt == *attempt && probe.ended.is_nan())
                    {
                        (probe.ended, probe.failed) = (time, failed);
                    }
                }
            }
            _ => {}
        }
    }

    fn breaker_changed(&mut self, source: Name, policy: Name, event: &Event<'_>) {
        let Kind::BreakerChanged { breaker, from, to, reason, generation, retry_at, window } = &event.kind
        else {
            return;
        };
        let name = self.text(breaker);
        let Some(breaker) = self.breaker(name, source, policy) else { return };
        if breaker.changes.len() >= MOST_CHANGES {
            let oldest = breaker.changes.remove(0);
            breaker.seen = oldest.at;
        }
        let mut window = window.clone();
        if let Some(window) = &mut window {
            window.last.truncate(64);
        }
        breaker.changes.push(Change {
            at: event.time,
            from: State::from_word(from.as_str()),
            to: State::from_word(to.as_str()),
            reason: reason.as_str().chars().take(500).collect(),
            generation: *generation,
            retry_at: retry_at.unwrap_or(f64::NAN),
            window,
        });
    }

    /// The lane of a breaker, begun when it is first heard of.
    fn breaker(&mut self, name: Name, source: Name, policy: Name) -> Option<&mut Breaker> {
        let seen = self.begins;
        let known = self.breakers.iter().position(|breaker| breaker.name == name && breaker.source == source);
        let index = known.unwrap_or_else(|| {
            if self.breakers.len() >= MOST_BREAKERS {
                return usize::MAX;
            }
            let (changes, probes) = (Vec::new(), Vec::new());
            self.breakers.push(Breaker { name, source, policy, seen, changes, probes, rejected: 0 });
            self.breakers.len() - 1
        });
        let breaker = self.breakers.get_mut(index)?;
        if breaker.policy.is_none() {
            breaker.policy = policy;
        }
        Some(breaker)
    }

    fn provider(&mut self, provider: Name, model: Name, policy: Name) -> &mut Provider {
        provider_row(&mut self.providers, provider, model, policy)
    }

    fn text(&mut self, text: &Text<'_>) -> Name {
        self.names.number(text.as_str())
    }

    fn optional(&mut self, text: Option<&Text<'_>>) -> Name {
        text.map_or(Name::NONE, |text| self.names.number(text.as_str()))
    }

    /// Lets the oldest events go when there are too many, and the calls that ended before what remains.
    fn keep_within_bounds(&mut self) {
        if self.lines.bytes() <= MOST_BYTES && self.entries.len() <= MOST_EVENTS {
            return;
        }
        let kept = self.lines.drop_oldest();
        while self.entries.front().is_some_and(|entry| entry.place.block() < kept) {
            self.entries.pop_front();
            self.first_entry += 1;
            self.losses.let_go += 1;
        }
        let Some(horizon) = self.entries.front().map(|entry| entry.time) else { return };
        while self.calls.front().is_some_and(|call| call.ended < horizon) {
            if let Some(call) = self.calls.pop_front() {
                let number = self.first_call;
                if self.by_id.get(&call.id) == Some(&number) {
                    self.by_id.remove(&call.id);
                }
            }
            self.first_call += 1;
        }
        self.begins = horizon;
    }

    /// The call of that number, unless it has been let go.
    pub(crate) fn call(&self, number: u32) -> Option<&Call> {
        number.checked_sub(self.first_call).and_then(|index| self.calls.get(index as usize))
    }

    /// The call of that id.
    pub(crate) fn call_by_id(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// All calls with their numbers, oldest first.
    pub(crate) fn calls(&self) -> impl DoubleEndedIterator<Item = (u32, &Call)> + ExactSizeIterator {
        let first = self.first_call;
        self.calls
            .iter()
            .enumerate()
            .map(move |(index, call)| (first + u32::try_from(index).unwrap_or(0), call))
    }

    /// The calls that have not ended.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = (u32, &Call)> {
        self.open.iter().filter_map(|&number| Some((number, self.call(number)?)))
    }

    /// Whether a call goes on.
    pub(crate) fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// The line of an event, as it came.
    pub(crate) fn line(&self, number: u64) -> &str {
        self.entry(number).map_or("", |entry| self.lines.get(entry.place))
    }

    /// An event's line by the short number that calls keep.
    pub(crate) fn line_of(&self, short: u32) -> &str {
        // Calls keep 32 bits; the rest is that of the ring's beginning, or one more.
        let high = self.first_entry & !u64::from(u32::MAX);
        let number = high + u64::from(short);
        self.line(if number < self.first_entry { number + (1 << 32) } else { number })
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        let index = number.checked_sub(self.first_entry)?;
        self.entries.get(usize::try_from(index).ok()?)
    }

    /// Every line that is kept, oldest first.
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| self.lines.get(entry.place))
    }

    /// How many events are kept.
    pub(crate) fn kept(&self) -> usize {
        self.entries.len()
    }

    /// First and last moment of the log; nothing while it is empty.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        (!self.entries.is_empty()).then_some((self.begins, self.ends))
    }
}

fn is_fallback(mark: &Mark) -> bool {
    mark.kind == MarkKind::Fallback
}

fn mark(call: &mut Call, kind: MarkKind, at: f64, code: Name, from: Name, to: Name) {
    if call.marks.len() < MOST_PARTS {
        call.marks.push(Mark { kind, at, code, from, to });
    }
}

fn provider_row(rows: &mut Vec<Provider>, provider: Name, model: Name, policy: Name) -> &mut Provider {
    let known = rows.iter().position(|row| row.provider == provider && row.model == model);
    let index = known.unwrap_or_else(|| {
        rows.push(Provider { provider, model, ..Provider::default() });
        rows.len() - 1
    });
    #[expect(clippy::indexing_slicing, reason = "found or pushed just above")]
    let row = &mut rows[index];
    if !policy.is_none() && !row.policies.contains(&policy) {
        row.policies.push(policy);
    }
    row
}
