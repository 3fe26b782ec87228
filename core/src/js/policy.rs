//! The `policy` area for JavaScript: numbers in, a number out.
//!
//! Handles are `u32`, 0 is none. A time is milliseconds of the policy's or breaker's clock, NaN "not read". A call's
//! input returns a word: the call's handle times 32, bit 4 READY (a queued call can go: `nextReady`), bit 3 EVENTS
//! (there are records to drain), bits 0-2 the step. What else the step says stands in the lane, sixteen numbers
//! whose address is `lanePointer`; NaN stands for none.
//!
//! No JavaScript is called while the state is borrowed: options are read before.

use crate::code::Code;
use crate::event::{Fact, Record, Ring};
use crate::policy::{
    Breaker, BreakerOptions, BreakerSnapshot, Budget, BudgetOptions, CallConfig, Context, Engine, Failure,
    JitterKind, Outcome, Permit, PolicyOptions, Reason, Shared, Slab, Step, Verdict, Why,
    exponential_backoff, seed_from_f64,
};
use crate::time::{Millis, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// Steps, as the lowest three bits of a word.
mod step {
    pub(super) const ATTEMPT: u32 = 0;
    pub(super) const WAIT: u32 = 1;
    pub(super) const QUEUED: u32 = 2;
    pub(super) const REJECTED: u32 = 3;
    pub(super) const GIVE_UP: u32 = 4;
    pub(super) const DONE: u32 = 5;
    pub(super) const NEED_TIME: u32 = 6;
    pub(super) const EVENTS: u32 = 8;
    pub(super) const READY: u32 = 16;
}

/// What the lane's numbers are, by their place.
mod lane {
    /// WAIT: how long.
    pub(super) const DELAY: usize = 0;
    /// WAIT: the band it was drawn from.
    pub(super) const MIN: usize = 1;
    pub(super) const MAX: usize = 2;
    /// WAIT, QUEUED: when it is over, on the policy's clock.
    pub(super) const DUE: usize = 3;
    /// WAIT: 0 backoff, 1 retry-after.
    pub(super) const SOURCE: usize = 4;
    /// GIVE_UP: 0 not-retryable, 1 exhausted, 2 hint, 3 deadline, 4 budget, 5 nested, 6 cancelled, 7 broken-stream.
    pub(super) const WHY: usize = 5;
    /// QUEUED, REJECTED: 0 breaker, 1 bulkhead, 2 rate-limit.
    pub(super) const BY: usize = 6;
    /// REJECTED: until a call may be admitted. GIVE_UP: the last hint.
    pub(super) const RETRY_AFTER: usize = 7;
    /// QUEUED: 1 is next.
    pub(super) const POSITION: usize = 8;
    /// WAIT: retries that the budget has left.
    pub(super) const BUDGET_LEFT: usize = 9;
    /// ATTEMPT: its number. WAIT: that of the attempt to come. Else: how many were made.
    pub(super) const ATTEMPT: usize = 10;
    /// ATTEMPT: 1 for a probe.
    pub(super) const PROBE: usize = 11;
    /// ATTEMPT: the breaker's generation, 0 without one.
    pub(super) const GENERATION: usize = 12;
    /// After `begin`: the call's number, which its records carry.
    pub(super) const CALL: usize = 13;
}

/// How many numbers the lane has.
const LANE: usize = 16;

/// Flags of a failure.
mod flag {
    pub(super) const RETRYABLE: u32 = 1;
    pub(super) const COUNTS: u32 = 2;
    pub(super) const NESTED: u32 = 4;
    pub(super) const CANCELLED: u32 = 8;
    pub(super) const FORCE_RETRY: u32 = 16;
    pub(super) const FORBID_RETRY: u32 = 32;
    pub(super) const NOT_IDEMPOTENT_SENT: u32 = 64;
    pub(super) const BROKEN_STREAM: u32 = 128;
}

/// All state of the package in this module: policies, what they share, and what happened.
struct World {
    policies: Slab<Engine>,
    breakers: Slab<Breaker>,
    budgets: Slab<Budget>,
    events: Ring,
    lane: [f64; LANE],
}

thread_local! {
    static WORLD: RefCell<World> = const {
        RefCell::new(World {
            policies: Slab::new(),
            breakers: Slab::new(),
            budgets: Slab::new(),
            events: Ring::new(),
            lane: [f64::NAN; LANE],
        })
    };
}

fn world<R>(read: impl FnOnce(&mut World) -> R) -> R {
    WORLD.with_borrow_mut(read)
}

impl World {
    /// One input to a policy's engine, with what the call at hand shares lent to it. `call` 0 is one to begin.
    #[inline(always)]
    fn input(
        &mut self,
        policy: u32,
        call: u32,
        now: f64,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step,
    ) -> u32 {
        let Some(engine) = self.policies.get_mut(policy) else { return step::DONE };
        engine.rounded_down(now.floor() < now);
        let shared = engine.shared_by(call);
        let mut ctx = Context {
            breaker: self.breakers.get_mut(shared.breaker),
            budget: self.budgets.get_mut(shared.budget),
            events: &mut self.events,
            policy_id: policy,
            breaker_id: shared.breaker,
        };
        let taken = input(engine, &mut ctx, time(now));
        self.lane[lane::CALL] = number(engine.begun());
        let flags = if self.events.is_empty() { 0 } else { step::EVENTS }
            | if engine.has_ready() { step::READY } else { 0 };
        flags | word(taken, &mut self.lane)
    }
}

/// The step's word; its numbers go to the lane.
#[inline(always)]
fn word(taken: Step, lane: &mut [f64; LANE]) -> u32 {
    match taken {
        Step::Attempt { call, attempt, probe, generation } => {
            lane[lane::ATTEMPT] = f64::from(attempt);
            lane[lane::PROBE] = f64::from(u8::from(probe));
            lane[lane::GENERATION] = number(generation);
            call << 5 | step::ATTEMPT
        }
        Step::Wait { call, attempt, plan, budget_left } => {
            lane[lane::DELAY] = plan.delay.delay.as_f64();
            lane[lane::MIN] = plan.delay.min.as_f64();
            lane[lane::MAX] = plan.delay.max.as_f64();
            lane[lane::DUE] = plan.due.as_f64();
            lane[lane::SOURCE] = f64::from(plan.source as u8);
            lane[lane::BUDGET_LEFT] = budget_left.map_or(f64::NAN, number);
            lane[lane::ATTEMPT] = f64::from(attempt);
            call << 5 | step::WAIT
        }
        Step::Queued { call, by, position, due } => {
            lane[lane::BY] = f64::from(by as u8);
            lane[lane::POSITION] = f64::from(position);
            lane[lane::DUE] = due.map_or(f64::NAN, Timestamp::as_f64);
            call << 5 | step::QUEUED
        }
        Step::Rejected { by, retry_after, attempts } => {
            lane[lane::BY] = f64::from(by as u8);
            lane[lane::RETRY_AFTER] = span(retry_after);
            lane[lane::ATTEMPT] = f64::from(attempts);
            step::REJECTED
        }
        Step::GiveUp { why, attempts, hint } => {
            lane[lane::WHY] = f64::from(why as u8);
            lane[lane::RETRY_AFTER] = span(hint);
            lane[lane::ATTEMPT] = f64::from(attempts);
            step::GIVE_UP
        }
        Step::Done { attempts } => {
            lane[lane::ATTEMPT] = f64::from(attempts);
            step::DONE
        }
        Step::NeedTime => step::NEED_TIME,
    }
}

fn time(now: f64) -> Option<Timestamp> {
    (!now.is_nan()).then(|| Timestamp::from_f64(now))
}

/// Rounded up: a wait is never cut short.
fn millis(ms: f64) -> Option<Millis> {
    (!ms.is_nan()).then(|| Millis::from_f64(ms.ceil()))
}

fn span(ms: Option<Millis>) -> f64 {
    ms.map_or(f64::NAN, Millis::as_f64)
}

fn number(count: u64) -> f64 {
    Millis(count).as_f64()
}

fn read<T: DeserializeOwned + Default>(options: JsValue) -> Result<T, JsError> {
    if options.is_undefined() || options.is_null() {
        return Ok(T::default());
    }
    serde_wasm_bindgen::from_value(options).map_err(|error| JsError::new(&error.to_string()))
}

/// Where the lane stands in the module's memory, in bytes. Ask once; the address does not move, the buffer may.
#[wasm_bindgen(js_name = lanePointer)]
pub fn lane_pointer() -> u32 {
    world(|world| world.lane.as_ptr() as usize as u32)
}

// ─────────────────────────────────────────────────────────────────── policies

/// A policy. `options` are those of the contract (preset, retry, breakerScope, timeout, bulkhead, rateLimit);
/// `retry: false` comes as `{enabled: false}`. `breaker` and `budget` are handles.
///
/// # Errors
/// A name that is none, or a value of another type.
#[wasm_bindgen(js_name = policyNew)]
pub fn policy_new(options: JsValue, breaker: u32, budget: u32, seed: f64) -> Result<u32, JsError> {
    let config = read::<PolicyOptions>(options)?.config(Shared { breaker, budget })?;
    let engine = Engine::new(config, seed_from_f64(seed));
    Ok(world(|world| world.policies.insert(engine)).unwrap_or_default())
}

/// All options of the policy anew. Calls on their way end under the old ones. Returns whether queued calls can go.
///
/// # Errors
/// As `policyNew`.
#[wasm_bindgen(js_name = policyUpdate)]
pub fn policy_update(policy: u32, options: JsValue, breaker: u32, budget: u32) -> Result<bool, JsError> {
    let config = read::<PolicyOptions>(options)?.config(Shared { breaker, budget })?;
    Ok(world(|world| {
        world.policies.get_mut(policy).is_some_and(|engine| {
            engine.update(config);
            engine.has_ready()
        })
    }))
}

/// Forgets the policy. Its calls on their way lead nowhere: cancel them first.
#[wasm_bindgen(js_name = policyFree)]
pub fn policy_free(policy: u32) {
    world(|world| world.policies.discard(policy));
}

/// Whether records of the policy's calls are written.
#[wasm_bindgen(js_name = policyObserve)]
pub fn policy_observe(policy: u32, observed: bool) {
    world(|world| world.policies.get_mut(policy).map(|engine| engine.observe(observed)).unwrap_or_default());
}

/// Fixes the jitter of calls that have not failed yet.
#[wasm_bindgen(js_name = policySetSeed)]
pub fn policy_set_seed(policy: u32, seed: f64) {
    world(|world| {
        world.policies.get_mut(policy).map(|engine| engine.set_seed(seed_from_f64(seed))).unwrap_or_default();
    });
}

/// What the facade must measure for every call: bit 0 the time, bit 1 how long attempts take. Ask again after
/// `policyUpdate`, `policyObserve` and `breakerUpdate`. Where bit 0 is not set, NEED_TIME asks when it matters.
#[wasm_bindgen(js_name = policyNeeds)]
pub fn policy_needs(policy: u32) -> u32 {
    world(|world| {
        let Some(engine) = world.policies.get(policy) else { return 0 };
        let trip = world.breakers.get(engine.shared_by(0).breaker).map(|breaker| breaker.config().trip);
        let windowed = trip.is_some_and(|trip| trip.is_windowed());
        let slow = trip.is_some_and(|trip| trip.slow_from().is_some());
        u32::from(engine.needs_time() || windowed) | u32::from(slow) << 1
    })
}

/// How many calls of the policy are on their way.
#[wasm_bindgen(js_name = policyInFlight)]
pub fn policy_in_flight(policy: u32) -> u32 {
    world(|world| {
        world.policies.get(policy).map_or(0, |engine| u32::try_from(engine.in_flight()).unwrap_or(u32::MAX))
    })
}

// ────────────────────────────────────────────────────────────────────── calls

/// A new call.
#[wasm_bindgen]
pub fn begin(policy: u32, now: f64) -> u32 {
    world(|world| world.input(policy, 0, now, |engine, ctx, now| engine.begin(ctx, now)))
}

/// A new call with `retry` and `timeout` of its own, over the policy's. `budget` 0 is the policy's.
///
/// # Errors
/// As `policyNew`.
#[wasm_bindgen(js_name = beginWith)]
pub fn begin_with(policy: u32, now: f64, overrides: JsValue, budget: u32) -> Result<u32, JsError> {
    let overrides = read::<PolicyOptions>(overrides)?;
    world(|world| {
        let Some(engine) = world.policies.get_mut(policy) else { return Ok(step::DONE) };
        let base = engine.config();
        let budget = if budget == 0 { base.shared.budget } else { budget };
        let shared = Shared { budget, ..base.shared };
        let config: CallConfig = overrides.call_config(base, shared)?;
        engine.rounded_down(now.floor() < now);
        let mut ctx = Context {
            breaker: world.breakers.get_mut(shared.breaker),
            budget: world.budgets.get_mut(shared.budget),
            events: &mut world.events,
            policy_id: policy,
            breaker_id: shared.breaker,
        };
        let taken = engine.begin_with(&mut ctx, time(now), config);
        let flags = if world.events.is_empty() { 0 } else { step::EVENTS };
        world.lane[lane::CALL] = number(engine.begun());
        Ok(flags | word(taken, &mut world.lane))
    })
}

/// The operation answered. NEED_TIME where the breaker must know the time and `now` is NaN.
#[wasm_bindgen(js_name = attemptOk)]
pub fn attempt_ok(policy: u32, call: u32, now: f64, duration_ms: f64) -> u32 {
    world(|world| {
        world.input(policy, call, now, |engine, ctx, now| engine.succeed(ctx, call, now, millis(duration_ms)))
    })
}

/// The operation failed. `flags`: 1 RETRYABLE, 2 COUNTS, 4 NESTED, 8 CANCELLED, 16 FORCE_RETRY, 32 FORBID_RETRY,
/// 64 NOT_IDEMPOTENT_SENT, 128 BROKEN_STREAM. `hint_ms` is NaN for none.
#[wasm_bindgen(js_name = attemptFailed)]
pub fn attempt_failed(
    policy: u32,
    call: u32,
    now: f64,
    code: u8,
    flags: u32,
    hint_ms: f64,
    duration_ms: f64,
) -> u32 {
    let is = |flag| flags & flag != 0;
    let code =
        if is(flag::CANCELLED) { Code::Cancelled } else { Code::from_index(code).unwrap_or(Code::Unknown) };
    let failure = Failure {
        code,
        retryable: is(flag::RETRYABLE),
        counts: is(flag::COUNTS),
        nested: is(flag::NESTED),
        verdict: match (is(flag::FORCE_RETRY), is(flag::FORBID_RETRY)) {
            (_, true) => Verdict::Stop,
            (true, false) => Verdict::Retry,
            (false, false) => Verdict::Unasked,
        },
        sent_and_not_idempotent: is(flag::NOT_IDEMPOTENT_SENT),
        broken_stream: is(flag::BROKEN_STREAM),
        hint: millis(hint_ms),
        duration: millis(duration_ms),
    };
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.fail(ctx, call, now, &failure)))
}

