//! The engine: one input, one step. It knows no clock, calls nothing and waits for nothing; a driver does.
//!
//! Layers, outermost first: total deadline, breaker (scope `call`), retry, bulkhead, adaptive limit, rate limit,
//! breaker (scope `attempt`). So a call that waits to retry holds no slot.

mod end;
mod hedge;
mod learn;
mod queue;
mod record;
mod settings;

use self::record::{report_changes, settle, took, write};
use super::breaker::{Answer, Outcome};
use super::call::{Call, LastFailure, State, outcome_of};
use super::layer::Layer;
use super::limit::{AdaptiveLimit, Bulkhead, Cost, Place, RateLimits};
use super::retry::{DelaySource, Failure, Repair, Why};
use super::step::{BreakerScope, CallConfig, Context, PolicyConfig, Shared, Step};
use crate::code::Code;
use crate::invariant::Always;
use crate::policy::record::Fact;
use crate::slab::Slab;
use crate::time::{Millis, NEVER, Timestamp};
use std::collections::VecDeque;

#[derive(Clone, Debug)]
struct OtherSettings {
    config: CallConfig,
    calls: usize,
}

/// One policy's state machine. See the crate's documentation for how to drive it.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The settings with which calls begin now: those whose `config` is 0.
    current: CallConfig,
    /// The settings of calls that began under older settings, or under their own.
    other_settings: Slab<OtherSettings>,
    calls: Slab<Call>,
    bulkhead: Option<Bulkhead>,
    adaptive: Option<AdaptiveLimit>,
    /// `true` if there is one of these two. A call of a policy without them skips both at once.
    takes_slots: bool,
    rate: Option<RateLimits>,
    /// Calls that were given a slot and wait to be dequeued.
    ready: VecDeque<u32>,
    seed: u64,
    begun: u64,
    observed: bool,
    /// `true` if the last time given was rounded down to a whole millisecond.
    clock_is_coarse: bool,
    latest: Timestamp,
}

impl Engine {
    /// Creates a policy without calls. `seed` fixes the jitter of every call.
    #[must_use]
    pub fn new(config: PolicyConfig, seed: u64) -> Self {
        Self {
            current: config.call,
            other_settings: Slab::new(),
            calls: Slab::new(),
            bulkhead: config.bulkhead.map(Bulkhead::new),
            adaptive: config.adaptive.map(AdaptiveLimit::new),
            takes_slots: config.bulkhead.is_some() || config.adaptive.is_some(),
            rate: (!config.rate_limits.is_empty()).then(|| RateLimits::new(&config.rate_limits)),
            ready: VecDeque::new(),
            seed,
            begun: 0,
            observed: false,
            clock_is_coarse: false,
            latest: Timestamp(0),
        }
    }

    /// Returns the breaker and the budget of a call; for call 0, those with which calls begin now.
    #[must_use]
    #[inline]
    pub fn shared_by(&self, call: u32) -> Shared {
        if call == 0 {
            self.current.shared
        } else {
            self.calls.get(call).map(|call| call.shared).unwrap_or_default()
        }
    }

    /// Returns the policy's number for a call, counted from 1, which its records carry.
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

    /// A new call.
    #[inline]
    pub fn begin(&mut self, ctx: &mut Context<'_>, now: Option<Timestamp>) -> Step {
        let CallConfig { total, scope, shared, .. } = self.current;
        self.begin_under(ctx, now, 0, total, scope, shared)
    }

    /// Begins a call under its own settings.
    pub fn begin_with(&mut self, ctx: &mut Context<'_>, now: Option<Timestamp>, config: CallConfig) -> Step {
        let Some(key) = self.other_settings.insert(OtherSettings { config, calls: 0 }) else {
            return Step::Rejected { by: Layer::Bulkhead, retry_after: None, attempts: 0 };
        };
        let step = self.begin_under(ctx, now, key, config.total, config.scope, config.shared);
        self.drop_unused(key);
        step
    }

