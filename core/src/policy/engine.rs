//! The engine: one input, one step. It knows no clock, calls nothing and waits for nothing; a driver does.
//!
//! Layers, outermost first: total deadline, breaker (scope `call`), retry, bulkhead, rate limit, breaker (scope
//! `attempt`). A call that waits to retry therefore holds no place.

use super::breaker::{Answer, Breaker, Outcome, Permit};
use super::call::{Call, Last, NEVER, State, outcome_of};
use super::limit::{Bulkhead, BulkheadConfig, Place, RateLimit, RateLimitConfig};
use super::retry::{DelaySource, Failure, Why};
use super::slab::Slab;
use super::step::{BreakerScope, CallConfig, Context, Layer, PolicyConfig, Shared, Step};
use crate::code::Code;
use crate::event::{Fact, Record};
use crate::time::{Millis, Timestamp};
use std::collections::VecDeque;

#[derive(Clone, Debug)]
struct Leased {
    config: CallConfig,
    calls: usize,
}

/// One policy's state machine. See the crate's documentation for how to drive it.
#[derive(Clone, Debug)]
pub struct Engine {
    /// What calls begin with now: those whose `config` is 0.
    pub(super) current: CallConfig,
    /// What calls go on with that began under older settings, or under their own.
    others: Slab<Leased>,
    pub(super) calls: Slab<Call>,
    bulkhead: Option<Bulkhead>,
    rate: Option<RateLimit>,
    /// Calls that were handed a place.
    ready: VecDeque<u32>,
    seed: u64,
    pub(super) begun: u64,
    observed: bool,
    /// Whether a call that succeeds at once has nothing to mind but the breaker.
    pub(super) plain: bool,
    /// Whether the clock stood between two milliseconds when it was last read.
    between: bool,
    latest: Timestamp,
}

impl Engine {
    /// A policy with nothing on its way. `seed` fixes the jitter of every call.
    #[must_use]
    pub fn new(config: PolicyConfig, seed: u64) -> Self {
        let mut engine = Self {
            current: config.call,
            others: Slab::new(),
            calls: Slab::new(),
            bulkhead: config.bulkhead.map(Bulkhead::new),
            rate: config.rate_limit.map(RateLimit::new),
            ready: VecDeque::new(),
            seed,
            begun: 0,
            observed: false,
            plain: false,
            between: false,
            latest: Timestamp(0),
        };
        engine.look();
        engine
    }

    fn look(&mut self) {
        self.plain = self.bulkhead.is_none() && !self.needs_time();
    }

    /// New settings for calls that begin from now on; limits hold at once. Then ask [`Engine::next_ready`].
    pub fn update(&mut self, config: PolicyConfig) {
        let old = Leased { config: std::mem::replace(&mut self.current, config.call), calls: 0 };
        if let Some(key) = self.others.insert(old) {
            let under_old = self.calls.iter_mut().filter(|call| call.config == 0);
            let calls = under_old.map(|call| call.config = key).count();
            if let Some(leased) = self.others.get_mut(key) {
                leased.calls = calls;
            }
            self.drop_unused(key);
        }
        match (&mut self.bulkhead, config.bulkhead) {
            (Some(bulkhead), Some(config)) => bulkhead.config = config,
            // Who waits is let through, and who holds a place gives it back as ever.
            (Some(bulkhead), None) => {
                bulkhead.config = BulkheadConfig { max_concurrent: u32::MAX, max_queued: 0 };
            }
            (none, config) => *none = config.map(Bulkhead::new),
        }
        match (&mut self.rate, config.rate_limit) {
            (Some(rate), Some(config)) => rate.config = config,
            (Some(rate), None) => {
                rate.config =
                    RateLimitConfig { limit: u32::MAX, window: Millis::ZERO, max_wait: Millis::ZERO };
            }
            (none, config) => *none = config.map(RateLimit::new),
        }
        self.hand_over_places();
        self.look();
    }

    /// Fixes the jitter of calls that have not failed yet.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Whether records of calls are written.
    pub fn observe(&mut self, observed: bool) {
        self.observed = observed;
        self.look();
    }

