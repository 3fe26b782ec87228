//! The changes that an event makes in the log: to its call, its breaker, its provider, the sums.

use crate::adaptive;
use crate::breaker::{Breaker, BreakerId, Change, Probe, State, Throttled, Verdict};
use crate::call::{Attempt, Call, Mark, MarkKind, Outcome, Reason, Status, Wait};
use crate::effects::act;
use crate::fleet::Hint;
use crate::group::Key;
use crate::names::Name;
use crate::numbers::{CallNumber, EventNumber};
use crate::policy::{Limits, PolicyId, Shares};
use crate::process::About;
use crate::provider::Limit;
use crate::store::Log;
use crate::time::Moment;
use halfopen_log::kind::{
    AttemptStarted, AttemptSucceeded, BreakerChanged, BreakerThrottled, CallFailed, CallQueued, CallRejected,
    CallStarted, CallSucceeded, CoreRestarted, EventsDropped, FailoverSwitched, FallbackUsed, LimitChanged,
    PolicyConfigured, StreamChunk,
};
use halfopen_log::{Event, Json, Kind, Shallow, Text, Usage};

/// The number of newest calls within a call that are searched for the one whose error it failed with.
const LATEST: usize = 64;
/// Most changes and probes kept for one breaker.
const MOST_CHANGES: usize = 2_000;

impl Log {
    pub(crate) fn apply(
        &mut self,
        number: EventNumber,
        source: Name,
        call: Option<CallNumber>,
        event: &Event<'_>,
    ) {
        let policy = event.policy.as_ref().map_or(Name::NONE, |policy| self.names.number(policy.as_str()));
        let id = PolicyId { source, name: policy };
        let time = Moment::from_ms(event.time);
        match &event.kind {
            Kind::PolicyConfigured(PolicyConfigured { options, .. }) => {
                let shares = Shares::of(options, &mut self.names);
                self.policies.configure(id, (number, time), self.lines.get(number), options, shares);
                if options.at(&["breaker"]).is_some_and(|breaker| breaker.is_object()) {
                    let name = options.at(&["breaker", "name"]);
                    let name = name.as_ref().and_then(|name| name.as_str());
                    let name = name.map_or(policy, |name| self.names.number(name));
                    self.breaker(name, id);
                }
            }
            Kind::BreakerChanged(changed) => self.breaker_changed(id, time, call, changed),
            Kind::BreakerThrottled(throttled) => self.breaker_throttled(id, time, throttled),
            Kind::LimitChanged(LimitChanged { limit, code, .. }) => {
                let code = self.optional(code.as_ref());
                self.policies.limit(id, adaptive::Change { at: time, limit: Some(*limit), code });
            }
            Kind::LimitsObserved(seen) => {
                let (provider, model) = (self.text(&seen.provider), self.optional(seen.model.as_ref()));
                let unit = self.text(&seen.unit);
                let limit = Limit {
                    limit: seen.limit,
                    remaining: seen.remaining,
                    reset_at: seen.reset_at.map(Moment::from_ms),
                };
                self.providers.observed((provider, model), unit, limit);
            }
            Kind::ControlApplied(_) | Kind::ControlFailed(_) => {
                let (policy, run) = (event.policy.as_ref(), event.run.as_ref());
                self.actions.apply(source, time, &event.kind, policy.or(run).map_or("", Text::as_str));
            }
            Kind::CoreRestarted(CoreRestarted { module, during }) => {
                self.restarts.add(module.as_str(), during.as_str(), time, call);
            }
            Kind::ProcessStarted(started) => {
                let about = About {
                    host: self.optional(started.host.as_ref()),
                    pid: started.pid,
                    version: self.optional(started.version.as_ref()),
                    deployment: self.optional(started.deployment.as_ref()),
                    control: started.control == Some(true),
                };
                self.processes.entry(source).or_default().about = about;
            }
            Kind::FleetChanged(changed) => {
                let fleet = self.text(&changed.fleet);
                let reason = changed.reason.as_ref().map(Text::as_str);
                self.fleets.changed((source, fleet), time, changed.status.as_str(), reason);
            }
            Kind::FleetMismatch(mismatch) => {
                let (fleet, resource) = (self.text(&mismatch.fleet), self.text(&mismatch.resource));
                self.fleets.mismatched(source, fleet, time, resource);
            }
            Kind::EventsDropped(EventsDropped { count }) => {
                self.losses.dropped = self.losses.dropped.saturating_add(*count);
            }
            Kind::RunStarted(_)
            | Kind::RunStep(_)
            | Kind::RunTool(_)
            | Kind::RunWarned(_)
            | Kind::RunAdvised(_)
            | Kind::RunEnded(_) => self.runs.apply(&mut self.names, source, number, event),
            kind @ (Kind::EffectClaimed(_)
            | Kind::EffectDone(_)
            | Kind::EffectReused(_)
            | Kind::EffectUnknown(_)
            | Kind::EffectVerified(_)
            | Kind::EffectSettled(_)
            | Kind::EffectUnguarded(_)) => {
                let run = event.run.as_ref().map(Text::as_str);
                let found = self.effects.apply(time, kind);
                if let Some(act) = act(time, kind) {
                    self.runs.act(run, source, act, found);
                }
            }
            Kind::Other(_) => {
                self.losses.unknown += 1;
                self.unknown.push_back(number);
                if self.unknown.len() > 1000 {
                    self.unknown.pop_front();
                }
            }
            _ => {}
        }
        if let Some(at) = call.or_else(|| self.left_for_next(id, event)) {
            self.apply_to_call(at, number, policy, event);
        }
    }

