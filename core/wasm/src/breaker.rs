//! Breakers for JavaScript, alone or shared by policies. Numbers as in `policy.rs`.

use super::numbers::{millis, moment, number, span};
use super::options::breaker_options;
use super::world::world;
use crate::wire::{control, end, outcome, snapshot};
use halfopen::invariant::Always;
use halfopen::policy::{
    Answer, Breaker, BreakerSnapshot, BreakerState, DemandSnapshot, MAX_TICKET, Outcome, Permit,
};
use halfopen::time::Millis;
use wasm_bindgen::prelude::*;

/// A breaker, to be given to any number of policies. `options` are numbers in the order of `wire::breaker_option`.
#[wasm_bindgen(js_name = breakerNew)]
pub fn breaker_new(options: &[f64]) -> u32 {
    let breaker = Breaker::new(breaker_options(options).config());
    world(|world| world.breakers.insert(breaker)).unwrap_or_default()
}

/// Replaces all options of the breaker; its state stays.
#[wasm_bindgen(js_name = breakerUpdate)]
pub fn breaker_update(breaker: u32, options: &[f64]) {
    let config = breaker_options(options).config();
    world(|world| world.breaker(breaker, (), |found| found.update(config)));
}

/// Forgets the breaker. Policies that have it go on without.
#[wasm_bindgen(js_name = breakerFree)]
pub fn breaker_free(breaker: u32) {
    world(|world| world.breakers.discard(breaker));
}

/// The number of its `BreakerState`, as of `now`.
#[wasm_bindgen(js_name = breakerState)]
pub fn breaker_state(breaker: u32, now: f64) -> u8 {
    world(|world| world.breakers.get(breaker).map_or(0, |found| found.state(moment(now)) as u8))
}

/// Milliseconds until a call may be admitted; NaN when isolated.
#[wasm_bindgen(js_name = breakerRetryAfter)]
pub fn breaker_retry_after(breaker: u32, now: f64) -> f64 {
    world(|world| world.breakers.get(breaker).map_or(0.0, |found| span(found.retry_after(moment(now)))))
}

/// Returns `true` if a call would be admitted now. Takes no permit.
#[wasm_bindgen(js_name = breakerCanExecute)]
pub fn breaker_can_execute(breaker: u32, now: f64) -> bool {
    world(|world| world.breakers.get(breaker).is_none_or(|found| found.can_execute(moment(now))))
}

/// The share of calls that is refused now, 0 to 1.
#[wasm_bindgen(js_name = breakerRefusalRate)]
pub fn breaker_refusal_rate(breaker: u32, now: f64) -> f64 {
    world(|world| world.breaker(breaker, 0.0, |found| found.refusal_rate(moment(now)).as_f64()))
}

/// Of a generation, what a permit's number holds: with the ticket, what JavaScript can count.
const GENERATION: u64 = (1 << 33) - 1;

/// A permit (the generation's last 33 bits × 2²⁰ + ticket), or −1 when refused.
#[wasm_bindgen(js_name = breakerAcquire)]
pub fn breaker_acquire(breaker: u32, now: f64) -> f64 {
    world(|world| {
        world.breaker(breaker, -1.0, |found| {
            found.admit(moment(now)).map_or(-1.0, |permit| {
                let (generation, ticket) = permit.to_parts();
                number((generation & GENERATION) << 20 | u64::from(ticket))
            })
        })
    })
}

/// How a permit's call ended: `outcome` is one of `wire::outcome`. `hint_ms`: the wait that a failure asked for, NaN
/// for none. Returns whether there are records to drain.
#[wasm_bindgen(js_name = breakerSettle)]
pub fn breaker_settle(
    breaker: u32,
    permit: f64,
    outcome: u8,
    hint_ms: f64,
    duration_ms: f64,
    now: f64,
) -> bool {
    let packed = Millis::from_f64(permit).0;
    let ticket = u32::try_from(packed & u64::from(MAX_TICKET)).always();
    let generation = packed >> 20;
    world(|world| {
        world.breaker(breaker, (), |found| {
            let present = found.generation();
            let same = present & GENERATION == generation;
            let permit = Permit::from_parts(if same { present } else { generation }, ticket);
            found.settle(permit, outcome_of(outcome, millis(hint_ms)), millis(duration_ms), moment(now));
        });
        !world.events.is_empty()
    })
}

/// How an answer ended that `attemptAnswered` reported, `age_ms` after it began: one of `wire::end`. Returns whether
/// there are records to drain.
#[wasm_bindgen(js_name = breakerEnd)]
pub fn breaker_end(breaker: u32, answer: f64, outcome: u8, age_ms: f64, now: f64) -> bool {
    let answer = Answer::from_bits(Millis::from_f64(answer).0);
    world(|world| {
        world.breaker(breaker, (), |found| match outcome {
            end::COMPLETED => found.completed(answer),
            _ => found.broke_off(answer, millis(age_ms), moment(now)),
        });
        !world.events.is_empty()
    })
}