/// The wait is over.
#[wasm_bindgen]
pub fn resume(policy: u32, call: u32, now: f64) -> u32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.resume(ctx, call, now)))
}

/// The caller aborted, disposed or closed the iterator, in whatever state the call is: neutral for the breaker.
#[wasm_bindgen]
pub fn cancel(policy: u32, call: u32, now: f64) -> u32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.cancel(ctx, call, now)))
}

/// Ends a call that waits or queues, from outside, with the last attempt's result told to the breaker: its
/// deadline passed in the queue, or `onRetry` threw. `why` as in the lane, `code` for the record.
#[wasm_bindgen]
pub fn abandon(policy: u32, call: u32, now: f64, why: u8, code: u8) -> u32 {
    let why = Why::from_index(why).unwrap_or(Why::NotRetryable);
    let code = Code::from_index(code).unwrap_or(Code::Unknown);
    world(|world| {
        world.input(policy, call, now, |engine, ctx, now| engine.abandon(ctx, call, now, why, code))
    })
}

/// The next queued call that can go: its handle for `dequeue`, 0 when there is none. Ask again until then.
#[wasm_bindgen(js_name = nextReady)]
pub fn next_ready(policy: u32, now: f64) -> u32 {
    world(|world| {
        world.policies.get_mut(policy).and_then(|engine| engine.next_ready(time(now))).unwrap_or_default()
    })
}