    /// The call that a failover moved on from. The failover's event directly follows the end of that call, and names only the policy.
    fn left_for_next(&self, id: PolicyId, event: &Event<'_>) -> Option<CallNumber> {
        let Kind::FailoverSwitched(switched) = &event.kind else { return None };
        let mut latest = self.calls().rev().take(LATEST);
        latest
            .find(|(_, call)| call.policy_id() == id && call.ended.is_some())
            .and_then(|(at, call)| (self.names.text(call.code) == switched.code.as_str()).then_some(at))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each type of event, each a few lines")]
    fn apply_to_call(&mut self, at: CallNumber, number: EventNumber, policy: Name, event: &Event<'_>) {
        let time = Moment::from_ms(event.time);
        let passed_on = match &event.kind {
            Kind::AttemptFailed(failed) => self.is_passed_on(at, failed.rule.as_str(), failed.code.as_str()),
            _ => false,
        };
        self.spend(at, event);
        let ended_before = self.ended_by(at);
        let line = self.lines.get(number);
        let (folds, strip) = (&self.folds, &mut self.strip);
        let (names, totals) = (&mut self.names, &mut self.totals);
        let Some(call) = self.calls.get_mut(at) else { return };
        self.spans.at(at, time);
        call.push_event(number.short());
        if call.policy.is_none() {
            call.policy = policy;
        }
        let id = call.policy_id();
        let mut name = |text: &Text<'_>| names.number(text.as_str());
        match &event.kind {
            Kind::CallStarted(CallStarted { task, operation, options }) => {
                let stall = options.as_ref().and_then(|options| options.at(&["stallTimeoutMs"]));
                call.stall_limited = stall.is_some_and(|stall| stall.as_f64().is_some());
                call.started = call.started.min(time);
                let limits = Limits::of_call(line).or(self.policies.limits(id));
                let total = limits.total.filter(|total| total.is_finite());
                call.deadline = total.map(|total| call.started + total);
                (call.task, call.operation) = (
                    task.as_ref().map_or(Name::NONE, &mut name),
                    operation.as_ref().map_or(Name::NONE, &mut name),
                );
            }
            Kind::CallQueued(CallQueued { by, due_at, .. }) => {
                call.status = Status::Queued;
                let attempt = call.tries() + 1;
                call.push_wait(Wait {
                    reason: Reason::Queue,
                    attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
                    from: time,
                    due: due_at.map(Moment::from_ms),
                    band: None,
                    ended: None,
                    by: name(by),
                    budget_left: None,
                });
            }
            Kind::CallDequeued(_) => {
                call.end_wait(time);
                call.status = Status::Running;
            }
            Kind::AttemptStarted(AttemptStarted { attempt, provider, model, probe, generation }) => {
                call.end_wait(time);
                call.status = Status::Running;
                let (provider, model) = (
                    provider.as_ref().map_or(Name::NONE, &mut name),
                    model.as_ref().map_or(Name::NONE, &mut name),
                );
                let mut begun = Attempt::new(*attempt, time);
                (begun.provider, begun.model) = (provider, model);
                begun.probe = probe.unwrap_or(false);
                begun.generation = *generation;
                call.push_attempt(begun);
                strip.begun(folds.place(time));
                totals.retries += u64::from(*attempt > 1);
            }
            Kind::AttemptSucceeded(AttemptSucceeded {
                attempt,
                duration_ms,
                first_chunk_ms,
                usage,
                unread_stream,
                ..
            }) => {
                let ended = call.attempt(*attempt, time - *duration_ms);
                ended.unread_stream = unread_stream.unwrap_or(false);
                ended.outcome = Outcome::Succeeded;
                (ended.ended, ended.duration_ms) = (Some(time), Some(*duration_ms));
                ended.first_chunk_ms = *first_chunk_ms;
                ended.ended_by = Some(number);
                count_tokens(ended, *usage);
            }
            Kind::AttemptFailed(failed) => {
                let (code, rule) = (name(&failed.code), name(&failed.rule));
                let remedy = match failed.remedy.as_ref().and_then(|remedy| remedy.at(&["kind"])) {
                    Some(Shallow::Text(kind)) => name(&kind),
                    _ => Name::NONE,
                };
                let ended = call.attempt(failed.attempt, time - failed.duration_ms);
                ended.outcome = Outcome::Failed;
                strip.failed(folds.place(ended.started));
                (ended.ended, ended.duration_ms) = (Some(time), Some(failed.duration_ms));
                (ended.code, ended.rule, ended.remedy) = (code, rule, remedy);
                let because = failed.remedy.as_ref().and_then(|remedy| remedy.at(&["because"]));
                ended.empty_answer = because.is_some_and(|because| because.is_text("empty"));
                (ended.retryable, ended.counted) = (failed.retryable, failed.counted);
                ended.words_alone = !failed.retryable && is_by_words_alone(&failed.signals);
                ended.status_code = failed.status_code.unwrap_or(0);
                ended.retry_after_ms = failed.retry_after_ms;
                ended.ended_by = Some(number);
                count_tokens(ended, failed.usage);
                call.code = code;
                if !passed_on {
                    self.groups.add(
                        Key::Failed { code, rule },
                        id,
                        time,
                        folds.place(time),
                        at,
                        Some(number),
                    );
                }
                if let Some(ms) = failed.retry_after_ms {
                    self.fleets.hinted(id, Hint { until: time + ms, code });
                }
            }
            Kind::AttemptRepaired(repaired) => {
                let remedy = name(&repaired.remedy);
                let code = call.attempt(repaired.attempt, time).code;
                mark(call, MarkKind::Repaired, time, code, remedy, Name::NONE);
            }
            Kind::RetryScheduled(wait) => {
                call.status = Status::Waiting;
                let due = Moment::from_ms(wait.due_at);
                let from = (due - wait.delay_ms).max(Moment::from_ms(0.0));
                let hint = wait.delay_source.as_str() == "retry-after";
                call.push_wait(Wait {
                    reason: if hint { Reason::RetryAfter } else { Reason::Backoff },
                    attempt: wait.attempt,
                    from,
                    due: Some(due),
                    band: Some((from + wait.min_ms, from + wait.max_ms)),
                    ended: None,
                    by: Name::NONE,
                    budget_left: wait.budget_left,
                });
            }
            Kind::CallSucceeded(CallSucceeded { closed_early, usage, .. }) => {
                if let Some(last) = call.attempts.last_mut() {
                    count_tokens(last, *usage);
                }
                call.closed_early = closed_early.unwrap_or(false);
                let degraded = call.status == Status::Degraded || call.marks.iter().any(is_fallback);
                call.status = if degraded { Status::Degraded } else { Status::Succeeded };
                self.end(at, time);
            }
            Kind::CallFailed(CallFailed { code, why, usage, .. }) => {
                if let Some(last) = call.attempts.last_mut() {
                    count_tokens(last, *usage);
                }
                (call.code, call.why) = (name(code), name(why));
                let cancelled = why.as_str() == "cancelled" || code.as_str() == "CANCELLED";
                call.status = if cancelled { Status::Cancelled } else { Status::Failed };
                self.end(at, time);
            }
            Kind::CallRejected(CallRejected { code, by, .. }) => {
                call.code = name(code);
                call.why = name(by);
                call.status = Status::Rejected;
                mark(call, MarkKind::Rejected, time, call.code, Name::NONE, Name::NONE);
                let key = Key::Refused { code: call.code, by: call.why };
                self.groups.add(key, id, time, folds.place(time), at, None);
                if call.attempts.is_empty() {
                    strip.begun(folds.place(call.started));
                    strip.failed(folds.place(call.started));
                }
                let breaker = self.policies.breaker(id).and_then(|id| self.breakers.get_mut(id));
                if let Some(breaker) = breaker {
                    breaker.rejected += u64::from(by.as_str() == "breaker");
                }
                self.end(at, time);
            }
            Kind::FallbackUsed(FallbackUsed { code, failed }) => {
                let failed = failed.unwrap_or(false);
                let kind = if failed { MarkKind::FallbackFailed } else { MarkKind::Fallback };
                let code = name(code);
                mark(call, kind, time, code, Name::NONE, Name::NONE);
                if !failed {
                    if !call.status.is_open() && call.status != Status::Silent {
                        self.summaries.changed(id, call.status, Status::Degraded);
                    }
                    call.status = if call.status.is_open() { call.status } else { Status::Degraded };
                    call.ended = call.ended.map(|ended| ended.max(time));
                }
            }
            Kind::FailoverSwitched(FailoverSwitched { from, to, code }) => {
                let (from, to, code) = (name(from), name(to), name(code));
                mark(call, MarkKind::Failover, time, code, from, to);
            }
            Kind::StreamChunk(StreamChunk { attempt, chunks, characters, usage }) => {
                let has_ended = call.ended.is_some();
                let running = call.attempt(*attempt, time);
                (running.chunks, running.characters) = (*chunks, *characters);
                running.first_chunk_ms.get_or_insert((time - running.started).max(0.0));
                let taken = count_tokens(running, *usage);
                // The body of a `policy.fetch` is read after its call has ended, and been summed up.
                if has_ended {
                    self.summaries.took(id, running, taken);
                }
            }
            Kind::StreamBroken(_) => {
                mark(call, MarkKind::StreamBroken, time, Name::NONE, Name::NONE, Name::NONE);
            }
            _ => {}
        }
        self.note_probe(at, event);
        // A fallback may answer after the call has failed.
        let ended = self.ended_by(at);
        if ended != ended_before {
            ended_before.into_iter().for_each(|key| self.groups.recover(key));
            ended.into_iter().for_each(|key| self.groups.end(key, at));
        }
    }

    /// The group of the failure or the refusal that a call ended with.
    fn ended_by(&self, at: CallNumber) -> Option<Key> {
        self.call(at)?.ended_by()
    }

    /// Counts the tokens of an event for the run of its call. A call with nested calls reports their usage again,
    /// so its own report does not count.
    fn spend(&mut self, at: CallNumber, event: &Event<'_>) {
        let Some(run) = self.call(at).and_then(|call| call.run) else { return };
        let usage = match &event.kind {
            Kind::AttemptSucceeded(event) => event.usage,
            Kind::AttemptFailed(event) => event.usage,
            Kind::CallSucceeded(event) => event.usage,
            Kind::CallFailed(event) => event.usage,
            Kind::StreamChunk(event) => event.usage,
            _ => None,
        };
        if let Some(Usage { input_tokens, output_tokens }) = usage
            && self.children(at).len() == 0
        {
            self.runs.took(run, (input_tokens.unwrap_or(0), output_tokens.unwrap_or(0)));
        }
    }

    #[inline(never)]
    fn end(&mut self, at: CallNumber, time: Moment) {
        if let Some(call) = self.calls.get_mut(at) {
            call.end_wait(time);
            call.ended = Some(time.max(call.started));
            call.shrink();
            self.summaries.add(call);
            let source = call.source;
            self.close(at, source);
        }
    }

    /// Returns `true` if an attempt failed with the error of a call within it. That failure is counted at its origin.
    #[inline(never)]
    pub(crate) fn is_passed_on(&self, at: CallNumber, rule: &str, code: &str) -> bool {
        if rule != "agent-error" {
            return false;
        }
        let mut within = self.children(at).rev().take(LATEST).filter_map(|child| self.call(child));
        within.any(|child| {
            matches!(child.status, Status::Failed | Status::Rejected) && self.names.text(child.code) == code
        })
    }

    /// Updates a probe's verdict. With `breakerScope: 'call'` a probe is decided when its call ends. With `'attempt'` the
    /// first attempt that counts decides, and the breaker is of the next generation by then.
    #[inline(never)]
    fn note_probe(&mut self, at: CallNumber, event: &Event<'_>) {
        let Some(policy) = self.call(at).map(Call::policy_id) else { return };
        let begins = match &event.kind {
            Kind::AttemptStarted(AttemptStarted { probe: Some(true), generation, .. }) => {
                Some(generation.unwrap_or(0))
            }
            _ => None,
        };
        let verdict = match &event.kind {
            Kind::AttemptSucceeded(_) => Verdict::Succeeded,
            Kind::AttemptFailed(failed) if failed.counted => Verdict::Failed,
            Kind::AttemptFailed(_) => Verdict::Nothing,
            Kind::RetryScheduled(_) => Verdict::Running,
            Kind::CallFailed(_) | Kind::CallRejected(_) => Verdict::Nothing,
            _ if begins.is_some() => Verdict::Running,
            _ => return,
        };
        let ends = matches!(event.kind, Kind::CallFailed(_) | Kind::CallRejected(_));
        let breaker = self.policies.breaker(policy).and_then(|id| self.breakers.get_mut(id));
        let Some(breaker) = breaker else { return };
        let present = breaker.changes.back().map_or(0, |change| change.generation);
        match (breaker.probe_of(at).filter(|probe| begins.is_none_or(|of| of == probe.generation)), begins) {
            (Some(probe), _) => {
                // Once the breaker has left the probe's generation, or the call has ended, the verdict is final.
                let is_final = probe.verdict != Verdict::Running && (ends || present > probe.generation);
                if !is_final {
                    probe.verdict = verdict;
                }
            }
            (None, Some(generation)) => {
                if breaker.probes.len() >= MOST_CHANGES {
                    breaker.probes.pop_front();
                }
                breaker.probes.push_back(Probe {
                    call: at,
                    generation,
                    from: Moment::from_ms(event.time),
                    verdict,
                });
            }
            (None, None) => {}
        }
    }

    #[inline(never)]
    fn breaker_changed(
        &mut self,
        policy: PolicyId,
        at: Moment,
        call: Option<CallNumber>,
        changed: &BreakerChanged<'_>,
    ) {
        let name = self.text(&changed.breaker);
        let Some(breaker) = self.breaker(name, policy) else {
            self.losses.of_breakers += 1;
            return;
        };
        if breaker.changes.len() >= MOST_CHANGES
            && let Some(oldest) = breaker.changes.pop_front()
        {
            breaker.seen = oldest.at;
            breaker.forgotten += 1;
        }
        let mut window = changed.window.clone();
        if let Some(window) = &mut window {
            window.last.truncate(64);
        }
        breaker.changes.push_back(Change {
            at,
            from: State::from_word(changed.from.as_str()),
            to: State::from_word(changed.to.as_str()),
            reason: changed.reason.as_str().chars().take(500).collect(),
            generation: changed.generation,
            retry_at: changed.retry_at.map(Moment::from_ms),
            window,
            call,
        });
    }

    #[inline(never)]
    fn breaker_throttled(&mut self, policy: PolicyId, at: Moment, throttled: &BreakerThrottled<'_>) {
        let name = self.text(&throttled.breaker);
        let Some(breaker) = self.breaker(name, policy) else { return };
        if breaker.throttled.len() >= MOST_CHANGES {
            breaker.throttled.pop_front();
        }
        breaker.throttled.push_back(Throttled { at, rate: throttled.rate.clamp(0.0, 1.0) });
    }

    /// A policy's breaker, by its name. Policies of one process may share it.
    #[inline(never)]
    fn breaker(&mut self, name: Name, policy: PolicyId) -> Option<&mut Breaker> {
        let PolicyId { source, name: of } = policy;
        let (id, seen) = (BreakerId { source, name }, self.begins);
        let breaker = self.breakers.get_or_add(id, || Breaker::new(id, of, seen))?;
        if breaker.policy.is_none() {
            breaker.policy = of;
        }
        if !of.is_none() {
            self.policies.guard(policy, id);
        }
        Some(breaker)
    }

    fn text(&mut self, text: &Text<'_>) -> Name {
        self.names.number(text.as_str())
    }

    fn optional(&mut self, text: Option<&Text<'_>>) -> Name {
        text.map_or(Name::NONE, |text| self.names.number(text.as_str()))
    }
}

/// Returns `true` if only words indicated a retryable code (`Signals` of the core's classifier).
fn is_by_words_alone(signals: &Json<'_>) -> bool {
    signals.as_str().contains("wordsAlone") && signals.at(&["wordsAlone"]) == Some(Shallow::Flag(true))
}

fn is_fallback(mark: &Mark) -> bool {
    mark.kind == MarkKind::Fallback
}

/// Counts the tokens of an event. They come as soon as they are known: at the end of the attempt; for a stream that was closed or
/// cancelled, at the end of its call; for a body, once it has been read. Returns them.
fn count_tokens(attempt: &mut Attempt, usage: Option<Usage>) -> (u64, u64) {
    let Some(usage) = usage else { return (0, 0) };
    let (input, output) = (usage.input_tokens.unwrap_or(0), usage.output_tokens.unwrap_or(0));
    let short = |tokens| u32::try_from(tokens).unwrap_or(u32::MAX);
    let before = attempt.tokens.unwrap_or((0, 0));
    attempt.tokens = Some((before.0.saturating_add(short(input)), before.1.saturating_add(short(output))));
    (input, output)
}

fn mark(call: &mut Call, kind: MarkKind, at: Moment, code: Name, from: Name, to: Name) {
    call.push_mark(Mark { kind, at, code, from, to });
}