    /// Tells, before an input, whether its time was rounded down to whole milliseconds. A rate limit then takes
    /// the attempt to begin a millisecond later: else one that began at 0.9 would make room at 1000.0, too early.
    #[inline]
    pub fn rounded_down(&mut self, rounded: bool) {
        self.between = rounded;
    }

    /// The settings that calls begin with now.
    #[must_use]
    pub const fn config(&self) -> CallConfig {
        self.current
    }

    /// What a call shares with others; for call 0, what calls that begin now do.
    #[must_use]
    #[inline]
    pub fn shared_by(&self, call: u32) -> Shared {
        if call == 0 {
            self.current.shared
        } else {
            self.calls.get(call).map(|call| call.shared).unwrap_or_default()
        }
    }

    /// The policy's number for a call, counted from 1: what its records carry.
    #[must_use]
    pub fn number_of(&self, call: u32) -> Option<u64> {
        self.calls.get(call).map(|call| call.number)
    }

    /// How many calls have begun: the number of the last.
    #[must_use]
    pub const fn begun(&self) -> u64 {
        self.begun
    }

    /// How many calls are on their way.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.calls.len()
    }

    /// Whether every call needs the clock read: a deadline, a rate limit, a budget or an observer.
    #[must_use]
    pub fn needs_time(&self) -> bool {
        self.observed
            || self.rate.is_some()
            || self.current.total.is_some()
            || self.current.shared.budget != 0
    }

    /// A new call.
    #[inline(always)]
    pub fn begin(&mut self, ctx: &mut Context<'_>, now: Option<Timestamp>) -> Step {
        if now.is_none()
            && let Some(call) = self.begin_plain(ctx.breaker.as_deref_mut())
        {
            let generation = ctx.breaker.as_ref().map_or(0, |breaker| breaker.generation());
            return Step::Attempt { call, attempt: 1, probe: false, generation };
        }
        let CallConfig { total, scope, shared, .. } = self.current;
        self.begin_under(ctx, now, 0, total, scope, shared)
    }

    /// A new call under settings of its own.
    pub fn begin_with(&mut self, ctx: &mut Context<'_>, now: Option<Timestamp>, config: CallConfig) -> Step {
        let Some(key) = self.others.insert(Leased { config, calls: 0 }) else {
            return Step::Rejected { by: Layer::Bulkhead, retry_after: None, attempts: 0 };
        };
        let step = self.begin_under(ctx, now, key, config.total, config.scope, config.shared);
        self.drop_unused(key);
        step
    }

    #[inline(always)]
    fn begin_under(
        &mut self,
        ctx: &mut Context<'_>,
        now: Option<Timestamp>,
        config: u32,
        total: Option<Millis>,
        scope: BreakerScope,
        shared: Shared,
    ) -> Step {
        let timed = total.is_some() || shared.budget != 0 || self.rate.is_some();
        if now.is_none() && (timed || ctx.breaker.as_ref().is_some_and(|breaker| breaker.needs_time())) {
            return Step::NeedTime;
        }
        let at = self.read(now);
        self.begun += 1;
        let number = self.begun;
        self.record(ctx, number, now, Fact::CallStarted);
        let mut permit = None;
        if let (BreakerScope::Call, Some(breaker)) = (scope, ctx.breaker.as_deref_mut()) {
            let admission = breaker.admit(at);
            report_changes(ctx, number);
            match admission {
                Ok(admitted) => permit = Some(admitted),
                Err(refused) => {
                    let (by, retry_after) = (Layer::Breaker, refused.retry_after);
                    self.record(ctx, number, now, Fact::CallRejected { by, retry_after, attempts: 0 });
                    return Step::Rejected { by, retry_after, attempts: 0 };
                }
            }
        }
        let key = self.calls.insert(Call {
            number,
            config,
            shared,
            state: State::Running,
            scope,
            attempt: 0,
            holds_place: false,
            started: now,
            deadline: total.map_or(NEVER, |total| at + total),
            permit,
            story: None,
        });
        let Some(key) = key else {
            // A million calls are on their way: as good as a full bulkhead.
            settle(ctx, permit, Outcome::Neutral, None, at);
            self.record(
                ctx,
                number,
                now,
                Fact::CallRejected { by: Layer::Bulkhead, retry_after: None, attempts: 0 },
            );
            return Step::Rejected { by: Layer::Bulkhead, retry_after: None, attempts: 0 };
        };
        if config != 0
            && let Some(leased) = self.others.get_mut(config)
        {
            leased.calls += 1;
        }
        self.take_place(ctx, key, now, at)
    }

    /// The operation answered. `duration` matters to slow calls and to records only.
    #[inline(always)]
    pub fn succeed(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        duration: Option<Millis>,
    ) -> Step {
        if now.is_none()
            && let Some(attempts) = self.succeed_plain(ctx.breaker.as_deref_mut(), call)
        {
            return Step::Done { attempts };
        }
        let Some(found) = self.calls.get(call).filter(|call| call.state == State::Running) else {
            return Step::Done { attempts: 0 };
        };
        let (number, attempt, permit, started) = (found.number, found.attempt, found.permit, found.started);
        if now.is_none() && ctx.breaker.as_ref().is_some_and(|breaker| breaker.needs_time()) {
            return Step::NeedTime;
        }
        let at = self.read(now);
        if self.observed {
            self.record(ctx, number, now, Fact::AttemptSucceeded { attempt, duration });
        }
        settle(ctx, permit, Outcome::Success, duration, at);
        report_changes(ctx, number);
        if self.observed {
            let duration = took(started, now);
            self.record(ctx, number, now, Fact::CallSucceeded { attempts: attempt, duration });
        }
        self.end(call);
        Step::Done { attempts: attempt }
    }

    /// The operation answered, but its answer is not at its end: a success until [`Breaker::broke_off`] says otherwise.
    pub fn answer(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        duration: Option<Millis>,
    ) -> (Step, Option<Answer>) {
        if now.is_none() {
            return (Step::NeedTime, None);
        }
        let at = self.read(now);
        let running = self.calls.get_mut(call).filter(|call| call.state == State::Running);
        let permit = running.and_then(|call| call.permit.take());
        let answer = match (permit, ctx.breaker.as_deref_mut()) {
            (Some(permit), Some(breaker)) => breaker.answered(permit, duration, at),
            _ => None,
        };
        (self.succeed(ctx, call, now, duration), answer)
    }

    /// The operation failed.
    pub fn fail(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        failure: &Failure,
    ) -> Step {
        let seed = self.seed;
        if !self.calls.get(call).is_some_and(|call| call.state == State::Running) {
            return Step::Done { attempts: 0 };
        }
        if now.is_none() {
            return Step::NeedTime;
        }
        let at = self.read(now);
        let Some(found) = self.calls.get_mut(call) else { return Step::Done { attempts: 0 } };
        let counts = failure.counts && !failure.is_cancelled();
        found.story(seed).last = Some(Last { code: failure.code, counts, hint: failure.hint });
        let (number, attempt, scope) = (found.number, found.attempt, found.scope);
        let permit = if scope == BreakerScope::Attempt { found.permit.take() } else { None };
        let counted = counts && ctx.breaker.is_some();
        self.record(
            ctx,
            number,
            now,
            Fact::AttemptFailed {
                attempt,
                duration: failure.duration,
                code: failure.code,
                counted,
                hint: failure.hint,
            },
        );
        settle(ctx, permit, outcome_of(counts), failure.duration, at);
        report_changes(ctx, number);
        self.release_place(call);

        let Some(found) = self.calls.get_mut(call) else { return Step::Done { attempts: 0 } };
        let retry = self.others.get(found.config).map_or(&self.current, |leased| &leased.config).retry;
        let deadline = (found.deadline != NEVER).then_some(found.deadline);
        let story = found.story(seed);
        let decided = retry.decide(failure, attempt, story.previous, at, deadline, &mut story.rng);
        let granted = decided.and_then(|plan| match ctx.budget.as_deref_mut() {
            Some(budget) => {
                let granted = budget.withdraw(at).then(|| budget.available(at));
                granted.map(|left| (plan, Some(left))).ok_or(Why::Budget)
            }
            None => Ok((plan, None)),
        });
        match granted {
            Ok((plan, budget_left)) => {
                story.mark = plan.due;
                if plan.source == DelaySource::Backoff {
                    story.previous = plan.delay.delay;
                }
                found.state = State::Waiting;
                let fact = Fact::RetryScheduled {
                    attempt: attempt + 1,
                    delay: plan.delay.delay,
                    due: plan.due,
                    min: plan.delay.min,
                    max: plan.delay.max,
                    source: plan.source,
                    budget_left,
                };
                self.record(ctx, number, now, fact);
                Step::Wait { call, attempt: attempt + 1, plan, budget_left }
            }
            Err(why) => self.give_up(ctx, call, now, why, failure.code, failure.duration),
        }
    }

    /// The wait is over. The time is taken to be at least when it was due.
    pub fn resume(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        let Some(Call { state: State::Waiting, deadline, story: Some(story), .. }) = self.calls.get(call)
        else {
            return Step::Done { attempts: 0 };
        };
        let now = Some(now.map_or(story.mark, |now| now.max(story.mark)));
        let (deadline, code) = (*deadline, story.last.map_or(Code::Timeout, |last| last.code));
        let at = self.read(now);
        if at >= deadline {
            return self.give_up(ctx, call, now, Why::Deadline, code, None);
        }
        self.take_place(ctx, call, now, at)
    }

    /// The caller aborted, disposed or lost interest: says nothing about the dependency.
    pub fn cancel(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        if let Some(Call { story: Some(story), .. }) = self.calls.get_mut(call) {
            story.last = None;
        }
        self.leave(ctx, call, now, Why::Cancelled, Code::Cancelled)
    }

    /// Ends a call that waits, from outside: its deadline passed in a queue, or what was to be done before the
    /// retry failed. The breaker is told the last attempt's result.
    pub fn abandon(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        why: Why,
        code: Code,
    ) -> Step {
        self.leave(ctx, call, now, why, code)
    }

    fn leave(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        why: Why,
        code: Code,
    ) -> Step {
        self.read(now);
        let Some(found) = self.calls.get(call) else { return Step::Done { attempts: 0 } };
        let (number, state) = (found.number, found.state);
        let queue = match state {
            State::AwaitingPlace => self.bulkhead.as_mut().map(|bulkhead| &mut bulkhead.queue),
            State::AwaitingTurn => self.rate.as_mut().map(|rate| &mut rate.queue),
            State::Running | State::Waiting | State::HasPlace => None,
        };
        if let Some(queue) = queue {
            queue.leave(call);
            self.record(ctx, number, now, Fact::CallDequeued);
        }
        self.give_up(ctx, call, now, why, code, None)
    }

    /// The queued call that can go now, or has waited for too long: [`Engine::dequeue`] it, and ask again.
    pub fn next_ready(&mut self, now: Option<Timestamp>) -> Option<u32> {
        let at = self.read(now);
        if let Some(rate) = &self.rate
            && let Some(first) = rate.queue.first()
        {
            let late = match self.calls.get(first) {
                Some(Call { state: State::AwaitingTurn, story: Some(story), .. }) => {
                    at.since(story.mark) > rate.config.max_wait
                }
                _ => true,
            };
            if late || rate.allows(at) {
                return Some(first);
            }
        }
        while let Some(&call) = self.ready.front() {
            if self.calls.get(call).is_some_and(|call| call.state == State::HasPlace) {
                return Some(call);
            }
            self.ready.pop_front();
        }
        None
    }

    /// Takes a call that [`Engine::next_ready`] named out of its queue and on its way.
    pub fn dequeue(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        let at = self.read(now);
        match (self.calls.get(call).map(|call| call.state), &mut self.rate) {
            (Some(State::HasPlace), _) => {
                self.ready.retain(|&ready| ready != call);
                self.record_call(ctx, call, now, Fact::CallDequeued);
                self.take_turn(ctx, call, now, at)
            }
            (Some(State::AwaitingTurn), Some(rate)) => {
                let wait = rate.earliest(0, at).since(at);
                rate.queue.leave(call);
                self.record_call(ctx, call, now, Fact::CallDequeued);
                if wait == Millis::ZERO {
                    self.start(ctx, call, now, at)
                } else {
                    self.refuse(ctx, call, now, at, Layer::RateLimit, Some(wait))
                }
            }
            _ => Step::Done { attempts: 0 },
        }
    }

    /// When to ask [`Engine::next_ready`] again, if time alone will bring a call forward.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let rate = self.rate.as_ref()?;
        let first = rate.queue.first()?;
        let turn = rate.earliest(0, self.latest);
        // Under settings that are stricter than those it began to wait under, its turn may come too late.
        let patience = self.calls.get(first).and_then(|call| call.story.as_ref());
        let refusal = patience.map(|story| story.mark + rate.config.max_wait + Millis(1));
        Some(refusal.map_or(turn, |refusal| refusal.min(turn)))
    }

    /// Whether [`Engine::next_ready`] has something to name, as of the last input.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
            || self.rate.as_ref().is_some_and(|rate| !rate.queue.is_empty() && rate.allows(self.latest))
    }

    #[inline(always)]
    fn take_place(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
    ) -> Step {
        if let Some(bulkhead) = &mut self.bulkhead {
            match bulkhead.request() {
                Place::Taken => {
                    if let Some(found) = self.calls.get_mut(call) {
                        found.holds_place = true;
                    }
                }
                Place::Queue => {
                    bulkhead.queue.push(call);
                    let position = position(bulkhead.queue.len());
                    return self.enqueue(
                        ctx,
                        call,
                        now,
                        State::AwaitingPlace,
                        Layer::Bulkhead,
                        position,
                        None,
                    );
                }
                Place::Full => return self.refuse(ctx, call, now, at, Layer::Bulkhead, None),
            }
        }
        self.take_turn(ctx, call, now, at)
    }

    #[inline(always)]
    fn take_turn(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>, at: Timestamp) -> Step {
        if let Some(rate) = &mut self.rate
            && !(rate.queue.is_empty() && rate.allows(at))
        {
            let ahead = rate.queue.len();
            let due = rate.earliest(ahead, at);
            let wait = due.since(at);
            let deadline = self.calls.get(call).map_or(NEVER, |call| call.deadline);
            if wait > rate.config.max_wait || due >= deadline {
                return self.refuse(ctx, call, now, at, Layer::RateLimit, Some(wait));
            }
            rate.queue.push(call);
            let position = position(ahead + 1);
            let seed = self.seed;
            if let Some(found) = self.calls.get_mut(call) {
                found.story(seed).mark = at;
            }
            return self.enqueue(ctx, call, now, State::AwaitingTurn, Layer::RateLimit, position, Some(due));
        }
        self.start(ctx, call, now, at)
    }

    #[expect(clippy::too_many_arguments, reason = "one record, spread out")]
    #[cold]
    fn enqueue(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        state: State,
        by: Layer,
        position: u32,
        due: Option<Timestamp>,
    ) -> Step {
        if let Some(found) = self.calls.get_mut(call) {
            found.state = state;
        }
        self.record_call(ctx, call, now, Fact::CallQueued { by, position, due });
        Step::Queued { call, by, position, due }
    }

    #[inline(always)]
    fn start(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>, at: Timestamp) -> Step {
        let Some(found) = self.calls.get_mut(call) else { return Step::Done { attempts: 0 } };
        let number = found.number;
        if let (BreakerScope::Attempt, Some(breaker)) = (found.scope, ctx.breaker.as_deref_mut()) {
            let admission = breaker.admit(at);
            match admission {
                Ok(permit) => found.permit = Some(permit),
                Err(refused) => {
                    report_changes(ctx, number);
                    return self.refuse(ctx, call, now, at, Layer::Breaker, refused.retry_after);
                }
            }
            report_changes(ctx, number);
        }
        if let Some(rate) = &mut self.rate {
            rate.start(at + Millis(u64::from(self.between)));
        }
        found.attempt = found.attempt.saturating_add(1);
        found.state = State::Running;
        let attempt = found.attempt;
        let (probe, generation) =
            found.permit.map_or((false, 0), |permit| (permit.is_probe(), permit.generation()));
        if attempt == 1
            && let Some(budget) = ctx.budget.as_deref_mut()
        {
            budget.deposit(at);
        }
        if self.observed {
            self.record(ctx, number, now, Fact::AttemptStarted { attempt, probe, generation });
        }
        Step::Attempt { call, attempt, probe, generation }
    }

    #[cold]
    fn refuse(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
        by: Layer,
        retry_after: Option<Millis>,
    ) -> Step {
        let Some(found) = self.calls.get(call) else { return Step::Done { attempts: 0 } };
        let (number, attempts) = (found.number, found.attempt);
        settle(ctx, found.permit, found.outcome(), None, at);
        report_changes(ctx, number);
        self.record(ctx, number, now, Fact::CallRejected { by, retry_after, attempts });
        self.end(call);
        Step::Rejected { by, retry_after, attempts }
    }

    fn give_up(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        why: Why,
        code: Code,
        duration: Option<Millis>,
    ) -> Step {
        let at = self.latest;
        let Some(found) = self.calls.get(call) else { return Step::Done { attempts: 0 } };
        let (number, attempts, started) = (found.number, found.attempt, found.started);
        let hint = found.last().and_then(|last| last.hint);
        settle(ctx, found.permit, found.outcome(), duration, at);
        report_changes(ctx, number);
        self.record(ctx, number, now, Fact::CallFailed { attempts, duration: took(started, now), code, why });
        self.end(call);
        Step::GiveUp { why, attempts, hint }
    }

    /// The call is over: its place and its settings are given back.
    #[inline(always)]
    fn end(&mut self, call: u32) {
        self.release_place(call);
        let Some(config) = self.calls.get(call).map(|call| call.config) else { return };
        self.calls.discard(call);
        if config != 0
            && let Some(leased) = self.others.get_mut(config)
        {
            leased.calls = leased.calls.saturating_sub(1);
            self.drop_unused(config);
        }
    }

    fn release_place(&mut self, call: u32) {
        if let (Some(found), Some(bulkhead)) = (self.calls.get_mut(call), &mut self.bulkhead)
            && std::mem::take(&mut found.holds_place)
        {
            bulkhead.release();
            self.hand_over_places();
        }
    }

    fn hand_over_places(&mut self) {
        while let Some(next) = self.bulkhead.as_mut().and_then(Bulkhead::hand_over) {
            match self.calls.get_mut(next) {
                Some(call) => {
                    call.holds_place = true;
                    call.state = State::HasPlace;
                    self.ready.push_back(next);
                }
                None => self.bulkhead.iter_mut().for_each(Bulkhead::release),
            }
        }
    }

    fn drop_unused(&mut self, config: u32) {
        if self.others.get(config).is_some_and(|leased| leased.calls == 0) {
            self.others.discard(config);
        }
    }

    /// The clock may stand still but not run backwards.
    fn read(&mut self, now: Option<Timestamp>) -> Timestamp {
        if let Some(now) = now {
            self.latest = self.latest.max(now);
        }
        self.latest
    }

    #[inline]
    fn record(&self, ctx: &mut Context<'_>, call: u64, at: Option<Timestamp>, fact: Fact) {
        if self.observed {
            write(ctx, call, at, fact);
        }
    }

    fn record_call(&self, ctx: &mut Context<'_>, call: u32, at: Option<Timestamp>, fact: Fact) {
        let number = self.number_of(call).unwrap_or_default();
        self.record(ctx, number, at, fact);
    }
}