/// Takes that call out of its queue: ATTEMPT, QUEUED (now for its turn under the rate limit) or REJECTED.
#[wasm_bindgen]
pub fn dequeue(policy: u32, call: u32, now: f64) -> u32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.dequeue(ctx, call, now)))
}

/// When to ask `nextReady` again, on the policy's clock; Infinity when time alone will bring nothing forward.
#[wasm_bindgen(js_name = pollTimeout)]
pub fn poll_timeout(policy: u32) -> f64 {
    world(|world| {
        let due = world.policies.get(policy).and_then(Engine::poll_timeout);
        due.map_or(f64::INFINITY, Timestamp::as_f64)
    })
}

// ─────────────────────────────────────────────────────────────────── breakers

impl World {
    /// One input to a breaker; its changes become records.
    fn breaker<R>(&mut self, breaker: u32, otherwise: R, input: impl FnOnce(&mut Breaker) -> R) -> R {
        let Some(found) = self.breakers.get_mut(breaker) else { return otherwise };
        let result = input(found);
        if !found.has_changes() {
            return result;
        }
        while let Some(change) = found.poll_change() {
            let fact = Fact::BreakerChanged { breaker, change };
            self.events.push(Record { policy: 0, call: 0, at: Some(change.at), fact });
        }
        result
    }
}