    /// Begins a call: the breaker admits it, then it takes its place in the queues. It requests the time before it changes anything,
    /// because the driver then gives the same input again.
    #[inline]
    fn begin_under(
        &mut self,
        ctx: &mut Context<'_>,
        now: Option<Timestamp>,
        config: u32,
        total: Option<Millis>,
        scope: BreakerScope,
        shared: Shared,
    ) -> Step {
        let timed = total.is_some()
            || self.rate.is_some()
            || ctx.budget.as_ref().is_some_and(|budget| !budget.is_quota());
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
        let within = config != 0 && self.other_settings.get(config).is_some_and(|other| other.config.within);
        let key = self.calls.insert(Call {
            number,
            config,
            shared,
            state: State::Running,
            scope,
            within,
            attempt: 0,
            hedges: 0,
            beside: 0,
            running: 0,
            slots: 0,
            adaptive_slots: 0,
            generation: 0,
            place: Place::default(),
            started: now,
            deadline: total.map_or(NEVER, |total| at + total),
            permit,
            failed: None,
        });
        let Some(key) = key else {
            // A million calls are in flight, which is treated like a full bulkhead.
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
            && let Some(other) = self.other_settings.get_mut(config)
        {
            other.calls += 1;
        }
        self.take_place(ctx, key, now, at)
    }

    /// The operation answered. `duration` matters to slow calls and to records only.
    #[inline]
    pub fn succeed(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        duration: Option<Millis>,
    ) -> Step {
        let Some(found) = self.calls.get(call).filter(|call| call.state == State::Running) else {
            return Step::Done { attempts: 0 };
        };
        let (number, attempt, permit, started) = (found.number, found.running, found.permit, found.started);
        let attempts = found.attempt;
        let spent = found.spent();
        if now.is_none() && ctx.breaker.as_ref().is_some_and(|breaker| breaker.needs_time()) {
            return Step::NeedTime;
        }
        let at = self.read(now);
        if self.observed {
            self.record(ctx, number, now, Fact::AttemptSucceeded { attempt, duration });
        }
        settle(ctx, permit, Outcome::Success, duration, at);
        if let Some(budget) = ctx.budget.as_deref_mut() {
            budget.succeed(spent);
        }
        report_changes(ctx, number);
        if self.observed {
            let duration = took(started, now);
            self.record(ctx, number, now, Fact::CallSucceeded { attempts, duration });
        }
        if self.takes_slots {
            if self.adaptive.is_some() {
                self.learn_success(ctx, call, now);
            }
            self.end_with_slots(call);
        } else {
            self.forget(call);
        }
        Step::Done { attempts }
    }

    /// Records an answer that has begun but not ended: a success until
    /// [`Breaker::broke_off`](super::Breaker::broke_off) reverts it.
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

    /// Records that the operation failed. Attempts beside it ([`Engine::hedge`]) go on, and the step is [`Step::Done`]
    /// without attempts: the last of them decides. The step is the same for a failure whose repair is
    /// [`Repair::Pending`]: pass the failure again once it is known whether there is another request.
    pub fn fail(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        failure: &Failure,
    ) -> Step {
        let seed = self.seed;
        let Some(found) = self.calls.get_mut(call) else { return Step::Done { attempts: 0 } };
        if !matches!(found.state, State::Running | State::Repairing) {
            return Step::Done { attempts: 0 };
        }
        if now.is_none() {
            return Step::NeedTime;
        }
        let retry = self.other_settings.get(found.config).map_or(&self.current, |other| &other.config).retry;
        if found.beside == 0 && retry.needs_delay(failure, found.next_retry()) {
            let previous = found.failed.as_ref().and_then(|failed| failed.previous);
            return Step::NeedDelay { retry: found.next_retry(), previous };
        }
        if found.state == State::Repairing {
            return self.follow_failure(ctx, call, now, failure);
        }
        let counts = failure.counts && !failure.is_cancelled();
        found.failed_mut(seed).last = Some(LastFailure { code: failure.code, counts, hint: failure.hint });
        let attempt = failure.attempt.unwrap_or(found.running);
        debug_assert!(found.beside > 0 || attempt == found.running, "attempt {attempt} does not run");
        let (number, beside) = (found.number, found.beside > 0);
        found.running ^= attempt;
        found.beside = found.beside.saturating_sub(1);
        let permit = match found.scope {
            // Concurrent attempts have one permit, which is no probe's.
            BreakerScope::Attempt if beside => found.permit,
            BreakerScope::Attempt => found.permit.take(),
            BreakerScope::Call => None,
        };
        let counted = counts && ctx.breaker.is_some();
        let at = self.read(now);
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
        settle(ctx, permit, outcome_of(counts, failure.hint), failure.duration, at);
        report_changes(ctx, number);
        if self.takes_slots {
            if self.adaptive.is_some() {
                self.learn_failure(ctx, call, now, failure);
            }
            self.release_place(call);
        }
        if beside {
            return Step::Done { attempts: 0 };
        }
        if failure.repair == Repair::Pending {
            let Some(found) = self.calls.get_mut(call) else { return missing(call) };
            found.state = State::Repairing;
            return Step::Done { attempts: 0 };
        }
        self.follow_failure(ctx, call, now, failure)
    }

    /// Decides whether the call goes on after a failed attempt, beside which no other runs. The budget pays only for a retry that
    /// the options allow, so it is withdrawn last. A repaired request is sent again at once, and is not recorded as a retry.
    fn follow_failure(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        failure: &Failure,
    ) -> Step {
        let (seed, at) = (self.seed, self.read(now));
        let Some(found) = self.calls.get_mut(call) else { return missing(call) };
        let retry = self.other_settings.get(found.config).map_or(&self.current, |other| &other.config).retry;
        let (number, attempts, next) = (found.number, found.attempt, found.next_retry());
        let permit = found.permit;
        let is_repaired = failure.repair == Repair::Made;
        let deadline = (found.deadline != NEVER).then_some(found.deadline);
        let failed = found.failed_mut(seed);
        let decided =
            retry.decide(failure, next, failed.previous.unwrap_or_default(), at, deadline, &mut failed.rng);
        let granted = decided.and_then(|plan| match ctx.budget.as_deref_mut() {
            Some(budget) => {
                let before = failed.spent.and(failed.granted);
                failed.granted = budget.withdraw_after(at, failure, before).ok_or(Why::Budget)?;
                failed.spent = before;
                Ok((plan, (!budget.is_quota()).then(|| budget.available(at))))
            }
            None => Ok((plan, None)),
        });
        match granted {
            Ok((plan, budget_left)) => {
                failed.due = plan.due;
                if let (Some(permit), Some(breaker)) = (permit, ctx.breaker.as_deref_mut()) {
                    breaker.keep_probe(permit, plan.due);
                }
                if is_repaired {
                    failed.repairs += 1;
                    found.state = State::Waiting;
                    return Step::Wait { call, attempt: attempts + 1, plan, budget_left };
                }
                if plan.source == DelaySource::Backoff {
                    failed.previous = Some(plan.delay.delay);
                }
                found.state = State::Waiting;
                let fact = Fact::RetryScheduled {
                    attempt: attempts + 1,
                    delay: plan.delay.delay,
                    due: plan.due,
                    min: plan.delay.min,
                    max: plan.delay.max,
                    source: plan.source,
                    budget_left,
                };
                self.record(ctx, number, now, fact);
                Step::Wait { call, attempt: attempts + 1, plan, budget_left }
            }
            Err(why) => self.give_up(ctx, call, now, why, failure.code, failure.duration),
        }
    }

    /// Continues a call whose wait is over. The time counts as at least the due time.
    pub fn resume(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        let Some(Call { state: State::Waiting, deadline, failed: Some(failed), .. }) = self.calls.get(call)
        else {
            return Step::Done { attempts: 0 };
        };
        let now = Some(now.map_or(failed.due, |now| now.max(failed.due)));
        let (deadline, code) = (*deadline, failed.last.map_or(Code::Timeout, |last| last.code));
        let at = self.read(now);
        if at >= deadline {
            return self.give_up(ctx, call, now, Why::Deadline, code, None);
        }
        self.take_place(ctx, call, now, at)
    }

    #[inline]
    fn start(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>, at: Timestamp) -> Step {
        let cost = if self.rate.is_some() { self.cost_of(call) } else { Cost::default() };
        let Some(found) = self.calls.get_mut(call) else { return missing(call) };
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
        found.attempt = found.attempt.saturating_add(1);
        if let Some(rate) = &mut self.rate
            && !found.within
        {
            let key = key_of(found.number, found.attempt);
            rate.start(at + Millis(u64::from(self.clock_is_coarse)), cost, key);
        }
        found.state = State::Running;
        let attempt = found.attempt;
        found.running = attempt;
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

    /// Returns how much of the rate limits an attempt of the call takes.
    fn cost_of(&self, call: u32) -> Cost {
        cost_of(&self.calls, &self.other_settings, &self.current, call)
    }

    /// The clock may repeat a time but not run backwards.
    fn read(&mut self, now: Option<Timestamp>) -> Timestamp {
        if let Some(now) = now {
            self.latest = self.latest.max(now);
        }
        self.latest
    }
}

impl Engine {
    #[inline]
    fn record(&self, ctx: &mut Context<'_>, call: u64, at: Option<Timestamp>, fact: Fact) {
        if self.observed {
            write(ctx, call, at, fact);
        }
    }

    fn record_call(&self, ctx: &mut Context<'_>, call: u32, at: Option<Timestamp>, fact: Fact) {
        let number = self.number_of(call).always();
        self.record(ctx, number, at, fact);
    }
}

fn cost_of(calls: &Slab<Call>, others: &Slab<OtherSettings>, current: &CallConfig, call: u32) -> Cost {
    let config = calls.get(call).map_or(0, |call| call.config);
    let config = others.get(config).map_or(current, |other| &other.config);
    Cost { tokens: config.tokens }
}

/// Replaces the step of a call that the engine knows but cannot find, which does not occur.
#[cold]
fn missing(call: u32) -> Step {
    debug_assert!(false, "call {call} has ended meanwhile");
    Step::Done { attempts: 0 }
}

/// The key by which a limit recognises an attempt. It is unique enough within the window of a limit.
#[expect(clippy::cast_possible_truncation, reason = "the last bits are enough")]
const fn key_of(number: u64, attempt: u32) -> u32 {
    (number as u32) << 6 | attempt & 63
}
