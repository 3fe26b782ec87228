//! Breakers for JavaScript, alone or shared by policies. Numbers as in `policy.rs`.

use super::numbers::{millis, moment, number, read, span};
use super::world::world;
use crate::policy::{Answer, Breaker, BreakerOptions, BreakerSnapshot, MAX_TICKET, Outcome, Permit};
use crate::time::Millis;
use crate::wire::{control, end, outcome};
use serde::Serialize;
use wasm_bindgen::prelude::*;

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

/// Whether a call would be admitted now. Takes no place.
#[wasm_bindgen(js_name = breakerCanExecute)]
pub fn breaker_can_execute(breaker: u32, now: f64) -> bool {
    world(|world| world.breakers.get(breaker).is_none_or(|found| found.can_execute(moment(now))))
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
    let ticket = u32::try_from(packed & u64::from(MAX_TICKET)).unwrap_or_default();
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

const fn outcome_of(outcome: u8, hint: Option<Millis>) -> Outcome {
    match outcome {
        outcome::SUCCESS => Outcome::Success,
        outcome::FAILURE => Outcome::failure(hint),
        _ => Outcome::Neutral,
    }
}