/// A breaker, to be given to any number of policies.
///
/// # Errors
/// A value of another type.
#[wasm_bindgen(js_name = breakerNew)]
pub fn breaker_new(options: JsValue) -> Result<u32, JsError> {
    let breaker = Breaker::new(read::<BreakerOptions>(options)?.config());
    Ok(world(|world| world.breakers.insert(breaker)).unwrap_or_default())
}

/// All options of the breaker anew; its state stays.
///
/// # Errors
/// As `breakerNew`.
#[wasm_bindgen(js_name = breakerUpdate)]
pub fn breaker_update(breaker: u32, options: JsValue) -> Result<(), JsError> {
    let config = read::<BreakerOptions>(options)?.config();
    world(|world| world.breaker(breaker, (), |found| found.update(config)));
    Ok(())
}

/// Forgets the breaker. Policies that have it go on without.
#[wasm_bindgen(js_name = breakerFree)]
pub fn breaker_free(breaker: u32) {
    world(|world| world.breakers.discard(breaker));
}

/// 0 closed, 1 open, 2 half_open, 3 isolated, 4 disabled, as of `now`.
#[wasm_bindgen(js_name = breakerState)]
pub fn breaker_state(breaker: u32, now: f64) -> u8 {
    world(|world| world.breakers.get(breaker).map_or(0, |found| found.state(moment(now)) as u8))
}