#[cold]
fn write(ctx: &mut Context<'_>, call: u64, at: Option<Timestamp>, fact: Fact) {
    ctx.events.push(Record { policy: ctx.policy_id, call, at, fact });
}

fn took(started: Option<Timestamp>, now: Option<Timestamp>) -> Option<Millis> {
    Some(now?.since(started?))
}

fn position(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[inline(always)]
fn settle(
    ctx: &mut Context<'_>,
    permit: Option<Permit>,
    outcome: Outcome,
    duration: Option<Millis>,
    at: Timestamp,
) {
    if let (Some(permit), Some(breaker)) = (permit, ctx.breaker.as_deref_mut()) {
        breaker.settle(permit, outcome, duration, at);
    }
}

/// Changes of a breaker are always written, observed or not: whoever holds the breaker may listen.
#[inline]
fn report_changes(ctx: &mut Context<'_>, call: u64) {
    if ctx.breaker.as_ref().is_some_and(|breaker| breaker.has_changes()) {
        write_changes(ctx, call);
    }
}

#[cold]
fn write_changes(ctx: &mut Context<'_>, call: u64) {
    while let Some(change) = ctx.breaker.as_deref_mut().and_then(Breaker::poll_change) {
        let fact = Fact::BreakerChanged { breaker: ctx.breaker_id, change };
        ctx.events.push(Record { policy: ctx.policy_id, call, at: Some(change.at), fact });
    }
}
