//! The state that a policy shares with those of other processes, for JavaScript. NaN leaves a value unchanged; −1 means
//! unlimited. Afterwards there may be records to drain, and queued calls that are ready.

use super::numbers::{moment, number};
use super::world::world;
use crate::wire::slot;
use halfopen::policy::Engine;
use halfopen::time::{Millis, Timestamp};
use wasm_bindgen::prelude::*;

/// Reads a part, if one is given.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn part(part: f64) -> Option<u32> {
    (!part.is_nan()).then_some(if part < 0.0 { u32::MAX } else { part as u32 })
}

/// Applies the shared decisions to a breaker: until when it is open, or how long the ramp is with which it closes; and
/// how many probes it may make. Its counts are in the slots from `SLOT_TOTAL` on.
#[wasm_bindgen(js_name = breakerShared)]
pub fn breaker_shared(breaker: u32, open_until: f64, close_ramp: f64, probes: f64, now: f64) {
    let now = moment(now);
    world(|world| {
        let counted = world.breaker(breaker, Default::default(), |found| {
            if !open_until.is_nan() {
                found.open_with_others(Timestamp::from_f64(open_until), now);
            }
            if !close_ramp.is_nan() {
                found.close_with_others(Millis::from_f64(close_ramp), now);
            }
            if let Some(probes) = part(probes) {
                found.allow_probes(probes, now);
            }
            found.counted()
        });
        world.slots[slot::SLOT_TOTAL] = counted.total.into();
        world.slots[slot::SLOT_FAILED] = counted.failed.into();
        world.slots[slot::SLOT_SLOW] = counted.slow.into();
        world.slots[slot::SLOT_STREAK] = counted.streak.into();
        world.slots[slot::SLOT_PROBES_SUCCEEDED] = counted.probes_succeeded.into();
        world.slots[slot::SLOT_PROBES_FAILED] = counted.probes_failed.into();
    });
}

/// Sets a policy's share of the rate limit at that index, or, for index −1, of its slots. Returns how much of it is
/// used.
#[wasm_bindgen(js_name = policyShared)]
pub fn policy_shared(policy: u32, place: i32, share: f64, now: f64) -> f64 {
    let share = part(share);
    let used = |engine: &mut Engine| match usize::try_from(place) {
        Ok(place) => engine.share_limit(place, share, moment(now)),
        Err(_) => engine.share_slots(share),
    };
    number(world(|world| world.policies.get_mut(policy).map_or(0, used)))
}

/// Divides the part of a budget that needs no calls among that number of processes.
#[wasm_bindgen(js_name = budgetShared)]
pub fn budget_shared(budget: u32, sharers: u32) {
    world(|world| world.budgets.get_mut(budget).map(|budget| budget.share(sharers)).unwrap_or_default());
}