/// Milliseconds until a call may be admitted; NaN when isolated.
#[wasm_bindgen(js_name = breakerRetryAfter)]
pub fn breaker_retry_after(breaker: u32, now: f64) -> f64 {
    world(|world| world.breakers.get(breaker).map_or(0.0, |found| span(found.retry_after(moment(now)))))
}

/// Whether a call would be admitted now. Takes no place.
#[wasm_bindgen(js_name = breakerCanExecute)]
pub fn breaker_can_execute(breaker: u32, now: f64) -> bool {
    world(|world| world.breakers.get(breaker).is_none_or(|found| found.can_execute(moment(now))))
}

/// A permit (generation × 2²⁰ + ticket), or −1 when refused.
#[wasm_bindgen(js_name = breakerAcquire)]
pub fn breaker_acquire(breaker: u32, now: f64) -> f64 {
    world(|world| {
        world.breaker(breaker, -1.0, |found| {
            found.admit(moment(now)).map_or(-1.0, |permit| {
                let (generation, ticket) = permit.to_parts();
                number(generation << 20 | u64::from(ticket))
            })
        })
    })
}

/// Tells how a permit's call ended: 0 success, 1 failure, 2 neutral. Returns whether there are records to drain.
#[wasm_bindgen(js_name = breakerSettle)]
pub fn breaker_settle(breaker: u32, permit: f64, outcome: u8, duration_ms: f64, now: f64) -> bool {
    let packed = Millis::from_f64(permit).0;
    let ticket = u32::try_from(packed & u64::from(crate::policy::MAX_TICKET)).unwrap_or_default();
    let permit = Permit::from_parts(packed >> 20, ticket);
    world(|world| {
        world.breaker(breaker, (), |found| {
            found.settle(permit, outcome_of(outcome), millis(duration_ms), moment(now));
        });
        !world.events.is_empty()
    })
}

