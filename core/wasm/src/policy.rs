//! The `policy` area for JavaScript: numbers in, a number out.
//!
//! Handles are `u32`; 0 means none. A time is milliseconds of the policy's or breaker's clock, NaN "not read". A call's
//! input returns a packed step (`wire::packed`); its other numbers are in the shared buffer, whose address is
//! `slotsPointer`. Records report all other events.
//!
//! No JavaScript is called while the state is borrowed: options are read before.

use super::numbers::{millis, number, time};
use super::options::{policy_options, retry_options};
use super::world::world;
use crate::wire::{flag, needs, slot, step};
use halfopen::code::Code;
use halfopen::limit::{Limit, Unit};
use halfopen::policy::{
    CallConfig, Engine, Failure, OwnDelay, Repair, Shared, Verdict, Why, seed_from_f64, whole,
};
use halfopen::time::Timestamp;
use wasm_bindgen::prelude::*;

/// A policy. `options` are numbers in the order of `wire::retry_option`, `wire::policy_option`, then for each rate limit
/// `wire::rate_limit_option`; no retries are `enabled: 0`. `breaker` and `budget` are handles.
#[wasm_bindgen(js_name = policyNew)]
pub fn policy_new(options: &[f64], breaker: u32, budget: u32, seed: f64) -> u32 {
    let config = policy_options(options).config(Shared { breaker, budget });
    let engine = Engine::new(config, seed_from_f64(seed));
    world(|world| world.policies.insert(engine)).unwrap_or_default()
}

/// Replaces all options of the policy, as for `policyNew`. Calls in flight end under the old ones. Returns `true` if
/// queued calls can start.
#[wasm_bindgen(js_name = policyUpdate)]
pub fn policy_update(policy: u32, options: &[f64], breaker: u32, budget: u32) -> bool {
    let config = policy_options(options).config(Shared { breaker, budget });
    world(|world| {
        world.policies.get_mut(policy).is_some_and(|engine| {
            engine.update(config);
            engine.has_ready()
        })
    })
}

/// Forgets the policy. Its calls on their way lead nowhere: cancel them first.
#[wasm_bindgen(js_name = policyFree)]
pub fn policy_free(policy: u32) {
    world(|world| world.policies.discard(policy));
}

/// Sets whether records of the policy's calls are written.
#[wasm_bindgen(js_name = policyObserve)]
pub fn policy_observe(policy: u32, observed: bool) {
    world(|world| world.policies.get_mut(policy).map(|engine| engine.observe(observed)).unwrap_or_default());
}

/// A limit of the provider, read from the headers of its response: it counts where the policy has a rate limit.
/// `requests`: of requests, not of tokens. `reset_ms`: until it is full again; NaN when not known, and it changes nothing.
#[wasm_bindgen(js_name = policyObserveLimit)]
pub fn policy_observe_limit(policy: u32, requests: bool, remaining: f64, reset_ms: f64, now: f64) {
    let unit = if requests { Unit::Requests } else { Unit::Tokens };
    let limit = Limit { provider: None, unit, limit: None, remaining, reset: millis(reset_ms) };
    world(|world| {
        if let (Some(engine), Some(now)) = (world.policies.get_mut(policy), time(now)) {
            engine.observe_limits(&[limit], now);
        }
    });
}

/// How many tokens an attempt of the call took: a limit on tokens counts them in place of the estimate. Call it before the
/// attempt's end.
#[wasm_bindgen(js_name = attemptUsed)]
pub fn attempt_used(policy: u32, call: u32, attempt: u32, tokens: f64) {
    world(|world| {
        if let Some(engine) = world.policies.get_mut(policy) {
            engine.observe_usage(call, attempt, whole(tokens));
        }
    });
}

/// Returns which values the driver must measure for every call: `NEEDS_TIME`. Call it again after `policyUpdate`,
/// `policyObserve` and `breakerUpdate`. Without `NEEDS_TIME`, the step `NEED_TIME` says when the time matters.
#[wasm_bindgen(js_name = policyNeeds)]
pub fn policy_needs(policy: u32) -> u32 {
    world(|world| {
        let Some(engine) = world.policies.get(policy) else { return 0 };
        let trip = world.breakers.get(engine.shared_by(0).breaker).map(|breaker| breaker.config().trip);
        let windowed = trip.is_some_and(|trip| trip.is_windowed());
        let budgeted = world.budgets.get(engine.shared_by(0).budget).is_some_and(|budget| !budget.is_quota());
        if engine.needs_time() || windowed || budgeted { needs::NEEDS_TIME } else { 0 }
    })
}

/// Returns how many attempts may run at once by the policy's adaptive limit; 0 without one.
#[wasm_bindgen(js_name = policyLimit)]
pub fn policy_limit(policy: u32) -> u32 {
    world(|world| world.policies.get(policy).and_then(Engine::limit).unwrap_or_default())
}

/// A new call.
#[wasm_bindgen]
pub fn begin(policy: u32, now: f64) -> i32 {
    world(|world| world.input(policy, 0, now, |engine, ctx, now| engine.begin(ctx, now)))
}

/// Begins a call with its own retries, budget and `totalMs`, as for `policyNew`. Absent options are the policy's. `within`: an
/// attempt of another call of the policy holds the slots for it.
#[wasm_bindgen(js_name = beginWith)]
pub fn begin_with(policy: u32, now: f64, options: &[f64], budget: u32, within: bool) -> i32 {
    let overrides = policy_options(options);
    world(|world| {
        let Some(base) = world.policies.get(policy).map(Engine::config) else {
            return step::DONE.cast_signed();
        };
        let shared = Shared { budget, ..base.shared };
        let config = CallConfig { within, ..overrides.call_config(base, shared) };
        world.input_with(policy, shared, now, |engine, ctx, now| engine.begin_with(ctx, now, config))
    })
}

