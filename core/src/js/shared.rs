//! What a policy shares with those of other processes, for JavaScript: numbers in, numbers out.

use super::numbers::{moment, number, span};
use super::world::world;
use crate::policy::{Counted, Use};
use crate::time::{Millis, Timestamp};
use crate::wire::{shared_in, shared_out};
use wasm_bindgen::prelude::*;

/// Gives a policy what it shares, in the order of `wire::shared_in`, then its part of each rate limit, −1 for all of it. Returns
/// what it uses, in the order of `wire::shared_out`, then of each rate limit what is used and what is wanted. NaN leaves a thing
/// as it is. There may be records to drain afterwards, and queued calls that are ready.
#[wasm_bindgen(js_name = policyShared)]
pub fn policy_shared(policy: u32, breaker: u32, budget: u32, given: &[f64], now: f64) -> Vec<f64> {
    let at = |place: usize| given.get(place).copied().filter(|number| !number.is_nan());
    let part = |part: f64| (part >= 0.0).then_some(part as u32);
    let (parts, limits) = given.split_at_checked(shared_in::NAMES.len()).unwrap_or((given, &[]));
    let now = moment(now);
    world(|world| {
        let counted = world.breaker(breaker, Counted::default(), |found| {
            if let Some(until) = at(shared_in::OPEN_UNTIL) {
                found.open_with_others(Timestamp::from_f64(until), now);
            }
            if let Some(ramp) = at(shared_in::CLOSE_RAMP) {
                found.close_with_others(Millis::from_f64(ramp), now);
            }
            if let Some(probes) = at(shared_in::PROBES) {
                found.allow_probes(part(probes), now);
            }
            found.counted()
        });
        if let (Some(budget), Some(sharers)) = (world.budgets.get_mut(budget), at(shared_in::SHARERS)) {
            budget.share(sharers as u32);
        }
        let (mut slots, mut uses) = (None, Vec::new());
        if let Some(engine) = world.policies.get_mut(policy) {
            if let Some(slots) = at(shared_in::SLOTS) {
                engine.share(part(slots), limits.iter().map(|&limit| part(limit)));
            }
            (slots, uses) = engine.uses(now);
        }
        debug_assert_eq!(parts.len(), shared_in::NAMES.len());
        let mut out = vec![f64::NAN; shared_out::NAMES.len()];
        let hint = Some(counted.hinted_until.since(now));
        for (place, number) in [
            (shared_out::TOTAL, f64::from(counted.total)),
            (shared_out::FAILED, f64::from(counted.failed)),
            (shared_out::SLOW, f64::from(counted.slow)),
            (shared_out::STREAK, f64::from(counted.streak)),
            (shared_out::HINT, span(hint)),
            (shared_out::PROBES_SUCCEEDED, f64::from(counted.probes_succeeded)),
            (shared_out::PROBES_FAILED, f64::from(counted.probes_failed)),
            (shared_out::RUNNING, slots.map_or(f64::NAN, |slots| number(slots.used))),
            (shared_out::WAITING, slots.map_or(f64::NAN, |slots| number(slots.wanted))),
        ] {
            if let Some(slot) = out.get_mut(place) {
                *slot = number;
            }
        }
        out.extend(uses.iter().flat_map(|Use { used, wanted }| [number(*used), number(*wanted)]));
        out
    })
}