/// A result without a permit: 0 success, 1 failure. Returns whether there are records to drain.
#[wasm_bindgen(js_name = breakerRecord)]
pub fn breaker_record(breaker: u32, outcome: u8, duration_ms: f64, now: f64) -> bool {
    world(|world| {
        world.breaker(breaker, (), |found| {
            found.record(outcome_of(outcome), millis(duration_ms), moment(now))
        });
        !world.events.is_empty()
    })
}

/// By hand: 0 isolate, 1 lift one isolation, 2 disable, 3 reset. Returns whether there are records to drain.
#[wasm_bindgen(js_name = breakerControl)]
pub fn breaker_control(breaker: u32, control: u8, now: f64) -> bool {
    world(|world| {
        world.breaker(breaker, (), |found| match control {
            0 => found.isolate(moment(now)),
            1 => found.lift_isolation(moment(now)),
            2 => found.disable(moment(now)),
            3 => found.reset(moment(now)),
            _ => {}
        });
        !world.events.is_empty()
    })
}

/// Whether the next admission or result depends on the time; failures always do.
#[wasm_bindgen(js_name = breakerNeedsTime)]
pub fn breaker_needs_time(breaker: u32) -> bool {
    world(|world| world.breakers.get(breaker).is_some_and(Breaker::needs_time))
}

/// A `BreakerSnapshot`; `wall` is the time since the Unix epoch.
///
/// # Errors
/// Never, in fact: plain numbers and texts.
#[wasm_bindgen(js_name = breakerSnapshot)]
pub fn breaker_snapshot(breaker: u32, name: &str, now: f64, wall: f64) -> Result<JsValue, JsError> {
    let wall = Millis::from_f64(wall);
    let snapshot =
        world(|world| world.breakers.get_mut(breaker).map(|found| found.snapshot(name, moment(now), wall)));
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    snapshot.serialize(&serializer).map_err(|error| JsError::new(&error.to_string()))
}

/// Goes on from a `BreakerSnapshot`. Returns whether there are records to drain.
///
/// # Errors
/// A snapshot that it does not know.
#[wasm_bindgen(js_name = breakerRestore)]
pub fn breaker_restore(breaker: u32, snapshot: JsValue, now: f64, wall: f64) -> Result<bool, JsError> {
    let snapshot: BreakerSnapshot = serde_wasm_bindgen::from_value(snapshot)
        .map_err(|error| JsError::new(&format!("snapshot: {error}")))?;
    let wall = Millis::from_f64(wall);
    world(|world| {
        world.breaker(breaker, Ok(()), |found| found.restore(&snapshot, moment(now), wall))?;
        Ok(!world.events.is_empty())
    })
}