/// A result without a permit: `outcome` is one of `wire::outcome`. Returns whether there are records to drain.
#[wasm_bindgen(js_name = breakerRecord)]
pub fn breaker_record(breaker: u32, outcome: u8, duration_ms: f64, now: f64) -> bool {
    world(|world| {
        world.breaker(breaker, (), |found| {
            found.record(outcome_of(outcome, None), millis(duration_ms), moment(now))
        });
        !world.events.is_empty()
    })
}

/// By hand: `control` is one of `wire::control`. Returns whether there are records to drain.
#[wasm_bindgen(js_name = breakerControl)]
pub fn breaker_control(breaker: u32, control: u8, now: f64) -> bool {
    world(|world| {
        world.breaker(breaker, (), |found| match control {
            control::ISOLATE => found.isolate(moment(now)),
            control::LIFT_ISOLATION => found.lift_isolation(moment(now)),
            control::DISABLE => found.disable(moment(now)),
            control::RESET => found.reset(moment(now)),
            _ => {}
        });
        !world.events.is_empty()
    })
}

/// The numbers of a `BreakerSnapshot` in the order of `wire::snapshot`, then those of its window. `wall` is the time since
/// the Unix epoch.
#[wasm_bindgen(js_name = breakerSnapshot)]
pub fn breaker_snapshot(breaker: u32, now: f64, wall: f64) -> Vec<f64> {
    let wall = Millis::from_f64(wall);
    let taken =
        world(|world| world.breakers.get_mut(breaker).map(|found| found.snapshot("", moment(now), wall)));
    let Some(taken) = taken else { return Vec::new() };
    let mut numbers = vec![f64::NAN; snapshot::NAMES.len()];
    for (place, number) in [
        (snapshot::STATE, f64::from(taken.state as u8)),
        (snapshot::GENERATION, taken.generation),
        (snapshot::AT, taken.at),
        (snapshot::CONSECUTIVE_FAILURES, f64::from(taken.consecutive_failures)),
        (snapshot::FAILED_PROBES, f64::from(taken.failed_probes)),
        (snapshot::RETRY_AFTER, taken.retry_after_ms.unwrap_or(f64::NAN)),
        (snapshot::REQUESTS, taken.throttle.map_or(f64::NAN, |demand| f64::from(demand.requests))),
        (snapshot::ACCEPTS, taken.throttle.map_or(f64::NAN, |demand| f64::from(demand.accepts))),
        (snapshot::WINDOW_LENGTH, taken.window.as_ref().map_or(f64::NAN, |window| window.len() as f64)),
    ] {
        if let Some(slot) = numbers.get_mut(place) {
            *slot = number;
        }
    }
    numbers.extend(taken.window.unwrap_or_default());
    numbers
}

/// Goes on from the numbers of a `BreakerSnapshot`, as `breakerSnapshot` gives them, checked before. Returns whether there
/// are records to drain.
#[wasm_bindgen(js_name = breakerRestore)]
pub fn breaker_restore(breaker: u32, numbers: &[f64], now: f64, wall: f64) -> bool {
    let at = |place: usize| numbers.get(place).copied().filter(|number| !number.is_nan());
    let whole = |place| Millis::from_f64(at(place).unwrap_or_default()).0;
    let count = |place| u32::try_from(whole(place)).unwrap_or(u32::MAX);
    let state = usize::try_from(whole(snapshot::STATE)).ok().and_then(|state| BreakerState::ALL.get(state));
    let taken = BreakerSnapshot {
        version: 1,
        name: String::new(),
        state: state.copied().unwrap_or(BreakerState::Closed),
        generation: at(snapshot::GENERATION).unwrap_or_default(),
        at: at(snapshot::AT).unwrap_or_default(),
        consecutive_failures: count(snapshot::CONSECUTIVE_FAILURES),
        failed_probes: count(snapshot::FAILED_PROBES),
        retry_after_ms: at(snapshot::RETRY_AFTER),
        window: at(snapshot::WINDOW_LENGTH)
            .and_then(|_| numbers.get(snapshot::NAMES.len()..))
            .map(<[f64]>::to_vec),
        throttle: at(snapshot::REQUESTS).map(|_| DemandSnapshot {
            requests: count(snapshot::REQUESTS),
            accepts: count(snapshot::ACCEPTS),
        }),
    };
    let wall = Millis::from_f64(wall);
    world(|world| {
        // A snapshot whose numbers cannot be changes nothing.
        world.breaker(breaker, (), |found| found.restore(&taken, moment(now), wall).unwrap_or_default());
        !world.events.is_empty()
    })
}

const fn outcome_of(outcome: u8, hint: Option<Millis>) -> Outcome {
    match outcome {
        outcome::SUCCESS => Outcome::Success,
        outcome::FAILURE => Outcome::failure(hint),
        _ => Outcome::Neutral,
    }
}