/// The operation answered. NEED_TIME where the breaker must know the time and `now` is NaN.
#[wasm_bindgen(js_name = attemptOk)]
pub fn attempt_ok(policy: u32, call: u32, now: f64, duration_ms: f64) -> i32 {
    world(|world| {
        world.input(policy, call, now, |engine, ctx, now| engine.succeed(ctx, call, now, millis(duration_ms)))
    })
}

/// The operation answered, and its answer may yet break off: tell `breakerEnd` with `SLOT_ANSWER`.
#[wasm_bindgen(js_name = attemptAnswered)]
pub fn attempt_answered(policy: u32, call: u32, now: f64, duration_ms: f64) -> i32 {
    world(|world| {
        let mut answer = None;
        let word = world.input(policy, call, now, |engine, ctx, now| {
            let (step, answered) = engine.answer(ctx, call, now, millis(duration_ms));
            answer = answered;
            step
        });
        world.slots[slot::SLOT_ANSWER] = answer.map_or(f64::NAN, |answer| number(answer.to_bits()));
        word
    })
}

/// The operation failed. `flags` are those of `wire::flag`. `hint_ms` is NaN for none; so is `delay_ms`, the application's delay
/// before the retry. Of several attempts that run, the others go on: the step is DONE. So it is with `REPAIR_PENDING`.
#[wasm_bindgen(js_name = attemptFailed)]
#[expect(clippy::too_many_arguments, reason = "nothing but numbers crosses")]
pub fn attempt_failed(
    policy: u32,
    call: u32,
    now: f64,
    code: u8,
    flags: u32,
    hint_ms: f64,
    duration_ms: f64,
    delay_ms: f64,
    attempt: u32,
) -> i32 {
    let is = |flag| flags & flag != 0;
    let failure = Failure {
        code: Code::from_index(code).unwrap_or(Code::Unknown),
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
        own_delay: match millis(delay_ms) {
            Some(delay) => OwnDelay::Given(delay),
            None if is(flag::OWN_DELAY) => OwnDelay::Wanted,
            None => OwnDelay::None,
        },
        attempt: Some(attempt),
        duration: millis(duration_ms),
        repair: match (is(flag::REPAIRED), is(flag::REPAIR_PENDING)) {
            (true, _) => Repair::Made,
            (false, true) => Repair::Pending,
            (false, false) => Repair::None,
        },
    };
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.fail(ctx, call, now, &failure)))
}

/// The attempts that run have not answered for a while: ATTEMPT where another may begin beside them, else DONE.
#[wasm_bindgen]
pub fn hedge(policy: u32, call: u32, now: f64) -> i32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.hedge(ctx, call, now)))
}

/// The wait is over.
#[wasm_bindgen]
pub fn resume(policy: u32, call: u32, now: f64) -> i32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.resume(ctx, call, now)))
}

/// The caller aborted or disposed, in whatever state the call is: neutral for the breaker.
#[wasm_bindgen]
pub fn cancel(policy: u32, call: u32, now: f64) -> i32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.cancel(ctx, call, now)))
}

/// The consumer closed the stream before its end, in whatever state the call is: neutral for the breaker.
#[wasm_bindgen(js_name = closeEarly)]
pub fn close_early(policy: u32, call: u32, now: f64) -> i32 {
    world(|world| world.input(policy, call, now, |engine, ctx, now| engine.close(ctx, call, now)))
}

/// Ends a call that waits or queues, from outside, and gives the last attempt's result to the breaker: its
/// deadline passed in the queue, or `onRetry` threw. `why` is the number of a `Why`, `code` for the record.
#[wasm_bindgen]
pub fn abandon(policy: u32, call: u32, now: f64, why: u8, code: u8) -> i32 {
    let why = Why::from_index(why).unwrap_or(Why::NotRetryable);
    let code = Code::from_index(code).unwrap_or(Code::Unknown);
    world(|world| {
        world.input(policy, call, now, |engine, ctx, now| engine.abandon(ctx, call, now, why, code))
    })
}

/// Returns the handle of the next queued call that can start, for `dequeue`; 0 if no call can. Call it again until
/// then.
#[wasm_bindgen(js_name = nextReady)]
pub fn next_ready(policy: u32, now: f64) -> u32 {
    world(|world| {
        world.policies.get_mut(policy).and_then(|engine| engine.next_ready(time(now))).unwrap_or_default()
    })
}

/// Takes that call out of its queue: ATTEMPT, QUEUED (now for a slot of the adaptive limit, or its turn under the rate limit) or REJECTED.
#[wasm_bindgen]
pub fn dequeue(policy: u32, call: u32, now: f64) -> i32 {
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

/// Returns the delay before retry `attempt`, in milliseconds, by options as for `policyNew`. `random` is in [0, 1);
/// `previous` is the last delay, NaN without one.
#[wasm_bindgen(js_name = backoffDelay)]
pub fn backoff_delay(retry: &[f64], attempt: f64, random: f64, previous: f64) -> f64 {
    let previous = Some(previous).filter(|previous| !previous.is_nan());
    retry_options(retry).real_backoff().delay(attempt, random, previous)
}