/// A breaker's clock that was not read stands still.
fn moment(now: f64) -> Timestamp {
    time(now).unwrap_or_default()
}

const fn outcome_of(outcome: u8) -> Outcome {
    match outcome {
        0 => Outcome::Success,
        1 => Outcome::Failure,
        _ => Outcome::Neutral,
    }
}

// ──────────────────────────────────────────────────────────────────── budgets

/// A retry budget, to be given to any number of policies.
///
/// # Errors
/// A value of another type.
#[wasm_bindgen(js_name = budgetNew)]
pub fn budget_new(options: JsValue) -> Result<u32, JsError> {
    let budget = Budget::new(read::<BudgetOptions>(options)?.config());
    Ok(world(|world| world.budgets.insert(budget)).unwrap_or_default())
}

/// Forgets the budget. Policies that have it go on without.
#[wasm_bindgen(js_name = budgetFree)]
pub fn budget_free(budget: u32) {
    world(|world| world.budgets.discard(budget));
}

/// How many whole retries may be made now.
#[wasm_bindgen(js_name = budgetAvailable)]
pub fn budget_available(budget: u32, now: f64) -> f64 {
    world(|world| world.budgets.get_mut(budget).map_or(0.0, |found| number(found.available(moment(now)))))
}

/// A first attempt was made.
#[wasm_bindgen(js_name = budgetDeposit)]
pub fn budget_deposit(budget: u32, now: f64) {
    world(|world| world.budgets.get_mut(budget).map(|found| found.deposit(moment(now))).unwrap_or_default());
}

/// Takes one retry, if it may.
#[wasm_bindgen(js_name = budgetWithdraw)]
pub fn budget_withdraw(budget: u32, now: f64) -> bool {
    world(|world| world.budgets.get_mut(budget).is_some_and(|found| found.withdraw(moment(now))))
}

// ──────────────────────────────────────────────────────────────────── backoff

/// The delay before retry `attempt`, in milliseconds. `jitter`: 0 none, 1 proportion, 2 full, 3 equal,
/// 4 decorrelated; `random` in [0, 1).
#[wasm_bindgen(js_name = backoffDelay)]
#[expect(clippy::too_many_arguments, reason = "scalars cross the boundary cheaper than one object")]
pub fn backoff_delay(
    attempt: f64,
    base: f64,
    cap: f64,
    factor: f64,
    jitter: u8,
    proportion: f64,
    random: f64,
    previous: f64,
) -> f64 {
    let kind = match jitter {
        1 => JitterKind::Proportion,
        2 => JitterKind::Full,
        3 => JitterKind::Equal,
        4 => JitterKind::Decorrelated,
        _ => JitterKind::None,
    };
    exponential_backoff(attempt, base, cap, factor, kind, proportion, random, previous)
}

// ───────────────────────────────────────────────────────────────────── events

/// How many numbers stand for one record.
const STRIDE: usize = 20;

/// All records since the last drain, 20 numbers each, oldest first; NaN stands for none.
///
/// 0 kind · 1 policy · 2 call · 3 at · then, by kind:
/// 0 call.started
/// 1 call.queued: by, position, dueAt
/// 2 call.dequeued
/// 3 attempt.started: attempt, probe, generation
/// 4 attempt.succeeded: attempt, durationMs
/// 5 attempt.failed: attempt, durationMs, code, counted, retryAfterMs
/// 6 retry.scheduled: attempt, delayMs, dueAt, minMs, maxMs, source, budgetLeft
/// 7 call.succeeded: attempts, durationMs
/// 8 call.failed: attempts, durationMs, code, why
/// 9 call.rejected: by, retryAfterMs, attempts
/// 10 breaker.changed: breaker, from, to, reason, a, b, generation, retryAt, total, failures, slow, then the number of
///    the last results and twice sixteen of them, two bits each, the newest lowest, the newer half first
///    (0 ok, 1 failed, 2 slow, 3 both)
/// 11 events.dropped: count
#[wasm_bindgen(js_name = drainEvents)]
pub fn drain_events() -> Vec<f64> {
    world(|world| {
        let dropped = world.events.take_dropped();
        let mut numbers = Vec::with_capacity((world.events.len() + usize::from(dropped > 0)) * STRIDE);
        let mut row = |head: [f64; 4], rest: &[f64]| {
            numbers.extend(head);
            numbers.extend(rest);
            numbers.resize(numbers.len().next_multiple_of(STRIDE), f64::NAN);
        };
        if dropped > 0 {
            row([11.0, 0.0, 0.0, f64::NAN], &[number(dropped)]);
        }
        while let Some(record) = world.events.pop() {
            let at = record.at.map_or(f64::NAN, Timestamp::as_f64);
            let head = |kind: u8| [f64::from(kind), f64::from(record.policy), number(record.call), at];
            match record.fact {
                Fact::CallStarted => row(head(0), &[]),
                Fact::CallQueued { by, position, due } => {
                    let due = due.map_or(f64::NAN, Timestamp::as_f64);
                    row(head(1), &[f64::from(by as u8), f64::from(position), due]);
                }
                Fact::CallDequeued => row(head(2), &[]),
                Fact::AttemptStarted { attempt, probe, generation } => {
                    row(head(3), &[f64::from(attempt), f64::from(u8::from(probe)), number(generation)]);
                }
                Fact::AttemptSucceeded { attempt, duration } => {
                    row(head(4), &[f64::from(attempt), span(duration)])
                }
                Fact::AttemptFailed { attempt, duration, code, counted, hint } => {
                    let (code, counted) = (f64::from(code.index()), f64::from(u8::from(counted)));
                    row(head(5), &[f64::from(attempt), span(duration), code, counted, span(hint)]);
                }
                Fact::RetryScheduled { attempt, delay, due, min, max, source, budget_left } => row(
                    head(6),
                    &[
                        f64::from(attempt),
                        delay.as_f64(),
                        due.as_f64(),
                        min.as_f64(),
                        max.as_f64(),
                        f64::from(source as u8),
                        budget_left.map_or(f64::NAN, number),
                    ],
                ),
                Fact::CallSucceeded { attempts, duration } => {
                    row(head(7), &[f64::from(attempts), span(duration)])
                }
                Fact::CallFailed { attempts, duration, code, why } => row(
                    head(8),
                    &[f64::from(attempts), span(duration), f64::from(code.index()), f64::from(why as u8)],
                ),
                Fact::CallRejected { by, retry_after, attempts } => {
                    row(head(9), &[f64::from(by as u8), span(retry_after), f64::from(attempts)]);
                }
                Fact::BreakerChanged { breaker, change } => {
                    let (reason, a, b) = change.reason.numbers();
                    let (bits, len) = change.recent.packed();
                    row(
                        head(10),
                        &[
                            f64::from(breaker),
                            f64::from(change.from as u8),
                            f64::from(change.to as u8),
                            f64::from(reason),
                            number(a),
                            number(b),
                            number(change.generation),
                            change.retry_at.map_or(f64::NAN, Timestamp::as_f64),
                            f64::from(change.window.total),
                            f64::from(change.window.failures),
                            f64::from(change.window.slow),
                            f64::from(len),
                            number(bits & 0xFFFF_FFFF),
                            number(bits >> 32),
                        ],
                    );
                }
            }
        }
        numbers
    })
}

/// Whether there are records to drain.
#[wasm_bindgen(js_name = hasEvents)]
pub fn has_events() -> bool {
    world(|world| !world.events.is_empty())
}

/// The sentence for a reason's numbers in a `breaker.changed` record.
#[wasm_bindgen(js_name = reasonText)]
pub fn reason_text(reason: u8, a: f64, b: f64) -> String {
    Reason::describe(reason, Millis::from_f64(a).0, Millis::from_f64(b).0)
}
